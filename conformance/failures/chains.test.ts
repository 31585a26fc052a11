import { describe, expect, test } from 'vitest';
import type { NumberedExchange, Polarity } from '../execute/exchange.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { collectChains } from './chains.ts';
import type { Failure } from './failure.ts';
import { collectFindings } from './finding.ts';

// If these fail, a replay sends the ids of an object that is gone, or its file holds a secret.

const json = { 'application/json': { schema: { type: 'object' } } };
const created = { 201: { description: '' } };
const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const contract = contractOf({
  '/shops': { post: { operationId: 'addShop', requestBody: { content: json }, responses: created } },
  '/shops/{shopId}': { get: { operationId: 'readShop', parameters: [parameter('shopId')], responses: {} } },
  '/shops/{shopId}/items': {
    post: {
      ...{ operationId: 'addItem', parameters: [parameter('shopId')] },
      ...{ requestBody: { content: json }, responses: created },
    },
  },
  '/shops/{shopId}/items/{itemId}': {
    get: { operationId: 'readItem', parameters: [parameter('shopId'), parameter('itemId')], responses: {} },
  },
  '/orders': { post: { operationId: 'order', requestBody: { content: json }, responses: created } },
});

let count = 0;
/** An exchange with the typed values of its request. */
function sent(
  operation: string,
  { path = {}, body, answer }: { path?: Record<string, unknown>; body?: unknown; answer?: object },
): NumberedExchange {
  const status = answer === undefined ? 200 : 201;
  const headers = { 'content-type': 'application/json' };
  const plain = exchangeOf(contract, { operation, status, headers, body: JSON.stringify(answer ?? {}) });
  const content = plain.operation.body?.contents[0];
  count += 1;
  return {
    ...plain,
    number: count,
    seen: { ...plain.seen, path, requestBody: body },
    draft: {
      ...{ operation: plain.operation, label: '' },
      parameters: plain.operation.parameters.map((one) => ({ parameter: one, value: path[one.name] })),
      body: content && body !== undefined ? { content, value: body } : undefined,
    },
    request: { ...plain.request, method: plain.operation.method.toUpperCase() },
  };
}

const failure: Failure = {
  ...{ check: 'body-schema', severity: 'defect', place: 'response 200 body', pointer: '#', keyword: 'type' },
  ...{ clause: '', message: 'wrong', causes: [['wrong']] },
};

type Failed = readonly [Failure, NumberedExchange];

/** The recorded failures of each finding. */
function recordAll(
  failed: readonly Failed[],
  redact = (text: string) => text,
  before: readonly NumberedExchange[] = [],
) {
  const chains = collectChains(contract);
  for (const exchange of before) chains.onExchange(exchange);
  const tools = {
    pieces: () => [],
    headerText: () => '',
    headerVariable: () => undefined,
    meaningOf: () => '',
    excerptAt: () => ({ line: 1, first: 1, lines: [] }),
  };
  const findings = collectFindings({ ...tools, redact });
  for (const [failure, exchange] of failed) {
    chains.add(failure, failure.place, exchange, [exchange]);
    findings.add(failure, exchange);
  }
  return chains.of(findings.causes(), redact);
}

/** The recorded failure of the last exchange, after all of them were observed. */
function record(exchanges: readonly NumberedExchange[], redact?: (text: string) => string) {
  const failed = exchanges.slice(-1).map((last): Failed => [failure, last]);
  return recordAll(failed, redact, exchanges)[0]?.failures[0];
}

const shop = () => sent('addShop', { body: { name: 'corner' }, answer: { id: 's7', name: 'corner' } });
const item = (shopId = 's7') =>
  sent('addItem', { path: { shopId }, body: { name: 'cup' }, answer: { id: 41, name: 'cup' } });

test('a chain has the creates of all objects that its request names, outer ones first', () => {
  const { chain } = record([shop(), item(), sent('readItem', { path: { shopId: 's7', itemId: 41 } })]) ?? {};
  expect(chain?.requests.map(({ operation }) => operation)).toEqual(['addShop', 'addItem', 'readItem']);
  const [first, second] = Object.entries(chain?.symbols ?? {}).sort(([, a], [, b]) => a.request - b.request);
  expect([first?.[1], second?.[1]]).toEqual([
    { request: 0, member: 'id' },
    { request: 1, member: 'id' },
  ]);
  const values = chain?.requests.map(({ parameters }) => parameters.map(({ value }) => value));
  expect(values).toEqual([[], [`{{${first?.[0]}}}`], [`{{${first?.[0]}}}`, `{{${second?.[0]}}}`]]);
});

test('a body refers to an object by a member with its name', () => {
  const { chain } = record([shop(), sent('order', { body: { shopId: 's7', count: 41 }, answer: { no: 1 } })]) ?? {};
  expect(chain?.requests.map(({ operation }) => operation)).toEqual(['addShop', 'order']);
  expect(chain?.requests[1]?.body?.value).toEqual({
    shopId: expect.stringMatching(/^\{\{shop#\d+\.id\}\}$/),
    count: 41,
  });
});

test('an object that the run did not create keeps its id', () => {
  const { chain } = record([shop(), sent('readShop', { path: { shopId: 'others' } })]) ?? {};
  expect(chain).toMatchObject({ requests: [{ parameters: [{ value: 'others' }] }], symbols: {} });
});

test('a chain that needs a secret is written without it, and with the reason', () => {
  const redact = (text: string): string => text.replaceAll('hush-hush', '***');
  const { chain, unable } = record([sent('order', { body: { code: 'hush-hush' }, answer: { no: 1 } })], redact) ?? {};
  expect(chain?.requests[0]?.body?.value).toEqual({ code: '***' });
  expect(unable).toBe('its requests contain a secret of an earlier answer, and no file keeps secrets');
});

describe('the first chain of a finding is that of the request that the finding shows', () => {
  const order = (polarity: Polarity, value: string): NumberedExchange => {
    const exchange = sent('order', { body: { value }, answer: {} });
    return { ...exchange, intent: { ...exchange.intent, polarity } };
  };
  const valuesOf = (failed: readonly Failed[]) =>
    recordAll(failed).map(({ failures }) => failures.map(({ chain }) => chain?.requests[0]?.body?.value));
  const elsewhere = { ...failure, place: 'response 200 header X' };
  const other = { ...failure, causes: [['another']] };

  test.each<{ name: string; failed: readonly Failed[]; want: readonly (readonly string[])[] }>([
    {
      name: 'the first',
      failed: [
        [failure, order('valid', 'a')],
        [failure, order('valid', 'b')],
      ],
      want: [['a']],
    },
    {
      name: 'a clearer one',
      failed: [
        [failure, order('grey', 'a')],
        [failure, order('valid', 'b')],
      ],
      want: [['b']],
    },
    {
      name: 'a surer one',
      failed: [
        [{ ...failure, severity: 'suspect' }, order('valid', 'a')],
        [failure, order('grey', 'b')],
      ],
      want: [['b']],
    },
    {
      name: 'a clearer one at another place',
      failed: [
        [failure, order('grey', 'a')],
        [elsewhere, order('valid', 'b')],
      ],
      want: [['b', 'a']],
    },
    {
      name: 'each of two causes at one place',
      failed: [
        [failure, order('valid', 'a')],
        [other, order('valid', 'b')],
      ],
      want: [['a'], ['b']],
    },
  ])('$name', ({ failed, want }) => {
    expect(valuesOf(failed)).toEqual(want.map((values) => values.map((value) => ({ value }))));
  });
});
