import { generateKeys } from '@lockstep/server/key-file';
import type { Keys } from '@lockstep/server/keys';
import { createToken, hostileTokens, type TokenMaker } from '@lockstep/server/oauth/fixtures/hostile-tokens';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { getToken } from '../fixtures/get-token.ts';
import { type StartedSandbox, startSandbox } from './start-sandbox.ts';

let keys: Keys;
let mock: StartedSandbox;

beforeAll(async () => {
  keys = await createTestKeys();
  mock = await startSandbox({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
});
afterAll(() => mock.close());

/** Asks for the list of devices. */
async function ask(token: string, { origin } = mock) {
  const answer = await fetch(`${origin}/v1/devices`, { headers: { authorization: `Bearer ${token}` } });
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), code };
}

describe('a token that is not good', () => {
  const makerFor = (origin: string): TokenMaker => ({
    issuer: `${origin}/auth`,
    audience: `${origin}/v1`,
    key: keys.jwks.keys[0] ?? {},
    otherKey: other.jwks.keys[0] ?? {},
    nowSeconds: Math.floor(Date.now() / 1000),
  });
  const challenge = 'Bearer realm="serviceapi", error="invalid_token"';
  let other: Keys;
  beforeAll(async () => {
    other = await generateKeys();
  });

  test('is 401 token_invalid, whatever is wrong with it', async () => {
    // Beyond 16 KiB it is too large for a header: Node answers 431.
    const tokens = hostileTokens(makerFor(mock.origin)).filter(([, token]) => token.length < 16_000);
    const answers = await Promise.all(tokens.map(async ([name, token]) => ({ name, ...(await ask(token)) })));
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
      expect(await ask(token)).toEqual({ status: 401, code, challenge });
    });
  }

  test('of another mock with the same keys is none here', async () => {
    const second = await startSandbox({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    const token = await getToken(second, 'demo-own').finally(() => second.close());
    expect(await ask(token)).toEqual({ status: 401, code: 'token_invalid', challenge });
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
      return startSandbox({ keys, port: at, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    };
    const first = await startAt(second);
    const token = await getToken(first, 'demo-own').finally(() => first.close());
    const askAt = async (time: number) => {
      const started = await startAt(time, Number(new URL(first.origin).port));
      const { status, code } = await ask(token, started).finally(() => started.close());
      return [status, code];
    };
    expect(await askAt(second + 999)).toEqual([200, undefined]);
    expect(await askAt(second + 1000)).toEqual([401, 'token_revoked']);
  });
});

test('a token of one second has ended with the whole second in which it was issued', async () => {
  const second = Math.floor(Date.now() / 1000) * 1000;
  vi.useFakeTimers({ toFake: ['Date'], now: second + 900 });
  try {
    mock.sandbox.tokens.setLifetime(1);
    const token = await getToken(mock, 'demo-own');
    const codeAt = async (time: number) => {
      vi.setSystemTime(time);
      return (await ask(token)).code;
    };
    expect([await codeAt(second + 999), await codeAt(second + 1000)]).toEqual([undefined, 'token_expired']);
  } finally {
    vi.useRealTimers();
    mock.sandbox.tokens.setLifetime(null);
  }
});

describe('the keys', () => {
  test('give the same secrets and passwords at every start', async () => {
    const second = await startSandbox({ keys, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }) });
    await second.close();
    expect(second.clients).toEqual(mock.clients);
    expect(second.owners).toEqual(mock.owners);
    expect(mock.owners).not.toEqual([]);
  });
});
