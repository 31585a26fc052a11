import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { Operation, Parameter } from '@lockstep/runtime/operation';
import {
  firstExample,
  firstThatFits,
  readRequests,
  sampleParameter,
  sampleValue,
} from '@lockstep/runtime/stateful/sample-value';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import { writeXml } from '@lockstep/runtime/validation/write-xml';
import { isXmlType } from '@lockstep/runtime/validation/xml-shape';

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
    body: mediaType === undefined ? undefined : sampleBody(document, operation, mediaType),
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

function sampleBody(contract: ContractDocument, operation: Operation, mediaType: string): string {
  const { document, judge, makeValue } = readRequests(contract);
  const body = readPointer(document, operation.pointer);
  const content = followMember(document, followMember(document, isObject(body) ? body : {}, 'requestBody'), 'content');
  const media = followMember(document, content, mediaType);
  const example = firstExample(document, media);
  // An example of another media type may be its literal text.
  if (!isJsonType(mediaType) && typeof example === 'string') return example;
  const fits = (value: unknown): boolean => judge(value, media.schema) === undefined;
  const value = firstThatFits([example, sampleValue(document, media.schema)], fits, makeValue, media.schema);
  if (isXmlType(mediaType)) return writeXml(document, media.schema, value);
  if (isJsonType(mediaType)) return JSON.stringify(value);
  if (mediaType !== 'application/x-www-form-urlencoded' || !isObject(value)) return String(value);
  return new URLSearchParams(
    Object.entries(value).map(([name, field]) => [name, String(field)] as [string, string]),
  ).toString();
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
