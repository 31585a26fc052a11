import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { syncFile } from './copy-database.ts';
import { readUnusable } from './sqlite-error.ts';

// If a new file replaces a database, a process that has it open goes on with the old file, and all its writes are lost.

/** In WAL mode each open connection has a shared lock on the file, which an exclusive lock detects. */
const exclusiveMode = 'locking_mode = exclusive';

/**
 * Throws if another process has the database open, idle or not. Nothing is changed.
 *
 * @param path the file may be missing or damaged, since a restore calls this
 * @throws StoreUnusable `locked`
 */
export function requireUnused(path: string): void {
  hold(path, exclusiveMode)?.close();
}

/**
 * Opens a database for a long read, with all changes of its WAL in the file itself. Until the connection is closed, no other process can open
 * the database.
 *
 * @throws StoreUnusable `locked` if another process has it open, `corrupt`
 */
export function openUnused(path: string): BetterSqlite3.Database {
  openAlone(path, exclusiveMode).close(); // the last connection writes the changes of a killed process to the file
  return openAlone(path, exclusiveMode);
}

/**
 * Moves a complete database to a path in one step, under an exclusive lock.
 *
 * @param draft a file without a WAL, on the same disk
 * @throws StoreUnusable `locked` as `requireUnused`; nothing was changed
 */
export function replaceDatabase(path: string, draft: string): void {
  // In another mode than WAL, a closing connection removes no file by name, which might belong to the new database.
  const holder = hold(path, 'journal_mode = delete');
  try {
    // Removed before the rename: SQLite would apply the old WAL to the new file.
    for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
    renameSync(draft, path);
    syncFile(dirname(path));
  } finally {
    holder?.close();
  }
}

/** @returns undefined if the file can't be in use: it is missing, or its first page is damaged */
function hold(path: string, pragma: string): BetterSqlite3.Database | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return openAlone(path, pragma);
  } catch (error) {
    if (error instanceof StoreUnusable && error.reason === 'corrupt') return undefined;
    throw error;
  }
}

/** Opens an existing file in an exclusive transaction: no other process has it open, or can open it until this connection is closed. */
function openAlone(path: string, pragma: string): BetterSqlite3.Database {
  const connection = new BetterSqlite3(path, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma(pragma);
    connection.exec('begin exclusive');
    return connection;
  } catch (error) {
    connection.close();
    const unusable = readUnusable(error);
    if (unusable === undefined) throw error;
    const isOpen = unusable.reason === 'locked';
    const sentence = isOpen ? 'is open in another process. Stop the server first.' : unusable.sentence;
    throw new StoreUnusable(unusable.reason, `${path} ${sentence}`, { cause: error });
  }
}
