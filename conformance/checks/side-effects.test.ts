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

function stepOf(operation: string, role: string, shown: object, seen: object) {
  const headers = { 'content-type': 'application/json', ...(operation === 'create' && { location: '/books/US' }) };
  const status = operation === 'create' ? 201 : 200;
  const probe = { checks: ['id-collides'], name: 'two objects', operation: 'create', role };
  const exchange = exchangeOf(contract, { operation, status, headers, body: JSON.stringify(shown), intent: { probe } });
  return { ...exchange, seen: { ...exchange.seen, ...seen } };
}

test.each([
  { same: {}, shown: { id: 'US' }, want: ['defect'] },
  { same: { id: 'US' }, shown: { id: 'US' }, want: [] },
  { same: {}, first: { id: 'US' }, shown: { id: 'US' }, want: ['defect'] },
  { same: { name: 'US' }, shown: { id: 'US', name: 'US' }, want: [] },
  { same: { code: 'US' }, shown: { data: { code: 'US' } }, want: [] },
  { same: { code: 'US' }, shown: { ok: true }, want: [] },
  { same: { copies: 8 }, shown: { id: 8, copies: 8 }, want: ['defect'] },
  { same: { copies: 8 }, shown: { id: '8', copies: 8 }, want: ['defect'] },
  { same: { copies: 8 }, shown: { bookId: 8 }, want: ['defect'] },
  { same: { isbn: 8 }, shown: { isbn: 8 }, want: [] },
])('creates that send $same and $first, answered $shown: $want', ({ same, first, shown, want }) => {
  const path = { bookId: shown.id ?? shown.bookId ?? shown.isbn ?? 'US' };
  // The `Location` of a create shows the id too.
  const trace = ['', ', second object'].flatMap((turn) => [
    stepOf('create', `create${turn}`, shown, { requestBody: { ...same, ...first, title: 'Emma' } }),
    stepOf('read', `read${turn}`, shown, { path }),
    stepOf('create', `second create${turn}`, shown, { requestBody: { ...same, title: 'Dune' } }),
    stepOf('read', `other read${turn}`, shown, { path }),
  ]);
  const verdicts = idCollides.judge(trace, contextOf(contract));
  expect(verdicts.flatMap(({ failures }) => failures.map(({ severity }) => severity))).toEqual(want);
});
