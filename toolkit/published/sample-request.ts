import { isObject, parseReference, valueAt } from '@lockstep/json/json-pointer';
import type { ContractOperation } from '../contract/list-operations.ts';
import type { OpenApiDocument, ParameterObject } from '../contract/openapi-document.ts';

type Json = Readonly<Record<string, unknown>>;

/** Credentials of one scheme. Samples read them from the environment, so that they contain no secret. */
export type Credentials =
  /** `Authorization: Bearer $TOKEN` */
  | { readonly kind: 'bearer' }
  /** `Authorization: Basic` of `$CLIENT_ID:$CLIENT_SECRET` */
  | { readonly kind: 'basic' }
  /** A key in a header, a query parameter or a cookie: `$API_KEY` */
  | { readonly kind: 'key'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** A valid request, from the examples of the contract, with required members only. */
export interface SampleRequest {
  readonly method: string;
  /** Absolute or relative as the contract's server is, without a trailing slash. */
  readonly serverUrl: string;
  /** Template below it. */
  readonly path: string;
  readonly pathValues: Json;
  readonly query: Json;
  /** The query as written into an address, in order. */
  readonly queryPairs: readonly (readonly [name: string, value: string])[];
  readonly headers: Json;
  readonly cookies: Json;
  /** Credentials of the first alternative; empty if anonymous access is allowed. */
  readonly credentials: readonly Credentials[];
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined;
  /** Whether the operation declares a success. Without one (as of a redirect) a program has nothing to read. */
  readonly hasSuccess: boolean;
  /** Whether a success has JSON in it. */
  readonly hasJson: boolean;
}

/** Uses the first of several named examples of a body: the contract lists the simplest success first. */
export function sampleRequest(document: OpenApiDocument, row: ContractOperation): SampleRequest {
  const required = row.parameters.map(({ value }) => value).filter((parameter) => parameter.required === true);
  const valuesIn = (place: string): Json =>
    Object.fromEntries(
      required.filter((parameter) => parameter.in === place).map((one) => [one.name, readExample(document, one)]),
    );
  const query = valuesIn('query');
  const [content] = Object.entries(row.requestBody?.value.content ?? {});
  const successes = row.responses.filter(({ status }) => /^2/.test(status));
  return {
    method: row.method.toUpperCase(),
    serverUrl: row.serverUrl,
    path: row.path,
    pathValues: valuesIn('path'),
    query,
    queryPairs: required
      .filter((parameter) => parameter.in === 'query')
      .flatMap((parameter) => listPairs(parameter, query[parameter.name])),
    headers: valuesIn('header'),
    cookies: valuesIn('cookie'),
    credentials: readCredentials(document, row),
    body: content && { mediaType: content[0], value: readExample(document, content[1]) },
    hasSuccess: successes.length > 0,
    hasJson: successes.some(({ response }) =>
      Object.keys(response.value.content ?? {}).some((type) => /json/.test(type)),
    ),
  };
}

function readExample(document: OpenApiDocument, owner: object): unknown {
  const { example, examples, schema } = owner as { example?: unknown; examples?: Json; schema?: Json };
  const [named] = Object.values(examples ?? {});
  if (example !== undefined) return example;
  if (named !== undefined) return follow(document, named as Json).value;
  return exampleOf(document, schema ?? {}, new Set(), { schemas: mostSchemas });
}

/** Bounds the work for one example: nested members multiply with every level. */
const mostSchemas = 5000;

/**
 * A schema's own example, or the first of its enum, or the examples of the members that it requires, those of all parts of `allOf` together.
 *
 * @param open references on the path: a schema that requires itself has no example, and gets null there
 * @param left how many more schemas may be read; any further one gets null
 */
function exampleOf(
  document: OpenApiDocument,
  given: Json,
  open: ReadonlySet<unknown>,
  left: { schemas: number },
): unknown {
  left.schemas -= 1;
  if (open.has(given.$ref) || left.schemas < 0) return null;
  const within = given.$ref === undefined ? open : new Set([...open, given.$ref]);
  const inner = (schema: unknown): unknown => exampleOf(document, (schema ?? {}) as Json, within, left);
  const schema = followOnce(document, given);
  const {
    example,
    examples,
    default: fallback,
    const: only,
    enum: values,
  } = schema as Readonly<Record<string, unknown>>;
  const listed = [examples, values].map((list) => (Array.isArray(list) ? list[0] : undefined));
  const known = [example, listed[0], fallback, only, listed[1]].find((value) => value !== undefined);
  if (known !== undefined) return known;
  if (schema.$ref !== undefined) return inner(schema);
  const branches = ['oneOf', 'anyOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Json[]);
  if (branches.length > 0) return branches.map(inner).find((value) => value !== null) ?? null;
  const properties = (schema.properties ?? {}) as Json;
  const required = (schema.required ?? []) as readonly string[];
  const own = Object.fromEntries(required.map((name) => [name, inner(properties[name])]));
  const parts = ((schema.allOf ?? []) as readonly Json[]).map(inner);
  if (parts.length > 0) return parts.every(isObject) ? Object.assign({}, ...parts, own) : parts[0];
  if (schema.type === 'object' || required.length > 0) return own;
  return plainValues[String([schema.type].flat()[0])] ?? 'text';
}

const plainValues: Json = { integer: 1, number: 1, boolean: true, array: [] };

/** The style of OpenAPI for query parameters: lists repeat the name unless `explode` is off; members of an object are parameters or in brackets. */
function listPairs({ name, style = 'form', explode = style === 'form' }: ParameterObject, value: unknown) {
  const pair = (key: string, one: unknown): readonly [string, string] => [key, String(one)];
  if (Array.isArray(value)) return explode ? value.map((one) => pair(name, one)) : [pair(name, value.join(','))];
  if (!isObject(value)) return [pair(name, value)];
  const members = Object.entries(value);
  if (style === 'deepObject') return members.map(([key, one]) => pair(`${name}[${key}]`, one));
  return explode ? members.map(([key, one]) => pair(key, one)) : [pair(name, members.flat().join(','))];
}

/** All schemes of the first alternative. */
function readCredentials(document: OpenApiDocument, { security }: ContractOperation): readonly Credentials[] {
  return Object.keys(security[0] ?? {}).map((name) => {
    const scheme = follow(document, (document.components?.securitySchemes?.[name] ?? {}) as Json);
    if (scheme.type === 'apiKey') return { kind: 'key', in: scheme.in as 'header', name: String(scheme.name) };
    const isBasic = scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic';
    return { kind: isBasic ? 'basic' : 'bearer' };
  });
}

/** Follows references, and keeps the members next to them. */
export function follow(document: OpenApiDocument, node: Json): Json {
  const next = followOnce(document, node);
  return typeof next.$ref === 'string' ? follow(document, next) : next;
}

/** Follows one reference, and keeps the members next to it (JSON Schema 2020-12: siblings of `$ref` count). */
function followOnce(document: OpenApiDocument, node: Json): Json {
  const { $ref, ...siblings } = node;
  return typeof $ref === 'string' ? { ...(valueAt(document, parseReference($ref)) as Json), ...siblings } : node;
}
