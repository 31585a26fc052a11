import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WrongUse } from '@lockstep/shell/wrong-use';
import BetterSqlite3 from 'better-sqlite3';
import { StoreUnusable } from '../store-unusable.ts';
import { requireIntegrity, requireOwn } from './open-database.ts';
import { readUnusable } from './sqlite-error.ts';

/** A step of 8 MB takes some 20 ms. The signal is checked between two steps. */
const stepPages = 2000;

export interface CopyOptions {
  /** Cancels the copy with the signal's reason, and leaves nothing behind. */
  readonly signal: AbortSignal;
  /** Inspects the copy before its integrity is checked, and may throw. */
  readonly inspect?: (copy: BetterSqlite3.Database) => void;
  /** Called after each step. When all pages are written, they are read back. */
  readonly onProgress?: (written: number, pages: number) => void;
}

/** A complete and verified copy, under a temporary name. */
export interface DatabaseCopy {
  readonly path: string;
  readonly pages: number;
  readonly bytes: number;
  /** Deletes the copy unless it was moved. */
  discard(): void;
}

/**
 * Copies a database as of one moment, while other processes go on writing to it, and reads the copy back. The copy is one plain file without
 * a log, mode 0600, in the folder of its final name, so that a rename moves it there in one step.
 *
 * @param from is not changed
 * @param wanted the final path of the copy; this function writes to its folder alone
 * @throws StoreUnusable when `from` is damaged or of another program; WrongUse when the copy can't be written; the reason of the signal
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
 * SQLite restarts a backup whenever another process has written between two steps: under 1,300 writes a second, a backup of 182 MB had not
 * finished after 3,400 restarts. A read transaction gives this connection a fixed snapshot, and with a WAL no writer waits for a reader.
 *
 * @see https://sqlite.org/c3ref/backup_finish.html, "Concurrent Usage"; https://sqlite.org/isolation.html
 */
async function transfer(from: string, to: string, step: (written: number, pages: number) => number): Promise<void> {
  // If a WAL exists, a read-only connection changes nothing. If none exists, only a connection that may write removes its own files again.
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

/** Reads every page back, and syncs the file to disk. */
function finish(
  from: string,
  path: string,
  inspect: CopyOptions['inspect'],
): { readonly pages: number; readonly bytes: number } {
  const copy = new BetterSqlite3(path, { fileMustExist: true });
  let pages: number;
  try {
    // A file without a WAL can be opened from a read-only medium.
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

/** SQLite creates files that every user may read. It treats an empty file as a new database. */
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

/** Checks the free space before the first page. SQLite itself detects a disk that other processes fill meanwhile. */
function requireSpace(from: string, wanted: string): void {
  const needed = statSync(from).size;
  const { bavail, bsize } = statfsSync(dirname(wanted));
  if (bavail * bsize < needed)
    throw new WrongUse(
      `${wanted} needs ${formatSize(needed)}, but its disk has ${formatSize(bavail * bsize)} free. Nothing was written.`,
    );
}

function explain(error: unknown, from: string, wanted: string): unknown {
  if (error instanceof BetterSqlite3.SqliteError && /^SQLITE_(FULL|IOERR)/.test(error.code)) {
    // Only one of the two files is written, but either may be on a disk that fails.
    const reason = error.code === 'SQLITE_FULL' ? `no space is left there` : `a disk fails (${error.code})`;
    return new WrongUse(`${from} can't be copied to ${wanted}: ${reason}. The incomplete copy was deleted.`, {
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
