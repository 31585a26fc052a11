import { type Check, wholeAnswer } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';

export type ObligationState = 'met' | 'violated' | 'not reached';

/** One thing to establish about an operation. */
export interface Obligation {
  readonly operation: string;
  /** Name of a check, or `baseline`: that a valid request is accepted. */
  readonly check: string;
  readonly place: string;
  readonly state: ObligationState;
  /** Why it was not reached. */
  readonly reason?: string;
}

export interface Obligations {
  readonly settle: (operation: string, check: string, place: string, isMet: boolean) => void;
  /** @param reasonFor why an operation was not reached at all; undefined where it was */
  readonly close: (reasonFor: (operation: string) => string | undefined) => readonly Obligation[];
  readonly count: () => { readonly met: number; readonly all: number };
}

export const accepted = 'a valid request is accepted';

export function planObligations(operations: readonly Operation[], checks: readonly Check[]): Obligations {
  const states = new Map<string, { readonly parts: readonly [string, string, string]; state: ObligationState }>();
  const key = (...parts: readonly [string, string, string]): string => JSON.stringify(parts);
  let met = 0;
  const plan = (...parts: readonly [string, string, string]): void => {
    states.set(key(...parts), { parts, state: 'not reached' });
  };
  for (const operation of operations) {
    plan(operation.id, 'baseline', accepted);
    for (const check of checks) for (const place of check.plan(operation)) plan(operation.id, check.name, place);
  }
  return {
    settle: (operation, check, place, isMet) => {
      const known = states.get(key(operation, check, place));
      // A place that no plan foresaw (an error response that came) counts as well.
      const entry = known ?? { parts: [operation, check, place] as const, state: 'not reached' as ObligationState };
      if (known === undefined) states.set(key(operation, check, place), entry);
      if (entry.state === 'violated' || (entry.state === 'met' && isMet)) return;
      met += isMet ? 1 : entry.state === 'met' ? -1 : 0;
      entry.state = isMet ? 'met' : 'violated';
    },
    count: () => ({ met, all: states.size }),
    close: (reasonFor) =>
      [...states.values()].map(({ parts: [operation, check, place], state }) => {
        if (state !== 'not reached') return { operation, check, place, state };
        return { operation, check, place, state, reason: reasonFor(operation) ?? explainOpen(place, check, checks) };
      }),
  };
}

/** Why an operation that was accepted leaves this open. */
function explainOpen(place: string, name: string, checks: readonly Check[]): string {
  const needed = checks.find((check) => check.name === name)?.needs?.(place);
  return `no ${needed ?? (place === wholeAnswer ? 'answer that it could judge' : place)} was seen`;
}
