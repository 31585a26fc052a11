import { describe, expect, test } from 'vitest';
import type { NumberedExchange } from '../execute/exchange.ts';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import type { ExchangeCheck } from './check.ts';
import { headerSchema, mediaType, statusUndocumented } from './response-head.ts';

// Answers that break the contract in their head, and answers that no rule forbids.

const json = { 'application/json': { schema: {} } };
const ok = { description: 'OK', content: json };
const header = (schema: object, required = false) => ({ required, schema });
const contract = contractOf(
  {
    '/plain': { get: { operationId: 'plain', responses: { 200: ok, 400: ok, 404: { description: 'No' } } } },
    '/things/{id}': { get: { operationId: 'silent', security: [{ Key: [] }], responses: { 200: ok } } },
    '/one': { get: { operationId: 'oneRejection', responses: { 200: ok, 422: ok } } },
    '/shut': { get: { operationId: 'shut', responses: { 200: ok, 403: ok } } },
    '/shut/{id}': { get: { operationId: 'shutThing', responses: { 200: ok, 401: ok, 403: ok } } },
    '/gone': { delete: { operationId: 'drop', responses: { 200: ok, default: ok } } },
    '/kinds': {
      get: {
        operationId: 'kinds',
        responses: {
          200: { description: 'OK', content: { 'application/json; charset=utf-8': {}, 'text/*': {} } },
          400: { description: 'No', content: { json: {} } },
        },
      },
    },
    '/file': {
      get: {
        operationId: 'file',
        responses: { 200: { description: 'OK', content: { 'application/octet-stream': {}, ...json } } },
      },
    },
    '/headers': {
      get: {
        operationId: 'headers',
        responses: {
          200: {
            description: 'OK',
            headers: {
              'Content-Type': header({ const: 'x' }, true),
              'X-Count': header({ type: 'integer', maximum: 5 }, true),
              'X-On': header({ type: 'boolean' }),
              'Last-Modified': header({ type: 'string', format: 'date-time' }),
              'Retry-After': header({ type: 'integer' }),
              'Set-Cookie': header({ type: 'string', pattern: '^[a-z]=[0-9]$' }),
              'X-Tags': header({ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }),
            },
          },
        },
      },
    },
  },
  { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
);

function judge(check: ExchangeCheck, given: Parameters<typeof exchangeOf>[1], change: Partial<NumberedExchange> = {}) {
  const exchange = { ...exchangeOf(contract, given), ...change };
  return check.judge(exchange, contextOf(contract)).flatMap(({ failures }) => failures);
}

const probe = (name: string) => ({ checks: [], name, operation: 'plain', role: 'case' });

describe('status-undocumented', () => {
  test.each<{ operation: string; status: number; want: string[]; intent?: Partial<NumberedExchange['intent']> }>([
    { operation: 'plain', status: 400, want: [] },
    { operation: 'plain', status: 409, want: ['defect'] },
    { operation: 'plain', status: 201, want: ['defect'] },
    { operation: 'plain', status: 401, want: ['defect'] },
    { operation: 'plain', status: 429, want: [] },
    { operation: 'plain', status: 413, want: [] },
    { operation: 'plain', status: 408, want: [] },
    { operation: 'plain', status: 500, want: [] },
    { operation: 'plain', status: 405, want: ['defect'] },
    { operation: 'plain', status: 415, want: [], intent: { probe: probe('unlisted-media-type') } },
    { operation: 'plain', status: 415, want: ['defect'], intent: { probe: probe('no credentials') } },
    { operation: 'plain', status: 409, want: [], intent: { polarity: 'grey' } },
    // The contract lacks the rejection of invalid input.
    { operation: 'shut', status: 400, want: ['suspect'], intent: { polarity: 'invalid' } },
    // The contract lacks the rejection of an unknown id.
    { operation: 'shutThing', status: 404, want: ['suspect'] },
    { operation: 'shut', status: 404, want: ['defect'] },
    { operation: 'shut', status: 409, want: ['defect'], intent: { polarity: 'invalid' } },
    { operation: 'shut', status: 400, want: ['defect'] },
    { operation: 'oneRejection', status: 400, want: ['defect'], intent: { polarity: 'invalid' } },
    { operation: 'silent', status: 401, want: [] },
    { operation: 'silent', status: 404, want: [] },
    { operation: 'silent', status: 418, want: [] },
    { operation: 'silent', status: 405, want: ['defect'] },
    { operation: 'headers', status: 404, want: ['suspect'] },
    { operation: 'headers', status: 404, want: [], intent: { polarity: 'invalid' } },
    { operation: 'drop', status: 204, want: [] },
  ])('$status from $operation ($intent): $want', ({ operation, status, want, intent = {} }) => {
    expect(judge(statusUndocumented, { operation, status, intent }).map(({ severity }) => severity)).toEqual(want);
  });

  test.each([
    {
      location: '/login?next=/plain',
      message: 'it leads to what looks like a login, so the request was not accepted: /login?next=/plain',
    },
    { location: '/v2/plain/', message: 'it leads to the same path in another spelling: /v2/plain/' },
    {
      location: 'https://elsewhere.example/',
      message: 'it leads elsewhere, so the request was not accepted: https://elsewhere.example/',
    },
  ])('a redirect to $location has a message', ({ location, message }) => {
    const [failure] = judge(statusUndocumented, { operation: 'plain', status: 302, headers: { location } });
    expect(failure?.message).toBe(`302 is not documented; listed: 200, 400, 404; ${message}`);
  });

  test('is one cause for all rejections of an operation that lists a single one', () => {
    const responses = { 200: { description: '' }, 422: { description: '' } };
    const contract = contractOf({ '/one': { get: { operationId: 'one', responses } } });
    const causes = [401, 403, 404].flatMap((status) =>
      statusUndocumented
        .judge(exchangeOf(contract, { status }), contextOf(contract))
        .flatMap(({ failures }) => failures.flatMap((failure) => failure.causes)),
    );
    expect(causes).toEqual([401, 403, 404].map(() => ['other than', 422]));
  });

  test('is one cause for each status, independent of the listed statuses', () => {
    const causes = ['plain', 'headers'].flatMap((operation) =>
      judge(statusUndocumented, { operation, status: 204 }).flatMap((failure) => failure.causes),
    );
    expect(causes).toEqual([[204], [204]]);
  });
});

describe('media-type', () => {
  test.each<{ operation: string; status?: number; type?: string; body?: string; want: string[] }>([
    { operation: 'plain', type: 'Application/JSON;Charset=x', want: [] },
    { operation: 'plain', type: 'application/problem+json', want: ['defect'] },
    { operation: 'plain', type: 'nonsense', want: ['defect'] },
    { operation: 'plain', want: ['defect'] },
    { operation: 'kinds', want: ['defect'] },
    { operation: 'file', want: [] },
    { operation: 'file', type: 'text/html', want: ['defect'] },
    { operation: 'plain', body: '', want: [] },
    { operation: 'plain', status: 404, type: 'text/html', want: [] },
    { operation: 'headers', type: 'text/html', want: ['suspect'] },
    { operation: 'kinds', type: 'text/html', want: [] },
    { operation: 'kinds', type: 'application/json', want: [] },
    { operation: 'kinds', status: 400, type: 'application/json', want: [] },
  ])('$type from $operation with $status: $want', ({ operation, status = 200, type, body = 'x', want }) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect(judge(mediaType, { operation, status, headers, body }).map(({ severity }) => severity)).toEqual(want);
  });

  test('an answer to HEAD is not judged', () => {
    const request = { method: 'HEAD' };
    expect(
      judge(mediaType, { operation: 'plain', headers: { 'content-type': 'text/html' }, body: 'x', request }),
    ).toEqual([]);
  });
});

