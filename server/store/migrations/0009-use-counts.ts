import type { Migration } from './migration.ts';

/** Attempts and requests that limits count, so that processes that share the database count together. */
export const useCounts: Migration = {
  version: 9,
  name: 'use-counts',
  up: async ({ schema }, { columns, tableEnd, withoutLog }) => {
    await schema
      .createTable('use_count')
      .modifyFront(withoutLog)
      .addColumn('key_hash', columns.text, (column) => column.primaryKey().notNull())
      .addColumn('uses', columns.text, (column) => column.notNull())
      .addColumn('purge_at', columns.time, (column) => column.notNull())
      .modifyEnd(tableEnd.keyed)
      .execute();
    await schema.createIndex('use_count_by_purge').on('use_count').column('purge_at').execute();
  },
};
