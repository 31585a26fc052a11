import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locks } from './lock-table.ts';

// If these fail, `npm run mutants:locks` no longer removes a lock, or runs no test for it.

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test.each(locks)('the place of a lock is in the source once: $name', ({ file, from }) => {
  expect(read(file).split(from)).toHaveLength(2);
});

test.each(locks)('the test of a lock exists: $name', ({ test: { file, name } }) => {
  expect(read(file)).toContain(name.replace(/\$$/, ''));
});
