import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { type Accounts, authorize, type Credentials, createAccounts } from './authorize.ts';
import type { Identity, OutgoingRequest } from './exchange.ts';

const schemes = {
  one: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: { a: '', b: '', c: '' } } } },
  other: { type: 'oauth2', flows: {} },
  bearer: { type: 'http', scheme: 'bearer' },
  own: { type: 'http', scheme: 'MAC' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  queryKey: { type: 'apiKey', in: 'query', name: 'key' },
  cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
  basic: { type: 'http', scheme: 'basic' },
  certificate: { type: 'mutualTLS' },
};

type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface Case {
  readonly name: string;
  readonly security: Security;
  readonly given: Partial<Credentials>;
  readonly second?: Partial<Credentials>;
  readonly identity?: Identity;
  /** Headers, query and cookies as they are sent; undefined if the identity has no credentials. */
  readonly want: readonly string[] | undefined;
}

const nobody: Credentials = { token: undefined, clientId: undefined, clientSecret: undefined };

/** A token endpoint that grants the requested scopes, and names the token after them. */
async function answer({ body }: OutgoingRequest) {
  const scope = new URLSearchParams(body?.toString()).get('scope') ?? 'a b c';
  const token = { access_token: `t:${scope}`, token_type: 'Bearer', scope };
  return { kind: 'answer', status: 200, headers: [], body: Buffer.from(JSON.stringify(token)), durationMs: 1 } as const;
}

function open(security: Security, given: Partial<Credentials>, second?: Partial<Credentials>) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { security, responses: {} } } },
    components: { securitySchemes: schemes },
  };
  const contract = readContract('api.json', JSON.stringify(document));
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error('no operation');
  const kept: string[] = [];
  const accounts: Accounts = createAccounts({
    contract,
    credentials: { ...nobody, ...given },
    second: second && { ...nobody, ...second },
    baseUrl: 'http://a',
    authUrl: undefined,
    connection: { send: answer },
    keepSecret: (text) => kept.push(text),
    mayCreateUsers: true,
  });
  return { operation, accounts, kept };
}

const client = { clientId: 'c', clientSecret: 's' };

