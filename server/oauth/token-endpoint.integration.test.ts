import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, post, send } from './fixtures/talk.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const own = () => basic(running.own);
const clientCredentials = { grant_type: 'client_credentials' };

describe('hostile bodies', () => {
  const form = 'application/x-www-form-urlencoded';
  const cases: readonly {
    name: string;
    type?: string;
    body?: string | Uint8Array<ArrayBuffer>;
    want: [number, string];
  }[] = [
    {
      name: 'JSON',
      type: 'application/json',
      body: '{"grant_type":"client_credentials"}',
      want: [400, 'invalid_request'],
    },
    { name: 'a wrong type', type: 'text/plain', body: 'grant_type=client_credentials', want: [400, 'invalid_request'] },
    { name: 'multipart', type: 'multipart/form-data; boundary=x', body: '--x--', want: [400, 'invalid_request'] },
    { name: 'nothing', body: '', want: [400, 'invalid_request'] },
    {
      name: 'a field twice',
      type: form,
      body: 'grant_type=client_credentials&grant_type=client_credentials',
      want: [400, 'invalid_request'],
    },
    {
      name: 'two scopes',
      type: form,
      body: 'grant_type=client_credentials&scope=a&scope=b',
      want: [400, 'invalid_request'],
    },
    {
      name: 'two client ids',
      type: form,
      body: 'grant_type=client_credentials&client_id=a&client_id=b',
      want: [400, 'invalid_request'],
    },
    {
      name: '70 kB',
      type: form,
      body: `grant_type=client_credentials&x=${'x'.repeat(70_000)}`,
      want: [400, 'invalid_request'],
    },
    {
      name: 'NUL in the grant',
      type: form,
      body: 'grant_type=client_credentials%00',
      want: [400, 'unsupported_grant_type'],
    },
    {
      name: 'NUL in a scope',
      type: form,
      body: 'grant_type=client_credentials&scope=%00',
      want: [400, 'invalid_scope'],
    },
    {
      name: 'invalid UTF-8',
      type: form,
      body: new Uint8Array([...Buffer.from('grant_type='), 0xff, 0xfe]),
      want: [400, 'unsupported_grant_type'],
    },
    { name: '__proto__ as grant', type: form, body: 'grant_type=__proto__', want: [400, 'unsupported_grant_type'] },
    { name: 'constructor as grant', type: form, body: 'grant_type=constructor', want: [400, 'unsupported_grant_type'] },
    {
      name: 'password as grant',
      type: form,
      body: 'grant_type=password&username=a&password=b',
      want: [400, 'unsupported_grant_type'],
    },
    { name: 'implicit as grant', type: form, body: 'grant_type=implicit', want: [400, 'unsupported_grant_type'] },
  ];

  test.each(cases)('rejects $name', async ({ type, body, want }) => {
    const headers = { ...own(), ...(type && { 'Content-Type': type }) };
    const answer = await send(running, '/oauth2/token', { method: 'POST', headers, ...(body && { body }) });
    expect([answer.status, answer.body?.error]).toEqual(want);
  });

  test('ignores unknown fields, `__proto__` among them', async () => {
    const body = 'grant_type=client_credentials&__proto__=x&constructor=y&nonsense=z';
    const headers = { ...own(), 'Content-Type': form };
    expect((await send(running, '/oauth2/token', { method: 'POST', headers, body })).status).toBe(200);
  });

  test.each([
    ['a code', { grant_type: 'authorization_code', code: 'x\0y', redirect_uri: callback }],
    ['a refresh token', { grant_type: 'refresh_token', refresh_token: '\ud800' }],
  ])('rejects %s that was never issued', async (_, fields) => {
    const answer = await post(running, '/oauth2/token', fields, basic(running.partner));
    expect([answer.status, answer.body?.error]).toEqual([400, 'invalid_grant']);
  });
});

describe('caches and other origins', () => {
  test.each([
    ['a token', own, clientCredentials],
    ['a refusal', own, { grant_type: 'password' }],
    ['failed authentication', () => basic({ clientId: 'x', secret: 'x' }), clientCredentials],
  ])('%s is not stored', async (_, headers, fields) => {
    const answer = await post(running, '/oauth2/token', fields, headers());
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('no answer allows another origin', async () => {
    const answers = await Promise.all([
      post(running, '/oauth2/token', clientCredentials, { ...own(), Origin: 'https://evil.example' }),
      ...['/.well-known/openid-configuration', '/.well-known/jwks.json', '/login'].map((path) =>
        send(running, path, { headers: { Origin: 'https://evil.example' } }),
      ),
      send(running, '/oauth2/token', {
        method: 'OPTIONS',
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      }),
    ]);
    expect([answers[0]?.status, answers[0]?.body?.error]).toEqual([400, 'invalid_request']);
    for (const { headers } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});
