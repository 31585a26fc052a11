import type { EpochMilliseconds } from '../clock.ts';
import type { JobType } from '../store/jobs/job-store.ts';
import type { Device } from '../store/records.ts';
import type { LogItem } from '../virtual-lock/lock-log.ts';
import type { JobData } from './job-data.ts';

/** A job for a bridge, which recognizes it by its id: a job delivered twice is done once. */
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

/** The report of a bridge on a finished job. */
export interface BridgeReport {
  /** 0 done; 1 to 7 the reason for the failure, as the contract lists them. */
  readonly result: number;
  /** The other members of `opResult`. */
  readonly output: Readonly<Record<string, unknown>>;
  /** Entries that the job added to the device's log, or asked for. An item that comes again is the same entry. */
  readonly items: readonly LogItem[];
  /** Percent; null if the bridge does not know it. */
  readonly batteryLevel: number | null;
}

export type Progress =
  /** `askAgainAt`: when to ask again; null if only the link's `wake` or the job's end changes anything. */
  | { readonly kind: 'under_way'; readonly isDelivered: boolean; readonly askAgainAt: EpochMilliseconds | null }
  | { readonly kind: 'done'; readonly report: BridgeReport };

/** The connection to the bridges. Simulated bridges are the default; a real network implements the same two methods. */
export interface BridgeLink {
  /** Whether a job can be delivered to the bridge now. */
  isOnline(bridge: Device): boolean;
  /**
   * Delivers a job to its bridge, or asks for its progress. The job machine repeats the call until the job has ended, also after a restart:
   * a job is delivered at least once, and a report that could not be stored is asked for again. The call returns soon: a link that waits
   * for its network answers `under_way`.
   *
   * @throws any error of the connection; the job is tried again later
   */
  deliver(job: BridgeJob): Promise<Progress>;
}
