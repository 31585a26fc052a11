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

/** After so many failures in a row a job is still tried, but the device's later jobs no longer wait for it. */
const triesInOrder = 3;
const longestPauseMs = 15_000;

interface Trouble {
  readonly tries: number;
  readonly againAt: EpochMilliseconds;
}

/**
 * The job machine. All that it has to know stands in the store, and each step is written before the next begins: whoever dies between two
 * steps is followed by one who does the second, and a step done twice is done once. It has no timer.
 */
export function createJobRunner({ store, link, clock, jobData, settle, logger }: JobRunnerNeeds): JobRunner {
  const troubles = new Map<string, Trouble>();

  /** @returns when to look at the job again */
  async function advance(job: Job): Promise<EpochMilliseconds | null> {
    const { sealedData, ...rest } = job;
    const data = sealedData === null ? {} : jobData.open(job.jobId, sealedData);
    const progress = await link.deliver({ ...rest, data });
    if (progress.kind === 'done') {
      await settle(job, progress.report);
      return null;
    }
    if (progress.isTaken && job.status === 'queued') await store.jobs.markDelivered(job.jobId, clock.now());
    return progress.askAgainAt;
  }

  async function tryAdvance(job: Job): Promise<EpochMilliseconds | null> {
    try {
      const next = await advance(job);
      troubles.delete(job.jobId);
      return next;
    } catch (error) {
      const { jobId, jobType, deviceId } = job;
      const tries = (troubles.get(jobId)?.tries ?? 0) + 1;
      const againAt = clock.now() + Math.min(1000 * 2 ** (tries - 1), longestPauseMs);
      troubles.set(jobId, { tries, againAt });
      logger.error(
        { err: error, jobId, jobType, deviceId, tries },
        'a job could not be run, will try again until it expires',
      );
      return againAt;
    }
  }

  return {
    async tick() {
      const jobs = await store.jobs.listUnfinished(clock.now());
      const listed = new Set(jobs.map(({ jobId }) => jobId));
      for (const jobId of troubles.keys()) if (!listed.has(jobId)) troubles.delete(jobId);
      const waiting = new Set<string>();
      const due: EpochMilliseconds[] = [];
      for (const job of jobs) {
        // What comes later for a device must not overtake: a PIN would be deleted, and then stored.
        if (waiting.has(job.deviceId)) continue;
        // The jobs before it took their time: a door must not open for somebody who has been told that it will not.
        if (clock.now() >= job.expiresAt) continue;
        const againAt = troubles.get(job.jobId)?.againAt ?? 0;
        const next = clock.now() < againAt ? againAt : await tryAdvance(job);
        if ((troubles.get(job.jobId)?.tries ?? triesInOrder) < triesInOrder) waiting.add(job.deviceId);
        if (next !== null) due.push(next);
      }
      return due.length === 0 ? null : due.reduce((a, b) => Math.min(a, b));
    },
  };
}
