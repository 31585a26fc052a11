import type { DocsHandler } from '@lockstep/runtime/docs/serve-docs';
import { runUntilStopped, type Stoppable, throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { onHangUp } from '../hang-up.ts';
import { isServingProcess, runServingProcess, startServingProcess } from '../serving-process.ts';
import type { RunningService } from '../start-service.ts';
import { describeDatabase } from '../store/database-address.ts';
import { supervise } from '../supervise.ts';
import { describeFailure } from './describe-failure.ts';
import { readProcesses } from './read-option.ts';
import type { Shell } from './shell.ts';

export function addServeCommand(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'print as JSON why the server does not start')
    .option('--processes <number>', 'serve by 1 to 64 processes on one port; only on PostgreSQL', readProcesses)
    .addHelpText(
      'after',
      "\nSIGINT or SIGTERM stops the server with exit code 0, also during the start. Requests under way have 10 seconds. A second signal stops it at once.\nWith --processes, one more process starts and watches the others: one that exits is started again. SIGHUP replaces them one after another, after the start if it comes before, and no request is lost.\nIf the log can't be written, the server goes on. Beyond 1 MiB it drops lines, and it logs their number as soon as it can write again.",
    )
    .action(async ({ processes }: { readonly processes?: number }) => {
      if (isServingProcess) return serveAsOneOfSeveral(shell);
      const config = shell.prepare();
      if (processes !== undefined) requireManyWriters(config);
      // The log is small and comes first: slow imports follow when the signal handlers are set.
      const { openLog } = await import('../open-log.ts');
      const { logger, end } = openLog(config.logLevel, 1);
      await runUntilStopped(logger, async (stopping) => {
        const service =
          processes === undefined
            ? await serve(config, logger, { stopping })
            : await serveByProcesses(config, logger, { processes, stopping });
        const database = describeDatabase(config.database);
        logger.info({ origin: service.origin, database, processes, tzdata: process.versions.tz }, 'ready');
        return service;
      });
      await end();
      process.exit(0);
    });
}

/** @throws WrongUse */
function requireManyWriters({ database }: Config): void {
  if (database.kind !== 'sqlite') return;
  throw new WrongUse(
    `--processes needs PostgreSQL, and DATABASE_URL is the SQLite file ${database.file}: only one process at a time can write to it. Serve without --processes, or set DATABASE_URL=postgres://USER:PASSWORD@HOST:PORT/NAME.`,
  );
}

interface ServeOptions {
  readonly stopping: AbortSignal;
  /** Whether other processes accept connections on the port meanwhile. */
  readonly isOneOfSeveral?: boolean;
}

/**
 * `serve`: starts the service on the keys and the database of an operator.
 *
 * @throws KeyFileFault, WrongUse for docs that can't be served, StoreUnusable, an error with `code: 'EADDRINUSE'`, or the reason of
 *   `stopping`. Nothing stays open
 */
async function serve(
  config: Config,
  logger: Logger,
  { stopping, isOneOfSeveral = false }: ServeOptions,
): Promise<RunningService> {
  // The parent has warned already.
  const { keys, store } = await openDatabase(config, isOneOfSeveral ? undefined : logger, stopping);
  try {
    const docs = config.docsFolder === undefined ? undefined : await readDocsFor(config.docsFolder);
    await throwIfStopping(stopping);
    // Loading takes half a second, so faults of keys and database are reported before.
    const { startService } = await import('../start-service.ts');
    return await startService({
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
      listensLast: isOneOfSeveral && (config.port !== 0 || config.publicOrigin !== undefined),
      ...(docs && { docs }),
      stopping,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws KeyFileFault, StoreUnusable, or the reason of `stopping` */
async function openDatabase(config: Config, logger: Logger | undefined, stopping: AbortSignal) {
  const [{ readKeyFile }, { openStore }] = await Promise.all([
    import('../key-file.ts'),
    import('../store/open-store.ts'),
  ]);
  const keys = await readKeyFile(config.keyFile, { warn: (text) => logger?.warn(text) });
  await throwIfStopping(stopping);
  return { keys, store: await openStore(config.database, { mayCreate: false }) };
}

/**
 * The parent of `serve --processes`: migrates the database, then starts and watches the processes. SIGHUP replaces them.
 *
 * @throws the same as `serve`
 */
async function serveByProcesses(
  config: Config,
  logger: Logger,
  { processes, stopping }: { readonly processes: number; readonly stopping: AbortSignal },
): Promise<Stoppable & { readonly origin: string }> {
  const { keys, store } = await openDatabase(config, logger, stopping);
  const { requireOwnKeys } = await import('../require-own-keys.ts');
  await requireOwnKeys(store, keys).finally(() => store.close());
  await throwIfStopping(stopping);
  const supervised = await supervise({ count: processes, start: startServingProcess, logger, stopping });
  onHangUp(() => {
    logger.info({ signal: 'SIGHUP' }, 'replacing all processes');
    void supervised.replaceAll();
  });
  return supervised;
}

async function serveAsOneOfSeveral(shell: Shell): Promise<void> {
  const { openLog } = await import('../open-log.ts');
  let end = async (): Promise<void> => undefined;
  await runServingProcess(async (stopping) => {
    const config = shell.prepare();
    const log = openLog(config.logLevel, 1);
    end = log.end;
    return serve(config, log.logger, { stopping, isOneOfSeveral: true });
  }, describeFailure);
  await end();
  process.exit();
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
