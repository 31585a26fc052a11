import { sql } from 'kysely';
import type { EpochMilliseconds } from '../../clock.ts';
import type { Database, DatabaseTransaction, Spelling } from '../database.ts';
import { StoreUnusable } from '../store-unusable.ts';
import { transactAlone } from '../transact.ts';
import type { Migration } from './migration.ts';
import { migrations as all } from './migrations.ts';

/**
 * Brings the schema to the version of this code. Each step is one transaction with its row in `schema_version`: a process that is killed
 * leaves complete steps behind, and the next start continues from there.
 *
 * @throws StoreUnusable `newer` when a later version of this code has changed the schema
 */
export async function migrate(
  database: Database,
  spelling: Spelling,
  now: () => EpochMilliseconds,
  migrations: readonly Migration[] = all,
): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0;
  const found = await findVersion(database);
  if (found > known)
    throw new StoreUnusable(
      'newer',
      `the database has schema ${found}, this version of the server knows ${known}: start the version that wrote the database, or a later one`,
    );
  for (const migration of migrations.filter(({ version }) => version > found)) {
    await transactAlone(database, spelling, 'migration', async (transaction) => {
      // The version is read again inside: of two processes that start at once, the second finds the step done.
      if ((await readVersion(transaction, spelling)) >= migration.version) return;
      await migration.up(transaction as unknown as Parameters<Migration['up']>[0], spelling);
      const { version, name } = migration;
      await transaction.insertInto('schema_version').values({ version, name, applied_at: now() }).execute();
    });
  }
}

/** Reads without a lock: if the schema is up to date, a process that holds the lock does not prevent opening. */
async function findVersion(database: Database): Promise<number> {
  const tables = await database.introspection.getTables();
  return tables.some(({ name }) => name === 'schema_version') ? selectVersion(database) : 0;
}

async function readVersion(transaction: DatabaseTransaction, { columns, tableEnd }: Spelling): Promise<number> {
  await transaction.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('applied_at', columns.time, (column) => column.notNull())
    .modifyEnd(tableEnd.keyed)
    .execute();
  return selectVersion(transaction);
}

async function selectVersion(database: Database): Promise<number> {
  const query = sql<{ version: number | null }>`select max(version) as version from schema_version`;
  return (await query.execute(database)).rows[0]?.version ?? 0;
}
