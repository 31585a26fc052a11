import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { placeFolder, requireEmpty } from './place-folder.ts';

// If these fail, a user's files are overwritten, or an incomplete project is left.

let folder: string;
let source: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  source = join(folder, 'source');
  await mkdir(join(source, 'inner'), { recursive: true });
  await writeFile(join(source, 'inner/file'), 'text');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a folder that is not there is made, with those above it', async () => {
  await placeFolder(source, join(folder, 'a/b'));
  expect(await readdir(folder)).toEqual(['a', 'source']);
  expect(await readdir(join(folder, 'a'))).toEqual(['b']);
  expect(await readFile(join(folder, 'a/b/inner/file'), 'utf8')).toBe('text');
});

test('a folder that is there and empty stays the same folder', async () => {
  await mkdir(join(folder, 'a'));
  const { ino } = await stat(join(folder, 'a'));
  await placeFolder(source, join(folder, 'a'));
  expect(await readdir(join(folder, 'a'))).toEqual(['inner']);
  expect((await stat(join(folder, 'a'))).ino).toBe(ino);
});

test.each([
  {
    name: 'a folder that holds something',
    made: 'a/mine',
    message: /it contains mine\. Name an empty or a new folder/,
  },
  { name: 'a file', made: 'a', message: /it, or a folder above it, is a file/ },
])('$name is refused, and stays as it is', async ({ made, message }) => {
  const target = join(folder, 'a');
  if (made !== 'a') await mkdir(target);
  await writeFile(join(folder, made), 'mine');
  await expect(requireEmpty(target)).rejects.toThrow(message);
  await expect(placeFolder(source, target)).rejects.toThrow(message);
  expect(await readFile(join(folder, made), 'utf8')).toBe('mine');
  expect(await readdir(folder)).toEqual(['a', 'source']);
});

test('where it fails half way, nothing is left, nor the folders above it', async () => {
  await expect(placeFolder(join(folder, 'gone'), join(folder, 'a/b'))).rejects.toThrow(/can't be the new folder/);
  expect(await readdir(folder)).toEqual(['source']);
});
