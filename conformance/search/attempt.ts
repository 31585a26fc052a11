import type { Operation } from '../contract/contract.ts';
import { canonical } from '../contract/document.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import { type Constraints, noConstraints } from '../rejections/constraints.ts';
import type { Target } from '../resources/find-targets.ts';

/** Selects one of the valid requests of an operation. */
export interface Variant {
  /** Index of the candidates for values: examples, examples with current dates, plain values, other branches. */
  readonly index: number;
  /** Number of times that names were replaced by new ones. */
  readonly fresh: number;
  /** Index of the media types that a body may have. */
  readonly content: number;
  readonly hasBody: boolean;
  /** Whether optional parameters are sent. */
  readonly isComplete: boolean;
}

export const plainVariant: Variant = { index: 0, fresh: 0, content: 0, hasBody: true, isComplete: false };

/** The next step after the answer to one attempt. */
export type Verdict =
  | 'accepted'
  /** No other request of this operation is worth sending. */
  | 'over'
  /** The same candidate for the same target, changed as the rejection asks. */
  | 'constrained'
  | 'with body'
  | 'next media type'
  /** With other names: an object with these names exists. */
  | 'fresh'
  /** Another request with data of its own, while no other is in flight: the server may have carried this one out. */
  | 'fresh, alone'
  /** The same request in a later turn; `alone`: while no other request is in flight. */
  | 'later'
  | 'later, alone'
  | 'other data'
  | 'other target'
  /** 403 for this target. */
  | 'forbidden';

/** A request that was sent, with its answer and the verdict on it. */
export interface Attempt {
  readonly strategy: string;
  readonly target: Target;
  readonly draft: Draft;
  readonly exchange: Exchange;
  /** Text of the rejection without values; empty if the answer is no rejection. */
  readonly words: string;
  readonly verdict: Verdict;
  /** The list in the answer is empty, though paths need one of its items. */
  readonly isEmptyList: boolean;
  /** Number of creates accepted in the operation's collection before this attempt. */
  readonly created: number;
}

/** Everything known about the search for one operation. A new state depends only on the old one and an attempt. */
export interface SearchState {
  readonly log: readonly Attempt[];
  readonly progress: 'open' | 'accepted' | 'over';
  readonly variant: Variant;
  /** Keywords that rejections asked for. */
  readonly constraints: Constraints;
  /** Requests that are not worth sending again. */
  readonly sent: ReadonlySet<string>;
  /** Targets that the server rejected whatever the data was. */
  readonly absent: ReadonlySet<string>;
  /** Targets whose candidates were all rejected; emptied when the run has seen new resources. */
  readonly spent: ReadonlySet<string>;
  /** Reasons for which drafts of the last turn were not sent. */
  readonly reasons: ReadonlySet<string>;
  /** The revision of the resources at which candidates were exhausted. */
  readonly exhausted: number | undefined;
  /** Revision of the resources after the last turn. */
  readonly revision: number;
  readonly turns: number;
  /** Whether its requests are sent while no other request is in flight. */
  readonly isAlone: boolean;
  /** Names of strategies that have had their only turn. */
  readonly done: ReadonlySet<string>;
}

export function startSearch(operation: Operation): SearchState {
  const hasBody = operation.body?.required === true || !/^(get|head|delete)$/.test(operation.method);
  const none: ReadonlySet<string> = new Set();
  return {
    log: [],
    progress: 'open',
    variant: { ...plainVariant, hasBody },
    constraints: noConstraints,
    sent: none,
    absent: none,
    spent: none,
    reasons: none,
    exhausted: undefined,
    revision: -1,
    turns: 0,
    isAlone: false,
    done: none,
  };
}

/**
 * The state after an attempt.
 *
 * @param constraints those inferred from all rejections, this attempt's included
 */
export function record(state: SearchState, attempt: Attempt, constraints: Constraints): SearchState {
  const { target, draft, verdict } = attempt;
  const { variant } = state;
  const key = keyOf(draft, target);
  const after = { ...state, log: [...state.log, attempt], constraints, sent: including(state.sent, key) };
  switch (verdict) {
    case 'accepted':
      // An empty list shows no id: the list of the next target may have items.
      return {
        ...after,
        progress: 'accepted',
        spent: attempt.isEmptyList ? including(after.spent, nameOf(target)) : after.spent,
      };
    case 'over':
      return { ...after, progress: state.progress === 'accepted' ? 'accepted' : 'over' };
    case 'constrained':
      return after;
    case 'with body':
      return { ...after, variant: { ...variant, hasBody: true, index: 0 } };
    case 'next media type':
      return { ...after, variant: { ...variant, content: variant.content + 1, index: 0 } };
    case 'fresh':
      return { ...after, variant: { ...variant, fresh: variant.fresh + 1 } };
    case 'fresh, alone':
      // The draft is not sent again either if its target is proven by another operation.
      return {
        ...after,
        isAlone: true,
        variant: { ...variant, fresh: variant.fresh + 1 },
        sent: including(after.sent, keyOf(draft, { proven: true })),
      };
    case 'later':
      return { ...after, sent: state.sent };
    case 'later, alone':
      return { ...after, sent: state.sent, isAlone: true };
    case 'other data':
      return { ...after, variant: { ...variant, index: variant.index + 1 } };
    case 'other target':
    case 'forbidden':
      // The data stays: only its target was rejected.
      return { ...after, absent: including(after.absent, nameOf(target)) };
  }
}

/** The state at the start of a turn. After new resources were seen, rejected candidates are tried again. */
export function startTurn(state: SearchState, revision: number): SearchState {
  const next = { ...state, turns: state.turns + 1, reasons: new Set<string>() };
  if (state.revision === revision) return next;
  return {
    ...next,
    exhausted: undefined,
    spent: new Set(),
    variant: { ...state.variant, index: 0 },
  };
}

/** The state after all candidates for a target were sent or could not be sent. */
export function leaveTarget(state: SearchState, target: Target): SearchState {
  return { ...state, spent: including(state.spent, nameOf(target)), variant: { ...state.variant, index: 0 } };
}

/** Whether a target was rejected before: itself, or with all data. */
export function isExcluded({ absent, spent }: SearchState, target: Target): boolean {
  const name = nameOf(target);
  return absent.has(name) || spent.has(name);
}

/** Drafts with the same values share a key, unless the target was accepted by another operation since. */
export function keyOf(draft: Draft, { proven }: Pick<Target, 'proven'>): string {
  return `${canonical(seenOf(draft))}${proven === true ? ' proven' : ''}`;
}

export function including<Value>(set: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  return set.has(value) ? set : new Set([...set, value]);
}

function nameOf({ values, proven }: Target): string {
  return `${canonical(values)}${proven === true ? ' proven' : ''}`;
}
