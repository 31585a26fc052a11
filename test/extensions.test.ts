import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractExtensions } from '../toolkit/rules/reading/contract-extensions.ts';

// If these fail, the page about the extensions promises what the linter does not hold.

const root = join(import.meta.dirname, '..');
const page = readFileSync(new URL('../docs/extensions.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| \[`(x-[a-z-]+)`\]\(#(x-[a-z-]+)\) \| ([^|]+) \|/gm)].map(
  ([, name, anchor, place]) => ({
    name: name ?? '',
    anchor,
    place: place ?? '',
  }),
);

/** The page's words for the object of an extension, by Redocly's name. */
const words: Readonly<Record<string, RegExp>> = {
  anything: /^anything$/,
  Header: /\bheader\b/,
  Operation: /^operation\b/,
  'Operation.get': /^GET operation\b/,
  'Operation.put': /^operation that writes$/,
  'Operation.post': /^operation that writes$/,
  'Operation.patch': /^operation that writes$/,
  'Operation.delete': /^operation that writes$/,
  Parameter: /\bparameter\b/,
  Response: /^response$/,
  Root: /^root$/,
  Schema: /\b(schema|property)\b/,
};

test('the page lists the extensions that have a schema, each with a section and an example', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...contractExtensions.keys()].sort());
  for (const { name, anchor } of rows) {
    expect(anchor).toBe(name);
    expect(page).toMatch(
      new RegExp(`^### ${name}\\n(?:(?!^##)[\\s\\S])*?\`\`\`yaml\\n(?:(?!\`\`\`)[\\s\\S])*${name}`, 'm'),
    );
  }
});

for (const { name, place } of rows) {
  test(`${name} stands on: ${place}`, () => {
    const standsOn = contractExtensions.get(name)?.standsOn ?? [];
    expect(standsOn.length).toBeGreaterThan(0);
    for (const one of standsOn) expect(place, one).toMatch(words[one] ?? /never/);
  });
}

test.each([...contractExtensions])('%s is read by those that it names', (name, { readBy }) => {
  const isRead = (folder: string): boolean =>
    globSync(`${folder}/**/*.ts`, {
      cwd: root,
      exclude: (path) => /node_modules|fixtures|\.test\.ts$|\.gen\.ts$/.test(path),
    }).some((file) => readFileSync(join(root, file), 'utf8').includes(`'${name}'`));
  expect(readBy.filter((folder) => !isRead(folder))).toEqual([]);
});
