import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// If these fail, one fault can hide on both sides of a boundary: the generator judging its own output,
// the mock serving what the toolkit meant instead of what it wrote.

const root = fileURLToPath(new URL('..', import.meta.url));

/** Who may import whom. A folder may always import itself; what stands in no row may be imported by nobody. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  toolkit: [],
  docs: [],
  server: ['generated'],
  mock: ['generated', 'server'],
  conformance: [], // speaks HTTP only: one fault in the generator must not hide on both sides
  bench: [],
  test: ['generated', 'toolkit', 'docs', 'mock', 'server', 'conformance', ''],
  '': ['docs', 'generated', 'mock', 'server', 'toolkit'], // the files at the root: start.ts and the configuration
};

/** Packages that one folder alone may know. Prism's types and quirks end where the mock ends. */
const packageBelongsTo: readonly { readonly name: RegExp; readonly folder: RegExp }[] = [
  { name: /^@stoplight\//, folder: /^mock\// },
  { name: /^express/, folder: /^server\/http\// },
  { name: /^kysely|^better-sqlite3/, folder: /^server\/store\// },
  { name: /^oidc-provider/, folder: /^server\/oauth\// },
  { name: /^@redocly\/openapi-core$|^openapi-typescript$|^typescript$/, folder: /^toolkit\// },
];

const workspaces: Readonly<Record<string, string>> = {
  '@lockstep/contract': 'generated',
  '@lockstep/toolkit': 'toolkit',
  '@lockstep/docs': 'docs',
  '@lockstep/mock': 'mock',
  '@lockstep/server': 'server',
  '@lockstep/conformance': 'conformance',
};

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/fixtures/'));

const specifiers = new Map(files.map((file) => [file, readSpecifiers(file)]));

describe('imports', () => {
  test('cross folders only where the table allows it', () => {
    const forbidden = edges()
      .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !mayImport[folderOf(from)]?.includes(folderOf(to)))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(forbidden).toEqual([]);
  });

  test('reach a package only from the folder that owns it', () => {
    const forbidden = packageBelongsTo.flatMap(({ name, folder }) =>
      files
        .filter((file) => !folder.test(file) && specifiers.get(file)?.some((specifier) => name.test(specifier)))
        .map((file) => `${file} imports ${name.source}`),
    );
    expect(forbidden).toEqual([]);
  });

  test('form no cycle', () => {
    const next = Map.groupBy(edges(), ({ from }) => from);
    const done = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      expect(path, 'import cycle').not.toContain(file);
      if (done.has(file)) return;
      for (const { to } of next.get(file) ?? []) walk(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
  });
});

test('no folder or file is a bag', () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.)/.test(file))).toEqual([]);
});

test('every folder with source has a row in the table', () => {
  expect([...new Set(files.map(folderOf))].filter((folder) => mayImport[folder] === undefined)).toEqual([]);
});

function edges(): { from: string; to: string }[] {
  return [...specifiers].flatMap(([from, names]) =>
    names.flatMap((name) => {
      const to = name.startsWith('.') ? normalize(join(dirname(from), name)) : workspaceEntry(name);
      return to === undefined ? [] : [{ from, to }];
    }),
  );
}

function workspaceEntry(specifier: string): string | undefined {
  const name = Object.keys(workspaces).find((known) => specifier === known || specifier.startsWith(`${known}/`));
  return name === undefined ? undefined : `${workspaces[name]}/package.json`;
}

function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '';
}

function readSpecifiers(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^(?:import|export)\b[^'"`;]*?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}
