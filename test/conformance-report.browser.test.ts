// The HTML report of the conformance runner, opened from the disk as a reader does who has nothing else.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reports } from '../conformance/reports/reports.ts';
import { apis, runAgainst } from '../conformance/seeded/apis.ts';
import { injectFault, withBody } from '../conformance/seeded/faults.ts';
import { findBrowser } from '../docs/find-browser.ts';
import { connectBrowser } from '../docs/fixtures/connect-browser.ts';
import { type WatchedPage, watchPage } from '../docs/watch-page.ts';

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

describe('a browser for the report', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) skip(missing);
  });
});

const hostile = '</script><script>document.title = "taken"</script><img src=x onerror="document.title = 1">';

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'dark' | 'light';
}

/** The report of a contract with each operation several times: the policy of the page allows other data. */
function withOperations(report: string, times: number): string {
  return report.replace(/(id="data">)(.*?)(?=<\/script>)/s, (_, head: string, text: string) => {
    const data = JSON.parse(text);
    const copies = Array.from({ length: times }, (_, copy) =>
      data.operations.map((one: { id: string; path: string }) =>
        copy === 0 ? one : { ...one, id: `${one.id}${copy}`, path: `/copy${copy}${one.path}` },
      ),
    );
    return head + JSON.stringify({ ...data, operations: copies.flat() }).replaceAll('<', '\\u003c');
  });
}

