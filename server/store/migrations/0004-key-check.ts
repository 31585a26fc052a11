import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Which key file the database belongs to, in the one row of its table. */
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
