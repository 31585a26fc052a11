import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGrowingFile } from './growing-file.ts';

test('text is in the file as soon as it is written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
  const path = join(folder, 'a');
  const file = openGrowingFile(path);
  file.write('é');
  file.write('b');
  expect(await readFile(path, 'utf8')).toBe('éb');
  expect(file.close()).toBeUndefined();
  await rm(folder, { recursive: true });
});

// The system has this file where a write must fail.
test.skipIf(!existsSync('/dev/full'))('a full disk is no crash, and is reported when the file is closed', () => {
  const file = openGrowingFile('/dev/full');
  file.write('a');
  file.write('b');
  expect(file.close()).toMatch(/^ENOSPC/);
});
