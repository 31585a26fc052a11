import { joinPointer, normalisePointer, type Pointer, placeAt, type ReportPart } from '../contract/document.ts';
import { isOpenEnum } from '../contract/extensions.ts';
import { arrayAt, isObject, type JsonObject, objectAt } from '../contract/json.ts';
import { adaptKeyword, isSchemaType } from './adapt-keyword.ts';

export type Direction = 'request' | 'response';

/** A schema of the contract, or a deep part of one, as it holds in one direction. */
export interface Definition {
  /** What a `$ref` of another definition names. */
  readonly id: string;
  readonly pointer: Pointer;
  readonly schema: JsonObject;
  /** Ids of the definitions that it refers to. */
  readonly refersTo: ReadonlySet<string>;
}

/**
 * The schemas of a contract as plain JSON Schema 2020-12 in one direction: what is `readOnly` is not required of a request,
 * nor `writeOnly` of a response; an open enum is open; OpenAPI 3.0's spellings are turned into 3.1's; what no judge can read
 * is left out and told. Each is read once, when it is first needed, and refers to the others by their ids.
 */
export interface Dialect {
  readonly direction: Direction;
  readonly definitionAt: (pointer: Pointer) => Definition;
  /** What a `$ref` inside a definition leads to. */
  readonly resolve: (id: string) => Definition | undefined;
  /** All definitions that were read so far, in the order of their reading: once there, one never changes. */
  readonly definitions: readonly Definition[];
  /** Where in the contract a part of a definition stands, so that a fault can cite its sentence. */
  readonly pointerOf: (part: object) => Pointer | undefined;
}

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const choices = ['allOf', 'anyOf', 'oneOf'];
const singles = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
]);

/** What stands beneath these judges the very value that the schema around them judges. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** After so many levels a part becomes a definition of its own: no generated function nests without end. */
const mostLevels = 16;

/** A longer row of references leads in a circle. */
const mostHops = 2_000;

/** A `$ref` that judges the same value as the definition it stands in. */
interface Edge {
  readonly holder: Record<string, unknown>;
  readonly from: Definition;
  readonly to: string;
  /** Nothing but `allOf` stands around it, so that it adds nothing where it leads back. */
  readonly isConjunction: boolean;
}

interface Reading {
  readonly definition: Definition & { readonly refersTo: Set<string> };
  readonly isInPlace: boolean;
  readonly isConjunction: boolean;
  readonly relaxed: ReadonlySet<string>;
  readonly level: number;
}

export function createDialect(root: JsonObject, direction: Direction, report: ReportPart): Dialect {
  const pointers = new WeakMap<object, Pointer>();
  const byKey = new Map<string, Definition>();
  const byId = new Map<string, Definition>();
  const definitions: Definition[] = [];
  const waiting: (() => void)[] = [];
  let edges: Edge[] = [];
  const names = nameReader(root, direction);

  const refer = (pointer: Pointer, relaxed: ReadonlySet<string>): Definition => {
    const { value } = placeAt(root, pointer);
    // Only names that it requires make another reading of it.
    const free = relaxed.size === 0 ? [] : names.required(value).filter((name) => relaxed.has(name));
    const key = `${pointer} ${free.sort().join(' ')}`;
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const schema: Record<string, unknown> = { $id: `s${byKey.size}` };
    const definition = { id: `s${byKey.size}`, pointer, schema, refersTo: new Set<string>() };
    byKey.set(key, definition);
    byId.set(definition.id, definition);
    pointers.set(schema, pointer);
    waiting.push(() => {
      const from: Reading = {
        definition,
        isInPlace: true,
        isConjunction: true,
        relaxed: new Set(free),
        level: 0,
      };
      if (copy(value, pointer, from, schema) === false) schema.allOf = [false];
      definitions.push(definition);
    });
    return definition;
  };

  const target = (reference: string, pointer: Pointer, hops = 0): Pointer | undefined => {
    const drop = (says: string, cure: string): undefined => {
      report(pointer, `$ref ${reference} ${says}`, cure);
      return undefined;
    };
    if (!reference.startsWith('#')) return drop('leads to another document.', 'Bundle the contract into one file.');
    const found = placeAt(root, reference);
    if (found.value === undefined) return drop('leads nowhere.', 'Correct the reference or add what it names.');
    // A schema that says nothing of its own is passed over: a thousand of them in a row cost one.
    const next = isObject(found.value) && Object.keys(found.value).length === 1 ? found.value.$ref : undefined;
    if (typeof next !== 'string') return found.pointer;
    if (hops < mostHops) return target(next, found.pointer, hops + 1);
    return drop('leads back to itself.', 'Break the circle.');
  };

  /** Makes `holder` refer to a definition. */
  const link = (holder: Record<string, unknown>, to: Pointer, reading: Reading, relaxed: ReadonlySet<string>): void => {
    const { id } = refer(to, relaxed);
    holder.$ref = id;
    reading.definition.refersTo.add(id);
    const { definition: from, isConjunction } = reading;
    if (reading.isInPlace) edges.push({ holder, from, to: id, isConjunction });
  };

  const copy = (
    value: unknown,
    pointer: Pointer,
    reading: Reading,
    into: Record<string, unknown> = {},
  ): JsonObject | boolean => {
    if (!isObject(value)) return isSchemaType(value, pointer, report);
    pointers.set(into, pointer);
    if (reading.level >= mostLevels) {
      link(into, pointer, reading, reading.relaxed);
      return into;
    }
    const relaxed = new Set([...reading.relaxed, ...names.relaxed(value)]);
    // OpenAPI 3.0: beside a composition or a reference no type can take null, and whoever writes `nullable` there means it.
    const isElsewhere = typeof value.$ref === 'string' || choices.some((keyword) => Array.isArray(value[keyword]));
    const isNullable = value.nullable === true && isElsewhere;
    const adapted: Record<string, unknown> = isNullable ? {} : into;
    pointers.set(adapted, pointer);
    if (isNullable) into.anyOf = [adapted, { type: 'null' }];
    const child = (schema: unknown, at: Pointer, keyword: string): unknown =>
      copy(schema, at, {
        definition: reading.definition,
        isInPlace: reading.isInPlace && inPlace.has(keyword),
        isConjunction: reading.isConjunction && keyword === 'allOf',
        relaxed: keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf' ? relaxed : new Set(),
        level: reading.level + 1,
      });
    for (const [keyword, part] of Object.entries(value)) {
      const at = joinPointer(pointer, keyword);
      if (keyword === '$ref' && typeof part === 'string') {
        const found = target(part, pointer);
        if (found !== undefined) link(adapted, found, reading, relaxed);
      } else if (maps.has(keyword) && isObject(part)) {
        adapted[keyword] = Object.fromEntries(
          Object.entries(part).map(([name, schema]) => [name, child(schema, joinPointer(at, name), keyword)]),
        );
      } else if (lists.has(keyword) && Array.isArray(part)) {
        if (part.length > 0)
          adapted[keyword] = part.map((schema, index) => child(schema, joinPointer(at, index), keyword));
      } else if (singles.has(keyword)) {
        adapted[keyword] = child(part, at, keyword);
      } else if (keyword === 'required' && Array.isArray(part)) {
        adapted.required = part.filter((name) => typeof name === 'string' && !relaxed.has(name));
      } else if (!(keyword === 'enum' && direction === 'response' && isOpenEnum(value))) {
        Object.assign(adapted, adaptKeyword(value, keyword, at, report));
      }
    }
    // Where a name chooses the branch, that two of them match is no fault.
    if (Array.isArray(adapted.oneOf) && isObject(value.discriminator) && adapted.anyOf === undefined) {
      adapted.anyOf = adapted.oneOf;
      delete adapted.oneOf;
    }
    return into;
  };

  const read = (): void => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    breakCircles(edges, byId, report);
    edges = [];
  };

  return {
    direction,
    definitions,
    definitionAt: (pointer) => {
      const definition = refer(normalisePointer(pointer), new Set());
      read();
      return definition;
    },
    resolve: (id) => byId.get(id),
    pointerOf: (part) => pointers.get(part),
  };
}

