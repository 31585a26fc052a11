import SqliteDatabase from 'better-sqlite3';
import { StoreUnavailable, type UnavailableReason } from '../store.ts';
import type { UnusableReason } from '../store-unusable.ts';

/** Faults that pass or that the operator can fix: locked by another process, no space left, a disk that fails. */
const passing: readonly (readonly [code: RegExp, reason: UnavailableReason])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL|NOMEM)(_|$)/, 'busy'],
  [/^SQLITE_FULL(_|$)/, 'disk_full'],
  [/^SQLITE_READONLY(_|$)/, 'read_only'],
  [/^SQLITE_(IOERR|CANTOPEN)(_|$)/, 'unreachable'],
];

/**
 * Translates errors of SQLite into those of the store. Any other error stays as it is, since it is a bug.
 *
 * @see https://sqlite.org/rescode.html, the names of all result codes
 */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const row = passing.find(([code]) => code.test(error.code));
  return row === undefined
    ? error
    : new StoreUnavailable(`the database is unavailable: ${error.message}`, { cause: error, reason: row[1] });
}

/** Whether another process has the lock: the statement had no effect, and may succeed a moment later. */
export function isBusy(error: unknown): error is StoreUnavailable {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  return cause instanceof SqliteDatabase.SqliteError && /^SQLITE_BUSY(_|$)/.test(cause.code);
}

const reasons: readonly (readonly [code: RegExp, reason: UnusableReason, sentence: string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'corrupt', 'is damaged or not a SQLite database: restore a backup'],
  [/^SQLITE_READONLY/, 'read_only', "can't be written to: the process needs to write the file and its folder"],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked', 'is locked by another process: stop that process first'],
  [/^SQLITE_CANTOPEN/, 'missing', "can't be opened: it is not a file, or its folder can't be read"],
];

/** The reason why a database can't be opened, from SQLite's error; undefined for any other error. */
export function readUnusable(error: unknown): { reason: UnusableReason; sentence: string } | undefined {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (!(cause instanceof SqliteDatabase.SqliteError)) return undefined;
  const row = reasons.find(([code]) => code.test(cause.code));
  return row && { reason: row[1], sentence: row[2] };
}
