import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Spelling } from '../database.ts';
import type { Migration } from './migration.ts';

/** Jobs of bridges, activity of devices, and the memory of simulated locks. */
export const jobsAndActivity: Migration = {
  version: 3,
  name: 'jobs-and-activity',
  up: async (transaction, spelling) => {
    await createJobs(transaction, spelling);
    await createActivity(transaction, spelling);
    await createMemories(transaction, spelling);
  },
};

async function createJobs({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('job')
    // The order of creation: a clock may go back or stop, the counter does not.
    .addColumn('number', sql`${columns.counter}`)
    .addColumn('job_id', columns.text, (column) => column.notNull().unique())
    .addColumn('account_id', columns.text, (column) => column.notNull().references('account.id'))
    .addColumn('client_id', columns.text, (column) => column.notNull())
    .addColumn('bridge_id', columns.text, (column) => column.notNull().references('device.device_id'))
    .addColumn('device_id', columns.text, (column) => column.notNull().references('device.device_id'))
    .addColumn('job_type', columns.text, (column) => column.notNull())
    .addColumn('status', columns.text, (column) => column.notNull())
    .addColumn('result', 'integer', (column) => column.notNull())
    .addColumn('output', columns.text, (column) => column.notNull())
    .addColumn('created_at', columns.time, (column) => column.notNull())
    .addColumn('expires_at', columns.time, (column) => column.notNull())
    .addColumn('ends_at', columns.time, (column) => column.notNull())
    .addColumn('sealed_data', columns.bytes)
    .addColumn('rated', 'integer', (column) => column.notNull())
    .modifyEnd(tableEnd.counted)
    .execute();
  await schema.createIndex('job_by_bridge').on('job').columns(['bridge_id', 'number']).execute();
  await schema.createIndex('job_by_end').on('job').column('ends_at').execute();
  await schema
    .createIndex('job_unfinished')
    .on('job')
    .columns(['bridge_id', 'expires_at'])
    .where(sql.ref('sealed_data'), 'is not', null)
    .execute();
  await schema
    .createIndex('job_rated')
    .on('job')
    .columns(['bridge_id', 'created_at'])
    .where(sql.ref('rated'), '=', sql.lit(1))
    .execute();
  await schema
    .createTable('idempotency_key')
    .addColumn('client_id', columns.text, (column) => column.notNull())
    .addColumn('key_hash', columns.text, (column) => column.notNull())
    .addColumn('request_hash', columns.text, (column) => column.notNull())
    .addColumn('job_id', columns.text, (column) => column.notNull())
    .addColumn('keep_until', columns.time, (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key_key', ['client_id', 'key_hash'])
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('idempotency_key_by_end').on('idempotency_key').column('keep_until').execute();
}

async function createActivity({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('activity')
    // No reference: entries stay when the device is gone.
    .addColumn('device_id', columns.text, (column) => column.notNull())
    .addColumn('at', columns.time, (column) => column.notNull())
    .addColumn('id', columns.text, (column) => column.notNull())
    .addColumn('received_at', columns.time, (column) => column.notNull())
    .addColumn('type', columns.text, (column) => column.notNull())
    .addColumn('method', columns.text, (column) => column.notNull())
    .addColumn('raw_type', 'integer')
    .addColumn('first_use', 'integer')
    .addColumn('pin_id', columns.text)
    .addColumn('access_name', columns.text)
    .addColumn('details', columns.text, (column) => column.notNull())
    // In the order of the log: a page is one range of the table.
    .addPrimaryKeyConstraint('activity_key', ['device_id', 'at', 'id'])
    .modifyEnd(tableEnd.keyed)
    .execute();
  // The device comes first, so that a push changes the few pages of its device, not a hundred across the index.
  await schema.createIndex('activity_once').unique().on('activity').columns(['device_id', 'id']).execute();
  await schema.createIndex('activity_by_age').on('activity').column('at').execute();
}

async function createMemories({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('lock_memory')
    .addColumn('device_id', columns.text, (column) => column.primaryKey().notNull().references('device.device_id'))
    .addColumn('sealed', columns.bytes, (column) => column.notNull())
    .addColumn('saved_at', columns.time, (column) => column.notNull())
    .modifyEnd(tableEnd.keyed)
    .execute();
}
