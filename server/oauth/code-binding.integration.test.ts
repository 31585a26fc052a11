import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreatedClient, createClientMetadata } from './create-client-metadata.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { callback, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, logIn, loginQuery, post, send } from './fixtures/talk.ts';
import { exchangeCode, refresh, type TokenRequest } from './fixtures/token-requests.ts';

// A stolen code is useless without its client, its callback and its verifier.

const otherCallback = 'https://partner.example/other';
const verifier = 'a-verifier-of-43-characters-that-nobody-knows';
const codeChallenge = createHash('sha256').update(verifier).digest('base64url');

let running: RunningAuth;
let other: CreatedClient;
let strict: CreatedClient;
beforeAll(async () => {
  running = await startAuth();
  const partner = { kind: 'partner', name: 'Other', redirectUris: [callback, otherCallback] } as const;
  other = createClientMetadata({ ...partner, clientId: 'test-other' });
  strict = createClientMetadata({ ...partner, clientId: 'test-strict', requirePkce: true });
  for (const client of [other, strict]) await running.store.clients.create(client);
});
afterAll(() => running.close());

interface Attempt {
  readonly name: string;
  /** The `code_challenge` of the login request. */
  readonly challenge?: string;
  readonly sent: () => TokenRequest;
  readonly want: readonly [status: number, error: string];
}

const grant = [400, 'invalid_grant'] as const;
const request = [400, 'invalid_request'] as const;

const attempts: readonly Attempt[] = [
  { name: 'another client', sent: () => ({ client: other }), want: grant },
  {
    name: 'another client that names the right one',
    sent: () => ({ client: other, fields: { client_id: 'test-partner' } }),
    want: request,
  },
  {
    name: 'a wrong secret',
    sent: () => ({ client: { ...running.partner, secret: 'wrong' } }),
    want: [401, 'invalid_client'],
  },
  { name: 'an own-account client', sent: () => ({ client: running.own }), want: [400, 'unauthorized_client'] },
  { name: 'no redirect_uri', sent: () => ({ fields: { redirect_uri: '' } }), want: request },
  { name: 'another callback', sent: () => ({ fields: { redirect_uri: otherCallback } }), want: grant },
  { name: 'a longer callback', sent: () => ({ fields: { redirect_uri: `${callback}/` } }), want: grant },
  {
    name: 'the callback in capitals',
    sent: () => ({ fields: { redirect_uri: callback.replace('partner', 'PARTNER') } }),
    want: grant,
  },
  {
    name: 'another verifier',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: verifier.replace('a', 'b') } }),
    want: grant,
  },
  { name: 'no verifier', challenge: codeChallenge, sent: () => ({}), want: grant },
  {
    name: 'an empty verifier',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: '' } }),
    want: grant,
  },
  {
    name: 'the challenge as verifier, as `plain` has it',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: codeChallenge, code_challenge_method: 'plain' } }),
    want: grant,
  },
  { name: 'a verifier where no challenge was', sent: () => ({ fields: { code_verifier: verifier } }), want: grant },
  {
    name: 'a verifier of 42 characters',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: verifier.slice(0, 42) } }),
    want: request,
  },
  {
    name: 'a verifier of 129 characters',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: 'x'.repeat(129) } }),
    want: request,
  },
  {
    name: 'a verifier with a space',
    challenge: codeChallenge,
    sent: () => ({ fields: { code_verifier: verifier.replace('-', ' ') } }),
    want: request,
  },
];

describe('a code sent with', () => {
  test.each(attempts)(
    '$name is rejected, and stays valid for its client after it (20)',
    async ({ challenge, sent, want }) => {
      const code = await issueCode(
        running.auth.provider,
        running.resource,
        challenge ? { codeChallenge: challenge } : {},
      );
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const refused = await exchangeCode(running, code, sent());
        expect([refused.status, refused.body?.error]).toEqual(want);
        expect(refused.body?.access_token).toBeUndefined();
      }
      const right = await exchangeCode(running, code, challenge ? { fields: { code_verifier: verifier } } : {});
      expect(right.status).toBe(200);
      expect((await refresh(running, right.body?.refresh_token)).status).toBe(200);
    },
  );
});

describe('PKCE', () => {
  test.each([
    { name: 'no challenge', sent: {}, error: 'invalid_request' },
    { name: 'an empty challenge', sent: { code_challenge: '' }, error: 'invalid_request' },
    {
      name: 'a plain challenge',
      sent: { code_challenge: codeChallenge, code_challenge_method: 'plain' },
      error: 'invalid_request',
    },
    { name: 'a method alone', sent: { code_challenge_method: 'S256' }, error: 'invalid_request' },
  ])('$name is rejected for a client that requires PKCE', async ({ sent, error }) => {
    const { headers } = await send(running, `/login?${loginQuery({ client_id: 'test-strict', ...sent })}`);
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe(error);
  });

  test('S256 is accepted for that client, with its verifier alone', async () => {
    const asked = { client_id: 'test-strict', code_challenge: codeChallenge, code_challenge_method: 'S256' };
    const code = (await logIn(running, loginQuery(asked))).answer.get('code') ?? '';
    expect((await exchangeCode(running, code, { client: strict })).body?.error).toBe('invalid_grant');
    const right = await exchangeCode(running, code, { client: strict, fields: { code_verifier: verifier } });
    expect(right.status).toBe(200);
  });
});

describe('guessing', () => {
  test('of codes and refresh tokens is hopeless: each is 256 random bits', async () => {
    const values: string[] = [];
    for (let count = 0; count < 200; count += 1) {
      const code = await issueCode(running.auth.provider, running.resource);
      values.push(code, String((await exchangeCode(running, code)).body?.refresh_token));
    }
    expect(new Set(values).size).toBe(400);
    for (const value of values) expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
    // All 64 characters occur at all 43 places, equally often: in 400 values each occurs 6.25 times at a place.
    for (let place = 0; place < 43; place += 1) {
      const counts = [...Map.groupBy(values, (value) => value[place]).values()].map(({ length }) => length);
      expect(counts.length).toBeGreaterThan(56);
      expect(Math.max(...counts)).toBeLessThan(30);
    }
  });

  // Any caller of a partner's callback makes its server send a code: a limit on wrong codes would let anybody lock a partner out.
  test('of codes locks no client out: a hundred wrong ones have no effect', async () => {
    const code = await issueCode(running.auth.provider, running.resource);
    const wrong = await Promise.all(
      Array.from({ length: 100 }, (_, index) => exchangeCode(running, `${code.slice(0, -3)}${100 + index}`)),
    );
    expect(new Set(wrong.map(({ status, body }) => `${status} ${body?.error}`))).toEqual(
      new Set(['400 invalid_grant']),
    );
    expect((await exchangeCode(running, code)).status).toBe(200);
  });

  test('of a client secret is limited to twenty a minute, after which the code is still valid', async () => {
    const code = await issueCode(running.auth.provider, running.resource, { clientId: 'test-other' });
    const guess = { clientId: 'test-other', secret: 'wrong' };
    const answers = [];
    for (let attempt = 0; attempt < 25; attempt += 1)
      answers.push(await exchangeCode(running, code, { client: guess }));
    expect(answers.filter(({ headers }) => headers.get('retry-after') === null)).toHaveLength(20);
    // Now the right secret is throttled too, so that the answer does not reveal it; another client is not.
    expect((await exchangeCode(running, code, { client: other })).headers.get('retry-after')).toMatch(/^\d+$/);
    expect(
      (await post(running, '/oauth2/token', { grant_type: 'client_credentials' }, basic(running.own))).status,
    ).toBe(200);
  });
});
