import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Spelling } from '../database.ts';
import type { Migration } from './migration.ts';

/** Accounts, properties, devices and their links, the audit table, and the artifacts of the OAuth server. */
export const start: Migration = {
  version: 1,
  name: 'start',
  up: async (transaction, spelling) => {
    await createAccounts(transaction, spelling);
    await createDevices(transaction, spelling);
    await createLinks(transaction, spelling);
    await createAudit(transaction, spelling);
    await createOauth(transaction, spelling);
  },
};

async function createAccounts({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('account')
    .addColumn('id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('trial_ends_at', columns.time)
    .addColumn('disabled_at', columns.time)
    .addColumn('tokens_valid_after', columns.time)
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema
    .createTable('property')
    .addColumn('id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('account_id', columns.text, (column) => column.notNull().references('account.id'))
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('timezone', columns.text)
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('property_by_account').on('property').column('account_id').execute();
}

async function createDevices({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('device')
    .addColumn('device_id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('id', columns.text, (column) => column.notNull().unique())
    .addColumn('account_id', columns.text, (column) => column.notNull().references('account.id'))
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('name_sort', columns.text, (column) => column.notNull())
    .addColumn('name_search', columns.text, (column) => column.notNull())
    .addColumn('type', columns.text, (column) => column.notNull())
    .addColumn('battery_level', 'integer')
    .addColumn('paired_at', columns.time, (column) => column.notNull())
    .addColumn('last_sync_at', columns.time, (column) => column.notNull())
    .addColumn('takes_algo_pin', 'integer', (column) => column.notNull())
    .addColumn('takes_passage_pin', 'integer', (column) => column.notNull())
    .addColumn('online', 'integer')
    .modifyEnd(tableEnd.keyed)
    .execute();
  // Both orders of the lists, ties included: SQLite reads them forwards or backwards without sorting.
  await schema.createIndex('device_by_name').on('device').columns(['account_id', 'name_sort', 'device_id']).execute();
  await schema
    .createIndex('device_by_pairing')
    .on('device')
    .columns(['account_id', 'paired_at', 'device_id'])
    .execute();
}

async function createLinks({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('device_property')
    .addColumn('device_id', columns.text, (column) => column.notNull().references('device.device_id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('property_id', columns.text, (column) => column.notNull().references('property.id'))
    .addPrimaryKeyConstraint('device_property_key', ['device_id', 'position'])
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('device_by_property').on('device_property').column('property_id').execute();
  await schema
    .createTable('device_link')
    .addColumn('device_id', columns.text, (column) => column.notNull().references('device.device_id'))
    .addColumn('linked_id', columns.text, (column) => column.notNull().references('device.device_id'))
    .addColumn('by_bridge', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('device_link_key', ['device_id', 'linked_id'])
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('device_link_by_linked').on('device_link').column('linked_id').execute();
  await schema
    .createIndex('device_link_one_bridge')
    .unique()
    .on('device_link')
    .column('linked_id')
    .where(sql.ref('by_bridge'), '=', sql.lit(1))
    .execute();
}

async function createAudit({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('audit_entry')
    .addColumn('id', sql`${columns.counter}`)
    .addColumn('at', columns.time, (column) => column.notNull())
    // No reference: entries stay when the account or the device is gone.
    .addColumn('account_id', columns.text, (column) => column.notNull())
    .addColumn('client_id', columns.text, (column) => column.notNull())
    .addColumn('action', columns.text, (column) => column.notNull())
    .addColumn('device_id', columns.text)
    .addColumn('request_id', columns.text)
    .modifyEnd(tableEnd.counted)
    .execute();
  await schema.createIndex('audit_by_account').on('audit_entry').columns(['account_id', 'id']).execute();
}

async function createOauth({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('oauth_client')
    .addColumn('client_id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('metadata', columns.text, (column) => column.notNull())
    .addColumn('disabled_at', columns.time)
    .addColumn('tokens_valid_after', columns.time)
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema
    .createTable('oidc_artifact')
    .addColumn('model', columns.text, (column) => column.notNull())
    .addColumn('id_hash', columns.text, (column) => column.notNull())
    .addColumn('grant_id', columns.text)
    .addColumn('uid', columns.text)
    .addColumn('uid_generation', columns.time)
    .addColumn('payload', columns.text, (column) => column.notNull())
    .addColumn('consumed_at', columns.time)
    .addColumn('expires_at', columns.time)
    .addColumn('purge_at', columns.time)
    .addPrimaryKeyConstraint('oidc_artifact_key', ['model', 'id_hash'])
    .modifyEnd(tableEnd.keyed)
    .execute();
  // Not unique: the id of a session rotates by destroy and insert, so that two rows may have one uid for a moment.
  for (const [index, leading, following] of [
    ['oidc_by_grant', 'grant_id', []],
    ['oidc_by_uid', 'uid', ['uid_generation']],
    ['oidc_by_purge', 'purge_at', []],
  ] as const) {
    await schema
      .createIndex(index)
      .on('oidc_artifact')
      .columns([leading, ...following])
      .where(sql.ref(leading), 'is not', null)
      .execute();
  }
  await schema
    .createTable('revoked_grant')
    .addColumn('grant_id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('revoked_at', columns.time, (column) => column.notNull())
    .addColumn('keep_until', columns.time, (column) => column.notNull())
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('revoked_grant_by_end').on('revoked_grant').column('keep_until').execute();
}
