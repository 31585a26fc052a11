import SqliteDatabase from 'better-sqlite3';
import { StoreUnavailable } from '../store.ts';
import type { UnusableReason } from '../store-unusable.ts';

/** Passes by itself or by the operator's hand: locked by another process, no space left, a disk that fails. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PROTOCOL|NOMEM)(_|$)/;

/**
 * Turns what SQLite throws into what the store promises; anything else stays as it is, since it is a bug.
 *
 * @see https://sqlite.org/rescode.html, the names of all result codes
 */
export function toStoreError(error: unknown): unknown {
  return error instanceof SqliteDatabase.SqliteError && passing.test(error.code)
    ? new StoreUnavailable(`the database does not answer: ${error.message}`, { cause: error })
    : error;
}

/** Whether another process holds what is needed: a moment later the same may succeed. Nothing of it was done. */
export function isBusy(error: unknown): error is StoreUnavailable {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  return cause instanceof SqliteDatabase.SqliteError && /^SQLITE_BUSY(_|$)/.test(cause.code);
}

const reasons: readonly (readonly [code: RegExp, reason: UnusableReason, sentence: string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'corrupt', 'is damaged or not a SQLite database: bring back a backup'],
  [/^SQLITE_READONLY/, 'read_only', "can't be written to: the process needs to write the file and its folder"],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked', 'is locked by another process: end that one first'],
  [/^SQLITE_CANTOPEN/, 'missing', "can't be opened: it is no file, or its folder can't be read"],
];

/** Why a database can't be opened, from what SQLite threw then; undefined for anything else. */
export function readUnusable(error: unknown): { reason: UnusableReason; sentence: string } | undefined {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (!(cause instanceof SqliteDatabase.SqliteError)) return undefined;
  const row = reasons.find(([code]) => code.test(cause.code));
  return row && { reason: row[1], sentence: row[2] };
}
