import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import { now } from '../fixtures/open-fixture.ts';
import { makeEntry, openActivityFixture } from './fixtures/activity-fixture.ts';
import { entries, holdsPagingLaw, idsOf, openLog, orders } from './fixtures/activity-paging-law.ts';

const fixture = await openLog();
afterAll(() => fixture.store.close());

describe.each(orders)('1,000 entries with ties by $sort', (order) => {
  const { sort, want } = order;

  // The slow suite covers every limit.
  testLaw('come exactly once, in order, whatever the limit', { few: 8, many: 25 }, async (numRuns) => {
    const limits = fc.oneof(fc.integer({ min: 9, max: 300 }), fc.constantFrom(12, 13, 50, 100, 125, 250, 299, 300));
    await fc.assert(
      fc.asyncProperty(limits, (limit) => holdsPagingLaw(fixture, order, limit)),
      { numRuns },
    );
  });

  test('come exactly once, one at a time', () => holdsPagingLaw(fixture, order, 1));

  test('come so under filters too', async () => {
    const bounds = entries.map(({ at }) => at).toSorted((a, b) => a - b);
    const [from, before] = [bounds[200] ?? 0, bounds[700] ?? 0];
    const inside = new Set(entries.filter(({ at }) => at >= from && at < before).map(({ id }) => id));
    expect(inside.size).toBeGreaterThan(300);
    const range = { startDate: new Date(from).toISOString(), endDate: new Date(before).toISOString() };
    for (const limit of [7, 100, 300]) {
      const pages = await fixture.walk({ sort, ...range, limit });
      expect(idsOf(pages)).toEqual(want.filter((id) => inside.has(id)));
    }
  });
});

describe('a walk among pushes', () => {
  describe.each(orders)('shows each entry that was there exactly once', ({ sort, want }) => {
    const times = fc.array(fc.integer({ min: -60, max: 60 }), { maxLength: 20 });
    testLaw(`by ${sort}`, { few: 8, many: 25 }, (numRuns) =>
      fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 9 }), times, async (limit, given) => {
          const own = await openActivityFixture();
          const before = entries.slice(0, 50);
          await own.store.activity.add(before);
          const pending = given.map((time, index) =>
            makeEntry({ id: index.toString(16).padStart(24, 'e'), at: now + time * 977 }),
          );
          const seen = idsOf(await own.walk({ sort, limit }, () => own.store.activity.add(pending.splice(0, 1))));
          const ids = new Set(before.map(({ id }) => id));
          expect(seen.filter((id) => ids.has(id))).toEqual(want.filter((id) => ids.has(id)));
          expect(new Set(seen).size).toBe(seen.length);
          await own.store.close();
        }),
        { numRuns },
      ),
    );
  });
});
