import { WrongUse } from '@lockstep/shell/wrong-use';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { systemClock } from '../../clock.ts';
import { type CopiedTable, type Key, keyOf, type Row } from '../copy-rows.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Tables } from '../schema.ts';
import { isLostConnection } from '../store.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { type CopyOrigin, readContent, readMark, removeMark, writeMark } from './copy-mark.ts';
import { explainFault, openPostgresDatabase } from './open-store.ts';
import { lockKeys, postgresSpelling } from './postgres-spelling.ts';

/** A table with an index in it is analysed and counted as one statement, which may take 45 seconds. */
const patienceMs = 50_000;

/** A PostgreSQL database that a copy fills. */
export interface CopyTarget {
  /** Whether an earlier run has begun the copy. */
  readonly isResumed: boolean;
  /** The highest primary key: a copy writes in this order, so that it goes on there. */
  findLast(table: CopiedTable): Promise<Key | undefined>;
  /**
   * Writes all rows or none.
   *
   * @param rows in the order of the key, each by `formatRow`
   * @throws WrongUse when PostgreSQL rejects a row
   */
  insert(table: CopiedTable, rows: readonly string[]): Promise<void>;
  /** The rows after one key and up to another, in order. */
  readRange(table: CopiedTable, after: Key | undefined, last: Key): Promise<readonly Row[]>;
  count(table: CopiedTable): Promise<number>;
  /**
   * Counters go on after their highest number, queries know the sizes of the tables, and servers may use the database.
   *
   * @throws StoreUnavailable when the connection is lost, and another one can't tell that all this is done
   */
  finish(tables: readonly CopiedTable[]): Promise<void>;
}

/**
 * Opens an empty database, or one with an unfinished copy of the same source, and creates the schema. All statements use one connection, which
 * has the lock of the copy: if the connection is lost, so is the lock, and nothing more is written.
 *
 * @param name of the database, for messages
 * @throws StoreUnusable `filled`, `incomplete` or `locked`, and as `openPostgresStore`
 */
export async function withCopyTarget<Result>(
  url: string,
  name: string,
  origin: CopyOrigin,
  use: (target: CopyTarget) => Promise<Result>,
): Promise<Result> {
  const { database, close } = await openPostgresDatabase(url, async () => undefined, patienceMs);
  try {
    return await database.connection().execute(async (connection) => {
      const isResumed = await prepare(connection, name, origin);
      return await use(createTarget(connection, isResumed, () => isComplete(url)));
    });
  } finally {
    await close();
  }
}

async function prepare(connection: Kysely<Tables>, name: string, origin: CopyOrigin): Promise<boolean> {
  try {
    const isResumed = await claim(connection, name, origin);
    await migrate(connection, postgresSpelling, systemClock.now);
    return isResumed;
  } catch (error) {
    throw explainFault(error, name);
  }
}

/** @returns whether the copy of this origin has begun already */
async function claim(connection: Kysely<Tables>, name: string, origin: CopyOrigin): Promise<boolean> {
  const lock = sql<{ isTaken: boolean }>`select pg_try_advisory_lock(${sql.lit(lockKeys.copy)}) as "isTaken"`;
  if ((await lock.execute(connection)).rows[0]?.isTaken !== true)
    throw new StoreUnusable('locked', `another copy into ${name} is running`);
  return connection.transaction().execute(async (transaction) => {
    for (const statement of postgresSpelling.onlyOne('migration')) await statement.execute(transaction);
    const content = await readContent(transaction);
    if (content.kind === 'own' || content.kind === 'foreign')
      throw new StoreUnusable('filled', `${name} is not empty. Give the address of an empty database.`);
    if (content.kind === 'empty') {
      await writeMark(transaction, origin);
      return false;
    }
    const begun = await readMark(transaction);
    const again = `Give the address of an empty database.`;
    if (begun?.source !== origin.source)
      throw new StoreUnusable('incomplete', `${name} has an unfinished copy of ${begun?.source}. ${again}`);
    if (begun.state !== origin.state)
      throw new StoreUnusable('incomplete', `${origin.source} has changed since its copy into ${name} began. ${again}`);
    return true;
  });
}

/** Over another connection. If the first one was lost, its last transaction may go on, and the lock of the copy with it. */
async function isComplete(url: string): Promise<boolean> {
  const { database, close } = await openPostgresDatabase(url, async () => undefined, patienceMs);
  try {
    return await database.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${sql.lit(lockKeys.copy)})`.execute(connection);
      return (await readContent(connection)).kind === 'own';
    });
  } finally {
    await close();
  }
}

function createTarget(connection: Kysely<Tables>, isResumed: boolean, isFinished: () => Promise<boolean>): CopyTarget {
  const run = async <Result>(query: RawBuilder<Result>): Promise<readonly Result[]> =>
    (await query.execute(connection)).rows;
  return {
    isResumed,
    findLast: async (table) => {
      const { name, key } = table;
      const order = sql.join(key.map((column) => sql`${sql.ref(column)} desc`));
      const [last] = await run(sql<Row>`select ${list(key)} from ${sql.table(name)} order by ${order} limit 1`);
      return last && keyOf(table, last);
    },
    insert: async ({ name, columns }, rows) => {
      try {
        await run(sql`
          insert into ${sql.table(name)} (${list(columns)})
          select ${list(columns)} from json_populate_recordset(null::${sql.table(name)}, ${`[${rows.join()}]`}::json)
        `);
      } catch (error) {
        throw explain(error, name);
      }
    },
    readRange: ({ name, columns, key }, after, last) =>
      run(sql<Row>`
      select ${list(columns)} from ${sql.table(name)}
      where ${after === undefined ? sql`true` : sql`(${list(key)}) > (${sql.join(after)})`} and (${list(key)}) <= (${sql.join(last)})
      order by ${list(key)}
    `),
    count: async ({ name }) => {
      const [counted] = await run(sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`);
      return counted?.rows ?? 0;
    },
    finish: async (tables) => {
      for (const { name } of tables) await sql`analyze ${sql.table(name)}`.execute(connection);
      try {
        await connection.transaction().execute(async (transaction) => {
          await continueCounters(transaction);
          await removeMark(transaction);
        });
      } catch (error) {
        // Only the answer to the commit may be lost. After any other fault this connection still has the lock of the copy.
        if (!isLostConnection(error) || !(await isFinished().catch(() => false))) throw error;
      }
    },
  };
}

function list(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}

async function continueCounters(transaction: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'
  `.execute(transaction);
  for (const { table, column } of rows)
    await sql`
      select setval(pg_get_serial_sequence(${table}, ${column}), max(${sql.ref(column)})) from ${sql.table(table)}
    `.execute(transaction);
}

/** Rows that SQLite accepted without its constraints, or numbers beyond 32 bits. */
function explain(error: unknown, table: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return new WrongUse(`PostgreSQL rejects a row of the table ${table}: ${error.message}. ${error.detail ?? ''}`, {
    cause: error,
  });
}
