import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Browser, Page } from './fixtures/browser.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { accountId, owner, type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { basic, openAt, ownToken, post, send, type Tokens } from './fixtures/talk.ts';
import {
  addOwner,
  addPartner,
  ask,
  askConsent,
  attempt,
  auditOf,
  connect,
  cookiesOf,
  enter,
  enterApps,
  exchange,
  isAlive,
  neighbour,
  press,
  readText,
  sendApps,
  tokenIn,
  whereIs,
} from './fixtures/walk.ts';
import { guessLimits } from './limit-guesses.ts';
import { catalogues } from './pages/messages/catalogues.ts';
import { apiScopes, openIdScopes } from './scopes.ts';

// The consent page, and the page on which owners end access. The OAuth server reads the system clock, so only the date is faked.

const start = Date.UTC(2026, 11, 1, 12);
const hour = 3_600_000;
const day = 24 * hour;

const keys = await createTestKeys();
let running: RunningAuth;
let browser: Browser;

async function begin(options: StartOptions = {}): Promise<void> {
  running = await startAuth({ keys, ...options });
  browser = openAt(running);
  await addOwner(running);
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  await begin();
});
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

const at = (page: Page) => whereIs(running, page);
const later = (ms = 1000) => void vi.setSystemTime(Date.now() + ms);
const textOf = ({ text }: Page) => readText(/<main>(.*)<\/main>/s, { text })?.replaceAll(/\s+/g, ' ') ?? '';
const noticeOf = (page: Page) => readText(/role="status">(.*?)<\/div>/s, page);
const faultOf = (page: Page) => readText(/role="alert"[^>]*>(.*?)<\/div>/s, page);
const itemsOf = (page: Page) =>
  [...page.text.matchAll(/<li>(?!\s*<div)(.*?)<\/li>/gs)].map(([item]) => readText(/(.*)/s, { text: item }));
const appsOf = (page: Page) => [...page.text.matchAll(/name="client" value="([^"]*)"/g)].map(([, id]) => id);
const audited = async () =>
  (await running.store.audit.list(accountId)).map(({ action, ownerId, clientId }) => [action, ownerId, clientId]);

describe('the consent page', () => {
  test.each(['en', 'de'] as const)('names client, account, owner, permissions and expiry, in %s', async (language) => {
    const client = await addPartner(running, 'guest-house', {
      name: 'Guest <b>House</b> & "Sons"',
      redirectUris: ['https://guests.example:8443/back?from=locks'],
    });
    const { page } = await askConsent(
      running,
      {
        client_id: client.clientId,
        redirect_uri: 'https://guests.example:8443/back?from=locks',
        scope: '',
        ui_locales: language,
      },
      browser,
    );
    expect(at(page)).toBe('consent');
    const said = textOf(page);
    const end = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(start + 365 * day);
    const whole = [
      'Guest <b>House</b> & "Sons"',
      'Harbour Stays',
      owner.name,
      owner.email,
      'guests.example:8443',
      { en: '365 days', de: '365 Tage' }[language],
      end,
      `${running.issuer}/apps`,
    ];
    for (const text of whole) expect(said).toContain(text);
    const words = [...openIdScopes, ...apiScopes].map((scope) =>
      catalogues[language].scopes[scope as 'openid'].replaceAll('`', ''),
    );
    expect(itemsOf(page).sort()).toEqual(words.sort());
    expect(page.text).not.toContain('<b>House');
  });

  test.each(apiScopes)('describes %s, and no other scope', async (scope) => {
    const { page } = await askConsent(running, { scope }, browser);
    const words = catalogues.en.scopes;
    expect(itemsOf(page).sort()).toEqual(
      [words.openid, words[scope as 'openid']].map((text) => text.replaceAll('`', '')).sort(),
    );
  });

  test('is bound to its request: no field of its form changes it', async () => {
    const { page } = await askConsent(running, { scope: 'openid serviceapi/get-devices' }, browser);
    const fields = {
      scope: apiScopes.join(' '),
      client_id: 'other',
      redirect_uri: 'https://evil.example',
      accountId: neighbour.id,
    };
    const tokens = await exchange(running, await browser.post(`${page.address}/confirm`, fields));
    expect(tokens.scope).toBe('openid serviceapi/get-devices');
  });
});

