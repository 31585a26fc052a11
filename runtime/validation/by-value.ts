import { isObject, type JsonObject, readPointer } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';

/** The location of a value that requires more: a parsed OpenAPI runtime expression. */
type ValuePlace =
  | { readonly in: 'body'; readonly pointer: string }
  | { readonly in: 'path' | 'query' | 'headers'; readonly name: string };

/** The requirements of one value in addition to its operation (`x-by-value`). Values are compared as text: `2` is `'2'`. */
interface ValueCase {
  readonly values: readonly string[];
  readonly scopes: readonly string[];
  /** Maps a JSON pointer into the body to the pointer of the schema for that member. */
  readonly schemas: Readonly<Record<string, string>>;
}

export interface ValueRule {
  readonly place: ValuePlace;
  readonly cases: readonly ValueCase[];
}

/** The parts of a request that a rule can refer to. */
interface ValueParts {
  readonly path?: JsonObject;
  readonly query?: JsonObject;
  readonly headers?: JsonObject;
  readonly body?: unknown;
}

const expression = /^\$request\.(?:body#(?<pointer>(?:\/.*)?)|(?<place>path|query|header)\.(?<name>.+))$/;

/**
 * Reads the rules of an operation.
 *
 * @throws Error for an impossible location: a rule that never applies would accept forbidden requests
 */
export function readValueRules({ operationId, extensions }: Operation): ValueRule[] {
  return asObjects(extensions['x-by-value']).map(({ at, cases }) => ({
    place: readPlace(operationId, String(at)),
    cases: asObjects(cases).map(({ values, scopes, schemas }) => ({
      values: asTexts(values),
      scopes: asTexts(scopes),
      schemas: Object.fromEntries(
        Object.entries(isObject(schemas) ? schemas : {}).map(([place, schema]) => [place, String(schema)]),
      ),
    })),
  }));
}

/** The cases that match the values of a request. */
export function findCases(rules: readonly ValueRule[], parts: ValueParts): ValueCase[] {
  return rules.flatMap(({ place, cases }) => {
    const value = readValue(place, parts);
    return cases.filter(({ values }) => value !== undefined && values.includes(String(value))).slice(0, 1);
  });
}

function readValue(place: ValuePlace, parts: ValueParts): unknown {
  if (place.in === 'body') return isObject(parts.body) ? readPointer(parts.body, `#${place.pointer}`) : undefined;
  const part = parts[place.in] ?? {};
  return Object.hasOwn(part, place.name) ? part[place.name] : undefined;
}

function readPlace(operationId: string, at: string): ValuePlace {
  const { pointer, place, name } = expression.exec(at)?.groups ?? {};
  if (pointer !== undefined) return { in: 'body', pointer };
  if (name === undefined) throw new Error(`${operationId}: x-by-value has a place that no request has: ${at}`);
  if (place === 'header') return { in: 'headers', name: name.toLowerCase() };
  return { in: place === 'path' ? 'path' : 'query', name };
}

function asObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