describe.each<{ about: string; cases: readonly Case[] }>([
  {
    about: 'one alternative of several schemes',
    cases: [
      {
        name: 'two OAuth schemes: one token in one header',
        security: [{ one: ['a'], other: ['b'] }],
        given: { token: 't' },
        want: ['authorization: Bearer t'],
      },
      {
        name: 'a token and a key',
        security: [{ one: [], key: [] }],
        given: { token: 't' },
        want: ['authorization: Bearer t', 'X-Key: t'],
      },
      {
        name: 'a token and Basic, which no request can carry at once',
        security: [{ one: [], basic: [] }],
        given: { token: 't', ...client },
        want: undefined,
      },
      {
        name: 'the next alternative if the first cannot be sent',
        security: [{ one: [], basic: [] }, { key: [] }],
        given: { token: 't', ...client },
        want: ['X-Key: t'],
      },
    ],
  },
  {
    about: 'the alternative for which a credential is plainly meant comes first',
    cases: [
      {
        name: 'a bare token is a token rather than a key',
        security: [{ key: [] }, { bearer: [] }],
        given: { token: 't' },
        want: ['authorization: Bearer t'],
      },
      {
        name: 'a credential by the name of its scheme',
        security: [{ bearer: [] }, { key: [] }],
        given: { token: 't', byScheme: { key: 'k' } },
        want: ['authorization: Bearer t'],
      },
      {
        name: 'a credential by the name of its scheme, before a bare token used as a key',
        security: [{ queryKey: [] }, { key: [] }],
        given: { token: 't', byScheme: { key: 'k' } },
        want: ['X-Key: k'],
      },
      {
        name: 'several of them at once',
        security: [{ key: [], queryKey: [], cookieKey: [], basic: [] }],
        given: { byScheme: { key: 'k', queryKey: 'q', cookieKey: 'c', basic: 'name:pass' } },
        want: ['authorization: Basic bmFtZTpwYXNz', 'X-Key: k', '?key=q', 'sid=c'],
      },
      {
        name: 'another scheme of HTTP',
        security: [{ own: [] }],
        given: { token: 't' },
        want: ['authorization: mac t'],
      },
    ],
  },
  {
    about: 'HTTP Basic',
    cases: [
      {
        name: 'is the user in UTF-8, without escapes (RFC 7617)',
        security: [{ basic: [] }],
        given: { user: { name: 'a b', password: 'ü%' }, ...client },
        want: [`authorization: Basic ${Buffer.from('a b:ü%').toString('base64')}`],
      },
      {
        name: 'is the client if there is no user, form-encoded (RFC 6749, 2.3.1)',
        security: [{ basic: [] }],
        given: { clientId: 'a b', clientSecret: '%' },
        want: [`authorization: Basic ${Buffer.from('a+b:%25').toString('base64')}`],
      },
    ],
  },
  {
    about: 'a header of the user that a security scheme names',
    cases: [
      {
        name: 'is the credential',
        security: [{ key: [] }],
        given: { headers: [['x-key', 'k']] },
        want: ['x-key: k'],
      },
      {
        name: 'is the credential before a token',
        security: [{ bearer: [] }],
        given: { token: 't', headers: [['Authorization', 'Bearer mine']] },
        want: ['Authorization: Bearer mine'],
      },
      {
        name: 'is sent together with other credentials of the alternative',
        security: [{ key: [], bearer: [] }],
        given: { token: 't', headers: [['X-Key', 'k']] },
        want: ['authorization: Bearer t', 'X-Key: k'],
      },
      {
        name: 'is also sent to open operations, like all such headers',
        security: [],
        given: { headers: [['X-Key', 'k']] },
        want: ['X-Key: k'],
      },
      {
        name: 'may be cookies',
        security: [{ cookieKey: [] }],
        given: { headers: [['Cookie', 'sid=1; theme=dark']] },
        want: ['sid=1', 'theme=dark'],
      },
      {
        name: 'is not sent without credentials',
        security: [{ key: [] }],
        given: {
          token: 't',
          headers: [
            ['X-Key', 'k'],
            ['Authorization', 'Bearer x'],
            ['Cookie', 'a=b'],
          ],
        },
        identity: 'anonymous',
        want: [],
      },
      {
        name: 'is not sent by the second account',
        security: [{ bearer: [] }],
        given: { headers: [['Authorization', 'Bearer mine']] },
        second: { token: 'theirs' },
        identity: 'second',
        want: ['authorization: Bearer theirs'],
      },
    ],
  },
  {
    about: 'identities',
    cases: [
      {
        name: 'no second account',
        security: [{ bearer: [] }],
        given: { token: 't' },
        identity: 'second',
        want: undefined,
      },
      {
        name: 'a token of client credentials with the scopes of the operation',
        security: [{ one: ['b'] }],
        given: client,
        want: ['authorization: Bearer t:a b c'],
      },
      {
        name: 'a token with every scope but one',
        security: [{ one: ['b'] }],
        given: client,
        identity: { without: ['b'] },
        want: ['authorization: Bearer t:a c'],
      },
      {
        name: 'every scope but one, of an alternative that also needs a key',
        security: [{ key: [] }, { one: ['b'], key: [] }],
        given: { ...client, byScheme: { key: 'k' } },
        identity: { without: ['b'] },
        want: ['authorization: Bearer t:a c', 'X-Key: k'],
      },
      {
        name: 'a wrong token where a key would suffice too',
        security: [{ bearer: [] }, { key: [] }],
        given: { token: 't', byScheme: { key: 'k' } },
        identity: { changed: 'empty', of: 'bearer' },
        want: ['authorization: Bearer'],
      },
      {
        name: 'no wrong token alongside a right key that suffices',
        security: [{ bearer: [] }, { key: [] }],
        given: { token: 't', headers: [['X-Key', 'k']] },
        identity: { changed: 'empty', of: 'bearer' },
        want: undefined,
      },
      {
        name: 'a bare token is not sent alone as a key',
        security: [{ bearer: [] }, { key: [] }],
        given: { token: 't' },
        identity: { by: ['key'] },
        want: undefined,
      },
      {
        name: 'the secret of a client is not sent alone as a password',
        security: [{ one: ['b'] }, { basic: [] }],
        given: client,
        identity: { by: ['basic'] },
        want: undefined,
      },
      {
        name: 'a key is sent alone',
        security: [{ bearer: [] }, { key: [] }],
        given: { token: 't', byScheme: { key: 'k' } },
        identity: { by: ['key'] },
        want: ['X-Key: k'],
      },
      {
        name: 'a bare token cannot be narrowed',
        security: [{ one: ['b'] }],
        given: { token: 't' },
        identity: { without: ['b'] },
        want: undefined,
      },
      {
        name: 'a header of the user cannot be narrowed',
        security: [{ one: ['b'] }],
        given: { ...client, headers: [['Authorization', 'Bearer mine']] },
        identity: { without: ['b'] },
        want: undefined,
      },
      {
        name: 'a key cannot be narrowed',
        security: [{ key: [] }],
        given: { token: 't' },
        identity: { without: ['b'] },
        want: undefined,
      },
      {
        name: 'a client certificate, which belongs to the connection',
        security: [{ certificate: [] }],
        given: { hasCertificate: true },
        want: [],
      },
      {
        name: 'no request is anonymous over a connection with a client certificate',
        security: [{ certificate: [] }],
        given: { hasCertificate: true },
        identity: 'anonymous',
        want: undefined,
      },
      { name: 'no client certificate', security: [{ certificate: [] }], given: { token: 't' }, want: undefined },
    ],
  },
])('$about', ({ cases }) => {
  test.each(cases)('$name', async ({ security, given, second, identity, want }) => {
    const { operation, accounts } = open(security, given, second);
    const found = await authorize(accounts, operation, [], identity);
    const written = found && [
      ...found.headers.map(([name, value]) => `${name}: ${value}`),
      ...found.query.map(([name, value]) => `?${name}=${value}`),
      ...found.cookies.map(([name, value]) => `${name}=${value}`),
    ];
    expect(written?.sort()).toEqual(want === undefined ? undefined : [...want].sort());
  });
});

