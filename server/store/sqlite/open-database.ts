import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Cure } from '../../operator-error.ts';
import { StoreUnusable } from '../store-unusable.ts';

/** After a long reader (a backup) has let the log grow, the next checkpoint cuts it back to this. */
const logBytes = 64 * 1024 * 1024;

/** What each setting has to read as afterwards. SQLite ignores what it can't do, without a word. */
const settings: readonly { name: string; set: string; want: unknown; inMemory: boolean }[] = [
  { name: 'journal_mode', set: 'WAL', want: 'wal', inMemory: false },
  // FULL, 2. better-sqlite3 opens a WAL database as NORMAL, which may lose the last commits when the power fails.
  { name: 'synchronous', set: 'FULL', want: 2, inMemory: true },
  { name: 'foreign_keys', set: 'ON', want: 1, inMemory: true },
  // SQLite's own wait stops the event loop for all of its time. Who writes waits in the write queue instead.
  { name: 'busy_timeout', set: '0', want: 0, inMemory: true },
  { name: 'journal_size_limit', set: `${logBytes}`, want: logBytes, inMemory: true },
];

export interface OpenOptions {
  /** Whether a file that isn't there is made, for this user alone (0600). */
  readonly mayCreate?: boolean;
}

/**
 * Opens a SQLite file, or creates it, and proves that it can be relied on.
 *
 * @param path a file in an existing folder, or `:memory:`
 * @throws StoreUnusable `missing`, `corrupt`, `foreign` or `unsafe`; SqliteError for what only SQLite can tell
 */
export function openDatabase(path: string, { mayCreate = true }: OpenOptions = {}): BetterSqlite3.Database {
  const inMemory = path === ':memory:';
  if (!inMemory) requireFile(path, mayCreate);
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    for (const setting of settings) {
      if (!inMemory || setting.inMemory) applySetting(database, setting);
    }
    requireIntegrity(database);
    requireOwnTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function requireFile(path: string, mayCreate: boolean): void {
  if (!mayCreate && !existsSync(path))
    throw new StoreUnusable('missing', `the database ${path} does not exist. Look at DATABASE_URL.`, {
      cures: [{ says: 'Or make it', command: ['lockstep-server', 'import', 'FILE'], database: path }],
    });
  if (!existsSync(dirname(path)))
    throw new StoreUnusable('missing', `the folder ${dirname(path)} of the database does not exist`);
  if (!existsSync(path)) createPrivateFile(path);
  else if (!statSync(path).isFile()) throw new StoreUnusable('missing', `${path} is no file`);
}

/** SQLite makes files that everybody may read. It gives the log beside this one the same mode, and takes an empty file for a new database. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite meets the same fault, and says which.
  }
}

function applySetting(database: BetterSqlite3.Database, { name, set, want }: (typeof settings)[number]): void {
  database.pragma(`${name} = ${set}`);
  const found = database.pragma(name, { simple: true });
  if (found !== want) throw new StoreUnusable('unsafe', `SQLite did not take ${name} = ${set}: it says ${found}`);
}

/**
 * Reads every page once. Damage found at the start is one restart with a backup; found later, it is a night of odd answers.
 *
 * @param name the file to blame, where this one is its copy
 */
export function requireIntegrity(database: BetterSqlite3.Database, name = database.name): void {
  const found = database.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok')
    throw new StoreUnusable('corrupt', `${name} is damaged: ${found}. Bring back a backup.`, {
      cures: name === database.name ? [restoration(name)] : [],
    });
}

/** What helps where a database is damaged. */
export function restoration(database: string): Cure {
  return { says: 'Bring it back', command: ['lockstep-server', 'restore', 'BACKUP', '--force'], database };
}

/** A mistyped path must not fill somebody else's database with our tables. */
export function requireOwnTables(database: BetterSqlite3.Database): void {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  if (tables.length > 0 && !tables.includes('schema_version'))
    throw new StoreUnusable('foreign', `${database.name} is a database of another program, with a table ${tables[0]}`);
}
