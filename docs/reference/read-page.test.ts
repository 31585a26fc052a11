import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageInputs, readPage } from './read-page.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-page-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

test('brings the pictures that a page shows, with the room they take where they tell it', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2" width="40" height="20"><rect width="9"/></svg>';
  await write('door.svg', svg);
  await write('plain.SVG', '<svg viewBox="0 0 4 2"/>');
  await write('lock.png', Uint8Array.of(137, 80));
  const file = await write(
    'page.md',
    '# One\n![a](door.svg) ![b](./plain.SVG) ![c](lock.png) ![d](https://a.example/b.bmp)\n',
  );
  const { pictures } = readPage(file);
  expect(pictures).toEqual({
    'door.svg': { address: `data:image/svg+xml;base64,${btoa(svg)}`, width: '40', height: '20' },
    './plain.SVG': { address: `data:image/svg+xml;base64,${btoa('<svg viewBox="0 0 4 2"/>')}` },
    'lock.png': { address: 'data:image/png;base64,iVA=' },
  });
});

test('lists all inputs of the section: words, name and pictures', async () => {
  await write('a.png', 'one');
  const words = '![a](a.png)\n';
  const inputs = (name: string) => JSON.stringify(pageInputs(readPage(join(folder, name))));
  await write('x.md', words);
  await write('y.md', words);
  const before = inputs('x.md');
  expect(inputs('x.md')).toBe(before);
  expect(inputs('y.md')).not.toBe(before);
  await write('a.png', 'two');
  expect(inputs('x.md')).not.toBe(before);
});

test.each([
  [
    'a picture that is not there',
    '![a](none.png)',
    /^The picture .*none\.png of the page .*faulty\.md can't be read \(ENOENT\)\.$/,
  ],
  [
    'a picture that no browser draws',
    '![a](a.bmp)',
    /^The picture .*a\.bmp of the page .* can't be shown: use one of \.gif, .*\.webp\.$/,
  ],
])('stops at %s', async (_, words, message) => {
  const file = await write('faulty.md', words);
  expect(() => readPage(file)).toThrow(message);
});

test('stops at a page that is not there', () => {
  expect(() => readPage(join(folder, 'none.md'))).toThrow(/^The page .*none\.md can't be read \(ENOENT\)\.$/);
});
