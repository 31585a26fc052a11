import { describe, expect, test } from 'vitest';
import { contractOf } from '../seeded/by-hand.ts';
import { isCursorName, type ListShape, listShapeOf } from './list-shape.ts';

// If these fail, lists are not walked, or a parameter of another meaning is taken for paging.

const text = { type: 'string' };
const integer = { type: 'integer' };
const item = {
  type: 'object',
  properties: {
    id: integer,
    state: { type: 'string', enum: ['open', 'sold'] },
    price: { type: 'number' },
    created_at: { type: 'string', format: 'date-time' },
    rank: { type: 'string', enum: ['low', 'high'] },
    tags: { type: 'array', items: text },
  },
};

interface Given {
  readonly query?: Readonly<Record<string, object>>;
  readonly body?: object;
  readonly headers?: object;
  readonly path?: string;
}

function shapeOf({ query = {}, body = { type: 'array', items: item }, headers = {}, path = '/offers' }: Given) {
  const parameters = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));
  const content = { 'application/json': { schema: body } };
  const get = { parameters: [...ids, ...parameters], responses: { 200: { description: 'OK', headers, content } } };
  const contract = contractOf({ [path]: { get } });
  const [operation] = contract.operations;
  return operation && listShapeOf(contract, operation);
}

const within = (members: object): object => ({
  type: 'object',
  properties: { items: { type: 'array', items: item }, ...members },
});

const shortOf = (shape: ListShape | undefined) =>
  shape && {
    items: shape.items,
    limit: shape.limit?.parameter.name,
    step: shape.step?.kind,
    ...(shape.step?.kind === 'page' && { first: shape.step.first }),
    ...(shape.step !== undefined && 'read' in shape.step && { read: shape.step.read }),
  };

describe('paging is read from names and types', () => {
  test.each([
    {
      name: 'pages from 1, by the minimum',
      given: { query: { page: { type: 'integer', minimum: 1 }, per_page: integer } },
      want: { items: '', limit: 'per_page', step: 'page', first: 1 },
    },
    {
      name: 'pages that may begin at 0 or 1',
      given: { query: { pageNumber: integer, size: integer } },
      want: { items: '', limit: 'size', step: 'page', first: undefined },
    },
    { name: 'a size without pages is no length', given: { query: { size: integer } }, want: { items: '' } },
    {
      name: 'an offset with a limit',
      given: { query: { offset: integer, limit: integer }, body: within({}) },
      want: { items: '/items', limit: 'limit', step: 'offset' },
    },
    {
      name: 'a cursor with its place in the answer',
      given: {
        query: { 'page[cursor]': text, limit: integer },
        body: within({ meta: { type: 'object', properties: { next_cursor: text } } }),
      },
      want: { items: '/items', limit: 'limit', step: 'cursor', read: '/meta/next_cursor' },
    },
    {
      name: 'a cursor called continue',
      given: {
        query: { continue: text, limit: integer },
        body: within({ metadata: { type: 'object', properties: { continue: text } } }),
      },
      want: { items: '/items', limit: 'limit', step: 'cursor', read: '/metadata/continue' },
    },
    {
      name: 'a cursor that no answer has is none',
      given: { query: { cursor: text, limit: integer }, body: within({}) },
      want: { items: '/items', limit: 'limit' },
    },
    {
      name: 'a text called page is no number of a page',
      given: { query: { page: text } },
      want: { items: '' },
    },
    {
      name: 'a link to the next page',
      given: {
        body: within({
          links: { type: 'object', properties: { next: { type: 'object', properties: { href: text } } } },
        }),
      },
      want: { items: '/items', step: 'link', read: '/links/next/href' },
    },
    { name: 'a header with links', given: { headers: { Link: { schema: text } } }, want: { items: '', step: 'link' } },
    { name: 'one object is no list', given: { path: '/offers/{id}', body: within({}) }, want: undefined },
    {
      name: 'several lists that have other names are parts of one object',
      given: {
        query: { limit: integer, offset: integer },
        body: {
          type: 'object',
          properties: { by_method: { type: 'array', items: item }, by_code: { type: 'array', items: item } },
        },
      },
      want: undefined,
    },
    { name: 'an answer without a list', given: { body: { type: 'object', properties: { a: text } } }, want: undefined },
  ])('$name', ({ given, want }) => {
    expect(shortOf(shapeOf(given as Given))).toEqual(want);
  });
});

test('a name may be only that of a cursor, which no request makes up', () => {
  const names = ['PageToken', 'page[cursor]', 'continue', 'after', 'marker', 'page', 'q'];
  expect(names.filter(isCursorName)).toEqual(['PageToken', 'page[cursor]', 'continue']);
});

test('filters are parameters with name and type of a member', () => {
  const shape = shapeOf({
    query: {
      state: { type: 'string', enum: ['open'] },
      min_price: { type: 'number' },
      'price[lte]': { type: 'number' },
      created_before: { type: 'string', format: 'date-time' },
      price: text,
      tags: text,
      min_state: text,
      search: text,
    },
  });
  expect(shape?.filters.map(({ parameter, field, is, isClosed }) => [parameter.name, field, is, isClosed])).toEqual([
    ['state', '/state', 'equal', true],
    ['min_price', '/price', 'least', false],
    ['price[lte]', '/price', 'most', false],
    ['created_before', '/created_at', 'most', false],
  ]);
});

test.each([
  { name: 'signs', query: { sort: { enum: ['price', '-price'] } }, want: ['ascending', 'descending'] },
  { name: 'endings', query: { order_by: { enum: ['price_asc', 'price:desc'] } }, want: ['ascending', 'descending'] },
  { name: 'no direction', query: { sort: { enum: ['price'] } }, want: ['either'] },
  {
    name: 'a second parameter',
    query: { sort: { enum: ['price'] }, order: { enum: ['ASC', 'DESC'] } },
    want: ['ascending', 'descending'],
  },
  { name: 'words whose order is their meaning', query: { sort: { enum: ['rank'] } }, want: [] },
])('orders are read from values with $name', ({ query, want }) => {
  const typed = Object.fromEntries(
    Object.entries(query).map(([name, schema]) => [name, { type: 'string', ...schema }]),
  );
  expect(shapeOf({ query: typed })?.orders.map(({ goes }) => goes)).toEqual(want);
});
