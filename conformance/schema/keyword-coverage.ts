// Records which keywords of the contract's schemas were tested: values are walked along their schemas as the contract spells them.
import { type Pattern, readPattern } from '@lockstep/values/pattern';
import type { Contract } from '../contract/contract.ts';
import {
  arrayAt,
  isObject,
  type JsonObject,
  joinPointer,
  objectAt,
  type Pointer,
  placeAt,
} from '../contract/document.ts';
import { isOpenEnum } from '../contract/extensions.ts';
import { is30 } from './clauses.ts';
import type { Judge } from './create-judge.ts';
import type { Direction } from './dialect.ts';
import { formats } from './formats.ts';
import { createNameReader, createResolve } from './references.ts';

/** A keyword that constrains values, at one place of the contract. A component counts once, wherever it is used. */
export interface KeywordState {
  /** Location of the keyword itself, `#/components/parameters/limit/schema/maximum`. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** Whether a valid value that the keyword applies to was walked. */
  readonly isMet: boolean;
  /** Whether a value that breaks the keyword was sent. */
  readonly isBroken: boolean;
}

/** A parameter, request body or header: it may be required, and its value may have a schema. */
export interface Holder {
  readonly pointer: Pointer;
  readonly required: boolean;
  readonly schema?: Pointer | undefined;
}

export type KeywordCoverage = ReturnType<typeof createKeywordCoverage>;

type AppliesTo = (value: unknown) => boolean;

/** Parts of one value that are walked, the outer ones first: a walk takes 0.1 ms at most. */
const mostParts = 400;

/** Items of one list that are walked, spread from its first to its last. */
const mostItems = 8;

/** Values that may fail to match a branch of `anyOf` or `oneOf` before it is no longer tried. */
const mostMisses = 1_000;

/** A schema of the contract, whose keywords and subschemas are read on first use. */
interface Node {
  readonly pointer: Pointer;
  readonly schema: JsonObject;
  content: Content | undefined;
  /** Number of the last step that reached this node: a node is reached once for each part of a value. */
  step: number;
  /** An open keyword at or below this node; while it is open, there is no need to search for another. */
  open: Counter | undefined;
  /** Whether no keyword at or below this node is open. */
  isCovered: boolean;
}

interface Content {
  readonly counters: readonly Counter[];
  /** Nodes for the same value. */
  readonly links: readonly Link[];
  readonly properties: ReadonlyMap<string, Node>;
  readonly patterns: readonly { readonly pattern: Pattern; readonly node: Node }[];
  /** For properties without a node of their own. */
  readonly others: Node | undefined;
  readonly names: Node | undefined;
  readonly firstItems: readonly Node[];
  /** For items without a node of their own. */
  readonly items: Node | undefined;
}

interface Counter {
  readonly keyword: string;
  readonly appliesTo: AppliesTo;
  isMet: boolean;
  isBroken: boolean;
}

interface Link {
  readonly node: Node;
  readonly appliesTo: AppliesTo;
}

const nothing: Content = {
  ...{ counters: [], links: [], patterns: [], firstItems: [] },
  ...{ properties: new Map(), others: undefined, names: undefined, items: undefined },
};

/** Keywords that constrain values by themselves, with the values that they apply to, and the operands that have an effect. */
interface Row {
  readonly names: readonly string[];
  readonly appliesTo: AppliesTo;
  readonly constrains: (operand: unknown, schema: JsonObject) => boolean;
}

const always: AppliesTo = () => true;
const isPresent: AppliesTo = (value) => value !== undefined;
const isNumber: AppliesTo = (value) => typeof value === 'number';
const isText: AppliesTo = (value) => typeof value === 'string';
const isList: AppliesTo = (value) => Array.isArray(value);
const isFilled = (operand: unknown): boolean => Array.isArray(operand) && operand.length > 0;
const isPositive = (operand: unknown): boolean => Number(operand) > 0;
const isFalse = (operand: unknown): boolean => operand === false;
/** OpenAPI 3.0: `minimum: 5, exclusiveMinimum: true` is one bound, the exclusive one. */
const isExclusive = (bound: string) => (operand: unknown, schema: JsonObject) =>
  isNumber(operand) || (operand === true && isNumber(schema[bound]));
const isInclusive = (exclusive: string) => (operand: unknown, schema: JsonObject) =>
  isNumber(operand) && schema[exclusive] !== true;

