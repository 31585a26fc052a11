import type { Operation } from '../contract/contract.ts';
import type { Known } from '../data/records.ts';
import type { PhaseName } from '../plan/phases.ts';
import type { Exchange } from './exchange.ts';
import type { SendCase } from './send-case.ts';

/** A piece of work that runs by itself: it sees what was known at the start of its round, and its own answers. */
export interface Scenario {
  readonly operation: Operation;
  readonly phase: PhaseName;
  /** The most requests that it may need: reserved from the budget before it starts. */
  readonly mostRequests: number;
  readonly run: (context: SendCase, known: readonly Known[], allowance: number) => Promise<ScenarioResult>;
}

export interface ScenarioResult {
  readonly operation: Operation;
  readonly exchanges: readonly Exchange[];
  /** Why something could not be sent. */
  readonly reasons: readonly string[];
}
