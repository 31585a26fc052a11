import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type Patience, waitFor } from '../patience.ts';
import { StoreUnavailable } from '../store.ts';
import { isOfStandby, toConnectionError, toStoreError } from './postgres-error.ts';

/** Connections of one process. A statement takes a millisecond, and PostgreSQL has 100 connections for all processes. */
const connections = 10;

/** A statement of a request takes some milliseconds, and a lock is held as long. A request that waits longer is answered 503. */
const usualPatienceMs = 1000;

/** By the patience: what one request waits in all, and a statement of a task whose server is silent. */
const findPatience = (patienceMs: number): Patience => ({ requestMs: 0.95 * patienceMs, taskMs: 2 * patienceMs });

/** PostgreSQL itself cancels a statement sooner: after this time without an answer, the server is silent. */
const findStatementMs = (patienceMs: number): number => Math.round(0.9 * patienceMs);

/** A text is prepared on the server at its fifth run, as by pgjdbc (`prepareThreshold`): parsing and planning takes as long as a read by key. */
const preparedFrom = 5;

/** More than the number of the store's fixed queries. Each connection keeps their plans. */
const mostPrepared = 300;

/**
 * A statement has one plan, whatever its values: by default each run of a page would be planned for its own values, which takes as long as the
 * page. That plan is kept, also while an import turns a table of a hundred rows into one of a million. So the planner avoids what is cheap for
 * small tables alone: to read a whole table, to hash it, or to merge it. No statement is long enough to be worth compiling (`jit`).
 */
const planning = ['plan_cache_mode=force_generic_plan', 'jit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
  .map((setting) => `-c ${setting.includes('=') ? setting : `${setting}=off`}`)
  .join(' ');

/** A new connection makes its plans anew, for tables as large as they are then. */
const planLifetimeSeconds = 60;

/** Counts are 64-bit integers, which node-postgres reads as text. All of this store are below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * The network may lose a connection so that neither side notices. The server then closes a session that holds a lock after 25 seconds, and not
 * after two hours, as is usual.
 */
const keepAlive = [10, 5, 3]
  .map((value, index) => `-c tcp_keepalives_${['idle', 'interval', 'count'][index]}=${value}`)
  .join(' ');

/**
 * A connection whose loss is no error until a request needs it. Without this listener it would stop the process; the pool has one for idle
 * connections alone.
 */
class QuietClient extends pg.Client {
  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.on('error', () => undefined);
  }
}

/**
 * The connections of a process. When one is lost, the pool opens another.
 *
 * @param patienceMs how long a request waits for connections, locks and statements in all
 */
export function createPool(url: string, patienceMs: number = usualPatienceMs): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 0.9 * patienceMs,
    lock_timeout: Math.round(0.85 * patienceMs),
    statement_timeout: findStatementMs(patienceMs),
    idle_in_transaction_session_timeout: 5 * patienceMs,
    maxLifetimeSeconds: planLifetimeSeconds,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: `${planning} ${keepAlive}`,
    application_name: 'lockstep',
    types,
    Client: QuietClient,
  });
  pool.on('error', () => undefined);
  return pool;
}

/**
 * The pool as Kysely uses it: with prepared statements, the store's errors, and no wait without an end.
 *
 * @param patienceMs as for `createPool`
 */
export function preparing(pool: pg.Pool, patienceMs: number = usualPatienceMs): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PreparingClient>();
  const shared: Shared = {
    nameOf: createNames(),
    patience: findPatience(patienceMs),
    statementMs: findStatementMs(patienceMs),
    silentSince: Number.NEGATIVE_INFINITY,
    readOnlySince: Number.NEGATIVE_INFINITY,
  };
  return {
    options: pool.options,
    connect: async () => {
      for (;;) {
        const client = await connect(pool, shared.patience);
        const known = clients.get(client) ?? new PreparingClient(client, shared);
        clients.set(client, known);
        if (!known.isDoubtful) return known;
        known.release(true);
      }
    },
    end: () => pool.end(),
  };
}

