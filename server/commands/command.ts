import { nearestNames } from '@lockstep/runtime/form/nearest-name';
import type { Cure } from '../operator-error.ts';

/** What a command hands back; printing and exiting is the rim's. */
export interface CommandResult {
  /** `declined`: sound, but not as things stand. `refused`: the user's mistake. */
  readonly kind: 'done' | 'declined' | 'refused';
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: unknown;
  /** What to do next, printed below the text. */
  readonly cures?: readonly Cure[];
}

export interface Refused extends CommandResult {
  readonly kind: 'refused';
}

/** What a command looked for, or the refusal of a name that nothing has. */
export type Found<Item> = { readonly kind: 'found'; readonly item: Item } | Refused;

export function done(text: string, json: unknown, cures?: readonly Cure[]): CommandResult {
  return { kind: 'done', text, json, ...(cures && { cures }) };
}

/** Nothing was changed. */
export function declined(text: string, json: unknown = {}, cures?: readonly Cure[]): CommandResult {
  return { kind: 'declined', text, json: { error: text, ...(json as object) }, ...(cures && { cures }) };
}

/** Nothing was changed. */
export function refused(text: string, json: unknown = {}, cures?: readonly Cure[]): Refused {
  return { kind: 'refused', text, json: { error: text, ...(json as object) }, ...(cures && { cures }) };
}

/** The end of a sentence about a name that nothing has: what comes near, nothing where that is nothing, or that there is none yet. */
export function nearestOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; there is none yet';
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `; nearest: ${nearest}`;
}
