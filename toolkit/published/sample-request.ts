import { parseReference, valueAt } from '../contract/json-pointer.ts';
import type { ContractOperation } from '../contract/list-operations.ts';
import type { OpenApiDocument } from '../contract/openapi-document.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a caller shows who it is. What it shows is read from the environment, so that no secret stands in a sample. */
export type Credentials =
  | { readonly kind: 'none' }
  /** `Authorization: Bearer $TOKEN` */
  | { readonly kind: 'bearer' }
  /** `Authorization: Basic` of `$CLIENT_ID:$CLIENT_SECRET` */
  | { readonly kind: 'basic' }
  /** A key in a header, a query parameter or a cookie: `$API_KEY` */
  | { readonly kind: 'key'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** A request that works, from the examples of the contract: what is required, and nothing else. */
export interface SampleRequest {
  readonly method: string;
  /** Absolute or relative as the contract's server is, without a trailing slash. */
  readonly serverUrl: string;
  /** Template below it. */
  readonly path: string;
  readonly pathValues: Json;
  readonly query: Json;
  readonly headers: Json;
  readonly credentials: Credentials;
  readonly body: { readonly mediaType: string; readonly value: unknown } | undefined;
  /** Whether the operation declares a success; where it does not (a redirect, say), a program has nothing to read. */
  readonly hasSuccess: boolean;
  /** Whether a success has JSON in it. */
  readonly hasJson: boolean;
}

/** Of several named examples of a body the first is taken: the shortest way to a success should come first. */
export function sampleRequest(document: OpenApiDocument, row: ContractOperation): SampleRequest {
  const required = row.parameters.map(({ value }) => value).filter((parameter) => parameter.required === true);
  const valuesIn = (place: string): Json =>
    Object.fromEntries(
      required.filter((parameter) => parameter.in === place).map((one) => [one.name, readExample(document, one)]),
    );
  const [content] = Object.entries(row.requestBody?.value.content ?? {});
  const successes = row.responses.filter(({ status }) => /^2/.test(status));
  return {
    method: row.method.toUpperCase(),
    serverUrl: row.serverUrl,
    path: row.path,
    pathValues: valuesIn('path'),
    query: valuesIn('query'),
    headers: valuesIn('header'),
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
  return exampleOf(document, schema ?? {});
}

/** A schema's own example, or the first of its enum, or the examples of the members that it requires. */
function exampleOf(document: OpenApiDocument, given: Json): unknown {
  const schema = follow(document, given) as Json & {
    enum?: readonly unknown[];
    examples?: readonly unknown[];
    type?: unknown;
  };
  const { example, default: fallback } = schema as { example?: unknown; default?: unknown };
  const known = [example, schema.examples?.[0], fallback, schema.const, schema.enum?.[0]].find(
    (value) => value !== undefined,
  );
  if (known !== undefined) return known;
  const [branch] = ['oneOf', 'anyOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Json[]);
  if (branch !== undefined) return exampleOf(document, branch);
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Json>>;
  const required = (schema.required ?? []) as readonly string[];
  if (schema.type === 'object' || required.length > 0)
    return Object.fromEntries(required.map((name) => [name, exampleOf(document, properties[name] ?? {})]));
  return plainValues[String(schema.type)] ?? 'text';
}

const plainValues: Json = { integer: 1, number: 1, boolean: true, array: [] };

/** Of several alternatives the first. */
function readCredentials(document: OpenApiDocument, { security }: ContractOperation): Credentials {
  const [name] = Object.keys(security[0] ?? {});
  if (name === undefined) return { kind: 'none' };
  const scheme = follow(document, (document.components?.securitySchemes?.[name] ?? {}) as Json);
  if (scheme.type === 'apiKey') return { kind: 'key', in: scheme.in as 'header', name: String(scheme.name) };
  const isBasic = scheme.type === 'http' && String(scheme.scheme).toLowerCase() === 'basic';
  return { kind: isBasic ? 'basic' : 'bearer' };
}

/** Behind references, with what stands beside them. */
function follow(document: OpenApiDocument, node: Json): Json {
  const { $ref, ...siblings } = node;
  if (typeof $ref !== 'string') return node;
  return { ...follow(document, valueAt(document, parseReference($ref)) as Json), ...siblings };
}
