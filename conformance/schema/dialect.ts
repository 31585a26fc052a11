import {
  joinPointer,
  normalisePointer,
  type Pointer,
  placeAt,
  type ReportPart,
  splitPointer,
} from '../contract/document.ts';
import { isOpenEnum } from '../contract/extensions.ts';
import { arrayAt, isObject, type JsonObject, memberOf, objectAt, textAt } from '../contract/json.ts';
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
    // OpenAPI 3.0: beside a composition no type can take null, and whoever writes `nullable` there means it.
    const isNullable = value.nullable === true && choices.some((keyword) => Array.isArray(value[keyword]));
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
    discriminate(value, pointer, adapted, reading);
    return into;
  };

  /**
   * Where a name chooses the branch, that two of them match is no fault. A request has to name its branch, where the
   * contract lists the names; the names of schemas, which are meant otherwise, are what is built and no more.
   */
  const discriminate = (
    value: JsonObject,
    pointer: Pointer,
    adapted: Record<string, unknown>,
    reading: Reading,
  ): void => {
    const name = names.discriminatorOf(value);
    const keyword = ['oneOf', 'anyOf'].find((candidate) => Array.isArray(adapted[candidate]));
    const at = joinPointer(pointer, 'discriminator');
    const named = (property: JsonObject, required: readonly string[]): JsonObject => {
      const schema = { properties: { [name ?? '']: property }, ...(required.length === 0 ? {} : { required }) };
      pointers.set(schema, at);
      pointers.set(property, at);
      return schema;
    };
    if (name !== undefined && keyword !== undefined) {
      const branches = arrayAt(adapted, keyword);
      delete adapted[keyword];
      const choice = branches.map((branch, index) => {
        const source = memberOf(arrayAt(value, keyword)[index], '$ref');
        if (direction !== 'request' || typeof source !== 'string' || !isObject(branch)) return branch;
        const { listed, meant } = names.branch(value, name, source);
        if (meant.length === 0) return branch;
        const extra = listed ? named({ enum: meant }, [name]) : named({ 'x-preferred': meant }, []);
        const both = { allOf: [branch, extra] };
        pointers.set(both, pointer);
        return both;
      });
      adapted.anyOf = adapted.anyOf === undefined ? choice : adapted.anyOf;
      if (adapted.anyOf !== choice) adapted.allOf = [...arrayAt(adapted, 'allOf'), { anyOf: choice }];
    } else if (name !== undefined && direction === 'request') {
      const subtypes = names.subtypesOf(value, pointer).map((subtype) => {
        const holder: Record<string, unknown> = {};
        const found = target(subtype, pointer);
        if (found !== undefined) link(holder, found, { ...reading, isInPlace: false }, new Set());
        return holder;
      });
      if (subtypes.length > 0) adapted['x-subtypes'] = subtypes;
    }
    if (direction !== 'request') return;
    for (const { base, property } of names.basesOf(value)) {
      const { meant } = names.branch(base, property, pointer);
      const own = { properties: { [property]: { 'x-preferred': meant } } };
      adapted.allOf = [...arrayAt(adapted, 'allOf'), own];
    }
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
  const components = Object.entries(objectAt(objectAt(root, 'components'), 'schemas'));
  const pointerOf = (name: string): Pointer => joinPointer('#/components/schemas', name);
  const isAllOf = (schema: unknown, base: Pointer): boolean =>
    arrayAt(schema, 'allOf').some((part) => sameReference(memberOf(part, '$ref'), base));
  const discriminatorOf = (schema: JsonObject): string | undefined => textAt(schema.discriminator, 'propertyName');
  /** A mapping's value is a reference, or the name of a schema. */
  const mappingOf = (schema: JsonObject): [string, Pointer][] =>
    Object.entries(objectAt(schema.discriminator, 'mapping')).map(([name, to]) => {
      const text = String(to);
      return [name, text.includes('#') || text.includes('/') ? text : pointerOf(text)];
    });
  /** What the property itself may be, if its own schema says so. */
  const fixedNames = (source: Pointer, property: string): readonly unknown[] => {
    const seen = new Set<unknown>([placeAt(root, source).value]);
    for (const schema of seen) {
      const own = objectAt(schema, 'properties')[property];
      if (isObject(own) && ('const' in own || Array.isArray(own.enum)))
        return 'const' in own ? [own.const] : arrayAt(own, 'enum');
      const parts = [schema, ...arrayAt(schema, 'allOf')].map((part) => memberOf(part, '$ref'));
      for (const part of arrayAt(schema, 'allOf')) seen.add(part);
      for (const part of parts)
        if (typeof part === 'string' && part.startsWith('#')) seen.add(placeAt(root, part).value);
    }
    return [];
  };
  return {
    discriminatorOf,
    /** The names that choose a branch: those that the mapping lists, else the name of its schema. */
    branch: (schema: JsonObject, property: string, source: Pointer): { listed: boolean; meant: unknown[] } => {
      const mapped = mappingOf(schema).filter(([, to]) => sameReference(to, source));
      const own = mapped.length > 0 ? mapped.map(([name]) => name) : [splitPointer(source).at(-1) ?? ''];
      const fixed = fixedNames(source, property);
      const allowed = own.filter((name) => fixed.length === 0 || fixed.includes(name));
      return allowed.length > 0
        ? { listed: mapped.length > 0, meant: allowed }
        : { listed: false, meant: fixed.slice(0, 1) };
    },
    /** The schemas that extend one by `allOf`, as its discriminator knows them. */
    subtypesOf: (schema: JsonObject, pointer: Pointer): Pointer[] => {
      const mapped = mappingOf(schema).map(([, to]) => to);
      if (mapped.length > 0) return mapped.filter((to) => to.startsWith('#') && !sameReference(to, pointer));
      return components.filter(([, other]) => isAllOf(other, pointer)).map(([name]) => pointerOf(name));
    },
    /** The schemas with a discriminator that one extends by `allOf`. */
    basesOf: (schema: JsonObject): { base: JsonObject; property: string }[] =>
      arrayAt(schema, 'allOf').flatMap((part) => {
        const reference = memberOf(part, '$ref');
        const base =
          typeof reference === 'string' && reference.startsWith('#') ? placeAt(root, reference).value : undefined;
        const property = isObject(base) ? discriminatorOf(base) : undefined;
        return isObject(base) && property !== undefined ? [{ base, property }] : [];
      }),
    relaxed: gather(['allOf'], (schema) =>
      Object.entries(objectAt(schema, 'properties'))
        .filter(([, property]) => isFlagged(property))
        .map(([name]) => name),
    ),
    required: gather(choices, (schema) => arrayAt(schema, 'required').filter((name) => typeof name === 'string')),
  };
}

function sameReference(one: unknown, other: Pointer): boolean {
  return typeof one === 'string' && one.startsWith('#') && normalisePointer(one) === normalisePointer(other);
}
