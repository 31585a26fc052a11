import { escapeSegment, isObject, type JsonObject } from './json-pointer.ts';
import { readingOf, schemaKeywords } from './schema-keywords.ts';

/** Location of a schema. */
export interface SchemaPlace {
  /** `#/components/schemas/Pet/properties/name` */
  readonly pointer: string;
  /** The outermost schema that contains this one inline by `allOf`, `not` and the like, else the schema itself. */
  readonly whole: JsonObject;
}

/** @returns the same object if nothing changes. Schemas inside the result are mapped afterwards */
export type MapSchema = (schema: JsonObject, place: SchemaPlace) => JsonObject;

/**
 * Copies an OpenAPI document with every schema mapped, outermost first. Unchanged parts are shared with the original. Only schemas are mapped: a
 * Parameter Object has a `required` too. Extensions stay as they are, since their format is unknown.
 */
export function mapSchemas(document: JsonObject, map: MapSchema): JsonObject {
  return mapObject(document, '#', (name, value, pointer) => mapOutside(name, value, pointer, 'keywords'));

  function mapOutside(name: string, value: unknown, pointer: string, around: 'keywords' | 'names'): unknown {
    const isKeyword = around === 'keywords';
    if (isKeyword && name.startsWith('x-')) return value;
    if (isKeyword && name === 'schema') return mapSchema(value, pointer);
    if (isKeyword && name === 'schemas' && isObject(value))
      return mapObject(value, pointer, (_, schema, at) => mapSchema(schema, at));
    const reading = readingOf(around, name);
    if (reading === 'data') return value;
    if (Array.isArray(value))
      return mapList(value, pointer, (item, at) =>
        isObject(item) ? mapObject(item, at, (...member) => mapOutside(...member, 'keywords')) : item,
      );
    return isObject(value) ? mapObject(value, pointer, (...member) => mapOutside(...member, reading)) : value;
  }

  function mapSchema(schema: unknown, pointer: string, whole?: JsonObject): unknown {
    if (!isObject(schema)) return schema;
    const mapped = map(schema, { pointer, whole: whole ?? schema });
    return mapObject(mapped, pointer, (name, value, at) => {
      const keyword = schemaKeywords.get(name);
      const inner = keyword?.judges === 'value' ? (whole ?? schema) : undefined;
      if (keyword === undefined || keyword.holds === 'data') return value;
      if (keyword.holds === 'schema') return mapSchema(value, at, inner);
      if (Array.isArray(value)) return mapList(value, at, (item, place) => mapSchema(item, place, inner));
      return isObject(value) ? mapObject(value, at, (_, item, place) => mapSchema(item, place, inner)) : value;
    });
  }
}

function mapObject(
  node: JsonObject,
  pointer: string,
  map: (name: string, value: unknown, pointer: string) => unknown,
): JsonObject {
  let changed: Map<string, unknown> | undefined;
  for (const name of Object.keys(node)) {
    const value = node[name];
    // Only objects and lists can contain schemas and need a pointer.
    if (typeof value !== 'object' || value === null) continue;
    const mapped = map(name, value, step(pointer, name));
    if (mapped !== value) changed = (changed ?? new Map<string, unknown>()).set(name, mapped);
  }
  return changed === undefined ? node : Object.fromEntries([...Object.entries(node), ...changed]);
}

function mapList(
  items: readonly unknown[],
  pointer: string,
  map: (item: unknown, pointer: string) => unknown,
): readonly unknown[] {
  const mapped = items.map((item, index) => map(item, `${pointer}/${index}`));
  return mapped.every((item, index) => item === items[index]) ? items : mapped;
}

function step(pointer: string, name: string): string {
  return `${pointer}/${escapeSegment(name)}`;
}
