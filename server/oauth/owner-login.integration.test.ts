import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { operations } from '@lockstep/contract/operations';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { processes } from '../store/fixtures/test-database.ts';
import type { Browser, Page } from './fixtures/browser.ts';
import { contractFaults } from './fixtures/contract-faults.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { owner, type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { loginQuery, openAt, send } from './fixtures/talk.ts';
import {
  addOwner,
  ask,
  auditOf,
  enter,
  enterApps,
  neighbour,
  type Person,
  readText,
  tokenIn,
  whereIs,
} from './fixtures/walk.ts';
import { createGuessLimits, guessLimits } from './limit-guesses.ts';
import { loginLimit } from './middleware/throttle-logins.ts';
import { createPasswords, type Scrypt } from './passwords.ts';

// Passwords over HTTP: the answer to a wrong one, the number and the cost of attempts. The OAuth server reads the system clock, so only
// the date is faked; timers and sockets are real.

const start = Date.UTC(2026, 11, 1, 12);
const keys = await createTestKeys();
let running: RunningAuth;
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

async function begin(options: StartOptions = {}): Promise<void> {
  running = await startAuth({ keys, ...options });
}

/** Behind a TLS proxy, so that a test can come from many addresses. */
const behindProxy = { publicOrigin: 'https://locks.example' } as const;
const from = (address: string) => ({ 'X-Forwarded-For': address });
const address = (index: number) => `198.51.${Math.floor(index / 250)}.${(index % 250) + 1}`;

const at = (page: Page) => whereIs(running, page);
const faultOf = (page: Page) => readText(/role="alert"[^>]*>(.*?)<\/div>/s, page);
const wrong = (email: string = owner.email) => ({ email, password: 'a guess of it, no more' });

const ways = ['an application', 'the page of connected applications'] as const;

/** Tries one e-mail and password in a new browser, by either login. */
async function attempt(
  way: (typeof ways)[number],
  person: Pick<Person, 'email' | 'password'>,
  headers = {},
): Promise<Page> {
  const browser = openAt(running, headers);
  if (way === 'the page of connected applications') return enterApps(browser, person);
  return enter(browser, (await ask(running, {}, browser)).page, person);
}

