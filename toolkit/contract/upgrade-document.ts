import { formatPointer, isObject, type JsonObject, parsePointer, parseReference } from '@lockstep/json/json-pointer';
import { type Reading, readingOf, schemaKeywords } from '@lockstep/json/schema-keywords';
import { methods } from './openapi-document.ts';

/** A document of OpenAPI 3.0 rewritten as 3.1, with the same valid values. */
export interface Upgraded {
  /** A copy that shares the unchanged parts. */
  readonly document: unknown;
  /** Maps a pointer of the new document to the old one. A new node maps to the node around it. */
  readonly originOf: (pointer: string) => string;
}

/** The version that upgraded documents carry. */
const version = '3.1.1';

type Path = readonly (string | number)[];

/** A place that moved; all places below it moved with it. */
interface Move {
  readonly from: Path;
  readonly to: Path;
}

/** A place in both documents. It computes its paths on demand: a document has a million places, and few of them move. */
class Place implements Move {
  readonly #around: Place | undefined;
  readonly #name: string | number;
  readonly #wrap: Path;

  /** @param wrap the names around a wrapped schema, which only the new document has */
  constructor(around?: Place, name: string | number = '', wrap: Path = []) {
    this.#around = around;
    this.#name = name;
    this.#wrap = wrap;
  }

  get from(): Path {
    return this.#around === undefined ? [] : [...this.#around.from, this.#name];
  }

  get to(): Path {
    return this.#around === undefined ? [] : [...this.#around.to, this.#name, ...this.#wrap];
  }

  below(name: string | number): Place {
    return new Place(this, name);
  }

