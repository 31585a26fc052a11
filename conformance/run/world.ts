import type { Contract, Operation } from '../contract/contract.ts';
import type { Instant } from '../data/time.ts';
import type { Exchange } from '../execute/exchange.ts';
import type { Permissions } from '../plan/permissions.ts';
import type { SharedLessons } from '../resources/lessons.ts';
import type { Resources } from '../resources/resources.ts';
import type { Judge } from '../schema/create-judge.ts';

/** All that a scenario and a check may know. It changes between two rounds alone. */
export interface World {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly permissions: Permissions;
  readonly now: Instant;
  readonly seed: number;
  /** Marks what this run made. */
  readonly tag: string;
  /** Undefined: the check `slow` is off. */
  readonly slowMs: number | undefined;
  /** What accepted answers showed. */
  readonly resources: Resources;
  /** What refusals taught about schemas that operations share. */
  readonly lessons: SharedLessons;
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
