// The pages for account owners in a browser, each in each state and language, under the policy that they are sent with.
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { startBrowser } from '../docs/watch-page.ts';
import { samplePages } from '../server/oauth/pages/fixtures/sample-pages.ts';
import { contentPolicy, type Language, languages } from '../server/oauth/pages/index.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

interface Shown {
  readonly page: Page;
  /** Requests other than for the pages themselves. */
  readonly outside: string[];
  /** What the console says, refusals of the policy among it. */
  readonly complaints: string[];
}

const found = findBrowser(process.env);
const missing = 'reason' in found ? found.reason : undefined;

/** The first word of a name. */
const kinds = [...new Set(samplePages.map(({ name }) => name.split(' ')[0] ?? name))];

const screens = [
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1400, colorScheme: 'light' },
  { width: 1400, colorScheme: 'dark' },
] as const;

/** In the page: everything that is folded up. */
const unfold = `document.querySelectorAll('details').forEach((details) => { details.open = true; })`;

interface Measured {
  readonly beyond: number;
  readonly small: readonly string[];
}

/** In the page: how much wider it is than its window, and what a finger could miss. */
const measure = `(() => ({
  beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  small: [...document.querySelectorAll('a, button, input:not([type=hidden]), summary')]
    .map((target) => [target.outerHTML, target.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 44 || height < 44)
    .map(([html, { width, height }]) => width + ' x ' + height + ': ' + html),
}))()`;

/** In the page: what has the focus, as a reader would call it. */
const focused = `(() => {
  const { activeElement: element } = document;
  const text = (node) => node.textContent.replaceAll(/\\s+/g, ' ').trim();
  return element === document.body ? '' : element.labels?.length ? text(element.labels[0]) : text(element);
})()`;

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
  const last = await start((response) => response.end('arrived'));
  const first = await start((response) =>
    leadsOn ? response.writeHead(303, { Location: last.address }).end() : response.end('arrived'),
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

describe.skipIf(missing)('the pages for account owners', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;
  let axe: string;
  /** What the policy of the pages names, where a form is led, and what the last one sent. */
  let formTargets: readonly string[] = [];
  let answerForm = '';
  let posted = { path: '', body: '' };

  const addressOf = (name: string, language: Language) => `${origin}/${language}/${encodeURIComponent(name)}`;

  const open = async (options: { width: number; colorScheme?: 'light' | 'dark' }): Promise<Shown> => {
    const { width, ...rest } = options;
    const context = await browser.newContext({ viewport: { width, height: 900 }, ...rest });
    const page = await context.newPage();
    const outside: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!/\/(?:en|de)\/[^/]+$/.test(request.url())) outside.push(request.url());
    });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, outside, complaints };
  };

  beforeAll(async () => {
    browser = await startBrowser('path' in found ? found.path : '');
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    server = createServer((request, response) => {
      const { method, url = '' } = request;
      if (method === 'POST') {
        request.setEncoding('utf8').on('data', (chunk) => {
          posted.body += chunk;
        });
        posted = { path: url, body: '' };
        return void request.on('end', () => response.writeHead(303, { Location: answerForm }).end());
      }
      const [, language, name = ''] = url.split('/');
      const sample = samplePages.find((candidate) => candidate.name === decodeURIComponent(name));
      if (sample === undefined) return void response.writeHead(404).end();
      response
        .writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': contentPolicy(formTargets),
        })
        .end(sample.render(language as Language));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it.each(languages.flatMap((language) => kinds.map((kind) => ({ language, kind }))))(
    'axe finds nothing, nothing is fetched and nothing is refused: $kind, $language',
    async ({ language, kind }) => {
      const { page, outside, complaints } = await open({ width: 390 });
      const faults: string[] = [];
      for (const { name } of samplePages.filter((sample) => sample.name.startsWith(`${kind} `))) {
        await page.goto(addressOf(name, language));
        // By the debugger, which no content policy holds back.
        await page.evaluate(axe);
        await page.evaluate(unfold);
        for (const { width, colorScheme } of screens) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
            `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
          );
          const { beyond, small } = await page.evaluate<Measured>(measure);
          faults.push(
            ...[
              ...violations.flatMap(({ id, nodes }) =>
                nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary}`),
              ),
              ...(beyond > 0 ? [`${beyond} px wider than the screen`] : []),
              ...small,
            ].map((fault) => `${name}, ${width} px, ${colorScheme}: ${fault}`),
          );
        }
      }
      expect(faults).toEqual([]);
      expect(outside).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  it.each([
    { name: 'at 320 px, which is 1,280 px at 400 %', width: 320, prepare: '' },
    {
      name: 'at 390 px with letters twice as large',
      width: 390,
      prepare: `document.documentElement.style.fontSize = '200%'`,
    },
  ])('nothing stands beyond the edge $name', async ({ width, prepare }) => {
    const { page } = await open({ width });
    const faults: string[] = [];
    for (const language of languages) {
      for (const { name } of samplePages) {
        await page.goto(addressOf(name, language));
        await page.evaluate(`${unfold}; ${prepare}`);
        const { beyond } = await page.evaluate<Measured>(measure);
        if (beyond > 0) faults.push(`${name}, ${language}: ${beyond} px`);
      }
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('the style is the one of the scheme', async () => {
    const grounds = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open({ width: 1400, colorScheme });
      await page.goto(addressOf('login plain', 'en'));
      grounds.push(
        await page.evaluate<string>(`getComputedStyle(document.querySelector('button.primary')).backgroundColor`),
      );
      await page.context().close();
    }
    expect(grounds).toEqual(['rgb(11, 110, 99)', 'rgb(53, 179, 164)']);
  });

  it.each([
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
        'What it may do Sunrise Guest Suite Codes · Devices and properties · You',
        'Disconnect Cleaning Planner',
        'What it may do Cleaning Planner Doors · Codes · Devices and properties · Activity · You',
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
    await page.context().close();
  });

  it.each([
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
      formTargets = client.addresses;
      answerForm = client.callback;
      const { page, complaints } = await open({ width: 1400 });
      await page.goto(addressOf('login plain', 'en'));
      await page.getByLabel('E-mail').fill('o@h.example');
      await page.getByLabel('Password').fill('a b&c');
      await page.getByRole('button', { name: press }).click();
      await page.waitForURL(client.end);
      expect(posted).toEqual({ path, body });
      expect(complaints).toEqual([]);
      await page.context().close();
      client.close();
    },
  );

  it('a form leads to no client that the policy does not name', async () => {
    const client = await startClient(false);
    formTargets = [];
    answerForm = client.callback;
    const { page } = await open({ width: 1400 });
    await page.goto(addressOf('consent plain', 'en'));
    const refusal = page.waitForEvent('console');
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await refusal).text()).toContain('form-action');
    expect(client.visits).toEqual([]);
    await page.context().close();
    client.close();
  });

  it('a hostile name makes no element, and turns no letter outside itself', async () => {
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
    await page.context().close();
  });
});
