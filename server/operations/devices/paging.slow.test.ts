import { afterAll, describe, expect, test } from 'vitest';
import { openFixture } from '../fixtures/open-fixture.ts';
import { filters, holdsPagingLaw, listOperations, makeDevices, sorts } from './fixtures/paging-law.ts';

const devices = makeDevices(1000);
const fixture = await openFixture(devices);
afterAll(() => fixture.store.close());

const limits = Array.from({ length: 300 }, (_, index) => index + 1);
const lists = listOperations.flatMap((operation) =>
  sorts.flatMap((sort) => filters.map((filter) => ({ operation, sort, filter }))),
);

describe('1,000 devices under all 300 limits', () => {
  test.each(lists)('$operation by $sort with $filter: each once, in order', async (list) => {
    for (const limit of limits) expect(await holdsPagingLaw(fixture, devices, { ...list, limit })).toBeGreaterThan(0);
  });
});
