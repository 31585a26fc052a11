import type BetterSqlite3 from 'better-sqlite3';
import type {
  DatabaseConnection,
  DialectAdapter,
  Driver,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from 'kysely';
import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteQueryCompiler } from 'kysely';
import { isBusy } from './sqlite-error.ts';
import { type CachedStatement, cacheStatements, type StatementCache } from './statement-cache.ts';
import { WriteQueue } from './write-queue.ts';

/** Kysely's dialect for SQLite with cached statements, transactions that lock when they begin, and writers that wait without blocking the process. */
export class ImmediateDialect extends SqliteDialect {
  readonly #database: BetterSqlite3.Database;

  constructor(database: BetterSqlite3.Database) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }

  override createAdapter(): DialectAdapter {
    return new QueuedAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new PlanningOnceCompiler();
  }
}

/**
 * Writes parameters as `+?`, which has the value of `?`. While SQLite plans a join, an index range or a limit, it reads the value of a bare
 * parameter, and from then on plans the statement again at each binding: 85 of the 217 µs of a page of 50 devices. That has no benefit
 * here, where no table is analysed.
 *
 * @see https://sqlite.org/queryplanner-ng.html, "Query Planner Stability Guarantee", which better-sqlite3 has no way to ask for
 */
class PlanningOnceCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/**
 * Kysely itself would lend the one connection to one caller at a time. A transaction that waits to begin would block it, and reads would wait
 * too. The write queue serializes writers instead.
 */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/**
 * All connections that it lends are the process's single one. A second, read-only connection would gain nothing: a transaction does not wait
 * between its statements, so that no request runs before its end.
 */
class ImmediateDriver implements Driver {
  readonly #database: BetterSqlite3.Database;
  readonly #statements: StatementCache;
  readonly #queue = new WriteQueue();
  /** Connections are reused: Kysely records each new one, which takes a fourth of the time of a read. */
  readonly #idle: QueuedConnection[] = [];
  #lent = 0;
  #whenReturned: (() => void) | undefined;

  constructor(database: BetterSqlite3.Database) {
    this.#database = database;
    this.#statements = cacheStatements(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<QueuedConnection> {
    this.#lent += 1;
    return this.#idle.pop() ?? new QueuedConnection(this.#statements, this.#queue);
  }

  async releaseConnection(connection: QueuedConnection): Promise<void> {
    this.#idle.push(connection);
    this.#lent -= 1;
    if (this.#lent === 0) this.#whenReturned?.();
  }

  /**
   * A deferred transaction that reads and then writes fails without a wait when another process wrote in between
   * (SQLITE_BUSY_SNAPSHOT). A transaction that locks first waits for its turn.
   */
  async beginTransaction(connection: QueuedConnection, settings?: TransactionSettings): Promise<void> {
    await connection.begin(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  async commitTransaction(connection: QueuedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
    connection.end();
  }

  /** After some failures (no space, no memory, a broken disk) SQLite itself rolls back; a second rollback would fail and hide the reason. */
  async rollbackTransaction(connection: QueuedConnection): Promise<void> {
    try {
      if (this.#database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    } finally {
      connection.end();
    }
  }

  /** Waits for all callers that have a connection; a writer that waits for another process keeps its usual limit. */
  async destroy(): Promise<void> {
    if (this.#lent > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#whenReturned = resolve;
      await promise;
    }
    this.#statements.close();
  }
}

/** The connection of one caller, from its first statement to its last. */
class QueuedConnection implements DatabaseConnection {
  readonly #statements: StatementCache;
  readonly #queue: WriteQueue;
  #transaction: 'none' | 'beginning' | 'open' = 'none';

  constructor(statements: StatementCache, queue: WriteQueue) {
    this.#statements = statements;
    this.#queue = queue;
  }

  /** From here to `end` this connection has the writer's turn, and all of its statements run without waiting. */
  async begin(statement: string): Promise<void> {
    this.#transaction = 'beginning';
    try {
      await this.executeQuery(CompiledQuery.raw(statement));
      this.#transaction = 'open';
    } finally {
      if (this.#transaction === 'beginning') this.#transaction = 'none';
    }
  }

  end(): void {
    this.#transaction = 'none';
    this.#queue.leave();
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction === 'open') return run(this.#statements.prepare(sql), parameters);
    try {
      const statement = this.#statements.prepare(sql);
      if (statement.changesNothing && this.#transaction === 'none') {
        if (!this.#queue.isFree) await this.#queue.whenFree();
        return run(statement, parameters);
      }
    } catch (error) {
      // While another process recovers a WAL after a crash, readers are locked out for a moment too.
      if (!isBusy(error)) throw error;
    }
    const act = () => run<Row>(this.#statements.prepare(sql), parameters);
    return this.#transaction === 'none' ? this.#queue.run(act) : this.#queue.enter(act);
  }

  // biome-ignore lint/correctness/useYield: it always throws
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("the store does not stream: a statement can't run again while it is being read from");
  }
}

function run<Row>(statement: CachedStatement, parameters: readonly unknown[]): QueryResult<Row> {
  if (statement.givesRows) return { rows: statement.all(parameters) as Row[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}
