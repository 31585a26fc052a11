import { expect, test } from 'vitest';
import type { Exchange } from '../execute/exchange.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { mostDoubts, watchDoubts } from './watch-doubts.ts';

// If these fail, the run sends requests again without a reason, or takes no notice of a lost value.

const number = { type: 'integer' };
const text = { type: 'string' };
const item = { type: 'object', properties: { a: number, b: number, c: number, d: number, state: number, text } };
const content = { 'application/json': { schema: item } };
const contract = contractOf({
  '/items': {
    post: { operationId: 'add', requestBody: { content }, responses: { 201: { description: '', content } } },
  },
  '/items/{id}': { get: { operationId: 'read', responses: { 200: { description: '', content } } } },
});
const [operation] = contract.operations.filter(({ id }) => id === 'add');

function answered(sent: object, read: object, change: Partial<Exchange['intent']> = {}, status = 201): Exchange {
  const intent = { phase: 'boundary', polarity: 'valid', identity: 'own', ...change };
  const draft = { operation, parameters: [], body: undefined, label: '' };
  const outcome = { kind: 'answer', status, headers: [], body: Buffer.alloc(0), durationMs: 0 };
  const seen = { path: {}, query: {}, header: {}, requestBody: sent, responseBody: read };
  return { operation, draft, intent, outcome, seen, isPause: false } as unknown as Exchange;
}

test.each([
  { name: 'the value that was sent', exchange: answered({ a: 1 }, { a: 1 }), count: 0 },
  { name: 'another value', exchange: answered({ a: 1 }, { a: 2 }), count: 1 },
  { name: 'no value, as no answer had', exchange: answered({ a: 1 }, { b: 2 }), count: 0 },
  { name: 'another text', exchange: answered({ text: 'ß' }, { text: 'SS' }), count: 0 },
  {
    name: 'another time',
    exchange: answered({ text: '2026-01-01T10:00:00+02:00' }, { text: '2026-01-01T10:00:00Z' }),
    count: 1,
  },
  { name: 'another state', exchange: answered({ state: 1 }, { state: 2 }), count: 0 },
  {
    name: 'another value to a wrong request',
    exchange: answered({ a: 1 }, { a: 2 }, { polarity: 'invalid' }),
    count: 0,
  },
  { name: 'another value in a story', exchange: answered({ a: 1 }, { a: 2 }, { phase: 'story' }), count: 0 },
  { name: 'another value for later', exchange: answered({ a: 1 }, { a: 2 }, {}, 202), count: 0 },
])('an answer with $name gives $count doubts', ({ exchange, count }) => {
  const { doubts, onExchange } = watchDoubts(contextOf(contract));
  onExchange(exchange);
  expect([...doubts.values()].flat()).toHaveLength(count);
});

test('a member is in doubt once, and an operation has a few doubts', () => {
  const { doubts, onExchange } = watchDoubts(contextOf(contract));
  for (const name of ['a', 'a', 'b', 'c', 'd']) onExchange(answered({ [name]: 1 }, { [name]: 2 }));
  expect([...doubts.values()].flat()).toHaveLength(mostDoubts);
});

test('a value is in doubt if earlier answers had one', () => {
  const { doubts, onExchange } = watchDoubts(contextOf(contract));
  onExchange(answered({ a: 1, b: 1 }, { a: 1, b: 1 }));
  onExchange(answered({ a: 0, b: 1 }, { b: 1 }));
  expect([...doubts.values()].flat()).toHaveLength(1);
});
