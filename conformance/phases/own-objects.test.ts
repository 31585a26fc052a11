import { expect, test } from 'vitest';
import type { Draft } from '../execute/exchange.ts';
import type { Session } from '../execute/session.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { addressOfCreated, createSupply, deletionOf } from './own-objects.ts';

const schema = { type: 'object', properties: { name: { type: 'string', maxLength: 40 } } };
const requestBody = { content: { 'application/json': { schema } } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const ok = { responses: { 200: { description: '' } } };
const contract = contractOf({
  '/hats': { post: { operationId: 'add', requestBody, ...ok } },
  '/hats/{id}': {
    parameters: [id],
    put: { operationId: 'change', requestBody, ...ok },
    patch: { operationId: 'adjust', requestBody, ...ok },
    delete: { operationId: 'remove', ...ok },
  },
});

test('all objects for the probes of one collection have names of their own', async () => {
  const [create, ...others] = contract.operations;
  const content = create?.body?.contents[0];
  if (create === undefined || content === undefined) throw new Error('no create');
  const draft: Draft = { operation: create, parameters: [], body: { content, value: { name: 'fez' } }, label: '' };
  const context = {
    ...contextOf(contract),
    accepted: new Map([[create, { draft, headers: [], filledIn: new Set<string>() }]]),
  };
  const names: unknown[] = [];
  const session: Session = {
    send: async ({ body }) => {
      names.push(body?.value);
      return [];
    },
  };
  const kinds = { put: 'change', patch: 'change', delete: 'remove' } as const;
  for (const operation of others) {
    const kind = kinds[operation.method as keyof typeof kinds];
    const supply = createSupply(operation, kind, 'negative', () => true);
    for (let count = 0; count < 5; count += 1) await supply(session, context);
  }
  expect(names).toHaveLength(12);
  expect(new Set(names.map((name) => JSON.stringify(name))).size).toBe(12);
});

test('a guess at the id of a new object is its address once another operation has accepted it', () => {
  const context = contextOf(contract);
  const headers = { 'content-type': 'application/json' };
  const made = exchangeOf(contract, { headers, body: JSON.stringify({ customer_code: 'cus-9041' }) });
  const [create, change] = contract.operations;
  if (create === undefined || change === undefined) throw new Error('no operation');
  context.resources.observe({ operation: create, seen: { ...made.seen, status: 200 } });
  expect(addressOfCreated(context, made)).toBeUndefined();
  expect(deletionOf(context, made)).toBeUndefined();
  const { seen } = exchangeOf(contract, { operation: 'change' });
  context.resources.observe({ operation: change, seen: { ...seen, path: { id: 'cus-9041' }, status: 200 } });
  expect(addressOfCreated(context, made)).toEqual({ key: '/hats/{}', values: ['cus-9041'] });
});
