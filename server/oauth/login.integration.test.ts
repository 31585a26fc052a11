import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClientMetadata } from './create-client-metadata.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { logIn, loginQuery, loginTokens, send } from './fixtures/talk.ts';
import { apiScopes } from './scopes.ts';

/** Clients that `client create` would reject: registered callbacks and requested callback. */
const rows = [
  ['plain-http', { redirect_uris: ['http://partner.example/cb'] }, 'http://partner.example/cb'],
  ['wildcard', { redirect_uris: ['https://*.partner.example/cb'] }, 'https://*.partner.example/cb'],
  ['filled-in', { redirect_uris: ['https://*.partner.example/cb'] }, 'https://any.partner.example/cb'],
  ['ownerless', { redirect_uris: [callback], response_types: [], grant_types: ['client_credentials'] }, callback],
] as const;

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
  for (const [clientId, metadata] of [...rows, ['usable', { redirect_uris: [callback] }]] as const) {
    await running.store.clients.create({
      clientId,
      metadata: JSON.stringify({ client_id: clientId, client_secret: 'x', ...metadata }),
    });
  }
});
afterAll(() => running.close());

const ask = (changes: Readonly<Record<string, string | undefined>>, headers = {}) =>
  send(running, `/login?${loginQuery(changes)}`, { headers });

/** The target of the answer: the path of the login page, or the query of the callback. */
async function askFor(changes: Readonly<Record<string, string | undefined>>): Promise<Record<string, string>> {
  const { status, headers, text } = await ask(changes);
  const location = headers.get('location') ?? '';
  expect(status, text).toBe(303);
  if (location.startsWith('/auth/interaction/')) return { page: 'login' };
  expect(location.startsWith(`${callback}?`), location).toBe(true);
  return Object.fromEntries(new URL(location).searchParams);
}

describe('redirect_uri is compared byte for byte', () => {
  test.each([
    undefined,
    '',
    `${callback}/`,
    `${callback}?`,
    `${callback}?a=b`,
    `${callback}#f`,
    'https://PARTNER.example/callback',
    'https://partner.example:443/callback',
    'https://partner.example/callbac%6b',
    'https://partner.example/x/../callback',
    'https://partner.example@evil.example/callback',
    'https://partner.example.evil.example/callback',
    'https://evil.example/callback',
    'http://partner.example/callback',
    '//partner.example/callback',
    'javascript:alert(1)',
  ])('%j is not followed', async (redirect_uri) => {
    const { status, body, headers } = await ask({ redirect_uri });
    expect([status, body?.error, headers.get('location')]).toEqual([400, 'invalid_request', null]);
  });

  test('another fault of the request does not change the code: it would be for the callback', async () => {
    const { status, body } = await ask({ redirect_uri: '', response_type: 'CODE', scope: 'unknown' });
    expect([status, body?.error]).toEqual([400, 'invalid_request']);
  });
});

describe('callbacks in rows edited by hand', () => {
  test('the other members of these rows are valid', async () => {
    expect(await askFor({ client_id: 'usable' })).toEqual({ page: 'login' });
  });

  test.each(rows)('%s is not usable', async (client_id, _, redirect_uri) => {
    const { status, headers } = await ask({ client_id, redirect_uri });
    expect([status, headers.get('location')]).toEqual([400, null]);
  });
});

describe('client_id', () => {
  test.each([undefined, '', 'nobody', "x' OR 1=1", 'x'.repeat(65), 'ä', '__proto__', 'test-partner\0'])(
    '%j is 400 invalid_client, without a redirect',
    async (client_id) => {
      const { status, body, headers } = await ask({ client_id });
      expect([status, body?.error, headers.get('location')]).toEqual([400, 'invalid_client', null]);
    },
  );

  test('a browser gets a page with the same error, without markup from the request', async () => {
    const { status, headers, text } = await ask(
      { client_id: '<script>', redirect_uri: '<b>' },
      { Accept: 'text/html' },
    );
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain('client_id is unknown');
    expect(text).not.toMatch(/<script>|<b>/);
  });
});

