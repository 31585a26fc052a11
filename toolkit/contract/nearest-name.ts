import { closest, distance } from 'fastest-levenshtein';

/**
 * The known name with the smallest edit distance (insert, delete, replace a character).
 *
 * @returns undefined if even the nearest needs more edits than a third of the length of `name`: then `name` is not a misspelling
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const nearest = closest(name, known);
  return known.length > 0 && distance(name, nearest) <= name.length / 3 ? nearest : undefined;
}
