import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Cure } from '@lockstep/shell/wrong-use';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { applicationId } from './sqlite-spelling.ts';

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
  /** Whether a file that isn't there is made, for this user alone (0600), and one that is empty filled, as `mktemp` leaves it. */
  readonly mayCreate?: boolean;
}

/**
 * Opens a SQLite file, or creates it, and proves that it can be relied on.
 *
 * @param path a file in an existing folder, or `:memory:`
 * @throws StoreUnusable `missing`, `empty`, `corrupt`, `foreign` or `unsafe`; SqliteError for what only SQLite can tell
 */
export function openDatabase(path: string, { mayCreate = true }: OpenOptions = {}): BetterSqlite3.Database {
  const inMemory = path === ':memory:';
  if (!inMemory) requireFile(path, mayCreate);
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    requireOwn(database, mayCreate); // before anything is set: in somebody else's file nothing changes
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
    throw new StoreUnusable('missing', `the database ${path} does not exist. Look at DATABASE_URL.`, {
      cures: [{ says: 'Or make it', command: ['lockstep-server', 'import', 'FILE'], database: path }],
    });
  if (!existsSync(dirname(path)))
    throw new StoreUnusable('missing', `the folder ${dirname(path)} of the database does not exist`);
  if (!existsSync(path)) createPrivateFile(path);
  else if (!statSync(path).isFile()) throw new StoreUnusable('missing', `${path} is no file`);
  else if (!beginsAsDatabase(path))
    throw new StoreUnusable('corrupt', `${path} is damaged or not a SQLite database.`, { cures: [restoration(path)] });
}

/** SQLite takes a file of a single byte for an empty one, and writes over it. */
function beginsAsDatabase(path: string): boolean {
  const header = Buffer.alloc(16);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return true; // SQLite meets the same fault, and says which
  }
  try {
    return readSync(file, header) === 0 || header.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(file);
  }
}

/** SQLite makes files that everybody may read. It gives the log beside this one the same mode, and takes an empty file for a new database. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite meets the same fault, and says which.
  }
}

/** @throws StoreUnusable `unsafe` */
export function applySettings(database: BetterSqlite3.Database, inMemory: boolean): void {
  for (const { name, set, want } of settings.filter((setting) => !inMemory || setting.inMemory)) {
    database.pragma(`${name} = ${set}`);
    const found = database.pragma(name, { simple: true });
    if (found !== want) throw new StoreUnusable('unsafe', `SQLite did not take ${name} = ${set}: it says ${found}`);
  }
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

/**
 * A mistyped path must not fill somebody else's database with our tables, nor serve from a file in which nothing is: every token
 * would be refused, and `/healthz` be fine. Files from before schema 6 have no mark, and are known by their first step.
 */
export function requireOwn(database: BetterSqlite3.Database, mayCreate: boolean): void {
  const mark = database.pragma('application_id', { simple: true });
  const objects = database.prepare<[], string>("select type || ' ' || name from sqlite_schema").pluck().all();
  if (mark === applicationId && objects.includes('table schema_version')) return;
  if (mark === applicationId)
    throw new StoreUnusable('corrupt', `${database.name} is damaged: its table schema_version is gone.`, {
      cures: [restoration(database.name)],
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
    throw new StoreUnusable('empty', `the database ${database.name} is empty. Look at DATABASE_URL.`, {
      cures: [{ says: 'Or fill it', command: ['lockstep-server', 'import', 'FILE'], database: database.name }],
    });
}

/** The name of step 1 as `schema_version` has it; undefined where that table has no line yet, or null where it is not ours. */
function readFirstStep(database: BetterSqlite3.Database): unknown {
  const columns = database.prepare("select name from pragma_table_info('schema_version')").pluck().all();
  if (columns.length === 0) return undefined;
  if (columns.join() !== 'version,name,applied_at') return null;
  return database.prepare('select name from schema_version order by version limit 1').pluck().get();
}
