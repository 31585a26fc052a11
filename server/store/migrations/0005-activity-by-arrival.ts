import type { Migration } from './migration.ts';

/** Entries are kept from their arrival on: a lock whose clock was reset dates them 1970, and they would be gone at once. */
export const activityByArrival: Migration = {
  version: 5,
  name: 'activity-by-arrival',
  up: async ({ schema }) => {
    await schema.dropIndex('activity_by_age').execute();
    await schema.createIndex('activity_by_arrival').on('activity').column('received_at').execute();
  },
};