describe('the page of connected applications', () => {
  test('lists each client once with all that it may do, since when and until when, the newest first', async () => {
    const other = await addPartner(running, 'guest-house', { name: 'Guest House' });
    await connect(running, { browser, scope: 'openid serviceapi/get-devices' });
    later(2 * day);
    await connect(running, { browser, scope: 'serviceapi/get-properties' });
    later(day);
    await connect(running, { browser, client: other, scope: 'profile' });
    const page = await browser.get('/auth/apps');
    expect(at(page)).toBe('apps');
    expect(appsOf(page)).toEqual(['guest-house', 'test-partner']);
    const said = textOf(page);
    for (const text of ['Harbour Stays', owner.name, owner.email]) expect(said).toContain(text);
    expect(said).toContain('Guest House Connected on December 4, 2026 Access until December 4, 2027');
    expect(said).toContain('Partner Connected on December 1, 2026 Access until December 3, 2027');
    const { scopes } = catalogues.en;
    expect(itemsOf(page)).toEqual(
      [
        scopes.profile,
        scopes.openid,
        scopes['serviceapi/get-devices'],
        scopes['serviceapi/get-properties'],
        scopes.openid,
      ].map((text) => text.replaceAll('`', '')),
    );
  });

  test('shows nothing of other owners, other accounts and ended grants', async () => {
    await addPartner(running, 'guest-house');
    await connect(running, { person: neighbour });
    const ended = await connect(running);
    await post(running, '/oauth2/revoke', { token: ended.refresh_token }, basic(running.partner));
    const page = await enterApps(browser);
    expect(at(page)).toBe('apps');
    expect([appsOf(page), textOf(page).includes('No application is connected')]).toEqual([[], true]);
    expect(textOf(page)).not.toContain(neighbour.name);
    await connect(running, { browser });
    expect(appsOf(await browser.get('/auth/apps'))).toEqual(['test-partner']);
    later(365 * day);
    expect(appsOf(await enterApps(browser))).toEqual([]);
  });

  test('has its own login, which shows faults', async () => {
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
    const { email, password } = owner;
    for (const [fields, says] of [
      [{ email, password: 'a guess of it' }, 'E-mail or password is wrong.'],
      [{ email: 'nobody@harbour.example', password }, 'E-mail or password is wrong.'],
      [{ email, password: '' }, 'Enter your password.'],
      [{ email: ' ', password }, 'Enter your e-mail.'],
      [{}, 'Enter your e-mail.Enter your password.'],
    ] as const) {
      const page = await sendApps(browser, 'login', fields);
      expect([page.status, at(page), faultOf(page)]).toEqual([400, 'login of apps', says]);
    }
    expect(at(await enterApps(browser))).toBe('apps');
    expect(await audited()).toEqual([['log_in', owner.id, owner.id]]);
  });

  test('logs in after a pause when there were too many guesses from many addresses', async () => {
    await running.close();
    await begin({ publicOrigin: 'https://locks.example' });
    const enterFrom = (index: number, password: string) =>
      enterApps(openAt(running, { 'X-Forwarded-For': `198.51.100.${index + 1}` }), { email: owner.email, password });
    for (let index = 0; index <= guessLimits.email.failures; index += 1)
      expect((await enterFrom(index, 'a guess of it')).status).toBe(400);
    const begun = performance.now();
    expect(at(await enterFrom(200, owner.password))).toBe('apps');
    expect(performance.now() - begun).toBeGreaterThanOrEqual(guessLimits.pause.stepMs - 1);
  });
});

