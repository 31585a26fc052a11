// The reference in a real browser: every operation can be read, and the page sends no requests.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDocsHandler, readDocs } from '@lockstep/runtime/docs/serve-docs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { ownDocs } from './build-docs.ts';
import { buildReference } from './build-reference.ts';
import { findBrowser } from './find-browser.ts';
import { connectBrowser } from './fixtures/connect-browser.ts';
import { runRedocly } from './reference/run-redocly.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const root = join(import.meta.dirname, '..');
const museum = join(root, 'toolkit/fixtures/museum/contract.yaml');

/** Markdown that would lead the reader away, cover the page or ask for a password: HTML, Markdoc, and text that other parsers read as code. */
const hostile = [
  '<meta http-equiv="refresh" content="0;url=https://evil.invalid">',
  '{% html name="meta" attrs={httpEquiv: "refresh", content: "0;url=https://evil.invalid"} /%}',
  '```\n    ```\n<iframe src="https://evil.invalid"></iframe>\n```',
  '<base href="https://evil.invalid"><form><input type="password"></form>',
  '<div style="position:fixed">Seen</div> ![Plan](https://evil.invalid/a.png)',
].join('\n\n');

const marked = `openapi: 3.1.0
info: {title: Marked, version: 1.0.0, description: ${JSON.stringify(hostile)}}
servers: [{url: 'https://{host}/v1', variables: {host: {default: 'a.example'}}}, {url: 'https://{host}/v2', variables: {host: {default: '<script>hostile = 1</script>'}}}]
paths:
  /plain:
    get:
      operationId: plain
      description: ${JSON.stringify(hostile)}
      parameters:
        - {name: inherited, in: query, schema: {type: string}}
        - {name: added, in: query, x-extension: true, schema: {type: string}}
      responses:
        '200':
          description: Fine
          headers: {Added-Header: {x-extension: true, description: Counts., schema: {type: integer}}}
          content:
            application/json:
              schema:
                type: object
                properties:
                  old: {type: string}
                  fresh: {type: string, x-extension: true}
                  shared: {$ref: '#/components/schemas/Shared', x-extension: true}
                  sharedOld: {$ref: '#/components/schemas/Shared'}
  /more:
    get: {operationId: more, x-extension: true, responses: {'200': {description: Fine}}}
components: {schemas: {Shared: {type: string, minLength: 3}}}
`;

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

function listOperations({ paths }: Contract): readonly Operation[] {
  const all = Object.values(paths).flatMap((item) => Object.values(item));
  return all.filter((operation) => typeof operation === 'object' && 'operationId' in operation);
}

/** Opens each operation by its link, and waits for its heading. */
async function readOperations(page: Page, operations: readonly Operation[]): Promise<void> {
  for (const { operationId, summary = operationId } of operations) {
    await page.evaluate(`location.hash = '#operation/${operationId}'`);
    await page.locator('main h2', { hasText: summary }).first().waitFor({ state: 'visible' });
  }
}

/** The visible text between the names of two members. */
async function textAfter(page: Page, name: string, next: string): Promise<string> {
  const text = await page.locator('body').innerText();
  const start = text.lastIndexOf(`\n${name}\n`);
  const end = text.indexOf(`\n${next}\n`, start + name.length);
  if (start < 0 || end < start) throw new Error(`The page does not draw ${name} before ${next}.`);
  return text.slice(start, end);
}

/** The visible headings: those of sections, or the one of an unknown address. */
async function headingsOf(page: Page): Promise<readonly string[]> {
  await page.locator('main h1, main h2').first().waitFor();
  return await page.locator('main h1, main h2').allInnerTexts();
}

describe('a browser to look with', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) {
      process.stderr.write(`The reference was not looked at. ${missing}\n`);
      skip(missing);
    }
  });
});

