import type { EpochMilliseconds } from '../../clock.ts';
import type { NewActivity } from '../activity/activity-store.ts';

export type JobType =
  | 'LOCK'
  | 'UNLOCK'
  | 'CREATE_PIN'
  | 'DELETE_PIN'
  | 'GET_BATTERY_LEVEL'
  | 'GET_DEVICE_STATUS'
  | 'GET_ACTIVITY_LOGS';

/** Forward only: queued, delivered, then one of the three ends. */
export type JobStatus = 'queued' | 'delivered' | 'succeeded' | 'failed' | 'expired';

/** A job as it is kept. One that is unfinished at `expiresAt` reads as expired from that instant on, whatever its row says. */
export interface Job {
  /** 24 hexadecimal digits: 4 bytes of time, 8 of chance. */
  readonly jobId: string;
  readonly accountId: string;
  readonly bridgeId: string;
  /** The device it is for: the bridge itself for a targeted job. */
  readonly deviceId: string;
  readonly jobType: JobType;
  readonly status: JobStatus;
  /** 0 done, 1 to 7 why not, -1 none yet or none ever. */
  readonly result: number;
  /** JSON object: the other members of `opResult`. */
  readonly output: string;
  readonly createdAt: EpochMilliseconds;
  readonly expiresAt: EpochMilliseconds;
  /** What the bridge is told, sealed, since it can hold the digits of a code; dropped when the job ends. */
  readonly sealedData: Uint8Array | null;
}

export interface NewJob extends Omit<Job, 'status' | 'result' | 'output'> {
  readonly clientId: string;
  readonly sealedData: Uint8Array;
}

/** What a client sent with the request so that a repetition of it makes no second job. */
export interface IdempotencyKey {
  readonly clientId: string;
  /** Keyed hash, as the client's own text is nobody's business. */
  readonly keyHash: string;
  /** Keyed hash of the request: another request under the key is refused. */
  readonly requestHash: string;
  readonly keepUntil: EpochMilliseconds;
}

export interface JobLimits {
  /** Unfinished jobs per bridge. */
  readonly unfinished: number;
  /** Accepted ones in any span of `windowMs` per bridge; null for jobs that don't count. */
  readonly rate: { readonly accepted: number; readonly windowMs: number } | null;
}

/** A key that is known: the same request came before, or another one under it. */
export type Replay = { readonly kind: 'replayed'; readonly jobId: string } | { readonly kind: 'key_reused' };

export type Creation =
  | { readonly kind: 'created' }
  | Replay
  /** `freeAt`: the first instant at which one more is accepted (rate), or the oldest unfinished one expires (queue). */
  | { readonly kind: 'rate' | 'queue_full'; readonly freeAt: EpochMilliseconds };

/** How a job ended, and what it changed: written in one transaction. */
export interface Settlement {
  readonly jobId: string;
  readonly at: EpochMilliseconds;
  /** 0: succeeded, otherwise failed. */
  readonly result: number;
  readonly output: string;
  readonly activities: readonly NewActivity[];
  /** Null: not reported. */
  readonly batteryLevel: number | null;
}

export interface JobStore {
  /** Limits, key and job in one transaction: of two at once under one key, one makes the job and the other finds it. */
  create(job: NewJob, limits: JobLimits, key: IdempotencyKey | null): Promise<Creation>;
  /** What is known of a key at `now`: the answer to a repetition, before anything else is looked at. */
  findReplay(key: IdempotencyKey, now: EpochMilliseconds): Promise<Replay | undefined>;
  /**
   * The job as it stands at `now`: unfinished and run out reads as expired, without its data.
   *
   * @returns undefined for an unknown job, one of another account and one that ended 7 days ago or more, alike
   */
  find(accountId: string, jobId: string, now: EpochMilliseconds): Promise<Job | undefined>;
  /** Unfinished jobs of the bridges, in order of creation: what a bridge still has to do after a restart. */
  listUnfinished(now: EpochMilliseconds): Promise<readonly Job[]>;
  /** As they stand at `now`, newest first. For operators. */
  list(query: {
    readonly now: EpochMilliseconds;
    readonly accountId?: string;
    readonly bridgeId?: string;
    readonly limit: number;
  }): Promise<readonly Job[]>;
  /** @returns false when it is not queued any more or has expired by `at` */
  markDelivered(jobId: string, at: EpochMilliseconds): Promise<boolean>;
  /**
   * Ends the job, unless it has ended or expired by `at`: then `activities` and battery are stored all the same, and the job stays as it is.
   *
   * @returns whether this call ended it
   */
  settle(settlement: Settlement): Promise<boolean>;
  /**
   * Marks as expired, and drops the data of, what has run out or is more than its life ahead of a clock that was set back; removes what is
   * kept no longer. A bounded number.
   *
   * @returns how many rows it touched
   */
  purge(now: EpochMilliseconds, atMost: number): Promise<number>;
}
