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

test('an order of as many separators as an address can have is no member', () => {
  // Node reads 16 KiB of a request before its body.
  expect(readOrder(sort, { sort: `${'.'.repeat(16_000)}x` }, members)).toBeUndefined();
});
