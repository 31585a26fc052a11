import { type Check, type Planned, wholeAnswer } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';

export type ObligationState = 'met' | 'violated' | 'not reached';

/** One thing to establish: what of the contract, about which operation, with requests of which polarity. */
export interface Obligation {
  /** Its address, `getDevices body-schema response 200 application/json`: what a request is sent for names it. */
  readonly id: string;
  readonly operation: string;
  /** Name of a check, or `baseline`: that a valid request is accepted. */
  readonly check: string;
  readonly place: string;
  /** The part of the contract, and its keyword where it is about one. */
  readonly pointer: Pointer;
  readonly keyword: string | undefined;
  readonly polarity: Polarity;
  readonly state: ObligationState;
  /** Why it was not reached. */
  readonly reason?: string;
}

export interface Obligations {
  readonly settle: (operation: Operation, check: string, place: string, isMet: boolean) => void;
  /** @param reasonFor why an operation was not reached at all; undefined where it was */
  readonly close: (reasonFor: (operation: string) => string | undefined) => readonly Obligation[];
  readonly count: () => { readonly met: number; readonly all: number };
}

/** The place of `baseline`. */
export const accepted = 'a valid request is accepted';

export function addressOf(operation: string, check: string, place: string): string {
  return `${operation} ${check} ${place}`;
}

type Open = { -readonly [Member in keyof Omit<Obligation, 'reason'>]: Obligation[Member] };

export function planObligations(operations: readonly Operation[], checks: readonly Check[]): Obligations {
  const all = new Map<string, Open>();
  let met = 0;
  const plan = ({ id: operation }: Operation, check: string, planned: Planned): Open => {
    const { place, keyword } = planned;
    const id = addressOf(operation, check, place);
    const obligation: Open = {
      id,
      operation,
      check,
      place,
      pointer: planned.pointer,
      keyword,
      polarity: 'valid',
      state: 'not reached',
    };
    all.set(id, obligation);
    return obligation;
  };
  for (const operation of operations) {
    plan(operation, 'baseline', { place: accepted, pointer: operation.pointer });
    for (const check of checks) for (const planned of check.plan(operation)) plan(operation, check.name, planned);
  }
  return {
    settle: (operation, check, place, isMet) => {
      // A place that no plan foresaw (an error response that came) counts as well.
      const open =
        all.get(addressOf(operation.id, check, place)) ?? plan(operation, check, { place, pointer: operation.pointer });
      if (open.state === 'violated' || (open.state === 'met' && isMet)) return;
      met += isMet ? 1 : open.state === 'met' ? -1 : 0;
      open.state = isMet ? 'met' : 'violated';
    },
    count: () => ({ met, all: all.size }),
    close: (reasonFor) =>
      [...all.values()].map((open) => {
        if (open.state !== 'not reached') return open;
        return { ...open, reason: reasonFor(open.operation) ?? explainOpen(open.place, open.check, checks) };
      }),
  };
}

/** Why an operation that was accepted leaves this open. */
function explainOpen(place: string, name: string, checks: readonly Check[]): string {
  const needed = checks.find((check) => check.name === name)?.needs?.(place);
  return `no ${needed ?? (place === wholeAnswer ? 'answer that it could judge' : place)} was seen`;
}
