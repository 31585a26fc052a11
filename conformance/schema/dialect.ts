import {
  arrayAt,
  dangling,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  normalisePointer,
  type Pointer,
  placeAt,
  type ReportPart,
} from '../contract/document.ts';
import { isOpenEnum } from '../contract/extensions.ts';
import { is30 } from './clauses.ts';
import {
  adaptKeyword,
  addsNull,
  breakCycles,
  type Definition,
  type Edge,
  lenientNull,
  spareNulls,
  weaken,
} from './definition.ts';
import { compositions, createDiscriminators, createNameReader, createResolve, isDynamic } from './references.ts';

export type Direction = 'request' | 'response';

/**
 * The schemas of a contract as plain JSON Schema 2020-12 in one direction. A request may omit `readOnly` properties, a response
 * `writeOnly` ones. An open enum allows any value. OpenAPI 3.0's spellings become those of 3.1. Unreadable parts are omitted and
 * reported. Each schema is read once, on first use, and refers to others by their ids.
 */
export interface Dialect {
  readonly direction: Direction;
  readonly definitionAt: (pointer: Pointer) => Definition;
  /** The target of a `$ref` inside a definition. */
  readonly resolve: (id: string) => Definition | undefined;
  /** All definitions read so far, in the order of reading. They never change afterwards. */
  readonly definitions: readonly Definition[];
  /** Whether no part was omitted from the definition and from all definitions that it refers to. */
  readonly isWhole: (definition: Definition) => boolean;
  /** Whether a schema read so far allows a null only because readers are lenient. */
  readonly hasLenientNulls: () => boolean;
  /** Records that a definition could not be compiled. */
  readonly lose: (id: string) => void;
  /** Location in the contract of a part of a definition, so that a fault can cite it. */
  readonly pointerOf: (part: object) => Pointer | undefined;
}

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
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

/** Keywords whose subschemas apply to the same value as the enclosing schema. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** A part at this depth becomes a definition of its own, which bounds the nesting of generated functions. */
const mostLevels = 16;

/** A longer chain of references counts as a cycle. */
const mostHops = 2_000;

const none: ReadonlySet<string> = new Set();

interface Reading {
  readonly definition: Definition & { readonly refersTo: Set<string> };
  readonly isInPlace: boolean;
  readonly isConjunction: boolean;
  readonly relaxed: ReadonlySet<string>;
  readonly level: number;
}

/**
 * @param isLenient the schemas accept all that some reader of the contract accepts. For requests: any value of a `readOnly` property, which
 *   a server may ignore
 */
