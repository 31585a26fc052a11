import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deriveOnce } from './derive-once.ts';

// If these fail, npm start serves what belongs to another contract.

let folder: string;
let derived: number;
/** Saved during the derivation, if a test sets it. */
let meanwhile: (() => Promise<unknown>) | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'derive-once-'));
  derived = 0;
  meanwhile = undefined;
  for (const name of ['out', 'code/emit', 'code/fixtures']) await mkdir(join(folder, name), { recursive: true });
  for (const name of ['contract.yaml', 'part.yaml', 'package-lock.json', 'code/emit/types.ts', 'code/fixtures/a.ts'])
    await writeFile(join(folder, name), name);
  await start();
  expect(derived).toBe(1);
});
afterEach(() => rm(folder, { recursive: true }));

function start(): Promise<string> {
  return deriveOnce({
    out: join(folder, 'out'),
    code: [join(folder, 'code')],
    lockfile: join(folder, 'package-lock.json'),
    stamp: join(folder, 'cache/derived.json'),
    listContractFiles: async () => ['contract.yaml', 'part.yaml'].map((name) => join(folder, name)),
    derive: async () => {
      derived += 1;
      const contract = await readFile(join(folder, 'contract.yaml'), 'utf8');
      await meanwhile?.();
      await writeFile(join(folder, 'out/types.gen.ts'), `of ${contract}`);
      await writeFile(join(folder, 'out/contract.gen.json'), contract);
      return 'wrote';
    },
  });
}

test('a start with nothing changed derives nothing, and reports that', async () => {
  const names = ['contract.gen.json', 'types.gen.ts'].map((name) => `unchanged ${join(folder, 'out', name)}`);
  expect(await start()).toBe(names.join('\n'));
  expect(derived).toBe(1);
});

const change = (name: string) => appendFile(join(folder, name), 'x');
test.each([
  { name: 'the contract changed', how: () => change('contract.yaml') },
  { name: 'a file changed that the contract leads to', how: () => change('part.yaml') },
  { name: 'a file is gone that the contract led to', how: () => rm(join(folder, 'part.yaml')) },
  { name: 'the code that derives changed', how: () => change('code/emit/types.ts') },
  { name: 'code was added', how: () => change('code/emit/more.ts') },
  { name: 'other libraries were installed', how: () => change('package-lock.json') },
  { name: 'a derived file was edited by hand', how: () => change('out/types.gen.ts') },
  { name: 'a derived file is gone', how: () => rm(join(folder, 'out/types.gen.ts')) },
  { name: 'a file lies there that nothing derived', how: () => change('out/old.gen.ts') },
  { name: 'what was kept of the last time is gone', how: () => rm(join(folder, 'cache'), { recursive: true }) },
  { name: 'what was kept of the last time is broken', how: () => writeFile(join(folder, 'cache/derived.json'), '{}') },
])('a start derives anew where $name', async ({ how }) => {
  await how();
  expect(await start()).toBe('wrote');
  expect(derived).toBe(2);
});

test('tests and fixtures of the code are nothing that derives', async () => {
  await change('code/emit/types.test.ts');
  await change('code/fixtures/a.ts');
  await start();
  expect(derived).toBe(1);
});

test('a contract that is saved while it is derived is derived at the next start', async () => {
  await change('contract.yaml');
  meanwhile = () => change('contract.yaml');
  await start();
  meanwhile = undefined;
  await start();
  expect(await readFile(join(folder, 'out/contract.gen.json'), 'utf8')).toBe('contract.yamlxx');
});

test('a failure is reported, and the next start tries again', async () => {
  await change('contract.yaml');
  meanwhile = () => Promise.reject(new Error('broken'));
  await expect(start()).rejects.toThrow('broken');
  meanwhile = undefined;
  expect(await start()).toBe('wrote');
});
