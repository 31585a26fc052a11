import { isObject } from '@lockstep/json/json-pointer';
import { type Reading, readingOf } from '@lockstep/json/schema-keywords';

/** No member of a document is called so; a name that JSON can write all the same, so that a copy keeps it. */
const hidden = '\u0000$ref';

/**
 * Hides the references that lead out of a document and stand in an extension. The linter and the bundler take every `$ref` for one, but in an
 * `x-` member only its owner knows what it means: it stays text.
 *
 * @param document as it was parsed; changed in place
 * @returns whether there were any
 */
export function hideExtensionReferences(document: unknown): boolean {
  let isFound = false;
  // An alias of YAML is the same object again; one inside its own anchor would never end.
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

/** Shows again what was hidden. @param document changed in place */
export function showExtensionReferences(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (Object.hasOwn(node, hidden)) rename(node, hidden, '$ref');
  for (const value of Object.values(node)) showExtensionReferences(value);
}

function leadsOut(reference: unknown): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}

/** In its place among the members. */
function rename(node: object, from: string, to: string): void {
  const members = Object.entries(node);
  for (const [name] of members) delete (node as Record<string, unknown>)[name];
  Object.assign(node, Object.fromEntries(members.map(([name, value]) => [name === from ? to : name, value])));
}
