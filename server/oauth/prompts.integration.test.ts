import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Browser, Page } from './fixtures/browser.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, loginQuery, openAt, post } from './fixtures/talk.ts';
import {
  addOwner,
  addPartner,
  ask,
  askConsent,
  auditOf,
  emailIn,
  enter,
  enterApps,
  exchange,
  neighbour,
  type Person,
  press,
  readText,
  tokenIn,
  whereIs,
} from './fixtures/walk.ts';
import { apiScopes } from './scopes.ts';

// When login and consent are shown, and when not (OpenID Connect Core, 3.1.2.1 and 3.1.2.4). The modules named
// in comments are those of the OpenID conformance suite. The OAuth server reads the system clock, so only the date is faked.

const start = Date.UTC(2026, 11, 1, 12);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const keys = await createTestKeys();
let running: RunningAuth;
let browser: Browser;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  running = await startAuth({ keys });
  browser = openAt(running);
});
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

type Parameters = Readonly<Record<string, string | undefined>>;

const at = (page: Page) => whereIs(running, page);
const go = async (parameters: Parameters = {}) => (await ask(running, parameters, browser)).page;

/** A browser in which the owner has logged in and consented. */
async function agree(parameters: Parameters = {}): Promise<Page> {
  const { page } = await askConsent(running, parameters, browser);
  expect(at(page)).toBe('consent');
  const back = await press(browser, page, 'confirm');
  expect(at(back)).toBe('code');
  return back;
}

const claims = async (page: Page) => decodeJwt(String((await exchange(running, page)).id_token));

describe('prompt', () => {
  test.each([
    // oidcc-prompt-none-not-logged-in
    { who: 'somebody who is not logged in', prompt: 'none', comesTo: 'login_required' },
    { who: 'somebody who is not logged in', prompt: undefined, comesTo: 'login' },
    { who: 'somebody who is not logged in', prompt: 'consent', comesTo: 'login' },
    { who: 'somebody who is not logged in', prompt: 'login consent', comesTo: 'login' },
    { who: 'an owner who has not agreed', prompt: 'none', comesTo: 'consent_required' },
    { who: 'an owner who has not agreed', prompt: undefined, comesTo: 'consent' },
    { who: 'an owner who has not agreed', prompt: 'login', comesTo: 'login' },
    // oidcc-prompt-none-logged-in
    { who: 'an owner who has agreed', prompt: 'none', comesTo: 'code' },
    { who: 'an owner who has agreed', prompt: undefined, comesTo: 'code' },
    { who: 'an owner who has agreed', prompt: 'consent', comesTo: 'consent' },
    // oidcc-prompt-login
    { who: 'an owner who has agreed', prompt: 'login', comesTo: 'login' },
    { who: 'an owner who has agreed', prompt: 'login consent', comesTo: 'login' },
    { who: 'an owner who has agreed', prompt: 'consent login', comesTo: 'login' },
    { who: 'an owner who has agreed', prompt: 'none login', comesTo: 'invalid_request' },
    { who: 'an owner who has agreed', prompt: 'consent none', comesTo: 'invalid_request' },
    { who: 'an owner who has agreed', prompt: 'create', comesTo: 'invalid_request' },
  ])('leads $who with prompt $prompt to $comesTo', async ({ who, prompt, comesTo }) => {
    if (who !== 'somebody who is not logged in') {
      const { page } = await askConsent(running, {}, browser);
      if (who === 'an owner who has agreed') await press(browser, page, 'confirm');
    }
    const page = await go({ prompt, state: 'a state' });
    expect(at(page)).toBe(comesTo);
    if (page.address.startsWith(callback)) {
      const answer = new URL(page.address).searchParams;
      expect([answer.get('state'), answer.get('iss')]).toEqual(['a state', running.issuer]);
    }
  });

  test('login asks for the password, and then only for what is due', async () => {
    const first = await claims(await agree({ max_age: '3600' }));
    vi.setSystemTime(start + minute);
    const again = await enter(browser, await go({ prompt: 'login' }));
    expect(at(again)).toBe('code');
    // OpenID Connect Core, 3.1.2.1: `auth_time` shows that the owner has logged in again.
    expect(await claims(again)).toMatchObject({ sub: first.sub, auth_time: (start + minute) / 1000 });
    const both = await enter(browser, await go({ prompt: 'login consent' }));
    expect(at(both)).toBe('consent');
    expect(at(await press(browser, both, 'confirm'))).toBe('code');
  });

  test('prompt=login needs a new login: the old one gives no answer', async () => {
    await agree();
    const page = await go({ prompt: 'login' });
    expect(at(await enter(browser, page, { ...owner, password: 'a guess of it' }))).toBe('login');
    expect(at(await browser.get(page.address.replace('/interaction/', '/login/')))).toBe('login');
    expect(at(await browser.get(page.address.replace('/interaction/', '/login/')))).toBe('This login has ended');
  });
});

