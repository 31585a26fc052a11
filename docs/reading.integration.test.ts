// The reference as a partner reads it: samples, error codes, tables, sections and search, on screens of three widths.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownDocs } from './build-docs.ts';
import { buildReference } from './build-reference.ts';
import { findBrowser } from './find-browser.ts';
import { startBrowser, watchPage } from './watch-page.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string }[];
}

/** In the page: how much wider it is than its window, each table than the box around it, and each example than its own. */
const measure = `(() => ({
  pageWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  tables: [...document.querySelectorAll('table')].map((table) => {
    const box = table.parentElement;
    return {
      name: table.innerText.slice(0, 40),
      beyond: Math.max(table.scrollWidth, box.scrollWidth) - box.clientWidth,
    };
  }),
  examples: [...document.querySelectorAll('main pre')].map((pre) => {
    const copy = pre.parentElement.querySelector('[data-component-name="Buttons/CopyButton"]')?.getBoundingClientRect();
    const words = document.createRange();
    words.selectNodeContents(pre);
    const covers = ({ left, right, top, bottom, width }) =>
      width > 0 && left < copy.right && right > copy.left && top < copy.bottom && bottom > copy.top;
    return {
      name: pre.innerText.slice(0, 60),
      beyond: pre.scrollWidth - pre.clientWidth,
      covered: copy !== undefined && [...words.getClientRects()].some(covers),
    };
  }),
}))()`;

interface Measured {
  readonly pageWide: number;
  readonly tables: readonly { readonly name: string; readonly beyond: number }[];
  /** `covered`: the button that copies it stands on its words. */
  readonly examples: readonly { readonly name: string; readonly beyond: number; readonly covered: boolean }[];
}

const root = join(import.meta.dirname, '..');
const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

/** Its section, once it is drawn: the page draws one when it is asked for. */
async function openOperation(page: Page, operationId: string): Promise<Locator> {
  await page.evaluate(`location.hash = '#operation/${operationId}'`);
  const section = page.locator(`[id$="/${operationId.toLowerCase()}" i]`).first();
  await section.locator('h2').first().waitFor({ state: 'visible', timeout: 30_000 });
  return section;
}

/** Where the reader is: below the top of the window, and not far below. */
async function topOf(page: Page, id: string): Promise<number> {
  return await page.locator(`[id="${id}"]`).evaluate((element) => element.getBoundingClientRect().top);
}

