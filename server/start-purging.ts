import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { Store } from './store/store.ts';

const rowsPerBatch = 500;
/** Then the next kind has its turn. So a backlog goes faster than anybody can make one, and ends no round for good. */
const kindMs = 10_000;
const everyMs = 60_000;
/** Activity, and the codes that it names. */
const keptMs = 400 * 24 * 3_600_000;

interface PurgeOptions {
  /** Domain time, of jobs and activity. */
  readonly clock?: Clock;
  readonly random?: () => number;
  /** What a round is timed by, in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * Removes what has run out, each minute or so, for at most some seconds of each kind. Nothing depends on it but the size of the database,
 * and how long a job that nobody took keeps its sealed data. On the way it looks whether the database is still there, and says so if not.
 *
 * @returns what stops it
 */
export function startPurging(
  store: Pick<Store, 'oidc' | 'jobs' | 'activity' | 'accessCodes' | 'ping'>,
  logger: Logger,
  { clock = systemClock, random = Math.random, elapsed = () => performance.now() }: PurgeOptions = {},
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const kinds: readonly (() => Promise<number>)[] = [
    () => store.oidc.purge(Math.floor(Date.now() / 1000), rowsPerBatch), // tokens live on the system clock
    () => store.jobs.purge(clock.now(), rowsPerBatch),
    () => store.activity.purge(clock.now() - keptMs, rowsPerBatch),
    () => store.accessCodes.purge(clock.now() - keptMs, rowsPerBatch),
  ];
  const schedule = (): void => {
    // Jitter: several processes on one database shall not purge in step.
    if (!isStopped) timer = setTimeout(run, everyMs * (0.75 + random() / 2)).unref();
  };
  /** Batch after batch until one is not full. Between two, requests get their turn. */
  const drain = async (purge: () => Promise<number>): Promise<void> => {
    const began = elapsed();
    while (!isStopped && (await purge()) >= rowsPerBatch && elapsed() - began < kindMs) await setImmediate();
  };
  const run = async (): Promise<void> => {
    try {
      await store.ping();
      for (const purge of kinds) await drain(purge);
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
