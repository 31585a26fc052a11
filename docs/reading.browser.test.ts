// The reference as a partner reads it: samples, error codes, tables, sections and search, on screens of three widths.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsFiles } from '@lockstep/runtime/docs/serve-docs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ownDocs } from './build-docs.ts';
import { findBrowser } from './find-browser.ts';
import { connectBrowser } from './fixtures/connect-browser.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-codeSamples': readonly { readonly label: string }[];
}

/** Runs in the page. Measures by how much the page, the tables and the examples of an element overflow, in pixels. */
const measure = `((within) => ({
  pageWide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  tables: [...within.querySelectorAll('table')].map((table) => {
    const box = table.parentElement;
    return {
      name: table.innerText.slice(0, 40),
      beyond: Math.max(table.scrollWidth, box.scrollWidth) - box.clientWidth,
    };
  }),
  examples: [...within.querySelectorAll('pre')].map((pre) => {
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
}))`;

/** Runs in the page. Finds its titles, their words that are broken, cut off or under a button, and the edges of the menu's button. */
const findBroken = `(() => {
  const titles = [...document.querySelectorAll('main :is(h1, h2, h3)')];
  const broken = titles.flatMap((title) => {
    const buttons = [...title.parentElement.querySelectorAll('button')].map((button) => button.getBoundingClientRect());
    const texts = [];
    for (let walk = document.createTreeWalker(title, NodeFilter.SHOW_TEXT); walk.nextNode(); ) texts.push(walk.currentNode);
    return texts.flatMap((text) => [...text.data.matchAll(/[^\\s-]+/g)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const boxes = [...range.getClientRects()];
      const covers = ({ left, right, top, bottom }) =>
        buttons.some((button) => left < button.right && right > button.left && top < button.bottom && bottom > button.top);
      return boxes.length > 1 || boxes.some((box) => box.right > innerWidth || covers(box)) ? [word] : [];
    }));
  });
  const bars = [...document.querySelectorAll('[data-testid="floating-button"]')].map((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    return [left, right, top, bottom];
  });
  return { titles: titles.map(({ innerText }) => innerText), broken, bars };
})()`;

interface Measured {
  readonly pageWide: number;
  readonly tables: readonly { readonly name: string; readonly beyond: number }[];
  /** `covered`: the copy button is over the text. */
  readonly examples: readonly { readonly name: string; readonly beyond: number; readonly covered: boolean }[];
}

const contract = readFileSync(join(import.meta.dirname, '..', ownDocs.contract), 'utf8');
const { paths } = JSON.parse(contract) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.values(paths)
  .flatMap((item) => Object.values(item))
  .filter((entry) => 'operationId' in entry);

/** A body with a choice of types. */
const inEveryRun = new Set(['updateDevice']);

const widths = [1400, 768, 390];
const wide = { width: 1440, height: 900 };
const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

/** The selector of an operation's section. */
function sectionOf({ operationId }: Pick<Operation, 'operationId'>): string {
  return `[id$="/${operationId.toLowerCase()}" i]`;
}

/** Opens the section of an operation, and waits for it: the page draws a section only when a link leads to it. */
async function openOperation(page: Page, operationId: string): Promise<Locator> {
  await page.evaluate(`location.hash = '#operation/${operationId}'`);
  const section = page.locator(sectionOf({ operationId })).first();
  await section.locator('h2').first().waitFor({ state: 'visible' });
  return section;
}

/** Tables and examples that overflow or are under their copy button, in the first element of the selector. */
async function findCut(page: Page, selector: string, width: number) {
  await page.setViewportSize({ width, height: 900 });
  // A layout by script takes two frames.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const { pageWide, tables, examples } = await page.evaluate<Measured>(
    `${measure}(document.querySelector(${JSON.stringify(selector)}))`,
  );
  return {
    ...{ pageWide, tableCount: tables.length, exampleCount: examples.length },
    cut: [
      ...tables.filter(({ beyond }) => beyond > 0),
      ...examples.filter(({ beyond, covered }) => beyond > 0 || covered),
    ],
  };
}

