import { type Reading, readingOf, schemaKeywords } from '@lockstep/json/schema-keywords';

/** One object of a document, with the way to it. */
export interface Visited {
  readonly at: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
}

/** Every object of a parsed document, outermost first, without what is data. The document must hold no cycle (see `findForeign`). */
export function walkDocument(root: unknown): readonly Visited[] {
  const visited: Visited[] = [];
  const walk = (node: Visited['node'], at: Visited['at'], reading: Reading): void => {
    if (!Array.isArray(node)) visited.push({ at, node });
    for (const [key, value] of Object.entries(node)) {
      const within = Array.isArray(node) ? 'keywords' : readingOf(reading, key);
      if (isNode(value) && within !== 'data') walk(value, [...at, key], within);
    }
  };
  if (isNode(root)) walk(root, [], 'keywords');
  return visited;
}

/** Every schema of a document that is an object, outermost first, wherever one may stand. Extensions hold none. */
export function listSchemas(root: unknown): readonly Visited[] {
  const visited: Visited[] = [];
  const walk = (node: Visited['node'], at: Visited['at'], reading: Reading, isSchema: boolean): void => {
    const isList = Array.isArray(node);
    if (isSchema && reading === 'keywords' && !isList) visited.push({ at, node });
    for (const [key, value] of Object.entries(node)) {
      if (!isNode(value)) continue;
      if (isList || reading === 'names') walk(value, [...at, key], 'keywords', isSchema);
      else if (!key.startsWith('x-')) {
        const within = readingOf(reading, key);
        // Of a schema, what is no keyword of schemas holds none: `discriminator`, `xml`.
        const holds = isSchema ? schemaKeywords.has(key) : key === 'schema' || key === 'schemas';
        if (within !== 'data' && (holds || !isSchema)) walk(value, [...at, key], within, holds);
      }
    }
  };
  if (isNode(root)) walk(root, [], 'keywords', false);
  return visited;
}

/** Values that JSON doesn't have: a YAML alias inside its own anchor, a date, binary. Looks into data too. */
export function findForeign(root: unknown): readonly { readonly at: readonly string[]; readonly says: string }[] {
  const found: { at: readonly string[]; says: string }[] = [];
  const above = new Set<object>();
  const walk = (node: object, at: readonly string[]): void => {
    if (above.has(node)) {
      found.push({ at, says: 'an alias stands inside its own anchor: the value has no end' });
    } else if (!Array.isArray(node) && Object.getPrototypeOf(node) !== Object.prototype) {
      found.push({ at, says: `a value of type ${node.constructor?.name ?? 'unknown'}: JSON has no such thing` });
    } else {
      above.add(node);
      for (const [key, value] of Object.entries(node)) if (isNode(value)) walk(value, [...at, key]);
      above.delete(node);
    }
  };
  if (isNode(root)) walk(root, []);
  return found;
}

/** An object or an array. */
export function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
