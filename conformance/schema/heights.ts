import { freeNameOf, type JsonType, type SchemaNode, type Shape } from './shape.ts';

interface Form {
  readonly shapes: (node: SchemaNode) => readonly Shape[];
  readonly property: (shape: Shape, name: string) => SchemaNode;
  readonly item: (shape: Shape, index: number) => SchemaNode;
  readonly join: (...schemas: SchemaNode['schemas']) => SchemaNode;
}

/** What a value of one type cannot do without. */
interface Needs {
  readonly all: readonly SchemaNode[];
  /** So many of these besides. */
  readonly some: { readonly count: number; readonly of: readonly SchemaNode[] };
}

/** Nodes that one question looks at. What lies beyond counts as endless: it would be too large to send. */
const mostNodes = 20_000;

/** Names and positions that one shape is asked for. */
const mostParts = 6_000;

/**
 * The least number of levels that a value has, known before anything is built: a schema that requires itself has none, and
 * whoever follows the smaller height comes to an end. Least fixed point, from Infinity downwards.
 */
export function heights(form: Form) {
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
    const needs = new Map<SchemaNode, readonly Needs[]>();
    const users = new Map<SchemaNode, SchemaNode[]>();
    for (const waiting = [start]; waiting.length > 0 && needs.size < mostNodes; ) {
      const node = waiting.pop();
      if (node === undefined || needs.has(node) || known.has(node)) continue;
      const own = form.shapes(node).flatMap((shape) => [...shape.types].map((type) => needsOf(form, shape, type)));
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

  /** Follows what is required to the schema that has no value. */
  const endless = (start: SchemaNode): { readonly node: SchemaNode; readonly isCircle: boolean } | undefined => {
    const met = new Set<SchemaNode>();
    for (let node = start; height(node) === Infinity; ) {
      if (met.has(node)) return { node, isCircle: true };
      met.add(node);
      const next = form
        .shapes(node)
        .flatMap((shape) => [...shape.types].flatMap((type) => needsOf(form, shape, type)))
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
    heightOf: (shape: Shape, type: JsonType): number => heightOfNeeds(needsOf(form, shape, type), height),
  };
}

function needsOf(form: Form, shape: Shape, type: JsonType): Needs {
  const nothing: Needs = { all: [], some: { count: 0, of: [] } };
  if (shape.values !== undefined) return nothing;
  if (type === 'object') {
    const required = [...shape.required].slice(0, mostParts);
    const count = shape.minProperties - shape.required.size;
    const optional = [...shape.properties.keys()].filter((name) => !shape.required.has(name)).slice(0, mostParts);
    // There is no end of names that nobody declared.
    const free = form.property(shape, freeNameOf(shape));
    const of =
      count <= 0
        ? []
        : [
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
