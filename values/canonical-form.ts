import type { JsonObject } from '@lockstep/json/json-pointer';
import { type Choice, createReader, noScopes, noteReference } from './merge-schema.ts';
import { canonical } from './same-value.ts';
import {
  admits,
  cloneShape,
  createShape,
  freeNameOf,
  type JsonType,
  type Schema,
  type SchemaNode,
  type SchemaSource,
  type Shape,
  schemasOfItem,
  schemasOfProperty,
} from './shape.ts';

/**
 * The normalized form that values are built from: `allOf` and `$ref` merged, `not` folded if possible, and `anyOf`, `oneOf`,
 * `if` and `dependentSchemas` as branches. References are resolved lazily, so that recursive schemas stay finite.
 */
export interface CanonicalForm {
  readonly join: (...schemas: readonly Schema[]) => SchemaNode;
  /** Interns a schema that is not in the contract: equal schemas become one object. */
  readonly adopt: (schema: JsonObject) => Schema;
  /** The constraints that apply in every branch. */
  readonly common: (node: SchemaNode) => Shape;
  /** The merged branches without the unsatisfiable ones, at most `mostShapes`. */
  readonly shapes: (node: SchemaNode) => readonly Shape[];
  /** The shape with this index modulo the number of shapes. If there is none, the common constraints. */
  readonly branch: (node: SchemaNode, number?: number) => Shape;
  readonly property: (shape: Shape, name: string) => SchemaNode;
  readonly item: (shape: Shape, index: number) => SchemaNode;
  /** Levels of the smallest value: 0 for a scalar, Infinity if no finite value is valid. */
  readonly height: (node: SchemaNode) => number;
  readonly heightOf: (shape: Shape, type: JsonType) => number;
  /** The reason for a height of Infinity: a schema that requires itself (`isCircle`), or an unsatisfiable schema. */
  readonly endless: (node: SchemaNode) => { readonly node: SchemaNode; readonly isCircle: boolean } | undefined;
}

export const mostShapes = 48;

/** Number of branches, including nested ones, that are tried for one node. */
const mostExpansions = 1_500;

/** Number of negations that are tried for each branch. */
const mostNegations = 4;

/** Caches its common constraints and its shapes. */
interface Node extends SchemaNode {
  common?: { readonly shape: Shape; readonly choices: readonly Choice[] };
  shapes?: readonly Shape[];
}

export function createCanonicalForm(source: SchemaSource): CanonicalForm {
  const numbers = new Map<Schema, number>();
  const adopted = new Map<string, JsonObject>();
  const nodes = new Map<Schema | string, Node>();

  const ofReferences = new Map<string, Schema>();
  const share = (schema: Schema): Schema => {
    if (typeof schema === 'boolean' || typeof schema.$ref !== 'string' || Object.keys(schema).length > 1) return schema;
    const known = ofReferences.get(schema.$ref) ?? schema;
    ofReferences.set(schema.$ref, known);
    return known;
  };

  const join = (...given: readonly Schema[]): Node => {
    const schemas = source.sharesReferences === true ? given.map(share) : given;
    const parts = schemas.length < 2 ? schemas : [...new Set(schemas)].filter((schema) => schema !== true);
    // Most nodes have one schema.
    const key = parts.length < 2 ? (parts[0] ?? true) : parts.includes(false) ? false : keyOf(parts);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const node = { schemas: typeof key === 'string' ? parts : key === true ? [] : [key] };
    nodes.set(key, node);
    return node;
  };

  const keyOf = (parts: readonly Schema[]): string => {
    for (const part of parts) if (!numbers.has(part)) numbers.set(part, numbers.size);
    return parts.map((part) => numbers.get(part)).join(' ');
  };

  const commonOf = (node: Node): { readonly shape: Shape; readonly choices: readonly Choice[] } => {
    if (node.common !== undefined) return node.common;
    const made = { shape: createShape(), choices: [] };
    const reader = createReader(source, made.shape, made.choices, new Set());
    for (const schema of node.schemas) {
      noteReference(source, made.shape, schema);
      reader(schema, noScopes);
    }
    node.common = made;
    return made;
  };

  const shapes = (node: Node): readonly Shape[] => {
    if (node.shapes !== undefined) return node.shapes;
    const { shape, choices } = commonOf(node);
    // Most schemas have no branches.
    const found: Shape[] = choices.length > 0 || isImpossible(shape) ? [] : [shape];
    node.shapes = found;
    if (choices.length === 0) return found;
    const seen = new Set(node.schemas.filter((schema) => typeof schema === 'object'));
    const budget = { left: mostExpansions };
    const all = expand(source, shape, inOrder(choices), seen, budget);
    const branches = all.take(mostShapes * mostNegations).toArray();
    // Every branch once, before any branch with a second negation.
    const byBranch = [...Map.groupBy(branches, ({ branch }) => branch).values()];
    for (let index = 0; index < mostNegations && found.length < mostShapes; index += 1)
      for (const variants of byBranch) {
        const next = variants[index];
        if (next !== undefined && found.length < mostShapes) found.push(next.shape);
      }
    return found;
  };

  const declaredProperty = remembered((shape: Shape, name: string) => join(...schemasOfProperty(shape, name)));

  const form = {
    join,
    adopt: (schema: JsonObject) => {
      const key = canonical(schema);
      const known = adopted.get(key) ?? schema;
      adopted.set(key, known);
      return known;
    },
    common: (node: SchemaNode) => commonOf(node).shape,
    shapes,
    branch: (node: SchemaNode, number = 0) => {
      const found = shapes(node);
      return found[number % found.length] ?? commonOf(node).shape;
    },
    property: (shape: Shape, name: string) =>
      // The number of undeclared names is unlimited, so they are not cached.
      shape.properties.has(name) ? declaredProperty(shape, name) : join(...schemasOfProperty(shape, name)),
    item: (shape: Shape, index: number) => join(...schemasOfItem(shape, index)),
  };
  return { ...form, ...heights(form) };
}

