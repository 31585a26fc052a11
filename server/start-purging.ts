import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import type { Store } from './store/store.ts';

const rowsPerBatch = 500;
/** Time per kind and round. So a backlog is removed faster than it can grow, and never blocks the other kinds. */
const kindMs = 10_000;
const everyMs = 60_000;
/** Retention of activity, and of the codes in it. */
const keptMs = 400 * 24 * 3_600_000;

interface PurgeOptions {
  /** Domain time, of jobs and activity. */
  readonly clock?: Clock;
  readonly random?: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * Removes expired rows about once a minute, for a limited time per kind. Only the size of the database depends on it, and how long an
 * undelivered job keeps its sealed data. Each round also logs a warning if the database file is gone.
 *
 * @returns a function that stops it
 */
export function startPurging(
  store: Pick<Store, 'oidc' | 'jobs' | 'activity' | 'accessCodes' | 'counters' | 'lead' | 'ping'>,
  logger: Logger,
  { clock = systemClock, random = Math.random, elapsed = () => performance.now() }: PurgeOptions = {},
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const kinds: readonly (() => Promise<number>)[] = [
    () => store.oidc.purge(Math.floor(Date.now() / 1000), rowsPerBatch), // tokens use the system clock
    () => store.counters.purge(Date.now(), rowsPerBatch),
    () => store.jobs.purge(clock.now(), rowsPerBatch),
    () => store.activity.purge(clock.now() - keptMs, rowsPerBatch),
    () => store.accessCodes.purge(clock.now() - keptMs, rowsPerBatch),
  ];
  const schedule = (): void => {
    // Jitter, so that several processes on one database do not begin at the same time: one that finds another at work skips its round.
    if (!isStopped) timer = setTimeout(run, everyMs * (0.75 + random() / 2)).unref();
  };
  /** Purges batch after batch until one is not full. Requests are answered between two batches. */
  const drain = async (purge: () => Promise<number>): Promise<void> => {
    const began = elapsed();
    while (!isStopped && (await purge()) >= rowsPerBatch && elapsed() - began < kindMs) await setImmediate();
  };
  const warn = (error: unknown): void => logger.warn({ err: error }, 'purge failed, will try again');
  const run = async (): Promise<void> => {
    try {
      await store.ping();
      await store.lead(async () => {
        // A kind may fail in each round, as on PostgreSQL if its statement takes too long: the others must not wait for it.
        for (const purge of kinds) await drain(purge).catch(warn);
      });
    } catch (error) {
      warn(error);
    }
    schedule();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
