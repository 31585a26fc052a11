import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Fix } from '@lockstep/shell/wrong-use';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { applicationId } from './sqlite-spelling.ts';

/** During a long read (a backup) the WAL grows; the next checkpoint truncates it to this size. */
const logBytes = 64 * 1024 * 1024;

/** Each setting with the value that has to be read back. SQLite silently ignores a setting that it can't apply. */
const settings: readonly { name: string; set: string; want: unknown; inMemory: boolean }[] = [
  { name: 'journal_mode', set: 'WAL', want: 'wal', inMemory: false },
  // FULL is 2. better-sqlite3 opens a WAL database as NORMAL, which may lose the last commits when the power fails.
  { name: 'synchronous', set: 'FULL', want: 2, inMemory: true },
  { name: 'foreign_keys', set: 'ON', want: 1, inMemory: true },
  // SQLite's own wait blocks the event loop. Writers wait in the write queue instead.
  { name: 'busy_timeout', set: '0', want: 0, inMemory: true },
  { name: 'journal_size_limit', set: `${logBytes}`, want: logBytes, inMemory: true },
];

export interface OpenOptions {
  /** Whether a missing file is created, for this user alone (0600), and an empty one (as `mktemp` leaves it) is filled. */
  readonly mayCreate?: boolean;
}

/**
 * Opens a SQLite file, or creates it, and checks settings, owner and integrity.
 *
 * @param path a file in an existing folder, or `:memory:`
 * @throws StoreUnusable `missing`, `empty`, `corrupt`, `foreign` or `unsafe`; SqliteError for faults that only SQLite detects
 */
export function openDatabase(path: string, { mayCreate = true }: OpenOptions = {}): BetterSqlite3.Database {
  const inMemory = path === ':memory:';
  if (!inMemory) requireFile(path, mayCreate);
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    requireOwn(database, mayCreate); // before any setting, so that another program's file is not changed
    applySettings(database, inMemory);
    requireIntegrity(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function requireFile(path: string, mayCreate: boolean): void {
  if (!mayCreate && !existsSync(path))
    throw new StoreUnusable('missing', `the database ${path} does not exist. Check DATABASE_URL.`, {
      fixes: [{ message: 'Or create it', command: ['lockstep-server', 'import', 'FILE'], database: path }],
    });
  if (!existsSync(dirname(path)))
    throw new StoreUnusable('missing', `the folder ${dirname(path)} of the database does not exist`);
  if (!existsSync(path)) createPrivateFile(path);
  else if (!statSync(path).isFile()) throw new StoreUnusable('missing', `${path} is not a file`);
  else if (!beginsAsDatabase(path))
    throw new StoreUnusable('corrupt', `${path} is damaged or not a SQLite database.`, { fixes: [restoration(path)] });
}

/** SQLite treats a file of a single byte as empty, and overwrites it. */
function beginsAsDatabase(path: string): boolean {
  const header = Buffer.alloc(16);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return true; // SQLite will report the same fault
  }
  try {
    return readSync(file, header) === 0 || header.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(file);
  }
}

/** SQLite creates files that every user may read. It gives the WAL the mode of this file, and treats an empty file as a new database. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite will report the same fault.
  }
}

/** @throws StoreUnusable `unsafe` */
export function applySettings(database: BetterSqlite3.Database, inMemory: boolean): void {
  for (const { name, set, want } of settings.filter((setting) => !inMemory || setting.inMemory)) {
    database.pragma(`${name} = ${set}`);
    const found = database.pragma(name, { simple: true });
    if (found !== want)
      throw new StoreUnusable('unsafe', `SQLite did not apply ${name} = ${set}: the value is ${found}`);
  }
}

/**
 * Reads every page once. Damage that is found at the start costs one restart with a backup; found later, it has caused wrong answers.
 *
 * @param name the file to name in the message, if this one is its copy
 */
export function requireIntegrity(database: BetterSqlite3.Database, name = database.name): void {
  const found = database.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok')
    throw new StoreUnusable('corrupt', `${name} is damaged: ${found}. Restore a backup.`, {
      fixes: name === database.name ? [restoration(name)] : [],
    });
}

/** The fix for a damaged database. */
export function restoration(database: string): Fix {
  return { message: 'Restore it', command: ['lockstep-server', 'restore', 'BACKUP', '--force'], database };
}

/**
 * A mistyped path must not add tables to another program's database, nor serve from an empty file: every token would be rejected while
 * `/healthz` answers 200. Files from before schema 6 have no mark, and are recognized by their first step.
 */
export function requireOwn(database: BetterSqlite3.Database, mayCreate: boolean): void {
  const mark = database.pragma('application_id', { simple: true });
  const objects = database.prepare<[], string>("select type || ' ' || name from sqlite_schema").pluck().all();
  if (mark === applicationId && objects.includes('table schema_version')) return;
  if (mark === applicationId)
    throw new StoreUnusable('corrupt', `${database.name} is damaged: its table schema_version is missing.`, {
      fixes: [restoration(database.name)],
    });
  const first = readFirstStep(database);
  if (mark === 0 && first === 'start' && objects.includes('table device')) return;
  const others = objects.filter((name) => name !== 'table schema_version' || first !== undefined);
  if (mark !== 0 || others.length > 0)
    throw new StoreUnusable(
      'foreign',
      `${database.name} is a database of another program, with ${mark === 0 ? `a ${others[0]}` : `the application_id ${mark}`}`,
    );
  if (!mayCreate)
    throw new StoreUnusable('empty', `the database ${database.name} is empty. Check DATABASE_URL.`, {
      fixes: [{ message: 'Or fill it', command: ['lockstep-server', 'import', 'FILE'], database: database.name }],
    });
}

/** The name of step 1 in `schema_version`; undefined if the table is missing or empty, null if it is another program's. */
function readFirstStep(database: BetterSqlite3.Database): unknown {
  const columns = database.prepare("select name from pragma_table_info('schema_version')").pluck().all();
  if (columns.length === 0) return undefined;
  if (columns.join() !== 'version,name,applied_at') return null;
  return database.prepare('select name from schema_version order by version limit 1').pluck().get();
}