describe('an unknown e-mail and a wrong password', () => {
  const disabled = { ...neighbour, id: `owner-${'d4'.repeat(12)}`, email: 'disabled@harbour.example' };
  const nobody = 'nobody-1@harbour.example';

  test.each(ways)('for %s have the same answer, except for the request id', async (way) => {
    await begin();
    await addOwner(running, disabled);
    await running.store.owners.setDisabled(disabled.id, Date.now(), auditOf('disable_owner', disabled));
    const answers: object[] = [];
    for (const email of [owner.email, nobody, disabled.email, `${owner.email} `, '', 'ä'.repeat(200)].filter(
      (e) => e,
    )) {
      const { status, headers, text } = await attempt(way, wrong(email));
      const said = Object.fromEntries(headers);
      expect(said['x-request-id']).toMatch(/^req-[0-9a-f]{16}$/);
      for (const name of ['x-request-id', 'date', 'content-length', 'set-cookie']) delete said[name];
      const [, shown = ''] = /<input id="email"[^>]* value="([^"]*)"/.exec(text) ?? [];
      expect(shown).toBe(email);
      const varying = [/\/interaction\/[\w-]{43}/g, /name="token" value="[\w-]{43}"/g];
      const body = varying.reduce(
        (rest, pattern) => rest.replaceAll(pattern, ''),
        text.replace(`value="${shown}"`, ''),
      );
      answers.push({
        status,
        said,
        body,
        cookies: headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, '').replace(varying[0] ?? '', '')),
      });
    }
    expect(answers[0]).toMatchObject({ status: 400, body: expect.stringContaining('E-mail or password is wrong.') });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test.each(ways)('for %s cost one scrypt each, of the same size', async (way) => {
    const work: object[] = [];
    const derive: Scrypt = (password, salt, lengthBytes, options) => {
      work.push({ saltBytes: salt.length, lengthBytes, options });
      return promisify<string, Uint8Array, number, object, Buffer>(scrypt)(password, salt, lengthBytes, options);
    };
    await begin({ passwords: createPasswords({ ln: 4, derive }) });
    await addOwner(running, disabled);
    await running.store.owners.setDisabled(disabled.id, Date.now(), auditOf('disable_owner', disabled));
    for (const email of [owner.email, nobody, disabled.email]) await attempt(way, wrong(email));
    expect(work).toHaveLength(3);
    expect(work).toEqual(
      work.map(() => ({ saltBytes: 16, lengthBytes: 32, options: expect.objectContaining({ N: 16 }) })),
    );
  });

  /**
   * A guess at an e-mail costs one scrypt, also for an unknown e-mail (ASVS 5.0, 6.3.8). Medians of samples taken in turn: without the dummy
   * work, one is a tenth of the other. A busy machine slows both down.
   */
  test.each(ways)('for %s take the same time', { tags: ['full'] }, async (way) => {
    await begin({ ...behindProxy, passwordCost: 12 });
    const known = [owner, neighbour, disabled];
    await addOwner(running, neighbour, 12);
    await addOwner(running, disabled, 12);
    await running.store.owners.setDisabled(disabled.id, Date.now(), auditOf('disable_owner', disabled));
    const browser = openAt(running, from(address(0)));
    const { page } = await ask(running, {}, browser);
    const token = tokenIn(await browser.get('/auth/apps'));
    const path = way === 'an application' ? `${page.address}/login` : '/auth/apps/login';
    const measure = async (email: string, index: number) => {
      const started = performance.now();
      const answer = await browser.post(path, { ...wrong(email), token }, from(address(index)));
      const took = performance.now() - started;
      expect(answer.status).toBe(400);
      return took;
    };
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    // More wrong ones of one e-mail would be slowed down.
    for (let index = 0; index < 13 * known.length; index += 1) {
      const pair = [
        async () => times.known.push(await measure(known[index % known.length]?.email ?? '', 2 * index)),
        async () => times.unknown.push(await measure(`nobody-${index}@harbour.example`, 2 * index + 1)),
      ];
      for (const take of index % 2 === 0 ? pair : pair.reverse()) await take();
    }
    const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    const ratio = median(times.unknown) / median(times.known);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1 / 0.6);
  });

  test('only the right password reveals that the login is disabled', async () => {
    await begin();
    await addOwner(running, disabled);
    await running.store.owners.setDisabled(disabled.id, Date.now(), auditOf('disable_owner', disabled));
    expect(faultOf(await attempt('an application', wrong(disabled.email)))).toBe('E-mail or password is wrong.');
    const told = await attempt('an application', disabled);
    expect([told.status, faultOf(told)]).toEqual([
      400,
      'This login is disabled. The operator of this service can tell you why.',
    ]);
    expect((await running.store.audit.list(owner.accountId)).map(({ action }) => action)).toEqual(['disable_owner']);
  });

  test.each([
    { typed: 'OWNER@Harbour.EXAMPLE', gets: 'consent' },
    { typed: ' owner@harbour.example ', gets: 'consent' },
    { typed: 'owner@harbour.example\0', gets: 'login' },
    { typed: 'owner+1@harbour.example', gets: 'login' },
    { typed: 'owner@harbour.example.evil.example', gets: 'login' },
    { typed: '%', gets: 'login' },
    { typed: "' OR 1=1 --", gets: 'login' },
    { typed: 'owner@harbour.example'.replace('o', 'ο'), gets: 'login' },
  ])('$typed leads to $gets', async ({ typed, gets }) => {
    await begin();
    expect(at(await attempt('an application', { email: typed, password: owner.password }))).toBe(gets);
  });
});

