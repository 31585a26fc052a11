import { expect, test } from 'vitest';
import { validityOf } from '../data/wire-validity.ts';
import type { Draft } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { faultsOf } from './negative.ts';

test('a fault of an optional body is in the request about another object too, which has no body', () => {
  const schema = { type: 'object', properties: { seconds: { type: 'integer' }, kind: { type: 'string' } } };
  const requestBody = { content: { 'application/json': { schema } } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const responses = { 200: { description: '' } };
  const contract = contractOf({
    '/hats/{id}': { delete: { operationId: 'remove', parameters: [id], requestBody, responses } },
  });
  const context = contextOf(contract);
  const [operation] = contract.operations;
  const content = operation?.body?.contents[0];
  const parameter = operation?.parameters[0];
  if (operation === undefined || content === undefined || parameter === undefined) throw new Error('no operation');
  const other: Draft = { operation, parameters: [{ parameter, value: 'fez' }], body: undefined, label: '' };
  const accepted = { ...other, body: { content, value: {} } };
  const faults = [...faultsOf(toolsFor(context, operation, 'negative', 0), accepted)];
  const ofBody = faults.filter(({ part }) => part === 'body');
  expect(ofBody.length).toBeGreaterThan(1);
  for (const { apply } of ofBody) expect(validityOf(context.judge, apply(other), contract)).toBe('invalid');
});