describe('parameters sent twice', () => {
  test.each(['redirect_uri', 'state', 'scope', 'client_id', 'response_type', 'nonce'])('%s', async (name) => {
    const query = loginQuery({ state: 'a', nonce: 'b' });
    query.append(name, query.get(name) ?? '');
    const { status, headers } = await send(running, `/login?${query}`);
    const location = headers.get('location');
    if (location === null) expect(status).toBe(400);
    else expect(new URL(location).searchParams.get('error')).toBe('invalid_request');
  });
});

describe('state', () => {
  test.each(['c3RhdGU', '123', '-1.5', 'true', 'null', 'ä€😀 +&=%', '{', '[a', '"', ' x ', '<script>'])(
    '%j is returned unchanged',
    async (state) => {
      expect(await askFor({ scope: 'nothing', state })).toMatchObject({
        error: 'invalid_scope',
        state,
        iss: running.issuer,
      });
      expect((await logIn(running, loginQuery({ state }))).answer.get('state')).toBe(state);
    },
  );

  test.each(['{"a":1}', '[]', '"text"', ' {}', '\n["a"]'])('%j is JSON text', async (state) => {
    expect(await askFor({ state })).toMatchObject({ error: 'invalid_request', state });
  });
});

describe('scope', () => {
  test.each([
    [undefined, 'invalid_request'],
    ['serviceapi/manage-webhooks', 'invalid_scope'],
    ['openid serviceapi/get-devices nothing', 'invalid_scope'],
    ['offline_access', 'invalid_scope'],
    ['a"b', 'invalid_scope'],
    ['x'.repeat(2001), 'invalid_request'],
  ])('%j is rejected at the callback', async (scope, error) => {
    expect(await askFor({ scope })).toMatchObject({ error, error_description: expect.stringMatching(/^.{1,1000}$/) });
  });

  test.each([
    ['', ['openid', 'profile', ...apiScopes]],
    ['openid', ['openid']],
    ['serviceapi/get-devices', ['openid', 'serviceapi/get-devices']],
    ['serviceapi/get-devices openid serviceapi/get-devices', ['openid', 'serviceapi/get-devices']],
  ])('%j grants', async (scope, want) => {
    const tokens = await loginTokens(running, loginQuery({ scope }));
    expect(tokens.scope.split(' ').sort()).toEqual([...want].sort());
    expect(decodeJwt(tokens.id_token)).toMatchObject({ iss: running.issuer, aud: 'test-partner', sub: owner.id });
  });

  test('a token of openid alone has no scope of the API, and is valid', async () => {
    const { access_token } = await loginTokens(running, loginQuery({ scope: 'openid' }));
    expect(await running.verify(access_token)).toMatchObject({
      kind: 'good',
      scopes: new Set(),
    });
  });

  test('nonce needs no openid of its own', async () => {
    const tokens = await loginTokens(running, loginQuery({ scope: 'serviceapi/get-devices', nonce: 'n-1' }));
    expect(decodeJwt(tokens.id_token).nonce).toBe('n-1');
  });
});

