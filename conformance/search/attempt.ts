import type { Operation } from '../contract/contract.ts';
import { canonical } from '../contract/document.ts';
import type { Exchange } from '../execute/exchange.ts';
import { type Draft, seenOf } from '../execute/write-request.ts';
import { type Constraints, noConstraints } from '../rejections/constraints.ts';
import type { Target } from '../resources/find-targets.ts';

/** Which of the valid requests of an operation. */
export interface Variant {
  /** Of the candidates for values: examples, these in the present, polite values, other branches. */
  readonly index: number;
  /** How many times names were replaced by others. */
  readonly fresh: number;
  /** Of the media types that a body may have. */
  readonly content: number;
  readonly hasBody: boolean;
  /** With the optional parameters. */
  readonly isComplete: boolean;
}

export const plainVariant: Variant = { index: 0, fresh: 0, content: 0, hasBody: true, isComplete: false };

/** Where the answer to one attempt leads. */
export type Verdict =
  | 'accepted'
  /** No other request of this operation is worth sending. */
  | 'over'
  /** The same candidate for the same target, changed as the rejection asks. */
  | 'constrained'
  | 'with body'
  | 'next media type'
  /** With other names: an object of these names exists. */
  | 'fresh'
  /** Another case with data of its own, while nothing else is under way: this one may have been carried out. */
  | 'fresh, alone'
  /** The same request in a later turn; `alone`: while nothing else is under way. */
  | 'later'
  | 'later, alone'
  | 'other data'
  | 'other target'
  /** 403 for this target. */
  | 'forbidden';

/** A request that was sent, and where its answer leads. */
export interface Attempt {
  readonly strategy: string;
  readonly target: Target;
  readonly draft: Draft;
  readonly exchange: Exchange;
  /** The rejection in words, without values; empty where the answer is none. */
  readonly words: string;
  readonly verdict: Verdict;
  /** The list in the answer is empty, though paths need one of its items. */
  readonly isEmptyList: boolean;
  /** How many creates had been accepted in the collection of the operation. */
  readonly created: number;
}

/** Everything known about the search for one operation. A new state follows from the old one and an attempt alone. */
export interface SearchState {
  readonly log: readonly Attempt[];
  readonly progress: 'open' | 'accepted' | 'over';
  /** The variant that the next request has. */
  readonly variant: Variant;
  /** Keywords that rejections asked for. */
  readonly constraints: Constraints;
  /** Requests that are not worth sending again. */
  readonly sent: ReadonlySet<string>;
  /** Targets that were rejected as such. */
  readonly absent: ReadonlySet<string>;
  /** Targets whose candidates were all rejected, until there is news. */
  readonly spent: ReadonlySet<string>;
  /** Why a draft could not be sent in the last turn. */
  readonly reasons: ReadonlySet<string>;
  /** The revision of the resources at which candidates were exhausted. */
  readonly exhausted: number | undefined;
  /** Revision of the resources after the last turn. */
  readonly revision: number;
  readonly turns: number;
  /** It is sent while nothing else is under way. */
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
 * @param constraints all that rejections ask for, this one's included
 */
export function record(state: SearchState, attempt: Attempt, constraints: Constraints): SearchState {
  const { target, draft, verdict } = attempt;
  const { variant } = state;
  const key = keyOf(draft, target);
  const after = { ...state, log: [...state.log, attempt], constraints, sent: including(state.sent, key) };
  switch (verdict) {
    case 'accepted':
      // An empty list shows no id: the next target may have more.
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
      // Nor is it sent again when its target has proven itself meanwhile.
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
      // Data that was rejected for its target alone may be good.
      return { ...after, absent: including(after.absent, nameOf(target)) };
  }
}

/** The state at the start of a turn: news make what was rejected worth a request again. */
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

/** A target was left, all its candidates being sent or not sendable. */
export function leaveTarget(state: SearchState, target: Target): SearchState {
  return { ...state, spent: including(state.spent, nameOf(target)), variant: { ...state.variant, index: 0 } };
}

/** Rejected before: as such, or with all data. */
export function isExcluded({ absent, spent }: SearchState, target: Target): boolean {
  const name = nameOf(target);
  return absent.has(name) || spent.has(name);
}

/** Two drafts with the same values are one, but for a target that was accepted elsewhere meanwhile. */
export function keyOf(draft: Draft, { proven }: Pick<Target, 'proven'>): string {
  return `${canonical(seenOf(draft))}${proven === true ? ' proven' : ''}`;
}

export function including<Value>(set: ReadonlySet<Value>, value: Value): ReadonlySet<Value> {
  return set.has(value) ? set : new Set([...set, value]);
}

function nameOf({ values, proven }: Target): string {
  return `${canonical(values)}${proven === true ? ' proven' : ''}`;
}
