import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { once } from './once.ts';

/** Items of a list that are read: they have the same members. */
const mostItems = 20;

/** Keywords that describe no member. */
const bare = new Set(['type', 'title', 'description', 'example']);

/** The schema of an answer. If it states no more than that there is an object or a list, its first example of this type describes it. */
export function describedBy(schema: unknown, examples: readonly unknown[]): unknown {
  if (schema === undefined) return describeFirst(examples);
  if (!isBare(schema) || !isObject(schema)) return schema;
  const fitting = [...examples, schema.example].filter(
    (one) => schema.type === undefined || typeOf(one) === schema.type,
  );
  return describeFirst(fitting) ?? schema;
}

/** Whether a schema describes no member. */
function isBare(schema: unknown): boolean {
  return (
    isObject(schema) &&
    Object.entries(schema).every(([key, value]) => bare.has(key) || (key === 'items' && isBare(value)))
  );
}

function describeFirst(examples: readonly unknown[]): JsonObject | undefined {
  const first = examples.find((example) => typeof example === 'object' && example !== null);
  return first === undefined || first === null ? undefined : schemaOfExample(first);
}

/** The schema that describes an example. Items may have further members. A member that is null, or of several types, may have any value. */
const schemaOfExample = once((example: object): JsonObject => describe([example]));

/** @param values examples of one thing */
function describe(values: readonly unknown[]): JsonObject {
  const [first] = values;
  const type = typeOf(first);
  if (values.some((value) => typeOf(value) !== type) || type === 'null') return {};
  if (type === 'array') return { type, items: describe(values.flat().slice(0, mostItems)) };
  if (!isObject(first)) return first === undefined ? {} : { type, example: first };
  const objects = values.filter(isObject);
  const names = [...new Set(objects.flatMap((value) => Object.keys(value)))];
  const valuesOf = (name: string): readonly unknown[] =>
    objects.flatMap((value) => (Object.hasOwn(value, name) ? [value[name]] : []));
  return {
    type,
    properties: Object.fromEntries(names.map((name) => [name, describe(valuesOf(name))])),
    additionalProperties: {},
  };
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