describe.skipIf(missing)('the HTML report', () => {
  let browser: Browser;
  let folder: string;
  let url: string;
  let urlOfMany: string;
  let axe: string;
  /** The one page of all tests: each loads it anew. */
  let watched: WatchedPage;

  beforeAll(async () => {
    browser = await connectBrowser();
    folder = await mkdtemp(join(tmpdir(), 'lockstep-report-'));
    const broken = injectFault(
      { at: /^GET \S*\/books(\?|$)/, change: withBody((body) => ({ ...body, total: hostile, items: 7 })) },
      apis.library.create(),
    );
    const { result, contract } = await runAgainst('library', broken, { phases: ['baseline', 'auth'] });
    const text = reports.html.format(result, { exitCode: 1, contract, failures: [], root: process.cwd() });
    const file = join(folder, reports.html.file);
    await writeFile(file, text);
    url = pathToFileURL(file).href;
    const large = join(folder, 'large.html');
    await writeFile(large, withOperations(text, 4));
    urlOfMany = pathToFileURL(large).href;
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    watched = await watchPage(browser, url, { offline: true });
  });

  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const openReport = async (
    address = url,
    { width = 1440, height = 900, colorScheme = 'light' }: Partial<Screen> = {},
  ) => {
    await watched.page.setViewportSize({ width, height });
    await watched.page.emulateMedia({ colorScheme });
    await watched.page.goto(address);
    return watched;
  };

  async function judge(page: Page): Promise<readonly string[]> {
    // The debugger loads axe, since the content policy does not apply to it.
    await page.evaluate(axe);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      "axe.run({ resultTypes: ['violations'] })",
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n')}`);
  }

  test('shows a finding with its answer, its line of the contract, the fix and the lines to paste', async () => {
    const { page, outside, complaints } = await openReport();
    const card = page.locator('.finding').first();
    await card.locator('summary').first().click();
    await expect.poll(() => card.locator('.exchange').count()).toBeGreaterThan(0);
    const shown = await card.innerText();
    expect(shown).toContain(hostile.slice(0, 30));
    expect(shown).toMatch(/lockstep-conform replay [0-9a-f]{8}/);
    expect(shown).toContain('curl -i -g');
    expect(shown).toContain('library.yaml:');
    expect(await card.locator('.numbered .marked').count()).toBe(1);
    expect(await card.locator('.exchange .marked').count()).toBeGreaterThan(0);
    expect(await page.title()).not.toMatch(/taken|^1$/);
    expect([outside, complaints]).toEqual([[], []]);
  });

  test('opens the finding of its address, and filters by text, kind, check and operation', async () => {
    const { page } = await openReport();
    const visible = () => page.locator('.finding:visible').count();
    const all = await visible();
    const id = (await page.locator('.finding').last().getAttribute('id')) ?? '';
    await page.evaluate(`location.hash = '${id}'`);
    await page.locator(`[id="${id}"] .body`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('no such text');
    await expect.poll(visible).toBe(0);
    await page.getByRole('searchbox').fill('');
    await expect.poll(visible).toBe(all);
    await page.getByRole('button', { name: /^Defects/ }).click();
    await expect.poll(visible).toBe(all - (await page.locator('.finding:has(.badge.defect)').count()));
    await page.getByRole('button', { name: /^Defects/ }).click();
    await page.getByRole('combobox', { name: 'Check' }).selectOption('body-schema');
    await expect.poll(visible).toBe(await page.locator('.finding:has-text("body-schema")').count());
  });

  test('the first finding is on the first screen, with the expected and the received value', async () => {
    const { page } = await openReport(url, { width: 1400 });
    const card = page.locator('.finding').first();
    const box = await card.boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(900);
    await expect.poll(() => page.locator('.headline').first().innerText()).toMatch(/^expected .+ got ./);
    const ofSchema = page.locator('.finding:has-text("body-schema")').first();
    await ofSchema.locator('summary').first().click();
    expect(await ofSchema.locator('.exchange.judged[open]').count()).toBe(1);
    expect(await ofSchema.locator('.exchange').first().innerText()).toContain('first account');
  });

  test('a filter shows its count and can be reset, and a link shows its finding in spite of one', async () => {
    const { page } = await openReport();
    const all = await page.locator('.finding').count();
    const id = (await page.locator('.finding').last().getAttribute('id')) ?? '';
    await page.getByRole('searchbox').fill('no such text');
    await expect.poll(() => page.getByRole('status').innerText()).toMatch(new RegExp(`^0 of ${all} findings? shown$`));
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => page.locator('.finding:visible').count()).toBe(all);
    await page.getByRole('searchbox').fill('no such text');
    await page.evaluate(`location.hash = '${id}'`);
    await page.locator(`[id="${id}"] .body`).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  test('a list has the coverage of a small contract, and leads to the findings of an operation', async () => {
    const { page } = await openReport();
    expect(await page.locator('.tile').count()).toBe(0);
    expect(await page.locator('.operation').count()).toBe(7);
    await page
      .locator('.operation', { hasText: /GET \/books\d/ })
      .locator('summary')
      .click();
    await page.getByRole('button', { name: /^Show \d+ finding/ }).click();
    expect(await page.getByRole('combobox', { name: 'Operation' }).inputValue()).toBe('listBooks');
  });

  test('the map of a large contract is read with the keyboard, and leads to the findings of an operation', async () => {
    const { page } = await openReport(urlOfMany);
    const tiles = page.locator('.tile');
    await expect.poll(() => tiles.count()).toBe(28);
    await tiles.first().focus();
    const names: (string | null)[] = [];
    for (let step = 0; step < 28; step += 1) {
      names.push(await page.locator('.tile:focus').getAttribute('aria-label'));
      await page.keyboard.press('ArrowRight');
    }
    expect(new Set(names).size).toBe(28);
    expect(names).toContainEqual(expect.stringMatching(/^GET \/books: \d+ met, \d+ violated/));
    await page.locator('.tile[aria-label^="GET /books:"]').press('Enter');
    await page.getByRole('button', { name: /^Show \d+ finding/ }).click();
    expect(await page.getByRole('combobox', { name: 'Operation' }).inputValue()).toBe('listBooks');
  });

  test('on a phone, the panel of a chosen operation comes into view, and stays when the screen turns', async () => {
    const { page } = await openReport(urlOfMany, { width: 390, height: 844 });
    await page.locator('.tile[aria-label^="GET /books:"]').click();
    const heading = page.locator('.panel h3');
    await expect.poll(async () => ((await heading.boundingBox())?.y ?? 844) < 844).toBe(true);
    await page.setViewportSize({ width: 844, height: 390 });
    await expect.poll(() => page.locator('.tile[aria-pressed="true"]').count()).toBe(1);
    expect(await heading.innerText()).toBe('GET /books');
  });

  const judges = 'axe finds nothing at $width px, $colorScheme, and nothing is wider than the page';
  const judgeReports = async (screen: Pick<Screen, 'width' | 'colorScheme'>) => {
    for (const address of [url, urlOfMany]) {
      const { page } = await openReport(address, screen);
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await judge(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screen.width);
    }
  };
  test.each([{ width: 390, colorScheme: 'light' }] as const)(judges, judgeReports);
  test.each([{ width: 1400, colorScheme: 'dark' }] as const)(judges, { tags: ['full'] }, judgeReports);
});