describe('ten wrong passwords', () => {
  const { failures, windowMs } = guessLimits.together;

  /** Uses up the attempts of one owner at one address. */
  async function exhaust(headers = {}, person: Person = owner): Promise<Browser> {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const browser = openAt(running, headers);
    const { page } = await ask(running, {}, browser);
    for (let failure = 0; failure < failures; failure += 1) {
      const answer =
        failure % 2 === 0
          ? await enter(browser, page, wrong(person.email))
          : await enterApps(browser, wrong(person.email));
      expect([failure, answer.status]).toEqual([failure, 400]);
    }
    return browser;
  }

  test.each(ways)(
    'at %s have to wait, a right one like a wrong one, and exactly as long as the answer states',
    async (way) => {
      await begin();
      const browser = await exhaust();
      vi.setSystemTime(start + 1234);
      // For programs that do not follow the redirect, the answer to the form states the same wait (RFC 9110, 10.2.3).
      await (way === 'an application' ? enter(browser, (await ask(running, {}, browser)).page) : enterApps(browser));
      expect(browser.answers.slice(-2).map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
        [303, '599'],
        [429, '599'],
      ]);
      const pages = [await attempt(way, wrong()), await attempt(way, owner)] as const;
      for (const page of pages) {
        expect([page.status, page.headers.get('retry-after')]).toEqual([
          429,
          String(Math.ceil((windowMs - 1234) / 1000)),
        ]);
        expect(faultOf(page)).toBe('Too many attempts. Try again in 10 minutes.');
      }
      expect((await running.store.audit.list(owner.accountId)).map(({ action }) => action)).toEqual([]);
      vi.setSystemTime(start + 1234 + (Number(pages[1].headers.get('retry-after')) - 1) * 1000);
      expect((await attempt(way, owner)).status).toBe(429);
      vi.setSystemTime(start + 1234 + Number(pages[1].headers.get('retry-after')) * 1000);
      expect((await attempt(way, owner)).status).toBe(200);
    },
  );

  test('are counted in every spelling of the e-mail', async () => {
    await begin();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const browser = openAt(running);
    const { page } = await ask(running, {}, browser);
    const spellings = [
      owner.email,
      owner.email.toUpperCase(),
      ` ${owner.email}`,
      'Owner@harbour.example',
      `${owner.email}\t`,
    ];
    for (let failure = 0; failure < failures; failure += 1)
      expect((await enter(browser, page, wrong(spellings[failure % spellings.length]))).status).toBe(400);
    expect((await enter(browser, page)).status).toBe(429);
  });

  test('lock neither another owner at that address out, nor that owner elsewhere', async () => {
    await begin(behindProxy);
    await addOwner(running);
    const here = from('192.0.2.1');
    const browser = await exhaust(here);
    expect((await attempt('an application', owner, here)).status).toBe(429);
    expect(at(await attempt('an application', neighbour, here))).toBe('consent');
    expect(at(await attempt('an application', owner, from('192.0.2.2')))).toBe('consent');
    // The last address is the one that the proxy has seen; any caller can send the ones before it.
    for (const forged of ['192.0.2.99, 192.0.2.1', 'unknown, 192.0.2.1', ' 192.0.2.1 '])
      expect((await attempt('an application', owner, from(forged))).status).toBe(429);
    expect(at(await enterApps(browser, neighbour))).toBe('apps');
  });

  test('count by the address of the connection if there is no proxy', async () => {
    await begin();
    await exhaust();
    for (let index = 0; index < 3; index += 1)
      expect((await attempt('an application', owner, from(address(index)))).status).toBe(429);
  });

  test('of one household are counted together, by the first half of its addresses', async () => {
    await begin(behindProxy);
    await exhaust(from('2001:db8:0:1::1'));
    expect((await attempt('an application', owner, from('2001:db8:0:1:ffff::2'))).status).toBe(429);
    expect(at(await attempt('an application', owner, from('2001:db8:0:2::1')))).toBe('consent');
  });

  test('are no more when four times as many are sent at once', async () => {
    let looked = 0;
    const passwords = createPasswords({ ln: 4 });
    await begin({
      passwords: {
        ...passwords,
        matches: (...given) => {
          looked += 1;
          return passwords.matches(...given);
        },
      },
    });
    const browser = openAt(running);
    const { page } = await ask(running, {}, browser);
    const sent = failures * 4;
    const answers = await Promise.all(Array.from({ length: sent }, () => enter(browser, page, wrong())));
    expect(looked).toBe(failures);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(sent - failures);
    for (const { status, headers } of answers)
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('are logged by request, owner and address, without the typed text', async () => {
    await begin();
    await exhaust();
    await attempt('an application', wrong('private-typing@harbour.example'));
    await attempt('an application', owner);
    const lines = running.log.filter(({ text }) => text.startsWith('owner login'));
    expect(lines).toHaveLength(failures + 2);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      text: 'owner login failed',
      fields: {
        requestId: expect.stringMatching(/^req-/),
        clientId: 'test-partner',
        ownerId: owner.id,
        reason: 'wrong password',
      },
    });
    expect(lines.at(-2)).toMatchObject({ text: 'owner login failed', fields: { reason: 'unknown e-mail' } });
    expect(lines.at(-1)).toMatchObject({
      level: 'warn',
      text: 'owner login throttled',
      fields: { address: '127.0.0.1', waitSeconds: expect.any(Number) },
    });
    expect(JSON.stringify(lines)).not.toMatch(/private-typing|harbour\.example|a guess of it/);
  });
});

