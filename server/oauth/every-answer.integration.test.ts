import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { logIn, loginQuery, loginTokens, send } from './fixtures/talk.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const ask = (changes: Readonly<Record<string, string | undefined>>) => send(running, `/login?${loginQuery(changes)}`);

describe('a page that somebody without its cookie asks for', () => {
  it.each([
    ['text/html,*/*;q=0.8', /^text\/html/, '<h1>This login has ended</h1>'],
    ['application/json', /^application\/json/, '"error":"invalid_request"'],
    ['*/*', /^application\/json/, '"error":"invalid_request"'],
  ])('is a problem in the form of %s', async (accept, type, text) => {
    const answer = await send(running, (await ask({})).headers.get('location')?.replace('/auth', '') ?? '', {
      headers: { Accept: accept },
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(type);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.text).toContain(text);
  });
});

describe('53 headers of every answer', () => {
  it.each([
    ['GET', '/login'],
    ['GET', '/interaction/x'],
    ['GET', '/login/x'],
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/.well-known/jwks.json'],
    ['POST', '/oauth2/token'],
    ['POST', '/oauth2/revoke'],
    ['DELETE', '/oauth2/token'],
    ['POST', '/login'],
    ['OPTIONS', '/login'],
    ['HEAD', '/.well-known/jwks.json'],
    ['GET', '/nothing'],
    ['GET', '/LOGIN'],
    ['GET', '/me'],
    ['GET', '/apps'],
    ['POST', '/apps/login'],
    ['POST', '/apps/disconnect'],
    ['POST', '/interaction/x/login'],
    ['POST', '/interaction/x/confirm'],
    ['DELETE', '/apps'],
    ['GET', '/session/end'],
    ['GET', '/%zz'],
  ])('53 %s %s', async (method, path) => {
    const { headers, status, text } = await send(running, path, { method, headers: { 'X-Request-Id': 'mine-1' } });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-request-id': 'mine-1',
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
    });
    expect(headers.has('x-powered-by')).toBe(false);
    expect(status).not.toBe(500);
    expect(text).not.toMatch(/\bat .*\.[jt]s|node_modules|SELECT|Error:/);
  });

  it("53 a request id of another form is not the answer's", async () => {
    const { headers } = await send(running, '/nothing', { headers: { 'X-Request-Id': 'a b' } });
    expect(headers.get('x-request-id')).toMatch(/^req-[0-9a-f]{16}$/);
  });
});

describe('15 the log', () => {
  it('15 has the client and the request, no code, token, secret or state', async () => {
    const { answer, bearers } = await logIn(running, loginQuery({ state: 'private-state' }));
    const tokens = await loginTokens(running);
    const text = JSON.stringify(running.log);
    expect(text).toContain('test-partner');
    for (const value of [
      ...bearers,
      answer.get('code'),
      tokens.access_token,
      tokens.refresh_token,
      'private-state',
      running.partner.secret,
    ]) {
      expect(text).not.toContain(value);
    }
  });
});
