import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

// If these fail, one fault can hide on both sides of a boundary: the generator judging its own output,
// the mock serving what the toolkit meant instead of what it wrote.

const root = fileURLToPath(new URL('..', import.meta.url));

/** Who may import whom. A folder may always import itself; what stands in no row may be imported by nobody. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  json: [], // a leaf: knows JSON and JSON Schema, no contract and no product
  shell: ['json'], // a leaf: knows processes and what commands hand back, no command
  state: ['json', 'values'], // a leaf: infers resources and keeps items; the judge of values and the clock are arguments
  values: ['json'], // a leaf: makes values from schemas, and knows nothing of who sends or serves them
  generated: [],
  toolkit: ['json', 'shell'], // what is wrong with a contract is wrong use
  cli: ['conformance', 'docs', 'json', 'mock', 'runtime', 'shell', 'toolkit'], // each part is loaded when a command asks for it; nobody imports it
  runtime: ['json', 'state', 'values'], // serves any contract: what it serves is an argument; its handlers from a store need the inference
  docs: ['json', 'runtime', 'shell', 'toolkit'], // what an author sees is what the server serves; the files of a contract have one reader
  server: ['generated', 'json', 'runtime', 'shell'],
  mock: ['generated', 'json', 'runtime', 'server', 'shell', 'state', 'values'],
  conformance: ['values'], // speaks HTTP only: one fault in the toolkit must not hide on both sides; values hide none, each side judges them by a judge of its own
  bench: ['', 'conformance', 'docs', 'generated', 'mock', 'runtime', 'server', 'values'], // the walk of bench/mocks makes values; codec, store, validation and runner are measured without HTTP and without a start; mutants need the configuration of all tests; clients are generated from the files of docs, and call the sandbox
  test: ['bench', 'generated', 'toolkit', 'docs', 'json', 'mock', 'runtime', 'server', 'conformance', ''],
  '': ['cli', 'docs', 'generated', 'mock', 'runtime', 'server', 'shell', 'test', 'toolkit'], // the files at the root: start.ts and the configuration
};

/** Inside `server/`: the layers that a layer may import besides itself. Tests may know more; a folder without a row is at the rim. */
const serverLayers: Readonly<Record<string, readonly string[]>> = {
  // Keys and time are arguments: no clock, no store, no configuration.
  'server/algopin/': ['server/temporal.ts'],
  'server/virtual-lock/': ['server/algopin/', 'server/clock.ts', 'server/temporal.ts'],
  'server/store/': ['server/clock.ts', 'server/fixtures/test-law.ts', 'server/limits/'], // test-law.ts for its suite
  'server/limits/': ['server/clock.ts'],
  'server/activity/': ['server/algopin/', 'server/clock.ts', 'server/store/', 'server/temporal.ts'],
  'server/bridge/': [
    'server/activity/',
    'server/algopin/',
    'server/clock.ts',
    'server/keys.ts',
    'server/seal.ts',
    'server/store/',
    'server/temporal.ts',
    'server/virtual-lock/',
  ],
  'server/operations/': [
    'server/activity/',
    'server/algopin/',
    'server/bridge/',
    'server/clock.ts',
    'server/error-catalogue.ts',
    'server/keys.ts',
    'server/limits/',
    'server/principal.ts',
    'server/seal.ts',
    'server/store/',
    'server/temporal.ts',
  ],
};

/** Below a folder of the table: files for our own contract only. The other files of the folder serve any contract. */
const ownHalf: Readonly<Record<string, { readonly own: RegExp; readonly reaches: RegExp }>> = {
  // The command is our own; it loads that half when it runs.
  mock: {
    own: /^mock\/(sandbox\/|index\.ts$|main\.ts$|.*\.test\.ts$)/,
    reaches: /^(generated|server|mock\/sandbox)\//,
  },
};

