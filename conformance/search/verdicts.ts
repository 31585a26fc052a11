import type { Attempt, SearchState, Verdict } from './attempt.ts';

export interface Facts {
  readonly state: SearchState;
  readonly outcome: Attempt['exchange']['outcome'];
  /** Whether the method or the contract promises that a second request changes nothing more. */
  readonly isRepeatable: boolean;
  /** Whether two executions leave at most one object more: a repeatable request, or a create without a declared effect. */
  readonly mayCreateTwice: boolean;
  readonly isOverloaded: boolean;
  /** Whether the answer has a `Retry-After` (RFC 9110, 10.2.3). */
  readonly asksAgain: boolean;
  readonly isAccepted: boolean;
  /** Whether the path has values of a target. */
  readonly hasTarget: boolean;
  readonly hasPath: boolean;
  /** Number of media types that a body may have. */
  readonly contents: number;
  /** `constraint`: the rejection changes the next request; `path`: it is about a path parameter. */
  readonly learned: 'constraint' | 'path' | 'nothing';
  /** Number of earlier rejections of the operation with the same text. */
  readonly sameWords: number;
}

const most = { failures: 3, busy: 2, forbidden: 2, forbiddenData: 4, words: 5, fresh: 2, constraints: 8 } as const;

type Condition = (facts: Facts) => boolean;

interface Row {
  readonly on: 'accepted' | 'none' | 'overloaded' | '5xx' | '4xx' | readonly number[];
  readonly when?: Condition;
  readonly verdict: Verdict;
}

/** Whether an object with the same names may exist: not if a request with other names was rejected with the same text. */
const mayBeTaken: Condition = ({ state: { variant }, sameWords }) =>
  variant.hasBody && variant.fresh < most.fresh && (variant.fresh === 0 || sameWords === 0);
const isRepeatable: Condition = (facts) => facts.isRepeatable;
const isConstrained: Condition = ({ learned, state }) =>
  learned === 'constraint' && countOf(state, 'constrained') < most.constraints;
const isAboutPath: Condition = ({ hasPath, learned, outcome }) =>
  hasPath && (learned === 'path' || [404, 409, 410].includes(statusOf(outcome)));
/** Whether at least so many attempts, this one included, got a server error or no answer. */
const isBroken =
  (times: number): Condition =>
  ({ state }) =>
    state.log.filter(({ exchange }) => statusOf(exchange.outcome) === 0 || isServerError(exchange.outcome)).length +
      1 >=
    times;
const isBusy =
  (times: number): Condition =>
  ({ state }) =>
    countOf(state, 'later') + countOf(state, 'later, alone') >= times;

/** From status to verdict: the first matching row decides. */
const table: readonly Row[] = [
  { on: 'accepted', verdict: 'accepted' },

  // After a timeout a second try would most likely time out again.
  { on: 'none', when: ({ outcome }) => outcome.kind === 'none' && outcome.reason === 'timeout', verdict: 'over' },
  { on: 'none', when: isRepeatable, verdict: 'over' },
  { on: 'none', when: isBroken(most.failures), verdict: 'over' },
  { on: 'none', verdict: 'fresh, alone' },

  { on: [401, 402, 405, 406, 429], verdict: 'over' },
  {
    on: [403],
    when: ({ hasTarget, state }) => hasTarget && countOf(state, 'forbidden') < most.forbidden,
    verdict: 'forbidden',
  },
  { on: [403], when: ({ hasTarget }) => hasTarget, verdict: 'over' },
  // A body may name an object of another owner.
  {
    on: [403],
    when: ({ state }) => state.variant.hasBody && countStatus(state, 403) < most.forbiddenData,
    verdict: 'other data',
  },
  { on: [403], verdict: 'over' },

  { on: 'overloaded', when: isBusy(most.busy), verdict: 'over' },
  { on: 'overloaded', when: ({ mayCreateTwice }) => mayCreateTwice, verdict: 'later, alone' },
  { on: 'overloaded', when: ({ asksAgain }) => asksAgain, verdict: 'later' },
  { on: 'overloaded', verdict: 'over' },

  { on: [501], when: isConstrained, verdict: 'constrained' },
  // A gateway that gave up may have passed the request on (RFC 9110, 15.6.3 and 15.6.5).
  { on: [501, 502, 504], verdict: 'over' },

  // The server may require a body that the contract declares optional.
  {
    on: [400, 411, 422, 500],
    when: ({ state, contents }) => !state.variant.hasBody && contents > 0,
    verdict: 'with body',
  },
  { on: '5xx', when: isBroken(most.failures), verdict: 'over' },
  { on: '5xx', when: (facts) => !facts.isRepeatable, verdict: 'fresh, alone' },
  { on: '5xx', when: isBroken(2), verdict: 'other target' },
  { on: '5xx', verdict: 'other data' },

  { on: [415], when: ({ state, contents }) => state.variant.content + 1 < contents, verdict: 'next media type' },
  { on: '4xx', when: ({ sameWords }) => sameWords >= most.words, verdict: 'over' },
  { on: '4xx', when: isConstrained, verdict: 'constrained' },
  { on: [409], when: mayBeTaken, verdict: 'fresh' },
  { on: '4xx', when: isAboutPath, verdict: 'other target' },
  { on: '4xx', verdict: 'other data' },
];

export function judgeAttempt(facts: Facts): Verdict {
  const row = table.find(({ on, when }) => fits(on, facts) && when?.(facts) !== false);
  return row?.verdict ?? 'over';
}

function fits(on: Row['on'], { outcome, isAccepted, isOverloaded }: Facts): boolean {
  const status = statusOf(outcome);
  if (on === 'accepted') return isAccepted;
  if (on === 'none') return status === 0;
  if (on === 'overloaded') return isOverloaded;
  if (on === '5xx') return isServerError(outcome);
  return on === '4xx' ? status >= 400 && status < 500 : on.includes(status);
}

/** The status; 0 if no answer came. */
function statusOf(outcome: Facts['outcome']): number {
  return outcome.kind === 'answer' ? outcome.status : 0;
}

function isServerError(outcome: Facts['outcome']): boolean {
  return statusOf(outcome) >= 500 && ![501, 502, 503, 504].includes(statusOf(outcome));
}

function countOf({ log }: SearchState, verdict: Verdict): number {
  return log.filter((attempt) => attempt.verdict === verdict).length;
}

function countStatus({ log }: SearchState, status: number): number {
  return log.filter(({ exchange }) => statusOf(exchange.outcome) === status).length;
}
