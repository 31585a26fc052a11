import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { type EpochMilliseconds, systemClock } from '../../clock.ts';
import { createStore } from '../create-store.ts';
import { describeDatabase } from '../database-address.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Tables } from '../schema.ts';
import type { Store } from '../store.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { createPool, preparing } from './create-pool.ts';
import { isSlow, readUnusable } from './postgres-error.ts';
import { postgresSpelling } from './postgres-spelling.ts';

/** A server that is starting, or a busy machine, answers late. A start may wait longer than a request. */
const [openingPatienceMs, openingPauseMs] = [4000, 100];

interface OpenOptions {
  /** Whether an empty database is filled with the schema. The database itself has to exist. */
  readonly mayCreate?: boolean;
  readonly now?: () => EpochMilliseconds;
  /** As for `createPool`. */
  readonly patienceMs?: number;
}

/**
 * Opens the store on a PostgreSQL database and brings its schema up to date. Any number of processes may have it open.
 *
 * @param url as in `DATABASE_URL`; it may contain a password, which no message repeats
 * @throws StoreUnusable with the reason and a sentence for the operator, when the database must not be served from
 */
export async function openPostgresStore(
  url: string,
  { mayCreate = true, now = systemClock.now, patienceMs }: OpenOptions = {},
): Promise<Store> {
  const name = describeDatabase({ kind: 'postgres', url });
  for (const began = performance.now(); ; await setTimeout(openingPauseMs)) {
    try {
      return await open(createPool(url, patienceMs), name, mayCreate, now);
    } catch (error) {
      if (isSlow(error) && performance.now() - began < openingPatienceMs) continue;
      const unusable = readUnusable(error);
      if (unusable === undefined) throw error;
      throw new StoreUnusable(unusable.reason, `${name} ${unusable.sentence}`, { cause: error });
    }
  }
}

async function open(pool: Pool, name: string, mayCreate: boolean, now: () => EpochMilliseconds): Promise<Store> {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
  const end = async () => {
    await servePending(pool);
    await database.destroy();
    // Kysely leaves the pool open if no statement has run.
    if (!pool.ended) await pool.end();
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  try {
    await requireSettings(database, name);
    await requireOwn(database, name, mayCreate);
    await migrate(database, postgresSpelling, now);
  } catch (error) {
    await close();
    throw error;
  }
  return createStore(database, postgresSpelling, close);
}

/** A statement takes at most half as long. */
const mostPendingMs = 10_000;

/** Waits until no request has a connection or waits for one: a pool that is being closed lends none, and Kysely refuses those just lent. */
async function servePending(pool: Pool): Promise<void> {
  const ended = AbortSignal.timeout(mostPendingMs);
  // A request reaches the pool some microtasks after its call, and a connection is idle only after its event.
  await setImmediate();
  while ((pool.waitingCount > 0 || pool.idleCount < pool.totalCount) && !ended.aborted) {
    const changed = new AbortController();
    const signal = AbortSignal.any([ended, changed.signal]);
    await Promise.race(['release', 'remove'].map((name) => once(pool, name, { signal }).catch(() => undefined)));
    changed.abort();
    await setImmediate();
  }
}

/** Each setting with the values that are safe, and the reason. */
const settings: readonly { name: string; accepts: (value: string) => boolean; reason: string }[] = [
  {
    name: 'server_version_num',
    accepts: (value) => Number(value) >= 150_000,
    reason: 'PostgreSQL 15 or later is required',
  },
  { name: 'server_encoding', accepts: (value) => value === 'UTF8', reason: 'create it with the encoding UTF8' },
  { name: 'fsync', accepts: (value) => value === 'on', reason: 'a crash of the machine would damage the database' },
  {
    name: 'full_page_writes',
    accepts: (value) => value === 'on',
    reason: 'a crash of the machine would damage the database',
  },
  { name: 'synchronous_commit', accepts: (value) => value !== 'off', reason: 'a crash would lose the last commits' },
  {
    name: 'default_transaction_isolation',
    accepts: (value) => value === 'read committed',
    reason: 'the store locks its rows for the level "read committed"',
  },
];

/** @throws StoreUnusable `unsafe` */
async function requireSettings(database: Kysely<Tables>, databaseName: string): Promise<void> {
  const columns = settings.map(({ name }) => sql`current_setting(${sql.lit(name)}) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, string>>`select ${sql.join(columns)}`.execute(database);
  for (const { name, accepts, reason } of settings) {
    const value = `${rows[0]?.[name]}`;
    if (!accepts(value)) throw new StoreUnusable('unsafe', `${databaseName} has ${name} = ${value}: ${reason}`);
  }
}

/**
 * A mistyped name must not add tables to another program's database, nor serve from an empty one: every token would be rejected while
 * `/healthz` answers 200.
 *
 * @throws StoreUnusable `foreign` or `empty`
 */
async function requireOwn(database: Kysely<Tables>, name: string, mayCreate: boolean): Promise<void> {
  const { rows } = await sql<{ relation: string; columns: string }>`
    select relname as relation, string_agg(attname, ',' order by attnum) as columns
    from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
    group by relname order by relname
  `.execute(database);
  const found = new Map(rows.map(({ relation, columns }) => [relation, columns]));
  if (found.get('schema_version') === 'version,name,applied_at' && found.has('device')) return;
  const [foreign] = found.keys();
  if (foreign !== undefined)
    throw new StoreUnusable('foreign', `${name} is a database of another program, with a table ${foreign}`);
  if (!mayCreate)
    throw new StoreUnusable('empty', `${name} is empty. Check DATABASE_URL.`, {
      fixes: [{ message: 'Or fill it', command: ['lockstep-server', 'import', 'FILE'] }],
    });
}
