import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ownEngine } from '../store/fixtures/test-database.ts';
import type { OidcArtifact } from '../store/store.ts';
import type { Browser, Page } from './fixtures/browser.ts';
import { createTestKeys } from './fixtures/keys.ts';
import { owner, type RunningAuth, type StartOptions, startAuth } from './fixtures/start-auth.ts';
import { openAt } from './fixtures/talk.ts';
import {
  addOwner,
  addPartner,
  ask,
  askConsent,
  attempt,
  auditOf,
  cookiesOf,
  countUsable,
  enter,
  exchange,
  neighbour,
  type Person,
  press,
  steps,
  tokenIn,
  whereIs,
} from './fixtures/walk.ts';

// A login during other events in its browser: the same form again, another tab, another owner, a logout.
// A store that waits produces orders that would occur once in a thousand runs.

const ended = 'This login has ended';
const keys = await createTestKeys();
let running: RunningAuth;
let browser: Browser;

async function begin(options: StartOptions = {}): Promise<void> {
  running = await startAuth({ keys, ...options });
  browser = openAt(running);
}

beforeEach(() => begin());
afterEach(async () => {
  vi.useRealTimers();
  await running.close();
});

const at = (page: Page) => whereIs(running, page);
const audited = async () => (await running.store.audit.list(owner.accountId)).map(({ action }) => action);

/** Holds every caller until `howMany` have come, or until `ms` have passed. */
function meet(howMany: number, ms = 1000): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let here = 0;
  return async () => {
    here += 1;
    if (here >= howMany) resolve();
    await Promise.race([promise, sleep(ms)]);
  };
}

