import { expect, test } from 'vitest';
import type { NumberedExchange, Outage } from '../execute/exchange.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { judgeOutages, rememberExchanges } from './outage.ts';

const contract = contractOf({ '/a': { put: { operationId: 'write', responses: {} } } });

function exchange(): NumberedExchange {
  return exchangeOf(contract, {});
}

function outageOf({ operation, request }: NumberedExchange, last: NumberedExchange): Outage {
  const accepted = [{ operation, request, status: 200, beforeMs: 5, isStop: false }];
  return { base: '', lostAt: 0, accepted, last, interrupted: [], awayMs: 10, waitedMs: 0 };
}

test('requests that may have stopped the deployment are reported at the end even of a long run', () => {
  const outages: Outage[] = [];
  const kept = rememberExchanges(() => outages);
  const [write, last] = [exchange(), exchange()];
  for (const one of [write, last]) kept.see(one);
  outages.push(outageOf(write, last));
  for (let count = 0; count < 500; count += 1) kept.see(exchange());
  expect(judgeOutages(outages, kept.of).map(({ exchanges }) => exchanges)).toEqual([[write]]);
});

test('exchanges without an outage are forgotten, even after kept ones', () => {
  const outages: Outage[] = [];
  const kept = rememberExchanges(() => outages);
  const [write, other] = [exchange(), exchange()];
  outages.push(outageOf(write, write));
  for (const one of [write, other]) kept.see(one);
  for (let count = 0; count < 500; count += 1) kept.see(exchange());
  expect([kept.of(write.request), kept.of(other.request)]).toEqual([write, undefined]);
});
