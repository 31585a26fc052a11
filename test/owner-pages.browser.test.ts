// The pages for account owners in a browser, each in each state and language, under the policy that they are sent with.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { samplePages } from '../server/oauth/pages/fixtures/sample-pages.ts';
import { languages } from '../server/oauth/pages/index.ts';
import { judgePages, type OwnerPages, type Screen, startOwnerPages } from './fixtures/owner-pages.ts';

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

/** In the page: what has the focus, as a reader would call it. */
const focused = `(() => {
  const { activeElement: element } = document;
  const text = (node) => node.textContent.replaceAll(/\\s+/g, ' ').trim();
  return element === document.body ? '' : element.labels?.length ? text(element.labels[0]) : text(element);
})()`;

/** Without an icon to ask for, which would come when the next test is on. */
const arrived = '<!doctype html><link rel="icon" href="data:,">arrived';

/** A client on another origin, whose callback may lead on to a third. */
async function startClient(leadsOn: boolean) {
  const visits: string[] = [];
  const start = async (answer: (response: ServerResponse) => void) => {
    const started = createServer(({ url = '' }, response) => {
      visits.push(url);
      answer(response);
    });
    await new Promise<void>((resolve) => void started.listen(0, '127.0.0.1', resolve));
    return { started, address: `http://127.0.0.1:${(started.address() as AddressInfo).port}/callback` };
  };
  const last = await start((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(arrived));
  const first = await start((response) =>
    leadsOn
      ? response.writeHead(303, { Location: last.address }).end()
      : response.writeHead(200, { 'Content-Type': 'text/html' }).end(arrived),
  );
  return {
    visits,
    callback: first.address,
    addresses: [first.address, last.address],
    end: leadsOn ? last.address : first.address,
    close() {
      first.started.close();
      last.started.close();
    },
  };
}

describe('a browser to look with', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) {
      process.stderr.write(`The pages for account owners were not looked at. ${missing}\n`);
      skip(missing);
    }
  });
});