describe('max_age', () => {
  test.each([
    // oidcc-max-age-1
    { age: 2 * second, max_age: '1', comesTo: 'login' },
    { age: 1 * second, max_age: '1', comesTo: 'code' },
    { age: 0, max_age: '0', comesTo: 'login' },
    // oidcc-max-age-10000
    { age: 9000 * second, max_age: '10000', comesTo: 'code' },
    { age: 10_001 * second, max_age: '10000', comesTo: 'login' },
    { age: 11 * hour, max_age: '2147483647', comesTo: 'code' },
    { age: 11 * hour, max_age: undefined, comesTo: 'code' },
  ])('of $max_age, $age ms after the login, leads to $comesTo', async ({ age, max_age, comesTo }) => {
    await agree();
    vi.setSystemTime(start + age);
    expect(at(await go({ max_age, prompt: 'none' }))).toBe(comesTo === 'code' ? 'code' : 'login_required');
    const page = await go({ max_age });
    expect(at(page)).toBe(comesTo);
    const back = comesTo === 'login' ? await enter(browser, page) : page;
    expect(at(back)).toBe('code');
    const loggedInAt = Math.floor((comesTo === 'login' ? start + age : start) / 1000);
    expect((await claims(back)).auth_time).toBe(max_age === undefined ? undefined : loggedInAt);
  });

  test('adds auth_time, also after a refresh', async () => {
    const tokens = await exchange(running, await agree({ max_age: '600' }));
    vi.setSystemTime(start + 5 * hour);
    const fields = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) };
    const { body } = await post(running, '/oauth2/token', fields, basic(running.partner));
    // OpenID Connect Core, 12.2: of the original authentication.
    for (const { id_token } of [tokens, body ?? {}]) expect(decodeJwt(String(id_token)).auth_time).toBe(start / 1000);
  });
});

describe('a browser stays logged in', () => {
  test.each([
    { later: 12 * hour - second, comesTo: 'code' },
    { later: 12 * hour + minute, comesTo: 'login' },
  ])('for 12 hours after the login: $later ms later it comes to $comesTo', async ({ later, comesTo }) => {
    await agree();
    for (const used of [4, 8, 11]) {
      vi.setSystemTime(start + used * hour);
      expect(at(await go())).toBe('code');
    }
    vi.setSystemTime(start + later);
    expect(at(await go())).toBe(comesTo);
    expect(at(await browser.get('/auth/apps'))).toBe(comesTo === 'code' ? 'apps' : 'login of apps');
  });

  test('for 12 hours again after another login', async () => {
    await agree();
    vi.setSystemTime(start + 10 * hour);
    await enter(browser, await go({ prompt: 'login' }));
    vi.setSystemTime(start + 21 * hour);
    expect(at(await go())).toBe('code');
    vi.setSystemTime(start + 22 * hour + minute);
    expect(at(await go())).toBe('login');
  });
});

