import type { Migration } from './migration.ts';

/** Indexes for reads that would read a whole table: codes and audit of a device, jobs of an account, leases that have ended. */
export const largeTables: Migration = {
  version: 11,
  name: 'large-tables',
  up: async ({ schema }) => {
    for (const [index, table, columns] of [
      ['access_code_by_device', 'access_code', ['device_id']],
      ['audit_by_device', 'audit_entry', ['device_id', 'action', 'id']],
      ['job_by_account', 'job', ['account_id', 'number']],
      ['job_lease_by_end', 'job_lease', ['until']],
    ] as const)
      await schema
        .createIndex(index)
        .on(table)
        .columns([...columns])
        .execute();
  },
};
