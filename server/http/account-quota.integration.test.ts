import { Agent, request } from 'node:http';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reject } from '../error-catalogue.ts';
import { StoreUnavailable } from '../store/store.ts';
import { type CountRequest, createMemoryQuota } from './account-quota.ts';
import { type RunningApp, startApp, testNow } from './fixtures/start-app.ts';
import type { VerifyToken } from './token-scheme.ts';

// Every answer is validated against the contract before it is sent: an undeclared header would cause a 500.

const json = { 'content-type': 'application/json' };
const allScopes = Object.keys(contract.components.securitySchemes.oauth2.flows.clientCredentials.scopes);

/** A token is an account, a client and a list of scopes; the account `trial` is on trial. */
const verifyToken: VerifyToken = async (token) => {
  const [, accountId, clientId, scopes] = /^(\w+)\/([\w-]+)\/(.*)$/.exec(token) ?? [];
  if (accountId === undefined || clientId === undefined || scopes === undefined)
    return { kind: 'bad', reason: 'invalid' };
  const granted = scopes === 'all' ? allScopes : scopes.split('+').map((scope) => `serviceapi/${scope}`);
  const trialEndsAt = { trial: testNow + 86_400_000, lapsed: testNow }[accountId] ?? null;
  return { kind: 'good', principal: { accountId, clientId, trialEndsAt }, scopes: new Set(granted) };
};

let app: RunningApp;
let now = testNow;
let countRequest: CountRequest;
const clock = { now: () => now };

beforeAll(async () => {
  app = await startApp({
    verifyToken,
    clock,
    countRequest: (principal) => countRequest(principal),
    handlers: {
      updateDevice: () => ({ status: 200, body: { message: 'device updated' } }),
      getDevice: ({ path: { deviceId } }) => {
        if (deviceId === 'broken') throw new Error('a bug');
        if (deviceId === 'busy') throw new StoreUnavailable('busy');
        return reject(deviceId === 'homeless' ? 'no_timezone' : 'device_not_found');
      },
      createDailyAlgoPin: () => reject('algopin_not_supported'),
      createBridgeTargetedJob: ({ path: { bridgeId } }) =>
        bridgeId === 'often' ? reject('bridge_rate', { headers: { 'Retry-After': 9 } }) : reject('bridge_offline'),
    },
  });
});
afterAll(() => app.close());

/** An unused quota at the time of the tests. */
function begin(limit: number): void {
  now = testNow;
  countRequest = createMemoryQuota(limit, clock);
}

interface Given {
  readonly method?: string;
  readonly path?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const put = { method: 'PUT', headers: json, body: '{"batteryLevel":5}' };

async function call({ method = 'GET', path = '/devices/a', as = 'acme/own/all', headers = {}, body }: Given = {}) {
  const init = {
    method,
    headers: { ...headers, authorization: `Bearer ${as}` },
    ...(body === undefined ? {} : { body }),
  };
  const answer = await fetch(`${app.origin}/v1${path}`, init);
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>,
    left: /^"account";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1],
  };
}

