import { operations } from '@lockstep/contract/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractFaults, responseFaults } from './fixtures/contract-faults.ts';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { type Answer, basic, logIn, loginQuery, loginTokens, post, send } from './fixtures/talk.ts';

const running: Partial<Record<'plain' | 'express', RunningAuth>> = {};
beforeAll(async () => {
  running.plain = await startAuth();
  running.express = await startAuth({ mount: 'express', keys: running.plain.keys });
});
afterAll(async () => {
  for (const one of Object.values(running)) await one.close();
});

type Id = keyof typeof operations;
const token = (fields: Record<string, string>) => (auth: RunningAuth) =>
  post(auth, '/oauth2/token', fields, basic(auth.partner));
const login =
  (query: URLSearchParams, accept = 'application/json') =>
  (auth: RunningAuth) =>
    send(auth, `/login?${query}`, { headers: { Accept: accept } });

const cases: readonly { id: Id; name: string; ask: (auth: RunningAuth) => Promise<Answer>; want: [number, string?] }[] =
  [
    {
      id: 'getOpenIdConfiguration',
      name: 'the configuration',
      ask: (auth) => send(auth, '/.well-known/openid-configuration'),
      want: [200],
    },
    { id: 'getJwks', name: 'the keys', ask: (auth) => send(auth, '/.well-known/jwks.json'), want: [200] },
    {
      id: 'exchangeToken',
      name: 'own account',
      ask: (auth) => post(auth, '/oauth2/token', { grant_type: 'client_credentials' }, basic(auth.own)),
      want: [200],
    },
    { id: 'exchangeToken', name: 'a code', ask: exchange, want: [200] },
    { id: 'exchangeToken', name: 'a refresh', ask: refresh, want: [200] },
    { id: 'exchangeToken', name: 'no grant', ask: token({}), want: [400, 'invalid_request'] },
    {
      id: 'exchangeToken',
      name: 'a bad code',
      ask: token({ grant_type: 'authorization_code', code: 'x', redirect_uri: callback }),
      want: [400, 'invalid_grant'],
    },
    {
      id: 'exchangeToken',
      name: 'a bad scope',
      ask: (auth) => post(auth, '/oauth2/token', { grant_type: 'client_credentials', scope: 'x' }, basic(auth.own)),
      want: [400, 'invalid_scope'],
    },
    {
      id: 'exchangeToken',
      name: 'an unknown grant',
      ask: token({ grant_type: 'password' }),
      want: [400, 'unsupported_grant_type'],
    },
    {
      id: 'exchangeToken',
      name: 'a grant of others',
      ask: token({ grant_type: 'client_credentials' }),
      want: [400, 'unauthorized_client'],
    },
    {
      id: 'exchangeToken',
      name: 'a bad resource',
      ask: (auth) =>
        post(
          auth,
          '/oauth2/token',
          { grant_type: 'client_credentials', resource: 'https://x.example' },
          basic(auth.own),
        ),
      want: [400, 'invalid_target'],
    },
    {
      id: 'exchangeToken',
      name: 'a bad secret',
      ask: (auth) => post(auth, '/oauth2/token', {}, basic({ clientId: 'test-own', secret: 'x' })),
      want: [401, 'invalid_client'],
    },
    {
      id: 'exchangeToken',
      name: 'no secret',
      ask: (auth) => post(auth, '/oauth2/token', { client_id: 'test-own' }),
      want: [401, 'invalid_client'],
    },
    {
      id: 'exchangeToken',
      name: 'a rejection to a browser',
      ask: (auth) => post(auth, '/oauth2/token', {}, { ...basic(auth.own), Accept: 'text/html' }),
      want: [400, 'invalid_request'],
    },
    {
      id: 'revokeToken',
      name: 'an unknown token',
      ask: (auth) => post(auth, '/oauth2/revoke', { token: 'x' }, basic(auth.own)),
      want: [200],
    },
    {
      id: 'revokeToken',
      name: 'no token',
      ask: (auth) => post(auth, '/oauth2/revoke', {}, basic(auth.own)),
      want: [400, 'invalid_request'],
    },
    {
      id: 'revokeToken',
      name: 'an access token',
      ask: async (auth) =>
        post(auth, '/oauth2/revoke', { token: (await loginTokens(auth)).access_token }, basic(auth.own)),
      want: [400, 'unsupported_token_type'],
    },
    {
      id: 'revokeToken',
      name: 'no credentials',
      ask: (auth) => post(auth, '/oauth2/revoke', { client_id: 'test-own', token: 'x' }),
      want: [401, 'invalid_client'],
    },
    { id: 'login', name: 'a redirect to the page', ask: login(loginQuery()), want: [303] },
    { id: 'login', name: 'back with an error', ask: login(loginQuery({ scope: 'x' })), want: [303] },
    {
      id: 'login',
      name: 'an unknown client',
      ask: login(loginQuery({ client_id: 'x' })),
      want: [400, 'invalid_client'],
    },
    {
      id: 'login',
      name: 'an unknown callback',
      ask: login(loginQuery({ redirect_uri: 'https://x.example' })),
      want: [400, 'invalid_request'],
    },
    {
      id: 'login',
      name: 'an unknown client in a browser',
      ask: login(loginQuery({ client_id: 'x' }), 'text/html'),
      want: [400],
    },
  ];

describe.each(['plain', 'express'] as const)('mounted %s, real answers match the contract', (mount) => {
  test.each(cases)('$id: $name', async ({ id, ask, want }) => {
    const auth = running[mount];
    if (auth === undefined) throw new Error('not started');
    const answer = await ask(auth);
    expect([answer.status, answer.body?.error]).toEqual([want[0], want[1]]);
    expect(contractFaults(operations[id].pointer, answer)).toEqual([]);
  });

  test.each([
    ['404', '/nothing', 'GET'],
    ['405', '/oauth2/token', 'GET'],
    ['405', '/login', 'POST'],
  ])('%s of %s', async (status, path, method) => {
    const auth = running[mount];
    if (auth === undefined) throw new Error('not started');
    const answer = await send(auth, path, { method });
    expect(answer.status).toBe(Number(status));
    expect(responseFaults(`#/x-unrouted/${status}`, answer)).toEqual([]);
  });
});

async function exchange(auth: RunningAuth): Promise<Answer> {
  const { answer } = await logIn(auth);
  const fields = { grant_type: 'authorization_code', code: answer.get('code') ?? '', redirect_uri: callback };
  return post(auth, '/oauth2/token', fields, basic(auth.partner));
}

async function refresh(auth: RunningAuth): Promise<Answer> {
  const { refresh_token } = await loginTokens(auth);
  return post(auth, '/oauth2/token', { grant_type: 'refresh_token', refresh_token }, basic(auth.partner));
}
