import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WrongUse } from '@lockstep/shell/wrong-use';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { requireIntegrity, requireOwn } from './open-database.ts';
import { readUnusable } from './sqlite-error.ts';

/** Between two steps a signal is heard: 8 MB, some 20 ms. */
const stepPages = 2000;

export interface CopyOptions {
  /** Ends it with the signal's reason, and nothing is left behind. */
  readonly signal: AbortSignal;
  /** Looks at the copy before it is read through, and may throw. */
  readonly inspect?: (copy: BetterSqlite3.Database) => void;
  /** Told after each step. All pages written: what follows is reading them back. */
  readonly onProgress?: (written: number, pages: number) => void;
}

/** A copy that is whole and sound, under a name of its own. */
export interface DatabaseCopy {
  readonly path: string;
  readonly pages: number;
  readonly bytes: number;
  /** Takes it away again, where it was not moved. */
  discard(): void;
}

/**
 * Copies a database as it is at one moment, while other processes go on writing to it, and reads the copy back. The copy is one plain file
 * without a log, mode 0600, beside the name that it is for, so that a rename brings it there whole.
 *
 * @param from is not changed
 * @param wanted the path that the copy is for; only its folder is written to
 * @throws StoreUnusable when `from` is none of ours or damaged; WrongUse when the copy can't be written; the reason of the signal
 */
export async function copyDatabase(
  from: string,
  wanted: string,
  { signal, inspect, onProgress }: CopyOptions,
): Promise<DatabaseCopy> {
  const path = `${wanted}.${randomBytes(6).toString('hex')}.part`;
  const discard = () => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
  };
  try {
    requireSpace(from, wanted);
    createDraft(path);
    await transfer(from, path, (written, pages) => {
      signal.throwIfAborted();
      onProgress?.(written, pages);
      return stepPages;
    });
    signal.throwIfAborted();
    return { path, discard, ...finish(from, path, inspect) };
  } catch (error) {
    discard();
    throw explain(error, from, wanted);
  }
}

/**
 * SQLite begins a backup anew whenever another process has written between two steps: under 1,300 writes a second one of 182 MB had
 * not ended after 3,400 beginnings. A read transaction holds the database still for this connection, and in a log nobody waits for a reader.
 *
 * @see https://sqlite.org/c3ref/backup_finish.html, "Concurrent Usage"; https://sqlite.org/isolation.html
 */
async function transfer(from: string, to: string, step: (written: number, pages: number) => number): Promise<void> {
  // With a log there, reading alone leaves everything as it is. Without one, a connection that may write takes away what it made.
  const source = new BetterSqlite3(from, { readonly: existsSync(`${from}-wal`), fileMustExist: true, timeout: 2000 });
  try {
    source.exec('begin');
    requireOwn(source, false);
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => step(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.close();
  }
}

/** Reads every page back, and brings all to the disk. */
function finish(
  from: string,
  path: string,
  inspect: CopyOptions['inspect'],
): { readonly pages: number; readonly bytes: number } {
  const copy = new BetterSqlite3(path, { fileMustExist: true });
  let pages: number;
  try {
    // A file that has no log beside it can be opened from a medium that can't be written to.
    copy.pragma('journal_mode = delete');
    inspect?.(copy);
    requireIntegrity(copy, from);
    pages = Number(copy.pragma('page_count', { simple: true }));
  } finally {
    copy.close();
  }
  syncFile(path);
  return { pages, bytes: statSync(path).size };
}

/** SQLite makes files that everybody may read, and takes an empty one for a new database. */
function createDraft(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Told before the first page rather than at the last. What others write meanwhile is found by SQLite. */
function requireSpace(from: string, wanted: string): void {
  const needed = statSync(from).size;
  const { bavail, bsize } = statfsSync(dirname(wanted));
  if (bavail * bsize < needed)
    throw new WrongUse(
      `${wanted} needs ${formatSize(needed)}, and ${formatSize(bavail * bsize)} are free there. Nothing was written.`,
    );
}

function explain(error: unknown, from: string, wanted: string): unknown {
  if (error instanceof BetterSqlite3.SqliteError && /^SQLITE_(FULL|IOERR)/.test(error.code)) {
    // Of the two files only one is written, but either may be on a disk that fails.
    const says = error.code === 'SQLITE_FULL' ? `no space is left there` : `a disk fails (${error.code})`;
    return new WrongUse(`${from} can't be copied to ${wanted}: ${says}. Nothing of it was left behind.`, {
      cause: error,
    });
  }
  const unusable = readUnusable(error);
  if (unusable !== undefined)
    return new StoreUnusable(unusable.reason, `${from} ${unusable.sentence}`, { cause: error });
  return error;
}

/** `182.5 MB` */
export function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
