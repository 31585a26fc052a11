import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { Rejection } from '../rejection.ts';
import { parseUrlEncoded } from '../validation/parse-url-encoded.ts';
import { createAuthentication } from './authenticate.ts';
import { checkScopes } from './check-scopes.ts';
import { apiKey, basic, bearer, credentials, type Scheme, unshown } from './scheme.ts';

const document = {
  info: { title: 'A "quoted" name' },
  components: {
    securitySchemes: {
      token: { type: 'oauth2', flows: {} },
      login: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example' },
      plain: { type: 'http', scheme: 'Bearer' },
      client: { type: 'http', scheme: 'Basic' },
      headerKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
      queryKey: { type: 'apiKey', in: 'query', name: 'key' },
      cookieKey: { type: 'apiKey', in: 'cookie', name: 'sid' },
      digest: { type: 'http', scheme: 'Digest' },
      certificate: { type: 'mutualTLS' },
    },
  },
};

/** A token is a name, followed by its scopes, separated by dots. */
const verifyToken = (token: string) => {
  if (token === 'old') return { kind: 'bad', reason: 'expired' } as const;
  if (token === 'gone') return { kind: 'bad', reason: 'revoked' } as const;
  const [name = '', ...scopes] = token.split('.');
  return name === 'wrong'
    ? ({ kind: 'bad', reason: 'invalid' } as const)
    : ({ kind: 'good', principal: name, scopes: new Set(scopes) } as const);
};

const verifyKey = (key: string, soFar: string | undefined) =>
  key === 'bad'
    ? ({ kind: 'bad', reason: 'invalid' } as const)
    : ({
        kind: 'good',
        principal: soFar === undefined ? key : `${soFar} by ${key}`,
        ...(key === 'all' && { scopes: new Set(['admin']) }),
      } as const);

const schemes: Readonly<Record<string, Scheme<string>>> = {
  token: bearer(verifyToken),
  login: bearer(verifyToken),
  plain: bearer(verifyToken),
  client: basic(({ username, password }) =>
    password === 'right' ? { kind: 'good', principal: username } : { kind: 'bad', reason: 'invalid' },
  ),
  headerKey: apiKey(verifyKey),
  queryKey: apiKey(verifyKey),
  cookieKey: apiKey(verifyKey),
  digest: credentials(verifyKey),
  certificate: unshown(),
};

const withSecurity = (security: Operation['security']): Operation => ({
  operationId: 'getThing',
  method: 'get',
  basePath: '',
  path: '/',
  pointer: '#/paths/~1/get',
  parameters: [],
  requestBody: null,
  security,
  extensions: {},
});

interface Given {
  readonly security: Operation['security'];
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: string;
}

/** The principal, or the message of the rejection. */
async function judge({ security, headers = {}, query = '' }: Given): Promise<string | undefined> {
  const request = new IncomingMessage(new Socket());
  for (const [name, value] of Object.entries(headers)) {
    request.headersDistinct[name] = [value].flat();
    request.headers[name] = [value].flat()[0];
  }
  const options = { document, schemes, realm: 'things' };
  try {
    const grants = await createAuthentication(options, withSecurity(security))(request, parseUrlEncoded(query));
    return checkScopes(grants, 'things').principal ?? 'nobody';
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const challenge = error.challenge ?? error.headers['WWW-Authenticate'];
    return `${error.kind}: ${error.message} [${challenge}]`;
  }
}

const token = (value: string) => ({ authorization: `Bearer ${value}` });
const client = (text: string) => ({ authorization: `basic ${Buffer.from(text).toString('base64')}` });
const realm = 'realm="things"';

