import type BetterSqlite3 from 'better-sqlite3';
import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import { cacheStatements } from './statement-cache.ts';

/** Kysely's dialect for SQLite, with statements kept and transactions that lock when they begin. */
export class ImmediateDialect extends SqliteDialect {
  readonly #database: BetterSqlite3.Database;

  constructor(database: BetterSqlite3.Database) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: BetterSqlite3.Database;

  constructor(database: BetterSqlite3.Database) {
    super({ database: cacheStatements(database) });
    this.#database = database;
  }

  /**
   * A deferred transaction that reads and then writes fails at once, without any wait, when another process wrote in
   * between (SQLITE_BUSY_SNAPSHOT). One that locks first waits for its turn.
   */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** After some failures (no space, no memory, a broken disk) SQLite rolls back by itself; a second rollback would fail and hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}
