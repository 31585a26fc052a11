import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changedetection } from './changedetection.ts';
import { homebridgeUi } from './homebridge-ui.ts';
import { applyMutation, type Mutation, mutate, serverNamed } from './mutation.ts';
import { phoenix } from './phoenix.ts';
import { findNew } from './score.ts';

const mutation: Mutation = {
  id: 'one',
  kind: 'bound shifted',
  ...{ file: 'a.py', line: 2, anchor: '10', replacement: '$&11' },
  at: 'GET /devices',
  prove: (send) => send('GET /devices'),
  shows: [400, 200],
};
const source = 'a = 10\nb = 10 # bound\nc = 10 + 10\n';

test('replaces the anchor in its line alone, as plain text', () => {
  expect(applyMutation(source, mutation)).toBe('a = 10\nb = $&11 # bound\nc = 10 + 10\n');
});

test.each([
  { change: { line: 3 }, message: 'one: a.py:3 contains "10" 2 times, expected once' },
  {
    change: { anchor: 'c =' },
    message: 'contains "c =" 0 times, expected once; the nearest line that contains it is 3',
  },
  { change: { anchor: 'd =' }, message: 'contains "d =" 0 times, expected once; no line contains it' },
  { change: { line: 9 }, message: 'one: a.py:9 contains "10" 0 times' },
])('refuses an anchor that is not found once: $message', ({ change, message }) => {
  expect(() => applyMutation(source, { ...mutation, ...change })).toThrow(message);
});

test('changes a copy, starts the server on it, and removes it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mutation-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const installed = join(folder, 'package');
  await mkdir(installed);
  await writeFile(join(installed, 'a.py'), source);
  const npm = { registry: 'npm', start: async () => ({ file: 'node', args: [join(installed, 'a.py')] }) } as const;
  const server = { ...serverNamed('directus'), ...npm };
  const mutated = await mutate({ server, package: installed, credential: () => ({}), mutations: [] }, mutation);
  const { args } = await mutated.server.start({ folder, port: 0, origin: '', otherPorts: [] });
  expect(await readFile(args[0] ?? '', 'utf8')).toBe(applyMutation(source, mutation));
  expect(await readFile(join(installed, 'a.py'), 'utf8')).toBe(source);
  await mutated.remove();
  expect(await readdir(folder)).toEqual(['package']);
});

test('counts what is reported about the operation and not on the clean server', () => {
  const report = (operation: string, key: string) => ({ operation, key, message: key });
  const clean = [report('GET /devices', 'known')];
  const mutated = [report('GET /devices', 'known'), report('GET /devices', 'new'), report('GET /jobs', 'else')];
  expect(findNew(mutated, clean, 'GET /devices')).toEqual(['GET /devices new']);
  expect(findNew(mutated, clean, /jobs/)).toEqual(['GET /jobs else']);
});

test.each([changedetection, homebridgeUi, phoenix])(
  '$server.name: ids are unique and anchors short',
  ({ mutations }) => {
    expect(new Set(mutations.map(({ id }) => id)).size).toBe(mutations.length);
    expect(mutations.filter(({ anchor }) => anchor.length > 60)).toEqual([]);
  },
);