  wrapped(): Place {
    return new Place(this.#around, this.#name, ['anyOf', 0]);
  }
}

/**
 * Keywords that describe a value but do not constrain it. If a schema is wrapped, these stay outside, where tools look for them.
 * `readOnly` and `writeOnly` are of that kind (JSON Schema 2020-12 validation, 9.4).
 */
const annotations = new Set([
  'title',
  'description',
  'default',
  'example',
  'deprecated',
  'externalDocs',
  'readOnly',
  'writeOnly',
  'xml',
]);

/**
 * Rewrites OpenAPI 3.0 as 3.1. Pointers change only below a schema that may be null by composition.
 *
 * The changes, after "Upgrading from OpenAPI 3.0 to 3.1" (learn.openapis.org) and the Schema Objects of 3.0.3 and 3.1.1:
 *
 * - `nullable: true` next to a `type`: `null` joins the type, and the `enum` if it lacks null.
 * - `nullable: true` next to `allOf`, `anyOf` or `oneOf`: one more alternative, `type: null`. The text of 3.0.3 gives `nullable` no effect
 *   there, but 3.0.0 to 3.0.2 do not, and its author means it.
 * - `nullable: true` alone: removed, since a schema without a type allows null.
 * - `exclusiveMinimum: true` gets the number of `minimum`; the same for the maximum.
 * - `format: binary` and `byte` become `contentMediaType` and `contentEncoding`. The type stays, so that lengths still count characters.
 * - In 3.0, members next to a `$ref` have no effect (Reference Object): only `summary`, `description` and extensions stay.
 *
 * Examples, defaults, enums and extensions are data, and left alone.
 *
 * @param document bundled, sound by the structure of 3.0, without cycles; never changed
 */
export function upgradeDocument(document: unknown): Upgraded {
  const moves: Move[] = [];
  const upgraded = upgradeNode(document, 'keywords', new Place(), moves);
  const whole = isObject(upgraded) ? { ...upgraded, openapi: version } : upgraded;
  if (moves.length === 0) return { document: whole, originOf: (pointer) => pointer };
  const originOf = (pointer: string) => formatPointer(follow(moves, parsePointer(pointer), 'to', 'from'));
  const targetOf = (ref: string) => {
    const path = parseReference(ref);
    const moved = follow(moves, path, 'from', 'to');
    return moved === path ? ref : formatPointer(moved);
  };
  return { document: redirect(whole, 'keywords', targetOf), originOf };
}

/** Searches a part that is not a schema for schemas. */
function upgradeNode(node: unknown, reading: Reading, at: Place, moves: Move[]): unknown {
  if (Array.isArray(node)) return mapList(node, (item, index) => upgradeNode(item, 'keywords', at.below(index), moves));
  if (!isObject(node)) return node;
  // A path item may have members next to its reference.
  if (reading === 'keywords' && typeof node.$ref === 'string' && !isPathItem(at.from)) return dropSiblings(node);
  return mapMembers(node, (name, value) => {
    const within = readingIn(reading, name);
    if (within === 'data' || typeof value !== 'object' || value === null) return value;
    const place = at.below(name);
    if (reading === 'keywords' && name === 'schema') return upgradeSchema(value, place, moves);
    if (reading === 'keywords' && name === 'schemas' && isObject(value))
      return mapMembers(value, (key, schema) => upgradeSchema(schema, place.below(key), moves));
    return upgradeNode(value, within, place, moves);
  });
}

/** Below `paths`, and below a callback of an operation or component. */
function isPathItem(at: Path): boolean {
  if (at.length === 2) return at[0] === 'paths';
  const [around, group] = at.slice(-4);
  return (
    group === 'callbacks' &&
    (methods.some((method) => method === around) || (at.length === 4 && around === 'components'))
  );
}

function upgradeSchema(schema: unknown, at: Place, moves: Move[]): unknown {
  if (!isObject(schema)) return schema;
  if (typeof schema.$ref === 'string') return dropSiblings(schema);
  const wrap = wrapOf(schema);
  const inside = wrap === 'choice' ? at.wrapped() : at;
  if (inside !== at) moves.push({ from: at.from, to: inside.to }, { from: at.from, to: [...at.to, 'anyOf', 1] });
  const mapped = mapMembers(schema, (name, value) =>
    typeof value === 'object' ? upgradePart(name, value, inside.below(name), moves) : value,
  );
  const respelt = respellBounds(respellBytes(mapped));
  if (!('nullable' in respelt)) return respelt;
  const { nullable, ...rest } = respelt;
  if (nullable !== true) return rest;
  return wrap === undefined ? allowNull(rest) : wrapForNull(rest, wrap);
}

/** Like `readingOf`, but extensions are data. */
function readingIn(around: Reading, name: string): Reading | 'data' {
  return around === 'keywords' && name.startsWith('x-') ? 'data' : readingOf(around, name);
}

/** Upgrades the value of one keyword of a schema. */
function upgradePart(name: string, value: unknown, at: Place, moves: Move[]): unknown {
  const holds = schemaKeywords.get(name)?.holds;
  if (holds === 'schemas' && Array.isArray(value))
    return mapList(value, (item, index) => upgradeSchema(item, at.below(index), moves));
  if (holds === 'map' && isObject(value))
    return mapMembers(value, (key, item) => upgradeSchema(item, at.below(key), moves));
  return holds === 'schema' ? upgradeSchema(value, at, moves) : value;
}

/** How a composed schema allows null: by one more alternative, or by a choice around it. */
type Wrap = 'alternative' | 'choice';

function wrapOf(schema: JsonObject): Wrap | undefined {
  const isComposed = ['allOf', 'anyOf', 'oneOf'].some((keyword) => Array.isArray(schema[keyword]));
  if (schema.nullable !== true || !isComposed) return undefined;
  const asked = Object.keys(schema).filter((name) => name !== 'nullable' && !isAnnotation(name));
  // With one more alternative of `oneOf`, null would match two if another allows it.
  return asked.length === 1 && asked[0] === 'anyOf' ? 'alternative' : 'choice';
}

function wrapForNull(schema: JsonObject, wrap: Wrap): JsonObject {
  const none = { type: 'null' };
  if (wrap === 'alternative') return { ...schema, anyOf: [...(schema.anyOf as readonly unknown[]), none] };
  const entries = Object.entries(schema);
  const outside = entries.filter(([name]) => isAnnotation(name));
  const inside = entries.filter(([name]) => !isAnnotation(name));
  return { ...Object.fromEntries(outside), anyOf: [Object.fromEntries(inside), none] };
}

function allowNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  const types = typeof type === 'string' ? { type: [type, 'null'] } : {};
  const enumerated = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, ...types, ...enumerated };
}

