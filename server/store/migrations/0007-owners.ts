import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Spelling } from '../database.ts';
import type { Migration } from './migration.ts';

/** Owners who log in, and the owner of each OAuth artifact. */
export const owners: Migration = {
  version: 7,
  name: 'owners',
  up: async (transaction, spelling) => {
    await createOwners(transaction, spelling);
    await addHolders(transaction, spelling);
    const { schema } = transaction;
    await schema.alterTable('audit_entry').addColumn('owner_id', spelling.columns.text).execute();
  },
};

async function createOwners({ schema }: Transaction<unknown>, { columns, tableEnd }: Spelling): Promise<void> {
  await schema
    .createTable('owner')
    .addColumn('id', columns.text, (column) => column.primaryKey().notNull())
    .addColumn('account_id', columns.text, (column) => column.notNull().references('account.id'))
    .addColumn('email', columns.text, (column) => column.notNull())
    .addColumn('email_key', columns.text, (column) => column.notNull().unique())
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('password_hash', columns.text, (column) => column.notNull())
    .addColumn('created_at', columns.time, (column) => column.notNull())
    .addColumn('updated_at', columns.time, (column) => column.notNull())
    .addColumn('password_set_at', columns.time, (column) => column.notNull())
    .addColumn('disabled_at', columns.time)
    .addColumn('logins_valid_after', columns.time)
    .modifyEnd(tableEnd.keyed)
    .execute();
  await schema.createIndex('owner_by_account').on('owner').columns(['account_id', 'email_key']).execute();
}

/** Earlier rows name a client, and an account if its own login created them. None has an owner. */
async function addHolders(transaction: Transaction<unknown>, { columns, jsonMember }: Spelling): Promise<void> {
  const { schema } = transaction;
  for (const column of ['account_id', 'owner_id', 'client_id'])
    await schema.alterTable('oidc_artifact').addColumn(column, columns.text).execute();
  const payload = sql.ref<string>('payload');
  await sql`
    update oidc_artifact set
      client_id = ${jsonMember(payload, 'clientId')},
      account_id = (select account.id from account where account.id = ${jsonMember(payload, 'accountId')})
  `.execute(transaction);
  // Each list of grants is one range in its order, and so are the sessions of an owner.
  for (const holder of ['account_id', 'owner_id', 'client_id'])
    await schema
      .createIndex(`oidc_by_${holder.replace('_id', '')}`)
      .on('oidc_artifact')
      .columns([holder, 'model', 'expires_at', 'id_hash'])
      .where(sql.ref(holder), 'is not', null)
      .execute();
  await schema
    .createIndex('oidc_refresh_by_end')
    .on('oidc_artifact')
    .columns(['model', 'expires_at', 'id_hash']) // without the model SQLite would use the primary key instead
    .where(sql.ref('model'), '=', sql.lit('RefreshToken'))
    .execute();
}