describe('one e-mail with guesses from many addresses', () => {
  test('is slow in new browsers, and as fast as ever in known ones', async () => {
    const held: { readonly ms: number; readonly end: () => void }[] = [];
    const limitGuesses = createGuessLimits({ pause: (ms) => new Promise<void>((end) => void held.push({ ms, end })) });
    await begin({ ...behindProxy, limitGuesses });
    const { email, pause } = guessLimits;
    const known = openAt(running, from(address(500)));
    expect(at(await enter(known, (await ask(running, {}, known)).page))).toBe('consent');
    const browser = openAt(running, from(address(0)));
    const { page } = await ask(running, {}, browser);
    const guess = (index: number, person: Pick<Person, 'email' | 'password'>) =>
      browser.post(`${page.address}/login`, { email: person.email, password: person.password }, from(address(index)));
    for (let index = 0; index <= email.failures; index += 1) expect((await guess(index, wrong())).status).toBe(400);
    const answers: Page[] = [];
    const flood = Array.from({ length: 5 }, async (_, index) => {
      answers.push(await guess(100 + index, wrong()));
    });
    const until = (list: readonly unknown[], count: number) =>
      vi.waitFor(() => expect(list).toHaveLength(count), { timeout: 20_000, interval: 5 });
    await until(held, 1);
    // They wait in line. That affects neither a known browser nor another e-mail.
    const again = await enter(known, (await ask(running, { prompt: 'login' }, known)).page);
    expect(at(again)).toBe('consent');
    expect((await guess(300, neighbour)).status).toBe(400);
    expect(answers).toEqual([]);
    // One after the other, by pauses that grow: the last of five waits for 1.5 s.
    for (let place = 0; place < flood.length; place += 1) {
      await until(held, place + 1);
      held[place]?.end();
      await until(answers, place + 1);
    }
    await Promise.all(flood);
    expect(answers.map(({ status }) => status)).toEqual(new Array(flood.length).fill(400));
    expect(held.reduce((sum, { ms }) => sum + ms, 0)).toBeGreaterThan(pause.stepMs * 10);
    expect((await guess(301, neighbour)).status).toBe(400);
    expect(held).toHaveLength(flood.length);
  });

  test('the mark of a browser is valid for its own e-mail alone, and gives no access', async () => {
    await begin(behindProxy);
    const known = openAt(running, from(address(500)));
    await enter(known, (await ask(running, {}, known)).page);
    const { failures } = guessLimits.together;
    const mark = [...known.cookiesFor(running.issuer)].filter(([name]) => name.startsWith('_known'));
    expect(mark.map(([name]) => name)).toEqual(['_known', '_known.sig']);
    expect(mark.map(([, value]) => value).join()).not.toContain('@');
    // A thief of the mark has ten attempts, as at any other address.
    const thief = openAt(running, from(address(1)));
    for (const [name, value] of mark) thief.plant(name, value);
    const { page } = await ask(running, {}, thief);
    for (let index = 0; index < failures; index += 1)
      expect((await enter(thief, page, wrong(neighbour.email))).status).toBe(400);
    expect((await enter(thief, page, wrong(neighbour.email))).status).toBe(429);
    expect((await enter(thief, page, wrong())).status).toBe(400);
  });
});

