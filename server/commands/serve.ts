import type { DocsHandler } from '@lockstep/runtime/docs/serve-docs';
import { runUntilStopped, throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { RunningService } from '../start-service.ts';
import type { Shell } from './shell.ts';

export function addServeCommand(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'print as JSON why the server does not start')
    .addHelpText(
      'after',
      "\nSIGINT or SIGTERM stops the server with exit code 0, also during the start. Requests under way have 10 seconds. A second signal stops it at once.\nIf the log can't be written, the server goes on. Beyond 1 MiB it drops lines, and it logs their number as soon as it can write again.",
    )
    .action(async () => {
      const config = shell.prepare();
      // The log is small and comes first: slow imports follow when the signal handlers are set.
      const { openLog } = await import('../open-log.ts');
      const { logger, end } = openLog(config.logLevel, 1);
      await runUntilStopped(logger, (stopping) => serve(config, logger, stopping));
      await end();
      process.exit(0);
    });
}

/**
 * `serve`: starts the service on the keys and the database of an operator.
 *
 * @throws KeyFileFault, WrongUse for docs that can't be served, StoreUnusable, an error with `code: 'EADDRINUSE'`, or the reason of
 *   `stopping`. Nothing stays open
 */
async function serve(config: Config, logger: Logger, stopping: AbortSignal): Promise<RunningService> {
  const [{ readKeyFile }, { openStore }, { describeDatabase }] = await Promise.all([
    import('../key-file.ts'),
    import('../store/open-store.ts'),
    import('../store/database-address.ts'),
  ]);
  const keys = await readKeyFile(config.keyFile, { warn: (text) => logger.warn(text) });
  const docs = config.docsFolder === undefined ? undefined : await readDocsFor(config.docsFolder);
  await throwIfStopping(stopping);
  const store = await openStore(config.database, { mayCreate: false });
  try {
    await throwIfStopping(stopping);
    // Loading takes half a second, so faults of keys and database are reported before.
    const { startService } = await import('../start-service.ts');
    const service = await startService({
      store,
      keys,
      clock: systemClock,
      logger,
      checkResponses: false,
      differentialValidation: config.differentialValidation ? 'logged' : 'off',
      accountQuota: config.accountQuota,
      maxConnections: config.maxConnections,
      corsOrigins: config.corsOrigins,
      port: config.port,
      host: config.host,
      publicOrigin: config.publicOrigin,
      ...(docs && { docs }),
      stopping,
    });
    const database = describeDatabase(config.database);
    logger.info({ origin: service.origin, database, tzdata: process.versions.tz }, 'ready');
    return service;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws WrongUse with the command that builds the docs, when they can't be served */
async function readDocsFor(folder: string): Promise<(origin: string) => Promise<DocsHandler>> {
  const [{ createDocsHandler, DocsUnusable, readDocs }, { default: contract }] = await Promise.all([
    import('@lockstep/runtime/docs/serve-docs'),
    import('@lockstep/contract/contract.json', { with: { type: 'json' } }),
  ]);
  try {
    const docs = await readDocs(folder, { contract: contract['x-generated'].contract });
    return (origin) => createDocsHandler(docs, origin);
  } catch (cause) {
    if (!(cause instanceof DocsUnusable)) throw cause;
    const command = ['npm', 'run', 'docs', '--', '--build-only', '--out', folder];
    throw new WrongUse(cause.message, { cause, fixes: [{ message: 'Build it', command }] });
  }
}