describe('the quota of an account and client', () => {
  test('accepts exactly that many requests, also from many connections at once, and sends the time of the next', async () => {
    const [limit, connections, requestsEach] = [50, 20, 10];
    begin(limit);
    const sockets = new Set<unknown>();
    const runs = Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const burst = Array.from({ length: requestsEach }, () => ask(agent, sockets));
      const answers = await Promise.all(burst);
      agent.destroy();
      return answers;
    });
    const answers = (await Promise.all(runs)).flat();
    expect(sockets.size).toBe(connections);
    const taken = answers.filter(({ status }) => status === 404);
    expect(taken).toHaveLength(limit);
    // The answer to each accepted request has another remaining quota.
    expect(new Set(taken.map(({ rest }) => rest)).size).toBe(limit);
    const rejected = answers.filter(({ status }) => status === 429);
    expect(rejected).toHaveLength(connections * requestsEach - limit);
    expect(new Set(rejected.map(({ rest }) => rest))).toEqual(new Set(['"account";r=0;t=3600']));
  });

  test('is honest: a second before Retry-After it rejects, and then it takes what has become an hour old', async () => {
    begin(2);
    await call();
    now += 1_234_567;
    await call();
    const rejected = await call();
    expect([rejected.status, rejected.body]).toEqual([
      429,
      {
        code: 'account_quota',
        error: 'The request quota is used up, try again in 2366 seconds',
        requestId: rejected.headers.get('x-request-id'),
      },
    ]);
    expect(rejected.headers.get('retry-after')).toBe('2366');
    expect(rejected.headers.get('ratelimit')).toBe('"account";r=0;t=2366');
    now += 2_365_000;
    expect(await call()).toMatchObject({ status: 429 });
    now += 1000;
    const next = await call();
    expect(next).toMatchObject({ status: 404, left: '0' });
    expect(next.headers.get('ratelimit')).toBe('"account";r=0;t=1234');
    expect(await call()).toMatchObject({ status: 429 });
  });

  test('holds for any hour, and though the clock goes back', async () => {
    begin(10);
    await call();
    now += 3_599_900;
    for (let made = 1; made < 10; made += 1) expect((await call()).status).toBe(404);
    now += 100;
    expect(await call()).toMatchObject({ status: 404, left: '0' });
    for (const step of [0, -1, -86_400_000]) {
      now += step;
      const rejected = await call();
      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(3600);
    }
  });

  test('is not that of another client, nor of the same client for another account', async () => {
    begin(1);
    for (const as of ['acme/own/all', 'acme/partner/all', 'other/partner/all']) {
      expect(await call({ as })).toMatchObject({ status: 404, left: '0' });
      expect(await call({ as })).toMatchObject({ status: 429 });
    }
  });

  const counted = [
    { name: 'a form error', given: { path: '/devices?limit=0' }, status: 400 },
    { name: 'a body that is too large', given: { ...put, body: 'x'.repeat(70_000) }, status: 413 },
    { name: 'a body of another type', given: { ...put, headers: { 'content-type': 'text/plain' } }, status: 415 },
    {
      name: 'a scope that a value lacks',
      given: { path: '/devices/a?admin_key=1', as: 'acme/own/get-devices' },
      status: 403,
    },
    { name: 'HEAD', given: { method: 'HEAD' }, status: 404 },
    { name: 'an object that is not there', given: {}, status: 404 },
  ];
  test.each(counted)('counts $name', async ({ given, status }) => {
    begin(10);
    expect(await call(given)).toMatchObject({ status, left: '9' });
    expect((await call()).left).toBe('8');
  });

  const uncounted = [
    { name: 'an unknown path', given: { path: '/device' }, status: 404 },
    { name: 'a method that is not there', given: { method: 'DELETE' }, status: 405 },
    { name: 'OPTIONS', given: { method: 'OPTIONS' }, status: 204 },
    { name: 'a token that is none', given: { as: 'x' }, status: 401 },
    { name: 'a trial that has ended', given: { as: 'lapsed/own/all' }, status: 402 },
    { name: 'a scope of the operation that is missing', given: { as: 'acme/own/update-device' }, status: 403 },
  ];
  test.each(uncounted)('does not count $name, nor tell it of the quota', async ({ given, status }) => {
    begin(10);
    const { headers, ...answer } = await call(given);
    expect(answer).toMatchObject({ status, left: undefined });
    expect(headers.get('ratelimit-policy')).toBeNull();
    expect((await call()).left).toBe('9');
  });
});

