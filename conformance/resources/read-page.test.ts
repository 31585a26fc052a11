import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { listShapeOf } from './list-shape.ts';
import { identify, readPage } from './read-page.ts';
import { slotsOf } from './slots.ts';

// If these fail, a list is read up to its first page only.

const contract = contractOf({
  '/books': {
    get: {
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer' } },
        { name: 'cursor', in: 'query', schema: { type: 'string' } },
      ],
      responses: {
        200: {
          description: 'OK',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { items: { type: 'array', items: { type: 'object' } }, next: { type: ['string', 'null'] } },
              },
            },
          },
        },
      },
    },
  },
});

const readShape = () => {
  const [operation] = contract.operations;
  const shape = operation && listShapeOf(contract, operation);
  if (shape === undefined) throw new Error('no list');
  return shape;
};

describe('the cursor of the next page', () => {
  test.each([
    { next: 'c2', want: 'c2' },
    { next: '/v1/books?limit=1&cursor=Yw%3D%3D', want: 'Yw==' },
    { next: 'https://api.example/v1/books?cursor=c2#top', want: 'c2' },
    { next: '?cursor=c2', want: 'c2' },
    { next: '/Tz0', want: '/Tz0' },
    { next: null, want: undefined },
  ])('$next is $want', ({ next, want }) => {
    const shape = readShape();
    const headers = { 'content-type': 'application/json' };
    const page = readPage(shape, exchangeOf(contract, { headers, body: JSON.stringify({ items: [{}], next }) }));
    expect([page?.next, page?.isLast]).toEqual([want, want === undefined]);
  });
});

test.each([
  { path: '/books/{id}', want: '/id' },
  { path: '/books/{book_uid}', want: '/uid' },
])('an item of $path has its id at $want', ({ path, want }) => {
  const items = [{ id: 1, uid: 'shelf-1' }];
  expect(identify(readShape(), items, slotsOf(path).at(-1)).key).toBe(want);
});
