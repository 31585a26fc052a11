import { afterAll, describe, test } from 'vitest';
import { holdsPagingLaw, openLog, orders } from './fixtures/activity-paging-law.ts';

const fixture = await openLog();
afterAll(() => fixture.store.close());

describe.each(orders)('1,000 entries with ties by $sort', (order) => {
  test('come exactly once, in order, under every limit there is', async () => {
    for (let limit = 1; limit <= 300; limit += 1) await holdsPagingLaw(fixture, order, limit);
  });
});