const cases: readonly (Given & { readonly name: string; readonly want: string })[] = [
  { name: 'a token of oauth2', security: [{ token: [] }], headers: token('ann'), want: 'ann' },
  { name: 'a token of openIdConnect', security: [{ login: [] }], headers: token('ann'), want: 'ann' },
  { name: 'a token of http bearer', security: [{ plain: [] }], headers: token('ann'), want: 'ann' },
  { name: 'a user and a password', security: [{ client: [] }], headers: client('desk:right'), want: 'desk' },
  { name: 'a key in a header', security: [{ headerKey: [] }], headers: { 'x-key': 'k' }, want: 'k' },
  { name: 'a key in the query', security: [{ queryKey: [] }], query: 'a=1&key=k', want: 'k' },
  { name: 'a key in a cookie', security: [{ cookieKey: [] }], headers: { cookie: 'a=1; sid=k' }, want: 'k' },
  {
    name: 'whatever another scheme of HTTP sends',
    security: [{ digest: [] }],
    headers: { authorization: 'digest username="ann"' },
    want: 'username="ann"',
  },
  {
    name: 'another scheme of HTTP that is not sent',
    security: [{ digest: [] }],
    want: `credentials_missing: The header Authorization is missing: send Digest <credentials> [Digest ${realm}]`,
  },
  {
    name: 'a token, where a certificate would do',
    security: [{ token: [] }, { certificate: [] }],
    headers: token('ann'),
    want: 'ann',
  },
  {
    name: 'nothing, asked for what a request can show',
    security: [{ token: [] }, { certificate: [] }, { certificate: [], headerKey: [] }],
    want: `credentials_missing: The header Authorization is missing: send Bearer <access token> [Bearer ${realm}]`,
  },
  {
    name: 'anything, where only a certificate would do',
    security: [{ certificate: [] }],
    headers: token('ann'),
    want: `credentials_missing: No request shows the security scheme certificate, so nobody is let in by it [mutualTLS ${realm}]`,
  },
  { name: 'nobody, where no scheme is asked for', security: [], want: 'nobody' },
  { name: 'nobody, where one may be left out', security: [{ token: [] }, {}], want: 'nobody' },
  { name: 'somebody, where it was not left out', security: [{}, { token: [] }], headers: token('ann'), want: 'ann' },
  {
    name: 'one of two that will do',
    security: [{ token: [] }, { headerKey: [] }],
    headers: { 'x-key': 'k' },
    want: 'k',
  },
  {
    name: 'both of two, the second with the principal of the first',
    security: [{ token: [], headerKey: [] }],
    headers: { ...token('ann'), 'x-key': 'k' },
    want: 'ann by k',
  },
  {
    name: 'the alternative whose scopes are there',
    security: [{ token: ['a', 'b'] }, { token: ['c'] }],
    headers: token('ann.a.c'),
    want: 'ann',
  },
  {
    name: 'somebody without the scope, where nobody would have been asked',
    security: [{ token: ['a'] }, {}],
    headers: token('ann'),
    want: 'ann',
  },
  {
    name: 'a scope that only the other scheme of the alternative has',
    security: [{ token: ['admin'], headerKey: [] }],
    headers: { ...token('ann'), 'x-key': 'all' },
    want: `scope_missing: The token lacks the scope admin [Bearer ${realm}, error="insufficient_scope", scope="admin"]`,
  },
  {
    name: 'a wrong password where a token is accepted, whose challenge does not mention it',
    security: [{ token: [] }, { client: [] }],
    headers: client('desk:wrong'),
    want: `credentials_invalid: User or password is wrong [Bearer ${realm}, Basic ${realm}]`,
  },
  {
    name: 'no token',
    security: [{ token: [] }],
    want: `credentials_missing: The header Authorization is missing: send Bearer <access token> [Bearer ${realm}]`,
  },
  {
    name: 'another scheme',
    security: [{ token: [] }],
    headers: client('desk:right'),
    want: `credentials_missing: The header Authorization is of another scheme: send Bearer <access token> [Bearer ${realm}]`,
  },
  {
    name: 'a token that is none',
    security: [{ token: [] }],
    headers: token('a b'),
    want: `credentials_invalid: The header Authorization is malformed: send Bearer <access token> [Bearer ${realm}, error="invalid_token"]`,
  },
  {
    name: 'two tokens',
    security: [{ token: [] }],
    headers: { authorization: ['Bearer ann', 'Bearer ann'] },
    want: `credentials_invalid: The header Authorization is sent 2 times: send it once [Bearer ${realm}, error="invalid_token"]`,
  },
  {
    name: 'a token that ended',
    security: [{ token: [] }],
    headers: token('old'),
    want: `credentials_expired: The access token has expired [Bearer ${realm}, error="invalid_token"]`,
  },
  {
    name: 'a token that was revoked',
    security: [{ token: [] }],
    headers: token('gone'),
    want: `credentials_revoked: The access token was revoked [Bearer ${realm}, error="invalid_token"]`,
  },
  {
    name: 'a wrong password',
    security: [{ client: [] }],
    headers: client('desk:wrong'),
    want: `credentials_invalid: User or password is wrong [Basic ${realm}]`,
  },
  {
    name: 'no user',
    security: [{ client: [] }],
    headers: client(':right'),
    want: `credentials_invalid: The header Authorization is malformed: send Basic <base64 of client_id:client_secret> [Basic ${realm}]`,
  },
  {
    name: 'an empty key',
    security: [{ queryKey: [] }],
    query: 'key=',
    want: `credentials_missing: The query key is missing [ApiKey ${realm}]`,
  },
  {
    name: 'a key sent twice',
    security: [{ queryKey: [] }],
    query: 'key=a&key=b',
    want: `credentials_invalid: The query key is sent 2 times [ApiKey ${realm}]`,
  },
  {
    name: 'one of two that are both needed',
    security: [{ token: [], headerKey: [] }],
    headers: { 'x-key': 'k' },
    want: `credentials_missing: The header Authorization is missing: send Bearer <access token> [Bearer ${realm}, ApiKey ${realm}]`,
  },
  {
    name: 'what was sent and is wrong, before what was not sent',
    security: [{ headerKey: [] }, { token: [] }],
    headers: token('wrong'),
    want: `credentials_invalid: The access token is invalid [ApiKey ${realm}, Bearer ${realm}, error="invalid_token"]`,
  },
  {
    name: 'a scope of each alternative',
    security: [{ token: ['a', 'b'] }, { token: ['c'] }],
    headers: token('ann.a'),
    want: `scope_missing: The token lacks the scope b or c [Bearer ${realm}, error="insufficient_scope", scope="b"]`,
  },
];

