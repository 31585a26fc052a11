import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { isKeyOf, isListed, isWhole } from './stored.ts';

// If these fail, an object on a later page is taken for one that the list lacks.

describe('an answer has the whole list', () => {
  test.each([
    { name: 'without pages', query: [], body: { items: [{}] }, want: true },
    { name: 'with as many items as it counts', query: [], body: { items: [{}], total: 1 }, want: true },
    { name: 'with fewer items than it counts', query: [], body: { result: [{}], count: 228 }, want: false },
    { name: 'in pages', query: ['page'], body: { items: [{}] }, want: false },
    { name: 'on the last page', query: ['cursor'], body: { items: [{}], next_cursor: null }, want: true },
    { name: 'of a filter', query: ['!owner'], body: { items: [{}] }, want: false },
  ])('$name: $want', ({ query, body, want }) => {
    const parameters = query.map((name) => ({
      ...{ name: name.replace('!', ''), in: 'query', required: name.startsWith('!'), schema: { type: 'string' } },
    }));
    const contract = contractOf({ '/books': { get: { parameters, responses: {} } } });
    const headers = { 'content-type': 'application/json' };
    expect(isWhole(exchangeOf(contract, { headers, body: JSON.stringify(body) }))).toBe(want);
  });
});

test.each([
  { body: { w1: { tags: [{ id: 1 }] } }, want: true },
  { body: { data: { watches: { w1: {} } } }, want: true },
  { body: { w2: { id: 'w1' } }, want: false },
  { body: ['w1'], want: false },
])('a map from ids has the object w1: $want', ({ body, want }) => {
  expect(isKeyOf(body, 'w1')).toBe(want);
});

test.each([
  { name: 'its id', id: '7', want: true },
  { name: 'its name', id: 'first-book', want: true },
  { name: 'a short text of another one', id: 'x', want: false },
  { name: 'nothing of it', id: 'second-book', want: false },
])('a list that shows $name has the object: $want', ({ id, want }) => {
  const items = new Map([['7', JSON.stringify({ id: 7, name: 'first-book', tag: 'x' })]]);
  expect(isListed(items, id)).toBe(want);
});
