import { nearestNames } from '@lockstep/runtime/form/nearest-name';
import type { Refused } from '@lockstep/shell/command-result';

/** What a command looked for, or the refusal of a name that nothing has. */
export type Found<Item> = { readonly kind: 'found'; readonly item: Item } | Refused;

/** The end of a sentence about a name that nothing has: what comes near, nothing where that is nothing, or that there is none yet. */
export function nearestOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; there is none yet';
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `; nearest: ${nearest}`;
}
