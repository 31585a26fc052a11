import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations as table } from '@lockstep/contract/operations';
import { readValueRules } from '@lockstep/runtime/form/by-value';
import type { Keys } from '@lockstep/server/keys';
import { createToken, hostileTokens, type TokenMaker } from '@lockstep/server/oauth/fixtures/hostile-tokens';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import { apiScopes } from '@lockstep/server/oauth/scopes';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { getToken } from './fixtures/get-token.ts';
import { sampleRequest } from './sample-request.ts';
import { type DemoMock, startDemoMock } from './start-demo-mock.ts';

const operations: readonly Operation[] = Object.values<Operation>(table).filter(({ basePath }) => basePath === '/v1');
let keys: Keys;
let mock: DemoMock;

beforeAll(async () => {
  keys = await createTestKeys();
  mock = await startDemoMock({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
});
afterAll(() => mock.close());

interface Change {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(operation: Operation, token: string, { query = '', body: sent, headers: more }: Change = {}) {
  const { method, target, headers, body } = sampleRequest(contract, operation, token);
  const text = sent === undefined ? body : JSON.stringify(sent);
  const init = { method, headers: { ...headers, ...more }, ...(text === undefined ? {} : { body: text }) };
  const answer = await fetch(mock.origin + target + query, init);
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    body: JSON.parse(await answer.text()),
  };
}

const callWith = async (operation: Operation, scopes: readonly string[], change?: Change) =>
  call(operation, await getToken(mock, 'demo-own', scopes), change);

/** Scopes that the values of an operation's own sample ask for. */
const sampleScopes: Readonly<Record<string, readonly string[]>> = {
  createBridgeProxiedJob: valueCase(table.createBridgeProxiedJob, sampleJobType()).scopes,
};

function sampleJobType(): string {
  return String(JSON.parse(sampleRequest(contract, table.createBridgeProxiedJob).body ?? '').jobType);
}

function valueCase(operation: Operation, value: string) {
  const found = readValueRules(operation)
    .flatMap(({ cases }) => cases)
    .find(({ values }) => values.includes(value));
  if (found === undefined) throw new Error(`${operation.operationId} has no case for ${value}`);
  return found;
}

describe('the scopes of an operation', () => {
  for (const operation of operations) {
    const { operationId, security } = operation;
    const alternatives = security.map((alternative) => Object.values(alternative).flat());

    for (const scopes of alternatives) {
      const needed = [...new Set([...scopes, ...(sampleScopes[operationId] ?? [])])];
      test(`${operationId} takes a token with ${needed.join(' ')} alone`, async () => {
        expect(await callWith(operation, needed)).toMatchObject({ status: 200 });
      });
    }

    test(`${operationId} refuses a token that lacks one of each alternative`, async () => {
      const lacking = alternatives.map(([first]) => first);
      const { status, body, challenge } = await callWith(
        operation,
        apiScopes.filter((scope) => !lacking.includes(scope)),
      );
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_scope' });
      expect(challenge).toMatch(/^Bearer realm="serviceapi", error="insufficient_scope", scope="serviceapi\/[a-z-]+"$/);
      expect(lacking).toContain(/scope="([^"]+)"/.exec(challenge ?? '')?.[1]);
    });
  }
});

describe('the scopes of a value', () => {
  const ofJob = '-bridge-proxied-job';
  const cases = [
    { jobType: 'LOCK', scope: `lock${ofJob}` },
    { jobType: '2', scope: `unlock${ofJob}` },
    { jobType: 9, scope: `get-battery-level${ofJob}` },
  ];
  for (const { jobType, scope } of cases) {
    test(`are asked for with jobType ${JSON.stringify(jobType)}`, async () => {
      const scopes = apiScopes.filter((known) => known !== `serviceapi/${scope}`);
      const change = { body: { jobType } };
      expect(await callWith(table.createBridgeProxiedJob, scopes, change)).toMatchObject({
        status: 403,
        body: { message: `The token lacks the scope serviceapi/${scope}`, code: 'insufficient_scope' },
        challenge: `Bearer realm="serviceapi", error="insufficient_scope", scope="serviceapi/${scope}"`,
      });
      expect(await callWith(table.createBridgeProxiedJob, [`serviceapi/${scope}`], change)).toMatchObject({
        status: 200,
      });
    });
  }

  test('are asked for with admin_key', async () => {
    const reading = ['serviceapi/get-devices'];
    expect(await callWith(table.getDevice, reading, { query: '?admin_key=0' })).toMatchObject({ status: 200 });
    expect(await callWith(table.getDevice, reading, { query: '?admin_key=1' })).toMatchObject({ status: 403 });
    const both = [...reading, 'serviceapi/create-ekey-access'];
    expect(await callWith(table.getDevice, both, { query: '?admin_key=1' })).toMatchObject({ status: 200 });
  });

  test('are asked for after the form', async () => {
    const change = { body: { jobType: 'LOCK', unknown: 1 } };
    const answer = await callWith(table.createBridgeProxiedJob, [`serviceapi/unlock${ofJob}`], change);
    expect(answer).toMatchObject({ status: 400 });
  });
});

describe('an account whose trial has ended', () => {
  test('gets a token, and 402 before its scopes are looked at', async () => {
    const lapsed = await getToken(mock, 'lapsed-own', ['serviceapi/get-devices']);
    for (const operation of [table.getDevices, table.updateDevice])
      expect(await call(operation, lapsed)).toMatchObject({ status: 402, body: { code: 'trial_ended' } });
  });
});

describe('a token that is not good', () => {
  const makerFor = (origin: string): TokenMaker => ({
    issuer: `${origin}/auth`,
    audience: `${origin}/v1`,
    key: keys.jwks.keys[0] ?? {},
    otherKey: other.jwks.keys[0] ?? {},
    nowSeconds: Math.floor(Date.now() / 1000),
  });
  let other: Keys;
  beforeAll(async () => {
    other = await createTestKeys();
  });

  test('is 401 token_invalid, whatever is wrong with it', async () => {
    // Beyond 16 KiB it is too large for a header: Node answers 431.
    const tokens = hostileTokens(makerFor(mock.origin)).filter(([, token]) => token.length < 16_000);
    const answers = await Promise.all(
      tokens.map(async ([name, token]) => {
        const { status, challenge, body } = await call(table.getDevices, token);
        return { name, status, challenge, code: body.code };
      }),
    );
    const challenge = 'Bearer realm="serviceapi", error="invalid_token"';
    expect(tokens.map(([name]) => name)).toEqual(expect.arrayContaining(['an ID token', 'alg none']));
    expect(answers).toEqual(tokens.map(([name]) => ({ name, status: 401, challenge, code: 'token_invalid' })));
  });

  const changes = [
    { name: 'that has ended', claims: (now: number) => ({ iat: now - 90, exp: now - 60 }), code: 'token_expired' },
    {
      name: 'of a client that is gone',
      claims: () => ({ gid: undefined, own: 'gone', sub: 'gone-own', client_id: 'gone-own' }),
      code: 'token_revoked',
    },
  ];
  for (const { name, claims, code } of changes) {
    test(`${name} is 401 ${code}`, async () => {
      const maker = makerFor(mock.origin);
      const token = createToken(maker).good(claims(maker.nowSeconds));
      expect(await call(table.getDevices, token)).toMatchObject({
        status: 401,
        body: { code },
        challenge: 'Bearer realm="serviceapi", error="invalid_token"',
      });
    });
  }

  test('of another mock with the same keys is none here', async () => {
    const second = await startDemoMock({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    const token = await getToken(second, 'demo-own').finally(() => second.close());
    expect(await call(table.getDevices, token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });
});

describe('a token of before a start, under the same keys and the same address', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is 401 token_revoked from the next second on, since what was revoked is forgotten', async () => {
    const second = Math.floor(Date.now() / 1000) * 1000;
    vi.useFakeTimers({ toFake: ['Date'] });
    const startAt = (time: number, at = 0) => {
      vi.setSystemTime(time);
      return startDemoMock({ keys, port: at, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    };
    const first = await startAt(second);
    const token = await getToken(first, 'demo-own').finally(() => first.close());
    const ask = async (time: number) => {
      const started = await startAt(time, Number(new URL(first.origin).port));
      const answer = await fetch(`${started.origin}/v1/devices`, { headers: { authorization: `Bearer ${token}` } });
      const { code } = (await answer.json()) as { code?: string };
      await started.close();
      return [answer.status, code];
    };
    expect(await ask(second + 999)).toEqual([200, undefined]);
    expect(await ask(second + 1000)).toEqual([401, 'token_revoked']);
  });
});

describe('the keys', () => {
  test('give the same secrets and passwords at every start', async () => {
    const second = await startDemoMock({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    await second.close();
    expect(second.clients).toEqual(mock.clients);
    expect(second.owners).toEqual(mock.owners);
    expect(mock.owners).toHaveLength(3);
  });
});
