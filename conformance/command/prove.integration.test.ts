import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { libraryKey } from '../seeded/library.ts';
import { type Served, serve } from '../seeded/serve.ts';

// If these fail, CI is green although the runner could not have reported a fault.

let folder: string;
let served: Served;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-prove-'));
  served = await serve(apis.library.create());
});
afterEach(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

const prove = (...more: readonly string[]): Promise<Ended> =>
  conformHere([
    ...['prove', '--contract', apis.library.file, '--base-url', `${served.origin}${apis.library.base}`],
    ...['--out', folder, '--phase', 'baseline', 'auth', 'negative', '--operation', 'listBooks', 'readMotto', ...more],
  ]);

test('the table is printed, and the exit code is 0 if every fault is reported', async () => {
  const { code, out } = await prove('--token', libraryKey);
  expect(out).toMatch(/^listBooks( +ok){6}( +-){8} +ok +- +ok$/m);
  expect(out).toMatch(/^readMotto( +-){3} +ok +- +ok( +-){11}$/m);
  expect(out).toContain('  readMotto  anonymous: it needs no credentials\n');
  expect(out).toMatch(/^\d+ requests of one run; injected faults need none\.$/m);
  expect(code).toBe(0);
});

test('no request is sent for an injected fault', async () => {
  const { out } = await prove('--token', libraryKey, '--json');
  expect(served.requests).toHaveLength(JSON.parse(out).requests);
});

test('a check that is left out makes the exit code 1', async () => {
  const { code, out } = await prove('--token', libraryKey, '--check', 'body-schema', 'media-type', '--json');
  expect(code).toBe(1);
  const { operations, counts } = JSON.parse(out);
  expect(operations[0].cells[3]).toEqual({
    ...{
      family: 'status',
      check: 'status-undocumented',
      state: 'missed',
      injected: 'the status 202 in the answer 200',
    },
    ...{ reason: 'status-undocumented is switched off', fix: 'Do not leave out the check with --check.' },
  });
  expect(counts.caught).toBeGreaterThan(0);
});

test('a run that proves nothing injects nothing', async () => {
  const { code, out } = await prove('--token', 'wrong-key', '--exclude', 'readMotto');
  expect(out).toContain('The run proves nothing, so no fault was injected.');
  expect(code).toBe(2);
});
