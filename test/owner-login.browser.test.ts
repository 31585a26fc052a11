// Owners at a real browser, from a login request to the callback and the token, and at their connected applications.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { decodeJwt } from 'jose';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { connectBrowser } from '../docs/fixtures/connect-browser.ts';
import { quiet } from '../docs/watch-page.ts';
import { createClientMetadata } from '../server/oauth/create-client-metadata.ts';
import { callback, owner, type RunningAuth, startAuth } from '../server/oauth/fixtures/start-auth.ts';
import { basic, loginQuery, post } from '../server/oauth/fixtures/talk.ts';
import { createPasswords } from '../server/oauth/passwords.ts';

// If these fail, an owner can't come through, or somebody else comes through in the owner's place.

type Person = Pick<typeof owner, 'accountId'> & {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
};

const neighbour: Person = {
  ...owner,
  id: `owner-${'b2'.repeat(12)}`,
  email: 'neighbour@harbour.example',
  name: 'Nora Neighbour',
  password: 'incorrect horse battery staple',
};

/** The answer of another host. */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not before this. */
  readonly after?: Promise<void>;
}

interface Tab {
  readonly page: Page;
  /** Everything on the console, refusals of a policy and advice for developers among it, and what Chromium lists as an issue. */
  readonly complaints: string[];
  /** Addresses on other hosts that the page has been led to. */
  readonly visited: string[];
}

interface TabOptions extends BrowserContextOptions {
  readonly elsewhere?: (address: URL) => Answer;
}

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;
const executablePath = found.kind === 'found' ? found.path : '';

/** Of a client under development. Nobody listens there: the debugger answers. */
const loopbackCallback = 'http://[::1]:3000/callback';

const badRequest = 'Failed to load resource: the server responded with a status of 400 (Bad Request)';
const ended = /This login has ended/;
const noCookies = /Your browser keeps no cookies here/;

describe('a browser to walk with', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) {
      process.stderr.write(`The login was not walked in a browser. ${missing}\n`);
      skip(missing);
    }
  });
});

