/** One object of a document, with the way to it. */
export interface Visited {
  readonly at: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
}

/** Members whose value is data and not description: what stands in there only looks like a keyword. */
const dataMembers = new Set(['example', 'examples', 'enum', 'const', 'default', 'value']);

/** Maps whose keys are names that somebody chose: a property may well be called `default`. */
const nameMaps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas', 'schemas', 'headers']);

/** Every object of a parsed document, outermost first, without what is data. The document must hold no cycle (see `findForeign`). */
export function* walkDocument(node: unknown, at: readonly (string | number)[] = []): Generator<Visited> {
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) yield* walkDocument(item, [...at, index]);
  } else if (isObject(node)) {
    yield { at, node };
    const named = nameMaps.has(String(at.at(-1)));
    for (const [key, value] of Object.entries(node)) {
      if (named || !dataMembers.has(key)) yield* walkDocument(value, [...at, key]);
    }
  }
}

/** Values that JSON doesn't have: a YAML alias inside its own anchor, a date, binary. Looks into data too. */
export function* findForeign(
  node: unknown,
  at: readonly (string | number)[] = [],
  above: readonly unknown[] = [],
): Generator<{ readonly at: readonly (string | number)[]; readonly says: string }> {
  if (typeof node !== 'object' || node === null) return;
  if (above.includes(node)) {
    yield { at, says: 'an alias stands inside its own anchor: the value has no end' };
  } else if (!Array.isArray(node) && Object.getPrototypeOf(node) !== Object.prototype) {
    yield { at, says: `a value of type ${node.constructor?.name ?? 'unknown'}: JSON has no such thing` };
  } else {
    for (const [key, value] of Object.entries(node)) yield* findForeign(value, [...at, key], [...above, node]);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
