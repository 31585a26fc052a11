import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Browser, Page } from './fixtures/browser.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { openAt, send } from './fixtures/talk.ts';
import {
  addOwner,
  ask,
  askConsent,
  connect,
  enter,
  enterApps,
  isAlive,
  neighbour,
  type Person,
  press,
  sendApps,
  whereIs,
} from './fixtures/walk.ts';

// The cookies of a browser: their attributes, the new session id at each login, and the rejection of forged cookies.

const keys = await createTestKeys();
const origins = {
  'over http': { publicOrigin: undefined, session: 'session', attributes: '; samesite=lax; httponly' },
  'behind a TLS proxy': {
    publicOrigin: 'https://locks.example',
    session: '__Host-session',
    attributes: '; samesite=lax; secure; httponly',
  },
} as const;

describe.each(Object.entries(origins))('%s', (_, { publicOrigin, session, attributes }) => {
  let running: RunningAuth;
  let browser: Browser;
  beforeEach(async () => {
    running = await startAuth({ keys, ...(publicOrigin && { publicOrigin }) });
    browser = openAt(running);
    await addOwner(running);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await running.close();
  });

  const at = (page: Page) => whereIs(running, page);
  const linesOf = (of: Browser) => of.answers.flatMap(({ headers }) => headers.getSetCookie());
  const sessionOf = (of: Browser) => of.cookiesFor('/auth/login').get(session);

  test('every cookie is HttpOnly, SameSite and signed, and has the narrowest path', async () => {
    const { page } = await ask(running, {}, browser);
    const uid = page.address.split('/').at(-1);
    await press(browser, await enter(browser, page), 'confirm');
    await sendApps(browser, 'disconnect', { client: 'nobody' });
    await sendApps(browser, 'log-out');
    const paths = new Map([
      [session, '/'],
      ['_interaction', '/auth/interaction/'],
      ['_resume', '/auth/login/'],
      ['_apps', '/auth/apps'],
      ['_known', '/auth'],
      ['_notice', '/auth/apps'],
    ]);
    const given = linesOf(browser).filter((line) => !line.includes('expires=Thu, 01 Jan 1970'));
    const names = given.map((line) => line.slice(0, line.indexOf('=')));
    expect(new Set(names)).toEqual(new Set([...paths.keys()].flatMap((name) => [name, `${name}.sig`])));
    for (const line of given) {
      const [, name = '', path = ''] = /^([^=]+?)(?:\.sig)?=[\w-]+; path=([^;]*)/.exec(line) ?? [];
      expect(line.replace(/; expires=[^;]*/, '')).toMatch(new RegExp(`^[^;]+; path=[^;]+${attributes}$`));
      expect(path.startsWith(paths.get(name) ?? '?'), line).toBe(true);
      expect(line).not.toMatch(/domain=/i);
    }
    expect(given.filter((line) => line.includes(uid ?? '?'))).not.toEqual([]);
  });

  // The next person at a shared computer must not be logged in. The row expires 12 hours after the login even if a browser keeps the cookie.
  test('the session cookie lasts as long as the browser runs', async () => {
    await askConsent(running, {}, browser);
    const other = openAt(running);
    await enterApps(other);
    for (const one of [browser, other]) {
      const lines = linesOf(one).filter((line) => line.startsWith(`${session}=`));
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).not.toMatch(/expires|max-age/i);
    }
  });

  test('cookies with typed text are not written to disk', async () => {
    await enter(browser, (await ask(running, {}, browser)).page, { ...owner, password: 'wrong' });
    await enterApps(browser, { ...owner, password: 'wrong' });
    const lines = linesOf(browser).filter((line) => /^_(?:fault|notice)=\w/.test(line));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(/expires|max-age/i);
  });

  test.each(['at an application', 'on the page of connected applications'])(
    'a login %s gives the session a new id and invalidates the old one',
    async (where) => {
      const logIn = async (person: Person) => {
        if (where === 'at an application')
          await enter(browser, (await ask(running, { prompt: 'login' }, browser)).page, person);
        else {
          // After a login has ended, an attacker may have set another session in this browser.
          const page = await browser.get('/auth/apps');
          if (at(page) === 'apps') await sendApps(browser, 'log-out');
          await enterApps(browser, person);
        }
      };
      const ids = new Set<string | undefined>();
      const kept: ReadonlyMap<string, string>[] = [];
      for (const person of [owner, owner, neighbour]) {
        await logIn(person);
        ids.add(sessionOf(browser));
        kept.push(browser.cookiesFor('/auth/apps'));
      }
      expect(ids).not.toContain(undefined);
      expect(ids.size).toBe(3);
      for (const cookies of kept.slice(0, -1)) {
        const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await send(running, '/apps', { headers: { Accept: 'text/html', Cookie } });
        expect(answer.text).toContain('name="password"');
      }
      expect(at(await browser.get('/auth/apps'))).toBe('apps');
    },
  );

  test.each(['at an application', 'on the page of connected applications'])(
    'an attacker who sets a session cookie in a browser is not logged in by the login %s',
    async (where) => {
      const attacker = openAt(running);
      await connect(running, { browser: attacker, person: neighbour });
      const victim = openAt(running);
      for (const [name, value] of attacker.cookiesFor('/auth/login')) victim.plant(name, value);
      expect((await victim.get('/auth/apps')).text).toContain(neighbour.name);
      const after =
        where === 'at an application'
          ? await enter(victim, (await ask(running, { prompt: 'login' }, victim)).page)
          : await enterApps(victim);
      expect(after.text).toContain(owner.name);
      expect(sessionOf(victim)).not.toBe(sessionOf(attacker));
      expect(at(await attacker.get('/auth/apps'))).toBe('login of apps');
      expect(at((await ask(running, { prompt: 'none' }, attacker)).page)).toBe('login_required');
    },
  );

  test.each([
    { name: 'a made-up one', make: (id: string) => ({ [session]: withOtherStart(id) }) },
    {
      name: 'a made-up one with a made-up signature',
      make: () => ({ [session]: 'x'.repeat(43), [`${session}.sig`]: 'y'.repeat(27) }),
    },
    { name: 'a real one without its signature', make: (id: string) => ({ [session]: id }) },
    {
      name: 'a real one with the signature of another',
      make: (id: string, sig: string) => ({ [session]: id, [`${session}.sig`]: withOtherStart(sig) }),
    },
    {
      name: 'a real one under another name',
      make: (id: string, sig: string) => ({ sessions: id, 'sessions.sig': sig }),
    },
  ])('$name is not accepted as a session', async ({ make }) => {
    await askConsent(running, {}, browser);
    const cookies = browser.cookiesFor('/auth/login');
    const injected: Record<string, string> = make(cookies.get(session) ?? '', cookies.get(`${session}.sig`) ?? '');
    const Cookie = Object.entries(injected)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const answer = await send(running, `/login?${new URLSearchParams(query('none'))}`, { headers: { Cookie } });
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('login_required');
    const given = answer.headers.getSetCookie().filter((line) => !line.includes('expires=Thu, 01 Jan 1970'));
    expect(given).toEqual([]);
  });

  test('a whole login succeeds with the published address alone', async () => {
    const tokens = await connect(running, { browser });
    expect(await isAlive(running, tokens)).toBe(true);
    expect(at(await browser.get('/auth/apps'))).toBe('apps');
  });

  const query = (prompt: string) => ({
    response_type: 'code',
    client_id: 'test-partner',
    redirect_uri: callback,
    scope: 'openid',
    prompt,
  });
});

function withOtherStart(text: string): string {
  return `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
}