/** Packages that one folder alone may know. Prism's types and quirks stay inside the mock. */
const packageBelongsTo: readonly { readonly name: RegExp; readonly folder: RegExp }[] = [
  { name: /^@stoplight\//, folder: /^mock\// },
  { name: /^express/, folder: /^(server\/http|bench)\// },
  { name: /^kysely|^better-sqlite3|^pg$/, folder: /^(server\/store|bench)\// },
  { name: /^@noble\//, folder: /^server\/algopin\// },
  { name: /^oidc-provider/, folder: /^(server\/oauth|bench)\// },
  { name: /^@redocly\/openapi-core$|^openapi-typescript$|^typescript$/, folder: /^(toolkit|bench\/clients)\// },
  // The same package at the version that Redocly's own command runs, by an alias: types for the rules, and one test.
  { name: /^redocly-core$/, folder: /^(toolkit|test)\// },
];

const workspaces: Readonly<Record<string, string>> = {
  '@lockstep/json': 'json',
  '@lockstep/shell': 'shell',
  '@lockstep/state': 'state',
  '@lockstep/values': 'values',
  '@lockstep/contract': 'generated',
  '@lockstep/runtime': 'runtime',
  '@lockstep/toolkit': 'toolkit',
  '@lockstep/cli': 'cli',
  '@lockstep/docs': 'docs',
  '@lockstep/mock': 'mock',
  '@lockstep/server': 'server',
  '@lockstep/conformance': 'conformance',
};

const notSource = /(^|\/)(node_modules|dist|fixtures|\.[^/]*)$/;
const files = globSync('**/*.ts', { cwd: root, exclude: (path) => notSource.test(path) }).sort();

const specifiers = new Map(files.map((file) => [file, readSpecifiers(file)]));

describe('imports', () => {
  test('cross folders only where the table allows it', () => {
    const forbidden = edges()
      .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !mayImport[folderOf(from)]?.includes(folderOf(to)))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(forbidden).toEqual([]);
  });

  test('reach a package only from the folder that owns it', () => {
    const forbidden = [...specifiers].flatMap(([file, names]) =>
      names.filter((name) => !mayReach(file, name)).map((name) => `${file} imports ${name}`),
    );
    expect(forbidden).toEqual([]);
  });

  test('go downwards inside the server', () => {
    const forbidden = edges()
      .filter(({ from, to }) => !/\.test\.ts$/.test(from) && to.startsWith('server/') && !mayKnow(from, to))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(forbidden).toEqual([]);
  });

  test.each(Object.entries(ownHalf))(
    'reach our own contract only from its own part of %s',
    (folder, { own, reaches }) => {
      const generic = edges().filter(({ from }) => from.startsWith(`${folder}/`) && !own.test(from));
      expect(generic.length).toBeGreaterThan(0);
      expect(generic.filter(({ to }) => reaches.test(to)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
    },
  );

  test('leave our own contract out of the command: it serves any', () => {
    const own = /^@lockstep\/(contract|server|mock\/sandbox)(\/|$)/;
    const forbidden = [...specifiers].flatMap(([file, names]) =>
      names.filter((name) => file.startsWith('cli/') && own.test(name)).map((name) => `${file} imports ${name}`),
    );
    expect(forbidden).toEqual([]);
  });

  test.each([
    { file: 'toolkit/rules/plugin.ts', name: 'redocly-core', want: true },
    { file: 'test/contract-lint.integration.test.ts', name: 'redocly-core', want: true },
    { file: 'docs/main.ts', name: 'redocly-core', want: false },
    { file: 'toolkit/contract/bundle-document.ts', name: '@redocly/openapi-core', want: true },
    { file: 'start.ts', name: '@redocly/openapi-core', want: false },
    { file: 'server/main.ts', name: 'express-openapi-validator', want: false },
    { file: 'docs/main.ts', name: 'commander', want: true },
  ])('$file may reach $name: $want', ({ file, name, want }) => {
    expect(mayReach(file, name)).toBe(want);
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

test('every source is looked at', () => {
  expect(files).toEqual(expect.arrayContaining(['start.ts', 'cli/main.ts', 'toolkit/rules/reading/dereference.ts']));
  expect(files.filter((file) => /node_modules|fixtures/.test(file))).toEqual([]);
});

test('no folder or file is a bag', () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.)/.test(file))).toEqual([]);
});

test('every folder with source has a row in the table', () => {
  expect([...new Set(files.map(folderOf))].filter((folder) => mayImport[folder] === undefined)).toEqual([]);
});

function mayReach(file: string, specifier: string): boolean {
  return packageBelongsTo.every(({ name, folder }) => !name.test(specifier) || folder.test(file));
}

function mayKnow(from: string, to: string): boolean {
  const layer = Object.keys(serverLayers).find((folder) => from.startsWith(folder));
  return layer === undefined || [layer, ...(serverLayers[layer] ?? [])].some((known) => to.startsWith(known));
}

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