describe('disconnecting a client', () => {
  test('revokes all its tokens at once, and shows that', async () => {
    const first = await connect(running, { browser });
    later(day);
    const second = await connect(running, { browser });
    const { page: waiting } = await ask(running, {}, browser);
    const before = await audited();
    const page = await sendApps(browser, 'disconnect', { client: 'test-partner' });
    expect([page.status, at(page), noticeOf(page)]).toEqual([200, 'apps', 'Partner is disconnected.']);
    expect(page.text).toMatch(/<title>Disconnected – /);
    expect(appsOf(page)).toEqual([]);
    for (const tokens of [first, second]) expect(await isAlive(running, tokens)).toBe(false);
    expect((await exchange(running, waiting)).error).toBe('invalid_grant');
    expect(await audited()).toEqual([...before, ['disconnect_client', owner.id, 'test-partner']]);
    expect(noticeOf(await browser.get('/auth/apps'))).toBeUndefined();
  });

  test('leaves other clients, other owners, other browsers and own-account tokens alone', async () => {
    const other = await addPartner(running, 'guest-house');
    const elsewhere = openAt(running);
    await connect(running, { browser });
    const left: readonly [Tokens, typeof other][] = [
      [await connect(running, { browser, client: other }), other],
      [await connect(running, { person: neighbour }), running.partner],
    ];
    const own = await ownToken(running);
    await enterApps(elsewhere);
    await sendApps(browser, 'disconnect', { client: 'test-partner' });
    for (const [tokens, client] of left) expect(await isAlive(running, tokens, client)).toBe(true);
    expect(await running.verify(own)).toMatchObject({ kind: 'good' });
    expect(at(await elsewhere.get('/auth/apps'))).toBe('apps');
    expect(appsOf(await browser.get('/auth/apps'))).toEqual(['guest-house']);
  });

  test.each([
    { name: 'twice', client: 'test-partner', isConnected: true },
    { name: 'that is connected to another owner alone', client: 'test-partner', isConnected: false },
    { name: 'that does not exist', client: 'nobody', isConnected: false },
    { name: 'without a name', client: '', isConnected: false },
  ])('$name changes nothing, and shows that', async ({ client, isConnected }) => {
    const others = await connect(running, { person: neighbour });
    if (isConnected) await connect(running, { browser });
    else await enterApps(browser);
    if (isConnected) await sendApps(browser, 'disconnect', { client });
    const before = await audited();
    const page = await sendApps(browser, 'disconnect', { client });
    expect(noticeOf(page)).toBe('This application was no longer connected.');
    expect(await audited()).toEqual(before);
    expect(await isAlive(running, others)).toBe(true);
  });

  test('twice at once: the second finds it disconnected', async () => {
    const tokens = await connect(running, { browser });
    const pages = await Promise.all([1, 2].map(() => sendApps(browser, 'disconnect', { client: 'test-partner' })));
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    expect(await isAlive(running, tokens)).toBe(false);
    expect((await audited()).filter(([action]) => action === 'disconnect_client')).toHaveLength(1);
  });
});

describe('logging out', () => {
  test('logs out this browser, and no other', async () => {
    const elsewhere = openAt(running);
    const tokens = await connect(running, { browser });
    await enterApps(elsewhere);
    const cookie = cookiesOf(browser, { address: `${running.issuer}/apps` });
    const page = await sendApps(browser, 'log-out');
    expect([at(page), noticeOf(page)]).toEqual(['login of apps', 'You are logged out.']);
    expect(browser.cookiesFor('/auth/apps').has('session')).toBe(false);
    // A copy of the browser's earlier cookie is invalid.
    const kept = await send(running, '/apps', { headers: { Cookie: cookie, Accept: 'text/html' } });
    expect(kept.text).toContain('name="password"');
    expect(at((await ask(running, {}, browser)).page)).toBe('login');
    expect(at(await elsewhere.get('/auth/apps'))).toBe('apps');
    expect(await isAlive(running, tokens)).toBe(true);
  });

  test('everywhere logs out every browser and revokes every grant of this owner, and nothing of others', async () => {
    const other = await addPartner(running, 'guest-house');
    const [elsewhere, next] = [openAt(running), openAt(running)];
    const mine = [await connect(running, { browser }), await connect(running, { browser: elsewhere })];
    const third = await connect(running, { client: other });
    const theirs = await connect(running, { browser: next, person: neighbour });
    const own = await ownToken(running);
    const { page: waiting } = await ask(running, {}, browser);
    later();
    const before = await audited();
    const page = await sendApps(browser, 'log-out-everywhere');
    expect([at(page), noticeOf(page)]).toEqual([
      'login of apps',
      'You are logged out in every browser, and all applications are disconnected.',
    ]);
    expect(await audited()).toEqual([...before, ['log_out_everywhere', owner.id, owner.id]]);
    for (const tokens of mine) expect(await isAlive(running, tokens)).toBe(false);
    expect(await isAlive(running, third, other)).toBe(false);
    expect((await exchange(running, waiting)).error).toBe('invalid_grant');
    for (const one of [browser, elsewhere])
      expect(at((await ask(running, { prompt: 'none' }, one)).page)).toBe('login_required');
    expect(await isAlive(running, theirs)).toBe(true);
    expect(at(await next.get('/auth/apps'))).toBe('apps');
    expect(await running.verify(own)).toMatchObject({ kind: 'good' });
    later();
    expect(at(await enterApps(browser))).toBe('apps');
    expect(await isAlive(running, await connect(running, { browser }))).toBe(true);
  });

  test('a page of a login that has ended has no effect, and shows that', async () => {
    const tokens = await connect(running, { browser });
    const token = tokenIn(await browser.get('/auth/apps'));
    later(13 * hour);
    for (const step of ['disconnect', 'log-out', 'log-out-everywhere']) {
      const page = await browser.post(`/auth/apps/${step}`, { token, client: 'test-partner' });
      expect([at(page), noticeOf(page)]).toEqual(['login of apps', 'Your login has ended. Please log in again.']);
    }
    expect(await isAlive(running, tokens)).toBe(true);
  });
});