describe('credentials', () => {
  test.each(cases)('$name', async ({ want, ...given }) => {
    expect(await judge(given)).toBe(want);
  });

  test('of nobody have no scope that a value could ask for', async () => {
    const grants = await createAuthentication({ document, schemes, realm: 'things' }, withSecurity([{}]))(
      new IncomingMessage(new Socket()),
      [],
    );
    expect(() => checkScopes(grants, 'things', ['admin'])).toThrow('The request lacks the scope admin');
  });

  test('are judged once where alternatives share their scheme', async () => {
    let judged = 0;
    const counted = bearer((sent: string) => {
      judged += 1;
      return verifyToken(sent);
    });
    const request = new IncomingMessage(new Socket());
    request.headersDistinct.authorization = ['Bearer ann.c'];
    const options = { document, schemes: { token: counted }, realm: 'things' };
    await createAuthentication(options, withSecurity([{ token: ['a'] }, { token: ['b'] }, { token: ['c'] }]))(
      request,
      [],
    );
    expect(judged).toBe(1);
  });
});

/** RFC 6750, 2.1 and 3.1; RFC 9110, 11.1. Other text than a token of this scheme counts as no token. */
const headers: readonly (readonly [name: string, value: string, want: 'ann' | 'missing' | 'invalid'])[] = [
  ['Bearer', 'Bearer ann', 'ann'],
  ['bearer', 'bearer ann', 'ann'],
  ['BEARER and three spaces', 'BEARER   ann', 'ann'],
  ['nothing', '', 'missing'],
  ['the bare word', 'Bearer', 'invalid'],
  ['the bare word and spaces', 'Bearer   ', 'invalid'],
  ['two tokens', 'Bearer ann ann', 'invalid'],
  ['two tokens with a comma', 'Bearer ann, Bearer ann', 'invalid'],
  ['a tab', 'Bearer\tann', 'missing'],
  ['the token alone', 'ann', 'missing'],
  ['quotes', 'Bearer "ann"', 'invalid'],
  ['not ASCII', 'Bearer anné', 'invalid'],
  ['9 kB', `Bearer ${'A'.repeat(9000)}`, 'invalid'],
  ['9 kB of spaces', `Bearer ${' '.repeat(9000)}ann`, 'invalid'],
];

describe('the Authorization header', () => {
  test.each(headers)('with %s', async (_, authorization, want) => {
    const outcome = await judge({ security: [{ token: [] }], headers: { authorization } });
    expect(outcome).toMatch(want === 'ann' ? /^ann$/ : new RegExp(`^credentials_${want}: `));
  });
});

describe('a service does not start', () => {
  const start = (security: Operation['security'], given: Readonly<Record<string, Scheme<string>>> = {}) =>
    createAuthentication({ document, schemes: given, realm: '' }, withSecurity(security));

  test('without a check for a scheme', () => {
    expect(() => start([{ token: [] }])).toThrow(
      'no check for the security scheme token of type oauth2: pass security.token, created by bearer',
    );
  });

  test('with a check of another type', () => {
    expect(() => start([{ client: [] }], { client: apiKey(verifyKey) })).toThrow(
      'the security scheme client is of type http Basic: create security.client by basic, not by apiKey',
    );
  });

  test.each([
    ['http', { type: 'http', scheme: 'not a token' }],
    ['http', { type: 'http' }],
    ['apiKey', { type: 'apiKey', in: 'body', name: 'key' }],
  ])('with a scheme that is none: %s', (_, scheme) => {
    const document = { components: { securitySchemes: { unusual: scheme } } };
    const operation = withSecurity([{ unusual: [] }]);
    expect(() => createAuthentication({ document, schemes: {}, realm: '' }, operation)).toThrow('which no check knows');
  });

  test('with a scheme that no request can be checked for', () => {
    expect(() => start([{ certificate: [] }])).toThrow(
      'the security scheme certificate is of type mutualTLS, which no check knows',
    );
  });
});
