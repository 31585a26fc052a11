import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Browser, Page } from './fixtures/browser.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { callback, owner, type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { openAt, send } from './fixtures/talk.ts';
import {
  addOwner,
  ask,
  askConsent,
  attempt,
  cookiesOf,
  enter,
  exchange,
  neighbour,
  pathOf,
  press,
  type Step,
  steps,
  whereIs,
} from './fixtures/walk.ts';

// The forms between a login request and the callback: their browser, their content and their order.

const ended = 'This login has ended';
const keys = await createTestKeys();
let running: RunningAuth;
let browser: Browser;

beforeEach(async () => {
  running = await startAuth({ keys });
  browser = openAt(running);
});
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

const at = (page: Page) => whereIs(running, page);
const audited = async () => (await running.store.audit.list(owner.accountId)).map(({ action }) => action);

describe('an interaction belongs to the browser that began it', () => {
  describe.each(['login', 'consent'] as const)('at %s', (due) => {
    let page: Page;
    beforeEach(async () => {
      page = due === 'login' ? (await ask(running, {}, browser)).page : (await askConsent(running, {}, browser)).page;
      expect(at(page)).toBe(due);
    });

    test.each([
      {
        whose: "another browser's cookies",
        cookies: async () => {
          const other = await askConsent(running);
          return cookiesOf(other.browser, other.page);
        },
      },
      {
        whose: 'the cookies of another tab',
        cookies: async () => cookiesOf(browser, (await ask(running, { prompt: 'login' }, browser)).page),
      },
      {
        whose: 'its id without a signature',
        cookies: async () => `_interaction=${browser.cookiesFor(page.address).get('_interaction')}`,
      },
      {
        whose: 'the signature of another',
        cookies: async () => {
          const other = await ask(running);
          const sig = other.browser.cookiesFor(other.page.address).get('_interaction.sig');
          return `_interaction=${browser.cookiesFor(page.address).get('_interaction')}; _interaction.sig=${sig}`;
        },
      },
      { whose: 'no cookie', cookies: async () => '', says: 'Your browser keeps no cookies here' },
    ])('with $whose nothing is shown, accepted or changed', async ({ cookies, says = ended }) => {
      const Cookie = await cookies();
      const before = await audited();
      for (const step of Object.keys(steps) as Step[]) {
        const answer = await attempt(running, page, step, { Cookie });
        expect([step, answer.status]).toEqual([step, 400]);
        expect(answer.text).toContain(`<h1>${says}</h1>`);
        const given = answer.headers.getSetCookie().filter((cookie) => !cookie.includes('expires=Thu, 01 Jan 1970'));
        expect(given).toEqual([]);
      }
      expect(await audited()).toEqual(before);
      const next = due === 'login' ? await enter(browser, page) : page;
      expect(at(await press(browser, next, 'confirm'))).toBe('code');
    });

    test('a link or an image has no effect: the steps accept POST alone', async () => {
      const Cookie = cookiesOf(browser, page);
      for (const { path } of Object.values(steps).slice(0, 4)) {
        const answer = await send(running, `${pathOf(page)}${path}`, { headers: { Cookie } });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      }
      expect(at(await browser.get(page.address))).toBe(due);
    });
  });
});

describe('a form of a page that is not due', () => {
  test.each(['confirm', 'other'] as const)('%s before the login', async (step) => {
    const { page } = await ask(running, {}, browser);
    const answer = await press(browser, page, step);
    expect([answer.status, at(answer)]).toEqual([400, ended]);
    expect(await audited()).toEqual([]);
    expect(at(await enter(browser, page))).toBe('consent');
  });

  test('a login while consent is due, also of another owner', async () => {
    await addOwner(running);
    const { page } = await askConsent(running, {}, browser);
    for (const person of [owner, neighbour]) {
      const answer = await enter(browser, page, person);
      expect([answer.status, at(answer)]).toEqual([400, ended]);
    }
    expect(await audited()).toEqual(['log_in']);
    const { id_token } = await exchange(running, await press(browser, page, 'confirm'));
    expect(decodeJwt(String(id_token)).sub).toBe(owner.id);
  });

  test('any of them after the login has ended', async () => {
    const { page: login } = await ask(running, {}, browser);
    const consent = await enter(browser, login);
    expect(at(await press(browser, consent, 'confirm'))).toBe('code');
    for (const page of [login, consent]) {
      for (const step of Object.keys(steps) as Step[]) {
        const answer = await attempt(running, page, step, { Cookie: cookiesOf(browser, page) });
        // A repeated consent leads back to the request: see "a form that is sent twice".
        if (page === consent && step === 'confirm') expect(answer.headers.get('location')).toMatch(/^\/auth\/login\?/);
        else expect([step, answer.status, answer.text]).toEqual([step, 400, expect.stringContaining(ended)]);
      }
    }
    expect(await audited()).toEqual(['log_in', 'give_consent']);
  });

  test.each([
    { minutes: 29, becomes: 'consent' },
    { minutes: 31, becomes: ended },
  ])('$minutes minutes after it began it leads to: $becomes', async ({ minutes, becomes }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 11, 1, 12) });
    const { page } = await ask(running, {}, browser);
    vi.setSystemTime(Date.now() + minutes * 60_000);
    expect(at(await enter(browser, page))).toBe(becomes);
    expect(at(await browser.get(page.address))).toBe(ended);
  });
});

