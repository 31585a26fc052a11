import type { Instant } from '@lockstep/values/instant';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import type { Exchange, NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import type { Permissions } from '../plan/permissions.ts';
import type { Resources } from '../resources/resources.ts';
import type { Judge } from '../schema/create-judge.ts';

/** All that a scenario and a check may know. It changes between two rounds alone. */
export interface RunContext {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly permissions: Permissions;
  readonly now: Instant;
  readonly seed: number;
  /** Marks what this run made. */
  readonly tag: string;
  /** Undefined: the check `slow` is off. */
  readonly slowMs: number | undefined;
  /** Learned from accepted answers. */
  readonly resources: Resources;
  /** How many requests of one operation failed so far as this exchange did, itself among them. */
  readonly failedLike: (exchange: Exchange) => number;
  /** Secrets that earlier answers carried. */
  readonly secretsSeen: readonly SecretSeen[];
}

export interface SecretSeen {
  readonly text: string;
  readonly operation: Operation;
  readonly pointer: string;
}

/** The parts of the world that a check of one exchange may look at. */
export type CheckContext = Pick<RunContext, 'contract' | 'judge' | 'slowMs' | 'secretsSeen'>;

/** An exchange settles one obligation: met without failures, violated with them. */
export interface Verdict {
  readonly place: string;
  readonly failures: readonly Failure[];
  /** Why it says nothing although something came there that had to be judged; there are no failures then. */
  readonly unjudged?: string;
}

interface Described {
  readonly name: string;
  readonly about: string;
  /** The obligations of this check about an operation. */
  readonly plan: (operation: Operation) => readonly Planned[];
  /** The answer that this check needs to judge a place, as in `refusal`; by default the place itself. */
  readonly needs?: (place: string) => string;
}

/** A pure function of contract and exchange. */
export interface ExchangeCheck extends Described {
  readonly kind?: 'exchange';
  readonly judge: (exchange: NumberedExchange, context: CheckContext) => readonly Verdict[];
}

/** A pure function of the exchanges of one scenario, and of what the run knows: for controls, repeats and comparisons. */
export interface TraceCheck extends Described {
  readonly kind: 'trace';
  readonly judge: (trace: Trace, context: RunContext) => readonly TraceVerdict[];
}

export type Check = ExchangeCheck | TraceCheck;

export interface TraceVerdict extends Verdict {
  /** The exchange that shows it. */
  readonly exchange: NumberedExchange;
}

/** A place of an exchange at which something is to be established, and the part of the contract that says so. */
export interface Planned {
  /** `response 200 header X-Total`. */
  readonly place: string;
  readonly pointer: Pointer;
  /** Left out: the part as a whole. */
  readonly keyword?: string;
}

/** The one place of checks that look at each answer as a whole. */
export const wholeAnswer = 'every answer';

export function judgeWhole(...failures: readonly Failure[]): readonly Verdict[] {
  return [{ place: wholeAnswer, failures }];
}

export function planWholeAnswer({ pointer }: Operation): readonly Planned[] {
  return [{ place: wholeAnswer, pointer }];
}
