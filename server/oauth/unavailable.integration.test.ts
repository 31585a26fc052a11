import { afterEach, describe, expect, it } from 'vitest';
import { type Store, StoreUnavailable } from '../store/store.ts';
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
    mend: () => {
      isOn = false;
    },
  };
}

describe('58 a store that is busy', () => {
  it.each(['oidc', 'clients', 'accounts'] as const)(
    '58 %s: 503 with Retry-After, and the same refresh token is good afterwards',
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
      expect(answer.headers.get('x-request-id')).not.toBeNull();
      test.mend();
      expect((await post(test.running, '/oauth2/token', fields, basic(test.running.partner))).status).toBe(200);
    },
  );

  it('58 the login answers 503 too, without telling the callback', async () => {
    const test = await start(['oidc'], () => new StoreUnavailable('database is locked'));
    test.break();
    const answer = await send(test.running, `/login?${loginQuery()}`);
    expect([answer.status, answer.headers.get('location'), answer.headers.get('retry-after')]).toEqual([
      503,
      null,
      '1',
    ]);
    test.mend();
    expect((await logIn(test.running)).answer.get('code')).not.toBeNull();
  });

  it('58 a session that cannot be saved ends the login, also where upstream has no handler', async () => {
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

  it('58 an own-account token needs the account', async () => {
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

describe('53 a store that is broken', () => {
  it.each([
    ['POST', '/oauth2/token'],
    ['POST', '/oauth2/revoke'],
    ['GET', `/login?${loginQuery()}`],
  ])('53 %s %s: 500, logged with its cause, nothing of it sent', async (method, path) => {
    const test = await start(['oidc', 'clients'], () => new Error('SQLITE_CORRUPT at /var/data.db'));
    test.break();
    const body =
      method === 'POST' ? { body: new URLSearchParams({ grant_type: 'client_credentials', token: 'x' }) } : {};
    const answer = await send(test.running, path, { method, headers: basic(test.running.own), ...body });
    const { error, error_description: description } = answer.body ?? {};
    const said = answer.status === 303 ? answer.headers.get('location') : `${error} ${description}`;
    expect(answer.status === 500 || answer.status === 303).toBe(true);
    expect(said).toContain('server_error');
    expect(answer.text + said).not.toMatch(/SQLITE|var|oops/);
    const logged = test.running.log.find(({ level }) => level === 'error');
    expect(logged?.fields).toMatchObject({
      requestId: answer.headers.get('x-request-id'),
      err: expect.objectContaining({ message: expect.stringContaining('SQLITE_CORRUPT') }),
    });
  });
});

describe('25 the account of a client', () => {
  const disabled = (store: Store): Store => ({
    ...store,
    accounts: {
      ...store.accounts,
      find: async (id) => {
        const account = await store.accounts.find(id);
        return account && { ...account, disabledAt: state.isDisabled ? 1 : null };
      },
    },
  });
  const state = { isDisabled: false };

  it('25 a disabled one gets no token and no refresh', async () => {
    state.isDisabled = false;
    running = await startAuth({ faultyStore: disabled });
    const { refresh_token } = await loginTokens(running);
    state.isDisabled = true;
    const own = await post(running, '/oauth2/token', { grant_type: 'client_credentials' }, basic(running.own));
    expect([own.status, own.body?.error]).toEqual([401, 'invalid_client']);
    const refresh = await post(
      running,
      '/oauth2/token',
      { grant_type: 'refresh_token', refresh_token },
      basic(running.partner),
    );
    expect([refresh.status, refresh.body?.error]).toEqual([400, 'invalid_grant']);
  });
});