describe('consent is remembered within the browser session', () => {
  const wide = 'openid profile serviceapi/get-devices serviceapi/update-device';
  const narrow = 'openid serviceapi/get-devices';

  test.each([
    { given: wide, asked: wide, comesTo: 'code' },
    { given: wide, asked: wide.split(' ').reverse().join(' '), comesTo: 'code' },
    { given: wide, asked: narrow, comesTo: 'code' },
    { given: wide, asked: 'serviceapi/get-devices', comesTo: 'code' },
    { given: wide, asked: 'openid', comesTo: 'code' },
    { given: narrow, asked: wide, comesTo: 'consent' },
    { given: narrow, asked: `${narrow} profile`, comesTo: 'consent' },
    { given: narrow, asked: `${narrow} serviceapi/get-properties`, comesTo: 'consent' },
    { given: narrow, asked: '', comesTo: 'consent' },
    { given: '', asked: '', comesTo: 'code' },
    { given: '', asked: wide, comesTo: 'code' },
  ])('having agreed to "$given", a login for "$asked" comes to $comesTo', async ({ given, asked, comesTo }) => {
    await agree({ scope: given });
    expect(at(await go({ scope: asked, prompt: 'none' }))).toBe(comesTo === 'code' ? 'code' : 'consent_required');
    expect(at(await go({ scope: asked }))).toBe(comesTo);
    expect(at(await go({ scope: asked, prompt: 'consent' }))).toBe('consent');
  });

  test('grants the scopes of this request, not all earlier ones', async () => {
    await agree({ scope: wide });
    const tokens = await exchange(running, await go({ scope: narrow }));
    expect(tokens.scope).toBe(narrow);
    expect(decodeJwt(String(tokens.id_token)).name).toBeUndefined();
    const fields = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token), scope: wide };
    const { status, body } = await post(running, '/oauth2/token', fields, basic(running.partner));
    expect([status, body?.error]).toEqual([400, 'invalid_scope']);
  });

  test('is not narrowed by a login with fewer scopes', async () => {
    await agree({ scope: wide });
    expect(at(await go({ scope: narrow }))).toBe('code');
    expect(at(await go({ scope: wide }))).toBe('code');
  });

  test('creates a grant for each login, with its audit entry', async () => {
    const first = await exchange(running, await agree());
    const second = await exchange(running, await go());
    const gid = (tokens: Record<string, unknown>) => decodeJwt(String(tokens.access_token)).gid;
    expect(gid(first)).not.toBe(gid(second));
    await post(running, '/oauth2/revoke', { token: String(first.refresh_token) }, basic(running.partner));
    expect(await running.verify(String(first.access_token))).toEqual({ kind: 'bad', reason: 'revoked' });
    expect(await running.verify(String(second.access_token))).toMatchObject({ kind: 'good' });
    const lines = (await running.store.audit.list(owner.accountId)).map(({ action, ownerId, clientId }) => [
      action,
      ownerId,
      clientId,
    ]);
    expect(lines).toEqual([
      ['log_in', owner.id, 'test-partner'],
      ['give_consent', owner.id, 'test-partner'],
      ['repeat_consent', owner.id, 'test-partner'],
    ]);
  });

  test('not for another client', async () => {
    await addPartner(running, 'other-partner');
    await agree();
    expect(at(await go({ client_id: 'other-partner' }))).toBe('consent');
    expect(at(await go({ client_id: 'other-partner', prompt: 'none' }))).toBe('consent_required');
  });

  test('not in another browser', async () => {
    await agree();
    const { page } = await askConsent(running);
    expect(at(page)).toBe('consent');
  });

  describe.each(['by prompt=login', 'by "somebody else"', 'on the page of connected apps'])('and %s', (way) => {
    async function logIn(person: Person): Promise<void> {
      if (way === 'on the page of connected apps') {
        expect(at(await enterApps(browser, person))).toBe('apps');
        return;
      }
      const page =
        way === 'by prompt=login'
          ? await go({ prompt: 'login' })
          : await press(browser, await go({ prompt: 'consent' }), 'other');
      expect(at(page)).toBe('login');
      const next = await enter(browser, page, person);
      expect(at(next)).toBe('consent');
      expect(next.text).toContain(person.name);
    }

    beforeEach(() => addOwner(running));

    test('another owner logs in: not for that one', async () => {
      await agree();
      await logIn(neighbour);
      expect(at(await go({ prompt: 'none' }))).toBe('consent_required');
      const page = await go();
      expect(at(page)).toBe('consent');
      expect(page.text).not.toContain(owner.name);
    });

    test('the first one logs in again after another: not for that one either', async () => {
      await agree();
      await logIn(neighbour);
      await logIn(owner);
      expect(at(await go({ prompt: 'none' }))).toBe('consent_required');
    });
  });

  test.each([
    {
      end: 'the owner disconnects the client',
      act: async () => {
        const token = tokenIn(await browser.get('/auth/apps'));
        await browser.post('/auth/apps/disconnect', { client: 'test-partner', token });
      },
      comesTo: 'consent',
    },
    {
      end: 'the client revokes its refresh token',
      act: (tokens: Record<string, unknown>) =>
        post(running, '/oauth2/revoke', { token: String(tokens.refresh_token) }, basic(running.partner)),
      comesTo: 'consent',
    },
    {
      end: 'the owner logs out',
      act: async () => browser.post('/auth/apps/log-out', { token: tokenIn(await browser.get('/auth/apps')) }),
      comesTo: 'login',
    },
    {
      end: 'the password is changed',
      act: () =>
        running.store.owners.setPassword(owner.id, { passwordHash: 'x', at: Date.now() }, auditOf('set_password')),
      comesTo: 'login',
    },
    {
      end: 'the owner is disabled',
      act: () => running.store.owners.setDisabled(owner.id, Date.now(), auditOf('disable_owner')),
      comesTo: 'login',
    },
    {
      end: 'the account is disabled',
      act: () => running.store.accounts.setDisabled(owner.accountId, Date.now()),
      comesTo: 'login',
    },
    {
      end: 'the client is registered for less',
      act: async () => {
        const { metadata: from = '' } = (await running.store.clients.find('test-partner')) ?? {};
        const to = JSON.stringify({ ...JSON.parse(from), api_scopes: 'serviceapi/get-properties' });
        await running.store.clients.replaceMetadata({ clientId: 'test-partner', from, to }, auditOf('narrow_client'));
      },
      comesTo: 'invalid_scope',
    },
  ])('until $end', async ({ act, comesTo }) => {
    const tokens = await exchange(running, await agree());
    vi.setSystemTime(start + minute);
    await act(tokens);
    const none = { login: 'login_required', consent: 'consent_required' }[comesTo] ?? comesTo;
    expect(at(await go({ prompt: 'none' }))).toBe(none);
    expect(at(await go())).toBe(comesTo);
  });

  test('a login that asks for consent asks for it also after "somebody else"', async () => {
    await agree();
    const page = await press(browser, await go({ prompt: 'consent' }), 'other');
    expect(at(await enter(browser, page))).toBe('consent');
  });
});

