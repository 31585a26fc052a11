import { type Reading, readingOf, schemaKeywords } from '@lockstep/json/schema-keywords';

/** One object of a document, with its path. */
export interface Visited {
  readonly at: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
}

/** Computes its path on demand: a document has a million places, and a valid one needs no path. */
class Place implements Visited {
  readonly node: Visited['node'];
  readonly #around: Place | undefined;
  readonly #name: string;

  constructor(node: Visited['node'], around?: Place, name = '') {
    this.node = node;
    this.#around = around;
    this.#name = name;
  }

  get at(): readonly string[] {
    return this.#around === undefined ? [] : [...this.#around.at, this.#name];
  }
}

/** Every object of a parsed document, outermost first, without data. The document must hold no cycle (see `findForeign`). */
export function walkDocument(root: unknown): readonly Visited[] {
  const visited: Visited[] = [];
  const walk = (place: Place, reading: Reading): void => {
    const { node } = place;
    const isList = Array.isArray(node);
    if (!isList) visited.push(place);
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (!isNode(value)) continue;
      const within = isList ? 'keywords' : readingOf(reading, key);
      if (within !== 'data') walk(new Place(value, place, key), within);
    }
  };
  if (isNode(root)) walk(new Place(root), 'keywords');
  return visited;
}

/** Every object schema of a document, outermost first. Extensions hold none. */
export function listSchemas(root: unknown): readonly Visited[] {
  const visited: Visited[] = [];
  const walk = (place: Place, reading: Reading, isSchema: boolean): void => {
    const { node } = place;
    const isList = Array.isArray(node);
    if (isSchema && reading === 'keywords' && !isList) visited.push(place);
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (!isNode(value)) continue;
      if (isList || reading === 'names') walk(new Place(value, place, key), 'keywords', isSchema);
      else if (!key.startsWith('x-')) {
        const within = readingOf(reading, key);
        // Members of a schema that are not schema keywords contain no schema: `discriminator`, `xml`.
        const holds = isSchema ? schemaKeywords.has(key) : key === 'schema' || key === 'schemas';
        if (within !== 'data' && (holds || !isSchema)) walk(new Place(value, place, key), within, holds);
      }
    }
  };
  if (isNode(root)) walk(new Place(root), 'keywords', false);
  return visited;
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
