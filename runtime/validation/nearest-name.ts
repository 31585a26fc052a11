import { distance } from 'fastest-levenshtein';

/** Names longer than this are cut before they are compared: the work grows with the square. */
const longestCompared = 64;

/**
 * Finds the names that a user who typed `sent` most likely meant, nearest first.
 *
 * @returns at most three; none if every name differs in more than half of the sent letters
 */
export function nearestNames(sent: string, known: readonly string[]): string[] {
  const typed = sent.slice(0, longestCompared).toLowerCase();
  const limit = typed.length < 2 ? 0 : Math.floor(typed.length / 2);
  return known
    .map((name) => ({ name, away: rankDistance(typed, name.slice(0, longestCompared).toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A name without its beginning or end (`date` for `startDate`) counts as less than one letter away. */
function rankDistance(typed: string, name: string): number {
  if (typed === name) return 0;
  if (typed.length >= 3 && (name.includes(typed) || typed.includes(name)))
    return Math.abs(name.length - typed.length) / (2 * longestCompared);
  return distance(typed, name);
}
