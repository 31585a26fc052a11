import {
  childOf,
  isObject,
  type JsonObject,
  joinPointer,
  objectAt,
  type Place,
  type Pointer,
  placeAt,
} from '../contract/document.ts';
import { isSensitive, ruleOf } from '../contract/extensions.ts';
import { readPattern } from './pattern.ts';

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
export function annotatedValues(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return walkMarked(root, schema, value, isAny);
}

/** Parts that must appear in no output, whether or not something else in the value is. Costs nothing where the schema has none. */
export function secretsIn(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return walkMarked(root, schema, value, isSecretSchema);
}

/** Whether a value of this schema can hold a secret. */
export function holdsSecrets(root: JsonObject, schema: Pointer): boolean {
  return marksFor(root, isSecretSchema).at(placeAt(root, schema)) !== undefined;
}

/** Parts under `x-rule`. */
export function ruledValues(root: JsonObject, schema: Pointer, value: unknown): Generator<AnnotatedValue> {
  return walkMarked(root, schema, value, hasRule);
}

/** Values that must appear in no output: declared sensitive, written only, or passwords. */
export function isSecretSchema(schema: JsonObject): boolean {
  return isSensitive(schema) || schema.writeOnly === true || schema.format === 'password';
}

type Mark = (schema: JsonObject) => boolean;

const isAny: Mark = () => true;
const hasRule: Mark = (schema) => ruleOf(schema) !== undefined;

/** A schema that is marked or has something marked beneath, with those of its parts alone that are so too. */
interface Marked {
  readonly schema: JsonObject;
  readonly pointer: Pointer;
  readonly isMarked: boolean;
  /** About the same value. */
  readonly same: { readonly part: Marked; readonly isSure: boolean }[];
  readonly properties: Map<string, Marked>;
  readonly patterns: { readonly pattern: ReturnType<typeof readPattern>; readonly part: Marked }[];
  readonly prefix: Map<number, Marked>;
  /** Names that are described one by one: the rest is `others`. */
  readonly named: ReadonlySet<string>;
  readonly fixed: number;
  others?: Marked;
  items?: Marked;
  content?: Marked;
}

const known = new WeakMap<JsonObject, Map<Mark, Marks>>();

function marksFor(root: JsonObject, mark: Mark): Marks {
  const byMark = known.get(root) ?? new Map<Mark, Marks>();
  known.set(root, byMark);
  const marks = byMark.get(mark) ?? createMarks(root, mark);
  byMark.set(mark, marks);
  return marks;
}

interface Marks {
  /** Undefined for a schema without anything marked in it. */
  readonly at: (place: Place) => Marked | undefined;
}

/** Finds what is marked once for each schema, and what leads there; the rest is never walked. */
function createMarks(root: JsonObject, mark: Mark): Marks {
  const all = new Map<Pointer, Marked | undefined>();
  let mayHave: boolean | undefined;
  return {
    at: (place) => {
      mayHave ??= isMarkedAnywhere(root, mark);
      if (!mayHave) return undefined;
      if (all.has(place.pointer)) return all.get(place.pointer);
      const found = new Map<Pointer, { readonly place: Place; readonly children: Child[] }>();
      const waiting = [place];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (found.has(next.pointer) || all.has(next.pointer)) continue;
        const children = isObject(next.value) ? [...childrenOf(root, next, next.value)] : [];
        found.set(next.pointer, { place: next, children });
        waiting.push(...children.map((child) => child.place));
      }
      const parents = Map.groupBy(
        [...found.values()].flatMap((parent) => parent.children.map((child) => ({ parent, child }))),
        ({ child }) => child.place.pointer,
      );
      const holders = new Set<Pointer>();
      for (const [pointer, { place: at, children }] of found) {
        if (!isObject(at.value)) continue;
        if (mark(at.value) || children.some((child) => all.get(child.place.pointer) !== undefined))
          holders.add(pointer);
      }
      for (const pointer of holders)
        for (const { parent } of parents.get(pointer) ?? []) holders.add(parent.place.pointer);
      for (const [pointer, { place: at }] of found) {
        const schema = at.value;
        all.set(pointer, isObject(schema) && holders.has(pointer) ? createMarked(schema, pointer, mark) : undefined);
      }
      for (const [pointer, { children }] of found) {
        const marked = all.get(pointer);
        for (const child of marked === undefined ? [] : children) {
          const part = all.get(child.place.pointer);
          if (marked !== undefined && part !== undefined) child.put(marked, part);
        }
      }
      return all.get(place.pointer);
    },
  };
}

/** Most documents mark nothing in one way or another: then no schema need be followed to find that out. */
function isMarkedAnywhere(root: JsonObject, mark: Mark): boolean {
  const waiting: unknown[] = [root];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (isObject(part) && mark(part)) return true;
    for (const inner of Object.values(part as object))
      if (typeof inner === 'object' && inner !== null) waiting.push(inner);
  }
  return false;
}

