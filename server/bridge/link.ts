import type { EpochMilliseconds } from '../clock.ts';
import type { JobType } from '../store/jobs/job-store.ts';
import type { Device } from '../store/records.ts';
import type { LogItem } from '../virtual-lock/lock-log.ts';
import type { JobData } from './job-data.ts';

/** What a bridge is handed. It knows a job by its id: handed twice, it is done once. */
export interface BridgeJob {
  readonly jobId: string;
  readonly jobType: JobType;
  readonly accountId: string;
  readonly bridgeId: string;
  /** The bridge itself, or the lock or keypad behind it. */
  readonly deviceId: string;
  readonly data: JobData;
  readonly createdAt: EpochMilliseconds;
}

/** What a bridge says of a job that it has done. */
export interface BridgeReport {
  /** 0 done, 1 to 7 why not, as the contract lists them. */
  readonly result: number;
  /** The other members of `opResult`. */
  readonly output: Readonly<Record<string, unknown>>;
  /** What the job left in the device's log, or all that was asked for. One item is one entry, however often it comes. */
  readonly items: readonly LogItem[];
  /** Percent; null where the bridge did not learn it. */
  readonly batteryLevel: number | null;
}

export type Progress =
  /** `askAgainAt`: when there may be more to say; null where only the link's own `wake` or the job's end will tell. */
  | { readonly kind: 'under_way'; readonly isTaken: boolean; readonly askAgainAt: EpochMilliseconds | null }
  | { readonly kind: 'done'; readonly report: BridgeReport };

/** The way to the bridges. Simulated ones are the default; a real network goes behind the same two methods. */
export interface BridgeLink {
  /** Whether the bridge can be handed a job now. */
  isOnline(bridge: Device): boolean;
  /**
   * Hands a job to its bridge, or asks after it: the job machine does so again and again until the job has ended, also after a restart.
   * So a job is delivered at least once, and a report that could not be kept is asked for once more. It answers soon: a link that waits
   * for its network says `under_way` meanwhile.
   *
   * @throws whatever went wrong on the way; the job is tried again later
   */
  deliver(job: BridgeJob): Promise<Progress>;
}
