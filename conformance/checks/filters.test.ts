import { expect, test } from 'vitest';
import { listShapeOf } from '../resources/list-shape.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { isSelected } from './filters.ts';
import { compareInOrder, isInGroups, wrongPair } from './orders.ts';

// If these fail, a filter or an order that a server reads in another allowed way is reported.

/** Whether an item with a value is selected by a filter of this name and schema. */
function selects(name: string, schema: object, value: unknown, sent: unknown): boolean | undefined {
  const member = { ...schema };
  const items = { type: 'object', properties: { size: member } };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  const get = { parameters: [{ name, in: 'query', schema }], responses: { 200: { description: 'OK', content } } };
  const contract = contractOf({ '/things': { get } });
  const [filter] = listShapeOf(contract, contract.operations[0] as never)?.filters ?? [];
  if (filter === undefined) throw new Error('no filter');
  return isSelected(filter, { size: value }, sent);
}

const text = { type: 'string' };
const number = { type: 'number' };
const time = { type: 'string', format: 'date-time' };

test.each([
  { name: 'an equal text', given: ['size', text, 'big', 'big'], want: true },
  { name: 'a text in other case', given: ['size', text, 'BIG', 'big'], want: undefined },
  { name: 'a text that has the value in it', given: ['size', text, 'bigger', 'big'], want: undefined },
  { name: 'another text', given: ['size', text, 'small', 'big'], want: false },
  {
    name: 'a member of an enum that has the value in it',
    given: ['size', { enum: ['big', 'bigger'], ...text }, 'bigger', 'big'],
    want: false,
  },
  { name: 'a list', given: ['size', text, ['big'], 'small'], want: undefined },
  { name: 'null', given: ['size', number, null, 3], want: undefined },
  { name: 'a number above the least', given: ['min_size', number, 4, 3], want: true },
  { name: 'the least itself', given: ['min_size', number, 3, 3], want: undefined },
  { name: 'a number above the most', given: ['sizeMax', number, 4, 3], want: false },
  {
    name: 'a later instant in another zone',
    given: ['size_before', time, '2026-01-01T10:00:00+02:00', '2026-01-01T09:00:00Z'],
    want: true,
  },
  {
    name: 'a day against an instant',
    given: ['size_after', time, '2026-01-01', '2026-01-02T00:00:00Z'],
    want: undefined,
  },
] as const)('$name: $want', ({ given: [name, schema, value, sent], want }) => {
  expect(selects(name, schema, value, sent)).toBe(want);
});

test.each([
  ['b', 'a', 1],
  ['a', 'B', undefined],
  ['item 9', 'item 10', undefined],
  [9, 10, -1],
  ['2026-01-01T10:00:00+02:00', '2026-01-01T09:00:00Z', -1],
  [null, 'a', undefined],
] as const)('%j and %j are in order %j', (a, b, want) => {
  expect(compareInOrder(a, b)).toBe(want);
});

test.each([
  { goes: 'ascending', values: [1, 2, 2, 3], want: undefined },
  { goes: 'ascending', values: [1, 3, 2], want: [3, 2] },
  { goes: 'descending', values: [3, null, 2], want: 'unjudged' },
  { goes: 'descending', values: [3, 2, 4], want: [2, 4] },
  { goes: 'either', values: [3, 2, 1], want: undefined },
  { goes: 'either', values: [3, 2, 4], want: [2, 4] },
  { goes: 'ascending', values: ['a', 'B'], want: 'unjudged' },
] as const)('$values in order $goes: $want', ({ goes, values, want }) => {
  const found = wrongPair(
    { field: '/at', goes },
    values.map((at) => ({ at })),
  );
  expect(Array.isArray(found) ? found.map((item) => Object(item).at) : found).toEqual(want);
});

test.each([
  {
    name: 'a pinned item first',
    given: [
      ['pinned', 9],
      ['', 3],
      ['', 5],
    ],
    want: true,
  },
  {
    name: 'a part that is not in order',
    given: [
      ['pinned', 9],
      ['', 5],
      ['', 3],
    ],
    want: false,
  },
  {
    name: 'a pinned item in the middle',
    given: [
      ['', 9],
      ['pinned', 3],
      ['', 5],
    ],
    want: false,
  },
  {
    name: 'no pinned item',
    given: [
      ['', 9],
      ['', 3],
      ['', 5],
    ],
    want: false,
  },
])('$name: in groups is $want', ({ given, want }) => {
  const items = given.map(([flag, at]) => ({ at, ...(flag !== '' && { pinned: true }) }));
  expect(isInGroups({ field: '/at', goes: 'ascending' }, items)).toBe(want);
});
