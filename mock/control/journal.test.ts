import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { Detail } from '@lockstep/runtime/validation/detail';
import { describe, expect, test } from 'vitest';
import { readError } from './front.ts';
import { createJournal, type RecordedRequest, redacted } from './journal.ts';

const options = { contract, operations, loginPath: '/auth' };

const request: RecordedRequest = {
  at: '2026-06-01T12:00:00.000Z',
  requestId: 'req-1',
  method: 'GET',
  path: '/v1/devices',
  queryText: '',
  operationId: 'getDevices',
  status: 200,
  verdict: 'accepted',
  ms: 3,
};

function keep(...requests: readonly Partial<RecordedRequest>[]) {
  const journal = createJournal(options);
  for (const given of requests) journal.record({ ...request, ...given });
  return journal;
}

describe('the journal', () => {
  test('keeps what became of a request, its query in pairs', () => {
    const [entry] = keep({ queryText: 'limit=5&search=front+door&limit=6', clientId: undefined }).list();
    const { queryText: _, ...rest } = request;
    const query = [
      { name: 'limit', value: '5' },
      { name: 'search', value: 'front door' },
      { name: 'limit', value: '6' },
    ];
    expect(entry).toStrictEqual({ ...rest, number: 1, query });
  });

  test('has the newest first, numbered on also when it was emptied', () => {
    const journal = keep({}, {}, {});
    expect(journal.list().map(({ number }) => number)).toEqual([3, 2, 1]);
    journal.clear();
    expect(journal.list()).toEqual([]);
    journal.record(request);
    expect(journal.list().map(({ number }) => number)).toEqual([4]);
  });

  test('keeps the last thousand', () => {
    const journal = createJournal(options);
    for (let count = 0; count < 1_005; count++) journal.record(request);
    const numbers = journal.list().map(({ number }) => number);
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([1_000, 1_005, 6]);
  });

  test.each([
    { name: 'an operation', filter: { operationId: 'getDevice' }, want: [2] },
    { name: 'a status', filter: { status: 400 }, want: [3, 2] },
    { name: 'a verdict', filter: { verdict: 'accepted' as const }, want: [1] },
    { name: 'a number', filter: { limit: 2 }, want: [3, 2] },
    { name: 'several', filter: { status: 400, operationId: 'getDevices', limit: 1 }, want: [3] },
    { name: 'nothing', filter: { operationId: undefined, limit: undefined }, want: [3, 2, 1] },
    { name: 'what there is none of', filter: { operationId: 'login' }, want: [] },
  ])('is filtered by $name', ({ filter, want }) => {
    const refused = { status: 400, verdict: 'refused' } as const;
    const journal = keep({}, { ...refused, operationId: 'getDevice' }, refused);
    expect(journal.list(filter).map(({ number }) => number)).toEqual(want);
  });

  const secret = 's3cr3t';
  const login = { path: '/auth/login', operationId: 'login' };
  const unknownLogin = { path: '/auth/session/end', operationId: null };
  test.each<{ name: string; given: Partial<RecordedRequest>; shown: string | null }>([
    { name: 'a parameter of the operation', given: { queryText: 'search=x' }, shown: 'x' },
    { name: 'a preference of the mock', given: { queryText: '__code=418' }, shown: '418' },
    { name: 'a name that no parameter has', given: { queryText: `access_token=${secret}` }, shown: null },
    { name: 'a parameter of another operation', given: { queryText: `admin_key=${secret}` }, shown: null },
    { name: 'a name that objects have', given: { queryText: `constructor=${secret}` }, shown: null },
    {
      name: 'whatever is sent to no operation',
      given: { operationId: null, queryText: `limit=${secret}` },
      shown: null,
    },
    { name: 'who logs in where', given: { ...login, queryText: 'client_id=demo-partner' }, shown: 'demo-partner' },
    { name: 'what a login asks for', given: { ...login, queryText: 'scope=a+b' }, shown: 'a b' },
    {
      name: 'what a token is the name of',
      given: { queryText: `${'eyJhbGciOiJSUzI1NiJ9.'.repeat(2)}${secret}` },
      shown: null,
    },
    {
      name: 'the callback of a login',
      given: {
        ...login,
        queryText: `redirect_uri=${encodeURIComponent(`https://${secret}:${secret}@app.example/back?key=${secret}`)}`,
      },
      shown: 'https://app.example/back',
    },
    { name: 'the state of a login', given: { ...login, queryText: `state=${secret}` }, shown: null },
    { name: 'its nonce', given: { ...login, queryText: `nonce=${secret}` }, shown: null },
    { name: 'its code challenge', given: { ...login, queryText: `code_challenge=${secret}` }, shown: null },
    { name: 'the address of a person', given: { ...login, queryText: `login_hint=${secret}` }, shown: null },
    { name: 'a code', given: { ...login, queryText: `code=${secret}` }, shown: null },
    { name: 'a secret of a client', given: { ...login, queryText: `client_secret=${secret}` }, shown: null },
    { name: 'a hint with an id token', given: { ...unknownLogin, queryText: `id_token_hint=${secret}` }, shown: null },
    { name: 'a client elsewhere below', given: { ...unknownLogin, queryText: 'client_id=x' }, shown: 'x' },
  ])('shows the value of $name: $shown', ({ given, shown }) => {
    const journal = keep(given);
    const [entry] = journal.list();
    expect(entry?.query.map(({ value }) => value)).toEqual([shown ?? redacted]);
    expect(JSON.stringify(entry)).not.toContain(secret);
  });

  test('hides what looks like a token wherever an answer repeats it', () => {
    const token = `${'eyJhbGciOiJSUzI1NiJ9.'.repeat(2)}${secret}`;
    const says = `${token} is not known, did you mean limit?`;
    const [entry] = keep({
      path: `/v1/${token}`,
      says,
      details: [{ in: 'query', at: token, says, nearest: [] }],
    }).list();
    expect(JSON.stringify(entry)).not.toContain(secret);
    expect(entry?.says).toBe(`${redacted} is not known, did you mean limit?`);
    expect(entry?.details?.[0]?.at).toBe(redacted);
  });

  test.each<Pick<Detail, 'at' | 'says'> & { kept: string; shown?: string; in?: 'query' }>([
    {
      at: '/s3cr3t',
      says: 's3cr3t is not known, did you mean pin?',
      kept: `${redacted} is not known, did you mean pin?`,
    },
    {
      ...{ at: '/jobData/s3cr3t', says: 'jobData/s3cr3t is not known' },
      ...{ kept: `jobData/${redacted} is not known`, shown: `/jobData/${redacted}` },
    },
    {
      ...{ at: '/s3cr3t/a~1b/0', says: 's3cr3t/a/b/0 must be text' },
      ...{ kept: `${redacted}/${redacted}/0 must be text`, shown: `/${redacted}/${redacted}/0` },
    },
    { at: '/s3cr3t', says: 'text holds s3cr3t', kept: `${redacted} is refused` },
    {
      ...{ at: '/accessName', says: 'accessName is required, did you mean it by s3cr3t?' },
      ...{ kept: `accessName is required, did you mean it by ${redacted}?`, shown: '/accessName' },
    },
    { at: '/constructor', says: 'constructor is not known', kept: `${redacted} is not known` },
    {
      ...{ in: 'query', at: 's3cr3t', says: 's3cr3t is not known, known here: limit' },
      ...{ kept: `${redacted} is not known, known here: limit`, shown: redacted },
    },
    { at: '/payload/0/ts', says: 'payload/0/ts is required', kept: 'payload/0/ts is required', shown: '/payload/0/ts' },
  ])('keeps nothing of a name that the contract does not have: $kept', ({ kept, shown = `/${redacted}`, ...given }) => {
    const detail: Detail = { in: 'body', nearest: [], ...given };
    const other: Detail = { in: 'query', at: 'limit', says: 'limit must be at most 300', nearest: [] };
    const [entry] = keep({ says: detail.says, details: [other, detail], queryText: 's3cr3t&limit=900' }).list();
    expect([entry?.says, entry?.details?.[1]]).toEqual([kept, { ...detail, at: shown, says: kept }]);
    expect(entry?.details?.[0]).toEqual(other);
    expect(JSON.stringify(entry)).not.toContain(secret);
  });

  test.each([
    { path: '/auth/interaction/s3cr3t', shown: `/auth/interaction/${redacted}` },
    { path: '/auth/interaction/s3cr3t/login', shown: `/auth/interaction/${redacted}/login` },
    { path: '/auth/login/s3cr3t', shown: `/auth/login/${redacted}` },
    { path: '/Auth//interaction/s3cr3t', shown: `/Auth//interaction/${redacted}` },
    { path: '/auth/apps/s3cr3tABCDEFGHIJKLMNO/x', shown: `/auth/apps/${redacted}/x` },
    { path: '/auth/apps/log-out-everywhere', shown: '/auth/apps/log-out-everywhere' },
    { path: '/v1//auth/interaction/s3cr3t', shown: `/v1//auth/interaction/${redacted}` },
    { path: '/v1/devices-that-are-nowhere', shown: '/v1/devices-that-are-nowhere' },
  ])('of $path it keeps $shown', ({ path, shown }) => {
    expect(keep({ path, operationId: null }).list()[0]?.path).toBe(shown);
  });

  test('keeps no more of what a caller made long than the contract allows', () => {
    const long = '🔑'.repeat(2_000);
    const queryText = Array.from({ length: 60 }, () => `search=${encodeURIComponent(long)}`).join('&');
    const [entry] = keep({ path: long, queryText, says: long, clientId: long, code: long }).list();
    expect([...(entry?.path ?? '')]).toHaveLength(500);
    expect([...(entry?.says ?? '')]).toHaveLength(1_000);
    expect([...(entry?.clientId ?? '')]).toHaveLength(100);
    expect([...(entry?.code ?? '')]).toHaveLength(100);
    expect(entry?.query.map(({ value }) => [...value].length)).toEqual(Array(50).fill(200));
    expect(entry?.path.endsWith('🔑…')).toBe(true);
  });
});

test.each([
  [{ code: 4, message: 'Wrong', details: [1] }, { says: 'Wrong' }],
  [{ code: 'wrong', details: [{ path: '/a' }] }, { code: 'wrong' }],
  [{ details: [{ in: 'body', at: '/a', says: 'is wrong', nearest: [] }] }, { details: [expect.anything()] }],
])('of the error %j the journal keeps what it knows', (body, want) => {
  expect(readError(body)).toEqual(want);
});
