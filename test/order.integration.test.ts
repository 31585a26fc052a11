import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOrder } from '../server/http/fixtures/describe-order.ts';
import { createMockedService, startMockedApp } from './fixtures/create-mocked-service.ts';
import { type Side, type Sides, sideNames, startSides } from './fixtures/start-sides.ts';

// If these fail, service, mock and sandbox check in another order than the contract specifies, or in different orders.

let sides: Sides;
beforeAll(async () => {
  sides = await startSides();
});
afterAll(() => sides.close());

const json = { 'content-type': 'application/json' };
const huge = { accessName: 'x'.repeat(70_000) };

interface Given {
  readonly method?: string;
  readonly path: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Each request has both faults; the first of the two is answered. */
const pairs: readonly { name: string; given: Given; want: [status: number, code: string] }[] = [
  { name: 'path before token', given: { path: '/v1/device', token: null }, want: [404, 'route_not_found'] },
  {
    name: 'method before token',
    given: { method: 'PUT', path: '/v1/devices/support-pins', token: null },
    want: [405, 'method_not_allowed'],
  },
  { name: 'token before trial', given: { path: '/v1/devices', token: 'expired' }, want: [401, 'token_expired'] },
  { name: 'trial before scope', given: { path: '/v1/devices', token: 'lapsed-none' }, want: [402, 'trial_ended'] },
  {
    name: 'scope before size',
    given: { method: 'POST', path: '/v1/devices/a/algopin/daily', token: 'none', headers: json, body: huge },
    want: [403, 'insufficient_scope'],
  },
  {
    name: 'size before media type',
    given: {
      method: 'POST',
      path: '/v1/devices/a/algopin/daily',
      headers: { 'content-type': 'text/plain' },
      body: huge,
    },
    want: [413, 'too_large'],
  },
  {
    name: 'media type before validation',
    given: { method: 'PUT', path: '/v1/devices/%ZZ?x=1', headers: { 'content-type': 'text/plain' }, body: 'x' },
    want: [415, 'unsupported_media_type'],
  },
  { name: 'path before query', given: { path: '/v1/jobs/short?x=1' }, want: [422, 'invalid_object_id'] },
  {
    name: 'form before the scope that a body value asks for',
    given: {
      method: 'POST',
      path: '/v1/devices/a/jobs/bridges/b',
      token: 'only~lock-bridge-proxied-job',
      headers: json,
      body: { jobType: 'UNLOCK', jobData: '{"x":1}' },
    },
    want: [400, 'invalid_request'],
  },
  {
    name: 'form before the scope that a query value asks for',
    given: { path: '/v1/devices/a?admin_key=1&expand=x', token: 'only~get-devices' },
    want: [400, 'invalid_request'],
  },
];

async function callOn(side: Side, { method = 'GET', path, token = 'all', headers = {}, body }: Given) {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { method, headers: { ...headers, ...authorization }, ...(text === undefined ? {} : { body: text }) };
  const answer = await fetch(side.origin + path, init);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

describe.each(sideNames)('the %s:', (sideName) => {
  const call = (given: Given) => callOn(sides.find(sideName), given);

  describe('of two faults in one request the contract names the first:', () => {
    for (const { name, given, want } of pairs) {
      test(name, async () => {
        const { status, body } = await call(given);
        expect([status, body.code]).toEqual(want);
      });
    }

    test('path, query, headers and body each tell their own', async () => {
      const path = '/v1/devices/%ZZ/jobs?quick=1';
      const headers = { ...json, 'idempotency-key': ' '.repeat(3) };
      const { status, body } = await call({ method: 'POST', path, headers, body: '{' });
      expect([status, body.error]).toEqual([
        400,
        'bridgeId has a broken escape: % must be followed by two hexadecimal digits',
      ]);
      expect(body.details).toMatchObject([
        { in: 'path', at: 'bridgeId' },
        { in: 'query', at: 'quick' },
        { in: 'header', at: 'Idempotency-Key' },
        { in: 'body', at: '' },
      ]);
    });
  });

  test('the body before the requirements of its values: an unknown member and a bad jobData', async () => {
    const path = '/v1/devices/a/jobs/bridges/b';
    const send = (body: object) =>
      call({ method: 'POST', path, headers: json, body: { jobType: 'CREATE_PIN', ...body } });
    const [both, second] = [await send({ nothing: 1, jobData: '{"x":1}' }), await send({ jobData: '{"x":1}' })];
    expect([both.status, both.body]).toMatchObject([400, { code: 'invalid_request', details: [{ at: '/nothing' }] }]);
    expect([second.status, second.body]).toMatchObject([
      400,
      { details: [{ in: 'body', at: expect.stringMatching('^/jobData') }] },
    ]);
  });

  test('the rejection of an invalid key names a valid one', async () => {
    const headers = { ...json, 'idempotency-key': 'k 1' };
    const path = '/v1/devices/a/jobs/bridges/b';
    const { body } = await call({ method: 'POST', path, headers, body: { jobType: 'LOCK' } });
    expect(body).toMatchObject({
      error:
        'Idempotency-Key "k 1" does not have the right form: it must match ^[\\x21-\\x7e]{1,255}$, for example 5f0c7a52-checkin-1',
      details: [{ in: 'header', at: 'Idempotency-Key', nearest: ['5f0c7a52-checkin-1'] }],
    });
  });

  const challenges = [
    { name: 'no token', token: null, code: 'token_missing', want: 'Bearer realm="serviceapi"' },
    {
      name: 'a token that is none',
      token: 'x',
      code: 'token_invalid',
      want: 'Bearer realm="serviceapi", error="invalid_token"',
    },
    {
      name: 'an old token',
      token: 'expired',
      code: 'token_expired',
      want: 'Bearer realm="serviceapi", error="invalid_token"',
    },
    {
      name: 'a revoked token',
      token: 'revoked',
      code: 'token_revoked',
      want: 'Bearer realm="serviceapi", error="invalid_token"',
    },
    {
      name: 'a token without the scope',
      token: 'only~update-device',
      code: 'insufficient_scope',
      want: 'Bearer realm="serviceapi", error="insufficient_scope", scope="serviceapi/get-devices"',
    },
  ];

  describe('WWW-Authenticate', () => {
    for (const { name, token, code, want } of challenges) {
      test(`names the fix for ${name}`, async () => {
        const { headers, body } = await call({ path: '/v1/devices', token });
        expect([body.code, headers.get('www-authenticate')]).toEqual([code, want]);
      });
    }
  });

  const alternatives = [
    { name: 'the scope of its own', token: 'only~algopin-passage', want: 200 },
    {
      name: 'all four of the others',
      token: 'only~algopin-daily+algopin-hourly+algopin-onetime+algopin-permanent',
      want: 200,
    },
    { name: 'three of the others', token: 'only~algopin-daily+algopin-hourly+algopin-onetime', want: 403 },
    { name: 'none', token: 'none', want: 403 },
  ];

  describe('an operation with alternatives', () => {
    for (const { name, token, want } of alternatives) {
      test(`answers ${want} to a token with ${name}`, async () => {
        const path = '/v1/devices/a/algopin/passage';
        const { status, body } = await call({ method: 'POST', path, token, headers: json, body: { accessName: 'A' } });
        expect(status).toBe(want);
        if (want === 403)
          expect(body.message).toMatch(
            /^The token lacks the scope serviceapi\/algopin-passage or serviceapi\/algopin-/,
          );
      });
    }
  });
});

describe('in the sandbox', () => describeOrder({ startApp: startMockedApp, createListener: createMockedService }));
