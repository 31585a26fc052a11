import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountId, callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, post } from './fixtures/talk.ts';
import { hashSecret } from './hash-secret.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const own = () => basic(running.own);
const clientCredentials = { grant_type: 'client_credentials' };

describe('client authentication', () => {
  const cases: readonly {
    name: string;
    headers: () => Record<string, string>;
    fields?: Record<string, string>;
    want: [number, string];
  }[] = [
    {
      name: 'wrong secret',
      headers: () => basic({ clientId: 'test-own', secret: 'wrong' }),
      want: [401, 'invalid_client'],
    },
    {
      name: 'the hash of the secret',
      headers: () => basic({ clientId: 'test-own', secret: kept('test-own') }),
      want: [401, 'invalid_client'],
    },
    {
      name: 'unknown client',
      headers: () => basic({ clientId: 'nobody', secret: running.own.secret }),
      want: [401, 'invalid_client'],
    },
    {
      name: 'an invalid client id',
      headers: () => basic({ clientId: "x'--", secret: 'x' }),
      want: [401, 'invalid_client'],
    },
    {
      name: 'secret of another client',
      headers: () => basic({ clientId: 'test-own', secret: running.partner.secret }),
      want: [401, 'invalid_client'],
    },
    {
      name: 'no credentials, client named',
      headers: () => ({}),
      fields: { client_id: 'test-own' },
      want: [401, 'invalid_client'],
    },
    {
      name: 'secret in the body',
      headers: () => ({}),
      fields: { client_id: 'test-own', client_secret: 'SECRET' },
      want: [401, 'invalid_client'],
    },
    { name: 'no client named at all', headers: () => ({}), want: [400, 'invalid_request'] },
    {
      name: 'another client in the body',
      headers: own,
      fields: { client_id: 'test-partner' },
      want: [400, 'invalid_request'],
    },
    {
      name: 'Basic and a secret in the body',
      headers: own,
      fields: { client_secret: 'SECRET' },
      want: [400, 'invalid_request'],
    },
    { name: 'Basic and an assertion', headers: own, fields: { client_assertion: 'x' }, want: [400, 'invalid_request'] },
    { name: 'malformed: no base64', headers: () => ({ Authorization: 'Basic !!!' }), want: [400, 'invalid_request'] },
    {
      name: 'malformed: no colon',
      headers: () => ({ Authorization: `Basic ${btoa('test-own')}` }),
      want: [400, 'invalid_request'],
    },
    {
      name: 'malformed: bad percent',
      headers: () => ({ Authorization: `Basic ${btoa('test-own:%ZZ')}` }),
      want: [400, 'invalid_request'],
    },
    { name: 'another scheme', headers: () => ({ Authorization: 'Bearer x' }), want: [400, 'invalid_request'] },
  ];

  test.each(cases)('rejects $name', async ({ headers, fields = {}, want }) => {
    const secret = running.own.secret;
    const body = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value.replace('SECRET', secret)]),
    );
    for (const path of ['/oauth2/token', '/oauth2/revoke']) {
      const answer = await post(running, path, { ...clientCredentials, token: 'x', ...body }, headers());
      expect([answer.status, answer.body?.error], path).toEqual(want);
      const challenge = answer.headers.get('www-authenticate');
      if (want[0] === 401) expect(challenge).toMatch(/^Basic realm="[^"]+"/);
      else expect(challenge).toBeNull();
    }
  });

  test('gives the same answer to an unknown client and a wrong secret', async () => {
    const [unknown, wrong] = await Promise.all(
      [
        { clientId: 'nobody', secret: 'x' },
        { clientId: 'test-own', secret: 'x' },
      ].map((credentials) => post(running, '/oauth2/token', clientCredentials, basic(credentials))),
    );
    expect(wrong?.text).toBe(unknown?.text);
  });

  test('accepts form-encoded credentials, and a client_id that repeats them', async () => {
    const encoded = basic({ clientId: encodeURIComponent('test-own'), secret: encodeURIComponent(running.own.secret) });
    const answer = await post(running, '/oauth2/token', { ...clientCredentials, client_id: 'test-own' }, encoded);
    expect(answer.status).toBe(200);
  });

  test('a disabled client is treated as unknown', async () => {
    await running.store.clients.setDisabled('test-narrow', 1);
    const { status, body } = await post(running, '/oauth2/token', clientCredentials, basic(running.narrow));
    await running.store.clients.setDisabled('test-narrow', null);
    expect([status, body?.error]).toEqual([401, 'invalid_client']);
    expect((await post(running, '/oauth2/token', clientCredentials, basic(running.narrow))).status).toBe(200);
  });
});

describe('rows edited by hand', () => {
  test.each([
    ['credentials without an account', { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    ['an account together with a login', { redirect_uris: [callback], owner_account: accountId }],
  ])('%s get no token', async (name, metadata) => {
    const clientId = name.replaceAll(' ', '-');
    const row = { client_id: clientId, client_secret: hashSecret('secret'), ...metadata };
    await running.store.clients.create({ clientId, metadata: JSON.stringify(row) });
    const { status, body } = await post(
      running,
      '/oauth2/token',
      clientCredentials,
      basic({ clientId, secret: 'secret' }),
    );
    expect([status, body?.error]).toEqual([400, 'invalid_client_metadata']);
  });
});

function kept(clientId: string): string {
  const client = [running.own, running.partner].find((one) => one.clientId === clientId);
  return String(JSON.parse(client?.metadata ?? '{}').client_secret);
}