test('the password of a log-in is secret, and the description of its request is not', () => {
  const type = ['Content-Type', 'application/json'] as const;
  const login = { endpoint: '/login', method: 'POST', body: '{}', expectCookies: true, token: undefined };
  const { kept } = open([], {
    headers: [['Accept', 'application/vnd.a+json']],
    login: {
      name: 'ada',
      headers: [type, ['X-Key', 'key-of-ada']],
      creation: undefined,
      login: { ...login, headers: [type], password: 'pass-of-ada' },
    },
  });
  expect(kept).toEqual(['key-of-ada', 'pass-of-ada']);
});

test('headers without a credential are sent with every request, and every value of the user is kept secret', () => {
  const headers = [
    ['X-Trace', 'run-7781'],
    ['Authorization', 'Bearer header-token'],
    ['Cookie', 'sid=cookie-value'],
  ] as const;
  const { accounts, kept } = open([], { headers, byScheme: { basic: 'name:pass-word' }, refreshToken: 'refresh-1' });
  expect(accounts.plainHeaders).toEqual([['X-Trace', 'run-7781']]);
  const basic = Buffer.from('name:pass-word').toString('base64');
  expect(kept).toEqual(expect.arrayContaining(['run-7781', 'header-token', 'name:pass-word', basic, 'refresh-1']));
});

test('an empty credential hides no word of a report, and an altered one is a secret', async () => {
  const { operation, accounts, kept } = open([{ bearer: [] }], { token: 'not-a-secret-1' });
  await authorize(accounts, operation, [], { changed: 'empty', of: 'bearer' });
  expect(kept).toEqual(['not-a-secret-1']);
  await authorize(accounts, operation, [], { changed: 'altered end', of: 'bearer' });
  expect(kept).toHaveLength(2);
});