describe.skipIf(missing)('an owner at a browser', () => {
  let running: RunningAuth;
  let browser: Browser;
  let axe: string;

  beforeAll(async () => {
    running = await startAuth({ loopbackCallbacks: [loopbackCallback] });
    const passwordHash = await createPasswords({ ln: 4 }).hash(neighbour.password);
    await running.store.owners.create({ ...neighbour, passwordHash, createdAt: Date.now() });
    const app = { kind: 'partner', clientId: 'test-app', name: 'App', redirectUris: [callback] } as const;
    await running.store.clients.create(createClientMetadata({ ...app, loopbackCallbacks: [loopbackCallback] }));
    browser = await connectBrowser();
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  });

  afterAll(async () => {
    await browser?.close();
    await running?.close();
  });

  async function open({ elsewhere, ...options }: TabOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
    return watch(await context.newPage(), elsewhere);
  }

  const start = ({ page }: Tab, changes: Readonly<Record<string, string>> = {}) =>
    page.goto(`${running.issuer}/login?${loginQuery({ state: 'a state', ...changes })}`);

  async function enter({ page }: Tab, { email, password }: Pick<Person, 'email' | 'password'> = owner): Promise<void> {
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.locator('button.primary').click();
  }

  const press = ({ page }: Tab, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const allowButton = ({ page }: Tab) => page.getByRole('button', { name: 'Allow', exact: true });

  /** A login up to the question whether the client may. */
  async function askConsent(tab: Tab, changes: Readonly<Record<string, string>> = {}): Promise<void> {
    await start(tab, changes);
    await enter(tab);
    await allowButton(tab).waitFor();
  }

  /** The query at the callback, once the browser is there. */
  async function readAnswer({ page }: Tab): Promise<Record<string, string>> {
    // Asked again and again: waiting for an address fails where a second click gives up the way there.
    await expect.poll(() => page.url(), { timeout: 20_000 }).toContain(`${callback}?`);
    await page.waitForLoadState();
    return Object.fromEntries(new URL(page.url()).searchParams);
  }

  async function exchange({ code = '' }: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const { status, body, text } = await post(running, '/oauth2/token', fields, basic(running.partner));
    expect(status, text).toBe(200);
    return body ?? {};
  }

  /** The problems that axe finds on a page with everything unfolded, and the elements beyond the window, at 100 % and at 200 %, which halves it. */
  async function judge({ page }: Tab): Promise<readonly string[]> {
    await page.evaluate(`document.querySelectorAll('details').forEach((details) => { details.open = true; })`);
    const window = page.viewportSize() ?? { width: 0, height: 0 };
    const faults: string[] = [];
    for (const zoom of [2, 1]) {
      await page.setViewportSize({ width: window.width / zoom, height: window.height });
      const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      if (beyond !== 0) faults.push(`${beyond} px beyond the window at ${zoom}00 %`);
    }
    // By the debugger, which no content policy holds back.
    await page.evaluate(axe);
    const run = `axe.run({ resultTypes: ['violations'] })`;
    const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(run);
    return [
      ...faults,
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`)),
    ];
  }

  const onScreen = (width: number) => ({ viewport: { width, height: 900 } });

  const logsIn = async (width: number) => {
    const tab = await open(onScreen(width));
    const { page } = tab;
    await start(tab, { scope: '' });
    expect(await judge(tab)).toEqual([]);
    await enter(tab);
    await allowButton(tab).waitFor();
    expect(await judge(tab)).toEqual([]);
    await press(tab, 'Allow');
    const answer = await readAnswer(tab);
    expect(answer).toEqual({ code: expect.stringMatching(/./), state: 'a state', iss: running.issuer });
    expect(tab.visited).toEqual([page.url()]);
    const { id_token, access_token } = await exchange(answer);
    expect(decodeJwt(String(id_token)).sub).toBe(owner.id);
    const isGood = async () => (await running.verify(String(access_token))).kind === 'good';
    expect(await isGood()).toBe(true);

    // Who logged in for a client is logged in here.
    await page.goto(`${running.issuer}/apps`);
    expect(await page.locator('.apps > li h2').allInnerTexts()).toEqual(['Partner']);
    expect(await judge(tab)).toEqual([]);
    await press(tab, /^Disconnect/);
    await page.getByText('Partner is disconnected.').waitFor();
    expect(await page.locator('.apps > li').count()).toBe(0);
    expect(await judge(tab)).toEqual([]);
    expect(await isGood()).toBe(false);
    await page.reload();
    expect(await page.getByText('Partner is disconnected.').count()).toBe(0);

    await press(tab, 'Log out');
    await page.getByText('You are logged out.').waitFor();
    expect(await judge(tab)).toEqual([]);
    await enter(tab);
    await press(tab, 'Log out everywhere');
    await page.getByText('You are logged out in every browser').waitFor();
    expect(tab.complaints).toEqual([]);
    await close(tab);
  };

  const saysNo = async (width: number) => {
    const tab = await open(onScreen(width));
    const { page } = tab;
    const denied = { error: 'access_denied', error_description: expect.any(String), state: 'a state' };
    await start(tab);
    await press(tab, 'Cancel');
    expect(await readAnswer(tab)).toEqual({ ...denied, iss: running.issuer });
    await start(tab);
    await enter(tab, { ...owner, password: 'no such password' });
    await page.getByRole('alert').waitFor();
    expect(await page.title()).toMatch(/^Wrong e-mail or password/);
    expect(await page.locator('#email').inputValue()).toBe(owner.email);
    expect(await page.locator('#password').inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    expect(await judge(tab)).toEqual([]);
    await page.locator('#password').fill(owner.password);
    // It presses the first button of the form, which is not the one that cancels.
    await page.keyboard.press('Enter');
    await press(tab, 'Deny');
    expect(await readAnswer(tab)).toEqual({ ...denied, iss: running.issuer });
    // Chromium reports this for any page without a success status.
    expect(tab.complaints).toEqual([badRequest]);
    await close(tab);
  };

  const logs = 'logs in and allows; sees what is connected, disconnects it, and logs out, at %i px';
  test.each([390])(logs, logsIn);
  test.each([1400])(logs, { tags: ['full'] }, logsIn);
  const denies = 'denies at once; mistypes the password, sees the message, and denies at the consent, at %i px';
  test.each([1400])(denies, saysNo);
  test.each([390])(denies, { tags: ['full'] }, saysNo);

  test('is logged out of every browser and every client at once', { tags: ['full'] }, async () => {
    const [here, there] = [await open(), await open()];
    await askConsent(there);
    await press(there, 'Allow');
    const { access_token } = await exchange(await readAnswer(there));
    await here.page.goto(`${running.issuer}/apps`);
    await enter(here);
    await press(here, 'Log out everywhere');
    await here.page.getByText('You are logged out in every browser').waitFor();
    expect((await running.verify(String(access_token))).kind === 'good').toBe(false);
    await there.page.goto(`${running.issuer}/apps`);
    await there.page.locator('#password').waitFor();
    await Promise.all([close(here), close(there)]);
  });

  test('leaves the login to somebody else', { tags: ['full'] }, async () => {
    const tab = await open();
    await askConsent(tab);
    await press(tab, /somebody else/);
    await enter(tab, neighbour);
    await tab.page.getByText(neighbour.name).waitFor();
    await press(tab, 'Allow');
    const answer = await readAnswer(tab);
    expect(answer.state).toBe('a state');
    expect(decodeJwt(String((await exchange(answer)).id_token)).sub).toBe(neighbour.id);
    expect(tab.complaints).toEqual([]);
    await close(tab);
  });

  test.each([
    { name: 'as the browser asks', locale: 'de-CH', changes: {} },
    { name: 'as the client asks', locale: 'fr-CH', changes: { ui_locales: 'de' } },
  ])('reads German, $name', { tags: ['full'] }, async ({ locale, changes }) => {
    const tab = await open({ locale });
    await start(tab, changes);
    expect(await tab.page.title()).toMatch(/^Anmelden/);
    await enter(tab, { ...owner, password: 'no such password' });
    await tab.page.getByText('E-Mail-Adresse oder Passwort ist falsch.').waitFor();
    await enter(tab);
    await tab.page.getByRole('button', { name: 'Erlauben' }).waitFor();
    expect(await tab.page.locator('html').getAttribute('lang')).toBe('de');
    await press(tab, 'Erlauben');
    await exchange(await readAnswer(tab));
    await close(tab);
  });

  test('comes through by keyboard alone, and sees where the keys go', async () => {
    const tab = await open();
    const { keyboard } = tab.page;
    await start(tab);
    expect(await readFocus(tab)).toEqual({ name: 'E-mail', isSeen: true });
    await keyboard.type(owner.email);
    await keyboard.press('Tab');
    expect(await readFocus(tab)).toEqual({ name: 'Password', isSeen: true });
    await keyboard.type(owner.password);
    await keyboard.press('Tab');
    expect(await readFocus(tab)).toEqual({ name: 'Log in', isSeen: true });
    await keyboard.press('Enter');
    await allowButton(tab).waitFor();
    const passed = [];
    for (let name = ''; name !== 'Allow' && passed.length < 10; ) {
      await keyboard.press('Tab');
      const focus = await readFocus(tab);
      passed.push(focus);
      name = focus.name;
    }
    expect(passed.filter(({ isSeen }) => !isSeen)).toEqual([]);
    expect(passed.at(-1)?.name).toBe('Allow');
    await keyboard.press('Enter');
    await exchange(await readAnswer(tab));
    await close(tab);
  });

  test('comes through without JavaScript', async () => {
    const tab = await open({ javaScriptEnabled: false });
    await start(tab);
    await enter(tab, { ...owner, password: 'no such password' });
    await tab.page.getByRole('alert').waitFor();
    await enter(tab);
    await press(tab, /somebody else/);
    await enter(tab);
    await press(tab, 'Allow');
    await exchange(await readAnswer(tab));
    await tab.page.goto(`${running.issuer}/apps`);
    await tab.page.locator('summary').click();
    await press(tab, /^Disconnect/);
    await tab.page.getByText('Partner is disconnected.').waitFor();
    await press(tab, 'Log out');
    await tab.page.getByText('You are logged out.').waitFor();
    await close(tab);
  });

  describe('who goes back, reloads, or presses twice', () => {
    test('finds the same page after a reload, and a page with instructions after the end of the login', async () => {
      const tab = await open();
      const { page } = tab;
      await start(tab);
      await page.reload();
      await enter(tab);
      await allowButton(tab).waitFor();
      await page.reload();
      await page.goBack();
      expect(await page.title()).toMatch(ended);
      expect(await judge(tab)).toEqual([]);
      await page.goForward();
      await press(tab, 'Allow');
      const answer = await readAnswer(tab);
      await page.goBack();
      expect(await page.title()).toMatch(ended);
      await page.reload();
      expect(await page.title()).toMatch(ended);
      await page.goForward();
      expect(await readAnswer(tab)).toEqual(answer);
      await exchange(answer);
      await close(tab);
    });

    // A browser of its own for this.
    test('sees nothing of the connected applications by going back after logging out', { tags: ['full'] }, async () => {
      // As readers have it: Playwright switches off the cache that brings a page back as it was, no-store or not.
      const ignoreDefaultArgs = ['--disable-back-forward-cache'];
      const cached = await chromium.launch({
        executablePath,
        args: [...quiet],
        ignoreDefaultArgs,
      });
      const tab = await watch(await cached.newPage());
      const { page } = tab;
      await page.goto(`${running.issuer}/apps`);
      await enter(tab);
      await page.getByText(owner.email).waitFor();
      await press(tab, 'Log out');
      await page.getByText('You are logged out.').waitFor();
      // Playwright waits in vain for a page from that cache to load.
      await page.evaluate('history.back()');
      await expect.poll(() => page.evaluate('document.title').catch(() => ''), { timeout: 10_000 }).toMatch(/^Log in/);
      expect(await page.evaluate('document.body.innerText')).not.toContain(owner.email);
      await cached.close();
    });

    const clicksTwice = async ({ hold }: { hold: typeof holdRequests }) => {
      const tab = await open();
      const { page } = tab;
      await start(tab);
      await page.locator('#email').fill(owner.email);
      await page.locator('#password').fill(owner.password);
      await hold(tab, 300);
      await page.getByRole('button', { name: 'Log in' }).dblclick({ noWaitAfter: true });
      await allowButton(tab).waitFor();
      await allowButton(tab).dblclick({ noWaitAfter: true });
      await exchange(await readAnswer(tab));
      expect(tab.visited).toHaveLength(1);
      await close(tab);
    };
    const once = 'comes through once by two clicks on each button, where $name';
    test.each([
      { name: 'the answer is slow', hold: holdAnswers },
      { name: 'the request is slow', hold: holdRequests },
    ])(once, { tags: ['full'] }, clicksTwice);

    interface Button {
      readonly button: string;
      readonly due: (tab: Tab) => Promise<unknown>;
      readonly comesTo: object;
    }
    // The second click gives up the way that the first has led to, and asks again.
    const clicksAgain = async ({ button, due, comesTo }: Button) => {
      const { promise: after, resolve: answerFromNowOn } = Promise.withResolvers<void>();
      const tab = await open({ elsewhere: () => ({ status: 200, after }) });
      await due(tab);
      const box = await tab.page.getByRole('button', { name: button, exact: true }).boundingBox();
      const [x, y] = [(box?.x ?? 0) + 10, (box?.y ?? 0) + 10];
      // A hand does not wait for what its first click has led to.
      await tab.page.mouse.click(x, y);
      await expect.poll(() => tab.visited.length).toBe(1);
      await tab.page.mouse.click(x, y);
      await expect.poll(() => tab.visited.length).toBe(2);
      answerFromNowOn();
      const answer = await readAnswer(tab);
      expect(answer).toMatchObject({ ...comesTo, state: 'a state', iss: running.issuer });
      if (answer.code !== undefined) await exchange(answer);
      await close(tab);
    };
    const again = 'comes through by two clicks on $button, where the application is slow';
    test.each<Button>([{ button: 'Allow', due: askConsent, comesTo: { code: expect.any(String) } }])(
      again,
      clicksAgain,
    );
    test.each<Button>([
      { button: 'Deny', due: askConsent, comesTo: { error: 'access_denied' } },
      { button: 'Cancel', due: (tab) => start(tab), comesTo: { error: 'access_denied' } },
    ])(again, { tags: ['full'] }, clicksAgain);
  });

  describe('who has two tabs', () => {
    async function openTwo(): Promise<readonly [Tab, Tab]> {
      const one = await open();
      return [one, await watch(await one.page.context().newPage())];
    }

    test('comes through in both, step by step in turn', { tags: ['full'] }, async () => {
      const tabs = await openTwo();
      const states = ['one', 'two'];
      for (const [index, tab] of tabs.entries()) await start(tab, { state: states[index] ?? '' });
      for (const tab of tabs) await enter(tab);
      for (const tab of tabs) await press(tab, 'Allow');
      for (const [index, tab] of tabs.entries()) {
        const answer = await readAnswer(tab);
        expect(answer.state).toBe(states[index]);
        await exchange(answer);
      }
      await close(tabs[0]);
    });

    test('never allows as one owner what was asked of another', async () => {
      const [one, two] = await openTwo();
      for (const tab of [one, two]) await start(tab);
      await enter(one);
      await allowButton(one).waitFor();
      await enter(two, neighbour);
      await allowButton(two).waitFor();
      await press(one, 'Allow');
      await one.page.getByRole('heading', { name: ended }).waitFor();
      expect(await judge(one)).toEqual([]);
      await press(two, 'Allow');
      expect(decodeJwt(String((await exchange(await readAnswer(two))).id_token)).sub).toBe(neighbour.id);
      expect(one.visited).toEqual([]);
      await close(one);
    });
  });

  // A browser of its own for this.
  describe('whose browser takes no cookies', { tags: ['full'] }, () => {
    let context: BrowserContext;
    let folder: string;
    let tab: Tab;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'no-cookies-'));
      await mkdir(join(folder, 'Default'));
      const profile = { default_content_setting_values: { cookies: 2 } };
      await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify({ profile }));
      context = await chromium.launchPersistentContext(folder, { executablePath, args: [...quiet] });
      tab = await watch(await context.newPage());
    });
    afterAll(async () => {
      await context?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('is shown at the start of a login', async () => {
      await start(tab);
      expect(await context.cookies()).toEqual([]);
      expect(await tab.page.title()).toMatch(noCookies);
    });

    test('is shown at the connected applications', async () => {
      await tab.page.goto(`${running.issuer}/apps`);
      await enter(tab);
      await expect.poll(() => tab.page.title()).toMatch(noCookies);
    });
  });

  describe('the content policy', () => {
    const narrow = (kept: string) =>
      kept.replace(/form-action [^;]*/, `form-action 'self' ${new URL(callback).origin}`);
    const onward = 'https://app.elsewhere.example/in';

    // In `npm test` a page of the login leads on in owner-pages.browser.test.ts.
    test('lets the answer through to a callback that leads on to another host', { tags: ['full'] }, async () => {
      const tab = await open({ elsewhere: redirectTo(onward) });
      await askConsent(tab);
      await press(tab, 'Allow');
      await tab.page.waitForURL(onward);
      expect(tab.complaints).toEqual([]);
      await close(tab);
    });

    test('would stop it there, if it named the callback alone', { tags: ['full'] }, async () => {
      const tab = await open({ elsewhere: redirectTo(onward) });
      await askConsent(tab);
      await alter(tab, { policy: narrow });
      await press(tab, 'Allow');
      await expect.poll(() => tab.complaints.join()).toContain('form-action');
      expect(tab.visited).toEqual([expect.stringContaining(callback)]);
      await close(tab);
    });

    test('lets the answer through to a callback on this machine that leads on to another port', {
      tags: ['full'],
    }, async () => {
      const tab = await open({ elsewhere: redirectTo('http://localhost:5173/in') });
      await askConsent(tab, { client_id: 'test-app', redirect_uri: loopbackCallback });
      await press(tab, 'Allow');
      await tab.page.waitForURL('http://localhost:5173/in');
      expect(tab.visited[0]?.startsWith(`${loopbackCallback}?code=`)).toBe(true);
      expect(tab.complaints).toEqual([]);
      await close(tab);
    });

    test('keeps content that was injected into a page from running', async () => {
      const injected = `
        <script>document.documentElement.dataset.script = 'ran'</script>
        <svg onload="document.documentElement.dataset.handler = 'ran'"></svg>
        <style>h1 { color: rgb(1, 2, 3); }</style>
        <p id="injected" style="color: rgb(1, 2, 3)">injected</p>
        </body>`;
      const readInjected = `({
        ...document.documentElement.dataset,
        style: getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)',
        attribute: getComputedStyle(document.querySelector('#injected')).color === 'rgb(1, 2, 3)',
      })`;
      const tab = await open();
      await askConsent(tab);
      const body = (html: string) => html.replace('</body>', injected);
      await alter(tab, { body });
      expect(await tab.page.evaluate(readInjected)).toEqual({ style: false, attribute: false });
      const refused = tab.complaints.filter((text) => text.includes('Content Security Policy')).join('\n');
      for (const directive of ['script-src', 'style-src']) expect(refused).toContain(directive);

      // The same without a policy: it would have run.
      await alter(tab, { body, policy: () => undefined });
      expect(await tab.page.evaluate(readInjected)).toEqual({
        script: 'ran',
        handler: 'ran',
        style: true,
        attribute: true,
      });
      await close(tab);
    });
  });

  describe('whose password is kept by the browser', () => {
    const isFilledIn = async ({ path }: { path: () => string }) => {
      const tab = await open();
      await tab.page.goto(`${running.issuer}${path()}`);
      const fields = await tab.page
        .locator('form:has(#password) input:not([type=hidden])')
        .evaluateAll((inputs) =>
          inputs.map((input) => [input.getAttribute('type'), input.getAttribute('autocomplete')]),
        );
      expect(fields).toEqual([
        ['text', 'username'],
        ['password', 'current-password'],
      ]);
      expect(tab.complaints).toEqual([]);

      // A message of Chromium about a form without both would be heard.
      await alter(tab, { body: (html) => html.replaceAll(/ autocomplete="[^"]*"|<label[^>]*>/g, '') });
      await expect.poll(() => tab.complaints.join('\n')).toMatch(/autocomplete/i);
      await close(tab);
    };
    const fills = 'has it filled in at $name: one form, the name first, each field named for what it takes';
    test.each([{ name: 'login', path: () => `/login?${loginQuery()}` }])(fills, isFilledIn);
    test.each([{ name: 'connected applications', path: () => '/apps' }])(fills, { tags: ['full'] }, isFilledIn);
  });
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

const elsewherePatterns = ['https://*', 'http://*:3000/*', 'http://*:5173/*'].map((urlPattern) => ({ urlPattern }));

/** Listens to a page, and answers in the place of every other host: none has a name or a certificate here. */
async function watch(page: Page, elsewhere: (address: URL) => Answer = () => ({ status: 200 })): Promise<Tab> {
  const complaints: string[] = [];
  const visited: string[] = [];
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  // By the debugger: Playwright's own routes do not see a request that a redirect leads to.
  const session = await page.context().newCDPSession(page);
  session.on('Audits.issueAdded', ({ issue }) => {
    // Of other hosts that led on at once.
    if (issue.code !== 'BounceTrackingIssue') complaints.push(JSON.stringify(issue));
  });
  session.on('Fetch.requestPaused', async ({ requestId, request }) => {
    const address = new URL(request.url);
    if (address.pathname !== '/favicon.ico') visited.push(request.url);
    const { status, headers = {}, after } = elsewhere(address);
    await after;
    const responseHeaders = Object.entries({ 'Content-Type': 'text/html', ...headers });
    const answer = {
      requestId,
      responseCode: status,
      responseHeaders: responseHeaders.map(([name, value]) => ({ name, value })),
      body: Buffer.from('<!doctype html><title>Elsewhere</title>').toString('base64'),
    };
    // A page that is closed meanwhile waits for nothing.
    await session.send('Fetch.fulfillRequest', answer).catch(() => undefined);
  });
  await session.send('Audits.enable');
  await session.send('Fetch.enable', { patterns: elsewherePatterns });
  return { page, complaints, visited };
}

async function close({ page }: Tab): Promise<void> {
  await page.context().close();
}

function redirectTo(onward: string): (address: URL) => Answer {
  return ({ pathname }) =>
    pathname === '/callback' ? { status: 302, headers: { Location: onward } } : { status: 200 };
}

interface Changes {
  readonly body?: (html: string) => string;
  readonly policy?: (policy: string) => string | undefined;
}

/** Loads the page at hand anew, changed on its way: all other headers stay as they came. */
async function alter({ page }: Tab, { body = (html) => html, policy = (kept) => kept }: Changes): Promise<void> {
  await page.unroute(page.url());
  await page.route(page.url(), async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': kept = '', ...others } = response.headers();
    const next = policy(kept);
    const headers = { ...others, ...(next !== undefined && { 'content-security-policy': next }) };
    await route.fulfill({ response, headers, body: body(await response.text()) });
  });
  await page.reload();
}

/** Posts reach the server so much later: the first of two never does. */
async function holdRequests({ page }: Tab, ms: number): Promise<void> {
  await page.route('**/interaction/**', async (route) => {
    if (route.request().method() === 'POST') await sleep(ms);
    await route.continue().catch(() => undefined);
  });
}

/** Answers come so much later: the server works on both of two. */
async function holdAnswers({ page }: Tab, ms: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const unbounded = { downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: ms, ...unbounded });
}

/** The accessible name of the focused element, and whether its outline is within the window. */
async function readFocus({ page }: Tab): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(`(() => {
    const { activeElement: element } = document;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom } = element.getBoundingClientRect();
    return {
      name: (element.labels?.[0] ?? element).textContent.replaceAll(/\\s+/g, ' ').trim(),
      isSeen: outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && top >= 0 && bottom <= innerHeight,
    };
  })()`);
}