describe('a known browser', () => {
  const { failures } = guessLimits.together;

  /** Whether it is known for this owner: after ten failures at its address, only a known browser is judged. */
  async function isKnown(browser: Browser, person: Person = owner): Promise<boolean> {
    const { page } = await ask(running, { prompt: 'login' }, browser);
    const { status } = await enter(browser, page, wrong(person.email));
    return { 400: true, 429: false }[status] ?? expect.unreachable(`${status}`);
  }

  async function logIn(way: (typeof ways)[number], person: Person = owner): Promise<Browser> {
    const browser = openAt(running);
    if (way === 'an application') await enter(browser, (await ask(running, {}, browser)).page, person);
    else await enterApps(browser, person);
    return browser;
  }

  const mark = (from: Browser, to: Browser) => {
    for (const [name, value] of from.cookiesFor(running.issuer)) if (name.startsWith('_known')) to.plant(name, value);
    return to;
  };

  test.each(ways)('of %s is known until the password changes', async (way) => {
    await begin();
    const browsers = [await logIn(way), await logIn(way)] as const;
    const guesser = openAt(running);
    for (let failure = 0; failure < failures; failure += 1) await enterApps(guesser, wrong());
    expect(await Promise.all([guesser, ...browsers].map((one) => isKnown(one)))).toEqual([false, true, true]);
    const { passwordHash } = (await running.store.owners.findByEmail(owner.email)) ?? expect.unreachable();
    await running.store.owners.setPassword(owner.id, { passwordHash, at: Date.now() }, auditOf('set_owner_password'));
    expect(await Promise.all(browsers.map((one) => isKnown(one)))).toEqual([false, false]);
  });

  test('is one of five, with a new secret after each login', async () => {
    await begin();
    const first = await logIn('an application');
    const copy = mark(first, openAt(running));
    await enter(first, (await ask(running, { prompt: 'login' }, first)).page);
    const others = [];
    for (let count = 0; count < 4; count += 1) others.push(await logIn('an application'));
    const guesser = openAt(running);
    for (let failure = 0; failure < failures; failure += 1) await enterApps(guesser, wrong());
    expect(await isKnown(copy)).toBe(false);
    for (const one of [first, ...others]) expect(await isKnown(one)).toBe(true);
  });

  test('is known for several owners, each by its own secret', async () => {
    await begin();
    await addOwner(running);
    const shared = await logIn('an application');
    const injected = mark(shared, openAt(running));
    await enter(shared, (await ask(running, { prompt: 'login' }, shared)).page, neighbour);
    const guesser = openAt(running);
    for (const { email } of [owner, neighbour])
      for (let failure = 0; failure < failures; failure += 1) await enterApps(guesser, wrong(email));
    expect([await isKnown(shared), await isKnown(shared, neighbour), await isKnown(injected, neighbour)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('login requests from one address', () => {
  test('are limited per minute before anything is written', async () => {
    await begin(behindProxy);
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    const login = (headers: object) =>
      send(running, `/login?${loginQuery()}`, { headers: { Accept: 'application/json', ...headers } });
    for (let request = 0; request < loginLimit.requests; request += 1)
      expect((await login(from(`192.0.2.${request}, 203.0.113.7`))).status).toBe(303);
    vi.setSystemTime(start + 20_500);
    const refused = await login(from('203.0.113.7'));
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('location')]).toEqual([
      429,
      '40',
      null,
    ]);
    expect(refused.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'too many login requests from this address, try again in 40 seconds',
    });
    expect(contractFaults(operations.login.pointer, refused)).toEqual([]);
    const page = await send(running, `/login?${loginQuery()}`, {
      headers: { Accept: 'text/html', ...from('203.0.113.7') },
    });
    expect(page.text).toContain('<h1>Busy at the moment</h1>');
    expect(contractFaults(operations.login.pointer, page)).toEqual([]);
    expect((await login(from('203.0.113.8'))).status).toBe(303);
    // Each process logs for itself.
    const lines = running.log
      .filter(({ text }) => text === 'login requests throttled')
      .slice(0, processes > 1 ? 1 : undefined);
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: { address: '203.0.113.7', requestId: expect.stringMatching(/^req-/) },
        text: 'login requests throttled',
      },
    ]);
    vi.setSystemTime(start + 60_500);
    expect((await login(from('203.0.113.7'))).status).toBe(303);
  });
});