describe('response_type and response_mode', () => {
  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token token' }, 'unsupported_response_type'],
    [{ response_type: 'token', response_mode: 'query' }, 'unsupported_response_type'],
    [{ response_type: 'token', response_mode: 'fragment' }, 'unsupported_response_mode'],
    [{ response_type: 'token', prompt: 'none' }, 'unsupported_response_type'],
    [{ response_type: 'token', request: 'x' }, 'request_not_supported'],
    [{ response_type: 'token', nonce: undefined, scope: undefined }, 'unsupported_response_type'],
    [{ response_type: 'none' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'unsupported_response_mode'],
    [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
    [{ response_mode: 'web_message' }, 'unsupported_response_mode'],
    [{ response_mode: 'jwt' }, 'unsupported_response_mode'],
  ])('%j is rejected by query', async (changes, error) => {
    const answer = await send(running, `/login?${loginQuery({ ...changes, state: 's' })}`);
    const location = new URL(answer.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(callback);
    // No script reads a fragment here, and a server never gets one: the contract has the query alone.
    expect(location.hash).toBe('');
    const said = location.searchParams;
    expect([said.get('error'), said.get('state')]).toEqual([error, 's']);
  });

  test('query is the one there is', async () => {
    expect(await askFor({ response_mode: 'query' })).toEqual({ page: 'login' });
  });
});

describe('other parameters', () => {
  const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
  test.each([
    ['prompt', { prompt: 'none' }, 'login_required'],
    ['prompt', { prompt: 'select_account' }, 'invalid_request'],
    ['max_age', { max_age: '1e3' }, 'invalid_request'],
    ['max_age', { max_age: '-1' }, 'invalid_request'],
    ['max_age', { max_age: '2147483648' }, 'invalid_request'],
    ['nonce', { nonce: 'x'.repeat(256) }, 'invalid_request'],
    ['state', { state: 'x'.repeat(2049) }, 'invalid_request'],
    ['plain PKCE', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    [
      'a challenge of 44 characters',
      { code_challenge: `${challenge}A`, code_challenge_method: 'S256' },
      'invalid_request',
    ],
    [
      'a challenge of 42 characters',
      { code_challenge: challenge.slice(1), code_challenge_method: 'S256' },
      'invalid_request',
    ],
    [
      'a challenge with a dot',
      { code_challenge: `.${challenge.slice(1)}`, code_challenge_method: 'S256' },
      'invalid_request',
    ],
    ['login_hint', { login_hint: 'x'.repeat(256) }, 'invalid_request'],
    ['prompt', { prompt: 'consent '.repeat(13).trim() }, 'invalid_request'],
    ['ui_locales', { ui_locales: 'x'.repeat(101) }, 'invalid_request'],
    ['PKCE without method', { code_challenge: challenge }, 'invalid_request'],
    ['request', { request: 'x' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://x.example' }, 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['resource', { resource: 'https://other.example' }, 'invalid_target'],
  ])('%s that breaks its rule is rejected at the callback: %j', async (_, changes, error) => {
    expect(await askFor(changes)).toMatchObject({ error });
  });

  test.each([
    { max_age: '3600' },
    { max_age: '0' },
    { prompt: 'login' },
    { prompt: 'consent' },
    { prompt: 'login consent' },
    { login_hint: 'owner@harbour.example', ui_locales: 'de en' },
    { code_challenge: challenge, code_challenge_method: 'S256' },
  ])('%j leads to the login page', async (changes) => {
    expect(await askFor(changes)).toEqual({ page: 'login' });
  });
});

describe("a callback on the caller's own machine", () => {
  const loopback = 'http://127.0.0.1:3000/callback';
  const query = loginQuery({ client_id: 'test-app', redirect_uri: loopback });

  async function start(loopbackCallbacks: readonly string[]): Promise<RunningAuth> {
    const auth = await startAuth({ loopbackCallbacks });
    const app = { kind: 'partner', clientId: 'test-app', name: 'App', redirectUris: [callback] } as const;
    await auth.store.clients.create(createClientMetadata({ ...app, loopbackCallbacks: [loopback] }));
    return auth;
  }

  test('is accepted by a server that allows it', async () => {
    const auth = await start([loopback]);
    const { answer } = await logIn(auth, query);
    expect(answer.get('code')).toMatch(/./);
    await auth.close();
  });

  test.each([[[]], [['http://127.0.0.1:3000/other']]])('is rejected by a server that allows %j', async (told) => {
    const auth = await start(told);
    const { status, headers } = await send(auth, `/login?${query}`);
    expect([status, headers.get('location')]).toEqual([400, null]);
    await auth.close();
  });
});
