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
import { describeUnfinished, readContent } from './copy-mark.ts';
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
  const { database, close } = await openPostgresDatabase(
    url,
    async (opened, name) => {
      await requireOwn(opened, name, mayCreate);
      await migrate(opened, postgresSpelling, now);
      // A copy may have found the database empty too, and created the schema.
      if (mayCreate) await requireOwn(opened, name, false);
    },
    patienceMs,
  );
  return createStore(database, postgresSpelling, close);
}

export interface OpenDatabase {
  readonly database: Kysely<Tables>;
  /** Closes the connections when those who use them are done. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a PostgreSQL database that has the settings of the store.
 *
 * @param prepare gets the name of the database for messages; it is tried again while the server is starting
 * @throws StoreUnusable, or an error of `prepare`
 */
export async function openPostgresDatabase(
  url: string,
  prepare: (database: Kysely<Tables>, name: string) => Promise<void>,
  patienceMs?: number,
): Promise<OpenDatabase> {
  const name = describeDatabase({ kind: 'postgres', url });
  for (const began = performance.now(); ; await setTimeout(openingPauseMs)) {
    const opened = openPool(url, patienceMs);
    try {
      await requireSettings(opened.database, name);
      await prepare(opened.database, name);
      return opened;
    } catch (error) {
      await opened.close();
      if (isSlow(error) && performance.now() - began < openingPatienceMs) continue;
      throw explainFault(error, name);
    }
  }
}

/** The error for the operator of a database that can't be opened; a bug stays as it is. */
export function explainFault(error: unknown, name: string): unknown {
  const unusable = readUnusable(error);
  return unusable && !(error instanceof StoreUnusable)
    ? new StoreUnusable(unusable.reason, `${name} ${unusable.sentence}`, { cause: error })
    : error;
}

function openPool(url: string, patienceMs: number | undefined): OpenDatabase {
  const pool = createPool(url, patienceMs);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool, patienceMs) }) });
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
  return { database, close };
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
 * `/healthz` answers 200. An unfinished copy lacks data.
 *
 * @throws StoreUnusable `foreign`, `empty` or `incomplete`
 */
async function requireOwn(database: Kysely<Tables>, name: string, mayCreate: boolean): Promise<void> {
  const content = await readContent(database);
  if (content.kind === 'foreign')
    throw new StoreUnusable('foreign', `${name} is a database of another program, with a table ${content.table}`);
  if (content.kind === 'copy') throw await describeUnfinished(database, name);
  if (content.kind === 'empty' && !mayCreate)
    throw new StoreUnusable('empty', `${name} is empty. Check DATABASE_URL.`, {
      fixes: [{ message: 'Or fill it', command: ['lockstep-server', 'import', 'FILE'] }],
    });
}