function createMarked(schema: JsonObject, pointer: Pointer, mark: Mark): Marked {
  return {
    schema,
    pointer,
    isMarked: mark(schema),
    same: [],
    properties: new Map(),
    patterns: [],
    prefix: new Map(),
    named: new Set(Object.keys(objectAt(schema, 'properties'))),
    fixed: Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0,
  };
}

interface Child {
  readonly place: Place;
  readonly put: (parent: Marked, part: Marked) => void;
}

function* childrenOf(root: JsonObject, place: Place, schema: JsonObject): Generator<Child> {
  const inPlace = (part: Place, isSure: boolean): Child => ({
    place: part,
    put: (parent, marked) => parent.same.push({ part: marked, isSure }),
  });
  if (typeof schema.$ref === 'string' && schema.$ref.startsWith('#')) yield inPlace(placeAt(root, schema.$ref), true);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[keyword];
    for (const index of Array.isArray(parts) ? parts.keys() : [])
      yield inPlace(childOf(place, keyword, index), keyword === 'allOf');
  }
  for (const keyword of ['then', 'else']) if (isObject(schema[keyword])) yield inPlace(childOf(place, keyword), false);
  for (const name of Object.keys(objectAt(schema, 'dependentSchemas')))
    yield inPlace(childOf(place, 'dependentSchemas', name), false);
  for (const name of Object.keys(objectAt(schema, 'properties'))) {
    yield {
      place: childOf(place, 'properties', name),
      put: (parent, marked) => parent.properties.set(name, marked),
    };
  }
  for (const source of Object.keys(objectAt(schema, 'patternProperties'))) {
    const pattern = readPattern(source);
    yield {
      place: childOf(place, 'patternProperties', source),
      put: (parent, part) => parent.patterns.push({ pattern, part }),
    };
  }
  for (const index of Array.isArray(schema.prefixItems) ? schema.prefixItems.keys() : []) {
    yield {
      place: childOf(place, 'prefixItems', index),
      put: (parent, marked) => parent.prefix.set(index, marked),
    };
  }
  for (const [keyword, member] of [
    ['additionalProperties', 'others'],
    ['items', 'items'],
    ['contentSchema', 'content'],
  ] as const) {
    if (!isObject(schema[keyword])) continue;
    yield {
      place: childOf(place, keyword),
      put: (parent, marked) => {
        parent[member] = marked;
      },
    };
  }
}

function* walkMarked(root: JsonObject, schema: Pointer, value: unknown, mark: Mark): Generator<AnnotatedValue> {
  const marked = marksFor(root, mark).at(placeAt(root, schema));
  if (marked !== undefined) yield* walk(marked, value, '', true, { levels: 0, hops: 0 }, new Map());
}

/** Where branches lead back to what holds them, each pair of schema and place is met once. */
type Met = Map<Marked, Set<string>>;

/** Levels into the value, and steps from schema to schema at one place of it. */
interface Depth {
  readonly levels: number;
  readonly hops: number;
}

const most: Depth = { levels: 64, hops: 1_200 };

function* walk(
  marked: Marked,
  value: unknown,
  at: string,
  sure: boolean,
  depth: Depth,
  met: Met,
): Generator<AnnotatedValue> {
  if (value === undefined || depth.levels > most.levels || depth.hops > most.hops) return;
  const here = { ...depth, hops: depth.hops + 1 };
  const below = { levels: depth.levels + 1, hops: 0 };
  const places = met.get(marked) ?? new Set();
  met.set(marked, places);
  if (places.has(at)) return;
  places.add(at);
  if (marked.isMarked) yield { at, value, schema: marked.schema, pointer: marked.pointer, sure };
  // What is sure to hold comes first: it is met once.
  for (const { part, isSure } of marked.same) if (isSure) yield* walk(part, value, at, sure, here, met);
  for (const { part, isSure } of marked.same) if (!isSure) yield* walk(part, value, at, false, here, met);
  if (marked.content !== undefined && typeof value === 'string')
    yield* walk(marked.content, parse(value), at, false, below, met);
  if (Array.isArray(value)) {
    if (marked.items === undefined && marked.prefix.size === 0) return;
    for (const [index, item] of value.entries()) {
      const part = index < marked.fixed ? marked.prefix.get(index) : marked.items;
      if (part !== undefined) yield* walk(part, item, joinPointer(at, index), sure, below, met);
    }
  } else if (isObject(value)) {
    if (marked.properties.size === 0 && marked.patterns.length === 0 && marked.others === undefined) return;
    for (const [name, item] of Object.entries(value)) {
      const matching = marked.patterns.filter(({ pattern }) => pattern?.test(name));
      const own = marked.properties.get(name) ?? (marked.named.has(name) ? undefined : marked.others);
      for (const part of [own, ...matching.map((entry) => entry.part)])
        if (part !== undefined) yield* walk(part, item, joinPointer(at, name), sure, below, met);
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
