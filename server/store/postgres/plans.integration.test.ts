import { describe } from 'vitest';
import { createFilledDatabase } from './fixtures/create-filled-database.ts';
import { describePlans } from './fixtures/plan-suite.ts';

// If these fail, a request takes as long as its table. `large-tables.slow.test.ts` has the large tables.

const extent = { devices: 20_000, activities: 200_000 };
/** Reading 20,000 rows then costs as much as reading a million. */
const pageCost = 50;

describe('no statement reads a whole table, nor sorts one,', { tags: ['full'] }, () => {
  describePlans('once statistics are collected', {
    open: () => createFilledDatabase({ ...extent, isAnalyzed: true }),
    pageCost,
  });
  // A plan is kept while an import enlarges its tables.
  describePlans('while tables are small,', {
    open: () => createFilledDatabase({ devices: 100, activities: 100, isAnalyzed: true }),
    only: /^(devices|activity|accessCodes|principals|counters|imports|properties\.findAll|jobs\.(create|find|findReplay|settle)$|oidc\.(find|put|consume))/,
  });
  describePlans('before, as after an import', {
    open: () => createFilledDatabase({ ...extent, isAnalyzed: false }),
    pageCost,
  });
});
