import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The check value of the key file that the database belongs to, in a table of one row. */
export const keyCheck: Migration = {
  version: 4,
  name: 'key-check',
  up: async ({ schema }, { columns, tableEnd }) => {
    await schema
      .createTable('key_check')
      .addColumn('id', 'integer', (column) => column.primaryKey().notNull().check(sql`id = 1`))
      .addColumn('value', columns.text, (column) => column.notNull())
      .modifyEnd(tableEnd.keyed)
      .execute();
  },
};
