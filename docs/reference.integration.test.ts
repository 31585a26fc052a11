// The reference in a real browser: every operation can be read, and nothing is asked of anybody.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDocsHandler, readDocs } from '@lockstep/runtime/docs/serve-docs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildDocs, ownDocs } from './build-docs.ts';
import { buildReference } from './build-reference.ts';
import { findBrowser } from './find-browser.ts';
import { runRedocly } from './reference/run-redocly.ts';
import { startBrowser, watchPage } from './watch-page.ts';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const contracts = [
  join(import.meta.dirname, '..', 'generated', 'published.gen.json'),
  join(import.meta.dirname, '..', 'toolkit', 'fixtures', 'museum', 'contract.yaml'),
];

const marked = `openapi: 3.1.0
info: {title: Marked, version: 1.0.0}
paths:
  /plain:
    get:
      operationId: plain
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

/** Goes to each operation by its link and reads its heading; the page opens a section when it is asked for. */
async function readOperations(page: Page, operations: readonly Operation[]): Promise<void> {
  for (const { operationId, summary = operationId } of operations) {
    await page.evaluate(`location.hash = '#operation/${operationId}'`);
    await page.locator('main h2', { hasText: summary }).first().waitFor({ state: 'visible', timeout: 30_000 });
  }
}

/** Everything that is drawn after the name of a member, up to the next member; both must be there. */
async function textAfter(page: Page, name: string, next: string): Promise<string> {
  const text = await page.locator('body').innerText();
  const start = text.lastIndexOf(`\n${name}\n`);
  const end = text.indexOf(`\n${next}\n`, start + name.length);
  if (start < 0 || end < start) throw new Error(`The page does not draw ${name} before ${next}.`);
  return text.slice(start, end);
}

/** What the page draws for an address within itself: the names of its sections, or that it has none by that address. */
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
  let server: Server | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reference-'));
    browser = await startBrowser(found.kind === 'found' ? found.path : '');
  });

  afterAll(async () => {
    await browser?.close();
    server?.close().closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  for (const contract of contracts) {
    test(`shows every operation of ${contract.split('/').slice(-2).join('/')} as a file, cut off the network`, async () => {
      const { file } = await buildReference({ contract, out: join(folder, 'offline.html') });
      const watched = await watchPage(browser, pathToFileURL(file).href, { offline: true });
      const operations = listOperations(parse(await readFile(contract, 'utf8')));
      expect(operations.length).toBeGreaterThan(8);
      await readOperations(watched.page, operations);
      expect(watched.outside).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });
  }

  test('finds an operation by its search, and switches to the dark scheme, without asking anybody', async () => {
    const { file } = await buildReference({ contract: contracts[1] ?? '', out: join(folder, 'search.html') });
    const { page, outside, complaints } = await watchPage(browser, pathToFileURL(file).href, { offline: true });
    expect(await page.getByText('amendLoan').count()).toBe(0);
    await page.getByText('Search', { exact: false }).first().click();
    await page.keyboard.type('amendLoan');
    await page.getByText('amendLoan').first().waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
  });

  test('holds to the policy of the server that serves it, and shows its origin alone', async () => {
    const [contract = ''] = contracts;
    const pages = ownDocs.pages.map((page) => join(import.meta.dirname, '..', page));
    const docs = await buildDocs({ contract, pages, out: join(folder, 'served') });
    const origin = 'https://api.public.example';
    const handle = await createDocsHandler(await readDocs(docs.folder), origin);
    const started = createServer((request, response) => {
      if (!handle(request, response)) response.writeHead(404).end();
    });
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(started.address() as AddressInfo).port}/docs`;
    const watched = await watchPage(browser, url, { offline: false });
    expect(await watched.page.locator('body').innerText()).toContain(`${origin}/v1`);
    await readOperations(watched.page, listOperations(parse(await readFile(contract, 'utf8'))));
    const shown = await watched.page.locator('body').innerText();
    expect(shown).toContain(`${origin}/auth/oauth2/token`);
    expect(await watched.page.content()).not.toMatch(/localhost(?::\{port\}|:8080|%3A8080)/);
    expect(watched.outside).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  test('leads somewhere by every link, also in a new tab', async () => {
    const contract = join(folder, 'linked.yaml');
    await writeFile(contract, marked);
    const { file } = await buildReference({ contract, out: join(folder, 'links.html') });
    const url = pathToFileURL(file).href;
    const { page, outside } = await watchPage(browser, url, { offline: true });
    // Of `sharedOld`, the last property of the contract above: no link is still to come.
    await page.locator('a[href*="path=sharedold" i]').first().waitFor();
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const within = [...new Set(links.filter((link) => link.startsWith('#')))];
    // The one link that leaves the page names who made the renderer.
    expect(new Set(links.filter((link) => !link.startsWith('#')))).toEqual(new Set(['https://redocly.com/redoc/']));
    expect(within.join(' ')).toMatch(/plain.*more|more.*plain/);
    const nowhere = 'No page at this address';
    for (const link of within) {
      await page.locator(`a[href="${link}"]`).first().click();
      await page.waitForURL(`${url}${link}`);
    }
    const inNewTab = async (link: string) => {
      const tab = await page.context().newPage();
      await tab.goto(`${url}${link}`);
      const drawn = await headingsOf(tab);
      await tab.close();
      return drawn;
    };
    expect(await inNewTab('#/no-such-place')).toEqual([nowhere]);
    for (const link of within) expect(await inNewTab(link), link).not.toContain(nowhere);
    expect(outside).toEqual([]);
  });

  test('marks extensions of every kind, and nothing else', async () => {
    const contract = join(folder, 'marked.yaml');
    await writeFile(contract, marked);
    const { file } = await buildReference({ contract, out: join(folder, 'marked.html') });
    const { page } = await watchPage(browser, pathToFileURL(file).href, { offline: true });
    await readOperations(page, [{ operationId: 'more' }, { operationId: 'plain' }]);
    await expect.poll(() => textAfter(page, 'inherited', 'added'), { timeout: 30_000 }).not.toContain('Extension');
    await expect.poll(() => textAfter(page, 'added', 'Responses'), { timeout: 30_000 }).toContain('Extension');
    await expect
      .poll(() => textAfter(page, 'Added-Header', 'Body'), { timeout: 30_000 })
      .toContain('Extension. Counts.');
    await expect.poll(() => textAfter(page, 'old', 'fresh'), { timeout: 30_000 }).not.toContain('Extension');
    await expect.poll(() => textAfter(page, 'fresh', 'shared'), { timeout: 30_000 }).toContain('Extension');
    await expect.poll(() => textAfter(page, 'shared', 'sharedOld'), { timeout: 30_000 }).toContain('Extension');
    await expect.poll(() => textAfter(page, 'sharedOld', 'Response'), { timeout: 30_000 }).not.toContain('Extension');
    const badges = page.locator('main h2', { hasText: 'more' }).locator('..').getByText('Extension');
    await badges.first().waitFor({ state: 'visible' });
  });

  test('is watched well enough: the page as Redocly leaves it asks for a picture', async () => {
    const out = join(folder, 'open.html');
    await runRedocly(['build-docs', contracts[1] ?? '', '--output', out, '--inlineBundle']);
    const { page, outside, complaints } = await watchPage(browser, pathToFileURL(out).href, { offline: true });
    await page.getByText('API docs by').waitFor();
    await expect.poll(() => outside, { timeout: 30_000 }).toContain('https://cdn.redoc.ly/redoc/logo-mini-full.svg');
    await expect.poll(() => complaints.length, { timeout: 30_000 }).toBeGreaterThan(0);
  });
});