describe('a form without the token of its browser', () => {
  const steps = ['disconnect', 'log-out', 'log-out-everywhere', 'login'] as const;
  const fields = { client: 'test-partner', email: neighbour.email, password: neighbour.password };

  test.each([
    { token: 'none', make: async () => ({}) },
    { token: 'an empty one', make: async () => ({ token: '' }) },
    { token: 'a guessed one', make: async () => ({ token: 'A'.repeat(43) }) },
    {
      token: 'that of another browser',
      make: async () => ({ token: tokenIn(await openAt(running).get('/auth/apps')) }),
    },
    {
      token: 'the signature of its own',
      make: async () => ({ token: browser.cookiesFor('/auth/apps').get('_apps.sig') ?? '' }),
    },
  ])('with $token changes nothing, and shows that', async ({ make }) => {
    const tokens = await connect(running, { browser });
    expect(tokenIn(await browser.get('/auth/apps'))).toMatch(/^[\w-]{43}$/);
    const before = await audited();
    const token: Record<string, string> = await make();
    for (const step of steps) {
      const page = await browser.post(`/auth/apps/${step}`, { ...fields, ...token });
      expect([step, at(page)]).toEqual([step, 'apps']);
      expect(noticeOf(page)).toBe('This page was out of date, so nothing was changed. Please try again.');
      expect(textOf(page)).toContain(owner.name);
      expect(appsOf(page)).toEqual(['test-partner']);
    }
    expect(await audited()).toEqual(before);
    expect(await isAlive(running, tokens)).toBe(true);
  });

  test('nor with the token of another browser and its cookie without the signature', async () => {
    await enterApps(browser);
    const token = tokenIn(await openAt(running).get('/auth/apps'));
    const session = cookiesOf(browser, { address: `${running.issuer}/login` });
    const answer = await send(running, '/apps/log-out', {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { Cookie: `${session}; _apps=${token}` },
    });
    expect(answer.status).toBe(303);
    expect(at(await browser.get('/auth/apps'))).toBe('apps');
  });

  test('another site can log nobody in as somebody else', async () => {
    const { email, password } = neighbour;
    for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const page = await browser.post('/auth/apps/login', { email, password, token: 'x' }, headers);
      expect(at(page)).not.toBe('apps');
    }
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
    expect(await audited()).toEqual([]);
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Content-Type': 'application/json' },
    { 'Content-Type': 'text/plain' },
  ])('with the right one, and %j, it is rejected nevertheless', async (headers) => {
    const tokens = await connect(running, { browser });
    const token = tokenIn(await browser.get('/auth/apps'));
    for (const step of steps) {
      const page = await browser.post(`/auth/apps/${step}`, { ...fields, token }, headers as Record<string, string>);
      expect([step, page.status]).toEqual([step, 400]);
    }
    expect(at(await browser.get('/auth/apps'))).toBe('apps');
    expect(await isAlive(running, tokens)).toBe(true);
  });

  test.each(steps)('a link to %s has no effect', async (step) => {
    await enterApps(browser);
    const page = await browser.get(`/auth/apps/${step}`);
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect(at(await browser.get('/auth/apps'))).toBe('apps');
  });
});

