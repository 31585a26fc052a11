import type { Operation } from '../contract/contract.ts';
import type { PlannedProbe } from '../plan/plan.ts';
import type { Exchange, PhaseName } from './exchange.ts';
import type { Session } from './session.ts';

/** The part of the API that a scenario affects: scenarios that may disturb each other run one after another. */
export interface Domain {
  /** Path of the contract up to its first parameter, `/devices`; it includes everything beneath. */
  readonly path: string;
  /** `reads` run concurrently; `writes` excludes others within its path; `alone` excludes all others. */
  readonly kind: 'reads' | 'writes' | 'alone';
}

/** A position in the queue, compared number by number; the smaller one goes first. */
export type Rank = readonly number[];

export function compareRanks(a: Rank, b: Rank): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? 0);
}

/** A unit of work in the queue. After a turn it may wait again for results of others. */
export interface Scenario<RunContext> {
  /** Unique in the run: `baseline getDevices`. */
  readonly id: string;
  readonly operation: Operation;
  readonly phase: PhaseName;
  readonly domain: Domain;
  /** Whether only the budget stops it: if nothing else is left, the run is complete. */
  readonly isEndless?: boolean;
  /** The most requests of one turn: reserved from the budget before it starts. */
  readonly mostRequests: number;
  /**
   * The current position in the queue: all scenarios of the first rank form the next round.
   *
   * @returns undefined if there is nothing to send at present; it is called again after the next round
   */
  readonly rank: (context: RunContext) => Rank | undefined;
  /**
   * Makes the requests of the next turns, where `rank` has only assumed the best rank that they may have. It is called for scenarios of
   * the first rank: all operations at once would need more memory, and would delay the first request.
   *
   * @returns whether the rank may have changed
   */
  readonly prepare?: (context: RunContext) => boolean;
  /** Runs a turn. It reads the run context of the start of its round, and its own answers. */
  readonly run: (session: Session, context: RunContext, allowance: number) => Promise<Turn>;
}

export interface Turn {
  readonly exchanges: readonly Exchange[];
  /** Reasons why a request could not be sent. */
  readonly reasons: readonly string[];
  /** The obligations of a probe that could not be sent, with the reason. */
  readonly left?: { readonly checks: readonly string[]; readonly place: string; readonly reason: string } | undefined;
  /** Obligations of probes that were made during the run. */
  readonly planned?: readonly PlannedProbe[];
}
