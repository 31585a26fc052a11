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
  readonly settle: (job: Job, report: BridgeReport) => Promise<void>;
  readonly logger: { error(fields: object, text: string): void };
}

export interface JobRunner {
  /**
   * Advances every unfinished job that this process may run as far as possible now, in order of creation. Calls must not overlap.
   *
   * @returns the time of the next step; null while nothing is due
   * @throws the store's error when it can't list the jobs
   */
  tick(): Promise<EpochMilliseconds | null>;
}

const longestPauseMs = 15_000;

interface Retry {
  readonly tries: number;
  readonly againAt: EpochMilliseconds;
}

/** `next`: the time to look at the job again; null if only the link or the job's end changes anything. */
interface Step {
  readonly state: 'done' | 'under_way' | 'failed';
  readonly next: EpochMilliseconds | null;
}

/**
 * The job machine. Its whole state is in the store, and each step is written before the next begins. If a process dies between two steps,
 * its successor does the second; a repeated step has no further effect. The machine has no timer.
 */
export function createJobRunner({ store, link, clock, jobData, settle, logger }: JobRunnerNeeds): JobRunner {
  const retries = new Map<string, Retry>();

  async function advance(job: Job): Promise<Step> {
    const { sealedData, ...rest } = job;
    const data = sealedData === null ? {} : jobData.open(job.jobId, sealedData);
    const progress = await link.deliver({ ...rest, data });
    if (progress.kind === 'done') {
      await settle(job, progress.report);
      return { state: 'done', next: null };
    }
    if (progress.isDelivered && job.status === 'queued') await store.jobs.markDelivered(job.jobId, clock.now());
    return { state: 'under_way', next: progress.askAgainAt };
  }

  async function tryAdvance(job: Job): Promise<Step> {
    const next = retries.get(job.jobId)?.againAt ?? 0;
    const pause = next - clock.now();
    // A longer pause comes from a clock that went back.
    if (pause > 0 && pause <= longestPauseMs) return { state: 'failed', next };
    try {
      const step = await advance(job);
      retries.delete(job.jobId);
      return step;
    } catch (error) {
      const { jobId, jobType, deviceId } = job;
      const tries = (retries.get(jobId)?.tries ?? 0) + 1;
      const againAt = clock.now() + Math.min(1000 * 2 ** (tries - 1), longestPauseMs);
      retries.set(jobId, { tries, againAt });
      logger.error(
        { err: error, jobId, jobType, deviceId, tries },
        'a job could not be run, will try again until it expires',
      );
      return { state: 'failed', next: againAt };
    }
  }

  return {
    async tick() {
      const { jobs, until, lookAgainAt } = await store.jobs.lease(clock.now());
      const listed = new Set(jobs.map(({ jobId }) => jobId));
      for (const jobId of retries.keys()) if (!listed.has(jobId)) retries.delete(jobId);
      // A later job of a device must not overtake an earlier one, or a PIN would be deleted before it is stored. So it waits for a failed
      // job, and for one under way if the clock went back by either's times: the link would run them in another order. A job delays the
      // later ones until it expires, no longer.
      const underWay = new Map<string, EpochMilliseconds>();
      const due: EpochMilliseconds[] = lookAgainAt === null ? [] : [lookAgainAt];
      for (const job of jobs) {
        // The jobs before it took too long: another process may run the device's next job by now.
        if (clock.now() >= until) return clock.now();
        const before = underWay.get(job.deviceId);
        if (before !== undefined && (job.createdAt < before || job.createdAt > clock.now())) {
          underWay.set(job.deviceId, Number.POSITIVE_INFINITY);
          continue;
        }
        // The jobs before it took time: a door must not open once the client has read that the job expired.
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
