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

/** Forward only: queued, delivered, then one of the three final ones. */
export type JobStatus = 'queued' | 'delivered' | 'succeeded' | 'failed' | 'expired';

/** A job as it is read. A job that is unfinished at `expiresAt` reads as expired from then on, whatever the status in its row. */
export interface Job {
  /** 24 hexadecimal digits: 4 bytes of time, 8 random bytes. */
  readonly jobId: string;
  readonly accountId: string;
  readonly bridgeId: string;
  /** The device of the job: the bridge itself for a targeted job. */
  readonly deviceId: string;
  readonly jobType: JobType;
  readonly status: JobStatus;
  /** 0 done, 1 to 7 the reason for a failure, -1 without a result. */
  readonly result: number;
  /** JSON object: the other members of `opResult`. */
  readonly output: string;
  readonly createdAt: EpochMilliseconds;
  readonly expiresAt: EpochMilliseconds;
  /** The data for the bridge, sealed, since it can contain the digits of a code; dropped when the job is settled. */
  readonly sealedData: Uint8Array | null;
}

export interface NewJob extends Omit<Job, 'status' | 'result' | 'output'> {
  readonly clientId: string;
  readonly sealedData: Uint8Array;
}

/** The key that a client sent with the request, so that a repetition creates no second job. */
export interface IdempotencyKey {
  readonly clientId: string;
  /** Keyed hash, so that the client's own text is not stored. */
  readonly keyHash: string;
  /** Keyed hash of the request: another request with the same key is rejected. */
  readonly requestHash: string;
  readonly keepUntil: EpochMilliseconds;
}

export interface JobLimits {
  /** Unfinished jobs per bridge. */
  readonly unfinished: number;
  /** Accepted jobs in any span of `windowMs` per bridge; null for jobs that don't count. */
  readonly rate: { readonly accepted: number; readonly windowMs: number } | null;
}

/** A known key: it came before with the same request, or with another one. */
export type Replay = { readonly kind: 'replayed'; readonly jobId: string } | { readonly kind: 'key_reused' };

export type Creation =
  | { readonly kind: 'created' }
  | Replay
  /** `freeAt`: the first instant at which one more is accepted (rate), or the oldest unfinished one expires (queue). */
  | { readonly kind: 'rate' | 'queue_full'; readonly freeAt: EpochMilliseconds };

/** The end of a job and its effects, written in one transaction. */
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

export interface LeasedJobs {
  /** In order of creation; all unfinished jobs of their devices. */
  readonly jobs: readonly Job[];
  /** From then on another process may run them. */
  readonly until: EpochMilliseconds;
  /** When jobs of other processes may be free; null if no other process runs jobs. */
  readonly lookAgainAt: EpochMilliseconds | null;
}

export interface JobStore {
  /** Checks limits and key and writes the job in one transaction: of two concurrent calls with one key, one creates the job and the other finds it. */
  create(job: NewJob, limits: JobLimits, key: IdempotencyKey | null): Promise<Creation>;
  /** Finds the job of a key at `now`: a repetition is answered before any other check. */
  findReplay(key: IdempotencyKey, now: EpochMilliseconds): Promise<Replay | undefined>;
  /**
   * The job as of `now`: an unfinished job past its time reads as expired, without its data.
   *
   * @returns undefined for an unknown job, a job of another account, and one that ended 7 days ago or more
   */
  find(accountId: string, jobId: string, now: EpochMilliseconds): Promise<Job | undefined>;
  /** Unfinished jobs of all bridges, in order of creation. */
  listUnfinished(now: EpochMilliseconds): Promise<readonly Job[]>;
  /** Unfinished jobs that this process, and no other, may run. */
  lease(now: EpochMilliseconds): Promise<LeasedJobs>;
  /** Leaves its jobs to other processes. */
  release(now: EpochMilliseconds): Promise<void>;
  /** Jobs as of `now`, newest first. For operators. */
  list(query: {
    readonly now: EpochMilliseconds;
    readonly accountId?: string;
    readonly bridgeId?: string;
    readonly limit: number;
  }): Promise<readonly Job[]>;
  /** @returns false when the job is no longer queued or has expired by `at` */
  markDelivered(jobId: string, at: EpochMilliseconds): Promise<boolean>;
  /**
   * Settles the job, unless it is settled or expired by `at`. `activities` and battery level are stored in either case.
   *
   * @returns whether this call ended the job
   */
  settle(settlement: Settlement): Promise<boolean>;
  /**
   * Marks jobs as expired and drops their data if their time is over, or if they are more than a lifetime ahead of a clock that was set back.
   * Removes jobs and keys whose retention is over.
   *
   * @returns the number of changed rows, at most `atMost`
   */
  purge(now: EpochMilliseconds, atMost: number): Promise<number>;
}