describe('an invalid form', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const right = `email=${encodeURIComponent(owner.email)}&password=${encodeURIComponent(owner.password)}`;
  test.each([
    { name: 'JSON', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(steps.login.fields) },
    { name: 'text', headers: { 'Content-Type': 'text/plain' }, body: right },
    { name: 'multipart', headers: { 'Content-Type': 'multipart/form-data; boundary=x' }, body: '--x--' },
    { name: 'a content type of two', headers: { 'Content-Type': `${form['Content-Type']}, text/plain` }, body: right },
    { name: 'a password sent twice', headers: form, body: `${right}&password=x` },
    { name: 'an e-mail sent twice, alike', headers: form, body: `${right}&email=${encodeURIComponent(owner.email)}` },
    { name: 'an unknown field sent twice', headers: form, body: `${right}&x=1&x=2` },
    { name: '5 kB', headers: form, body: `${right}&x=${'x'.repeat(5000)}` },
    { name: 'half an escape', headers: form, body: `${right}&x=%` },
    { name: 'an invalid escape', headers: form, body: `${right}&x=%zz` },
    { name: 'an escape that is not UTF-8', headers: form, body: `${right}&x=%ff` },
    { name: 'a letter that is not escaped', headers: form, body: `${right}&x=ä` },
    { name: 'a line break', headers: form, body: `${right}\r\n` },
    { name: 'a form of another site', headers: { ...form, 'Sec-Fetch-Site': 'cross-site' }, body: right },
    { name: 'a form of a neighbouring site', headers: { ...form, 'Sec-Fetch-Site': 'same-site' }, body: right },
  ])('$name is rejected by a page, and changes nothing', async ({ headers, body }) => {
    const { page: login } = await ask(running, {}, browser);
    const { page: consent } = await askConsent(running, { prompt: 'login consent' }, browser);
    const before = await audited();
    for (const [page, step] of [
      [login, 'login'],
      [login, 'abort'],
      [consent, 'confirm'],
      [consent, 'abort'],
      [consent, 'other'],
    ] as const) {
      const Cookie = cookiesOf(browser, page);
      const answer = await send(running, `${pathOf(page)}/${step}`, {
        method: 'POST',
        body,
        headers: { Accept: 'text/html', Cookie, ...headers },
      });
      const heading = 'Sec-Fetch-Site' in headers ? 'This form came from another site' : 'This login could not start';
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`<h1>${heading}</h1>`)]);
      expect(answer.text).not.toContain(owner.password);
    }
    expect(await audited()).toEqual(before);
    expect(at(await press(browser, consent, 'confirm'))).toBe('code');
  });

  test.each([
    { name: 'a page of this server', headers: { 'Sec-Fetch-Site': 'same-origin' } },
    { name: 'a browser whose reader sent the form again', headers: { 'Sec-Fetch-Site': 'none' } },
    { name: 'a program', headers: {} },
    {
      name: 'a content type with a charset',
      headers: { 'Content-Type': 'Application/X-WWW-form-urlencoded; charset=utf-8' },
    },
    { name: 'a page without referrer', headers: { Origin: 'null' } },
  ])('of $name it is accepted', async ({ headers }) => {
    const { page } = await ask(running, {}, browser);
    const { email, password } = owner;
    const given: Record<string, string> = { ...headers };
    expect(at(await browser.post(`${page.address}/login`, { email, password, unknown: 'x' }, given))).toBe('consent');
  });
});

describe('a denial', () => {
  test.each(['login', 'consent'] as const)('at %s is access_denied at the callback', async (due) => {
    const parameters = { state: 'a state' };
    const { page } =
      due === 'login' ? await ask(running, parameters, browser) : await askConsent(running, parameters, browser);
    expect(at(page)).toBe(due);
    const back = await press(browser, page, 'abort');
    expect(Object.fromEntries(new URL(back.address).searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the owner said no',
      state: 'a state',
      iss: running.issuer,
    });
    expect(back.address.startsWith(`${callback}?`)).toBe(true);
    expect(await audited()).toEqual(due === 'login' ? [] : ['log_in']);
    expect(at(await press(browser, page, 'confirm'))).toBe(ended);
    expect((await press(browser, page, 'abort')).address).toBe(back.address);
    expect(at((await ask(running, {}, browser)).page)).toBe(due);
  });
});

describe('going back', () => {
  test('to a page that is over shows what to do', async () => {
    const { page: login } = await ask(running, {}, browser);
    const consent = await enter(browser, login);
    for (const page of [login, consent]) {
      if (page === consent) await press(browser, consent, 'confirm');
      const back = await browser.get(page.address);
      expect([back.status, at(back)]).toEqual([400, ended]);
      expect(back.text).toContain('Go back to the application to start again.');
      const german = await browser.get(page.address, { 'Accept-Language': 'de' });
      expect(german.text).toContain('<html lang="de">');
    }
  });

  test('and forward to a page that is due shows it again, as often as one likes', async () => {
    const { page: login } = await ask(running, {}, browser);
    for (const _ of [1, 2]) expect(at(await browser.get(login.address))).toBe('login');
    const consent = await enter(browser, login);
    for (const _ of [1, 2]) expect(at(await browser.get(consent.address))).toBe('consent');
    expect(at(await press(browser, consent, 'confirm'))).toBe('code');
  });
});
