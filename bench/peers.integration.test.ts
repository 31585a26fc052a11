import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { arePeersInstalled, installPeers } from './peers.ts';

// If these fail, a bench compares with another version than ours, or no longer runs.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const isInstalled = arePeersInstalled();
if (!isInstalled) process.stderr.write(`The types of bench/peers are not checked: ${installPeers}\n`);

const dependenciesOf = (folder: string): Record<string, string> =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).dependencies;

test('peers stand on the versions that ours stands on', () => {
  const [ours, theirs] = [{ ...dependenciesOf('server'), ...dependenciesOf('mock') }, dependenciesOf('bench/peers')];
  const shared = Object.keys(theirs).filter((name) => name in ours);
  expect(shared).toEqual(expect.arrayContaining(['better-sqlite3', 'express', 'jose']));
  expect(shared.filter((name) => theirs[name] !== ours[name])).toEqual([]);
  expect(theirs['@stoplight/prism-cli']).toBe(ours['@stoplight/prism-http']);
});

test.skipIf(!isInstalled)('peers fit their types', async () => {
  const tsc = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
  await run(process.execPath, [join(tsc, '../bin/tsc'), '-p', 'bench/peers'], { cwd: root });
});

test.skipIf(isInstalled)('a question that needs peers prints how to install them, and exits with 2', async () => {
  const failed = run(process.execPath, ['bench/main.ts', 'requests'], { cwd: root });
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('npm ci --prefix bench/peers'),
  });
});
