import { expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { agrees, isPartOf, isShownOtherwise, isUnchanged, objectIn } from './compare-objects.ts';

test.each([
  { sent: '50', read: 50, want: true },
  { sent: 'true', read: true, want: true },
  { sent: true, read: false, want: false },
  { sent: 'Emma', read: 'emma ', want: true },
  { sent: 'Emma', read: 'Dune', want: false },
  { sent: '2026-04-01T10:00:00Z', read: '2026-04-01T12:00:00+02:00', want: true },
  { sent: '2026-04-01T10:00:00Z', read: '2026-04-02T10:00:00Z', want: false },
  { sent: '2026-04-01', read: '2026-04-01T00:00:00Z', want: true },
  { sent: 'example.com', read: 'https://example.com/', want: true },
  { sent: '4242424242424242', read: '****', want: true },
  { sent: 10.005, read: 10.01, want: true },
  { sent: 412, read: 411, want: false },
  { sent: null, read: undefined, want: true },
  { sent: [], read: null, want: true },
  { sent: 7, read: undefined, want: false },
  { sent: ['a1', 'b2'], read: ['b2', 'a1'], want: true },
  { sent: ['a1', 'b2'], read: ['a1'], want: false },
  { sent: ['a1', 'a1', 'b2'], read: ['b2', 'a1'], want: true },
  { sent: ['a1'], read: ['a1', 'b2'], want: false },
  { sent: 'PT60M', read: 'PT1H', want: true },
  { sent: 'PT1H', read: 'PT2H', want: false },
  { sent: '2001:db8:0:0:0:0:0:1', read: '2001:db8::1', want: true },
  { sent: '10.0.0.5/24', read: '10.0.0.0/24', want: true },
  { sent: '10.0.0.5', read: '10.0.0.6', want: false },
  { sent: '10.0.0.5/24', read: '10.0.1.0/24', want: false },
  { sent: 'POINT(1 2)', read: 'POINT (1.0 2.0)', want: true },
  { sent: 'POINT(1 2)', read: 'POINT (1.0 3.0)', want: false },
  { sent: '030 123-4567', read: '+49301234567', want: true },
  { sent: '030 123-4567', read: '+49301234568', want: false },
  { sent: 'Tom & Jerry', read: 'Tom &amp; Jerry', want: true },
  { sent: '2026-04-01T10:00:00', read: '2026-04-01T08:00:00Z', want: true },
  { sent: '2026-04-01T10:00:00Z', read: '2026-04-01T08:00:00Z', want: false },
  { sent: { city: 'Alta' }, read: { city: 'Alta', code: 7 }, want: true },
  { sent: { city: 'Alta' }, read: { city: 'Oslo' }, want: false },
  { sent: 7, read: { id: 7, name: 'x' }, want: true },
  { sent: { city: null }, read: {}, want: true },
  { sent: { city: null }, read: { city: 'Alta' }, want: false },
  { sent: { city: 'Alta' }, read: { city: null }, want: false },
])('$read may be the stored form of $sent: $want', ({ sent, read, want }) => {
  expect(agrees(sent, read)).toBe(want);
});

test.each([
  { whole: { home: { city: 'Alta' } }, shown: { home: {} }, want: true },
  { whole: { home: { city: 'Alta' } }, shown: { home: { code: 7 } }, want: true },
  { whole: { home: { city: 'Alta' } }, shown: { home: { city: 'Oslo' } }, want: false },
  { whole: { home: 'Alta' }, shown: { home: {} }, want: false },
])('an item with $shown may be a view of $whole: $want', ({ whole, shown, want }) => {
  expect(isPartOf(whole, shown)).toBe(want);
});

test.each([
  { before: 'Emma', after: 'emma', want: false },
  { before: undefined, after: null, want: true },
  { before: '2026-04-01T10:00:00Z', after: '2026-04-01T10:00:00.000Z', want: true },
])('two reads of $before and $after are the same: $want', ({ before, after, want }) => {
  expect(isUnchanged(before, after)).toBe(want);
});

const emma = { title: 'Emma', state: 'in' };

test.each([
  { body: { state: 'ok', data: emma, took: 3 } },
  { body: { id: 7, columns: { title: 'Title', state: 'State' }, result: emma } },
  { body: { author: { title: 'Dr' }, book: emma } },
  { body: { data: { type: 'book', id: '7', attributes: emma } } },
  { body: { ...emma, data: { title: 'Dune' } }, want: { ...emma, data: { title: 'Dune' } } },
  { body: { title: 'Emma', author: emma }, want: { title: 'Emma', author: emma } },
])('the object with a title and a state in $body', ({ body, want = emma }) => {
  expect(objectIn(body, ['title', 'state'])).toEqual(want);
});

test('the object of a body is read from its wrapper, unless the body has its members', () => {
  expect(objectIn({ data: { title: 'Emma' } }, ['title'])).toEqual({ title: 'Emma' });
  expect(objectIn({ meta: { a: 1 }, title: null }, ['title'])).toEqual({ meta: { a: 1 }, title: null });
  expect(objectIn([{ title: 'Emma' }])).toEqual({ title: 'Emma' });
  expect(objectIn([{ title: 'Emma' }, { title: 'Dune' }])).toBeUndefined();
});

const listOf = (...type: readonly string[]) => ({ type: 'array', items: { type } });

test.each([
  { name: 'ids, for a list of objects', member: listOf('object'), sent: ['x'], want: true },
  { name: 'ids, for a list of both', member: listOf('object', 'string'), sent: ['x'], want: false },
  { name: 'texts, for a list of texts', member: listOf('string'), sent: ['x'], want: false },
  {
    name: 'objects with fewer members',
    member: { ...listOf('object'), minItems: 2 },
    sent: [{ id: 'x' }],
    want: false,
  },
  { name: 'a text, for a number', member: { type: 'number' }, sent: 'x', want: true },
  { name: 'a number, for a number', member: { type: 'number' }, sent: 7, want: false },
])('no answer can show a member as it was sent, $name: $want', ({ member, sent, want }) => {
  const schema = { type: 'object', properties: { origins: member } };
  const responses = { 200: { description: 'Success', content: { 'application/json': { schema } } } };
  const contract = contractOf({ '/keys/{id}': { get: { responses } } });
  const found = isShownOtherwise(contextOf(contract), exchangeOf(contract, {}), ['origins'], 'origins', sent);
  expect(found).toBe(want);
});
