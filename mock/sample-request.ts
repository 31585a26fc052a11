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
const credentials: Readonly<Record<string, string>> = {
  'http basic': `Basic ${Buffer.from('demo-client:not-a-real-secret').toString('base64')}`,
};
const placeholderToken = 'any-token-will-do';

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
    (filled, parameter) => filled.replace(`{${parameter.name}}`, encodeURIComponent(sampleText(parameter))),
    operation.path,
  );
  const query = inPlace('query').map(
    (parameter) => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(sampleText(parameter))}`,
  );
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {});
  return {
    method: operation.method.toUpperCase(),
    target: `${operation.basePath}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: {
      ...Object.fromEntries(inPlace('header').map((parameter) => [parameter.name, sampleText(parameter)])),
      ...authorizationFor(document, operation.security[0], token),
      ...(mediaType === undefined ? {} : { 'Content-Type': mediaType }),
    },
    body: mediaType === undefined ? undefined : encodeBody(sampleBody(document, operation, mediaType), mediaType),
  };
}

function authorizationFor(
  document: ContractDocument,
  alternative: Operation['security'][number] | undefined,
  token: string,
): Record<string, string> {
  const [name] = Object.keys(alternative ?? {});
  if (name === undefined) return {};
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const { type, scheme, in: place, name: header } = followMember(document, schemes, name);
  if (type === 'apiKey') return place === 'header' ? { [String(header)]: 'any-key-will-do' } : {};
  return { Authorization: credentials[`${String(type)} ${String(scheme).toLowerCase()}`] ?? `Bearer ${token}` };
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
function sampleValue(document: ContractDocument, schema: unknown): unknown {
  const node = followRef(document, schema);
  const given =
    firstExample(document, node) ??
    node.const ??
    (Array.isArray(node.enum) ? node.enum[0] : undefined) ??
    node.default ??
    node.minimum;
  if (given !== undefined) return given;
  const [branch] = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (branch !== undefined) return sampleValue(document, branch);
  const properties = followMember(document, node, 'properties');
  const required = Array.isArray(node.required) ? node.required.map(String) : [];
  return node.type === 'object'
    ? Object.fromEntries(required.map((name) => [name, sampleValue(document, properties[name])]))
    : 'x';
}
