import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { OutgoingRequest } from './exchange.ts';
import { findTokenEndpoint, insertScope, type TokenCredentials } from './mint-token.ts';
import { createTokens } from './tokens.ts';

const client: TokenCredentials = { token: undefined, clientId: 'c', clientSecret: 's' };
const nobody: TokenCredentials = { token: undefined, clientId: undefined, clientSecret: undefined };

interface Reply {
  readonly status?: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A token endpoint as a function of the form. It counts the requested scopes. */
function at(
  reply: (form: URLSearchParams, request: OutgoingRequest) => Reply,
  credentials = client,
  scopes = ['a', 'b', 'c'],
) {
  const asked: string[] = [];
  let now = 0;
  const tokens = createTokens({
    credentials,
    scopes,
    endpoint: { base: 'http://a', path: '/token', ...(credentials.user ? { grant: 'password' as const } : {}) },
    keepSecret: () => undefined,
    clock: () => now,
    connection: {
      send: async (request) => {
        const form = new URLSearchParams(request.body?.toString());
        asked.push(form.get('scope') ?? '-');
        const { status = 200, body } = reply(form, request);
        return { kind: 'answer', status, headers: [], body: Buffer.from(JSON.stringify(body)), durationMs: 1 };
      },
    },
  });
  return { tokens, asked, pass: (ms: number) => (now += ms) };
}

const granting = (form: URLSearchParams): Reply => {
  const scope = form.get('scope') ?? 'a b c';
  return { body: { access_token: `t:${scope}`, scope } };
};
const silent = (form: URLSearchParams): Reply => ({ body: { access_token: `t:${form.get('scope') ?? ''}` } });

const jwtOf = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('a token with every scope but some', () => {
  test('is requested with the scopes that the server granted', async () => {
    const { tokens, asked } = at(granting);
    expect((await tokens.tokenWithout(['b']))?.text).toBe('t:a c');
    expect(asked).toEqual(['-', 'a c']);
  });
  test('is requested with the scopes of the contract if the server names none', async () => {
    const { tokens, asked } = at(silent);
    expect((await tokens.tokenWithout(['b']))?.text).toBe('t:a c');
    expect(asked).toEqual(['-', 'a b c', 'a c']);
  });
  test('is found scope by scope if the client may not have all of them', async () => {
    const { tokens } = at((form) => {
      const all = form.get('scope')?.split(' ') ?? [];
      return all.includes('b') ? { status: 400, body: { error: 'invalid_scope' } } : silent(form);
    });
    expect((await tokens.tokenWithout(['c']))?.text).toBe('t:a');
    expect(tokens.problems()).toEqual([]);
  });
  test.each<{ name: string; reply: (form: URLSearchParams) => Reply; scopes?: string[] }>([
    {
      name: 'the server grants more than the requested scopes',
      reply: () => ({ body: { access_token: 't', scope: 'a b' } }),
    },
    {
      name: 'the token itself contains more',
      reply: () => ({ body: { access_token: jwtOf({ scope: 'a b c' }) } }),
    },
    { name: 'the client has no other scope', reply: silent, scopes: ['b'] },
    { name: 'the endpoint rejects the request', reply: () => ({ status: 400, body: { error: 'invalid_scope' } }) },
  ])('does not exist if $name', async ({ reply, scopes }) => {
    expect(await at(reply, client, scopes).tokens.tokenWithout(['b'])).toBeUndefined();
  });
  test('is the widest token that the user gave', async () => {
    const scopedTokens = [
      { scopes: ['a'], text: 'A' },
      { scopes: ['a', 'c'], text: 'AC' },
      { scopes: ['a', 'b', 'c'], text: 'ABC' },
    ];
    const { tokens, asked } = at(granting, { ...nobody, scopedTokens });
    expect((await tokens.tokenWithout(['b']))?.text).toBe('AC');
    expect((await tokens.tokenFor(['b', 'a']))?.text).toBe('ABC');
    expect((await tokens.tokenFor(['d', 'b']))?.text).toBe('ABC');
    expect(await tokens.tokenWithout(['a'])).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('a token for some scopes', () => {
  test('is the general token while that has these scopes', async () => {
    const { tokens, asked } = at(granting);
    await tokens.tokenFor(['a']);
    await tokens.tokenFor(['b', 'c']);
    expect((await tokens.tokenFor(['d']))?.text).toBe('t:d');
    expect(asked).toEqual(['-', 'd']);
  });
  test('is fetched once for concurrent requests', async () => {
    const { tokens, asked } = at(granting);
    await Promise.all([tokens.tokenFor([]), tokens.tokenFor([]), tokens.tokenFor(['a'])]);
    expect(asked).toEqual(['-']);
  });
  test('is fetched again before it expires', async () => {
    const { tokens, asked, pass } = at((form) => ({ body: { ...granting(form).body, expires_in: 600 } }));
    await tokens.tokenFor([]);
    pass(500_000);
    await tokens.tokenFor([]);
    expect(asked).toHaveLength(1);
    pass(80_000);
    await Promise.all([tokens.tokenFor([]), tokens.tokenFor([])]);
    expect(asked).toHaveLength(2);
  });
  test('is renewed once for all holders of the old token', async () => {
    let count = 0;
    const { tokens } = at(() => ({ body: { access_token: `t${++count}` } }));
    const old = await tokens.tokenFor([]);
    if (old === undefined) throw new Error('no token');
    expect([tokens.renew(old), tokens.renew(old)]).toEqual([true, true]);
    const next = await tokens.tokenFor([]);
    expect(next?.text).toBe('t2');
    expect(next && tokens.renew(next)).toBe(false);
  });
  test('comes with a reason if it is missing', async () => {
    const { tokens } = at(() => ({ status: 401, body: { error: 'invalid_client', error_description: 'who?' } }));
    expect(await tokens.tokenFor(['a'])).toBeUndefined();
    expect(tokens.problems()).toEqual([
      'POST http://a/token without a scope: 401 invalid_client: who?',
      'POST http://a/token with scope a: 401 invalid_client: who?',
    ]);
  });
});

describe('requests for a token', () => {
  test('the secret is sent in the body if the server rejects the header (RFC 6749, 2.3.1)', async () => {
    const { tokens, asked } = at((form, { headers }) => {
      const inHeader = headers.some(([name]) => name === 'authorization');
      const isBoth = inHeader && form.has('client_secret');
      return inHeader || isBoth ? { status: 401, body: { error: 'invalid_client' } } : granting(form);
    });
    expect((await tokens.tokenFor(['d']))?.text).toBe('t:d');
    expect(asked).toEqual(['-', '-', 'd']);
  });
  test('a refresh token in the answer replaces the old one (RFC 6749, 6)', async () => {
    const used: unknown[] = [];
    const { tokens } = at(
      (form) => {
        used.push([form.get('grant_type'), form.get('refresh_token'), form.get('client_id')]);
        return {
          body: { access_token: `t${used.length}`, refresh_token: `r${used.length}`, scope: form.get('scope') ?? '' },
        };
      },
      { ...nobody, clientId: 'public', refreshToken: 'r0' },
    );
    await Promise.all([tokens.tokenFor(['a']), tokens.tokenFor(['b'])]);
    expect(used).toEqual([
      ['refresh_token', 'r0', 'public'],
      ['refresh_token', 'r1', 'public'],
      ['refresh_token', 'r2', 'public'],
    ]);
  });
  test('name and password are sent if the contract has only that grant', async () => {
    const { tokens } = at(
      (form) => ({
        body: { access_token: `${form.get('grant_type')} ${form.get('username')} ${form.get('password')}` },
      }),
      {
        ...nobody,
        user: { name: 'ada', password: 'pw' },
      },
    );
    expect((await tokens.tokenFor([]))?.text).toBe('password ada pw');
  });
});

test.each([
  { command: 'get {scope}', want: 'get "$LOCKSTEP_SCOPE"' },
  { command: 'get "s={scope}&x"', want: `get "s=\${LOCKSTEP_SCOPE}&x"` },
  { command: "get 's={scope}' {scope}", want: `get 's='"$LOCKSTEP_SCOPE"'' "$LOCKSTEP_SCOPE"` },
  { command: `get it\\'s {scope} "it's {scope}"`, want: `get it\\'s "$LOCKSTEP_SCOPE" "it's \${LOCKSTEP_SCOPE}"` },
])('scopes are quoted in $command', ({ command, want }) => {
  expect(insertScope(command)).toBe(want);
});

describe('the token endpoint is the declared one, beneath an address that the user gave', () => {
  const [baseUrl, authUrl] = ['http://host/v1', 'http://auth/o'];
  test.each([
    {
      name: 'a path of the host',
      flows: { clientCredentials: { tokenUrl: '/t' } },
      auth: undefined,
      want: { base: 'http://host', path: '/t' },
    },
    {
      name: 'a path beneath the API',
      flows: { clientCredentials: { tokenUrl: 't' } },
      auth: undefined,
      want: { base: baseUrl, path: '/t' },
    },
    {
      name: 'an operation of the API',
      flows: { clientCredentials: { tokenUrl: 'https://x/y/token' } },
      auth: undefined,
      want: { base: baseUrl, path: '/token' },
    },
    {
      name: 'another server',
      flows: { clientCredentials: { tokenUrl: 'https://x/t' } },
      auth: authUrl,
      want: { base: authUrl, path: '' },
    },
    {
      name: 'another server without an address in the options',
      flows: { clientCredentials: { tokenUrl: 'https://x/t' } },
      auth: undefined,
      want: undefined,
    },
    {
      name: 'by password if there is no client',
      flows: { password: { tokenUrl: 'token' } },
      auth: undefined,
      want: { base: baseUrl, path: '/token', grant: 'password' },
    },
    { name: 'none is declared', flows: {}, auth: authUrl, want: { base: authUrl, path: '' } },
  ])('$name', ({ flows, auth, want }) => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: { '/token': { post: { responses: {} } } },
      components: { securitySchemes: { oauth: { type: 'oauth2', flows } } },
    };
    const contract = readContract('api.json', JSON.stringify(document));
    expect(findTokenEndpoint(contract, { baseUrl, authUrl: auth })).toEqual(want);
  });
});
