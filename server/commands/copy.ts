import { type CommandResult, declined, done } from '@lockstep/shell/command-result';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { Command } from 'commander';
import { type CopiedStore, copyStore, UnsureCopy } from '../store/copy-store.ts';
import {
  type DatabaseAddress,
  describeDatabase,
  readDatabaseAddress,
  withoutSecrets,
} from '../store/database-address.ts';
import { StoreUnavailable } from '../store/store.ts';
import { addCommand } from './command.ts';
import { type Shell, signals } from './shell.ts';
import { createProgress } from './show-progress.ts';

interface CopyOptions {
  readonly from: string;
  readonly to: string;
}

export function addCopyCommand(program: Command, shell: Shell): void {
  addCommand(program, 'copy', 'copy a SQLite database into an empty PostgreSQL database; stop the server first')
    .requiredOption('--from <address>', 'sqlite:FILE; the copy does not change it')
    .requiredOption(
      '--to <address>',
      'postgres://USER:PASSWORD@HOST:PORT/NAME; PGPASSWORD keeps the password out of sight',
    )
    .addHelpText(
      'after',
      '\nThe command creates the schema, copies all tables, and then reads each row back and compares it. If it is interrupted, run it again: it continues\n' +
        'after the last batch. No server starts on an unfinished copy, or opens the SQLite file meanwhile. Serve from the copy with the same key file: tokens,\n' +
        'passwords and codes stay valid. DATABASE_URL has no effect.',
    )
    .action(
      shell.run(async ({ keyFile }, { from, to }: CopyOptions) => {
        const began = performance.now();
        const elapsed = () => performance.now() - began;
        const progress = createProgress(shell.own.stderr, elapsed);
        const interruption = new AbortController();
        const abort = () => interruption.abort();
        // A second signal stops the process at once; each batch is complete all the same.
        for (const name of signals) process.once(name, abort);
        try {
          return await copy(readAddresses(from, to), keyFile, elapsed, {
            signal: interruption.signal,
            onProgress: (step, table, done, total) => progress.show(step, { [table]: { done, total } }),
          });
        } finally {
          progress.end();
          for (const name of signals) process.off(name, abort);
        }
      }),
    );
}

type Addresses = Parameters<typeof copyStore>;

/**
 * `copy`: moves the data of an operator from SQLite to PostgreSQL.
 *
 * @returns `declined` if a signal or a lost connection interrupted it
 * @throws StoreUnusable
 */
async function copy(
  { from, to }: { readonly from: Addresses[0]; readonly to: Addresses[1] },
  keyFile: string,
  elapsed: () => number,
  run: Addresses[2],
): Promise<CommandResult> {
  const [source, target] = [describeDatabase(from), describeDatabase(to)];
  let copied: CopiedStore;
  try {
    copied = await copyStore(from, to, run);
  } catch (error) {
    const again = 'Run the same command again: it continues after the last batch.';
    if (run.signal.aborted && error === run.signal.reason) return declined(`Interrupted. ${again}`);
    if (error instanceof UnsureCopy) return declined(error.message);
    if (error instanceof StoreUnavailable) return declined(`Interrupted: ${error.message}. ${again}`);
    throw error;
  }
  const { tables, changedRows, isResumed } = copied;
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const milliseconds = Math.round(elapsed());
  const width = `${Math.max(...Object.values(tables))}`.length;
  const lines = [
    ...Object.entries(tables).map(([name, count]) => `${`${count}`.padStart(width)} ${name}`),
    `Copied ${source} to ${target}: ${rows} rows, ${(milliseconds / 1000).toFixed(1)} s. Each row was read back and is equal.`,
    ...(changedRows === 0
      ? []
      : [`In ${changedRows} rows a text had NUL, which PostgreSQL can't store: NUL became U+FFFD there.`]),
    `Now set DATABASE_URL to the copy, and serve with the same key file ${keyFile}. From then on, changes in the SQLite file are lost.`,
  ];
  return done(lines.join('\n'), {
    from: source,
    to: target,
    tables,
    rows,
    changedRows,
    resumed: isResumed,
    milliseconds,
  });
}

/** @throws WrongUse for any other direction; the message has no password */
function readAddresses(from: string, to: string): Parameters<typeof copy>[0] {
  const [source, target] = [read('--from', from), read('--to', to)];
  if (source.kind === 'sqlite' && target.kind === 'postgres') return { from: source, to: target };
  throw new WrongUse(
    'This command copies from SQLite to PostgreSQL: --from sqlite:FILE --to postgres://USER:PASSWORD@HOST:PORT/NAME. ' +
      'To copy a database to another one of its kind, use backup and restore, or pg_dump and pg_restore.',
  );
}

function read(option: string, text: string): DatabaseAddress {
  const address = readDatabaseAddress(text);
  if (address.kind !== 'fault') return address;
  throw new WrongUse(`${option} ${withoutSecrets(text)}: ${address.reason}`);
}
