import type { Contract, Operation } from '../contract/contract.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import type { Judge } from '../schema/create-judge.ts';

/** What a check may look at besides the exchange. */
export interface CheckContext {
  readonly contract: Contract;
  readonly judge: Judge;
  /** Undefined: `slow` is off. */
  readonly slowMs: number | undefined;
  /** Secrets that earlier answers carried. */
  readonly secretsSeen: readonly SecretSeen[];
}

export interface SecretSeen {
  readonly text: string;
  readonly operation: Operation;
  readonly pointer: string;
}

/** What an exchange says about one obligation: met without failures, violated with them. */
export interface Verdict {
  readonly place: string;
  readonly failures: readonly Failure[];
}

/** A pure function of contract and exchange. */
export interface Check {
  readonly name: string;
  readonly about: string;
  /** Places of an operation at which this check has something to establish. */
  readonly plan: (operation: Operation) => readonly string[];
  /** What would have had to come at a place for this check to judge it, as in `refusal`; by default the place itself. */
  readonly needs?: (place: string) => string;
  readonly judge: (exchange: NumberedExchange, context: CheckContext) => readonly Verdict[];
}

/** The one place of checks that look at each answer as a whole. */
export const wholeAnswer = 'every answer';