describe('a form that is sent twice', () => {
  test('login, one after the other: the second has to start again', async () => {
    const { page: login } = await ask(running, {}, browser);
    const consent = await enter(browser, login);
    expect(at(await enter(browser, login))).toBe(ended);
    expect(await countUsable(running, [await press(browser, consent, 'confirm')])).toBe(1);
  });

  // A browser shows only the answer to the second click: an error there would hide the success of the first.
  test('consent, one after the other: the second leads to the callback too, by its own login', async () => {
    const { page } = await askConsent(running, { state: 'a state', prompt: 'login consent' }, browser);
    const backs = [await press(browser, page, 'confirm'), await press(browser, page, 'confirm')];
    expect(backs.map(at)).toEqual(['code', 'code']);
    expect(backs.map(({ address }) => new URL(address).searchParams.get('state'))).toEqual(['a state', 'a state']);
    expect(await countUsable(running, backs)).toBe(2);
    expect((await audited()).slice(-2)).toEqual(['give_consent', 'repeat_consent']);
  });

  test('consent and denial, again a minute later, or for a deleted client: the login has ended', async () => {
    const { page } = await askConsent(running, {}, browser);
    await press(browser, page, 'confirm');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    expect(at(await press(browser, page, 'confirm'))).toBe(ended);
    const { page: denied } = await ask(running, { prompt: 'login' }, browser);
    expect(at(await press(browser, denied, 'abort'))).toBe('access_denied');
    expect(at(await press(browser, denied, 'abort'))).toBe('access_denied');
    await running.store.clients.setDisabled('test-partner', 1);
    expect(at(await press(browser, denied, 'abort'))).toBe(ended);
  });

  test('consent, again after the app was disconnected: the consent page is shown', async () => {
    const { page } = await askConsent(running, {}, browser);
    await press(browser, page, 'confirm');
    await running.store.oidc.revokeGrants({ ownerId: owner.id }, 1, 2);
    expect(at(await press(browser, page, 'confirm'))).toBe('consent');
  });

  test('consent, again after logging out: the owner logs in', async () => {
    const { page } = await askConsent(running, {}, browser);
    await press(browser, page, 'confirm');
    const later = Date.now() + 1000;
    await running.store.owners.logOutEverywhere(owner.id, later, {
      at: later,
      accountId: owner.accountId,
      clientId: 'operator',
      action: 'log_out_everywhere',
      deviceId: null,
      requestId: null,
    });
    expect(at(await press(browser, page, 'confirm'))).toBe('login');
  });

  test.each(['login', 'consent'] as const)('%s, before the redirect of the first is followed', async (due) => {
    const { page } = due === 'login' ? await ask(running, {}, browser) : await askConsent(running, {}, browser);
    const step = due === 'login' ? 'login' : 'confirm';
    // A browser that sends a form again drops the first answer.
    const first = await attempt(running, page, step, { Cookie: cookiesOf(browser, page) });
    expect(first.status).toBe(303);
    const second = await browser.post(`${page.address}/${step}`, steps[step].fields);
    expect(at(second)).toBe(due === 'login' ? 'consent' : 'code');
    const back = due === 'login' ? await press(browser, second, 'confirm') : second;
    expect(await countUsable(running, [back])).toBe(1);
    expect((await audited()).filter((action) => action === 'give_consent')).toHaveLength(1);
  });

  type Gate = () => Promise<unknown>;
  interface Gates {
    /** The consent is received, and not stored yet. */
    readonly atConsent?: Gate;
    /** The result of the form is about to be stored. */
    readonly atKeeping?: Gate;
    /** The redirect is about to end the interaction. */
    readonly atEnd?: Gate;
  }

  /** A store that waits at the given points of a form's processing, once the test enables it. */
  async function beginHeld(): Promise<(gates: Gates) => void> {
    let gates: Gates = {};
    await running.close();
    await begin({
      faultyStore: ({ audit, oidc, ...store }) => ({
        ...store,
        audit: {
          ...audit,
          add: async (entry) => {
            if (entry.action === 'give_consent') await gates.atConsent?.();
            await audit.add(entry);
          },
        },
        oidc: {
          ...oidc,
          put: async (artifact) => {
            if (artifact.model === 'Interaction' && artifact.payload.includes('"result":')) await gates.atKeeping?.();
            await oidc.put(artifact);
          },
          consume: async (model, idHash, atSeconds) => {
            if (model === 'Interaction') await gates.atEnd?.();
            return oidc.consume(model, idHash, atSeconds);
          },
        },
      }),
    });
    return (given) => {
      gates = given;
    };
  }

  // Both forms are read before either is stored, and both redirects begin before either has ended the interaction.
  test.each([
    { due: 'login', step: 'login', comesTo: 'consent', gates: () => ({ atKeeping: meet(2), atEnd: meet(2) }) },
    { due: 'consent', step: 'confirm', comesTo: 'code', gates: () => ({ atConsent: meet(2), atEnd: meet(2) }) },
  ] as const)('$due, twice at once: one of them leads on', async ({ due, step, comesTo, gates }) => {
    const hold = await beginHeld();
    const { page } = due === 'login' ? await ask(running, {}, browser) : await askConsent(running, {}, browser);
    hold(gates());
    const sendIt = () => browser.post(`${page.address}/${step}`, steps[step].fields);
    const pages = await Promise.all([sendIt(), sendIt()]);
    expect(pages.map(at).sort()).toEqual([ended, comesTo].sort());
    expect(await countUsable(running, pages)).toBe(comesTo === 'code' ? 1 : 0);
  });

  test.each([
    { due: 'login', step: 'login', comesTo: 'consent', gate: 'atKeeping' },
    { due: 'consent', step: 'confirm', comesTo: 'code', gate: 'atKeeping' },
    { due: 'consent', step: 'confirm', comesTo: 'code', gate: 'atConsent' },
  ] as const)('$due, the first held $gate until the second has come to its end', async (given) => {
    const { due, step, comesTo, gate } = given;
    const hold = await beginHeld();
    const { page } = due === 'login' ? await ask(running, {}, browser) : await askConsent(running, {}, browser);
    const { promise: open, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: isHeld } = Promise.withResolvers<void>();
    let forms = 0;
    const holdFirst = async () => {
      forms += 1;
      if (forms > 1) return;
      isHeld();
      await open;
    };
    hold({ [gate]: holdFirst });
    const sendIt = () => browser.post(`${page.address}/${step}`, steps[step].fields);
    const first = sendIt();
    await held;
    const second = await sendIt();
    expect(at(second)).toBe(comesTo);
    release();
    // If nothing was stored, the form counts as sent now: after the end, and with a remembered consent.
    const isLate = gate === 'atConsent';
    expect(at(await first)).toBe(isLate ? comesTo : ended);
    expect(await countUsable(running, [second, await first])).toBe(comesTo === 'code' ? (isLate ? 2 : 1) : 0);
  });

  test('twenty times at once, in any order', async () => {
    const { page } = await askConsent(running, {}, browser);
    const pages = await Promise.all(Array.from({ length: 20 }, () => press(browser, page, 'confirm')));
    const codes = pages
      .filter((back) => at(back) === 'code')
      .map((back) => new URL(back.address).searchParams.get('code'));
    // oidc-provider writes the whole session at the end of each request, or replaces it. One that began earlier may write it without the new
    // grant, or find it replaced, if the database does not answer at once: then the owner is asked again.
    const asked = ownEngine === 'postgres' ? ['consent', 'login'] : [];
    expect(new Set(pages.map(at)).difference(new Set(['code', ended, ...asked]))).toEqual(new Set());
    expect(codes.length).toBeGreaterThan(0);
    expect(new Set(codes).size).toBe(codes.length);
    expect(await countUsable(running, pages)).toBe(codes.length);
  });

  test('consent and denial at once: one of them counts', async () => {
    const { page } = await askConsent(running, {}, browser);
    const pages = await Promise.all([press(browser, page, 'confirm'), press(browser, page, 'abort')]);
    expect(pages.map(({ status }) => status)).not.toContain(500);
    expect(pages.map(at).filter((place) => place !== ended)).toHaveLength(1);
  });
});

