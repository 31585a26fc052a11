import type BetterSqlite3 from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { toStoreError } from './sqlite-error.ts';

/** More than the store has queries; what a search or an import shapes in passing goes first. */
const limit = 200;

/**
 * What Kysely needs of a database, with each statement prepared once. Preparing takes longer than a read by key.
 * Nothing may be streamed from it: a statement that is being read from can't be run again.
 *
 * @throws StoreUnavailable from every run that the database can't answer at the moment
 */
export function cacheStatements(database: BetterSqlite3.Database): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => {
      kept.clear();
      database.close();
    },
    prepare: (sql) => {
      const statement = kept.get(sql) ?? prepare(database, sql);
      kept.delete(sql); // put back at the end: the first key is the one unused for longest
      kept.set(sql, statement);
      const oldest = kept.keys().next().value;
      if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
      return statement;
    },
  };
}

function prepare(database: BetterSqlite3.Database, sql: string): SqliteStatement {
  const statement = translateErrors(() => database.prepare<unknown[]>(sql));
  return {
    reader: statement.reader,
    all: (parameters) => translateErrors(() => statement.all(...parameters)),
    run: (parameters) => translateErrors(() => statement.run(...parameters)),
    iterate: () => {
      throw new Error('the store does not stream');
    },
  };
}

function translateErrors<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw toStoreError(error);
  }
}