describe('"somebody else"', () => {
  test('starts the same request again, with all parameters', async () => {
    const browser = openAt(running);
    const query = loginQuery({
      scope: '',
      state: 'a state+&=%',
      nonce: 'n',
      ui_locales: 'de',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      max_age: '600',
    });
    for (const _ of [1, 2]) query.append('resource', running.resource);
    const first = await enter(browser, await browser.get(`/auth/login?${query}`));
    const again = await press(browser, first, 'other');
    expect([at(again), again.text.includes('<html lang="de">')]).toEqual(['login', true]);
    const back = await press(browser, await enter(browser, again), 'confirm');
    expect(new URL(back.address).searchParams.get('state')).toBe('a state+&=%');
    const code = new URL(back.address).searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const verifier = { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };
    expect((await post(running, '/oauth2/token', fields, basic(running.partner))).body?.error).toBe('invalid_grant');
    const { body } = await post(running, '/oauth2/token', { ...fields, ...verifier }, basic(running.partner));
    expect(String(body?.scope).split(' ')).toHaveLength(2 + apiScopes.length);
    expect(decodeJwt(String(body?.id_token))).toMatchObject({ nonce: 'n', auth_time: start / 1000 });
  });
});

describe('nothing is stored for a page that will be shown', () => {
  const more = loginQuery().get('scope')?.concat(' serviceapi/update-device');
  test.each([
    { prompt: 'login' },
    { prompt: 'consent' },
    { max_age: '60' },
    { prompt: 'none', max_age: '60' },
    { scope: more },
    { scope: more, prompt: 'none' },
  ])('%j writes no grant and no audit entry', async (parameters) => {
    await agree();
    vi.setSystemTime(start + hour);
    const before = await running.store.audit.list(owner.accountId);
    await go(parameters);
    expect(await running.store.audit.list(owner.accountId)).toEqual(before);
  });
});

describe('id_token_hint', () => {
  // oidcc-id-token-hint
  test('of the owner who is logged in has no effect; of another one, the login is due', async () => {
    await addOwner(running);
    const hint = String((await exchange(running, await agree())).id_token);
    // Also for an expired token (OpenID Connect Core, 3.1.2.1).
    vi.setSystemTime(start + 2 * hour);
    expect(at(await go({ id_token_hint: hint, prompt: 'none' }))).toBe('code');
    const page = await enter(browser, await go({ prompt: 'login' }), neighbour);
    expect(at(await press(browser, page, 'confirm'))).toBe('code');
    const before = await running.store.audit.list(owner.accountId);
    expect(at(await go({ id_token_hint: hint, prompt: 'none' }))).toBe('login_required');
    expect(await running.store.audit.list(owner.accountId)).toEqual(before);
    expect(at(await enter(browser, await go({ id_token_hint: hint }), owner))).toBe('consent');
  });

  test('of an owner, and another logs in: the application does not get the other', async () => {
    await addOwner(running);
    const hint = String((await exchange(running, await agree())).id_token);
    const back = await enter(browser, await go({ id_token_hint: hint, prompt: 'login' }), neighbour);
    expect(at(back)).toBe('login_required');
  });

  test.each(['x', 'a.b.c', ''])('%j is no ID token', async (id_token_hint) => {
    expect(at(await go({ id_token_hint }))).toBe(id_token_hint === '' ? 'login' : 'invalid_request');
  });
});

