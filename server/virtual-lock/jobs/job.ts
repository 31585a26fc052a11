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

/** What a bridge hands a lock. */
export interface LockJob {
  readonly jobId: string;
  readonly jobType: JobType;
  /** The object of the contract for this type; `{}` where it has none. What does not fit is refused with result 2. */
  readonly jobData: unknown;
}

/** Results of the contract, as far as a lock gives them; 1 (out of reach) is the bridge's to say. */
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
  /** 0, or why not. */
  readonly result: number;
  /** The members of `opResult` beside `result`; none unless it is 0. */
  readonly output: JobOutput;
  /** What this job left in the log, or asked of it; in order. */
  readonly items: readonly LogItem[];
}

export interface JobOutput {
  readonly lockState?: 'locked' | 'unlocked' | 'unknown';
  readonly accessId?: string;
  readonly batteryLevel?: number;
  readonly deviceTime?: string;
  readonly firmware?: string;
}

/** The answer to a job, kept so that one delivered twice acts once. */
export interface RememberedJob {
  readonly jobId: string;
  readonly result: number;
  readonly output: JobOutput;
  /** Numbers of log entries: from `first` on, those before `end`, none older than `from`. */
  readonly logged: { readonly first: number; readonly end: number; readonly from: EpochMilliseconds | null };
}

/** A bridge has at most 20 unfinished jobs, and a job ends after 120 seconds: what could still come again is among the last of these. */
export const rememberedJobs = 100;
