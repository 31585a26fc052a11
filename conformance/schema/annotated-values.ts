import { childOf, follow, joinPointer, type Place, type Pointer, placeAt } from '../contract/document.ts';
import { isSensitive } from '../contract/extensions.ts';
import { isObject, type JsonObject, memberOf, objectAt } from '../contract/json.ts';

/** A part of a value to which the contract attaches a meaning. */
export interface AnnotatedValue {
  readonly at: string;
  readonly value: unknown;
  readonly schema: JsonObject;
  readonly pointer: Pointer;
  /** False where it stands in one branch of several, which may not be the one that holds. */
  readonly sure: boolean;
}

/** Walks value and schema side by side and yields every pair, also through branches that may not hold. */
export function* annotatedValues(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  yield* walk(root, placeAt(root, schema), value, '', true, 0);
}

/** Values that must appear in no output: declared sensitive, written only, or passwords. */
export function isSecretSchema(schema: JsonObject): boolean {
  return isSensitive(schema) || schema.writeOnly === true || schema.format === 'password';
}

function* walk(
  root: JsonObject,
  place: Place,
  value: unknown,
  at: string,
  sure: boolean,
  depth: number,
): Generator<AnnotatedValue> {
  const schema = place.value;
  if (!isObject(schema) || value === undefined || depth > 64) return;
  yield { at, value, schema, pointer: place.pointer, sure };
  if (typeof schema.$ref === 'string') {
    const target = follow(root, place);
    if (target !== undefined) yield* walk(root, target, value, at, sure, depth + 1);
  }
  for (const [keyword, certain] of [
    ['allOf', true],
    ['anyOf', false],
    ['oneOf', false],
  ] as const) {
    const parts = schema[keyword];
    for (const index of Array.isArray(parts) ? parts.keys() : []) {
      yield* walk(root, childOf(place, keyword, index), value, at, sure && certain, depth + 1);
    }
  }
  for (const keyword of ['then', 'else']) {
    if (isObject(schema[keyword])) yield* walk(root, childOf(place, keyword), value, at, false, depth + 1);
  }
  if (typeof value === 'string' && isObject(schema.contentSchema)) {
    yield* walk(root, childOf(place, 'contentSchema'), parse(value), at, false, depth + 1);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fixed = memberOf(schema, 'prefixItems');
      const path = Array.isArray(fixed) && index < fixed.length ? ['prefixItems', index] : ['items'];
      yield* walk(root, childOf(place, ...path), item, joinPointer(at, index), sure, depth + 1);
    }
  } else if (isObject(value)) {
    const named = objectAt(schema, 'properties');
    for (const [name, part] of Object.entries(value)) {
      const path = Object.hasOwn(named, name) ? ['properties', name] : ['additionalProperties'];
      yield* walk(root, childOf(place, ...path), part, joinPointer(at, name), sure, depth + 1);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
