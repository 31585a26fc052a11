import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StoreUnavailable } from '../store.ts';
import { readUnusable, toStoreError } from './sqlite-error.ts';

test.each([
  { code: 'SQLITE_BUSY', passes: true, reason: 'locked' },
  { code: 'SQLITE_BUSY_SNAPSHOT', passes: true, reason: 'locked' },
  { code: 'SQLITE_LOCKED_SHAREDCACHE', passes: true, reason: 'locked' },
  { code: 'SQLITE_FULL', passes: true, reason: undefined },
  { code: 'SQLITE_IOERR_FSYNC', passes: true, reason: undefined },
  { code: 'SQLITE_CANTOPEN', passes: true, reason: 'missing' },
  { code: 'SQLITE_READONLY_DBMOVED', passes: true, reason: 'read_only' },
  { code: 'SQLITE_CORRUPT', passes: false, reason: 'corrupt' },
  { code: 'SQLITE_NOTADB', passes: false, reason: 'corrupt' },
  { code: 'SQLITE_CONSTRAINT_UNIQUE', passes: false, reason: undefined },
  { code: 'SQLITE_ERROR', passes: false, reason: undefined },
])('$code: passes $passes, reason against opening $reason', ({ code, passes, reason }) => {
  const error = new BetterSqlite3.SqliteError('some text', code);
  const translated = toStoreError(error);
  expect(translated instanceof StoreUnavailable).toBe(passes);
  expect(passes ? translated : { cause: translated }).toHaveProperty('cause', error);
  expect(readUnusable(error)?.reason).toBe(reason);
  expect(readUnusable(translated)?.reason).toBe(reason);
});

test('an error of another source stays as it is', () => {
  const error = new TypeError('SQLITE_BUSY');
  expect(toStoreError(error)).toBe(error);
  expect(readUnusable(error)).toBeUndefined();
});