export function createDialect(
  root: JsonObject,
  direction: Direction,
  report: ReportPart,
  isLenient = direction === 'response',
): Dialect {
  const pointers = new WeakMap<object, Pointer>();
  const byPointer = new Map<Pointer, Definition>();
  const byKey = new Map<string, Definition>();
  const byId = new Map<string, Definition>();
  const definitions: Definition[] = [];
  const waiting: (() => void)[] = [];
  let edges: Edge[] = [];
  let before = 0;
  const names = createNameReader(root, direction === 'request' ? 'readOnly' : 'writeOnly');
  const discriminators = createDiscriminators(root);
  const resolveReference = createResolve(root);
  const unsure = new Set<object>();
  const whole = new Map<string, boolean>();
  const choices: Record<string, unknown>[] = [];
  let hasLenientNulls = false;
  const isOfServer = isLenient && direction === 'request';
  /** Reports an omitted part, and marks its schema as unsure: the contract may reject a value that it accepts. */
  const omitFrom =
    (schema: object): ReportPart =>
    (pointer, message, fix, breaks) => {
      unsure.add(schema);
      report(pointer, message, fix, breaks);
    };

  const refer = (pointer: Pointer, relaxed: ReadonlySet<string>): Definition => {
    const { value } = placeAt(root, pointer);
    // A relaxed name matters only if the schema requires it.
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

  const target = (reference: string, pointer: Pointer, omit: ReportPart, hops = 0): Pointer | undefined => {
    const found = resolveReference(reference, pointer);
    if (found === undefined) {
      if (reference.startsWith('#'))
        omit(pointer, `$ref ${reference} has no target.`, 'Correct the reference, or add its target.', dangling);
      else
        omit(
          pointer,
          `$ref ${reference} leads to another document, which does not exist or may not be read.`,
          'Name a file below the folder of the contract, or bundle both documents into one.',
        );
      return undefined;
    }
    // A schema that is only a reference is skipped: a chain of a thousand references costs one definition.
    const next = bareReference(placeAt(root, found).value);
    if (next === undefined) return found;
    if (hops < mostHops) return target(next, found, omit, hops + 1);
    omit(pointer, `$ref ${reference} leads back to itself.`, 'Remove the cycle.');
    return undefined;
  };

  /** Makes `holder` refer to a definition. */
  const link = (holder: Record<string, unknown>, to: Pointer, reading: Reading, relaxed: ReadonlySet<string>): void => {
    const { id } = refer(to, relaxed);
    holder.$ref = id;
    reading.definition.refersTo.add(id);
    const { definition: from, isConjunction } = reading;
    if (reading.isInPlace) edges.push({ holder, from, to: id, isConjunction });
  };

  /** Marks a null that only leniency accepts: in a lenient dialect, two branches of a `oneOf` may accept it. */
  const markLenient = (): JsonObject => {
    hasLenientNulls = true;
    return isLenient ? { [lenientNull]: true } : {};
  };

  const copy = (
    value: unknown,
    pointer: Pointer,
    reading: Reading,
    into: Record<string, unknown> = {},
  ): JsonObject | boolean => {
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) {
      const message = `A schema is an object or a boolean, not ${JSON.stringify(value)}.`;
      omitFrom(into)(pointer, message, 'Write a schema.', 'JSON Schema 2020-12, core, 4.3: it MUST be one of the two');
      return into;
    }
    pointers.set(into, pointer);
    if (reading.level >= mostLevels) {
      link(into, pointer, reading, reading.relaxed);
      return into;
    }
    const own = names.relaxed(value);
    const relaxed = own.length === 0 ? reading.relaxed : new Set([...reading.relaxed, ...own]);
    // OpenAPI 3.0: `nullable` has no effect next to a composition or a reference, but its author means it.
    const isElsewhere = typeof value.$ref === 'string' || compositions.some((keyword) => Array.isArray(value[keyword]));
    const isNullable = value.nullable === true && isElsewhere;
    const adapted: Record<string, unknown> = isNullable ? {} : into;
    pointers.set(adapted, pointer);
    if (isNullable) into.anyOf = [adapted, { type: 'null', ...markLenient() }];
    if (addsNull(root.openapi, value)) Object.assign(adapted, markLenient());
    const child = (schema: unknown, keyword: string, ...tokens: readonly (string | number)[]): unknown =>
      copy(schema, joinPointer(pointer, keyword, ...tokens), {
        definition: reading.definition,
        isInPlace: reading.isInPlace && inPlace.has(keyword),
        isConjunction: reading.isConjunction && keyword === 'allOf',
        relaxed: compositions.includes(keyword) ? relaxed : none,
        level: reading.level + 1,
      });
    const omit = omitFrom(adapted);
    // OpenAPI 3.0 ignores siblings of a reference, but many tools do not: the lenient reading does.
    const isReference = is30(root.openapi) && isLenient && typeof value.$ref === 'string';
    for (const [keyword, part] of Object.entries(isReference ? { $ref: value.$ref } : value)) {
      if (keyword === '$dynamicRef' && typeof part === 'string') {
        const found = target(part, pointer, omit);
        if (found !== undefined && !isDynamic(root, part, found)) link(adapted, found, reading, relaxed);
        else if (found !== undefined)
          omit(
            joinPointer(pointer, keyword),
            `${keyword} is not supported.`,
            'Use $ref. The runner does not check the parts that this reference describes.',
          );
      } else if (keyword === '$ref' && typeof part === 'string') {
        const found = target(part, pointer, omit);
        if (found !== undefined) link(adapted, found, reading, relaxed);
      } else if (maps.has(keyword) && isObject(part)) {
        const isIgnored = (name: string) => isOfServer && keyword === 'properties' && relaxed.has(name);
        adapted[keyword] = Object.fromEntries(
          Object.entries(part).map(([name, schema]) => [name, isIgnored(name) || child(schema, keyword, name)]),
        );
      } else if (lists.has(keyword) && Array.isArray(part)) {
        if (part.length > 0) adapted[keyword] = part.map((schema, index) => child(schema, keyword, index));
      } else if (singles.has(keyword)) {
        adapted[keyword] = child(part, keyword);
      } else if (keyword === 'required' && Array.isArray(part)) {
        adapted.required = part.filter((name) => typeof name === 'string' && !relaxed.has(name));
      } else if (!(keyword === 'enum' && direction === 'response' && isOpenEnum(value))) {
        Object.assign(adapted, adaptKeyword(root.openapi, value, keyword, pointer, omit));
      }
    }
    discriminate(value, pointer, adapted, reading);
    if (isLenient && Array.isArray(adapted.oneOf)) choices.push(adapted);
    return into;
  };

  /**
   * Applies a discriminator: if a name selects the branch, two matching branches are no violation. A request must name its branch if the
   * mapping lists the names. Without a mapping, the names of the schemas are preferred when a value is built, but not required.
   */
  const discriminate = (
    value: JsonObject,
    pointer: Pointer,
    adapted: Record<string, unknown>,
    reading: Reading,
  ): void => {
    const name = discriminators.discriminatorOf(value);
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
        if (isLenient || typeof source !== 'string' || !isObject(branch)) return branch;
        const { listed, meant } = discriminators.branch(value, name, source);
        if (meant.length === 0) return branch;
        const extra = listed ? named({ enum: meant }, [name]) : named({ 'x-preferred': meant }, []);
        const both = { allOf: [branch, extra] };
        pointers.set(both, pointer);
        return both;
      });
      adapted.anyOf = adapted.anyOf === undefined ? choice : adapted.anyOf;
      if (adapted.anyOf !== choice) adapted.allOf = [...arrayAt(adapted, 'allOf'), { anyOf: choice }];
    } else if (name !== undefined && !isLenient) {
      const subtypes = discriminators.subtypesOf(value, pointer).map((subtype) => {
        const holder: Record<string, unknown> = {};
        const found = target(subtype, pointer, report);
        if (found !== undefined) link(holder, found, { ...reading, isInPlace: false }, new Set());
        return holder;
      });
      if (subtypes.length > 0) adapted['x-subtypes'] = subtypes;
    }
    if (isLenient) return;
    for (const { base, property } of discriminators.basesOf(value)) {
      const { meant } = discriminators.branch(base, property, pointer);
      const own = { properties: { [property]: { 'x-preferred': meant } } };
      adapted.allOf = [...arrayAt(adapted, 'allOf'), own];
    }
  };

  const read = (): void => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    const read = definitions.slice(before);
    before = definitions.length;
    breakCycles(edges, byId, omitFrom);
    edges = [];
    weaken(read, unsure, byId);
    const met = choices.splice(0);
    // The targets of a choice were read before it or with it.
    if (isLenient && hasLenientNulls) for (const schema of met) spareNulls(schema, pointers);
  };

  return {
    direction,
    definitions,
    definitionAt: (pointer) => {
      const known = byPointer.get(pointer);
      if (known !== undefined) return known;
      const at = normalisePointer(pointer);
      const reference = bareReference(placeAt(root, at).value);
      const found = reference === undefined ? undefined : target(reference, at, report);
      const definition = refer(found ?? at, none);
      byPointer.set(pointer, definition);
      read();
      return definition;
    },
    resolve: (id) => byId.get(id),
    isWhole: (definition) => {
      if (unsure.size === 0) return true;
      const known = whole.get(definition.id);
      if (known !== undefined) return known;
      const ids = new Set([definition.id]);
      for (const id of ids) for (const next of byId.get(id)?.refersTo ?? []) ids.add(next);
      const isWhole = [...ids].every((id) => !unsure.has(byId.get(id)?.schema ?? {}));
      whole.set(definition.id, isWhole);
      return isWhole;
    },
    hasLenientNulls: () => hasLenientNulls,
    lose: (id) => {
      unsure.add(byId.get(id)?.schema ?? {});
      whole.clear();
    },
    pointerOf: (part) => pointers.get(part),
  };
}

/** The `$ref` of a schema without other keywords. */
function bareReference(schema: unknown): string | undefined {
  const reference = isObject(schema) && Object.keys(schema).length === 1 ? schema.$ref : undefined;
  return typeof reference === 'string' ? reference : undefined;
}