const rows: readonly Row[] = [
  { names: ['type'], appliesTo: isPresent, constrains: (types) => isText(types) || isFilled(types) },
  { names: ['enum', 'anyOf', 'oneOf'], appliesTo: isPresent, constrains: isFilled },
  { names: ['const', 'not'], appliesTo: isPresent, constrains: always },
  { names: ['multipleOf'], appliesTo: isNumber, constrains: isNumber },
  { names: ['minimum'], appliesTo: isNumber, constrains: isInclusive('exclusiveMinimum') },
  { names: ['maximum'], appliesTo: isNumber, constrains: isInclusive('exclusiveMaximum') },
  { names: ['exclusiveMinimum'], appliesTo: isNumber, constrains: isExclusive('minimum') },
  { names: ['exclusiveMaximum'], appliesTo: isNumber, constrains: isExclusive('maximum') },
  { names: ['minLength'], appliesTo: isText, constrains: isPositive },
  { names: ['maxLength'], appliesTo: isText, constrains: isNumber },
  { names: ['pattern'], appliesTo: isText, constrains: isText },
  { names: ['format'], appliesTo: isText, constrains: (name) => Object.hasOwn(formats, String(name)) },
  { names: ['minItems'], appliesTo: isList, constrains: isPositive },
  { names: ['maxItems', 'maxContains'], appliesTo: isList, constrains: isNumber },
  { names: ['uniqueItems'], appliesTo: isList, constrains: (isAsked) => isAsked === true },
  { names: ['contains'], appliesTo: isList, constrains: (part) => part !== true },
  { names: ['items', 'unevaluatedItems'], appliesTo: isList, constrains: isFalse },
  { names: ['minProperties'], appliesTo: isObject, constrains: isPositive },
  { names: ['maxProperties'], appliesTo: isObject, constrains: isNumber },
  { names: ['required'], appliesTo: isObject, constrains: isFilled },
  { names: ['dependentRequired'], appliesTo: isObject, constrains: isObject },
  { names: ['additionalProperties', 'unevaluatedProperties'], appliesTo: isObject, constrains: isFalse },
];

/** A Map, since a contract may have a keyword called `constructor`. */
const constraints = new Map(rows.flatMap((row) => row.names.map((name) => [name, row])));

function createNode(pointer: Pointer, schema: JsonObject, content?: Content): Node {
  return { pointer, schema, content, step: 0, open: undefined, isCovered: false };
}

/** Keywords that lead to other nodes. */
const applicators = new Set([
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'prefixItems', 'items'],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames'],
]);

/** The nodes at or below this one, by one step. */
function* nextOf({ links, properties, patterns, others, names, firstItems, items }: Content): Generator<Node> {
  for (const { node } of links) yield node;
  yield* properties.values();
  for (const { node } of patterns) yield node;
  yield* firstItems;
  for (const node of [others, names, items]) if (node !== undefined) yield node;
}

/** The nodes for a property (JSON Schema 2020-12, core, 10.3.2). */
function nodesOf({ properties, patterns, others }: Content, name: string): readonly Node[] {
  const own = properties.get(name);
  const matching = patterns.filter(({ pattern }) => pattern.test(name)).map(({ node }) => node);
  if (own !== undefined) return [own, ...matching];
  return matching.length > 0 || others === undefined ? matching : [others];
}

/** Indexes of a list, at most `mostItems`. */
function sampled(length: number): readonly number[] {
  const count = Math.min(length, mostItems);
  return Array.from({ length: count }, (_, index) => Math.floor((index * (length - 1)) / Math.max(1, count - 1)));
}

/**
 * Creates the record of one direction. A request leaves out `readOnly` properties, an answer `writeOnly` ones. Not followed are
 * `$dynamicRef`, `contains`, `not`, and the schemas of `unevaluatedItems` and `unevaluatedProperties`.
 *
 * @param holders all parts of this direction that are no schemas
 */
