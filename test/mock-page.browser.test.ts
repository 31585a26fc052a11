// The page that controls the mock of any contract, and one of its worlds, in a browser.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { connectBrowser } from '../docs/fixtures/connect-browser.ts';
import { type RunningMock, type RunningSandbox, startMock } from '../mock/index.ts';
import { museumContract, museumOperations } from '../runtime/fixtures/museum.ts';

const found = findBrowser(process.env);
const full = { tags: ['full'] };
/** A contract may contain anything: its texts never become markup. */
const title = 'Museum <img src=x onerror=alert(1)> $& </script>';

describe.skipIf(found.kind === 'missing')('the page of a mock', full, () => {
  let browser: Browser;
  let mock: RunningMock;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await connectBrowser();
    const document = { ...museumContract, info: { ...(museumContract.info as object), title } };
    mock = await startMock({ contract: { document, operations: museumOperations } });
  });
  afterAll(async () => {
    await mock?.close();
    await browser?.close();
  });

  async function open(url: string, width = 1280, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    page.setDefaultTimeout(20_000);
    complaints.length = 0;
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(url);
    await page.locator('#now', { hasText: 'UTC' }).waitFor();
    return page;
  }

  async function judge(page: Page): Promise<void> {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
    const { violations } = await page.evaluate<{ violations: readonly { id: string; nodes: readonly object[] }[] }>(
      `axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
    );
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect({ violations: violations.map(({ id, nodes }) => [id, nodes]), beyond, complaints }).toEqual({
      violations: [],
      beyond: 0,
      complaints: [],
    });
  }

  test.each([
    { width: 320, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)('axe finds nothing: $width px, $colorScheme', async ({ width, colorScheme }) => {
    const world = mock.world(`w${width}`);
    await world.control.addFault({ operationId: '*', times: 2, status: 503 });
    await fetch(`${world.origin}/museum/v2/exhibits`);
    await fetch(`${world.origin}/museum/v2/${'nowhere'.repeat(30)}`);
    const page = await open(`${world.origin}/_sandbox`, width, colorScheme);
    await page.getByText('1 of 2 left').waitFor();
    expect(await page.locator('header p').first().innerText()).toContain(title);
    expect(await page.locator('img').count()).toBe(0);
    await page.getByText('Your own items').click();
    await page.getByLabel('JSON: lists').fill('{');
    await page.getByRole('button', { name: 'Use these items' }).click();
    await page.locator('.message', { hasText: 'This is not JSON' }).waitFor();
    await judge(page);
    await page.close();
  });

  test('acts on its own world only, and leads to the others', async () => {
    const [a, b] = [mock.world('a'), mock.world('b')];
    for (const { control } of [a, b]) await control.addFault({ operationId: '*', times: 1, status: 503 });
    const page = await open(`${mock.origin}/_sandbox/`);
    await page.getByRole('link', { name: 'a', exact: true }).click();
    await page.getByText('The world a has a state of its own.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('(stopped)').waitFor();
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await page.locator('.message', { hasText: 'Items and clock are those of the start.' }).waitFor();
    expect((await a.control.readState()).faults).toEqual([]);
    expect((await b.control.readState()).faults).toHaveLength(1);
    expect((await mock.control.readClock()).ticking).toBe(true);
    await page.getByRole('button', { name: 'Remove the world b' }).click();
    await page.getByText('Removed.', { exact: true }).waitFor();
    expect((await mock.control.readState()).worlds).not.toContain('b');
    await page.getByLabel('Name of a world').fill('test-7');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('The world test-7 has a state of its own.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/w/test-7/_sandbox/');
    await page.getByRole('link', { name: 'Paths without a world' }).click();
    await page.waitForURL(`${mock.origin}/_sandbox/`);
    await page.close();
  });

  test('of a world of the sandbox gets its tokens, and leads to its keypad', async () => {
    await using sandbox: RunningSandbox = await startMock();
    const page = await open(`${sandbox.world('a').origin}/_sandbox/`);
    await page.getByRole('button', { name: 'Get a token' }).click();
    await page.locator('.message', { hasText: 'A token of demo-own' }).waitFor();
    const authorization = `Bearer ${await page.getByLabel('Token, for').inputValue()}`;
    const status = async (baseUrl: string) =>
      (await fetch(`${baseUrl}/devices`, { headers: { authorization } })).status;
    expect([await status(sandbox.world('a').baseUrl), await status(sandbox.baseUrl)]).toEqual([200, 401]);
    await judge(page);
    await page.getByRole('link', { name: 'The keypad' }).click();
    await page.getByLabel('Digits').fill('111111111');
    await page.keyboard.press('Enter');
    await page.getByText('Not opened').waitFor();
    expect(new URL(page.url()).pathname).toBe('/w/a/_sandbox/keypad');
    await page.getByRole('link', { name: 'Sandbox control' }).click();
    await page.waitForURL(`${sandbox.origin}/w/a/_sandbox/`);
    await page.close();
  });
});
