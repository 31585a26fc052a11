import { isObject, type JsonObject } from '../contract/json.ts';
import { readPattern } from './pattern.ts';

export interface Tools {
  /** Whether a value keeps a schema that stands in the dialect. */
  readonly holds: (schema: unknown, value: unknown) => boolean;
  readonly resolve: (id: string) => JsonObject | undefined;
}

/**
 * The names of an object that no keyword beside or beneath a schema has evaluated (JSON Schema 2020-12, 11.3): Ajv forgets
 * what an `if` without `then` and a branch beside `true` have seen.
 */
export function unevaluatedNames(tools: Tools, schema: JsonObject, value: JsonObject): string[] {
  const seen = new Set<string>();
  const visit = (part: unknown, isOuter: boolean): void => {
    if (!isObject(part)) return;
    const own = isObject(part.properties) ? part.properties : {};
    const patterns = Object.keys(isObject(part.patternProperties) ? part.patternProperties : {}).map(readPattern);
    const isAll = part.additionalProperties !== undefined || (!isOuter && part.unevaluatedProperties !== undefined);
    for (const name of Object.keys(value)) {
      if (isAll || Object.hasOwn(own, name) || patterns.some((pattern) => pattern?.test(name))) seen.add(name);
    }
    for (const other of holdingParts(tools, part, value)) visit(other, false);
  };
  visit(schema, true);
  return Object.keys(value).filter((name) => !seen.has(name));
}

/** The indexes of a list that nothing has evaluated (11.2). What `contains` has found counts as seen. */
export function unevaluatedIndexes(tools: Tools, schema: JsonObject, value: readonly unknown[]): number[] {
  const seen = new Set<number>();
  const visit = (part: unknown, isOuter: boolean): void => {
    if (!isObject(part)) return;
    const isAll = part.items !== undefined || (!isOuter && part.unevaluatedItems !== undefined);
    const fixed = Array.isArray(part.prefixItems) ? part.prefixItems.length : 0;
    for (const [index, item] of value.entries()) {
      if (isAll || index < fixed || (part.contains !== undefined && tools.holds(part.contains, item))) seen.add(index);
    }
    for (const other of holdingParts(tools, part, value)) visit(other, false);
  };
  visit(schema, true);
  return [...value.keys()].filter((index) => !seen.has(index));
}

/** The parts of a schema that judge the same value and that it keeps. */
function* holdingParts({ holds, resolve }: Tools, schema: JsonObject, value: unknown): Generator<unknown> {
  if (typeof schema.$ref === 'string') yield resolve(schema.$ref);
  yield* listOf(schema.allOf);
  for (const branch of [...listOf(schema.anyOf), ...listOf(schema.oneOf)]) if (holds(branch, value)) yield branch;
  if (schema.if !== undefined) {
    const isMet = holds(schema.if, value);
    if (isMet) yield schema.if;
    yield isMet ? schema.then : schema.else;
  }
  if (isObject(schema.dependentSchemas) && isObject(value)) {
    for (const [name, part] of Object.entries(schema.dependentSchemas)) if (Object.hasOwn(value, name)) yield part;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
