import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import { isJsonType } from '@lockstep/runtime/form/parse-body';
import type { Operation, Parameter } from '@lockstep/runtime/operation';

/** A request that an operation accepts, made of the contract's own examples. */
export interface SampleRequest {
  /** Upper case. */
  readonly method: string;
  /** Base path, path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What stands in for credentials. Obviously no real ones. */
const basicCredentials: Readonly<Record<string, string>> = {
  'http basic': `Basic ${Buffer.from('demo-client:not-a-real-secret').toString('base64')}`,
};
const placeholderToken = 'any-token-will-do';
const placeholderKey = 'any-key-will-do';

/** A token that is left for the shell to fill in. */
export const shellToken = '$TOKEN';

/** Schemas may hold themselves as required members: deeper than this nothing is made. */
const deepest = 16;

/**
 * Builds a request with all that is required and nothing else.
 *
 * @param token access token; left out, one that passes where tokens are not judged
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
    (filled, parameter) => filled.replace(`{${parameter.name}}`, encode(sampleText(parameter))),
    operation.path,
  );
  const query = inPlace('query').map((parameter) => `${encode(parameter.name)}=${encode(sampleText(parameter))}`);
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
    body: mediaType === undefined ? undefined : encodeBody(sampleBody(document, operation, mediaType), mediaType),
  };
}

/** What one alternative asks for, as headers, or as a pair of the query. What no request shows is left out. */
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

function sampleParameter(document: ContractDocument, parameter: Parameter): unknown {
  const node = readPointer(document, parameter.schema.replace(/\/schema$/, ''));
  return (
    firstExample(document, isObject(node) ? node : {}) ?? sampleValue(document, readPointer(document, parameter.schema))
  );
}

function sampleBody(document: ContractDocument, operation: Operation, mediaType: string): unknown {
  const body = readPointer(document, operation.pointer);
  const content = followMember(document, followMember(document, isObject(body) ? body : {}, 'requestBody'), 'content');
  const media = followMember(document, content, mediaType);
  return firstExample(document, media) ?? sampleValue(document, media.schema);
}

function encodeBody(value: unknown, mediaType: string): string {
  if (isJsonType(mediaType)) return JSON.stringify(value);
  if (mediaType !== 'application/x-www-form-urlencoded' || !isObject(value)) return String(value);
  return new URLSearchParams(
    Object.entries(value).map(([name, field]) => [name, String(field)] as [string, string]),
  ).toString();
}

/** `example`, or the first of `examples`: by name as OpenAPI has them, or a list as JSON Schema does. */
function firstExample(document: ContractDocument, node: JsonObject): unknown {
  if (Object.hasOwn(node, 'example')) return node.example;
  if (Array.isArray(node.examples)) return node.examples[0];
  const [name] = Object.keys(isObject(node.examples) ? node.examples : {});
  return name === undefined ? undefined : followMember(document, followMember(document, node, 'examples'), name).value;
}

/** A value from a schema's example, default or enum; of an object, its required members. */
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

/** Half of a surrogate pair, which a contract may have, has no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The request as a line for a POSIX shell. */
export function formatCurl(origin: string, { method, target, headers, body }: SampleRequest): string {
  if (method === 'HEAD') return ['curl -I', ...headerWords(headers), quote(origin + target)].join(' ');
  const parts = ['curl -i', ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`])];
  parts.push(...headerWords(headers));
  // `-d` reads a file where an `@` comes first.
  if (body !== undefined) parts.push(`${body.startsWith('@') ? '--data-raw' : '-d'} ${quote(body)}`);
  return [...parts, quote(origin + target)].join(' ');
}

/** For a POSIX shell: nothing inside single quotes means anything, but the quote itself. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Only our own token is left to the shell: whatever else stands in a header is the contract's, and would be run. */
function headerWords(headers: SampleRequest['headers']): string[] {
  return Object.entries(headers).map(([name, value]) =>
    name.toLowerCase() === 'authorization' && value === `Bearer ${shellToken}`
      ? `-H ${quote(`${name}: Bearer `)}"${shellToken}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  );
}