describe.skipIf(missing)('a reader of the reference', () => {
  let folder: string;
  let browser: Browser;
  let url: string;
  let operations: readonly Operation[];

  const open = async () => (await watchPage(browser, url, { offline: true })).page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reading-'));
    browser = await startBrowser(found.kind === 'found' ? found.path : '');
    const contract = join(root, ownDocs.contract);
    const pages = ownDocs.pages.map((page) => join(root, page));
    const { file } = await buildReference({ contract, pages, out: join(folder, 'index.html') });
    url = pathToFileURL(file).href;
    const { paths } = JSON.parse(await readFile(contract, 'utf8')) as {
      paths: Record<string, Record<string, Operation>>;
    };
    operations = Object.values(paths).flatMap((item) => Object.values(item).filter((entry) => 'operationId' in entry));
    expect(operations.length).toBeGreaterThan(15);
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('chooses between all samples of every operation', async () => {
    const page = await open();
    for (const { operationId, 'x-codeSamples': samples } of operations) {
      const section = await openOperation(page, operationId);
      const labels = samples.map(({ label }) => label);
      await section.getByText('curl', { exact: true }).first().waitFor();
      if (labels.length > 1) {
        await section.getByRole('button', { name: 'curl' }).first().click();
        const shown = page.getByRole('menuitem');
        await shown.first().waitFor();
        expect((await shown.allInnerTexts()).slice(0, labels.length), operationId).toEqual(labels);
        await page.keyboard.press('Escape');
      }
    }
  });

  test('is offered other requests only where the choice changes what is shown', async () => {
    const page = await open();
    const section = await openOperation(page, 'createBridgeProxiedJob');
    const panel = section.locator('.panel-request-samples');
    const chooser = panel.getByRole('button', { name: 'Example', exact: true });
    const choose = async (button: Locator, entry: string) => {
      await button.click();
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
    };
    await panel.locator('pre').waitFor();
    for (const [shown, next] of [
      ['curl', 'TypeScript'],
      ['TypeScript', 'Python'],
      ['Python', 'Payload'],
    ] as const) {
      await expect.poll(() => chooser.isVisible(), { message: shown }).toBe(false);
      await expect.poll(() => panel.locator('pre').innerText()).toContain('GET_DEVICE_STATUS');
      await choose(panel.getByRole('button', { name: shown, exact: true }), next);
    }
    await choose(chooser, 'Unlock the lock');
    await expect.poll(() => panel.locator('pre').innerText()).toContain('"UNLOCK"');
    await choose(panel.getByRole('button', { name: 'Payload', exact: true }), 'curl');
    await expect.poll(() => chooser.isVisible()).toBe(false);
  });

  test('comes from an error code of an operation to its cause, cure and example', async () => {
    const page = await open();
    const section = await openOperation(page, 'createHourlyAlgoPin');
    await section.getByRole('tab', { name: '400', exact: true }).first().click();
    await section.getByRole('link', { name: 'window_length' }).click();
    const entry = 'section/error-catalogue/window_length';
    await expect.poll(() => topOf(page, entry)).toBeLessThan(200);
    expect(await topOf(page, entry)).toBeGreaterThanOrEqual(0);
    const text = await page.locator(`[data-section-id="/${entry}"]`).last().innerText();
    expect(text).toMatch(/Status: 400\s+Cause: The window is too short .*\s+Cure: Use one of the values/);
    expect(text).toContain('"code": "window_length"');
  });

  test('finds the guides to the sandbox and the login, what is not there yet and what changed as sections', async () => {
    const page = await open();
    for (const name of ['Sandbox', 'Login for partners', 'Not there yet', 'Changelog']) {
      const id = `section/${name.toLowerCase().replaceAll(' ', '-')}`;
      await page.locator(`a[href="#/${id}"]`).first().click();
      await expect.poll(() => topOf(page, id)).toBeLessThan(200);
    }
    expect(await page.locator('main').innerText()).toContain('There is no typed client');
  });

  test.each([390, 1400])(
    'sees the picture of the login whole, in the colours of the scheme that was chosen, at %i px',
    async (width) => {
      const page = await open();
      await page.setViewportSize({ width, height: 900 });
      const picture = page.getByRole('img', { name: /^The login as a sequence between/ });
      await picture.scrollIntoViewIfNeeded();
      const box = await picture.evaluate((element) => {
        const { left, right, top, width, height } = element.getBoundingClientRect();
        return { left, right, top, width, height };
      });
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(width);
      // Its words are 14 units high, of 372 that it is wide.
      expect((14 * box.width) / 372).toBeGreaterThanOrEqual(12);
      // A spot of its ground, left of all lines.
      const spot = { x: Math.ceil(box.left) + 4, y: Math.ceil(box.top + box.height / 2), width: 8, height: 8 };
      const light = await page.screenshot({ clip: spot });
      await page.evaluate(`document.documentElement.classList.replace('light', 'dark')`);
      await expect.poll(async () => (await page.screenshot({ clip: spot })).equals(light)).toBe(false);
      await page.context().close();
    },
  );

  const sections = [
    { word: 'pagination', section: 'section/conventions/pagination' },
    { word: 'curl', section: 'section/code-samples' },
    { word: 'changelog', section: 'section/changelog' },
  ];
  const journeys = [
    { start: 'the introduction', way: 'click' },
    { start: 'an operation', way: 'click' },
    { start: 'an operation', way: 'Enter' },
  ];
  test.each(journeys.flatMap((journey) => sections.map((looked) => ({ ...journey, ...looked }))))(
    'is led from $start by a search for $word and $way to its section',
    async ({ start, way, word, section }) => {
      const opened = start === 'an operation' ? '#operation/getDevice' : '';
      const { page } = await watchPage(browser, `${url}${opened}`, { offline: true });
      await page
        .locator(opened ? 'main h2' : `[id="${section}"]`)
        .first()
        .waitFor();
      await page.locator('[data-component-name="Menu/Menu"]').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.locator('[data-component-name="Search/SearchInput"] input').fill(word);
      const first = page.locator('[data-component-name="Search/SearchItem"]').first();
      await first.waitFor();
      if (way === 'click') await first.click();
      else {
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
      }
      await page.waitForURL(`${url}#/${section}`, { timeout: 10_000 });
      await expect.poll(() => topOf(page, section), { timeout: 30_000 }).toBeLessThan(200);
      expect(await topOf(page, section)).toBeGreaterThanOrEqual(0);
      await page.context().close();
    },
  );

  test.each([390, 768, 1400])(
    'sees every table and example whole, and the page without a sideways scroll, at %i px',
    async (width) => {
      const page = await open();
      await page.setViewportSize({ width, height: 900 });
      const seen = new Set<string>();
      for (const { operationId } of operations) {
        const section = await openOperation(page, operationId);
        await section.locator('.panel-request-samples pre').first().waitFor();
        const { pageWide, tables, examples } = await page.evaluate<Measured>(measure);
        expect([operationId, pageWide]).toEqual([operationId, 0]);
        expect(tables.filter(({ beyond }) => beyond > 0)).toEqual([]);
        expect(examples.filter(({ beyond, covered }) => beyond > 0 || covered)).toEqual([]);
        for (const { name } of tables) seen.add(name);
      }
      // Limits, job types, parameters at the callback.
      expect(seen.size).toBeGreaterThanOrEqual(3);
    },
  );
});