describe('scrypt', () => {
  /** Counts the running checks, and holds them. */
  function hold() {
    const { promise: open, resolve: release } = Promise.withResolvers<void>();
    const seen = { now: 0, most: 0, all: 0 };
    const passwords = createPasswords({
      ln: 4,
      derive: async (_password, _salt, lengthBytes) => {
        seen.now += 1;
        seen.all += 1;
        seen.most = Math.max(seen.most, seen.now);
        await open;
        seen.now -= 1;
        return randomBytes(lengthBytes);
      },
    });
    return { seen, passwords, release };
  }

  // So does each of several processes.
  test.skipIf(processes > 1)(
    'checks two at a time over all logins; when too many wait, some have to try again',
    async () => {
      const { seen, passwords, release } = hold();
      await begin({ ...behindProxy, passwords });
      const browser = openAt(running, from(address(0)));
      const { page } = await ask(running, {}, browser);
      const token = tokenIn(await browser.get('/auth/apps'));
      const answers: Page[] = [];
      // Each from its own address, for another e-mail: only the queue stops them.
      const guess = async (index: number) => {
        const path = index % 2 === 0 ? `${page.address}/login` : '/auth/apps/login';
        const email = index % 3 === 0 ? owner.email : `nobody-${index}@harbour.example`;
        answers.push(await browser.post(path, { ...wrong(email), token }, from(address(index))));
      };
      const all = Promise.all(Array.from({ length: 54 }, (_, index) => guess(index)));
      await vi.waitFor(() => expect(answers).toHaveLength(2), { timeout: 20_000 });
      const told = browser.answers.flatMap(({ status, headers }) => (headers.has('retry-after') ? [status] : []));
      expect(told.toSorted()).toEqual([303, 303, 429, 429]);
      for (const away of answers) {
        expect([away.status, away.headers.get('retry-after'), away.headers.get('cache-control')]).toEqual([
          429,
          '5',
          'no-store',
        ]);
        expect(faultOf(away)).toBe('Many people are logging in at this moment. Try again in 5 seconds.');
      }
      expect(seen).toEqual({ now: 2, most: 2, all: 2 });
      release();
      await all;
      expect(answers.slice(2).map(({ status }) => status)).toEqual(new Array(52).fill(400));
      expect(seen).toEqual({ now: 0, most: 2, all: 52 });
      await guess(54);
      expect(answers.at(-1)?.status).toBe(400);
    },
  );
});
