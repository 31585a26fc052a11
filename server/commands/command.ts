import type { Cure } from '../operator-error.ts';

/** What a command hands back; printing and exiting is the rim's. Exit code 0 fine, 1 refused, 2 wrong usage or broken input. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: unknown;
  /** What to do next, printed below the text. */
  readonly cures?: readonly Cure[];
}

export function done(text: string, json: unknown, cures?: readonly Cure[]): CommandResult {
  return { exitCode: 0, text, json, ...(cures && { cures }) };
}

/** Sound, but not as things stand: nothing was changed. */
export function declined(text: string, json: unknown = {}, cures?: readonly Cure[]): CommandResult {
  return { exitCode: 1, text, json: { error: text, ...(json as object) }, ...(cures && { cures }) };
}

/** The user's mistake: nothing was changed. */
export function refused(text: string, json: unknown = {}, cures?: readonly Cure[]): CommandResult {
  return { exitCode: 2, text, json: { error: text, ...(json as object) }, ...(cures && { cures }) };
}
