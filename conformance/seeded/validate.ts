// Validates requests by a contract, as the three servers do. Their validator is not the runner's judge, in which the same fault could hide.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import {
  arrayAt,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  readPointer,
  splitPointer,
} from '../contract/document.ts';
import type { TestRequest } from './serve.ts';

/** A rule of a contract is left out, or replaced by another one. */
export interface ContractEdit {
  /** Pointer of the rule. */
  readonly at: string;
  /** The other rule; undefined for none. */
  readonly to?: unknown;
}

/** A request whose content is decoded, or why it is rejected. */
export type Validated =
  | { readonly content: unknown }
  | { readonly fault: 'media type' | 'syntax' | 'schema'; readonly reason: string };

export type Validate = (request: TestRequest) => Validated;

interface Texts {
  readonly texts: readonly string[];
  /** Whether each text is an item of a list, rather than a list with commas. */
  readonly isExploded: boolean;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

const documents = new Map<string, JsonObject>();

/** A contract with other rules. */
export function readEdited(file: string, edits: readonly ContractEdit[]): JsonObject {
  const document = documents.get(file) ?? (parse(readFileSync(file, 'utf8')) as JsonObject);
  documents.set(file, document);
  const root = structuredClone(document);
  for (const edit of edits) apply(root, edit);
  return root;
}

/**
 * Validates requests by a contract.
 *
 * @returns a function that expects paths beneath the base; a request of no operation is valid
 */
export function createValidation(root: JsonObject): Validate {
  const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false, formats });
  ajv.addSchema(withNumericBounds(root) as object, 'contract');
  const known = new Map<string, ValidateFunction>();
  const explain = (pointer: string, value: unknown): string | undefined => {
    const validate = known.get(pointer) ?? ajv.compile({ $ref: `contract${encodeURI(pointer)}` });
    known.set(pointer, validate);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath.slice(1).replaceAll('/', '.')} ${error?.message}`.trim();
  };
  const paths = Object.keys(memberOf(root, 'paths') as JsonObject).map((template) => ({
    template,
    matcher: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '([^/]+)')}$`),
    names: [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name),
  }));
  return (request) => {
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const path = paths.find(({ matcher }) => matcher.test(request.path));
    if (path === undefined || !methods.includes(method)) return { content: undefined };
    const item = joinPointer('#/paths', path.template);
    const operation = joinPointer(item, method);
    const values = path.matcher.exec(request.path)?.slice(1) ?? [];
    const content = checkContent(joinPointer(operation, 'requestBody'), request);
    if ('fault' in content) return content;
    const segments = Object.fromEntries(path.names.map((name, index) => [name, values[index] ?? '']));
    for (const at of [item, operation]) {
      const count = arrayAt(readPointer(root, at), 'parameters').length;
      for (let index = 0; index < count; index += 1) {
        const reason = checkParameter(joinPointer(at, 'parameters', index), request, segments);
        if (reason !== undefined) return { fault: 'schema', reason };
      }
    }
    return content;
  };

  function checkParameter(at: string, request: TestRequest, segments: Readonly<Record<string, string>>) {
    const pointer = target(at);
    const parameter = readPointer(root, pointer) as JsonObject;
    const name = String(parameter.name);
    const sent = textsOf(parameter, request, segments);
    if (sent.texts.length === 0) return parameter.required === true ? `${name} is missing` : undefined;
    const schema = target(joinPointer(pointer, 'schema'));
    const reason = explain(schema, decode(readPointer(root, schema), sent));
    return reason && `${name}: ${reason}`;
  }

  function checkContent(pointer: string, { headers, body }: TestRequest): Validated {
    const declared = readPointer(root, pointer);
    if (declared === undefined) return { content: undefined };
    if (body === '') {
      const isMissing = memberOf(declared, 'required') === true;
      return isMissing ? { fault: 'schema', reason: 'the content is missing' } : { content: undefined };
    }
    const [sent = ''] = (headers['content-type'] ?? '').split(';');
    const mediaType = sent.trim().toLowerCase();
    if (memberOf(memberOf(declared, 'content'), mediaType) === undefined)
      return { fault: 'media type', reason: `${mediaType} is not listed` };
    const schema = target(joinPointer(pointer, 'content', mediaType, 'schema'));
    try {
      const content = mediaType.endsWith('json') ? JSON.parse(body) : decodeForm(readPointer(root, schema), body);
      const reason = explain(schema, content);
      return reason === undefined ? { content } : { fault: 'schema', reason };
    } catch {
      return { fault: 'syntax', reason: 'the content is malformed' };
    }
  }

  function target(pointer: string): string {
    const reference = memberOf(readPointer(root, pointer), '$ref');
    return typeof reference === 'string' ? target(reference) : pointer;
  }
}

function textsOf(parameter: JsonObject, request: TestRequest, segments: Readonly<Record<string, string>>): Texts {
  const name = String(parameter.name);
  const header = request.headers[name.toLowerCase()];
  const cookie = new RegExp(`(?:^|; )${name}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1];
  const found: Readonly<Record<string, readonly (string | undefined)[]>> = {
    path: [decodeSegment(segments[name] ?? '')],
    query: request.query.getAll(name),
    header: [header].flat(),
    cookie: [cookie],
  };
  const texts = (found[String(parameter.in)] ?? []).filter((text) => text !== undefined);
  return { texts, isExploded: parameter.in === 'query' && parameter.explode !== false };
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value that texts have for a schema. Text that is no value of the type stays text, which the schema then rejects. */
function decode(schema: unknown, { texts, isExploded }: Texts): unknown {
  const type = memberOf(schema, 'type');
  const [first = ''] = texts;
  if (type === 'array') {
    const items = isExploded ? texts : first.split(',');
    return items.map((text) => decode(memberOf(schema, 'items'), { texts: [text], isExploded: false }));
  }
  if ((type === 'integer' || type === 'number') && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(first)) return Number(first);
  return type === 'boolean' && /^(true|false)$/.test(first) ? first === 'true' : first;
}

function decodeForm(schema: unknown, body: string): unknown {
  const form = new URLSearchParams(body);
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const member = memberOf(memberOf(schema, 'properties'), name);
      return [name, decode(member, { texts: form.getAll(name), isExploded: true })];
    }),
  );
}

function apply(root: JsonObject, { at, to }: ContractEdit): void {
  const tokens = splitPointer(at);
  const last = tokens.pop() ?? '';
  const parent = tokens.reduce<unknown>((value, token) => memberOf(value, token), root);
  if (!isObject(parent) || (to === undefined && !Object.hasOwn(parent, last)))
    throw new Error(`the contract has no ${at}`);
  if (to === undefined) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, to);
}

/** OpenAPI 3.0 has `exclusiveMinimum: true` next to a `minimum`. */
function withNumericBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumericBounds);
  if (!isObject(value)) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, withNumericBounds(part)] as const);
  const own: Record<string, unknown> = Object.fromEntries(parts);
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (own[exclusive] !== true) continue;
    own[exclusive] = own[bound];
    delete own[bound];
  }
  return own;
}

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(time || 0).toISOString().startsWith(text);
};

/** RFC 3339. */
const formats = {
  date: isDay,
  'date-time': (text: string): boolean =>
    isDay(text.slice(0, 10)) &&
    /^T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text.slice(10)),
};
