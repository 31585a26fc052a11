import { expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { idempotency } from './idempotency.ts';

// If these fail, a second effect of a repeated request counts as none.

const contract = contractOf({
  '/orders': { post: { operationId: 'order', 'x-idempotency': { header: 'Idempotency-Key' }, responses: {} } },
});

/** The verdict on two pairs of equal requests with these answers to both requests of each pair. */
function judge(first: readonly [number, object], second: readonly [number, object]) {
  const trace = [first, second, first, second].map(([status, body], index) => {
    const probe = { checks: ['idempotency'], name: '', operation: 'order', role: index % 2 === 0 ? 'first' : 'case' };
    const headers = { 'content-type': 'application/json' };
    return exchangeOf(contract, { status, headers, body: JSON.stringify(body), intent: { probe } });
  });
  return idempotency
    .judge(trace, contextOf(contract))
    .map(({ failures, unjudged }) => failures[0]?.keyword ?? (unjudged === undefined ? 'met' : 'not judged'));
}

test.each<readonly [string, Parameters<typeof judge>, string]>([
  [
    'the same object',
    [
      [201, { id: 7 }],
      [201, { id: 7 }],
    ],
    'met',
  ],
  [
    'another object',
    [
      [201, { id: 7 }],
      [201, { id: 8 }],
    ],
    'other answer',
  ],
  [
    'a rejection',
    [
      [201, { id: 7 }],
      [409, {}],
    ],
    'rejected',
  ],
  [
    'the same job',
    [
      [202, { id: 7 }],
      [202, { id: 7 }],
    ],
    'met',
  ],
  [
    'no word of an effect',
    [
      [202, {}],
      [202, {}],
    ],
    'not judged',
  ],
])('a repetition that is answered with %s', (_, answers, expected) => {
  expect(judge(...answers)).toEqual([expected]);
});
