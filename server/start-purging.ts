import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { Store } from './store/store.ts';

const rowsPerBatch = 500;
/** Between two batches requests get their turn; a backlog goes in several rounds. */
const batchesPerRound = 20;
const everyMs = 60_000;
const activityKeptMs = 400 * 24 * 3_600_000;

interface PurgeOptions {
  /** Domain time, of jobs and activity. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/**
 * Removes what has run out, some batches of each kind each minute or so. Nothing depends on it but the size of the database, and how
 * long a job that nobody took keeps its sealed data.
 *
 * @returns what stops it
 */
export function startPurging(
  store: Pick<Store, 'oidc' | 'jobs' | 'activity'>,
  logger: Logger,
  { clock = systemClock, random = Math.random }: PurgeOptions = {},
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const kinds: readonly (() => Promise<number>)[] = [
    () => store.oidc.purge(Math.floor(Date.now() / 1000), rowsPerBatch), // tokens live on the system clock
    () => store.jobs.purge(clock.now(), rowsPerBatch),
    () => store.activity.purge(clock.now() - activityKeptMs, rowsPerBatch),
  ];
  const schedule = (): void => {
    // Jitter: several processes on one database shall not purge in step.
    if (!isStopped) timer = setTimeout(run, everyMs * (0.75 + random() / 2)).unref();
  };
  const run = async (): Promise<void> => {
    try {
      for (const purge of kinds)
        for (let batch = 0; batch < batchesPerRound && !isStopped; batch += 1)
          if ((await purge()) < rowsPerBatch) break;
    } catch (error) {
      logger.warn({ err: error }, 'purge failed, will try again');
    }
    schedule();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
