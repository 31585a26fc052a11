import { formatPointer, isObject, parsePointer, parseReference, valueAt } from '@lockstep/json/json-pointer';
import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';

/** A document of Swagger 2.0 as OpenAPI 3.0. */
export interface Converted {
  readonly document: unknown;
  /** The pointer of a place in the document of Swagger 2.0, or of one around it. */
  readonly originOf: (pointer: string) => string;
}

/** Names of components, and their places in Swagger 2.0. */
const components: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  parameters: 'parameters',
  requestBodies: 'parameters',
  responses: 'responses',
  securitySchemes: 'securityDefinitions',
};

export function isSwagger(document: unknown): boolean {
  return isObject(document) && document.openapi === undefined && /^2\.0/.test(String(document.swagger));
}

/**
 * Converts Swagger 2.0 by Scalar's upgrader.
 *
 * @param document parsed, without cycles; unchanged
 * @throws Error of the upgrader, for a document that is too faulty to convert
 */
export function convertSwagger(document: unknown): Converted {
  const copy = structuredClone(document) as Record<string, unknown>;
  // YAML reads 2.0 as a number.
  copy.swagger = '2.0';
  // The upgrader leaves them there if the document names no host.
  if (copy.host === undefined) delete copy.schemes;
  return {
    document: upgradeFromTwoToThree(copy),
    originOf: (pointer) => formatPointer(trace(document, parsePointer(pointer))),
  };
}

type Path = readonly string[];

/** Moves are undone from the outside in: of the component, of the body, of `content`, of the parameter's own schema. */
function trace(document: unknown, [first = '', second = '', ...rest]: Path): Path {
  if (first === 'servers') return isObject(document) && document.host === undefined ? ['basePath'] : ['host'];
  if (first === 'components') return [components[second] ?? second, ...traceMember(second, rest)];
  if (first !== 'paths') return [first, second, ...rest].filter((name) => name !== '');
  const [method, member, ...inner] = rest;
  const at = ['paths', second, ...(method === undefined ? [] : [method])];
  if (method === 'parameters') return [...at, ...traceParameter(document, at, [member ?? '', ...inner])];
  if (member === 'parameters') {
    const list = [...at, 'parameters'];
    return inner.length === 0 ? list : [...list, ...traceParameter(document, list, inner)];
  }
  if (member === 'requestBody') return traceBody(document, [...at, 'parameters'], inner);
  return member === undefined ? at : [...at, member, ...traceMember(member, inner)];
}

/** A map of components or responses, `[name, member, …]`. */
function traceMember(kind: string, path: Path): Path {
  const [name, member, ...rest] = path;
  if (name === undefined) return [];
  if (kind === 'responses' && member === 'content') return [name, ...rest.slice(1)];
  if (kind === 'parameters' && member === 'schema') return [name, ...rest];
  if (kind === 'requestBodies' && member === 'content') return [name, ...rest.slice(1)];
  return path;
}

/** Bodies and fields of forms were parameters too, so the indexes of the others differ. */
function traceParameter(document: unknown, list: Path, [index = '', ...rest]: Path): Path {
  const left = entriesOf(document, list).filter(({ parameter }) => !isBody(parameter));
  const origin = left[Number(index)]?.index ?? index;
  return [String(origin), ...(rest[0] === 'schema' ? rest.slice(1) : rest)];
}

function traceBody(document: unknown, list: Path, path: Path): Path {
  const all = entriesOf(document, list).filter(({ parameter }) => isBody(parameter));
  const [, , schema, ...rest] = path[0] === 'content' ? path : [];
  const field = rest[0] === 'properties' ? all.find(({ parameter }) => parameter.name === rest[1]) : undefined;
  if (field !== undefined && field.parameter.in === 'formData') return [...list, String(field.index), ...rest.slice(2)];
  const [first] = all;
  if (first === undefined) return list;
  return [
    ...list,
    String(first.index),
    ...(schema === 'schema' && first.parameter.in === 'body' ? ['schema', ...rest] : []),
  ];
}

function entriesOf(document: unknown, list: Path) {
  const parameters = valueAt(document, list);
  return (Array.isArray(parameters) ? parameters : []).map((parameter: unknown, index) => {
    const $ref = isObject(parameter) ? parameter.$ref : undefined;
    const target = typeof $ref === 'string' ? valueAt(document, parseReference($ref)) : parameter;
    return { index, parameter: isObject(target) ? target : {} };
  });
}

function isBody(parameter: Readonly<Record<string, unknown>>): boolean {
  return parameter.in === 'body' || parameter.in === 'formData';
}
