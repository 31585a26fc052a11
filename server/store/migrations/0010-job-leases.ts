import type { Migration } from './migration.ts';

/** The process that runs the jobs of a device, where several share the database. */
export const jobLeases: Migration = {
  version: 10,
  name: 'job-leases',
  up: async ({ schema }, { columns, tableEnd }) => {
    await schema
      .createTable('job_lease')
      .addColumn('device_id', columns.text, (column) => column.primaryKey().notNull())
      .addColumn('holder', columns.text, (column) => column.notNull())
      .addColumn('until', columns.time, (column) => column.notNull())
      .modifyEnd(tableEnd.keyed)
      .execute();
  },
};
