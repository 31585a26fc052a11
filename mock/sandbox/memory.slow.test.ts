import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Round } from './fixtures/send-mixed-requests.ts';

// If these fail, a sandbox that runs for weeks during development uses up the memory of its machine.

const rounds = 10;
const perRound = 10_000;
/** Three times its duration on two shared cores. */
const atMostMs = 1_800_000;
const mebibyte = 1 << 20;

let measured: readonly Round[];

beforeAll(async () => {
  const program = join(import.meta.dirname, 'fixtures/send-mixed-requests.ts');
  const args = ['--expose-gc', program, String(rounds), String(perRound)];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(process.execPath, args, { timeout: atMostMs, maxBuffer: mebibyte }, (error, stdout, stderr) =>
    error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
  );
  measured = (await promise)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { sent, seconds, heapBytes, residentBytes } of measured) {
    const [heap, resident] = [heapBytes, residentBytes].map((bytes) => (bytes / mebibyte).toFixed(1));
    console.log(`${sent} requests, ${seconds.toFixed(1)} s, ${heap} MiB of heap, ${resident} MiB resident`);
  }
}, atMostMs);

test('all was sent, and what it was sent for came about', () => {
  expect(measured.map(({ sent }) => sent)).toEqual(
    Array.from({ length: rounds }, (_, index) => (index + 1) * perRound),
  );
  for (const { statuses } of measured) {
    for (const status of ['200', '201', '400', '401', '402', '403', '404', '413', '429', '503', 'dropped'])
      expect(statuses[status], status).toBeGreaterThan(0);
    expect(statuses['500']).toBeUndefined();
  }
});

// Before the middle third code is compiled, caches are filled and the journal grows to its thousand. Between the middle third and the last one 30,000
// requests are sent: a leak of one object of 100 bytes by each would be 2.9 MiB.
test('the heap stays as it is', () => {
  expect(meanFrom(8, 'heapBytes') - meanFrom(5, 'heapBytes')).toBeLessThan(2 * mebibyte);
});

// The data of an instance is outside the heap, in SQLite. The sixty that begin between the two thirds would be 26 MiB if they never ended; what the
// allocator keeps for itself grew by 4.
test('what is outside the heap stays as it is', () => {
  expect(meanFrom(8, 'residentBytes') - meanFrom(5, 'residentBytes')).toBeLessThan(16 * mebibyte);
});

/** Of three rounds, counted from 1. */
function meanFrom(first: number, what: 'heapBytes' | 'residentBytes'): number {
  return measured.slice(first - 1, first + 2).reduce((sum, round) => sum + round[what] / 3, 0);
}