describe.skipIf(missing)('the pages for account owners', () => {
  let pages: OwnerPages;
  const open: OwnerPages['open'] = (options) => pages.open(options);
  const addressOf: OwnerPages['addressOf'] = (name, language) => pages.addressOf(name, language);

  beforeAll(async () => {
    pages = await startOwnerPages();
  });
  afterAll(() => pages?.close());

  const kinds = [...new Set(samplePages.map(({ name }) => name.split(' ')[0] ?? name))];
  const judges = 'axe finds nothing, nothing is fetched, refused or beyond the edge: $kind, $language';

  /** Each width with the other scheme; kinds take turns. */
  const screens: readonly Screen[] = [
    { width: 390, colorScheme: 'light' },
    { width: 1400, colorScheme: 'dark' },
  ];
  /** Fields, a message at one, a notice above, the longest names, a short and a long list, a page that is all text. In the language of longer words. */
  const names = [
    ...['login hint', 'login wrong', 'login own-logged-out', 'login long'],
    ...['consent all', 'consent unknown', 'consent long'],
    ...['apps plain', 'apps none', 'apps unusual', 'problem no-cookies', 'problem unknown-client'],
  ];
  test.each(kinds.map((kind, index) => ({ kind, language: 'de', names, index }) as const))(
    judges,
    ({ index, ...judged }) =>
      judgePages(
        pages,
        screens.filter((_, turn) => turn === index % 2),
        judged,
      ),
  );

  // 19 pages of a kind, each on four screens.
  test.each(languages.flatMap((language) => kinds.map((kind) => ({ kind, language }))))(
    `${judges}, on every screen`,
    { tags: ['full'] },
    (judged) =>
      judgePages(
        pages,
        [390, 1400].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
        judged,
      ),
  );

  test('the style is the one of the scheme', async () => {
    const grounds = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open({ width: 1400, colorScheme });
      await page.goto(addressOf('login plain', 'en'));
      grounds.push(
        await page.evaluate<string>(`getComputedStyle(document.querySelector('button.primary')).backgroundColor`),
      );
    }
    expect(grounds).toEqual(['rgb(11, 110, 99)', 'rgb(53, 179, 164)']);
  });

  test.each([
    { name: 'login plain', start: 'E-mail', order: ['E-mail', 'Password', 'Log in', 'Cancel'] },
    { name: 'login wrong', start: 'Password', order: ['Password', 'Log in', 'Cancel'] },
    { name: 'login own-plain', start: 'E-mail', order: ['E-mail', 'Password', 'Log in'] },
    {
      name: 'consent all',
      start: '',
      order: [
        'Not you? Log in as somebody else',
        'https://access.locks.example/auth/apps (opens in a new tab)',
        'Allow',
        'Deny',
      ],
    },
    {
      name: 'apps plain',
      start: '',
      order: [
        'Disconnect Sunrise Guest Suite',
        'Permissions Sunrise Guest Suite Codes · Devices and properties · You',
        'Disconnect Cleaning Planner',
        'Permissions Cleaning Planner Doors · Codes · Devices and properties · Activity · You',
        'Log out',
        'Log out everywhere',
      ],
    },
  ])('the tab key goes through "$name" as it reads', async ({ name, start, order }) => {
    const { page } = await open({ width: 1400 });
    await page.goto(addressOf(name, 'en'));
    expect(await page.evaluate(focused)).toBe(start);
    const passed: string[] = [];
    if (start !== '') passed.push(start);
    for (let count = passed.length; count < order.length; count++) {
      await page.keyboard.press('Tab');
      passed.push(await page.evaluate<string>(focused));
    }
    expect(passed).toEqual(order);
  });

  test.each([
    {
      press: 'Log in',
      leadsOn: false,
      path: '/auth/interaction/abc/login',
      body: 'email=o%40h.example&password=a+b%26c',
    },
    { press: 'Cancel', leadsOn: false, path: '/auth/interaction/abc/abort', body: '' },
    {
      press: 'Log in',
      leadsOn: true,
      path: '/auth/interaction/abc/login',
      body: 'email=o%40h.example&password=a+b%26c',
    },
  ])(
    '"$press" leads to the callback that the policy names, and on: $leadsOn',
    async ({ press, leadsOn, path, body }) => {
      const client = await startClient(leadsOn);
      pages.leadForms(client.addresses, client.callback);
      const { page, complaints } = await open({ width: 1400 });
      await page.goto(addressOf('login plain', 'en'));
      await page.getByLabel('E-mail').fill('o@h.example');
      await page.getByLabel('Password').fill('a b&c');
      await page.getByRole('button', { name: press }).click();
      await page.waitForURL(client.end);
      expect(pages.readPosted()).toEqual({ path, body });
      expect(complaints).toEqual([]);
      client.close();
    },
  );

  test('a form leads to no client that the policy does not name', async () => {
    const client = await startClient(false);
    pages.leadForms([], client.callback);
    const { page } = await open({ width: 1400 });
    await page.goto(addressOf('consent plain', 'en'));
    const refusal = page.waitForEvent('console');
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await refusal).text()).toContain('form-action');
    expect(client.visits).toEqual([]);
    client.close();
  });

  test('a hostile name makes no element, and turns no letter outside itself', async () => {
    const { page } = await open({ width: 1400 });
    await page.goto(addressOf('login emoji', 'en'));
    expect(await page.locator('strong').innerText()).toBe('👩🏽‍🔧🏳️‍🌈 Schlüssel & <Söhne> "24/7"');
    await page.goto(addressOf('login turning', 'en'));
    // The sentence goes on to the right of the name, and reads from left to right.
    const order = await page.evaluate<readonly number[]>(`(() => {
      const sentence = document.querySelector('strong').parentElement;
      const range = document.createRange();
      const rest = sentence.lastChild;
      const leftOf = (from) => { range.setStart(rest, from); range.setEnd(rest, from + 1); return range.getBoundingClientRect().left; };
      return [sentence.querySelector('bdi').getBoundingClientRect().right, leftOf(1), leftOf(2), leftOf(3)].map(Math.round);
    })()`);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(4);
  });
});
