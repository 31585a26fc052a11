import { existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CommandResult, declined, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Keys } from '../keys.ts';
import type { CopyOptions } from '../store/sqlite/copy-database.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import { addCommand } from './command.ts';
import { type Shell, signals } from './shell.ts';
import { tellProgress } from './show-progress.ts';

type Run = (config: Config, file: string, options: BackupOptions) => Promise<CommandResult>;

export function addBackupCommand(program: Command, shell: Shell): void {
  addCommand(program, 'backup <file>', 'copy the database as it is now; the server may run on')
    .option('--force', 'write over a file of that name')
    .addHelpText(
      'after',
      '\nThe file is written under another name beside it, read back, and renamed: it is whole or not there. It needs and holds no keys. The\n' +
        'key file belongs to it, and neither is worth anything without the other: keep a copy of that too, encrypted, somewhere else.',
    )
    .action(stoppable(shell, 'backing up', backUp));
}

export function addRestoreCommand(program: Command, shell: Shell): void {
  addCommand(program, 'restore <file>', 'bring a backup back; the server must not run')
    .option('--force', 'in place of the database that is there')
    .addHelpText(
      'after',
      '\nThe backup stays as it is. It is read through and held against the key file first; then it takes the place of the database in one\n' +
        'step. One with tables, indexes, triggers or views that the server does not make is refused. What was written since the backup is\n' +
        'gone. Tokens and codes from before it stay good.',
    )
    .action(stoppable(shell, 'restoring', restore));
}

/** The action of a command on large files: Ctrl-C and SIGTERM end it in order, and what takes long says how far it is, on stderr. */
function stoppable(shell: Shell, what: string, run: Run) {
  return shell.run(async (config, file: string, { force = false }: { readonly force?: boolean }) => {
    const stop = new AbortController();
    const abort = () => stop.abort();
    for (const signal of signals) process.on(signal, abort);
    const time = () => performance.now();
    const onProgress = tellProgress(what, { time, write: (line) => void shell.own.stderr.write(line) });
    try {
      return await run(config, resolve(file), { force, signal: stop.signal, onProgress, time });
    } finally {
      for (const signal of signals) process.off(signal, abort);
    }
  });
}

interface BackupOptions extends CopyOptions {
  /** In place of what has that name. */
  readonly force: boolean;
  /** Milliseconds, counted from anywhere. */
  readonly time: () => number;
}

type Places = Pick<Config, 'database' | 'keyFile'>;

/**
 * `backup FILE`: the database as it is at one moment, whole and read back, while the server goes on writing. It needs no keys, and none
 * are in it: sealed job data, cursors and offline codes come from the key file, so that one without the other is worth nothing.
 *
 * @param file absolute
 * @returns `declined` where the name is taken, or it was stopped; nothing is left of it then
 */
async function backUp(
  { database, keyFile }: Places,
  file: string,
  { force, time, ...options }: BackupOptions,
): Promise<CommandResult> {
  const { copyDatabase, createSchemaComparison, formatSize, syncFile } = await loadCopying();
  if (!existsSync(database)) return refused(`The database ${database} does not exist. Look at DATABASE_URL.`);
  const taken = findTaken(file, database, force);
  if (taken !== undefined) return taken;
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
      const takenMeanwhile = findTaken(file, database, force);
      if (takenMeanwhile !== undefined) return takenMeanwhile;
      renameSync(copy.path, file);
      syncFile(dirname(file));
    } finally {
      copy.discard();
    }
    const { pages, bytes } = copy;
    const milliseconds = Math.round(time() - began);
    const lines = [
      `Backed up ${database} to ${file}: ${formatSize(bytes)}, ${pages} pages, ${(milliseconds / 1000).toFixed(1)} s.`,
      `The key file ${keyFile} is not in it, and without it a backup is worth nothing: keep a copy of it somewhere else, encrypted.`,
      ...(differences.length === 0
        ? []
        : [`As it is, restore refuses it: ${listDifferences(differences)}. Mend the database, and back it up again.`]),
    ];
    return done(lines.join('\n'), { file, database, bytes, pages, milliseconds, differences });
  });
}

/**
 * `restore FILE`: puts a backup where the server looks for its database. The backup is copied, compared with the schema that the migrations
 * make, read through, brought to the schema of this code and held against the key file first; then one rename brings it in place.
 *
 * @param file absolute
 * @returns `declined` where a database is there and `force` is not given, or it was stopped; nothing was changed then
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
  if (!existsSync(file) || !statSync(file).isFile()) return refused(`${file} is no file.`);
  if (isSameFile(file, database)) return refused(`${file} is the database itself.`);
  const replaces = existsSync(database);
  if (replaces && !force)
    return declined(`${database} exists, and what is in it would be lost.`, {}, [
      { message: 'Keep it', command: ['lockstep-server', 'backup', `${database}.kept`], database },
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
            `${file} is not as the server made it: ${listDifferences(differences)}. It is not brought back.`,
          );
      },
    });
    try {
      // As the server will at its start: the schema brought up to date, and the keys compared.
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

/** Loaded by the command that copies, not at each start: the database driver comes with it. */
async function loadCopying() {
  const [copying, comparing] = await Promise.all([
    import('../store/sqlite/copy-database.ts'),
    import('../store/sqlite/compare-schema.ts'),
  ]);
  return { ...copying, ...comparing };
}

function findTaken(file: string, database: string, force: boolean): CommandResult | undefined {
  if (!existsSync(dirname(file))) return refused(`The folder ${dirname(file)} does not exist.`);
  if (!existsSync(file)) return undefined;
  if (!statSync(file).isFile()) return refused(`${file} is a folder. Name a file in it.`);
  if (isSameFile(file, database)) return refused(`${file} is the database itself.`);
  if (force) return undefined;
  return declined(`${file} exists already and stays as it is. Give another name, or write over it with --force.`);
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

/** New keys are no fix here: under them nothing in the backup could be opened. */
async function readKeysOf(file: string, keyFile: string): Promise<Keys> {
  const { KeyFileFault, readKeyFile } = await import('../key-file.ts');
  if (existsSync(keyFile)) return readKeyFile(keyFile);
  throw new KeyFileFault(
    `The key file ${keyFile} does not exist. Bring back the one that belongs to ${file} first (LOCKSTEP_KEYS).`,
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
