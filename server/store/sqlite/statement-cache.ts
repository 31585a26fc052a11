import type BetterSqlite3 from 'better-sqlite3';
import { toStoreError } from './sqlite-error.ts';

/** More than the number of the store's fixed queries; statements of one import or search are dropped first. */
const limit = 200;

export interface CachedStatement {
  /** Whether it returns rows: then it runs with `all`, otherwise with `run`. */
  readonly givesRows: boolean;
  /** Whether it only reads. */
  readonly changesNothing: boolean;
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

export interface StatementCache {
  /** @throws StoreUnavailable as every run of a statement, when the database can't answer at the moment */
  prepare(sql: string): CachedStatement;
  close(): void;
}

/** Prepares each statement of a database once: preparing takes longer than a read by key. */
export function cacheStatements(database: BetterSqlite3.Database): StatementCache {
  const kept = new Map<string, CachedStatement>();
  return {
    close: () => {
      kept.clear();
      database.close();
    },
    prepare: (sql) => {
      const statement = kept.get(sql) ?? prepare(database, sql);
      kept.delete(sql); // moved to the end: the first key is the one unused for longest
      kept.set(sql, statement);
      const oldest = kept.keys().next().value;
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
      return statement;
    },
  };
}

function prepare(database: BetterSqlite3.Database, sql: string): CachedStatement {
  const statement = translateErrors(() => database.prepare<unknown[]>(sql));
  return {
    givesRows: statement.reader,
    changesNothing: statement.readonly,
    all: (parameters) => translateErrors(() => statement.all(...parameters)),
    run: (parameters) => translateErrors(() => statement.run(...parameters)),
  };
}

function translateErrors<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw toStoreError(error);
  }
}