async function connect(pool: pg.Pool, patience: Patience): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => {
    reject(new StoreUnavailable('the database is unavailable: no connection was free in time'));
    // Another request can use it.
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
  };
  try {
    return await waitFor(Promise.race([connecting, late]), patience, giveUp);
  } catch (error) {
    throw toConnectionError(error);
  }
}

/** The state of all connections of a pool. Times are those of `performance.now()`. */
interface Shared {
  readonly nameOf: (text: string) => string | undefined;
  readonly patience: Patience;
  readonly statementMs: number;
  /** The start of the last query that got no answer: connections without an answer since then may be lost too. */
  silentSince: number;
  /** The last statement that a standby rejected: after a failover, earlier connections to the former server go on. */
  readOnlySince: number;
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #shared: Shared;
  readonly #openedAt = performance.now();
  #answeredAt = performance.now();
  /** Why this side has closed the connection. Further statements have the same fault, such as the rollback, whose error replaces the first one. */
  #fault: StoreUnavailable | undefined;

  constructor(client: pg.PoolClient, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
  }

  /** Whether another connection had a fault that this one may have too. */
  get isDoubtful(): boolean {
    return this.#answeredAt < this.#shared.silentSince || this.#openedAt < this.#shared.readOnlySince;
  }

  /** The store does not stream, so that a query is always text. */
  query(text: unknown, parameters: readonly unknown[] = []): never {
    const name = this.#shared.nameOf(String(text));
    const values = parameters.map(withoutNul);
    return this.#run(
      name === undefined ? { text: String(text), values } : { name, text: String(text), values },
    ) as never;
  }

  async #run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#fault !== undefined) throw this.#fault;
    const began = performance.now();
    let allowedMs: number | undefined;
    const giveUp = (afterMs: number) => {
      allowedMs = afterMs;
      // Closes the connection, so that the query fails. The pool drops it when it is released.
      void (this.#client as unknown as pg.Client).end();
    };
    try {
      const result = await waitFor(this.#client.query(query), this.#shared.patience, giveUp);
      this.#answeredAt = performance.now();
      return result;
    } catch (error) {
      if (allowedMs !== undefined) {
        this.#fault = this.#explainLate(began, allowedMs, error);
        throw this.#fault;
      }
      if (isOfStandby(error)) this.#shared.readOnlySince = performance.now();
      throw toStoreError(error);
    }
  }

  /** A request that has waited before gives up sooner than the server: its statement may wait for a lock. */
  #explainLate(began: number, allowedMs: number, cause: unknown): StoreUnavailable {
    if (allowedMs < this.#shared.statementMs)
      return new StoreUnavailable(
        `the database is unavailable: all statements of the request took too long together, the last one ${Math.round(allowedMs)} ms`,
        { cause },
      );
    this.#shared.silentSince = began;
    return new StoreUnavailable('the database is unavailable: it is silent', { cause, reason: 'unreachable' });
  }

  release(discard?: boolean): void {
    this.#client.release(discard);
  }
}

/**
 * PostgreSQL has no text with NUL, so that none can be found. Where it would be written, it becomes the character that also stands for an
 * unpaired surrogate.
 */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

/** @returns the name under which a text is prepared; undefined while it is new, or once too many are prepared */
function createNames(): (text: string) => string | undefined {
  const runs = new Map<string, number>();
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= mostPrepared) return known;
    const count = (runs.get(text) ?? 0) + 1;
    runs.delete(text);
    if (count >= preparedFrom) {
      const name = `s${names.size + 1}`;
      names.set(text, name);
      return name;
    }
    runs.set(text, count); // at the end: the first key is the one unused for longest
    const oldest = runs.keys().next().value;
    if (runs.size > mostPrepared && oldest !== undefined) runs.delete(oldest);
    return undefined;
  };
}
