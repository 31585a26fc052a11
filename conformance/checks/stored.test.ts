import { describe, expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { createdMissing, isKeyOf, isListed, isWhole, storedDiffers } from './stored.ts';

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

test('an object that a change moves to its new key is neither lost nor missing in the list', () => {
  const contract = contractOf({
    '/feeds': { get: { operationId: 'list', responses: {} }, post: { operationId: 'create', responses: {} } },
    '/feeds/{feed_key}': {
      parameters: [{ name: 'feed_key', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'read', responses: {} },
      patch: { operationId: 'patch', responses: {} },
    },
  });
  const step = (operation: string, role: string, shown: object, seen: object = {}, status = 200) => {
    const probe = {
      checks: ['created-missing', 'stored-differs'],
      name: 'life of an object',
      operation: 'create',
      role,
    };
    const headers = { 'content-type': 'application/json' };
    const given = { operation, status, headers, body: JSON.stringify(shown), intent: { probe } };
    const exchange = exchangeOf(contract, given);
    return { ...exchange, seen: { ...exchange.seen, ...seen } };
  };
  const path = { feed_key: 'old' };
  const trace = ['', ', second object'].flatMap((turn) => [
    step('create', `create${turn}`, { key: 'old' }, { requestBody: { key: 'old' } }, 201),
    step('read', `read${turn}`, { key: 'old' }, { path }),
    step('patch', `change by patch${turn}`, { key: 'new' }, { path, requestBody: { key: 'new' } }),
    step('read', `read after patch${turn}`, {}, { path }, 404),
    step('list', `list${turn}`, [{ key: 'new' }]),
  ]);
  const severities = [createdMissing, storedDiffers].map((check) =>
    check.judge(trace, contextOf(contract)).flatMap(({ failures }) => failures.map(({ severity }) => severity)),
  );
  expect(severities).toEqual([[], ['suspect']]);
});
