import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { Keys } from '../keys.ts';
import { describeDatabase } from '../store/database-address.ts';
import type { CopyOptions } from '../store/sqlite/copy-database.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import { addCommand } from './command.ts';
import { type Shell, signals } from './shell.ts';
import { createCopyProgress } from './show-progress.ts';

type Run = (places: Places, file: string, options: BackupOptions) => Promise<CommandResult>;

/** The command of PostgreSQL that does the same on a database of a server. */
type ServerCommand = (url: string, file: string) => readonly string[];

const pgDump: ServerCommand = (url, file) => ['pg_dump', '--format=custom', `--file=${file}`, url];
const pgRestore: ServerCommand = (url, file) => [
  'pg_restore',
  '--clean',
  '--if-exists',
  '--single-transaction',
  `--dbname=${url}`,
  file,
];

export function addBackupCommand(program: Command, shell: Shell): void {
  addCommand(program, 'backup <file>', 'copy the database as it is now, also while the server runs')
    .option('--force', 'overwrite the file')
    .addHelpText(
      'after',
      '\nFor SQLite; PostgreSQL has pg_dump. The command writes a temporary file next to FILE, reads it back and renames it, so FILE is complete or absent. A backup contains no\n' +
        'keys and is useless without the key file: keep an encrypted copy of that file too, in another place.',
    )
    .action(stoppable(shell, 'backing up', backUp, pgDump));
}

export function addRestoreCommand(program: Command, shell: Shell): void {
  addCommand(program, 'restore <file>', 'replace the database by a backup; stop the server first')
    .option('--force', 'replace an existing database')
    .addHelpText(
      'after',
      '\nFor SQLite; PostgreSQL has pg_restore. The command reads the backup completely and checks that the key file belongs to it. Then it replaces the database in one step. It\n' +
        'refuses a backup with tables, indexes, triggers or views that the server does not create. Changes since the backup are lost.\n' +
        'Tokens and codes from before the backup stay valid. The backup itself is not changed.',
    )
    .action(stoppable(shell, 'restoring', restore, pgRestore));
}

/** The action of a command on large files: Ctrl-C and SIGTERM stop it cleanly, and it prints its progress to stderr. */
function stoppable(shell: Shell, what: string, run: Run, ofServer: ServerCommand) {
  return shell.run(async ({ database, keyFile }, file: string, { force = false }: { readonly force?: boolean }) => {
    if (database.kind === 'postgres') {
      const fixes = [{ message: 'Use the command of PostgreSQL', command: ofServer(describeDatabase(database), file) }];
      return refused('This command copies SQLite files, and DATABASE_URL names a PostgreSQL database.', {}, fixes);
    }
    const stop = new AbortController();
    const abort = () => stop.abort();
    for (const signal of signals) process.on(signal, abort);
    const time = () => performance.now();
    const onProgress = createCopyProgress(what, { time, write: (line) => void shell.own.stderr.write(line) });
    try {
      return await run({ database: database.file, keyFile }, resolve(file), {
        force,
        signal: stop.signal,
        onProgress,
        time,
      });
    } finally {
      for (const signal of signals) process.off(signal, abort);
    }
  });
}

interface BackupOptions extends CopyOptions {
  /** Replaces an existing file or database. */
  readonly force: boolean;
  /** Milliseconds since any fixed instant. */
  readonly time: () => number;
}

interface Places {
  /** Absolute path of the SQLite file. */
  readonly database: string;
  readonly keyFile: string;
}

/**
 * `backup FILE`: a verified copy of the database at one moment, while the server continues to write. It needs and contains no keys: sealed job
 * data, cursors and offline codes need the key file, so neither is useful without the other.
 *
 * @param file absolute path
 * @returns `declined` when the file exists, or when a signal stopped the command; no partial file stays
 */
async function backUp(
  { database, keyFile }: Places,
  file: string,
  { force, time, ...options }: BackupOptions,
): Promise<CommandResult> {
  const { copyDatabase, createSchemaComparison, formatSize, syncFile } = await loadCopying();
  if (!existsSync(database)) return refused(`The database ${database} does not exist. Check DATABASE_URL.`);
  const existing = findExisting(file, database, force);
  if (existing !== undefined) return existing;
  const began = time();
  const compare = await createSchemaComparison();
  let differences: readonly string[] = [];
  return unlessStopped(options.signal, async () => {
    const copy = await copyDatabase(database, file, {
      ...options,
      inspect: (copied) => {
        differences = compare(copied);
      },
    });
    try {
      const existsMeanwhile = findExisting(file, database, force);
      if (existsMeanwhile !== undefined) return existsMeanwhile;
      renameSync(copy.path, file);
      syncFile(dirname(file));
    } finally {
      copy.discard();
    }
    const { pages, bytes } = copy;
    const milliseconds = Math.round(time() - began);
    const lines = [
      `Backed up ${database} to ${file}: ${formatSize(bytes)}, ${pages} pages, ${(milliseconds / 1000).toFixed(1)} s.`,
      `The backup is useless without the key file ${keyFile}: keep an encrypted copy of that file in another place.`,
      ...(differences.length === 0
        ? []
        : [
            `restore refuses this backup: ${listDifferences(differences)}. Correct the database, and back it up again.`,
          ]),
    ];
    return done(lines.join('\n'), { file, database, bytes, pages, milliseconds, differences });
  });
}