describe('the login page', () => {
  test.each([
    { login_hint: owner.email, shows: owner.email },
    // oidcc-login-hint
    { login_hint: 'buffy@harbour.example', shows: 'buffy@harbour.example' },
    { login_hint: '"><script>alert(1)</script>', shows: '"><script>alert(1)</script>' },
    { login_hint: undefined, shows: '' },
  ])('shows login_hint $login_hint in its field', async ({ login_hint, shows }) => {
    const page = await go({ login_hint });
    expect(emailIn(page)).toBe(shows);
    expect(page.text).not.toContain('<script>alert');
  });

  test('shows the owner who is logged in, unless the application sends a hint', async () => {
    await agree();
    expect(emailIn(await go({ prompt: 'login' }))).toBe(owner.email);
    expect(emailIn(await go({ prompt: 'login', login_hint: neighbour.email }))).toBe(neighbour.email);
  });

  test('keeps the typed e-mail after a failure, but no password', async () => {
    const page = await go({ login_hint: owner.email });
    const again = await enter(browser, page, { email: 'typed@harbour.example', password: 'a guess of it' });
    expect([again.status, emailIn(again)]).toEqual([400, 'typed@harbour.example']);
    expect(again.text).not.toContain('a guess of it');
  });

  test.each([
    { ui_locales: 'de', accept: 'en', speaks: 'de' },
    // oidcc-ui-locales
    { ui_locales: 'se', accept: undefined, speaks: 'en' },
    { ui_locales: 'fr de en', accept: 'en', speaks: 'de' },
    { ui_locales: 'de-CH', accept: undefined, speaks: 'de' },
    { ui_locales: 'fr', accept: 'de-AT, en;q=0.5', speaks: 'de' },
    { ui_locales: undefined, accept: 'de;q=0.4, en;q=0.9', speaks: 'en' },
    { ui_locales: undefined, accept: 'fr', speaks: 'en' },
    { ui_locales: undefined, accept: '*', speaks: 'en' },
    { ui_locales: ';q=1,,', accept: 'de', speaks: 'de' },
  ])('with ui_locales $ui_locales and Accept-Language $accept speaks $speaks', async (given) => {
    const { ui_locales, accept, speaks } = given;
    browser = openAt(running, accept === undefined ? {} : { 'Accept-Language': accept });
    const page = await go({ ui_locales });
    const consent = await enter(browser, page);
    expect(at(consent)).toBe('consent');
    for (const { text } of [page, consent]) expect(text).toContain(`<html lang="${speaks}">`);
    expect(readText(/<h1>(.*?)<\/h1>/, page)).toBe({ en: 'Log in', de: 'Anmelden' }[speaks]);
  });

  test('is not cached and not framed, in any state', async () => {
    await addOwner(running);
    const login = await go();
    const failed = await enter(browser, login, { email: owner.email, password: 'a guess of it' });
    const consent = await enter(browser, login);
    const ended = await browser.get(login.address);
    const apps = await browser.get('/auth/apps');
    for (const page of [login, failed, consent, ended, apps]) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^ ;]+'; form-action [^;]+; base-uri 'none'; frame-ancestors 'none'$/,
      );
      // 16: no script at all, also not on the redirect after consent.
      expect(page.text).not.toMatch(/<script|javascript:| on[a-z]+=/i);
    }
    for (const page of [login, failed, consent])
      expect(page.headers.get('content-security-policy')).toContain(
        "form-action 'self' https: https://partner.example;",
      );
    for (const page of [ended, apps])
      expect(page.headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  test('belongs to its own request: nonce is in the ID token of the login that has it', async () => {
    const [one, other] = [await go({ nonce: 'one' }), await go({ nonce: 'other' })];
    const consent = await enter(browser, one);
    expect((await claims(await press(browser, consent, 'confirm'))).nonce).toBe('one');
    expect((await claims(await enter(browser, other))).nonce).toBe('other');
    expect(loginQuery().has('nonce')).toBe(false);
    expect((await claims(await go())).nonce).toBeUndefined();
  });
});
