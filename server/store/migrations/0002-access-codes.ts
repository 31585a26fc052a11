import type { Migration } from './migration.ts';

/** Issued codes, and the pairing generation of each device: the codes of an earlier pairing are not valid. */
export const accessCodes: Migration = {
  version: 2,
  name: 'access-codes',
  up: async ({ schema }, { columns, tableEnd }) => {
    await schema
      .alterTable('device')
      .addColumn('pairing_generation', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await schema
      .createTable('access_code')
      .addColumn('pin_id', columns.text, (column) => column.primaryKey().notNull())
      .addColumn('device_id', columns.text, (column) => column.notNull().references('device.device_id'))
      .addColumn('generation', 'integer', (column) => column.notNull())
      .addColumn('kind', columns.text, (column) => column.notNull())
      .addColumn('starts_at', columns.time, (column) => column.notNull())
      .addColumn('ends_at', columns.time)
      .addColumn('activate_by', columns.time, (column) => column.notNull())
      .addColumn('variance', 'integer', (column) => column.notNull())
      .addColumn('duration_hours', 'integer')
      .addColumn('access_name', columns.text, (column) => column.notNull())
      .addColumn('issued_at', columns.time, (column) => column.notNull())
      .modifyEnd(tableEnd.keyed)
      .execute();
    // For the purge. Permanent codes have no end and are not in this index.
    await schema
      .createIndex('access_code_by_end')
      .on('access_code')
      .column('ends_at')
      .where('ends_at', 'is not', null)
      .execute();
  },
};
