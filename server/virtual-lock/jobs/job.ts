import type { EpochMilliseconds } from '../../clock.ts';
import type { LogItem } from '../lock-log.ts';

export type JobType =
  | 'LOCK'
  | 'UNLOCK'
  | 'CREATE_PIN'
  | 'DELETE_PIN'
  | 'GET_BATTERY_LEVEL'
  | 'GET_DEVICE_STATUS'
  | 'GET_ACTIVITY_LOGS';

/** A job that a bridge delivers to a lock. */
export interface LockJob {
  readonly jobId: string;
  readonly jobType: JobType;
  /** The contract's object for this type; `{}` if it has none. The lock refuses invalid data with result 2. */
  readonly jobData: unknown;
}

/** The contract's results that a lock gives; only a bridge gives 1 (out of reach). */
export const jobResults = {
  done: 0,
  refused: 2,
  pinExists: 3,
  pinNotFound: 4,
  storageFull: 5,
  jammed: 6,
  clockWrong: 7,
} as const;

export interface JobAnswer {
  /** 0, or the reason for the failure. */
  readonly result: number;
  /** The other members of `opResult`; none unless `result` is 0. */
  readonly output: JobOutput;
  /** Log entries that this job added or asked for, in order. */
  readonly items: readonly LogItem[];
}

export interface JobOutput {
  readonly lockState?: 'locked' | 'unlocked' | 'unknown';
  readonly accessId?: string;
  readonly batteryLevel?: number;
  readonly deviceTime?: string;
  readonly firmware?: string;
}

/** The answer to a job, kept so that a job delivered twice acts once. */
export interface RememberedJob {
  readonly jobId: string;
  readonly result: number;
  readonly output: JobOutput;
  /** Numbers of log entries: from `first` on, those before `end`, none older than `from`. */
  readonly logged: { readonly first: number; readonly end: number; readonly from: EpochMilliseconds | null };
}

/** A bridge has at most 20 unfinished jobs, and a job expires after 120 seconds: a job that is delivered again is among these. */
export const rememberedJobs = 100;
