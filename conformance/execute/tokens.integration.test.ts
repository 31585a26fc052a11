import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, createConnection } from './connection.ts';
import type { TokenCredentials } from './mint-token.ts';
import { createTokens, type Tokens } from './tokens.ts';

/** Scopes that the test's server grants. */
const allowed = ['items:read', 'items:write'];

let server: Server;
let base: string;
let asked: string[];
let connection: Connection;

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    asked.push(form.get('scope') ?? '-');
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const basic = `Basic ${Buffer.from('a%3Ab:s+e').toString('base64')}`;
    const scopes = form.get('scope')?.split(' ') ?? allowed;
    if (request.url !== '/oauth/token') answer(404, {});
    else if (request.headers.authorization !== basic) answer(401, { error: 'invalid_client' });
    else if (scopes.some((scope) => !allowed.includes(scope))) answer(400, { error: 'invalid_scope' });
    else answer(200, { access_token: `for ${scopes}`, token_type: 'Bearer', expires_in: 600 });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth`;
  connection = createConnection({ timeoutMs: 30_000, signal: new AbortController().signal });
});

afterEach(async () => {
  await connection.close();
  server.close();
});

function tokensOf(
  credentials: Partial<TokenCredentials>,
  scopes = ['items:read', 'items:write', 'others:read'],
): Tokens {
  return createTokens({
    credentials: { token: undefined, clientId: undefined, clientSecret: undefined, ...credentials },
    endpoint: { base, path: '/token' },
    scopes,
    connection,
    keepSecret: () => undefined,
  });
}

const client = { clientId: 'a:b', clientSecret: 's e' };

describe('a token endpoint that rejects all scopes because of one, and names no granted scope', () => {
  test('gives a token for the scopes of an operation', async () => {
    const tokens = tokensOf(client);
    expect((await tokens.tokenFor(['items:write']))?.text).toBe('for items:read,items:write');
    expect(asked).toEqual(['-']);
  });
  test('gives a token without one scope, found by requesting each scope', async () => {
    const tokens = tokensOf(client);
    expect((await tokens.tokenWithout(['items:read']))?.text).toBe('for items:write');
    expect(asked).toEqual(['-', 'items:read items:write others:read', 'items:read', 'items:write', 'others:read']);
    expect(tokens.problems()).toEqual([]);
  });
  test('reports why there is no token', async () => {
    const tokens = tokensOf({ clientId: 'someone', clientSecret: 'else' });
    expect(await tokens.tokenFor([])).toBeUndefined();
    expect(tokens.problems()).toEqual([`POST ${base}/token without a scope: 401 invalid_client`]);
  });
});

describe('a command', () => {
  test('receives the scopes, and parses none of their characters as a command', async () => {
    const scopes = ['a;b', '$(echo no)'];
    const tokens = tokensOf({ tokenCommand: 'printf "%s" {scope} | tr " " "+"' }, scopes);
    expect((await tokens.tokenFor(scopes))?.text).toBe('$(echo+no)+a;b');
    expect((await tokens.tokenWithout(['a;b']))?.text).toBe('$(echo+no)');
  });
  test('without {scope} runs once', async () => {
    const tokens = tokensOf({ tokenCommand: `printf '{"access_token":"%s","scope":"x y"}' "$$"` });
    const [one, other] = await Promise.all([tokens.tokenFor(['a']), tokens.tokenFor(['b'])]);
    expect(one?.granted).toEqual(['x', 'y']);
    expect(other).toBe(one);
    expect(await tokens.tokenWithout(['a'])).toBeUndefined();
  });
  test.each([
    { command: 'echo "who are you" >&2; exit 3', message: '--token-command with scope a: exit 3: who are you' },
    { command: 'echo two words', message: '--token-command with scope a: its output is more than one word' },
    { command: 'true', message: '--token-command with scope a: its output is empty' },
  ])('that fails is reported: $command', async ({ command, message }) => {
    const tokens = tokensOf({ tokenCommand: `: {scope}; ${command}` });
    expect(await tokens.tokenFor(['a'])).toBeUndefined();
    expect(tokens.problems()).toEqual([message]);
  });
});
