// The reference as axe judges it: on a narrow and a wide screen, light and dark.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { docsFiles } from '@lockstep/runtime/docs/serve-docs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findBrowser } from './find-browser.ts';
import { connectBrowser } from './fixtures/connect-browser.ts';
import { watchPage } from './watch-page.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly target: readonly string[];
    readonly failureSummary: string;
  }[];
}

/** Faults of Redoc 3.0.1 itself, in markup that neither contract nor theme can change. Any other fault fails. */
const ofRedoc = [
  {
    rule: 'heading-order',
    html: /^<h4 [^>]*data-component-name="Typography\/H4"/,
    why: 'h4 follows h2 above a list of members',
  },
  {
    rule: 'label-content-name-mismatch',
    html: /^<button [^>]*aria-label="Example"/,
    why: 'the menu of examples is named Example',
  },
  {
    rule: 'label-content-name-mismatch',
    html: /^<span role="button"/,
    why: 'a scope is broken into parts, its name is not',
  },
  { rule: 'region', html: /./, why: 'menu and search, the one content outside main, stand in no landmark' },
];

/** One of each kind: list, body with a choice of types, choice of bodies, form, nested answer. The theme is the same for all. */
const operations = ['getDevices', 'updateDevice', 'createBridgeProxiedJob', 'exchangeToken', 'getJwks'];

interface Screen {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

describe.skipIf(missing)('axe finds nothing in the reference but what Redoc does', () => {
  let browser: Browser;
  let url: string;
  let axe: string;

  beforeAll(async () => {
    browser = await connectBrowser();
    url = pathToFileURL(join(inject('ownDocs'), docsFiles.page)).href;
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  });

  afterAll(() => browser?.close());

  /** Opens the page in a colour scheme, which the page reads when it starts. `findsNothing` expects no fault of axe in an element. */
  async function open({ width, colorScheme }: Screen) {
    const { page } = await watchPage(browser, url, { offline: true, viewport: { width, height: 900 }, colorScheme });
    await page.getByText('Loading...').first().waitFor({ state: 'hidden' });
    expect(await page.locator('html').getAttribute('class')).toContain(colorScheme);
    // The debugger loads axe, since the content policy does not apply to it.
    await page.evaluate(axe);
    const judge = async (selector: string): Promise<readonly string[]> => {
      const run = `axe.run(${JSON.stringify(selector)}, { resultTypes: ['violations'] })`;
      const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(run);
      return violations.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ html }) => !ofRedoc.some(({ rule, html: pattern }) => rule === id && pattern.test(html)))
          .map(({ target, html, failureSummary }) => `${id}: ${target.join(' ')}\n${html}\n${failureSummary}`),
      );
    };
    // An element that is still being drawn lacks colours and names. One run of axe takes a second.
    const findsNothing = (selector: string, message: string) =>
      expect.poll(() => judge(selector), { timeout: 30_000, interval: 500, message }).toEqual([]);
    const openOperation = async (operationId: string): Promise<string> => {
      await page.evaluate(`location.hash = '#operation/${operationId}'`);
      const section = `[id$="/${operationId.toLowerCase()}"]`;
      await page.locator(section).locator('h2').first().waitFor({ state: 'visible' });
      return section;
    };
    return { page, openOperation, findsNothing };
  }

  // axe reads 11,000 elements in 5 s of processor time. `npm run test:full` covers the whole page in light, and more operations.
  test('dark at 1400 px, then an operation in light at 390 px', async () => {
    const { page, openOperation, findsNothing } = await open({ width: 1400, colorScheme: 'dark' });
    await findsNothing('html', 'dark');
    // The button for the colour scheme does the same.
    await page.evaluate(`document.documentElement.classList.replace('dark', 'light')`);
    await page.setViewportSize({ width: 390, height: 900 });
    await findsNothing(await openOperation('updateDevice'), 'light, narrow, updateDevice');
    await page.context().close();
  });

  const screens = [390, 1400].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  );
  // One load and six runs of axe, up to three seconds each.
  test.each(screens)(
    'at $width px, $colorScheme, at its start and at one operation of each kind',
    { tags: ['full'] },
    async (screen) => {
      const { page, openOperation, findsNothing } = await open(screen);
      await findsNothing('html', 'its start');
      for (const operationId of operations) await findsNothing(await openOperation(operationId), operationId);
      await page.context().close();
    },
  );

  // The menu gives the chosen entry another background.
  test('at 1400 px, light, in the menu where an operation of each method is chosen', { tags: ['full'] }, async () => {
    const { page, openOperation, findsNothing } = await open({ width: 1400, colorScheme: 'light' });
    for (const operationId of ['getDevices', 'createBridgeProxiedJob', 'updateDevice']) {
      await openOperation(operationId);
      await findsNothing('[data-component-name="Menu/Menu"]', operationId);
    }
    await page.context().close();
  });
});
