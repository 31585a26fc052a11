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

/** Kysely's dialect for SQLite, with statements kept, transactions that lock when they begin, and writers that wait without stopping the process. */
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
 * Writes parameters as `+?`, which has the value of `?`. SQLite looks at what a bare one is bound to while it plans a join, a range of an
 * index or a limit, and from then on plans the statement anew whenever something is bound: 85 of the 217 µs of a page of 50 devices. It
 * has nothing to gain by it here, where no table is analysed.
 *
 * @see https://sqlite.org/queryplanner-ng.html, "Query Planner Stability Guarantee", which better-sqlite3 has no way to ask for
 */
class PlanningOnceCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

/**
 * Kysely itself would give out the one connection to one caller at a time, and a transaction that waits to begin would hold it: reads
 * would wait with it. The write queue keeps writers apart instead.
 */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/**
 * All connections that it gives out are the one that the process has. A second, read-only one would gain nothing: a transaction waits
 * for nothing between its statements, so that no request comes in before its end.
 */
class ImmediateDriver implements Driver {
  readonly #database: BetterSqlite3.Database;
  readonly #statements: StatementCache;
  readonly #queue = new WriteQueue();
  /** Used again: Kysely keeps a note of each that it has seen, which costs as much as a fourth of a read. */
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
   * A deferred transaction that reads and then writes fails at once, without any wait, when another process wrote in
   * between (SQLITE_BUSY_SNAPSHOT). One that locks first waits for its turn.
   */
  async beginTransaction(connection: QueuedConnection, settings?: TransactionSettings): Promise<void> {
    await connection.begin(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  async commitTransaction(connection: QueuedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
    connection.end();
  }

  /** After some failures (no space, no memory, a broken disk) SQLite rolls back by itself; a second rollback would fail and hide the reason. */
  async rollbackTransaction(connection: QueuedConnection): Promise<void> {
    try {
      if (this.#database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    } finally {
      connection.end();
    }
  }

  /** Whoever has begun comes to an end first; a writer that waits for another process waits no longer than ever. */
  async destroy(): Promise<void> {
    if (this.#lent > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#whenReturned = resolve;
      await promise;
    }
    this.#statements.close();
  }
}

/** One caller, from its first statement to its last. */
class QueuedConnection implements DatabaseConnection {
  readonly #statements: StatementCache;
  readonly #queue: WriteQueue;
  #transaction: 'none' | 'beginning' | 'open' = 'none';

  constructor(statements: StatementCache, queue: WriteQueue) {
    this.#statements = statements;
    this.#queue = queue;
  }

  /** From here to `end` it has the turn of a writer, and all of its statements run at once. */
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
      // A reader too is locked out for a moment, while another process opens a log that it found after a crash.
      if (!isBusy(error)) throw error;
    }
    const act = () => run<Row>(this.#statements.prepare(sql), parameters);
    return this.#transaction === 'none' ? this.#queue.run(act) : this.#queue.enter(act);
  }

  // biome-ignore lint/correctness/useYield: it throws before it has anything to give
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the store does not stream: a statement that is being read from can not be run again');
  }
}

function run<Row>(statement: CachedStatement, parameters: readonly unknown[]): QueryResult<Row> {
  if (statement.givesRows) return { rows: statement.all(parameters) as Row[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}