describe('header-schema', () => {
  const count = { 'x-count': '3' };
  test.each<{ headers: Readonly<Record<string, string>>; want: string[] }>([
    { headers: count, want: [] },
    { headers: {}, want: ['required'] },
    { headers: { 'x-count': '9' }, want: ['maximum'] },
    { headers: { 'x-count': 'many' }, want: ['type'] },
    { headers: { 'X-COUNT': '3' }, want: [] },
    { headers: { ...count, 'x-on': 'True' }, want: [] },
    { headers: { ...count, 'x-on': 'maybe' }, want: ['type'] },
    { headers: { ...count, 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' }, want: [] },
    { headers: { ...count, 'last-modified': 'lately' }, want: ['format'] },
    { headers: { ...count, 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }, want: [] },
    { headers: { ...count, 'retry-after': 'soon' }, want: ['type'] },
    { headers: { ...count, 'x-tags': 'a,b' }, want: [] },
    { headers: { ...count, 'x-tags': 'a, c' }, want: ['enum'] },
    { headers: { ...count, 'set-cookie': 'a=1', 'Set-Cookie': 'b=2' }, want: [] },
  ])('$headers: $want', ({ headers, want }) => {
    expect(judge(headerSchema, { operation: 'headers', headers }).map(({ keyword }) => keyword)).toEqual(want);
  });
});

test('an undocumented status with the same text is one cause in every operation', () => {
  const body = (id: number) => JSON.stringify({ code: 'NO_SHOP', message: `no shop ${id}` });
  const given = (operation: string, id: number) => ({ operation, status: 409, body: body(id) });
  const [first = [], second = []] = [given('plain', 1), given('oneRejection', 2)].map((one) =>
    judge(statusUndocumented, one).flatMap(({ causes }) => causes.map((cause) => JSON.stringify(cause))),
  );
  expect(first[0]).not.toBe(second[0]);
  expect(first.filter((cause) => second.includes(cause))).toHaveLength(1);
});