describe("an operator's change of an owner", () => {
  test('a new password logs out every browser, and leaves the connected applications', async () => {
    const elsewhere = openAt(running);
    const tokens = await connect(running, { browser });
    await enterApps(elsewhere);
    later();
    const { passwordHash = '' } = (await running.store.owners.find(neighbour.id)) ?? {};
    await running.store.owners.setPassword(owner.id, { passwordHash, at: Date.now() }, auditOf('set_password'));
    for (const one of [browser, elsewhere]) {
      expect(at(await one.get('/auth/apps'))).toBe('login of apps');
      expect(at((await ask(running, { prompt: 'none' }, one)).page)).toBe('login_required');
    }
    expect(await isAlive(running, tokens)).toBe(true);
    later();
    expect(at(await enterApps(browser))).toBe('login of apps');
    const page = await enterApps(browser, { ...owner, password: neighbour.password });
    expect([at(page), appsOf(page)]).toEqual(['apps', ['test-partner']]);
  });

  test('disabling stops both; enabling restores neither', async () => {
    const tokens = await connect(running, { browser });
    const theirs = await connect(running, { person: neighbour });
    later();
    await running.store.owners.setDisabled(owner.id, Date.now(), auditOf('disable_owner'));
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
    expect(await isAlive(running, tokens)).toBe(false);
    const refused = await enterApps(browser);
    expect([refused.status, at(refused)]).toEqual([400, 'login of apps']);
    expect(faultOf(refused)).toBe('This login is disabled. The operator of this service can tell you why.');
    later();
    await running.store.owners.setDisabled(owner.id, null, auditOf('enable_owner'));
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
    expect(await isAlive(running, tokens)).toBe(false);
    expect(await isAlive(running, theirs)).toBe(true);
    later();
    expect(at(await enterApps(browser))).toBe('apps');
  });
});

describe('a login under way', () => {
  const ends = [
    {
      name: 'log out everywhere',
      end: () => running.store.owners.logOutEverywhere(owner.id, Date.now(), auditOf('log_out_everywhere')),
    },
    {
      name: 'new password',
      end: () =>
        running.store.owners.setPassword(owner.id, { passwordHash: 'x', at: Date.now() }, auditOf('set_password')),
    },
    { name: 'disabling', end: () => running.store.owners.setDisabled(owner.id, Date.now(), auditOf('disable_owner')) },
  ];

  test('in the same second in which all others were ended is valid, and those are not', async () => {
    const second = Date.UTC(2026, 11, 24, 12);
    const before = openAt(running);
    vi.setSystemTime(second + 100);
    expect(at(await enter(before, (await ask(running, {}, before)).page))).toBe('consent');
    vi.setSystemTime(second + 500);
    await running.store.owners.logOutEverywhere(owner.id, Date.now(), auditOf('log_out_everywhere'));
    vi.setSystemTime(second + 900);
    const consent = await enter(browser, (await ask(running, {}, browser)).page);
    expect(at(consent)).toBe('consent');
    expect((await exchange(running, await press(browser, consent, 'confirm'))).id_token).toBeDefined();
    expect(at(await browser.get('/auth/apps'))).toBe('apps');
    expect(at(await before.get('/auth/apps'))).toBe('login of apps');
  });

  test.each(ends)('whose password was right before a $name is invalid after it', async ({ end }) => {
    const { page } = await ask(running, {}, browser);
    const { headers } = await attempt(running, page, 'login', { Cookie: cookiesOf(browser, page) });
    later();
    await end();
    const next = await browser.get(headers.get('location') ?? '');
    expect(at(next)).toBe('login');
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
  });

  test.each(
    ends.flatMap(({ name, end }) => [
      { where: 'an application', comesTo: 'login', name, end },
      { where: 'this page', comesTo: 'login of apps', name, end },
    ]),
  )('for $where, whose password is being checked during a $name, is invalid after it', async (given) => {
    const { where, comesTo, end } = given;
    await running.close();
    let isArmed = false;
    await begin({
      faultyStore: ({ owners, ...store }) => ({
        ...store,
        owners: {
          ...owners,
          findByEmail: async (email) => {
            const found = await owners.findByEmail(email);
            if (isArmed) await end();
            return found;
          },
        },
      }),
    });
    isArmed = true;
    // In the middle of a second, since logins are stored in whole seconds.
    later(300);
    const { page } = await ask(running, {}, browser);
    const next = where === 'this page' ? await enterApps(browser) : await enter(browser, page);
    expect(at(next)).toBe(comesTo);
    // The password was right: an owner who was disabled meanwhile learns that at the next attempt.
    expect(faultOf(next)).toBeUndefined();
    expect(await audited()).toContainEqual(['log_in', owner.id, where === 'this page' ? owner.id : 'test-partner']);
  });

  test.each(ends.filter(({ name }) => name !== 'new password'))(
    'whose code waits at the client at a $name gives no tokens',
    async ({ end }) => {
      const { page } = await askConsent(running, {}, browser);
      const back = await press(browser, page, 'confirm');
      expect(at(back)).toBe('code');
      await end();
      expect((await exchange(running, back)).error).toBe('invalid_grant');
    },
  );
});
