import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { toStoreError } from './postgres-error.ts';

/** Connections of one process. A statement takes a millisecond, and PostgreSQL has 100 connections for all processes. */
const connections = 10;

/** A statement of a request takes some milliseconds, and a lock is held as long. A request that waits longer is answered 503. */
const usualPatienceMs = 1000;

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
 * The connections of a process. A lost one is no error until a request needs it; then the pool opens another.
 *
 * @param patienceMs how long a request waits for a connection, and then for a lock. A statement may take five times as long
 */
export function createPool(url: string, patienceMs: number = usualPatienceMs): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: patienceMs,
    lock_timeout: 0.9 * patienceMs,
    statement_timeout: 5 * patienceMs,
    idle_in_transaction_session_timeout: 5 * patienceMs,
    options: planning,
    maxLifetimeSeconds: planLifetimeSeconds,
    keepAlive: true,
    application_name: 'lockstep',
    types,
  });
  // Without these listeners a lost connection would stop the process. The pool has one for idle connections alone.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** The pool as Kysely uses it: with prepared statements and the store's errors. */
export function preparing(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const names = createNames();
  return {
    options: pool.options,
    connect: async () => {
      const client = await translated(pool.connect());
      const known = clients.get(client) ?? new PreparingClient(client, names);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #nameOf: (text: string) => string | undefined;

  constructor(client: pg.PoolClient, nameOf: (text: string) => string | undefined) {
    this.#client = client;
    this.#nameOf = nameOf;
  }

  /** The store does not stream, so that a query is always text. */
  query(text: unknown, parameters: readonly unknown[] = []): never {
    const name = this.#nameOf(String(text));
    const values = parameters.map(withoutNul);
    const query = name === undefined ? { text: String(text), values } : { name, text: String(text), values };
    return translated(this.#client.query(query)) as never;
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

async function translated<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw toStoreError(error);
  }
}
