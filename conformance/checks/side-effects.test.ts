import { expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { idCollides } from './side-effects.ts';

// If these fail, a create that replaces the object of its name counts as one that reuses an id, or the reverse.

const contract = contractOf({
  '/books': { post: { operationId: 'create', responses: {} } },
  '/books/{bookId}': {
    parameters: [{ name: 'bookId', in: 'path', required: true, schema: { type: 'string' } }],
    get: { operationId: 'read', responses: {} },
  },
});

function stepOf(operation: string, role: string, seen: object) {
  const headers = { 'content-type': 'application/json' };
  const status = operation === 'create' ? 201 : 200;
  const probe = { checks: ['id-collides'], name: 'two objects', operation: 'create', role };
  const exchange = exchangeOf(contract, { operation, status, headers, body: '{"id":"US"}', intent: { probe } });
  return { ...exchange, seen: { ...exchange.seen, ...seen } };
}

test.each([
  { sent: [{ title: 'Emma' }, { title: 'Dune' }], want: ['defect'] },
  {
    sent: [
      { id: 'US', title: 'Emma' },
      { id: 'US', title: 'Dune' },
    ],
    want: [],
  },
  { sent: [{ id: 'US', title: 'Emma' }, { title: 'Dune' }], want: ['defect'] },
])('creates of $sent that give one id: $want', ({ sent, want }) => {
  const path = { bookId: 'US' };
  const trace = ['', ', second object'].flatMap((turn) => [
    stepOf('create', `create${turn}`, { requestBody: sent[0] }),
    stepOf('read', `read${turn}`, { path }),
    stepOf('create', `second create${turn}`, { requestBody: sent[1] }),
    stepOf('read', `other read${turn}`, { path }),
  ]);
  const verdicts = idCollides.judge(trace, contextOf(contract));
  expect(verdicts.flatMap(({ failures }) => failures.map(({ severity }) => severity))).toEqual(want);
});
