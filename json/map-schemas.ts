import { escapeSegment, isObject, type JsonObject } from './json-pointer.ts';
import { readingOf, schemaKeywords } from './schema-keywords.ts';

/** Where a schema stands. */
export interface SchemaPlace {
  /** `#/components/schemas/Pet/properties/name` */
  readonly pointer: string;
  /** The outermost schema that this one is a written part of by `allOf`, `not` and the like; itself where there is none. */
  readonly whole: JsonObject;
}

/** @returns the schema itself where nothing is to be changed. What stands in it is mapped afterwards */
export type MapSchema = (schema: JsonObject, place: SchemaPlace) => JsonObject;

/**
 * Makes a copy of an OpenAPI document in which every schema is mapped, outermost first. What doesn't change is shared with the original.
 * Nothing else is touched: a Parameter Object has a `required` too. Extensions, whose form nobody knows, stay as they are.
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
  const members = Object.entries(node).map(([name, value]) => {
    // Only what holds something can have changed, and nothing else needs a pointer.
    const isLeaf = typeof value !== 'object' || value === null;
    return [name, isLeaf ? value : map(name, value, step(pointer, name))] as const;
  });
  return members.every(([name, value]) => value === node[name]) ? node : Object.fromEntries(members);
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
