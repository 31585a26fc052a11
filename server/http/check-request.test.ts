import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { type CheckedRequest, createRequestCheck } from '@lockstep/runtime/validation/check-request';
import { createSchemaCompiler } from '@lockstep/runtime/validation/compile-schema';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { describe, expect, test } from 'vitest';

const tools = { document: contract, compile: createSchemaCompiler(contract) };

interface Given {
  readonly id: keyof typeof operations;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string[]>>;
  readonly body?: unknown;
}

function check({ id, path = {}, query = '', headers = {}, body }: Given): CheckedRequest {
  const type = 'application/json';
  const sent = { bytes: Buffer.from(JSON.stringify(body) ?? ''), mediaType: type, declaredType: type };
  return createRequestCheck(
    tools,
    operations[id],
  )({
    rawPathValues: new Map(Object.entries(path)),
    query: parseUrlEncoded(query),
    headers,
    body: body === undefined ? undefined : sent,
  });
}

const nothing = { path: {}, query: {}, headers: {}, cookies: {} };
const good: readonly { name: string; given: Given; want: unknown }[] = [
  { name: 'nothing where nothing is needed', given: { id: 'getDevices' }, want: nothing },
  {
    name: 'numbers as numbers',
    given: { id: 'getDevices', query: 'limit=050&search=12' },
    want: { ...nothing, query: { limit: 50, search: '12' } },
  },
  {
    name: 'the defaults of a query',
    given: { id: 'getDevice', path: { deviceId: 'a%20b' }, query: 'lock_id=1' },
    want: { ...nothing, path: { deviceId: 'a b' }, query: { admin_key: '0', lock_id: '1' } },
  },
  {
    name: 'the defaults of a body',
    given: { id: 'createPassageAlgoPin', path: { deviceId: 'a' }, body: { accessName: 'A', variance: 3 } },
    want: {
      ...nothing,
      path: { deviceId: 'a' },
      mediaType: 'application/json',
      body: { accessName: 'A', variance: 3, durationHours: 1 },
    },
  },
  {
    name: 'declared headers alone, in lower case',
    given: {
      id: 'createBridgeTargetedJob',
      path: { bridgeId: 'b' },
      headers: { 'idempotency-key': ['key-00000001'], host: ['a'], cookie: ['b=c'] },
      body: { jobType: 'GET_DEVICE_STATUS' },
    },
    want: {
      ...nothing,
      path: { bridgeId: 'b' },
      headers: { 'idempotency-key': 'key-00000001' },
      mediaType: 'application/json',
      body: { jobType: 'GET_DEVICE_STATUS' },
    },
  },
];

describe('a valid request', () => {
  for (const { name, given, want } of good) {
    test(`reaches its handler with ${name}`, () => expect(check(given)).toEqual({ kind: 'good', request: want }));
  }
});

describe('an invalid request', () => {
  test('lists the first fault of each location, with the status of the first', () => {
    const form = check({ id: 'getJobStatus', path: { jobId: 'x' }, query: 'a=1&b=2' });
    expect(form).toMatchObject({
      kind: 'faults',
      first: { in: 'path', at: 'jobId', status: 422 },
      all: [{ in: 'path' }, { in: 'query', at: 'a' }],
    });
  });

  test('lists allowed values', () => {
    const form = check({ id: 'getDevices', query: 'sort=devicename' });
    expect(form).toMatchObject({ first: { nearest: ['deviceName', '-deviceName'] } });
  });

  test.each([
    ['cursor=', 'cursor must not be empty: nextCursor is empty on the last page'],
    ['cursor', 'cursor must not be empty: nextCursor is empty on the last page'],
    ['cursor=a.b', 'cursor does not have the right form: send nextCursor as it came'],
    [`cursor=${'a'.repeat(513)}`, 'cursor does not have the right form: send nextCursor as it came'],
  ])('never advises an example as a cursor: %#', (query, says) => {
    expect(check({ id: 'getDevices', query })).toMatchObject({
      first: { in: 'query', at: 'cursor', says, nearest: [] },
    });
  });
});