describe('two tabs of one browser', () => {
  const tab = (state: string, client_id = 'test-partner') => ask(running, { state, client_id }, browser);
  const stateOf = ({ address }: Page) => new URL(address).searchParams.get('state');

  test.each([
    { clients: 'of one client', other: 'test-partner' },
    { clients: 'of two clients', other: 'other-partner' },
  ])('two logins $clients, step by step in turn, both succeed', async ({ other }) => {
    const otherPartner = await addPartner(running, 'other-partner');
    const [one, two] = [await tab('one'), await tab('two', other)];
    const consents = [await enter(browser, one.page), await enter(browser, two.page)];
    expect(consents.map(at)).toEqual(['consent', 'consent']);
    const backs: Page[] = [];
    for (const page of consents) backs.push(await press(browser, page, 'confirm'));
    expect(backs.map(at)).toEqual(['code', 'code']);
    expect(backs.map(stateOf)).toEqual(['one', 'two']);
    const [first, second] = backs as [Page, Page];
    for (const tokens of [
      await exchange(running, first),
      await exchange(running, second, other === 'test-partner' ? running.partner : otherPartner),
    ])
      expect(decodeJwt(String(tokens.id_token)).sub).toBe(owner.id);
  });

  test('eight at once: each leads to its own callback or to a page, none to a server error', async () => {
    const states = Array.from({ length: 8 }, (_, index) => `state-${index}`);
    const pages = await Promise.all(
      states.map(async (state) => {
        const { page } = await tab(state);
        const next = at(page) === 'login' ? await enter(browser, page) : page;
        return at(next) === 'consent' ? press(browser, next, 'confirm') : next;
      }),
    );
    for (const [index, page] of pages.entries()) {
      expect(['code', ended]).toContain(at(page));
      if (at(page) === 'code') expect(stateOf(page)).toBe(states[index]);
    }
    // Which of them succeed is random. The browser still works afterwards.
    const { page } = await askConsent(running, {}, browser);
    expect(at(at(page) === 'consent' ? await press(browser, page, 'confirm') : page)).toBe('code');
  });
});

