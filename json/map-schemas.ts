import { escapeSegment, isObject, type JsonObject } from './json-pointer.ts';
import { type Reading, readingOf, schemaKeywords } from './schema-keywords.ts';

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
  return mapOutside(document, new Place(), 'keywords');

  function mapOutside(node: JsonObject, around: Place, reading: Reading): JsonObject {
    const isKeyword = reading === 'keywords';
    return mapObject(node, around, (name, value, at) => {
      if (isKeyword && name.startsWith('x-')) return value;
      if (isKeyword && name === 'schema') return mapSchema(value, at);
      if (isKeyword && name === 'schemas' && isObject(value))
        return mapObject(value, at, (_, schema, place) => mapSchema(schema, place));
      const within = readingOf(reading, name);
      if (within === 'data') return value;
      if (Array.isArray(value))
        return mapList(value, at, (item, place) => (isObject(item) ? mapOutside(item, place, 'keywords') : item));
      return isObject(value) ? mapOutside(value, at, within) : value;
    });
  }

  function mapSchema(schema: unknown, around: Place, whole?: JsonObject): unknown {
    if (!isObject(schema)) return schema;
    around.whole = whole ?? schema;
    const mapped = map(schema, around);
    return mapObject(mapped, around, (name, value, at) => {
      const keyword = schemaKeywords.get(name);
      const inner = keyword?.judges === 'value' ? (whole ?? schema) : undefined;
      if (keyword === undefined || keyword.holds === 'data') return value;
      if (keyword.holds === 'schema') return mapSchema(value, at, inner);
      if (Array.isArray(value)) return mapList(value, at, (item, place) => mapSchema(item, place, inner));
      return isObject(value) ? mapObject(value, at, (_, item, place) => mapSchema(item, place, inner)) : value;
    });
  }
}

/** Computes its pointer on demand: a document has a million places, and few are reported. */
class Place implements SchemaPlace {
  readonly #around: Place | undefined;
  readonly #name: string | number;
  whole: JsonObject = {};

  constructor(around?: Place, name: string | number = '') {
    this.#around = around;
    this.#name = name;
  }

  get pointer(): string {
    return this.#around === undefined ? '#' : `${this.#around.pointer}/${escapeSegment(String(this.#name))}`;
  }
}

function mapObject(
  node: JsonObject,
  around: Place,
  map: (name: string, value: unknown, at: Place) => unknown,
): JsonObject {
  let changed: Map<string, unknown> | undefined;
  for (const name of Object.keys(node)) {
    const value = node[name];
    // Only objects and lists can contain schemas.
    if (typeof value !== 'object' || value === null) continue;
    const mapped = map(name, value, new Place(around, name));
    if (mapped !== value) changed = (changed ?? new Map<string, unknown>()).set(name, mapped);
  }
  return changed === undefined ? node : Object.fromEntries([...Object.entries(node), ...changed]);
}

function mapList(
  items: readonly unknown[],
  around: Place,
  map: (item: unknown, at: Place) => unknown,
): readonly unknown[] {
  const mapped = items.map((item, index) => map(item, new Place(around, index)));
  return mapped.every((item, index) => item === items[index]) ? items : mapped;
}
