import type { Clock, EpochMilliseconds } from '../clock.ts';
import type { Job } from '../store/jobs/job-store.ts';
import type { Store } from '../store/store.ts';
import type { JobDataSeal } from './job-data.ts';
import type { BridgeLink, BridgeReport } from './link.ts';

export interface JobRunnerNeeds {
  readonly store: Pick<Store, 'jobs'>;
  readonly link: Pick<BridgeLink, 'deliver'>;
  readonly clock: Clock;
  readonly jobData: JobDataSeal;
  /** Keeps what a bridge reports. */
  readonly settle: (job: Job, report: BridgeReport) => Promise<void>;
  readonly logger: { error(fields: object, text: string): void };
}

export interface JobRunner {
  /**
   * Takes every unfinished job as far as it can go now, in order of creation. Calls must not overlap.
   *
   * @returns when there is more to do; null while nothing is due
   * @throws what the store throws when it can't list the jobs
   */
  tick(): Promise<EpochMilliseconds | null>;
}

const longestPauseMs = 15_000;

interface Trouble {
  readonly tries: number;
  readonly againAt: EpochMilliseconds;
}

/** `next`: when to look at the job again, null where nothing but the link or its end will tell. */
interface Step {
  readonly state: 'done' | 'under_way' | 'failed';
  readonly next: EpochMilliseconds | null;
}

/**
 * The job machine. All that it has to know stands in the store, and each step is written before the next begins: whoever dies between two
 * steps is followed by one who does the second, and a step done twice is done once. It has no timer.
 */
export function createJobRunner({ store, link, clock, jobData, settle, logger }: JobRunnerNeeds): JobRunner {
  const troubles = new Map<string, Trouble>();

  async function advance(job: Job): Promise<Step> {
    const { sealedData, ...rest } = job;
    const data = sealedData === null ? {} : jobData.open(job.jobId, sealedData);
    const progress = await link.deliver({ ...rest, data });
    if (progress.kind === 'done') {
      await settle(job, progress.report);
      return { state: 'done', next: null };
    }
    if (progress.isTaken && job.status === 'queued') await store.jobs.markDelivered(job.jobId, clock.now());
    return { state: 'under_way', next: progress.askAgainAt };
  }

  async function tryAdvance(job: Job): Promise<Step> {
    const next = troubles.get(job.jobId)?.againAt ?? 0;
    const pause = next - clock.now();
    // A longer one comes of a clock that went back.
    if (pause > 0 && pause <= longestPauseMs) return { state: 'failed', next };
    try {
      const step = await advance(job);
      troubles.delete(job.jobId);
      return step;
    } catch (error) {
      const { jobId, jobType, deviceId } = job;
      const tries = (troubles.get(jobId)?.tries ?? 0) + 1;
      const againAt = clock.now() + Math.min(1000 * 2 ** (tries - 1), longestPauseMs);
      troubles.set(jobId, { tries, againAt });
      logger.error(
        { err: error, jobId, jobType, deviceId, tries },
        'a job could not be run, will try again until it expires',
      );
      return { state: 'failed', next: againAt };
    }
  }

  return {
    async tick() {
      const jobs = await store.jobs.listUnfinished(clock.now());
      const listed = new Set(jobs.map(({ jobId }) => jobId));
      for (const jobId of troubles.keys()) if (!listed.has(jobId)) troubles.delete(jobId);
      // What comes later for a device must not overtake, or a PIN would be deleted, and then stored. So it waits for what failed, and for
      // what is under way if the clock went back, by their times or by its own: the link would take them for another order. Each holds
      // it up until it expires, no longer.
      const underWay = new Map<string, EpochMilliseconds>();
      const due: EpochMilliseconds[] = [];
      for (const job of jobs) {
        const before = underWay.get(job.deviceId);
        if (before !== undefined && (job.createdAt < before || job.createdAt > clock.now())) {
          underWay.set(job.deviceId, Number.POSITIVE_INFINITY);
          continue;
        }
        // The jobs before it took their time: a door must not open for somebody who has been told that it will not.
        if (clock.now() >= job.expiresAt) continue;
        const { state, next } = await tryAdvance(job);
        if (state === 'failed') underWay.set(job.deviceId, Number.POSITIVE_INFINITY);
        if (state === 'under_way') underWay.set(job.deviceId, job.createdAt);
        if (next !== null) due.push(next);
      }
      return due.length === 0 ? null : due.reduce((a, b) => Math.min(a, b));
    },
  };
}