describe('a pending consent during another event in its browser', () => {
  const change = { passwordHash: 'x', at: Date.now() };
  const apps = async (step: string, fields: Record<string, string> = {}) =>
    browser.post(`/auth/apps/${step}`, { ...fields, token: tokenIn(await browser.get('/auth/apps')) });
  const logIn = async (person: Person) =>
    enter(browser, (await ask(running, { prompt: 'login' }, browser)).page, person);

  const happenings: readonly { name: string; happen: () => Promise<unknown> }[] = [
    { name: 'another owner logs in in a second tab', happen: () => logIn(neighbour) },
    {
      name: 'another owner logs in by "somebody else"',
      happen: async () => {
        const { page } = await ask(running, { prompt: 'consent' }, browser);
        await enter(browser, await press(browser, page, 'other'), neighbour);
      },
    },
    {
      name: 'another owner logs in on the page of connected apps',
      happen: async () => {
        // Another owner logs in without a logout in between, from a page that was open before.
        const token = tokenIn(await browser.get('/auth/apps'));
        await browser.post('/auth/apps/login', { email: neighbour.email, password: neighbour.password, token });
      },
    },
    { name: 'the owner logs out', happen: () => apps('log-out') },
    { name: 'the owner logs out everywhere', happen: () => apps('log-out-everywhere') },
    {
      name: 'the password is changed',
      happen: () => running.store.owners.setPassword(owner.id, { ...change, at: Date.now() }, auditOf('set_password')),
    },
    {
      name: 'the owner is disabled',
      happen: () => running.store.owners.setDisabled(owner.id, Date.now(), auditOf('disable_owner')),
    },
    {
      name: 'the account is disabled',
      happen: () => running.store.accounts.setDisabled(owner.accountId, Date.now()),
    },
    { name: 'the client is disabled', happen: () => running.store.clients.setDisabled('test-partner', 1) },
  ];

  beforeEach(() => addOwner(running));

  test.each(happenings)('$name: it is rejected', async ({ happen }) => {
    const { page } = await askConsent(running, {}, browser);
    expect(at(page)).toBe('consent');
    await happen();
    const before = await audited();
    const shown = await browser.get(page.address);
    expect([shown.status, at(shown)]).toEqual([400, ended]);
    const back = await press(browser, page, 'confirm');
    expect([back.status, at(back)]).toEqual([400, ended]);
    expect(await audited()).toEqual(before);
    expect(await countUsable(running, [back])).toBe(0);
  });

  test.each(
    happenings.flatMap(({ name, happen }) => [
      { name, happen, login: 'after a login of its own' },
      { name, happen, login: 'in a browser that is logged in' },
    ]),
  )('$name: if given just before, $login, it gives its client no access', async ({ happen, login }) => {
    if (login === 'in a browser that is logged in') await askConsent(running, {}, browser);
    const { page } = await askConsent(running, {}, browser);
    const given = await attempt(running, page, 'confirm', { Cookie: cookiesOf(browser, page) });
    expect(given.status).toBe(303);
    await happen();
    const back = await browser.get(given.headers.get('location') ?? '');
    expect(back.status).not.toBe(500);
    expect([ended, 'login', 'Unknown application']).toContain(at(back));
    expect(await countUsable(running, [back])).toBe(0);
  });

  test('the owner logs out everywhere, and a request under way writes the session again: it stays invalid', async () => {
    const sessions = new Map<string, OidcArtifact>();
    await running.close();
    await begin({
      faultyStore: ({ oidc, ...store }) => ({
        ...store,
        oidc: {
          ...oidc,
          put: async (artifact) => {
            if (artifact.model === 'Session') sessions.set(artifact.idHash, artifact);
            await oidc.put(artifact);
          },
        },
      }),
    });
    const { page } = await askConsent(running, {}, browser);
    await running.store.owners.logOutEverywhere(owner.id, Date.now() + 1000, auditOf('log_out_everywhere'));
    for (const session of sessions.values()) await running.store.oidc.put(session);
    expect(sessions.size).toBeGreaterThan(0);
    expect(at(await press(browser, page, 'confirm'))).toBe('login');
    expect(at(await browser.get('/auth/apps'))).toBe('login of apps');
    expect(await countUsable(running)).toBe(0);
  });

  test('another owner has logged in, and consents: the tokens are theirs', async () => {
    const { page: waiting } = await askConsent(running, {}, browser);
    const page = await logIn(neighbour);
    expect(at(page)).toBe('consent');
    expect(at(await press(browser, waiting, 'confirm'))).toBe(ended);
    const { id_token } = await exchange(running, await press(browser, page, 'confirm'));
    expect(decodeJwt(String(id_token)).sub).toBe(neighbour.id);
  });
});