/**
 * `restore FILE`: replaces the database of the server by a backup. It copies the backup, compares it with the schema that the migrations
 * create, reads it completely, migrates it and compares its key check with the key file. Then one rename replaces the database.
 *
 * @param file absolute path
 * @returns `declined` when a database exists and `force` is not given, or when a signal stopped the command; nothing changed
 * @throws StoreUnusable, KeyFileFault: nothing was changed
 */
async function restore(
  { database, keyFile }: Places,
  file: string,
  { force, time, ...options }: BackupOptions,
): Promise<CommandResult> {
  const { copyDatabase, createSchemaComparison, formatSize } = await loadCopying();
  const [{ openSqliteStore }, { replaceDatabase, requireUnused }, { requireOwnKeys }] = await Promise.all([
    import('../store/sqlite/open-store.ts'),
    import('../store/sqlite/replace-database.ts'),
    import('../require-own-keys.ts'),
  ]);
  if (!existsSync(file) || !statSync(file).isFile())
    return refused(`${file} is not a file. Give the file of a backup.`);
  if (isSameFile(file, database)) return refused(`${file} is the database itself. Give another file.`);
  const replaces = existsSync(database);
  if (replaces && !force)
    return declined(`${database} exists, and its data would be lost.`, {}, [
      { message: 'Back it up', command: ['lockstep-server', 'backup', `${database}.kept`], database },
      { message: 'Then', command: ['lockstep-server', 'restore', file, '--force'], database },
    ]);
  const keys = await readKeysOf(file, keyFile);
  const began = time();
  requireUnused(database);
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const compare = await createSchemaComparison();
  return unlessStopped(options.signal, async () => {
    const copy = await copyDatabase(file, database, {
      ...options,
      inspect: (copied) => {
        const differences = compare(copied);
        if (differences.length > 0)
          throw new StoreUnusable(
            'altered',
            `${file} does not have the schema that the server creates: ${listDifferences(differences)}. Nothing was restored.`,
          );
      },
    });
    try {
      // The same steps as at a start of the server: migrate the schema, and compare the keys.
      const store = await openSqliteStore(copy.path, { mayCreate: false });
      try {
        await requireOwnKeys(store, keys);
      } finally {
        await store.close();
      }
      options.signal.throwIfAborted();
      replaceDatabase(database, copy.path);
    } finally {
      copy.discard();
    }
    const milliseconds = Math.round(time() - began);
    return done(
      `Restored ${database} from ${file}: ${formatSize(copy.bytes)}, ${(milliseconds / 1000).toFixed(1)} s.`,
      { database, file, bytes: copy.bytes, pages: copy.pages, replaced: replaces, milliseconds },
      [{ message: 'Next', command: ['lockstep-server', 'serve'] }],
    );
  });
}

/** Loads the copying modules, with the database driver, only in the commands that copy. */
async function loadCopying() {
  const [copying, comparing] = await Promise.all([
    import('../store/sqlite/copy-database.ts'),
    import('../store/sqlite/compare-schema.ts'),
  ]);
  return { ...copying, ...comparing };
}

function findExisting(file: string, database: string, force: boolean): CommandResult | undefined {
  if (!existsSync(dirname(file))) return refused(`The folder ${dirname(file)} does not exist.`);
  if (!existsSync(file)) return undefined;
  if (!statSync(file).isFile()) return refused(`${file} is a folder. Name a file in it.`);
  if (isSameFile(file, database)) return refused(`${file} is the database itself. Give another file.`);
  if (force) return undefined;
  return declined(`${file} exists already and stays as it is. Give another name, or write over it with --force.`);
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** New keys are no fix here: they can't open the sealed data of a backup. */
async function readKeysOf(file: string, keyFile: string): Promise<Keys> {
  const { KeyFileFault, readKeyFile } = await import('../key-file.ts');
  if (existsSync(keyFile)) return readKeyFile(keyFile);
  throw new KeyFileFault(
    `The key file ${keyFile} does not exist. First restore the key file that belongs to ${file} (LOCKSTEP_KEYS).`,
  );
}

function listDifferences(differences: readonly string[]): string {
  const shown = differences.slice(0, 5).join(', ');
  return differences.length > 5 ? `${shown} and ${differences.length - 5} more` : shown;
}

async function unlessStopped(signal: AbortSignal, run: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await run();
  } catch (error) {
    if (signal.aborted && error === signal.reason) return declined('Stopped. Nothing was written.');
    throw error;
  }
}
