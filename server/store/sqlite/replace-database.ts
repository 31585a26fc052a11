import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { syncFile } from './copy-database.ts';
import { readUnusable } from './sqlite-error.ts';

// A process that has a database open goes on with the old file when a new one takes its name, and all that it writes there is lost.

/**
 * Refuses a database that some process has open, idle or not. Nothing is changed.
 *
 * @param path may be free, or damaged, which is what a restore is for
 * @throws StoreUnusable `locked`
 */
export function requireUnused(path: string): void {
  // In a log each connection keeps a share of the file's lock for as long as it is open: one that wants all of it finds out.
  hold(path, 'locking_mode = exclusive')?.close();
}

/**
 * Moves a whole database to a place, in one step, with everybody kept out until it is there.
 *
 * @param draft a file without a log, on the same disk
 * @throws StoreUnusable `locked` as `requireUnused`; nothing was changed
 */
export function replaceDatabase(path: string, draft: string): void {
  // Out of the log, a connection that closes removes no file by its name: it might be one of the new database.
  const holder = hold(path, 'journal_mode = delete');
  try {
    // Before the new file is there: the log of the old one would be played into it.
    for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
    renameSync(draft, path);
    syncFile(dirname(path));
  } finally {
    holder?.close();
  }
}

/** @returns undefined where there is nothing that could be in use: no file, or one that is damaged to its first page */
function hold(path: string, pragma: string): BetterSqlite3.Database | undefined {
  if (!existsSync(path)) return undefined;
  const connection = new BetterSqlite3(path, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma(pragma);
    connection.exec('begin exclusive');
    return connection;
  } catch (error) {
    connection.close();
    const unusable = readUnusable(error);
    if (unusable === undefined) throw error;
    if (unusable.reason === 'corrupt') return undefined;
    const isOpen = unusable.reason === 'locked';
    const sentence = isOpen ? 'is open in another process. Stop the server first.' : unusable.sentence;
    throw new StoreUnusable(unusable.reason, `${path} ${sentence}`, { cause: error });
  }
}
