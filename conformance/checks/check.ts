import type { Instant } from '@lockstep/values/instant';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import type { AcceptedRequest, Draft, Exchange, NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import type { Permissions } from '../plan/permissions.ts';
import type { Resources } from '../resources/resources.ts';
import type { Judge } from '../schema/create-judge.ts';

/** All that scenarios and checks can read. It changes only between two rounds. */
export interface RunContext {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly permissions: Permissions;
  readonly now: Instant;
  readonly seed: number;
  /** Marks resources that this run created. */
  readonly tag: string;
  /** Longest time that the run waits for an answer that the deployment promises. */
  readonly maxWaitMs: number;
  /** Resolves after this time of the run's clock, or when the run stops. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** If undefined, the check `slow` is off. */
  readonly slowMs: number | undefined;
  /** Learned from accepted answers. */
  readonly resources: Resources;
  /** The last accepted request of each operation, of those that belong to no probe. */
  readonly accepted: ReadonlyMap<Operation, AcceptedRequest>;
  /** Operations of which a call was answered 429 with a `Retry-After`. */
  readonly limited: ReadonlySet<Operation>;
  /** Accepted writes whose answers show other values than they were sent: a story sends them again. */
  readonly doubts: ReadonlyMap<Operation, readonly Draft[]>;
  /** Number of requests of one operation that have failed like this exchange, including the exchange itself. */
  readonly failedLike: (exchange: Exchange) => number;
  /** Number of covered parts of the contract and of findings: it stays while requests show nothing new. */
  readonly discovered: () => number;
  /** Secrets in earlier answers. */
  readonly secretsSeen: readonly SecretSeen[];
}

export interface SecretSeen {
  readonly text: string;
  readonly operation: Operation;
  readonly pointer: string;
}

/** The parts of the run context that a check of one exchange can read. */
export type CheckContext = Pick<RunContext, 'contract' | 'judge' | 'slowMs' | 'secretsSeen'>;

/** The result of one obligation for an exchange: satisfied without failures, violated with failures. */
export interface Verdict {
  readonly place: string;
  readonly failures: readonly Failure[];
  /** Why the value at this place could not be judged; `failures` is empty then. */
  readonly unjudged?: string;
}

/** A requirement of HTTP within a check of several: `http-law/405-allow`. */
export interface LawDescription {
  /** The failure, as in `about` of a check. */
  readonly about: string;
  readonly clause: string;
  readonly example: Example;
  readonly fix: string;
  /** If omitted, that of the check. */
  readonly allow?: string;
}

interface Example {
  readonly sent: string;
  /** The answer, with the part of the contract that it breaks if any. */
  readonly answered: string;
}

/** The command `explain` prints every member. */
export interface Described {
  readonly name: string;
  /** The failure that the check reports. */
  readonly about: string;
  /** Its consequence for a client or an operator. */
  readonly effect: string;
  /** Documents or clauses that make it a failure: each clause of a finding begins with one of them. */
  readonly clauses: readonly string[];
  readonly example: Example;
  readonly fix: string;
  /** The change of the contract that allows such an answer, or why no change does. */
  readonly allow: string;
  /** For a check of several requirements. A finding names one of them as its keyword. */
  readonly laws?: Readonly<Record<string, LawDescription>>;
  /** The obligations of this check about an operation. */
  readonly plan: (operation: Operation) => readonly Planned[];
  /** The answer that this check needs to judge a place, as in `4xx or 5xx`; the place itself by default. */
  readonly needs?: (place: string) => string;
}

/** A pure function of contract and exchange. */
export interface ExchangeCheck extends Described {
  readonly kind?: 'exchange';
  readonly judge: (exchange: NumberedExchange, context: CheckContext) => readonly Verdict[];
}

/** A pure function of the exchanges of one scenario and of the run context, for controls, repeats and comparisons. */
export interface TraceCheck extends Described {
  readonly kind: 'trace';
  readonly judge: (trace: Trace, context: RunContext) => readonly TraceVerdict[];
}

export type Check = ExchangeCheck | TraceCheck;

export interface TraceVerdict extends Verdict {
  /** The exchange that shows it. */
  readonly exchange: NumberedExchange;
}

/** A place of an exchange that a check judges, and the part of the contract that describes it. */
export interface Planned {
  /** `response 200 header X-Total`. */
  readonly place: string;
  readonly pointer: Pointer;
  /** If omitted, the part as a whole. */
  readonly keyword?: string;
}

/** The place of checks that judge each answer as a whole. */
export const wholeAnswer = 'every answer';

export function judgeWhole(...failures: readonly Failure[]): readonly Verdict[] {
  return [{ place: wholeAnswer, failures }];
}

export function planWholeAnswer({ pointer }: Operation): readonly Planned[] {
  return [{ place: wholeAnswer, pointer }];
}
