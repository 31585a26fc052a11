import { expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { inputCheck, invalidAccepted } from './invalid-input.ts';

const size = { name: 'size', in: 'query', schema: { type: 'integer', maximum: 5 } };
const contract = contractOf({
  '/hats': { get: { operationId: 'list', parameters: [size], responses: { 200: { description: '' } } } },
});
const pointer = '#/paths/~1hats/get/parameters/0/schema/maximum';

interface Sent {
  readonly role: 'case' | 'repeat';
  readonly status: number;
}

function exchangesOf(sent: readonly Sent[]): NumberedExchange[] {
  return sent.map(({ role, status }) => {
    const probe = { checks: [inputCheck.invalid], name: 'query size: one above', role, operation: 'list' };
    return exchangeOf(contract, { status, intent: { probe, place: { pointer, keyword: 'maximum' } } });
  });
}

test.each<{ name: string; statuses: readonly number[]; want: string; message?: string }>([
  { name: 'rejected', statuses: [400], want: 'met' },
  { name: 'accepted twice', statuses: [200, 200], want: 'defect', message: 'answered 200' },
  { name: 'accepted once', statuses: [200], want: 'suspect', message: 'answered 200; it was not repeated' },
  {
    name: 'accepted, then rejected',
    statuses: [200, 400],
    want: 'suspect',
    message: 'answered 200, and 400 when it was sent again',
  },
  { name: 'queued', statuses: [202, 202], want: 'suspect', message: 'answered 202' },
])('an invalid request that is $name: $want', ({ statuses, want, message }) => {
  const trace = exchangesOf(statuses.map((status, index) => ({ role: index === 0 ? 'case' : 'repeat', status })));
  const [failure] = invalidAccepted.judge(trace, contextOf(contract)).flatMap(({ failures }) => failures);
  expect(failure?.severity ?? 'met').toBe(want);
  expect(failure?.message).toBe(message && `query size: one above: ${message}`);
});
