import { describe, expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { internalsLeaked, isDistinctive, secretEchoed } from './leaks.ts';

const contract = contractOf({ '/a': { post: { responses: { 200: { description: 'OK' } } } } });

function judge(sent: Partial<NumberedExchange['seen']>, body: string) {
  const exchange = exchangeOf(contract, { status: 400, body });
  return internalsLeaked
    .judge({ ...exchange, seen: { ...exchange.seen, ...sent } }, contextOf(contract))
    .flatMap(({ failures }) => failures.map(({ keyword }) => keyword));
}

test('a body of repeated beginnings of marks is searched in linear time', () => {
  for (const mark of ['/usr/', 'at a(', 'File "']) expect(judge({}, mark.repeat(2_000_000))).toEqual([]);
});

describe('internals-leaked', () => {
  const near = 'syntax error at or near "dune42"';
  const frame = 'at read (/srv/read.js:3:7)';
  test.each<{ name: string; sent: Partial<NumberedExchange['seen']>; body: string; want: string[] }>([
    { name: 'an error of the database', sent: {}, body: near, want: ['a database error'] },
    {
      name: 'about a sent name',
      sent: { requestBody: { name: 'dune42' } },
      body: near,
      want: ['a database error'],
    },
    { name: 'about the sent statement', sent: { requestBody: { sql: 'dune42' } }, body: near, want: [] },
    {
      name: 'about one of several',
      sent: { requestBody: { statements: [{ text: 'dune42 x' }] } },
      body: near,
      want: [],
    },
    { name: 'about a query of the query string', sent: { query: { query: 'SELECT dune42' } }, body: near, want: [] },
    { name: 'about content that is a statement', sent: { requestBody: 'SELECT dune42' }, body: near, want: [] },
    {
      name: 'about another statement',
      sent: { requestBody: { sql: 'arrakis' } },
      body: near,
      want: ['a database error'],
    },
    { name: 'a number alone', sent: { requestBody: { sql: '42' } }, body: near, want: ['a database error'] },
    {
      name: 'a stack frame with the statement',
      sent: { requestBody: { sql: 'dune42' } },
      body: `${near} ${frame}`,
      want: ['a JavaScript stack frame'],
    },
    { name: 'a path', sent: {}, body: 'no /app/x.js', want: ['a file path of the server'] },
    { name: 'a sent path', sent: { query: { file: '/app/x.js' } }, body: 'no /app/x.js', want: [] },
    {
      name: 'a path in addition to the sent one',
      sent: { query: { file: '/app/x.js' } },
      body: 'no /app/x.js in /app/y.js',
      want: ['a file path of the server'],
    },
  ])('$name: $want', ({ sent, body, want }) => {
    expect(judge(sent, body)).toEqual(want);
  });
});

describe('secret-echoed', () => {
  const properties = { name: { type: 'string' }, password: { type: 'string', writeOnly: true } };
  const schema = { type: 'object', properties };
  const responses = { 201: { description: '', content: { 'application/json': { schema } } }, 422: { description: '' } };
  const enrol = { operationId: 'enrol', requestBody: { content: { 'application/json': { schema } } }, responses };
  const schemes = { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } };
  const api = contractOf({ '/readers': { post: enrol } }, { securitySchemes: schemes });
  const key = 'not-a-real-key-7f10';

  test.each([
    { answer: '{"input":{"password":"long enough"}}', want: 'writeOnly' },
    { answer: '{"password":"long enough"}', status: 201, want: undefined },
    { answer: '{"reason":"too short"}', want: undefined },
    { answer: `no such key: ${key}`, type: 'text/plain', want: 'credential' },
    { answer: `{"viewer":"${key}"}`, want: 'credential' },
    { answer: `{"api_key":"${key}"}`, want: undefined },
  ])('$answer: $want', ({ answer, status = 422, type = 'application/json', want }) => {
    const [operation] = api.operations;
    const content = operation?.body?.contents[0];
    const body = { name: 'Ada', password: 'long enough' };
    if (operation === undefined || content === undefined) throw new Error('no operation');
    const sent = exchangeOf(api, {
      ...{ status, headers: { 'content-type': type }, body: answer, request: { headers: [['X-Key', key]] } },
    });
    const draft = { operation, parameters: [], body: { content, value: body }, label: '' };
    const exchange = { ...sent, draft, seen: { ...sent.seen, requestBody: body } };
    const failures = secretEchoed.judge(exchange, contextOf(api)).flatMap((verdict) => verdict.failures);
    expect(failures.map(({ keyword }) => keyword)).toEqual(want === undefined ? [] : [want]);
    expect(failures.some(({ message }) => message.includes(key) || message.includes('long enough'))).toBe(false);
  });
});

test('a placeholder of a mock or a short text is no distinctive secret', () => {
  expect(['string', 'Password', 'abc', 'pw-4711', 'long enough'].map(isDistinctive)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});
