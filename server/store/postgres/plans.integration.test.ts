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
  describePlans('before, as after an import', {
    open: () => createFilledDatabase({ ...extent, isAnalyzed: false }),
    pageCost,
  });
});