/** `a: {$ref: b}, b: {$ref: a}` says nothing more of a value, but whoever follows it never comes back. */
function breakCircles(edges: readonly Edge[], byId: ReadonlyMap<string, Definition>, report: ReportPart): void {
  let left = edges;
  for (;;) {
    const sources = new Set(left.map(({ from }) => from.id));
    const next = left.filter(({ to }) => sources.has(to));
    if (next.length === left.length) break;
    left = next;
  }
  const number = ({ id }: Definition): number => Number(id.slice(1));
  const leadsTo = Map.groupBy(left, ({ from }) => from.id);
  for (const edge of left) {
    const to = byId.get(edge.to);
    // Every circle has a reference to something that was read no later than itself.
    if (to === undefined || number(to) > number(edge.from) || !reaches(leadsTo, edge.to, edge.from.id)) continue;
    if (edge.isConjunction) delete edge.holder.$ref;
    else
      for (const keyword of Object.keys(edge.from.schema))
        if (keyword !== '$id') delete (edge.from.schema as Record<string, unknown>)[keyword];
    report(edge.from.pointer, 'The schema leads back to itself for the same value.', 'Break the circle.');
  }
}

function reaches(leadsTo: ReadonlyMap<string, readonly Edge[]>, start: string, end: string): boolean {
  const seen = new Set([start]);
  for (const id of seen) {
    if (id === end) return true;
    for (const { to } of leadsTo.get(id) ?? []) seen.add(to);
  }
  return false;
}

/** Names that a schema requires, and those that this direction does not, in itself and in what it is composed of. */
function nameReader(root: JsonObject, direction: Direction) {
  const flag = direction === 'request' ? 'readOnly' : 'writeOnly';
  const gather = (
    compositions: readonly string[],
    own: (schema: JsonObject) => readonly string[],
  ): ((value: unknown) => readonly string[]) => {
    const known = new WeakMap<object, readonly string[]>();
    return (value) => {
      if (!isObject(value)) return [];
      const found = known.get(value);
      if (found !== undefined) return found;
      const seen = new Set<JsonObject>([value]);
      const result = new Set<string>();
      for (const schema of seen) {
        for (const name of own(schema)) result.add(name);
        const parts = [
          ...compositions.flatMap((keyword) => schema[keyword] ?? []),
          ...(typeof schema.$ref === 'string' && schema.$ref.startsWith('#') ? [placeAt(root, schema.$ref).value] : []),
        ];
        for (const part of parts) if (isObject(part)) seen.add(part);
      }
      const names = [...result];
      known.set(value, names);
      return names;
    };
  };
  const isFlagged = (start: unknown): boolean => {
    const seen = new Set<unknown>();
    for (let part = start; isObject(part) && !seen.has(part); ) {
      if (part[flag] === true) return true;
      seen.add(part);
      part = typeof part.$ref === 'string' && part.$ref.startsWith('#') ? placeAt(root, part.$ref).value : undefined;
    }
    return false;
  };
  return {
    relaxed: gather(['allOf'], (schema) =>
      Object.entries(objectAt(schema, 'properties'))
        .filter(([, property]) => isFlagged(property))
        .map(([name]) => name),
    ),
    required: gather(choices, (schema) => arrayAt(schema, 'required').filter((name) => typeof name === 'string')),
  };
}
