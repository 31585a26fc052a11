import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, openAt, post, send } from './fixtures/talk.ts';
import {
  ask,
  askConsent,
  attempt,
  cookiesOf,
  enter,
  enterApps,
  pathOf,
  press,
  sendApps,
  tokenIn,
} from './fixtures/walk.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

describe('a page that is requested without its cookie', () => {
  test.each([
    ['text/html,*/*;q=0.8', /^text\/html/, '<h1>Your browser keeps no cookies here</h1>'],
    ['application/json', /^application\/json/, '"error":"invalid_request"'],
    ['*/*', /^application\/json/, '"error":"invalid_request"'],
  ])('is a problem in the media type of %s', async (accept, type, text) => {
    const { page } = await ask(running);
    const answer = await send(running, pathOf(page), { headers: { Accept: accept } });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(type);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.text).toContain(text);
  });
});

test.each(['/nothing', '/apps/', '/', '/apps/nothing'])('a person who opens %s gets a page', async (path) => {
  const answer = await send(running, path, { headers: { Accept: 'text/html' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(answer.text).toContain('<h1>There is no such page</h1>');
});

describe('headers of every answer', () => {
  test.each([
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
  ])('%s %s', async (method, path) => {
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

  test('an invalid request id is not repeated in the answer', async () => {
    const { headers } = await send(running, '/nothing', { headers: { 'X-Request-Id': 'a b' } });
    expect(headers.get('x-request-id')).toMatch(/^req-[0-9a-f]{16}$/);
  });
});

describe('leaks to other sites', () => {
  test('no answer between the application and the callback sends a referrer or is cached', async () => {
    const { browser, page } = await askConsent(running, { state: 's' });
    await press(browser, page, 'confirm');
    await enterApps(browser);
    await sendApps(browser, 'log-out');
    expect(browser.answers.length).toBeGreaterThan(10);
    for (const { address, headers } of browser.answers) {
      const [referrer, cache] = [headers.get('referrer-policy'), headers.get('cache-control')];
      expect([address, referrer, cache]).toEqual([address, 'no-referrer', 'no-store']);
    }
  });
});

describe('the log', () => {
  const typed = {
    'a password in the field of the e-mail': 'hunter2-hunter2-hunter2',
    'an unknown e-mail': 'typed-by-nobody@elsewhere.example',
    'a wrong password': 'a-guess-of-the-password',
    state: 'private-state',
    nonce: 'private-nonce',
    login_hint: 'hinted@elsewhere.example',
    code_verifier: 'private-verifier-'.padEnd(43, 'v'),
    'a code that nobody issued': 'private-made-up-code',
    'a token that nobody issued': 'private-made-up-token',
  } as const;

  /** All steps of an owner and many failures. @returns every value that would give access */
  async function live(auth: RunningAuth): Promise<Record<string, string | undefined>> {
    const browser = openAt(auth);
    const code_challenge = createHash('sha256').update(typed.code_verifier).digest('base64url');
    const { state, nonce, login_hint } = typed;
    const parameters = { state, nonce, login_hint, code_challenge, code_challenge_method: 'S256' };
    const { page } = await ask(auth, parameters, browser);
    for (const [email, password] of [
      [typed['a password in the field of the e-mail'], typed['a wrong password']],
      [typed['an unknown e-mail'], owner.password],
      [owner.email, typed['a wrong password']],
    ] as const)
      await enter(browser, page, { email, password });
    await attempt(auth, page, 'confirm', { Cookie: cookiesOf(browser, page) });
    await attempt(auth, page, 'login', {});
    const consent = await enter(browser, page);
    const back = await press(browser, consent, 'confirm');
    await browser.get(consent.address);
    const code = new URL(back.address).searchParams.get('code') ?? '';
    const spend = (fields: Record<string, string>) => post(auth, '/oauth2/token', fields, basic(auth.partner));
    const exchange = { grant_type: 'authorization_code', redirect_uri: callback };
    await spend({ ...exchange, code: typed['a code that nobody issued'] });
    await spend({ ...exchange, code });
    const { body: tokens } = await spend({ ...exchange, code, code_verifier: typed.code_verifier });
    const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens?.refresh_token) };
    const { body: refreshed } = await spend(refresh);
    await spend({ ...refresh, refresh_token: typed['a token that nobody issued'] });
    await spend({ ...refresh, scope: 'nothing' });
    await ask(auth, { ...parameters, prompt: 'none', scope: 'nothing' }, browser);
    await ask(auth, { ...parameters, client_id: 'nobody' }, browser);
    await ask(auth, { ...parameters, redirect_uri: 'https://elsewhere.example/private-path' }, browser);
    const token = tokenIn(await browser.get('/auth/apps'));
    await browser.post('/auth/apps/disconnect', { token: 'private-form-token', client: 'x' });
    await sendApps(browser, 'disconnect', { client: 'test-partner' });
    await spend({ ...exchange, code, code_verifier: typed.code_verifier });
    await spend(refresh);
    await post(auth, '/oauth2/revoke', { token: refresh.refresh_token }, basic(auth.partner));
    await sendApps(browser, 'log-out');
    await enterApps(browser, { email: owner.email, password: typed['a wrong password'] });
    await enterApps(browser);
    await sendApps(browser, 'log-out-everywhere');
    const cookies = [...browser.cookieValues].map((value, index) => [`cookie ${index}`, value]);
    const { access_token, id_token, refresh_token } = (tokens ?? {}) as Record<string, string>;
    return {
      ...typed,
      ...Object.fromEntries(cookies),
      code,
      access_token,
      id_token,
      refresh_token,
      'refreshed access token': String(refreshed?.access_token),
      'form token': token,
      'interaction of the login': page.address.split('/').at(-1),
      'interaction of the consent': consent.address.split('/').at(-1),
      password: owner.password,
      email: owner.email,
      name: owner.name,
      secret: auth.partner.secret,
      'a callback': 'private-path',
      'a form token of nobody': 'private-form-token',
    };
  }

  function leaksOf(auth: RunningAuth, secrets: Record<string, string | undefined>): readonly string[] {
    // As a logger writes it: errors with their stacks and causes.
    const text = inspect(auth.log, { depth: Infinity, maxStringLength: Infinity, breakLength: Infinity });
    return Object.entries(secrets)
      .filter(([, value]) => value === undefined || value.length < 6 || text.includes(value))
      .map(([name]) => name);
  }

  test('contains clients, owners and requests, but no credential and no typed text', async () => {
    const auth = await startAuth({ keys: running.keys });
    try {
      const secrets = await live(auth);
      expect(Object.keys(secrets).length).toBeGreaterThan(30);
      expect(leaksOf(auth, secrets)).toEqual([]);
      const texts = new Set(auth.log.map(({ text }) => text));
      for (const text of [
        'owner login failed',
        'owner logged in',
        'token issued',
        'token request rejected',
        'login rejected',
      ])
        expect(texts).toContain(text);
      const ofRequests = auth.log.filter(({ text }) => text !== 'login requests throttled');
      for (const { fields } of ofRequests) expect(fields).toHaveProperty('requestId', expect.stringMatching(/^req-/));
    } finally {
      await auth.close();
    }
  });

  test.each([
    ['find', 7],
    ['put', 4],
    ['consume', 2],
    ['remove', 2],
    ['listGrants', 2],
  ] as const)('also if the store fails in between: at %s, one call in %i', async (method, every) => {
    let calls = 0;
    const auth = await startAuth({
      keys: running.keys,
      faultyStore: ({ oidc, ...store }) => ({
        ...store,
        oidc: {
          ...oidc,
          [method]: async (...given: unknown[]) => {
            calls += 1;
            // Not each time, so that later calls are reached too.
            if (calls % every === 0) throw new Error('the disk is on fire');
            return Reflect.apply(oidc[method] as (...given: unknown[]) => unknown, oidc, given);
          },
        },
      }),
    });
    try {
      const { 'interaction of the consent': _, code: __, ...secrets } = await live(auth);
      const known = Object.entries(secrets).filter(
        ([, value]) => value !== undefined && value !== 'undefined' && value !== '',
      );
      expect(leaksOf(auth, Object.fromEntries(known))).toEqual([]);
      expect(inspect(auth.log, { depth: 9 })).toContain('the disk is on fire');
    } finally {
      await auth.close();
    }
  });
});
