import { expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { createRedactor } from './redact.ts';
import { showExchanges } from './shown-exchange.ts';

// If these fail, a reader of a report looks for the fault in the wrong part of an answer, or reads a secret.

const contract = contractOf({ '/a': { get: { operationId: 'read', responses: { 200: { description: 'OK' } } } } });
const secret = 'a-secret-of-the-user';

function shown(place: string, given: Parameters<typeof exchangeOf>[1], more: readonly NumberedExchange[] = []) {
  const redactor = createRedactor(contract, [['x-key', secret]]);
  const exchange = exchangeOf(contract, given);
  return showExchanges(exchange, more.length === 0 ? undefined : [...more, exchange], { check: 'c', place }, redactor);
}

const probe = (role: string) => ({
  intent: { probe: { checks: ['c'], name: 'limit', role, operation: 'read' } },
});

const items = Array.from({ length: 50 }, (_, index) => ({ id: index, title: `t${index}` }));
const long = 'x'.repeat(300);

const bodies: readonly { name: string; place: string; body: string; want: readonly string[]; marked?: string }[] = [
  {
    name: 'a list is cut around the place',
    place: 'response 200 body /items/7/title',
    body: JSON.stringify({ next: null, items }),
    want: [
      '{',
      '  "next": null,',
      '  "items": [',
      '    { "id": 0, "title": "t0" },',
      '    { "id": 1, "title": "t1" },',
      '    … 5 items',
      '    {',
      '      "id": 7,',
      '      "title": "t7"',
      '    },',
      '    … 42 items',
      '  ]',
      '}',
    ],
    marked: '"title": "t7"',
  },
  {
    name: 'a missing member is marked by its object',
    place: 'response 200 body /book/title',
    body: '{"book":{"id":1}}',
    want: ['{', '  "book": { "id": 1 }', '}'],
    marked: '"book": { "id": 1 }',
  },
  {
    name: 'numbers keep their digits',
    place: 'response 200 body /id',
    body: '{"id":12345678901234567890,"price":1.0}',
    want: ['{', '  "id": 12345678901234567890,', '  "price": 1.0', '}'],
    marked: '"id": 12345678901234567890,',
  },
  {
    name: 'a long text is cut',
    place: 'response 200 body',
    body: JSON.stringify({ a: long, b: [] }),
    want: ['{', `  "a": "${'x'.repeat(200)}…" (300 characters),`, '  "b": []', '}'],
  },
  { name: 'text stays as it is', place: 'response 200 body', body: '<p>\n{"a":', want: ['<p>', '{"a":'] },
  {
    name: 'a secret is redacted',
    place: 'response 200 body /k',
    body: `{"k":"${secret}"}`,
    want: ['{', '  "k": "***"', '}'],
    marked: '"k": "***"',
  },
];

test.each(bodies)('$name', ({ place, body, want, marked }) => {
  const [exchange] = shown(place, { status: 200, body }).exchanges;
  const content = exchange?.answer.body;
  expect(content?.lines).toEqual(want);
  expect(content?.marked && content.lines[content.marked[0]]?.trim()).toBe(marked);
});

test('headers show no credential, and the curl line reads them from variables', () => {
  const headers: [string, string][] = [
    ['authorization', 'Bearer unknown-token'],
    ['x-key', secret],
    ['accept', '*/*'],
  ];
  const { exchanges, curl } = shown('response 200', {
    headers: { 'set-cookie': 'sid=1', etag: '"1"' },
    request: { headers },
  });
  expect(exchanges[0]?.headers).toEqual([
    ['authorization', '***'],
    ['x-key', '***'],
    ['accept', '*/*'],
  ]);
  expect(exchanges[0]?.answer.headers).toEqual([
    ['set-cookie', '***'],
    ['etag', '"1"'],
  ]);
  expect(curl).toBe(exchanges[0]?.curl);
});

test('a list keeps the item of the judged request', () => {
  const body = JSON.stringify(items.map(({ id }) => ({ id: `i${id}` })));
  const list = exchangeOf(contract, { ...probe('list'), body });
  const plain = exchangeOf(contract, probe('case'));
  const judged = { ...plain, seen: { ...plain.seen, path: { id: 'i4' } } };
  const found = { check: 'c', place: 'response 200' };
  const [, shownList] = showExchanges(judged, [judged, list], found, createRedactor(contract)).exchanges;
  expect(shownList?.answer.body).toMatchObject({
    lines: ['[', '  { "id": "i0" },', '  { "id": "i1" },', '  … 2 items', '  { "id": "i4" },', '  … 45 items', ']'],
    marked: [4, 4],
  });
});

test('a value that was sent is marked in the request and in the answers that show it', () => {
  const request = { body: Buffer.from('{"pages":416}') };
  const read = [exchangeOf(contract, { ...probe('read'), body: '{"book":{"pages":412}}' })];
  const { exchanges } = shown('request body /pages', { ...probe('case'), request, body: '{"ok":true}' }, read);
  expect(exchanges.map(({ body }) => body?.marked && body.lines[body.marked[0]])).toEqual([
    undefined,
    '  "pages": 416',
  ]);
  expect(exchanges.map(({ answer }) => answer.body?.marked)).toEqual([[2, 2], undefined]);
  const [input] = shown('body /pages', { request, body: '{"id":1}' }).exchanges;
  expect([input?.body?.marked, input?.answer.body?.marked]).toEqual([[1, 1], undefined]);
});

test('a long turn shows its first exchange, and those around the judged one, each once', () => {
  const turn = Array.from({ length: 12 }, (_, number) => ({
    ...exchangeOf(contract, probe('step')),
    number,
  }));
  for (const [at, want] of [
    [3, [0, 1, 2, 3, 4, 5, 6, 7]],
    [7, [0, 2, 3, 4, 5, 6, 7, 8]],
    [11, [0, 5, 6, 7, 8, 9, 10, 11]],
  ] as const) {
    const judged = turn[at] ?? exchangeOf(contract, {});
    const { exchanges } = showExchanges(judged, turn, { check: 'c', place: 'object' }, createRedactor(contract));
    expect(exchanges.map(({ number }) => number)).toEqual(want);
  }
});

test('a probe is shown with its controls, and no other request of the turn', () => {
  const part = (check: string, role: string, name = 'limit') => ({
    intent: { probe: { checks: [check], name, role, operation: 'read' } },
  });
  const turn = [part('c', 'control'), part('c', 'control', 'offset'), part('d', 'case'), part('c', 'undo')];
  const { exchanges } = shown(
    'query limit',
    { ...part('c', 'case'), status: 200 },
    turn.map((one) => exchangeOf(contract, one)),
  );
  expect(exchanges.map(({ role, isJudged }) => [role, isJudged])).toEqual([
    ['control', false],
    ['case', true],
  ]);
});
