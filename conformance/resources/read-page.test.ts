import { describe, expect, test } from 'vitest';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { listShapeOf } from './list-shape.ts';
import { readPage } from './read-page.ts';

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

describe('the cursor of the next page', () => {
  test.each([
    { next: 'c2', want: 'c2' },
    { next: '/v1/books?limit=1&cursor=Yw%3D%3D', want: 'Yw==' },
    { next: 'https://api.example/v1/books?cursor=c2#top', want: 'c2' },
    { next: '?cursor=c2', want: 'c2' },
    { next: '/Tz0', want: '/Tz0' },
    { next: null, want: undefined },
  ])('$next is $want', ({ next, want }) => {
    const [operation] = contract.operations;
    const shape = operation && listShapeOf(contract, operation);
    if (shape === undefined) throw new Error('no list');
    const headers = { 'content-type': 'application/json' };
    const page = readPage(shape, exchangeOf(contract, { headers, body: JSON.stringify({ items: [{}], next }) }));
    expect([page?.next, page?.isLast]).toEqual([want, want === undefined]);
  });
});
