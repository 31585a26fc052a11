import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import type { Operation, Parameter } from '@lockstep/runtime/operation';
import { dropUnusable } from '@lockstep/runtime/validation/drop-unusable';
import { createJudge, type JudgeValue } from '@lockstep/runtime/validation/judge-value';
import { readDirection } from '@lockstep/runtime/validation/one-direction';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import { createValueMaker, type MakeValue } from './make-value.ts';

/** A request that an operation accepts, built from the contract's own examples. */
export interface SampleRequest {
  /** Upper case. */
  readonly method: string;
  /** Base path, path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Placeholders for credentials, recognizable as such. */
const basicCredentials: Readonly<Record<string, string>> = {
  'http basic': `Basic ${Buffer.from('demo-client:not-a-real-secret').toString('base64')}`,
};
const placeholderToken = 'any-token-will-do';
const placeholderKey = 'any-key-will-do';

/** A token that the shell fills in. */
export const shellToken = '$TOKEN';

/** Schemas may contain themselves as required members: deeper values are null. */
const deepest = 16;

/**
 * Builds a request with required parts only.
 *
 * @param token access token; the default passes only if tokens are not checked
 */
export function sampleRequest(
  document: ContractDocument,
  operation: Operation,
  token: string = placeholderToken,
): SampleRequest {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const sampleText = (parameter: Parameter): string => String(sampleParameter(document, parameter));
  const inPlace = (place: Parameter['in']): Parameter[] => required.filter((parameter) => parameter.in === place);
  const path = inPlace('path').reduce(
    (filled, parameter) => filled.replace(`{${parameter.name}}`, encodeValue(sampleParameter(document, parameter))),
    operation.path,
  );
  const query = inPlace('query').flatMap((parameter) => {
    const value = sampleParameter(document, parameter);
    // With `explode`, each item is a pair of its own (OpenAPI 3.1, 4.8.12.3).
    const texts = Array.isArray(value) && parameter.explode ? value.map(String) : [value];
    return texts.map((text) => `${encode(parameter.name)}=${encodeValue(text)}`);
  });
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
  const { headers, queryPair } = credentialsFor(document, operation.security[0], token);
  const pairs = [...query, ...(queryPair === undefined ? [] : [queryPair])];
  return {
    method: operation.method.toUpperCase(),
    target: `${operation.basePath}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`,
    headers: {
      ...Object.fromEntries(inPlace('header').map((parameter) => [parameter.name, sampleText(parameter)])),
      ...headers,
      ...(mediaType === undefined ? {} : { 'Content-Type': mediaType }),
    },
    body: mediaType === undefined ? undefined : encodeText(sampleBody(document, operation, mediaType), mediaType),
  };
}

/** The credentials for one security requirement, as headers or as a pair of the query. Mutual TLS shows in neither. */
function credentialsFor(
  document: ContractDocument,
  alternative: Operation['security'][number] | undefined,
  token: string,
): { readonly headers: Readonly<Record<string, string>>; readonly queryPair?: string } {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  let queryPair: string | undefined;
  const headers: Record<string, string> = {};
  for (const schemeName of Object.keys(alternative ?? {})) {
    const { type, scheme, in: place, name } = followMember(document, schemes, schemeName);
    if (type === 'mutualTLS' || type === undefined) continue;
    if (type !== 'apiKey')
      headers.Authorization = basicCredentials[`${String(type)} ${String(scheme).toLowerCase()}`] ?? `Bearer ${token}`;
    else if (place === 'header') headers[String(name)] = placeholderKey;
    else if (place === 'cookie') headers.Cookie = `${String(name)}=${placeholderKey}`;
    else queryPair = `${encode(String(name))}=${placeholderKey}`;
  }
  return { headers, ...(queryPair !== undefined && { queryPair }) };
}

/** The contract as requests see it, with its validator and value generator. */
interface Tools {
  readonly document: ContractDocument;
  readonly judge: JudgeValue;
  readonly makeValue: MakeValue;
}

/** A large contract takes a second to prepare, and each of its operations needs a sample. */
const prepared = new WeakMap<ContractDocument, Tools>();

function prepare(contract: ContractDocument): Tools {
  const known = prepared.get(contract);
  if (known !== undefined) return known;
  const document = readDirection(dropUnusable(contract).document, 'request');
  const judge = createJudge(document);
  const tools = { document, judge, makeValue: createValueMaker(document, judge, 'request') };
  prepared.set(contract, tools);
  return tools;
}

/** The value of a parameter in the sample request of its operation. */
export function sampleParameter(contract: ContractDocument, parameter: Parameter): unknown {
  const { document, judge, makeValue } = prepare(contract);
  const node = readPointer(document, parameter.schema.replace(/\/schema$/, ''));
  const schema = readPointer(document, parameter.schema);
  // A parameter is sent as text: the example `'5'` is read as 5.
  const fits = (value: unknown): boolean =>
    [value, parse(value), String(value)].some((read) => judge(read, schema) === undefined);
  return firstThatFits(
    [firstExample(document, isObject(node) ? node : {}), sampleValue(document, schema)],
    fits,
    makeValue,
    schema,
  );
}

function sampleBody(contract: ContractDocument, operation: Operation, mediaType: string): unknown {
  const { document, judge, makeValue } = prepare(contract);
  const body = readPointer(document, operation.pointer);
  const content = followMember(document, followMember(document, isObject(body) ? body : {}, 'requestBody'), 'content');
  const media = followMember(document, content, mediaType);
  const example = firstExample(document, media);
  // An example of another media type may be its literal text.
  if (!isJsonType(mediaType) && typeof example === 'string') return example;
  const fits = (value: unknown): boolean => judge(value, media.schema) === undefined;
  return firstThatFits([example, sampleValue(document, media.schema)], fits, makeValue, media.schema);
}

/** The first valid value, else a generated one. If the schema accepts no value, the first one. */
function firstThatFits(
  values: readonly unknown[],
  fits: (value: unknown) => boolean,
  makeValue: MakeValue,
  schema: unknown,
): unknown {
  const given = values.filter((value) => value !== undefined);
  const fitting = given.find(fits);
  if (fitting !== undefined) return fitting;
  const made = makeValue(schema ?? true);
  return made.kind === 'value' ? made.value : given[0];
}

function parse(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

function encodeText(value: unknown, mediaType: string): string {
  if (isJsonType(mediaType)) return JSON.stringify(value);
  if (mediaType !== 'application/x-www-form-urlencoded' || !isObject(value)) return String(value);
  return new URLSearchParams(
    Object.entries(value).map(([name, field]) => [name, String(field)] as [string, string]),
  ).toString();
}

/** `example`, or the first of `examples`: by name as in OpenAPI, or a list as in JSON Schema. */
function firstExample(document: ContractDocument, node: JsonObject): unknown {
  if (Object.hasOwn(node, 'example')) return node.example;
  if (Array.isArray(node.examples)) return node.examples[0];
  const [name] = Object.keys(isObject(node.examples) ? node.examples : {});
  return name === undefined ? undefined : followMember(document, followMember(document, node, 'examples'), name).value;
}

/** A value from a schema's example, default or enum; for an object, its required members. */
function sampleValue(document: ContractDocument, schema: unknown, depth = 0): unknown {
  if (depth > deepest) return null;
  const node = followRef(document, schema);
  const given =
    firstExample(document, node) ??
    node.const ??
    (Array.isArray(node.enum) ? node.enum[0] : undefined) ??
    node.default ??
    node.minimum;
  if (given !== undefined) return given;
  const [branch] = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (branch !== undefined) return sampleValue(document, branch, depth + 1);
  const properties = followMember(document, node, 'properties');
  const required = Array.isArray(node.required) ? node.required.map(String) : [];
  return node.type === 'object'
    ? Object.fromEntries(required.map((name) => [name, sampleValue(document, properties[name], depth + 1)]))
    : 'x';
}

/** Half of a surrogate pair, which a contract may contain, can't be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Commas between items stay, commas in items are encoded. */
function encodeValue(value: unknown): string {
  return (Array.isArray(value) ? value : [value]).map((one) => encode(String(one))).join(',');
}

/** The request as a curl command for a POSIX shell. */
export function formatCurl(origin: string, { method, target, headers, body }: SampleRequest): string {
  // A URL can't contain these characters (RFC 3986, 2). A line break would cut the pasted command.
  const address = quote((origin + target).toWellFormed().replaceAll(/[\p{C}\p{Z}]/gu, encodeURIComponent));
  if (method === 'HEAD') return ['curl -I', ...headerWords(headers), address].join(' ');
  const parts = ['curl -i', ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`])];
  parts.push(...headerWords(headers));
  // After a leading `@`, `-d` reads a file.
  if (body !== undefined) parts.push(`${body.startsWith('@') ? '--data-raw' : '-d'} ${quote(body)}`);
  return [...parts, address].join(' ');
}

/** For a POSIX shell: inside single quotes, only the quote itself is special. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Only our own token is left to the shell to expand: it would run any other text of the contract. */
function headerWords(headers: SampleRequest['headers']): string[] {
  return Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === 'authorization' && value === `Bearer ${shellToken}`
      ? `-H ${quote(`${name}: Bearer `)}"${shellToken}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  );
}