export function createKeywordCoverage(
  { root }: Pick<Contract, 'root'>,
  { accepts }: Pick<Judge, 'accepts'>,
  direction: Direction,
  holders: readonly Holder[],
) {
  // By the object: an alias of YAML is one schema at two places.
  const nodes = new Map<JsonObject, Node>();
  const byHolder = new Map<Pointer, Node>();
  const resolve = createResolve(root);
  const leftOut = createNameReader(root, direction === 'request' ? 'readOnly' : 'writeOnly').relaxed;
  let steps = 0;
  let count = 0;

  const nodeOf = (schema: JsonObject, pointer: Pointer): Node => {
    const known = nodes.get(schema);
    if (known !== undefined) return known;
    const node = createNode(pointer, schema);
    nodes.set(schema, node);
    return node;
  };
  const nodeAt = (pointer: Pointer): Node => {
    const { value } = placeAt(root, pointer);
    return byHolder.get(pointer) ?? nodeOf(isObject(value) ? value : {}, pointer);
  };
  const contentOf = (node: Node): Content => {
    node.content ??= readSchema(node.schema, node.pointer);
    return node.content;
  };
  for (const { pointer, required, schema } of holders) {
    const counters = required ? [{ keyword: 'required', appliesTo: always, isMet: false, isBroken: false }] : [];
    const links = schema === undefined ? [] : [{ node: nodeAt(schema), appliesTo: always }];
    byHolder.set(pointer, createNode(pointer, {}, { ...nothing, counters, links }));
  }

  const readSchema = (written: JsonObject, pointer: Pointer): Content => {
    const target = typeof written.$ref === 'string' ? resolve(written.$ref, pointer) : undefined;
    // OpenAPI 3.0 ignores siblings of a reference, and many tools do not: they prove nothing.
    const schema = is30(root.openapi) && typeof written.$ref === 'string' ? {} : written;
    const counters = Object.keys(schema).flatMap((keyword): Counter[] => {
      const row = constraints.get(keyword);
      if (row === undefined || !row.constrains(schema[keyword], schema)) return [];
      if (keyword === 'enum' && direction === 'response' && isOpenEnum(schema)) return [];
      return [{ keyword, appliesTo: row.appliesTo, isMet: false, isBroken: false }];
    });
    // Most schemas are plain, and a contract may have a hundred thousand of them.
    if (!Object.keys(written).some((keyword) => applicators.has(keyword))) return { ...nothing, counters };
    const below = (value: unknown, ...tokens: readonly (string | number)[]): Node | undefined =>
      isObject(value) ? nodeOf(value, joinPointer(pointer, ...tokens)) : undefined;
    const listed = (keyword: string): Node[] =>
      arrayAt(schema, keyword).flatMap((part, index) => below(part, keyword, index) ?? []);
    const single = (keyword: string): Node | undefined => below(schema[keyword], keyword);
    const mapped = (keyword: string, omitted: readonly string[] = []): [string, Node][] =>
      Object.entries(objectAt(schema, keyword)).flatMap(([name, part]): [string, Node][] => {
        const node = omitted.includes(name) ? undefined : below(part, keyword, name);
        return node === undefined ? [] : [[name, node]];
      });

    const all = listed('allOf');
    if (target !== undefined) all.push(nodeAt(target));
    const branches = ['anyOf', 'oneOf'].flatMap(listed).map((node): Link => {
      let misses = 0;
      return {
        node,
        // Judging costs more than all else: it stops when nothing is open, or when no value can be expected to match.
        appliesTo: (value) => {
          if (misses >= mostMisses || isCovered(node)) return false;
          const isMatch = accepts(node.pointer, direction, value);
          if (!isMatch) misses += 1;
          return isMatch;
        },
      };
    });
    const isIf = (value: unknown): boolean => accepts(joinPointer(pointer, 'if'), direction, value);
    const conditional = (keyword: 'then' | 'else', isMet: boolean): Link[] => {
      const node = schema.if === undefined ? undefined : single(keyword);
      return node === undefined ? [] : [{ node, appliesTo: (value) => !isCovered(node) && isIf(value) === isMet }];
    };
    const dependent = mapped('dependentSchemas').map(([name, node]): Link => {
      return { node, appliesTo: (value) => isObject(value) && Object.hasOwn(value, name) };
    });
    return {
      counters,
      links: [
        ...all.map((node): Link => ({ node, appliesTo: always })),
        ...branches,
        ...conditional('then', true),
        ...conditional('else', false),
        ...dependent,
      ],
      properties: new Map(mapped('properties', leftOut(schema))),
      patterns: mapped('patternProperties').flatMap(([source, node]) => {
        const pattern = readPattern(source);
        return pattern === undefined ? [] : [{ pattern, node }];
      }),
      others: single('additionalProperties'),
      names: single('propertyNames'),
      firstItems: listed('prefixItems'),
      items: single('items'),
    };
  };

  /** Also remembers the result for all nodes below. */
  const isCovered = (start: Node): boolean => {
    if (start.isCovered) return true;
    if (start.open?.isMet === false) return false;
    const below = new Set([start]);
    for (const node of below) {
      if (node.isCovered) continue;
      start.open = node.open?.isMet === false ? node.open : contentOf(node).counters.find(({ isMet }) => !isMet);
      if (start.open !== undefined) return false;
      for (const next of nextOf(contentOf(node))) below.add(next);
    }
    for (const node of below) node.isCovered = true;
    return true;
  };

  /** The nodes that apply to a value, each once: a schema may refer to itself for the same value. */
  const applicable = (value: unknown, starts: readonly Node[]): Content[] => {
    steps += 1;
    const found: Node[] = [];
    const add = (node: Node): void => {
      if (node.step === steps) return;
      node.step = steps;
      found.push(node);
    };
    for (const node of starts) add(node);
    for (const node of found)
      for (const link of contentOf(node).links) if (link.node.step !== steps && link.appliesTo(value)) add(link.node);
    return found.map(contentOf);
  };

  const walk = (value: unknown, start: Node): void => {
    const waiting: { readonly value: unknown; readonly starts: readonly Node[] }[] = [{ value, starts: [start] }];
    const add = (part: unknown, all: readonly Node[]): void => {
      const starts = waiting.length < mostParts ? all.filter((node) => !isCovered(node)) : [];
      if (starts.length > 0) waiting.push({ value: part, starts });
    };
    for (const part of waiting) {
      const { value: inner } = part;
      const contents = applicable(inner, part.starts);
      for (const { counters } of contents) {
        for (const counter of counters) {
          if (counter.isMet || !counter.appliesTo(inner)) continue;
          counter.isMet = true;
          count += 1;
        }
      }
      if (Array.isArray(inner)) {
        const itemAt = (index: number) => contents.flatMap(({ firstItems, items }) => firstItems[index] ?? items ?? []);
        for (const index of sampled(inner.length)) add(inner[index], itemAt(index));
      } else if (isObject(inner)) {
        const ofNames = contents.flatMap(({ names }) => names ?? []);
        for (const name of Object.keys(inner)) {
          if (waiting.length >= mostParts) break;
          add(
            inner[name],
            contents.flatMap((content) => nodesOf(content, name)),
          );
          add(name, ofNames);
        }
      }
    }
  };

  return {
    /**
     * Records the valid value of a schema, or of the parameter, body or header that holds it.
     *
     * @param read returns the value, or undefined for one that cannot be read; called only if a keyword is open
     */
    meet: (pointer: Pointer, read: () => unknown): void => {
      const node = nodeAt(pointer);
      if (!isCovered(node)) walk(read(), node);
    },
    /** Records that a value was sent that breaks a keyword. @param pointer location of the keyword, or of its schema */
    breakAt: (pointer: Pointer, keyword: string): void => {
      const schema = pointer.endsWith(`/${keyword}`) ? pointer.slice(0, -keyword.length - 1) : pointer;
      for (const { counters } of [pointer, schema].map((place) => contentOf(nodeAt(place)))) {
        for (const counter of counters) {
          if (counter.isBroken || counter.keyword !== keyword) continue;
          counter.isBroken = true;
          count += 1;
        }
      }
    },
    /** Number of keywords that valid values have met, and of those that were broken. */
    count: () => count,
    /** The keywords of these schemas and of all that they lead to. @param listed nodes to leave out; new ones are added */
    list: (starts: readonly Pointer[], listed: Set<unknown> = new Set()): KeywordState[] => {
      const below = new Set(starts.map(nodeAt).filter((node) => !listed.has(node)));
      for (const node of below) {
        listed.add(node);
        for (const next of nextOf(contentOf(node))) if (!listed.has(next)) below.add(next);
      }
      return [...below].flatMap((node) =>
        contentOf(node).counters.map(({ keyword, isMet, isBroken }) => {
          return { pointer: joinPointer(node.pointer, keyword), keyword, isMet, isBroken };
        }),
      );
    },
  };
}
