import type { Operation } from '../contract/contract.ts';
import type { Exchange, PhaseName } from './exchange.ts';
import type { Session } from './session.ts';

/** The part of the API that a scenario touches: two that may disturb each other run one after another. */
export interface Domain {
  /** Path of the contract up to its first parameter, `/devices`: what lies beneath belongs to it. */
  readonly path: string;
  /** `reads` go together, one that `writes` is by itself within its path, and one that runs `alone` in the whole run. */
  readonly kind: 'reads' | 'writes' | 'alone';
}

/** A place in the queue: of two, the one that is smaller at the first number in which they differ goes first. */
export type Rank = readonly number[];

export function compareRanks(a: Rank, b: Rank): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? 0);
}

/** A piece of work that waits in the queue, takes its turn, and may wait again for what others find out. */
export interface Scenario<RunContext> {
  /** Unique in the run: `baseline getDevices`. */
  readonly id: string;
  readonly operation: Operation;
  readonly phase: PhaseName;
  readonly domain: Domain;
  /** The most requests of one turn: reserved from the budget before it starts. */
  readonly mostRequests: number;
  /**
   * Its place in the queue now: of those waiting, all of the first rank make the next round.
   *
   * @returns undefined where it has nothing to send at present; it is asked again after the next round
   */
  readonly rank: (context: RunContext) => Rank | undefined;
  /** One turn. It sees the world as it was at the start of its round, and its own answers. */
  readonly run: (session: Session, context: RunContext, allowance: number) => Promise<Turn>;
}

export interface Turn {
  readonly exchanges: readonly Exchange[];
  /** Why something could not be sent. */
  readonly reasons: readonly string[];
}
