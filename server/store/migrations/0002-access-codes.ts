import type { Migration } from './migration.ts';

/** Codes issued, and how often each device was paired: the codes of an earlier pairing open nothing. */
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
    // What a purge looks for. Permanent codes have no end and stay out of it.
    await schema
      .createIndex('access_code_by_end')
      .on('access_code')
      .column('ends_at')
      .where('ends_at', 'is not', null)
      .execute();
  },
};
