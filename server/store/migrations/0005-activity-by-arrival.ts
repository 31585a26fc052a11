import type { Migration } from './migration.ts';

/** Retention counts from the arrival of an entry: a lock whose clock was reset dates entries 1970, and they would be purged at once. */
export const activityByArrival: Migration = {
  version: 5,
  name: 'activity-by-arrival',
  up: async ({ schema }) => {
    await schema.dropIndex('activity_by_age').execute();
    await schema.createIndex('activity_by_arrival').on('activity').column('received_at').execute();
  },
};