/** The distance of the section's top from the top of the window, in pixels. */
async function topOf(page: Page, id: string): Promise<number> {
  return await page.locator(`[id="${id}"]`).evaluate((element) => element.getBoundingClientRect().top);
}

/**
 * Whether an element with this distance is in sight: below the top of the window, and not far below.
 * Before the page scrolls, an element further up has a negative distance, so one bound alone would be true too early.
 */
function isInSight(top = Number.NaN): boolean {
  return top >= 0 && top < 200;
}

describe.skipIf(missing)('a reader of the reference', () => {
  let browser: Browser;
  let url: string;
  /** The page of all tests that don't load one themselves. */
  let watched: WatchedPage;

  beforeAll(async () => {
    expect(operations.length).toBeGreaterThan(15);
    browser = await connectBrowser();
    url = pathToFileURL(join(inject('ownDocs'), docsFiles.page)).href;
    watched = await watchPage(browser, url, { offline: true });
  });
  // A test that failed may have left the page narrow or dark.
  beforeEach(async () => {
    await watched.page.setViewportSize(wide);
    await watched.page.evaluate(`document.documentElement.classList.replace('dark', 'light')`);
  });
  afterAll(() => browser?.close());

  const seesOperation = async (operation: Operation) => {
    const { page, outside, complaints } = watched;
    const { operationId, summary, 'x-codeSamples': samples } = operation;
    const section = await openOperation(page, operationId);
    expect(await section.locator('h2').first().innerText()).toContain(summary);
    const labels = samples.map(({ label }) => label);
    await section.getByText('curl', { exact: true }).first().waitFor();
    if (labels.length > 1) {
      await section.getByRole('button', { name: 'curl' }).first().click();
      const shown = page.getByRole('menuitem');
      await shown.first().waitFor();
      expect((await shown.allInnerTexts()).slice(0, labels.length)).toEqual(labels);
      await page.keyboard.press('Escape');
    }
    await section.locator('.panel-request-samples pre').first().waitFor();
    for (const width of widths) {
      const { pageWide, exampleCount, cut } = await findCut(page, sectionOf(operation), width);
      expect({ width, pageWide, cut }).toEqual({ width, pageWide: 0, cut: [] });
      expect(exampleCount).toBeGreaterThan(0);
    }
    expect({ outside, complaints }).toEqual({ outside: [], complaints: [] });
  };
  const name = 'sees $operationId with all its samples, and everything whole at each width, cut off the network';
  test.each(operations.filter(({ operationId }) => inEveryRun.has(operationId)))(name, seesOperation);
  test.each(operations.filter(({ operationId }) => !inEveryRun.has(operationId)))(
    name,
    { tags: ['full'] },
    seesOperation,
  );

  test.each(widths)(
    'sees every table and example whole, and the page without a sideways scroll, at %i px',
    async (width) => {
      const { pageWide, tableCount, exampleCount, cut } = await findCut(watched.page, 'main', width);
      expect({ pageWide, cut }).toEqual({ pageWide: 0, cut: [] });
      // Limits, job types, parameters at the callback.
      expect(tableCount).toBeGreaterThanOrEqual(3);
      expect(exampleCount).toBeGreaterThan(10);
    },
  );

  // 320 pixels: the width that WCAG 2.2, 1.4.10 requires.
  const readsTitles = async (width: number) => {
    const { page } = watched;
    await page.evaluate(`location.hash = '#/section/error-catalogue/unsupported_media_type'`);
    await page.locator('[id="section/error-catalogue/unsupported_media_type"]').waitFor();
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const { titles, broken, bars } =
      await page.evaluate<Record<'titles' | 'broken' | 'bars', readonly unknown[]>>(findBroken);
    expect(titles.length).toBeGreaterThan(60);
    expect(broken).toEqual([]);
    // It is below all text at the end of the window. If there is room for the menu, there is no such button.
    expect(bars).toEqual([width <= 672 ? [0, width, 852, 900] : [0, 0, 0, 0]]);
  };
  const titles = 'reads titles by whole words, and no button stands on text, at %i px';
  test.each([320, 700])(titles, readsTitles);
  test.each([390])(titles, { tags: ['full'] }, readsTitles);

  test('is offered other requests only where the choice changes what is shown', async () => {
    const { page } = watched;
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

  test('comes from an error code of an operation to its cause, fix and example, and from there to the operation', async () => {
    const { page } = watched;
    const section = await openOperation(page, 'createHourlyAlgoPin');
    await section.getByRole('tab', { name: '400', exact: true }).first().click();
    await section.getByRole('link', { name: 'window_length' }).click();
    const entry = 'section/error-catalogue/window_length';
    await expect.poll(() => topOf(page, entry)).toSatisfy(isInSight);
    const text = await page.locator(`[data-section-id="/${entry}"]`).last().innerText();
    expect(text).toMatch(/Status: 400\s+Cause: The window is too short .*\s+Fix: Use one of the values/);
    expect(text).toContain('"code": "window_length"');
    const named = page.locator(`[data-section-id="/${entry}"]`).last();
    await named.getByRole('link', { name: 'Create duration (daily) code' }).click();
    const answers = page.locator(sectionOf({ operationId: 'createDailyAlgoPin' })).first();
    const chosen = answers.getByRole('tab', { name: '400', exact: true, selected: true }).first();
    await expect.poll(async () => (await chosen.boundingBox())?.y).toSatisfy(isInSight);
    await answers.getByRole('link', { name: 'window_length' }).waitFor();
  });

  test('finds the guides to the sandbox and the login, what is not there yet and what changed as sections', async () => {
    const { page } = watched;
    for (const name of ['Sandbox', 'Login for partners', 'Not there yet', 'Changelog']) {
      const id = `section/${name.toLowerCase().replaceAll(' ', '-')}`;
      await page.locator(`a[href="#/${id}"]`).first().click();
      await expect.poll(() => topOf(page, id)).toSatisfy(isInSight);
    }
    expect(await page.locator('main').innerText()).toMatch(/There is no typed client[\s\S]*22 November 2026/);
  });

  test.each([390, 1400])(
    'sees the picture of the login whole, in the colours of the scheme that was chosen, at %i px',
    async (width) => {
      const { page } = watched;
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
    },
  );

  const sections: readonly { word: string; section: string; excerpt?: string }[] = [
    { word: 'window_length', section: 'section/error-catalogue/window_length' },
    {
      word: 'pagination',
      section: 'section/conventions/pagination',
      excerpt: 'devices supporting algoPIN and device activity',
    },
    { word: 'curl', section: 'section/code-samples' },
    { word: 'createHourlyAlgoPin', section: 'access-codes/createhourlyalgopin' },
    { word: 'changelog', section: 'section/changelog' },
  ];
  const journeys = [
    { start: 'the introduction', way: 'click' },
    { start: 'an operation', way: 'click' },
    { start: 'an operation', way: 'Enter' },
  ]
    .flatMap((journey) => sections.map((looked) => ({ ...journey, ...looked })))
    // The introduction shows its own sections before a search.
    .filter(({ start, section }) => start === 'an operation' || section.startsWith('section/'));
  const isLed = 'is led from $start by a search for $word and $way to its section';
  const followSearch = async ({ start, way, word, section, excerpt = '' }: (typeof journeys)[number]) => {
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
    expect(await first.innerText()).toContain(excerpt);
    if (way === 'click') await first.click();
    else {
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    }
    await page.waitForURL(`${url}#/${section}`);
    await expect.poll(() => topOf(page, section)).toSatisfy(isInSight);
    await page.context().close();
  };
  const isInEveryRun = ({ start, word }: (typeof journeys)[number]) =>
    start === 'the introduction' && word === 'window_length';
  test.each(journeys.filter(isInEveryRun))(isLed, followSearch);
  test.each(journeys.filter((journey) => !isInEveryRun(journey)))(isLed, { tags: ['full'] }, followSearch);
});
