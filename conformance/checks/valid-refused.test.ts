import { expect, test } from 'vitest';
import type { Boundary, NumberedExchange } from '../execute/exchange.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { validRefused } from './valid-refused.ts';

const query = (name: string) => ({ name, in: 'query', schema: { type: 'integer', maximum: 300 } });

const contract = contractOf({
  '/items': {
    get: {
      operationId: 'list',
      parameters: [query('limit'), query('page_size'), query('value')],
      responses: { 200: { description: '' }, 406: { description: 'The bridge is offline' } },
    },
  },
});

const limit: Boundary = {
  ...{ place: 'query limit, maximum', part: 'query limit', pointer: '#/maximum', keyword: 'maximum', isNamed: true },
  ...{ text: 'limit=300 (maximum)', against: 'without it' },
};

interface Sent {
  readonly role: string;
  readonly status: number;
  readonly body?: unknown;
}

const [control, ok]: readonly Sent[] = [
  { role: 'control', status: 200 },
  { role: 'other request', status: 200 },
];
const rejected = (status = 400, body: unknown = {}): Sent => ({ role: 'case', status, body });

function exchangesOf(
  sent: readonly (Sent | undefined)[],
  boundary: Boundary,
  described = contract,
): NumberedExchange[] {
  return sent.flatMap((one) => {
    if (one === undefined) return [];
    const boundaries = one.role === 'control' ? [] : [boundary];
    const probe = { checks: ['valid-refused'], name: boundary.place, role: one.role, operation: 'list', boundaries };
    const headers = { 'content-type': 'application/json' };
    return [
      exchangeOf(described, { status: one.status, headers, body: JSON.stringify(one.body ?? {}), intent: { probe } }),
    ];
  });
}

const twice = (status?: number, body?: unknown) => [rejected(status, body), control, rejected(status, body), control];

test.each<{
  readonly name: string;
  readonly sent: readonly (Sent | undefined)[];
  readonly boundary?: Boundary;
  readonly want: string;
}>([
  { name: 'accepted', sent: [{ role: 'case', status: 200 }], want: 'met' },
  { name: 'rejected twice between controls', sent: twice(), want: 'defect' },
  { name: 'rejected with words that name it', sent: twice(422, { errors: { limit: 'is too large' } }), want: 'defect' },
  {
    name: 'rejected once',
    sent: [rejected(), control],
    want: 'it was answered 400, and no similar request was accepted before and after',
  },
  {
    name: 'the control was rejected afterwards',
    sent: [rejected(), control, rejected(), { role: 'control', status: 400 }],
    want: 'it was answered 400, and no similar request was accepted before and after',
  },
  { name: 'accepted in another request', sent: [rejected(), control, ok], want: 'met' },
  { name: 'rejected as a conflict', sent: twice(409), want: 'the server answered 409' },
  { name: '406 that the contract documents', sent: twice(406), want: 'the server answered 406' },
  { name: '405 that it does not document', sent: twice(405), want: 'defect' },
  {
    name: 'words about state',
    sent: twice(400, { error: 'The name is already taken' }),
    want: 'the server answered 400 for a reason of its own',
  },
  { name: 'words about another part', sent: twice(422, { errors: { page_size: 'is too small' } }), want: 'suspect' },
  { name: 'prose about another part', sent: twice(400, { error: 'limit must not exceed page_size' }), want: 'suspect' },
  {
    name: 'prose that spells another part with a space',
    sent: twice(422, { detail: 'Page size 3 is out of bounds' }),
    want: 'suspect',
  },
  {
    name: 'prose about other parts, and a switch',
    sent: twice(400, { error: 'a value is needed when it is off' }),
    boundary: { ...limit, text: 'limit=false (another member)' },
    want: 'suspect',
  },
  { name: 'prose with a plain word', sent: twice(400, { error: 'the value of limit is too large' }), want: 'defect' },
  {
    name: 'a text that the contract does not name',
    sent: twice(),
    boundary: { ...limit, isNamed: false },
    want: 'the server answered 400; the contract does not name this very value',
  },
  {
    name: 'another media type, malformed',
    sent: twice(400),
    boundary: { ...limit, keyword: 'content' },
    want: 'suspect',
  },
  {
    name: 'another media type, not supported',
    sent: twice(415),
    boundary: { ...limit, keyword: 'content' },
    want: 'defect',
  },
])('$name: $want', ({ sent, boundary = limit, want }) => {
  const verdicts = validRefused.judge(exchangesOf(sent, boundary), contextOf(contract));
  expect(verdicts.map(({ failures, unjudged }) => unjudged ?? failures[0]?.severity ?? 'met')).toEqual([want]);
});

test('the message has the value, both statuses and the comparison', () => {
  const [verdict] = validRefused.judge(exchangesOf(twice(), limit), contextOf(contract));
  expect(verdict?.failures[0]?.message).toBe('limit=300 (maximum) was answered 400; without it 200 before and after');
});

test('an accepted row settles each of its classes', () => {
  const [row] = exchangesOf([{ role: 'row', status: 200 }], limit);
  const other = { ...limit, place: 'query page_size, maximum' };
  const probe = { ...row?.intent.probe, boundaries: [limit, other] };
  const both = { ...row, intent: { ...row?.intent, probe } } as NumberedExchange;
  const places = validRefused
    .judge([both], contextOf(contract))
    .map(({ place, failures }) => `${place}: ${failures.length}`);
  expect(places).toEqual(['query limit, maximum: 0', 'query page_size, maximum: 0']);
});

const interval = { type: 'object', properties: { weeks: { type: 'integer' }, days: { type: 'integer' } } };
const watches = contractOf({
  '/watches': {
    put: {
      operationId: 'change',
      requestBody: {
        content: {
          'application/json': {
            schema: { type: 'object', properties: { interval, uses_default: { type: 'boolean' }, span_id: {} } },
          },
        },
      },
      responses: { 200: { description: '' } },
    },
  },
});

test.each([
  { words: 'At least one of weeks and days must be specified', want: 'suspect' },
  { words: 'Position 1 is out of bounds for span spanidconform1 (max: -1)', want: 'suspect' },
  { words: 'This combination is not supported', want: 'defect' },
])('rejected with "$words": $want', ({ words, want }) => {
  const boundary = { ...limit, part: 'body /uses_default', text: 'uses_default=false (member)' };
  const requestBody = { uses_default: false, span_id: 'spanidconform1' };
  const [content] = watches.operations[0]?.body?.contents ?? [];
  if (content === undefined) throw new Error('no content');
  const trace = exchangesOf(twice(400, { error: words }), boundary, watches).map((exchange): NumberedExchange => {
    const { operation, seen } = exchange;
    const body = { content, value: requestBody };
    return { ...exchange, seen: { ...seen, requestBody }, draft: { operation, parameters: [], body, label: '' } };
  });
  expect(validRefused.judge(trace, contextOf(watches))[0]?.failures[0]?.severity).toBe(want);
});
