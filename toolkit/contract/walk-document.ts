import { type Reading, readingOf, schemaKeywords } from '@lockstep/json/schema-keywords';

/** One object of a document, with its path. */
export interface Visited {
  readonly at: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
  readonly isSchema: boolean;
}

/** Computes its path on demand: a document has a million places, and a valid one needs no path. */
class Place implements Visited {
  readonly node: Visited['node'];
  readonly isSchema: boolean;
  readonly #around: Place | undefined;
  readonly #name: string;

  constructor(node: Visited['node'], isSchema: boolean, around?: Place, name = '') {
    this.node = node;
    this.isSchema = isSchema;
    this.#around = around;
    this.#name = name;
  }

  get at(): readonly string[] {
    return this.#around === undefined ? [] : [...this.#around.at, this.#name];
  }
}

/** A schema with its parts, the objects around it, or an extension and the like, which hold none. */
type Part = 'schema' | 'around' | 'other';

/** Every object of a parsed document, outermost first, without data. The document must hold no cycle (see `findForeign`). */
export function walkDocument(root: unknown): readonly Visited[] {
  const visited: Visited[] = [];
  const walk = (place: Place, reading: Reading, part: Part): void => {
    const { node } = place;
    const isList = Array.isArray(node);
    if (!isList) visited.push(place);
    const isNamed = isList || reading === 'names';
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (!isNode(value)) continue;
      const within = isNamed ? 'keywords' : readingOf(reading, key);
      if (within === 'data') continue;
      const inner = isNamed ? part : partIn(part, key);
      walk(new Place(value, inner === 'schema' && within === 'keywords', place, key), within, inner);
    }
  };
  if (isNode(root)) walk(new Place(root, false), 'keywords', 'around');
  return visited;
}

/** As `walkDocument`, but only when it is first called: each caller gets the same list. */
export function walkOnce(root: unknown): () => readonly Visited[] {
  let walked: readonly Visited[] | undefined;
  return () => {
    walked ??= walkDocument(root);
    return walked;
  };
}

/** Every object schema of a document, outermost first. */
export function listSchemas(root: unknown): readonly Visited[] {
  return walkDocument(root).filter(({ isSchema }) => isSchema);
}

/** Members of a schema that are not schema keywords contain no schema: `discriminator`, `xml`. */
function partIn(around: Part, key: string): Part {
  if (around === 'other' || key.startsWith('x-')) return 'other';
  if (around === 'schema') return schemaKeywords.has(key) ? 'schema' : 'other';
  return key === 'schema' || key === 'schemas' ? 'schema' : 'around';
}

/** Finds values that JSON doesn't have, also in data: a YAML alias inside its own anchor, a date, binary. */
export function findForeign(root: unknown): readonly { readonly at: readonly string[]; readonly message: string }[] {
  const found: { at: readonly string[]; message: string }[] = [];
  const above = new Set<object>();
  const at: string[] = [];
  const walk = (node: Visited['node']): void => {
    if (above.has(node)) {
      found.push({ at: [...at], message: 'an alias is inside its own anchor, so the value is endless' });
    } else if (!Array.isArray(node) && Object.getPrototypeOf(node) !== Object.prototype) {
      found.push({
        at: [...at],
        message: `JSON has no value of type ${node.constructor?.name ?? 'unknown'}`,
      });
    } else {
      above.add(node);
      for (const key of Object.keys(node)) {
        const value = node[key];
        if (!isNode(value)) continue;
        at.push(key);
        walk(value);
        at.pop();
      }
      above.delete(node);
    }
  };
  if (isNode(root)) walk(root);
  return found;
}

/** An object or an array. */
export function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
