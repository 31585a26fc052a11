import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// If these fail, everybody waits for what nobody needs, or an install works in one place alone.

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const lockfiles = [
  'package-lock.json',
  'bench/peers/package-lock.json',
  'bench/clients/package-lock.json',
  'bench/foreign/package-lock.json',
  'bench/foreign/held-out/package-lock.json',
  'bench/foreign/unseen/package-lock.json',
];
const packagesOf = (
  lockfile: string,
): Readonly<Record<string, { readonly resolved?: string; readonly link?: boolean }>> =>
  JSON.parse(read(lockfile)).packages;

/** Optional dependencies that are never loaded. npm installs what the lockfile has, and no more. */
const leftOut = /\/recheck-(jar|linux|macos|windows)/;

test('the binaries of recheck are left out: its own JavaScript is what the rule asks', () => {
  const found = Object.keys(packagesOf('package-lock.json')).filter((name) => leftOut.test(name));
  expect(found, 'delete these entries from package-lock.json').toEqual([]);
  expect(read('toolkit/rules/pattern-is-linear.ts')).toContain("RECHECK_SYNC_BACKEND = 'pure'");
});

test.each(lockfiles)('%s names no registry, so that it installs from any', (lockfile) => {
  const named = Object.entries(packagesOf(lockfile)).filter(
    ([, { resolved, link }]) => resolved !== undefined && !link,
  );
  expect(named.map(([name]) => name)).toEqual([]);
});

test('who asks for the largest packages is who asks for them', () => {
  const [, table = ''] = /^## Look at what an install brings$([\s\S]*)/m.exec(read('CONTRIBUTING.md')) ?? [];
  const rows = [...table.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = '', askers = ''] of rows)
    for (const asker of askers.split(', ')) {
      const folder = asker === 'the root' ? '' : `${asker.replaceAll('`', '')}/`;
      const { dependencies, devDependencies } = JSON.parse(read(`${folder}package.json`));
      expect({ ...dependencies, ...devDependencies }, `${asker} asks for ${name}`).toHaveProperty([name]);
    }
});
