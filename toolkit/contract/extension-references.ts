import { isObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';

/** A name that no document uses but JSON can write, so that a copy keeps it. */
const hidden = '\u0000$ref';

/**
 * Hides references in extensions that lead out of the document. The linter and the bundler would follow every `$ref`, but only the owner of an
 * `x-` member knows its meaning: it stays text.
 *
 * @param document as it was parsed; changed in place
 * @returns whether there were any
 */
export function hideExtensionReferences(document: unknown): boolean {
  let isFound = false;
  // A YAML alias is the same object again; inside its own anchor it forms a cycle.
  const seen = new Set<object>();
  const walk = (node: object, reading: Reading | 'extension'): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (reading === 'extension' && isObject(node) && leadsOut(node.$ref)) {
      rename(node, '$ref', hidden);
      isFound = true;
    }
    const isList = Array.isArray(node);
    for (const [name, value] of Object.entries(node)) {
      if (typeof value !== 'object' || value === null) continue;
      const isExtension = reading === 'keywords' && !isList && name.startsWith('x-');
      const within =
        reading === 'extension' || isExtension ? 'extension' : isList ? 'keywords' : readingOf(reading, name);
      if (within !== 'data') walk(value, within);
    }
  };
  if (typeof document === 'object' && document !== null) walk(document, 'keywords');
  return isFound;
}

/** Restores hidden references. @param document changed in place */
export function showExtensionReferences(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (Object.hasOwn(node, hidden)) rename(node, hidden, '$ref');
  for (const value of Object.values(node)) showExtensionReferences(value);
}

function leadsOut(reference: unknown): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}

/** Keeps the order of the members. */
function rename(node: object, from: string, to: string): void {
  const members = Object.entries(node);
  for (const [name] of members) delete (node as Record<string, unknown>)[name];
  Object.assign(node, Object.fromEntries(members.map(([name, value]) => [name === from ? to : name, value])));
}
