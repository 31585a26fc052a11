import type { Migration } from './migration.ts';

/** Browsers in which an owner has logged in with the current password. Earlier marks were in cookies alone, and no longer count. */
export const knownBrowsers: Migration = {
  version: 8,
  name: 'known-browsers',
  up: async ({ schema }, { columns, tableEnd }) => {
    await schema
      .createTable('known_browser')
      .addColumn('browser_hash', columns.text, (column) => column.primaryKey().notNull())
      .addColumn('owner_id', columns.text, (column) => column.notNull().references('owner.id'))
      .addColumn('logged_in_at', columns.time, (column) => column.notNull())
      .addColumn('ends_at', columns.time, (column) => column.notNull())
      .modifyEnd(tableEnd.keyed)
      .execute();
    await schema
      .createIndex('known_browser_by_owner')
      .on('known_browser')
      .columns(['owner_id', 'logged_in_at'])
      .execute();
  },
};
