import { once } from 'node:events';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { readKeyFile } from '../key-file.ts';
import { openLog } from '../open-log.ts';
import { startService } from '../start-service.ts';
import { openSqliteStore } from '../store/sqlite/open-store.ts';

/**
 * `serve`: runs until SIGINT or SIGTERM, then finishes what is under way; the same signal again ends it at once. Logs are JSON on stdout.
 *
 * @throws KeyFileFault, StoreUnusable, or an error with `code: 'EADDRINUSE'`: it doesn't start, and says why; or what closing throws
 */
export async function serve(config: Config): Promise<void> {
  const { logger, end } = openLog(config.logLevel, 1);
  const keys = await readKeyFile(config.keyFile, { warn: (text) => logger.warn(text) });
  const store = await openSqliteStore(config.database, { mayCreate: false });
  try {
    const service = await startService({
      store,
      keys,
      clock: systemClock,
      logger,
      checkResponses: false,
      accountQuota: config.accountQuota,
      maxConnections: config.maxConnections,
      corsOrigins: config.corsOrigins,
      port: config.port,
      host: config.host,
      publicOrigin: config.publicOrigin,
    });
    // Before the line below: whoever reads it may send a signal at once.
    const stopped = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
    logger.info({ origin: service.origin, database: config.database }, 'ready');
    await stopped;
    await service.close();
    await end();
  } catch (error) {
    await store.close();
    throw error;
  }
}
