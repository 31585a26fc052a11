import { nearestNames } from './nearest-name.ts';

/** Greatest length of a request's text in a message, in characters. */
const longestEcho = 60;

/** Greatest number of known names in a message. */
const mostListed = 20;

/** Shortens text of a request for the answer, but never inside a surrogate pair. */
export function cut(text: string): string {
  const characters = [...text];
  return characters.length > longestEcho ? `${characters.slice(0, longestEcho).join('')}…` : text;
}

/** A list for a sentence: `a, b or c`. */
export function listOr(items: readonly string[]): string {
  const listed =
    items.length > mostListed ? [...items.slice(0, mostListed), `${items.length - mostListed} more`] : items;
  return listed.length < 2 ? (listed[0] ?? '') : `${listed.slice(0, -1).join(', ')} or ${listed.at(-1)}`;
}

/** The message about an unknown name, with the nearest known names, or all if none is near. */
export function describeUnknown(
  place: string,
  sent: string,
  known: readonly string[],
): { says: string; nearest: string[] } {
  const nearest = nearestNames(sent, known);
  const others = known.length > 0 ? `known here: ${listOr(known)}` : 'nothing is taken here';
  const fix = nearest.length > 0 ? `did you mean ${listOr(nearest)}?` : others;
  return { says: `${place} is not known, ${fix}`, nearest };
}

/** Name of a JSON type in a sentence. */
export function nameType(type: string): string {
  const names: Readonly<Record<string, string>> = {
    array: 'a list',
    object: 'an object',
    integer: 'an integer',
    null: 'null',
  };
  return names[type] ?? `a ${type}`;
}

/** A value for a sentence: text and numbers as they are, any other by its type only, since it may contain a secret. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : cut(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return nameType(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
}
