import type { Logger } from 'pino';
import type { Store } from './store/store.ts';

const rowsPerBatch = 500;
const everyMs = 60_000;

/**
 * Removes what has run out, a bounded batch each minute or so. Nothing depends on it but the size of the database.
 *
 * @returns what stops it
 */
export function startPurging(
  store: Pick<Store, 'oidc'>,
  logger: Logger,
  random: () => number = Math.random,
): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    // Jitter: several processes on one database shall not purge in step.
    timer = setTimeout(run, everyMs * (0.75 + random() / 2)).unref();
  };
  const run = async (): Promise<void> => {
    try {
      await store.oidc.purge(Math.floor(Date.now() / 1000), rowsPerBatch);
    } catch (error) {
      logger.warn({ err: error }, 'purge failed, will try again');
    }
    schedule();
  };
  schedule();
  return () => clearTimeout(timer);
}
