import { operations } from '@lockstep/contract/operations';
import { afterEach, describe, expect, test } from 'vitest';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { contractFaults } from './fixtures/contract-faults.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, logIn, loginQuery, loginTokens, post, send } from './fixtures/talk.ts';

/** Every method of a part of the store fails once the switch is on. */
function failing<Part extends object>(part: Part, isOn: () => boolean, error: () => Error): Part {
  return new Proxy(part, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      return typeof method !== 'function'
        ? method
        : (...given: unknown[]) => (isOn() ? Promise.reject(error()) : method.apply(target, given));
    },
  });
}

let running: RunningAuth | undefined;
afterEach(() => running?.close());

async function start(parts: readonly (keyof Store & ('oidc' | 'clients' | 'accounts'))[], error: () => Error) {
  let isOn = false;
  running = await startAuth({
    faultyStore: (store) => ({
      ...store,
      ...Object.fromEntries(parts.map((part) => [part, failing(store[part], () => isOn, error)])),
    }),
  });
  return {
    running,
    break: () => {
      isOn = true;
    },
    fix: () => {
      isOn = false;
    },
  };
}

describe('a store that is busy', () => {
  test.each(['oidc', 'clients', 'accounts'] as const)(
    '%s: 503 with Retry-After, and the same refresh token is valid afterwards',
    async (part) => {
      const test = await start([part], () => new StoreUnavailable('database is locked'));
      const { refresh_token } = await loginTokens(test.running);
      const fields = { grant_type: 'refresh_token', refresh_token };
      test.break();
      const answer = await post(test.running, '/oauth2/token', fields, basic(test.running.partner));
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual([
        503,
        '1',
        'no-store',
      ]);
      expect(answer.body).toEqual({ error: 'server_error', error_description: 'Busy, try again in 1 second' });
      expect(contractFaults(operations.exchangeToken.pointer, answer)).toEqual([]);
      expect(answer.headers.get('x-request-id')).not.toBeNull();
      test.fix();
      expect((await post(test.running, '/oauth2/token', fields, basic(test.running.partner))).status).toBe(200);
    },
  );

  test.each(['application/json', 'text/html'])(
    'the login answers 503 too, as %s, without a redirect to the callback',
    async (accept) => {
      const test = await start(['oidc'], () => new StoreUnavailable('database is locked'));
      test.break();
      const answer = await send(test.running, `/login?${loginQuery()}`, { headers: { Accept: accept } });
      expect(contractFaults(operations.login.pointer, answer)).toEqual([]);
      expect([answer.status, answer.headers.get('location'), answer.headers.get('retry-after')]).toEqual([
        503,
        null,
        '1',
      ]);
      test.fix();
      expect((await logIn(test.running)).answer.get('code')).not.toBeNull();
    },
  );

  test('a revocation answers 503 too, and the token stays valid until it is revoked', async () => {
    const test = await start(['oidc'], () => new StoreUnavailable('database is locked'));
    const { refresh_token: token } = await loginTokens(test.running);
    const revoke = () => post(test.running, '/oauth2/revoke', { token }, basic(test.running.partner));
    const refresh = () => {
      const fields = { grant_type: 'refresh_token', refresh_token: token };
      return post(test.running, '/oauth2/token', fields, basic(test.running.partner));
    };
    test.break();
    const answer = await revoke();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(contractFaults(operations.revokeToken.pointer, answer)).toEqual([]);
    test.fix();
    expect((await refresh()).status).toBe(200);
    expect((await revoke()).status).toBe(200);
    expect((await refresh()).status).toBe(400);
  });

  test('a session that cannot be saved fails the login, also if upstream has no handler', async () => {
    running = await startAuth({
      faultyStore: ({ oidc, ...store }) => ({
        ...store,
        oidc: {
          ...oidc,
          put: (artifact) =>
            artifact.model === 'Session'
              ? Promise.reject(new StoreUnavailable('database is locked'))
              : oidc.put(artifact),
        },
      }),
    });
    await expect(logIn(running)).rejects.toThrow(/^answered 503 at .*<h1>Busy at the moment<\/h1>/s);
  });

  test('an own-account token needs the account', async () => {
    const test = await start(['accounts'], () => new StoreUnavailable('database is locked'));
    test.break();
    const answer = await post(
      test.running,
      '/oauth2/token',
      { grant_type: 'client_credentials' },
      basic(test.running.own),
    );
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
