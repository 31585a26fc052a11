// The page that drives a sandbox by clicks, in a browser, under the policy that it is sent with.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { connectBrowser } from '../docs/fixtures/connect-browser.ts';
import { recorded, startFakeControl } from '../mock/sandbox/control/fixtures/fake-sandbox.ts';

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

const long = { ...recorded, path: `/v1/devices/${'A'.repeat(200)}`, says: 'w'.repeat(300) };
const refused = { ...recorded, status: 400, verdict: 'refused', code: 'invalid_request' } as const;

/** The page looks again this often. Its clock is moved on to that by tests that wait for it. */
const interval = 2_000;
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 20_000 });

describe('a browser to look with', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) {
      process.stderr.write(`The page of the sandbox was not looked at. ${missing}\n`);
      skip(missing);
    }
  });
});

describe.skipIf(missing)('the page of the sandbox', () => {
  let browser: Browser;
  /** The one page of all tests, for it keeps nothing, with what it asked of others and what it complained of. */
  let page: Page;
  const outside: string[] = [];
  const complaints: string[] = [];
  let control: Awaited<ReturnType<typeof startFakeControl>>;

  beforeAll(async () => {
    browser = await connectBrowser();
    control = await startFakeControl();
    page = await browser.newPage();
    await page.clock.install();
    page.setDefaultTimeout(20_000);
    page.on('request', (request) => {
      if (!request.url().startsWith(`${control.origin}/_sandbox`)) outside.push(request.url());
    });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  beforeEach(() => control.renew());
  afterAll(async () => {
    await browser?.close();
    await control?.close();
  });

  async function open({ width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {}) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    outside.length = 0;
    complaints.length = 0;
    await page.goto(`${control.origin}/_sandbox/`);
    await page.getByText('2026-06-01').waitFor();
    return page;
  }

  /** Does something on the page, which must have nothing to complain of. */
  async function look(what: (page: Page) => Promise<void>): Promise<void> {
    await what(await open());
    expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
  }

  /** Shows what has come to pass since it last looked. */
  async function shows(page: Page, text: string): Promise<void> {
    await page.clock.runFor(interval);
    await page.getByText(text).waitFor();
  }

  const says = (page: Page, text: string | RegExp) => page.locator('.message', { hasText: text }).waitFor();

  /** By the debugger, which no content policy holds back. */
  async function findViolations(page: Page): Promise<unknown> {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
    const { violations } = await page.evaluate<{ violations: readonly { id: string; nodes: readonly object[] }[] }>(
      `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
    );
    const beyond = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
    return { violations: violations.map(({ id, nodes }) => [id, nodes]), beyond, outside, complaints };
  }
  const clean = { violations: [], beyond: 0, outside: [], complaints: [] };

  const judgePage = async ({ width, colorScheme }: { width: number; colorScheme: 'light' | 'dark' }) => {
    const { faults, journal } = control.sandbox;
    faults.add({ operationId: 'getDevicesSupportingAlgoPin', times: 2, delayMs: 3_000, status: 503 });
    faults.add({ operationId: '*', times: 1, drop: 'after' });
    const verdicts = ['accepted', 'refused', 'unrouted', 'fault', 'failed', 'aborted'] as const;
    for (const verdict of verdicts) journal.record({ ...long, verdict });
    const page = await open({ width, colorScheme });
    await page.clock.runFor(interval);
    await page.getByText('aborted').last().waitFor();
    await page.getByText('Your own data').click();
    await page.getByLabel('JSON in').fill('{');
    await page.getByRole('button', { name: 'Use this data' }).click();
    await says(page, 'This is not JSON');
    expect(await findViolations(page)).toEqual(clean);
  };
  const judges = 'axe finds nothing, and nothing stands beyond the edge: $width px, $colorScheme';
  test.each([{ width: 320, colorScheme: 'light' }] as const)(judges, judgePage);
  test.each([
    { width: 1280, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
    { width: 400, colorScheme: 'light' },
    { width: 400, colorScheme: 'dark' },
  ] as const)(judges, { tags: ['full'] }, judgePage);

  test('uses a named scenario, and shows which one is in use', async () => {
    await look(async (page) => {
      const demo = page.getByRole('button', { name: /^demo/ });
      await eventually(() => demo.getAttribute('aria-pressed')).toBe('true');
      await page.getByRole('button', { name: /^empty An account without/ }).click();
      await says(page, 'Now in use: empty.');
      expect(control.done).toEqual(['use {"name":"empty"}']);
      expect(await demo.getAttribute('aria-pressed')).toBe('false');
      expect(await page.getByRole('button', { name: /^empty/ }).getAttribute('aria-pressed')).toBe('true');
    });
  });

  test("uses data of one's own, and shows all faults of such data", async () => {
    const page = await open();
    await page.getByText('Your own data').click();
    const box = page.getByLabel('JSON in');
    const use = page.getByRole('button', { name: 'Use this data' });
    await box.fill('{"account": ');
    await use.click();
    await says(page, 'This is not JSON');
    expect(control.done).toEqual([]);
    await box.fill('{"account": {"id": "a", "name": "A"}, "device": []}');
    await use.click();
    await says(page, 'import/device is not known, did you mean devices?');
    await box.fill('{"account": {"id": "a", "name": "bad"}}');
    await use.click();
    await says(page, /import\/account\/name is refused\nimport\/devices\/0\/links\/1 has no such device/);
    await box.fill('[{"account": {"id": "a", "name": "A"}}]');
    await use.click();
    await says(page, 'Your own data is in use.');
    expect(control.done.at(-1)).toBe('use {"import":[{"account":{"id":"a","name":"A"}}]}');
    expect(await page.locator('[aria-pressed=true]').count()).toBe(0);
  });

  test('moves the clock, sets it, and stops it', async () => {
    await look(async (page) => {
      const { clock } = control.sandbox;
      await page.getByRole('button', { name: 'Stop' }).click();
      await says(page, 'Stopped.');
      expect(clock.isTicking).toBe(false);
      await page.getByText('(stopped)').waitFor();
      const begun = clock.now();
      for (const [name, ms] of [
        ['+1 minute', 60_000],
        ['+1 hour', 3_600_000],
        ['+1 day', 86_400_000],
        ['−1 day', -86_400_000],
      ] as const) {
        const before = clock.now();
        await page.getByRole('button', { name }).click();
        await eventually(() => clock.now() - before).toBe(ms);
      }
      expect(clock.now() - begun).toBe(3_660_000);
      await page.getByLabel('Set to, UTC').fill('2027-01-02T03:04');
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await says(page, 'Set to 2027-01-02 03:04:00 UTC.');
      expect(new Date(clock.now()).toISOString()).toBe('2027-01-02T03:04:00.000Z');
      await page.getByText('2027-01-02 03:04:00 UTC', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Start' }).click();
      await says(page, 'Running.');
      expect(clock.isTicking).toBe(true);
    });
  });

  test('adds a fault as it is filled in, shows what is left of it, and removes it', async () => {
    const page = await open();
    const { faults } = control.sandbox;
    const form = page.getByRole('form', { name: 'Add a fault' });
    const add = page.getByRole('button', { name: 'Add the fault' });
    await add.click();
    await says(page, 'the fault does nothing: send delayMs, status, example, drop or body');
    await form.getByLabel('Operation').selectOption('createHourlyAlgoPin');
    await form.getByLabel('Times').fill('3');
    await form.getByLabel('Delay, ms').fill('20');
    await form.getByLabel('Status').fill('422');
    await add.click();
    await says(page, 'createHourlyAlgoPin never answers 422');
    await form.getByLabel('Status').fill('503');
    await form.getByLabel('Example').fill('unavailable');
    await form.getByLabel('Body').selectOption('truncated');
    await add.click();
    await says(page, 'Added fault-1.');
    const fault = { operationId: 'createHourlyAlgoPin', times: 3, delayMs: 20, status: 503, example: 'unavailable' };
    expect(faults.list()).toEqual([{ ...fault, body: 'truncated', id: 'fault-1', left: 3 }]);
    faults.take('createHourlyAlgoPin');
    await shows(page, 'answers 20 ms late, answers with 503, example unavailable, truncated body');
    await page.getByText('2 of 3 left').waitFor();
    await page.getByRole('button', { name: 'Remove fault-1, createHourlyAlgoPin' }).click();
    await says(page, 'Removed.');
    expect(faults.list()).toEqual([]);
    // The button that had the focus is gone with its fault.
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Faults');
    await page.getByText('None.').waitFor();
    faults.add({ operationId: '*', times: 1, drop: 'before' });
    await shows(page, 'drops the connection before anything is done');
    await page.getByRole('button', { name: 'Remove all' }).click();
    await eventually(() => faults.list()).toEqual([]);
  });

  test('knows every operation of the contract by name', async () => {
    await look(async (page) => {
      const [first, ...others] = await page.locator('#operation option').allTextContents();
      expect(first).toBe('any operation');
      expect(others).toEqual(expect.arrayContaining(['login', 'exchangeToken', 'getDevices', 'getJobStatus']));
      expect(await page.locator('#by-operation option').count()).toBe(others.length + 1);
    });
  });

  test('expires tokens, and changes how long they live', async () => {
    await look(async (page) => {
      await page.getByRole('button', { name: 'Expire access tokens' }).click();
      await says(page, 'Every access token has expired.');
      await page.getByRole('button', { name: 'Expire all tokens and sign-ins' }).click();
      await says(page, 'Every token and sign-in has expired.');
      expect(control.done).toEqual(['expire access', 'expire all']);
      await page.getByLabel('Life of new access tokens').fill('5');
      await page.keyboard.press('Enter');
      await page.getByText('New access tokens live 5 s.').waitFor();
      expect(control.sandbox.tokens.lifetimeSeconds).toBe(5);
      await page.getByLabel('Life of new access tokens').fill('');
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByText('New access tokens live as long as on the service.').waitFor();
      expect(control.sandbox.tokens.lifetimeSeconds).toBeNull();
    });
  });

  test('shows a token of a client with its own secret, or why there is none', async () => {
    const page = await open();
    const asked: { readonly header: string | undefined; readonly body: string | null }[] = [];
    let answer: object = { access_token: 'a.b.c', expires_in: 86_400 };
    await page.route('**/auth/oauth2/token', (route) => {
      asked.push({ header: route.request().headers().authorization, body: route.request().postData() });
      return route.fulfill({ json: answer });
    });
    const get = page.getByRole('button', { name: 'Get a token' });
    await get.click();
    await says(page, 'A token of demo-own with all its scopes, valid for 86400 s.');
    expect(await page.getByLabel('Token, for').inputValue()).toBe('a.b.c');
    // To be copied by one key.
    expect(await page.evaluate('getSelection().toString()')).toBe('a.b.c');
    const header = `Basic ${btoa('demo-own:not-a-real-secret')}`;
    expect(asked).toEqual([{ header, body: 'grant_type=client_credentials' }]);
    answer = { error: 'invalid_client' };
    await get.click();
    await says(page, 'No token: invalid_client.');
    await page.unroute('**/auth/oauth2/token');
    expect({ outside: new Set(outside), complaints }).toEqual({
      outside: new Set([`${control.origin}/auth/oauth2/token`]),
      complaints: [],
    });
  });

  test('lists requests as they come, with what was wrong, and only those that are asked for', async () => {
    await look(async (page) => {
      const { journal } = control.sandbox;
      const rows = page.locator('#requests tr');
      await page.getByText('None yet.').waitFor();
      journal.record({ ...recorded, queryText: 'limit=5&token=s3cr3t' });
      await shows(page, 'GET /v1/devices?limit=5&token=[redacted]');
      journal.record({ ...refused, says: 'limit must be from 1 to 300, not 900' });
      journal.record({ ...recorded, operationId: 'getJobStatus', status: null, verdict: 'fault', faultId: 'fault-7' });
      await shows(page, 'triggered fault-7');
      expect(await rows.count()).toBe(3);
      expect(await rows.nth(1).innerText()).toMatch(/400[\s\S]*refused[\s\S]*not 900 \(invalid_request\)/);
      expect(await rows.nth(0).innerText()).toMatch(/getJobStatus[\s\S]*none[\s\S]*fault[\s\S]*triggered fault-7/);
      const filter = page.getByRole('form', { name: 'Filter requests' });
      await filter.getByLabel('Verdict').selectOption('refused');
      await eventually(() => rows.count()).toBe(1);
      await filter.getByLabel('Verdict').selectOption('all');
      await filter.getByLabel('Operation').selectOption('getJobStatus');
      await eventually(() => rows.count()).toBe(1);
      await filter.getByLabel('Operation').selectOption('all');
      await filter.getByLabel('Status').fill('200');
      await eventually(() => rows.count()).toBe(1);
      await filter.getByLabel('Status').fill('');
      await eventually(() => rows.count()).toBe(3);
      await page.getByRole('button', { name: 'Empty the list' }).click();
      await page.getByText('None yet.').waitFor();
      expect(journal.list()).toEqual([]);
    });
  });

  test('shows what callers sent as text, whatever it is', async () => {
    await look(async (page) => {
      const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
      control.sandbox.journal.record({ ...refused, path: `/${markup}`, says: markup, operationId: null });
      await shows(page, `GET /${markup}`);
      expect(await page.locator('img, #requests script').count()).toBe(0);
    });
  });

  test('resets everything', async () => {
    await look(async (page) => {
      control.sandbox.faults.add({ operationId: '*', times: 1, delayMs: 5 });
      await shows(page, '5 ms late');
      await page.getByRole('button', { name: 'Reset everything' }).click();
      await says(page, 'The scenario was reset');
      expect(control.done).toEqual(['reset']);
      await page.getByText('None.').waitFor();
    });
  });

  test('is worked by keyboard alone', async () => {
    await look(async (page) => {
      const passed: string[] = [];
      for (let count = 0; count < 12; count++) {
        await page.keyboard.press('Tab');
        passed.push(await page.evaluate<string>('document.activeElement.textContent.trim()'));
      }
      expect(passed.slice(0, 5)).toEqual([
        'The API',
        'The keypad',
        'contract of the control',
        'Reset everything',
        expect.stringMatching(/^demo/),
      ]);
      expect(passed).toContain('Your own data');
      await page.getByRole('button', { name: /^quota/ }).focus();
      await page.keyboard.press('Space');
      await says(page, 'Now in use: quota.');
      // It is drawn anew around the reader, not under their hands.
      expect(await page.evaluate<string>('document.activeElement.value')).toBe('quota');
    });
  });

  const enters = 'sends digits to a lock: $width px, $colorScheme';
  const enterDigits = async (screen: { readonly width: number; readonly colorScheme: 'dark' | 'light' }) => {
    const page = await open(screen);
    await page.getByRole('link', { name: 'The keypad' }).click();
    await page.getByLabel('Lock', { exact: true }).selectOption('LK0A00000001');
    for (const key of '48291573') await page.getByRole('button', { name: key, exact: true }).click();
    await page.getByRole('button', { name: 'Erase the last digit' }).click();
    await page.getByRole('button', { name: 'Enter', exact: true }).click();
    await page.getByText('The window of this code has not begun.').waitFor();
    expect(control.done).toEqual(['enter 4829157']);
    expect(await page.getByRole('img').getAttribute('aria-label')).toBe('The entry was before the window.');
    await page.getByText('2 Jun 2026, 14:00, Europe/Berlin').waitFor();
    await page.getByLabel('Digits').fill('1');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'too_early' }).nth(1).waitFor();
    await page.getByRole('button', { name: '+1 hour' }).click();
    await says(page, 'Moved to 2026-06-01 13:00');
    expect(await findViolations(page)).toEqual(clean);
  };
  test.each([{ width: 320, colorScheme: 'dark' }] as const)(enters, enterDigits);
  test.each([{ width: 1280, colorScheme: 'light' }] as const)(enters, { tags: ['full'] }, enterDigits);

  test('shows that the sandbox is gone', async () => {
    const own = await startFakeControl();
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(`${own.origin}/_sandbox/`);
    await page.getByText('2026-06-01').waitFor();
    await own.close();
    await page.clock.runFor(interval);
    await says(page, 'The sandbox does not answer. Is it still running?');
    await page.close();
  });

  test('cannot be controlled by a page of another origin in another tab', async () => {
    const other = await startFakeControl();
    const page = await browser.newPage();
    // A page of another port of the same machine: the same site, another origin. It is not held back by the policy of this one.
    await page.route(`${other.origin}/plain`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>plain</p>' }),
    );
    await page.goto(`${other.origin}/plain`);
    const outcomes = await page.evaluate<readonly string[]>(`(async () => {
      const at = (path) => '${control.origin}/_sandbox' + path;
      const tries = [
        () => fetch(at('/state')),
        () => fetch(at('/reset'), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }),
        () => fetch(at('/reset'), { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: '{}' }),
        () => fetch(at('/faults'), { method: 'DELETE' }),
      ];
      return Promise.all(tries.map((attempt) => attempt().then(({ type }) => type, () => 'refused')));
    })()`);
    expect(outcomes).toEqual(['refused', 'refused', expect.stringMatching(/^(opaque|refused)$/), 'refused']);
    expect(control.done).toEqual([]);
    await page.close();
    await other.close();
  });
});
