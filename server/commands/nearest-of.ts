import { closest } from 'fastest-levenshtein';

/** The end of a sentence about a name that nothing has: what comes nearest, or how to make the first one. */
export function nearestOf(name: string, known: readonly string[]): string {
  return known.length === 0 ? '; there is none yet' : `; nearest: ${closest(name, known)}`;
}