describe('of two faults in one request, with the quota used up, the contract names the first:', () => {
  const pairs = [
    { name: 'scope before quota', given: { ...put, as: 'acme/own/get-devices' }, want: [403, 'insufficient_scope'] },
    { name: 'trial before quota', given: { as: 'lapsed/own/all' }, want: [402, 'trial_ended'] },
    { name: 'quota before size', given: { ...put, body: 'x'.repeat(70_000) }, want: [429, 'account_quota'] },
    {
      name: 'quota before media type',
      given: { ...put, headers: { 'content-type': 'text/plain' } },
      want: [429, 'account_quota'],
    },
    { name: 'quota before form', given: { path: '/devices?limit=0' }, want: [429, 'account_quota'] },
  ];
  test.each(pairs)('$name', async ({ given, want }) => {
    begin(1);
    for (const as of ['acme/own/all', 'lapsed/own/all']) await call({ as });
    const { status, body } = await call(given);
    expect([status, body.code]).toEqual(want);
  });

  test('quota before a body has come', async () => {
    begin(1);
    await call();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const headers = { ...json, authorization: 'Bearer acme/own/all', 'content-length': 100 };
    const asked = request(`${app.origin}/v1/devices/a`, { method: 'PUT', headers }, (answer) => {
      resolve(answer.statusCode);
      answer.resume();
    });
    asked.flushHeaders();
    expect(await promise).toBe(429);
    asked.on('error', () => undefined).destroy();
  });
});

describe('RateLimit and Trial-Ends-At', () => {
  const job = { method: 'POST', headers: json, body: '{"jobType":"GET_DEVICE_STATUS"}' };
  const answers = [
    { status: 200, given: put },
    { status: 400, given: { path: '/devices?limit=0' } },
    { status: 403, given: { path: '/devices/a?admin_key=1', as: 'trial/own/get-devices' } },
    { status: 404, given: {} },
    { status: 406, given: { ...job, path: '/devices/b/jobs' } },
    { status: 409, given: { path: '/devices/homeless' } },
    { status: 413, given: { ...put, body: 'x'.repeat(70_000) } },
    { status: 415, given: { ...put, headers: { 'content-type': 'text/plain' } } },
    { status: 418, given: { ...put, method: 'POST', path: '/devices/a/algopin/daily', body: '{"accessName":"A"}' } },
    { status: 422, given: { path: '/jobs/short' } },
    { status: 429, given: { ...job, path: '/devices/often/jobs' } },
    { status: 500, given: { path: '/devices/broken' } },
    { status: 503, given: { path: '/devices/busy' } },
  ];
  test.each(answers)('are sent with $status', async ({ given, status }) => {
    begin(3600);
    const answer = await call({ as: 'trial/own/all', ...given });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'ratelimit-policy': '"account";q=3600;w=3600',
      ratelimit: '"account";r=3599;t=3600',
      'trial-ends-at': new Date(testNow + 86_400_000).toISOString(),
    });
    expect(app.logged.filter(({ msg }) => msg === 'the answer breaks the contract')).toEqual([]);
  });

  test('are sent with the 429 of the quota itself', async () => {
    begin(1);
    await call({ as: 'trial/own/all' });
    const { status, headers } = await call({ as: 'trial/own/all' });
    expect([status, headers.get('ratelimit'), headers.has('trial-ends-at')]).toEqual([
      429,
      '"account";r=0;t=3600',
      true,
    ]);
  });

  test.each([
    { name: 'whose trial has ended', as: 'lapsed/own/all' },
    { name: 'who has subscribed', as: 'acme/own/all' },
    { name: 'who is nobody', as: 'x' },
  ])('tell of no trial to one $name', async ({ as }) => {
    begin(1);
    expect((await call({ as })).headers.get('trial-ends-at')).toBeNull();
  });
});

function ask(agent: Agent, sockets: Set<unknown>): Promise<{ status: number | undefined; rest: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; rest: unknown }>();
  const headers = { authorization: 'Bearer acme/own/all' };
  const asked = request(`${app.origin}/v1/devices/a`, { agent, headers }, (answer) => {
    answer.resume();
    answer.on('end', () => resolve({ status: answer.statusCode, rest: answer.headers.ratelimit }));
  });
  asked.on('socket', (socket) => sockets.add(socket)).on('error', reject);
  asked.end();
  return promise;
}
