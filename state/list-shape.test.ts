import { expect, test } from 'vitest';
import { readOrder } from './list-shape.ts';

const sort = { parameter: 'sort', direction: undefined, declared: undefined };
const members = new Map([['created_at', {}]]);

test.each([
  ['created_at', false],
  ['-createdAt', true],
  ['+created_at', false],
  ['created_at desc', true],
  ['created_at::DESCENDING', true],
  ['createdAt.asc', false],
])('%s orders by a member', (sent, isDescending) => {
  expect(readOrder(sort, { sort: sent }, members)).toEqual({ place: ['created_at'], isDescending });
});

test.each(['', 'price', 'desc'])('%j orders by no member', (sent) => {
  expect(readOrder(sort, { sort: sent }, members)).toBeUndefined();
});

test('the time for an order is linear in its length', () => {
  const before = performance.now();
  expect(readOrder(sort, { sort: `${'.'.repeat(200_000)}x` }, members)).toBeUndefined();
  // A quadratic match takes a minute.
  expect(performance.now() - before).toBeLessThan(5_000);
});