/** Caches results per shape: a shape does not change once it is returned. */
function remembered<Key, Result>(make: (shape: Shape, key: Key) => Result): (shape: Shape, key: Key) => Result {
  const known = new WeakMap<Shape, Map<Key, Result>>();
  return (shape, key) => {
    const own = known.get(shape) ?? new Map<Key, Result>();
    const found = own.get(key);
    if (found !== undefined) return found;
    known.set(shape, own);
    const result = make(shape, key);
    own.set(key, result);
    return result;
  };
}

/** Choices of the contract first, then those of `not`. */
function inOrder(choices: readonly Choice[], others: readonly Choice[] = []): readonly Choice[] {
  return [
    ...choices.filter(({ isNegation }) => !isNegation),
    ...others,
    ...choices.filter(({ isNegation }) => isNegation),
  ];
}

interface Branch {
  readonly shape: Shape;
  /** Index of the branch of each choice, without the choices of a `not`. */
  readonly branch: string;
}

/** Yields every combination of branches. A branch may add choices of its own. */
function* expand(
  source: SchemaSource,
  shape: Shape,
  choices: readonly Choice[],
  seen: ReadonlySet<Schema>,
  budget: { left: number },
  branch = '',
): Generator<Branch> {
  if (isImpossible(shape)) return;
  const [choice, ...others] = choices;
  if (choice === undefined) {
    yield { shape, branch };
    return;
  }
  for (const [index, schemas] of choice.branches.entries()) {
    if (budget.left <= 0) return;
    budget.left -= 1;
    const next = cloneShape(shape);
    const more: Choice[] = [];
    const met = new Set(seen);
    const read = createReader(source, next, more, met);
    for (const schema of schemas) {
      noteReference(source, next, schema);
      read(schema, choice.scopes);
    }
    const name = choice.isNegation ? branch : `${branch} ${index}`;
    yield* expand(source, next, inOrder(more, others), met, budget, name);
  }
}

/** Checks whether a shape is unsatisfiable. Removes the types that are. */
function isImpossible(shape: Shape): boolean {
  const { types } = shape;
  const isOpen = shape.isMinimumOpen || shape.isMaximumOpen;
  if (shape.minimum > shape.maximum || (isOpen && shape.minimum === shape.maximum)) types.delete('number');
  if (shape.isInteger && shape.isFraction) types.delete('number');
  if (shape.minLength > shape.maxLength) types.delete('string');
  if ([...shape.notPatterns].some((pattern) => shape.patterns.has(pattern))) types.delete('string');
  if (shape.minItems > shape.maxItems) types.delete('array');
  if (shape.minProperties > shape.maxProperties || shape.required.size > shape.maxProperties) types.delete('object');
  const isForbidden = (name: string): boolean => schemasOfProperty(shape, name).includes(false);
  if (types.has('object') && [...shape.required].some(isForbidden)) types.delete('object');
  if (shape.contains.some(({ schema, min }) => min > 0 && schema === false)) types.delete('array');
  if (shape.values !== undefined) {
    shape.values = shape.values.filter((value) => admits({ ...shape, values: undefined }, value));
    if (shape.values.length === 0) return true;
  }
  return types.size === 0;
}

/** The functions from which heights are derived. */
type Form = Pick<CanonicalForm, 'shapes' | 'property' | 'item' | 'join'>;

/** Nodes that a value of one type requires. */
interface Needs {
  readonly all: readonly SchemaNode[];
  /** At least `count` of these in addition. */
  readonly some: { readonly count: number; readonly of: readonly SchemaNode[] };
}

/** Nodes that are visited for one height. Nodes beyond that count as endless: their values would be too large to send. */
const mostNodes = 20_000;

