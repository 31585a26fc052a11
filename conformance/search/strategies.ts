import type { RunContext } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import type { DataTools } from '../data/value-candidates.ts';
import type { Draft } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import type { OperationKind } from '../plan/operation-kinds.ts';
import { refuseValues } from '../plan/permissions.ts';
import type { Target } from '../resources/find-targets.ts';
import { slotsOf } from '../resources/slots.ts';
import { type Attempt, including, isExcluded, keyOf, leaveTarget, type SearchState } from './attempt.ts';
import { explainGap, type RequestBuilder } from './build-request.ts';
import { prepare } from './choose-targets.ts';
import type { Stage } from './ranks.ts';

/** One operation with the run context at the start of a round. */
export interface Search {
  readonly context: RunContext;
  readonly operation: Operation;
  readonly kind: OperationKind;
  readonly isDestructive: boolean;
  /** Revision of the resources that may help the operation. */
  readonly revision: number;
}

export interface Turn extends Search {
  readonly tools: DataTools;
  readonly builder: RequestBuilder;
  readonly targets: readonly Target[];
}

/** The state, with the next request unless the strategy has none left. */
export interface Step {
  readonly state: SearchState;
  readonly next?: { readonly target: Target; readonly draft: Draft };
}

/** One way to choose the next request. A strategy is pure: its choice depends on the log of attempts and the run context. */
export interface Strategy {
  readonly name: string;
  /** The stage at which the strategy may send; `own`: that of the operation; undefined: it sends nothing now. */
  readonly stage: (search: Search, state: SearchState) => Stage | 'own' | undefined;
  readonly mostRequests: number;
  readonly begin?: (state: SearchState) => SearchState;
  readonly next: (turn: Turn, state: SearchState) => Step;
}

/** Limits for one operation: requests in a turn and in all, candidates and targets, requests of one strategy. */
export const most = {
  turn: 6,
  all: 12,
  more: 3,
  targets: 7,
  index: 8,
  emptyLists: 2,
  relists: 2,
} as const;

/** Sends each candidate to each target until the server accepts one. */
const candidates: Strategy = {
  name: 'candidates',
  mostRequests: most.turn,
  stage: (search, state) => (state.progress === 'open' && !isExhausted(search, state) ? 'own' : undefined),
  next: nextCandidate,
};

/** Reads an empty list again after an item was created in it. */
const relist: Strategy = {
  name: 'relist',
  mostRequests: 1,
  stage: ({ context, operation }, state) => {
    const last = lastAccepted(state);
    const isOutdated = last?.isEmptyList === true && context.resources.createdAt(operation.path) > last.created;
    return isOutdated && countBy(state, 'relist') < most.relists && isWithin(state) ? 'reach' : undefined;
  },
  next: sendAgain,
};

/** Sends an accepted request once more with optional parameters; the operation stays accepted if the server rejects it. */
const complete: Strategy = {
  name: 'complete',
  mostRequests: 1,
  stage: ({ operation, kind }, state) => {
    const hasOptional = operation.parameters.some(({ in: where, required }) => where === 'query' && !required);
    const isAsked = hasOptional && kind === 'read' && operation.method !== 'post';
    return isAsked && state.progress === 'accepted' && !state.done.has('complete') ? 'complete' : undefined;
  },
  begin: (state) => ({ ...state, done: including(state.done, 'complete') }),
  next: ({ context, operation, builder }, state) => {
    const target = lastAccepted(state)?.target;
    if (target === undefined) return { state };
    const variant = { ...state.variant, isComplete: true };
    const draft = builder.build(target, variant, context.resources, state.constraints);
    const isSent = draft === undefined || state.sent.has(keyOf(draft, {}));
    if (isSent || refuseValues(operation, seenOf(draft), context.permissions) !== undefined) return { state };
    return { state, next: { target, draft } };
  },
};

/** Reads a list that is still empty once more at the end: some servers show a new item only after a while. */
const relistLate: Strategy = {
  name: 'relist late',
  mostRequests: 1,
  stage: ({ context }, state) => {
    const isEmpty = lastAccepted(state)?.isEmptyList === true && context.resources.createdAt('') > 0;
    return isEmpty && !state.done.has('relist late') && isWithin(state) ? 'relist late' : undefined;
  },
  begin: (state) => ({ ...state, done: including(state.done, 'relist late') }),
  next: sendAgain,
};

/** In the order of preference. Each can be removed alone. */
export const strategies: readonly Strategy[] = [candidates, relist, complete, relistLate];

function nextCandidate(turn: Turn, before: SearchState): Step {
  const { builder, operation, context, targets } = turn;
  let state = before;
  for (const target of targets) {
    if (!isWithin(state)) break;
    if (missed(state) >= most.targets && target.proven !== true) continue;
    while (!isExcluded(state, target)) {
      const draft = builder.build(target, state.variant, context.resources, state.constraints);
      const prepared = draft === undefined ? explainGap(operation) : prepare(turn, draft, target);
      if (typeof prepared === 'string') state = { ...state, reasons: including(state.reasons, prepared) };
      else if (!state.sent.has(keyOf(prepared, target))) return { state, next: { target, draft: prepared } };
      const variant = { ...state.variant, index: state.variant.index + 1 };
      const isLast = variant.index > most.index || !builder.hasCandidate(variant);
      state = isLast ? leaveTarget(state, target) : { ...state, variant };
    }
  }
  return { state: { ...state, exhausted: turn.revision } };
}

function sendAgain(_: Turn, state: SearchState): Step {
  const last = lastAccepted(state);
  return last === undefined ? { state } : { state, next: { target: last.target, draft: last.draft } };
}

/** Whether all candidates were rejected, and no new resource was seen since. */
function isExhausted({ revision }: Search, state: SearchState): boolean {
  return !isWithin(state) || state.exhausted === revision;
}

function isWithin({ log, progress }: SearchState): boolean {
  return log.length < (progress === 'accepted' ? most.all + most.more : most.all);
}

/** Number of targets that the server rejected whatever the data was. */
function missed({ log }: SearchState): number {
  return log.filter(({ verdict }) => verdict === 'other target' || verdict === 'forbidden').length;
}

function countBy({ log }: SearchState, strategy: string): number {
  return log.filter((attempt) => attempt.strategy === strategy).length;
}

/** The last accepted attempt without optional parameters. */
function lastAccepted({ log }: SearchState): Attempt | undefined {
  return log.findLast(({ verdict, strategy }) => verdict === 'accepted' && strategy !== 'complete');
}

/** Whether an accepted empty list is worth the next target in the same turn. */
export function isWorthAnotherTarget({ log }: SearchState, operation: Operation): boolean {
  const empty = log.filter(({ isEmptyList, strategy }) => isEmptyList && strategy === 'candidates');
  return log.at(-1)?.isEmptyList === true && slotsOf(operation.path).length > 0 && empty.length <= most.emptyLists;
}
