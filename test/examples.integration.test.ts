import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';

// If these fail, an integrator who copies an example gets one that does not work.

const root = fileURLToPath(new URL('..', import.meta.url));
const examples = join(root, 'mock/examples');
const browser = findBrowser(process.env);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('each has a test here', async () => {
  expect(globSync('*/package.json', { cwd: examples }).sort()).toEqual([
    'node-test/package.json',
    'playwright/package.json',
    'vitest/package.json',
  ]);
});

// Each runner takes up to ten seconds to start and a sandbox with it: one of them is enough for most changes.
const full = { tags: ['full'] };

test('vitest', full, async () => {
  expect(await run('vitest')).toMatch(/Tests {2}9 passed \(9\)/);
});

test('node-test', async () => {
  const printed = await run('node-test', '--test-reporter=tap');
  expect(printed).toMatch(/^# pass 4$/m);
  expect(printed).toMatch(/^# (fail|skipped|cancelled) 0$/m);
});

test('playwright', full, async ({ skip }) => {
  if (browser.kind === 'missing') return skip(browser.reason);
  expect(await run('playwright', '--output', join(folder, 'results'))).toMatch(/^ {2}3 passed/m);
});

/** Runs what its `npm test` runs. @returns all that was printed; @throws Error with it where the runner fails */
async function run(example: string, ...more: string[]): Promise<string> {
  const cwd = join(examples, example);
  const { scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const [command = '', ...args] = (scripts.test as string).split(' ');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { VITEST: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    ...(browser.kind === 'found' && { CHROMIUM: browser.path }),
  };
  execFile(command, [...args, ...more], { cwd, env, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
    if (error === null) resolve(stdout);
    else reject(new Error(`${example}: ${error.message}\n${stdout}\n${stderr}`));
  });
  return promise;
}