/** Names and positions that are considered for one shape. */
const mostParts = 6_000;

/**
 * The least number of levels of a value, computed before anything is built. A schema that requires itself has none. A builder
 * that follows the smaller height terminates. Computed as a fixed point, from Infinity downwards.
 */
function heights(form: Form) {
  const known = new Map<SchemaNode, number>();

  const heightOfNeeds = ({ all, some }: Needs, lookUp: (node: SchemaNode) => number): number => {
    const needed = all.reduce((most, node) => Math.max(most, lookUp(node)), -1);
    if (some.count <= 0) return needed + 1;
    const cheapest = some.of.map(lookUp).sort((a, b) => a - b)[some.count - 1] ?? Infinity;
    return Math.max(needed, cheapest) + 1;
  };

  const height = (start: SchemaNode): number => {
    const found = known.get(start);
    if (found !== undefined) return found;
    // Most schemas require nothing.
    if (needsOfNode(form, start).some(({ all, some }) => all.length === 0 && some.count <= 0)) {
      known.set(start, 0);
      return 0;
    }
    const needs = new Map<SchemaNode, readonly Needs[]>();
    const users = new Map<SchemaNode, SchemaNode[]>();
    for (const waiting = [start]; waiting.length > 0 && needs.size < mostNodes; ) {
      const node = waiting.pop();
      if (node === undefined || needs.has(node) || known.has(node)) continue;
      const own = needsOfNode(form, node);
      needs.set(node, own);
      for (const child of new Set(own.flatMap(({ all, some }) => [...all, ...some.of]))) {
        users.set(child, [...(users.get(child) ?? []), node]);
        waiting.push(child);
      }
    }
    const heightNow = new Map<SchemaNode, number>();
    const lookUp = (node: SchemaNode): number => known.get(node) ?? heightNow.get(node) ?? Infinity;
    const changed = new Set([...needs.keys()].reverse());
    for (const node of changed) {
      changed.delete(node);
      const now = Math.min(Infinity, ...(needs.get(node) ?? []).map((need) => heightOfNeeds(need, lookUp)));
      if (now >= lookUp(node)) continue;
      heightNow.set(node, now);
      for (const user of users.get(node) ?? []) if (needs.has(user)) changed.add(user);
    }
    for (const node of needs.keys()) known.set(node, lookUp(node));
    return lookUp(start);
  };

  /** Follows required nodes to the schema that has no valid value. */
  const endless = (start: SchemaNode): { readonly node: SchemaNode; readonly isCircle: boolean } | undefined => {
    const met = new Set<SchemaNode>();
    for (let node = start; height(node) === Infinity; ) {
      if (met.has(node)) return { node, isCircle: true };
      met.add(node);
      const next = needsOfNode(form, node)
        .flatMap(({ all, some }) => [...all, ...some.of])
        .find((child) => height(child) === Infinity);
      if (next === undefined) return { node, isCircle: false };
      node = next;
    }
    return undefined;
  };

  return {
    height,
    endless,
    heightOf: remembered((shape: Shape, type: JsonType) => heightOfNeeds(needsOf(form, shape, type), height)),
  };
}

function needsOfNode(form: Form, node: SchemaNode): readonly Needs[] {
  return form.shapes(node).flatMap((shape) => [...shape.types].map((type) => needsOf(form, shape, type)));
}

const nothing: Needs = { all: [], some: { count: 0, of: [] } };

function needsOf(form: Form, shape: Shape, type: JsonType): Needs {
  if (shape.values !== undefined) return nothing;
  if (type === 'object') {
    const required = [...shape.required].slice(0, mostParts);
    const count = shape.minProperties - shape.required.size;
    if (count <= 0) return { all: required.map((name) => form.property(shape, name)), some: nothing.some };
    const optional = [...shape.properties.keys()].filter((name) => !shape.required.has(name)).slice(0, mostParts);
    // The number of undeclared names is unlimited.
    const free = form.property(shape, freeNameOf(shape));
    const of = [
      ...optional.map((name) => form.property(shape, name)),
      ...shape.patternProperties.flatMap(({ schema }) => times(count, form.join(schema))),
      ...times(count, free),
    ];
    return { all: required.map((name) => form.property(shape, name)), some: { count, of } };
  }
  if (type === 'array') {
    const fixed = Math.max(0, ...shape.lists.map(({ prefix }) => prefix.length));
    const length = Math.min(shape.minItems, fixed + 1, mostParts);
    const items = Array.from({ length }, (_, index) => form.item(shape, index));
    const contained = shape.contains.filter(({ min }) => min > 0).map(({ schema }) => form.join(schema));
    return { all: [...items, ...contained], some: { count: 0, of: [] } };
  }
  return nothing;
}

function times(count: number, node: SchemaNode): SchemaNode[] {
  return Array.from({ length: Math.min(count, mostParts) }, () => node);
}