function respellBounds(schema: JsonObject): JsonObject {
  let spelt = schema;
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof spelt[exclusive] !== 'boolean') continue;
    const { [exclusive]: isExclusive, ...rest } = spelt;
    spelt = rest;
    if (isExclusive !== true || typeof spelt[bound] !== 'number') continue;
    // Replaces the bound in its place, to keep the order of the source.
    spelt = Object.fromEntries(
      Object.entries(spelt).map(([name, value]) => [name === bound ? exclusive : name, value]),
    );
  }
  return spelt;
}

function respellBytes(schema: JsonObject): JsonObject {
  const { type, format } = schema;
  if (type !== undefined && type !== 'string') return schema;
  const content =
    format === 'binary'
      ? (['contentMediaType', 'application/octet-stream'] as const)
      : format === 'byte'
        ? (['contentEncoding', 'base64'] as const)
        : undefined;
  if (content === undefined) return schema;
  return Object.fromEntries(Object.entries(schema).map((entry) => (entry[0] === 'format' ? content : entry)));
}

/** Removes members next to a `$ref`: 3.0 ignores them, but readers of 3.1 would merge them with the referenced schema. */
function dropSiblings(node: JsonObject): JsonObject {
  const kept = Object.entries(node).filter(
    ([name]) => ['$ref', 'summary', 'description'].includes(name) || name.startsWith('x-'),
  );
  return kept.length === Object.keys(node).length ? node : Object.fromEntries(kept);
}

function isAnnotation(name: string): boolean {
  return annotations.has(name) || name.startsWith('x-');
}

/** Redirects references into moved places. */
function redirect(node: unknown, reading: Reading, targetOf: (ref: string) => string): unknown {
  if (Array.isArray(node)) return mapList(node, (item) => redirect(item, 'keywords', targetOf));
  if (!isObject(node)) return node;
  return mapMembers(node, (name, value) => {
    const within = readingIn(reading, name);
    if (reading === 'keywords' && name === '$ref' && typeof value === 'string')
      return isDeep(value) ? targetOf(value) : value;
    return within === 'data' ? value : redirect(value, within, targetOf);
  });
}

/** A whole component can't have moved. */
function isDeep(ref: string): boolean {
  return ref.startsWith('#/') && ref.split('/').length > 4;
}

/** Applies the move of the nearest place around it, which includes moves further out. The wrap itself is where the schema was. */
function follow(moves: readonly Move[], path: Path, side: 'from' | 'to', other: 'from' | 'to'): Path {
  let found: Move | undefined;
  for (const move of moves) {
    const isNearer = found === undefined || move[side].length > found[side].length;
    if (isNearer && isBelow(path, move[side]) && (side === 'to' || path.length > move.from.length)) found = move;
  }
  return found === undefined ? path : [...found[other], ...path.slice(found[side].length)];
}

function isBelow(path: Path, above: Path): boolean {
  return path.length >= above.length && above.every((segment, index) => String(segment) === String(path[index]));
}

/** The same list if nothing changed: the new document shares most parts with the old one. */
function mapList(list: readonly unknown[], map: (item: unknown, index: number) => unknown): readonly unknown[] {
  const mapped = list.map(map);
  return mapped.every((item, index) => item === list[index]) ? list : mapped;
}

function mapMembers(node: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  let changed: Map<string, unknown> | undefined;
  for (const name of Object.keys(node)) {
    const next = map(name, node[name]);
    if (next !== node[name]) changed = (changed ?? new Map<string, unknown>()).set(name, next);
  }
  return changed === undefined ? node : Object.fromEntries([...Object.entries(node), ...changed]);
}
