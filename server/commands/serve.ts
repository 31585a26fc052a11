import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { createDocsHandler, type Docs, DocsUnusable, readDocs } from '@lockstep/runtime/docs/serve-docs';
import { throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { readKeyFile } from '../key-file.ts';
import type { RunningService } from '../start-service.ts';
import { openSqliteStore } from '../store/sqlite/open-store.ts';

/**
 * `serve`: starts the service on the keys and the database of an operator.
 *
 * @throws KeyFileFault, WrongUse for docs that can't be served, StoreUnusable, or an error with `code: 'EADDRINUSE'`: it doesn't start, and says why; or the reason of `stopping`.
 *   Nothing is left open
 */
export async function serve(config: Config, logger: Logger, stopping: AbortSignal): Promise<RunningService> {
  const keys = await readKeyFile(config.keyFile, { warn: (text) => logger.warn(text) });
  const docs = config.docsFolder === undefined ? undefined : await readDocsFor(config.docsFolder);
  await throwIfStopping(stopping);
  const store = await openSqliteStore(config.database, { mayCreate: false });
  try {
    await throwIfStopping(stopping);
    // It takes half a second to load: what is wrong with keys and database is told before.
    const { startService } = await import('../start-service.ts');
    const service = await startService({
      store,
      keys,
      clock: systemClock,
      logger,
      checkResponses: false,
      secondOpinion: config.secondOpinion ? 'logged' : 'off',
      accountQuota: config.accountQuota,
      maxConnections: config.maxConnections,
      corsOrigins: config.corsOrigins,
      port: config.port,
      host: config.host,
      publicOrigin: config.publicOrigin,
      ...(docs && { docs: (origin) => createDocsHandler(docs, origin) }),
      stopping,
    });
    logger.info({ origin: service.origin, database: config.database, tzdata: process.versions.tz }, 'ready');
    return service;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What the docs lack is the operator's to mend. */
async function readDocsFor(folder: string): Promise<Docs> {
  try {
    return await readDocs(folder, { contract: contract['x-generated'].contract });
  } catch (cause) {
    if (!(cause instanceof DocsUnusable)) throw cause;
    const command = ['npm', 'run', 'docs', '--', '--build-only', '--out', folder];
    throw new WrongUse(cause.message, { cause, cures: [{ says: 'Build it', command }] });
  }
}