describe.skipIf(missing)('the reference', () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reference-'));
    browser = await connectBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const watch = (file: string) => watchPage(browser, pathToFileURL(file).href, { offline: true });

  describe('of a museum, as a file, cut off the network', () => {
    let watched: WatchedPage;
    beforeAll(async () => {
      const { file } = await buildReference({ contract: museum, out: join(folder, 'museum.html') });
      watched = await watch(file);
    });

    test('finds an operation by its search, and switches to the dark scheme, without asking anybody', async () => {
      const { page, outside, complaints } = watched;
      expect(await page.getByText('amendLoan').count()).toBe(0);
      await page.getByText('Search', { exact: false }).first().click();
      await page.keyboard.type('amendLoan');
      await page.getByText('amendLoan').first().waitFor({ state: 'visible' });
      await page.keyboard.press('Escape');
      await page.emulateMedia({ colorScheme: 'dark' });
      expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
    });

    const showsOperations = async (count: number) => {
      const { page, outside, complaints } = watched;
      const operations = listOperations(parse(await readFile(museum, 'utf8')));
      expect(operations.length).toBeGreaterThan(8);
      await readOperations(page, operations.slice(-count));
      expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
    };
    test('shows its last operations', () => showsOperations(3));
    test('shows every operation', { tags: ['full'] }, () => showsOperations(Number.POSITIVE_INFINITY));
  });

  describe('of our own contract, as a server sends it', () => {
    const origin = 'https://api.public.example';
    let server: Server;
    let watched: WatchedPage;
    beforeAll(async () => {
      const handle = await createDocsHandler(await readDocs(inject('ownDocs')), origin);
      server = createServer((request, response) => {
        if (!handle(request, response)) response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`;
      watched = await watchPage(browser, url, { offline: false });
    });
    afterAll(() => server?.close().closeAllConnections());

    const holdsToPolicy = async (shows: (operation: Operation) => boolean) => {
      const { page, outside, complaints } = watched;
      expect(await page.locator('body').innerText()).toContain(`${origin}/v1`);
      const contract = await readFile(join(root, ownDocs.contract), 'utf8');
      await readOperations(page, listOperations(JSON.parse(contract)).filter(shows));
      const shown = await page.locator('body').innerText();
      expect(shown).toContain(`${origin}/auth/oauth2/token`);
      expect(await page.content()).not.toMatch(/localhost(?::\{port\}|:8080|%3A8080)/);
      expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
    };
    test('holds to the policy of that server, and shows its origin alone', () =>
      holdsToPolicy(({ operationId }) => operationId === 'exchangeToken'));
    // A section of the page takes up to a second.
    test('does so at every operation', { tags: ['full'] }, () => holdsToPolicy(() => true));
  });

  describe('of a contract with extensions', () => {
    let url: string;
    let watched: WatchedPage;
    beforeAll(async () => {
      const contract = join(folder, 'marked.yaml');
      await writeFile(contract, marked);
      const { file } = await buildReference({ contract, out: join(folder, 'marked.html') });
      url = pathToFileURL(file).href;
      watched = await watch(file);
    });

    /** The headings that a link within the page leads to, in a new tab. */
    const headingsInNewTab = async (link: string): Promise<readonly string[]> => {
      const tab = await watched.page.context().newPage();
      await tab.goto(`${url}${link}`);
      const drawn = await headingsOf(tab);
      await tab.close();
      return drawn;
    };
    const nowhere = 'No page at this address';

    const listLinks = async (): Promise<readonly string[]> => {
      // The link of `sharedOld`, the last property of the contract above, is drawn last.
      await watched.page.locator('a[href*="path=sharedold" i]').first().waitFor();
      const all = watched.page.locator('a');
      return [...new Set(await all.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')))];
    };

    test('marks extensions of every kind, and nothing else', async () => {
      const { page } = watched;
      await readOperations(page, [{ operationId: 'more' }, { operationId: 'plain' }]);
      await expect.poll(() => textAfter(page, 'inherited', 'added')).not.toContain('Extension');
      await expect.poll(() => textAfter(page, 'added', 'Responses')).toContain('Extension');
      await expect.poll(() => textAfter(page, 'Added-Header', 'Body')).toContain('Extension. Counts.');
      await expect.poll(() => textAfter(page, 'old', 'fresh')).not.toContain('Extension');
      await expect.poll(() => textAfter(page, 'fresh', 'shared')).toContain('Extension');
      await expect.poll(() => textAfter(page, 'shared', 'sharedOld')).toContain('Extension');
      await expect.poll(() => textAfter(page, 'sharedOld', 'Response')).not.toContain('Extension');
      const badges = page.locator('main h2', { hasText: 'more' }).locator('..').getByText('Extension');
      await badges.first().waitFor({ state: 'visible' });
    });

    test('shows of a hostile description what is allowed, and keeps the reader', async () => {
      const { page, outside, complaints } = watched;
      const within = page.locator('main').getByText('Seen');
      await expect.poll(() => within.count()).toBe(2);
      const refused = 'base, form, iframe, input[type=password], meta, img[src*=evil], div[style*=fixed]';
      expect(await page.locator('main').locator(refused).count()).toBe(0);
      expect(await page.locator('main').innerText()).toContain('Plan');
      expect(await page.evaluate('globalThis.hostile')).toBeUndefined();
      expect({ url: page.url().startsWith(url), outside, complaints }).toEqual({
        url: true,
        outside: [],
        complaints: [],
      });
    });

    test('leads somewhere by every link', { tags: ['full'] }, async () => {
      const { page, outside } = watched;
      const links = await listLinks();
      const within = links.filter((link) => link.startsWith('#'));
      // The only link out of the page leads to the authors of the renderer.
      expect(links.filter((link) => !link.startsWith('#'))).toEqual(['https://redocly.com/redoc/']);
      expect(within.join(' ')).toMatch(/plain.*more|more.*plain/);
      for (const link of within) {
        await page.locator(`a[href="${link}"]`).first().click();
        await page.waitForURL(`${url}${link}`);
      }
      expect(outside).toEqual([]);
    });

    test('leads to a member in a new tab, and by a foreign link to a page that reports it', async () => {
      expect(await headingsInNewTab('#/no-such-place')).toEqual([nowhere]);
      const member = (await listLinks()).find((link) => link.endsWith('path=sharedold'));
      expect(await headingsInNewTab(member ?? '#/no-such-place')).not.toContain(nowhere);
      expect(watched.outside).toEqual([]);
    });

    // Each link loads the page again, which takes up to two seconds.
    test('leads somewhere in a new tab by every link', { tags: ['full'] }, async () => {
      const within = (await listLinks()).filter((link) => link.startsWith('#'));
      expect(within.length).toBeGreaterThan(10);
      for (const link of within) expect(await headingsInNewTab(link), link).not.toContain(nowhere);
      expect(watched.outside).toEqual([]);
    });

    test('is watched well enough: the page as Redocly leaves it asks for a picture', { tags: ['full'] }, async () => {
      const out = join(folder, 'open.html');
      await runRedocly(['build-docs', museum, '--output', out, '--inlineBundle']);
      const { page, outside, complaints } = await watch(out);
      await page.getByText('API docs by').waitFor();
      await expect.poll(() => outside, { timeout: 20_000 }).toContain('https://cdn.redoc.ly/redoc/logo-mini-full.svg');
      await expect.poll(() => complaints.length, { timeout: 20_000 }).toBeGreaterThan(0);
    });
  });
});
