// A run that keeps its exchanges, or what it made for an operation, would stop with a large contract or after some hours.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"name": "Thing"}');
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

interface Measured {
  readonly requests: number;
  readonly bytes: number;
}

async function measure(operations: number, phases: readonly string[], budget?: number): Promise<readonly Measured[]> {
  const script = fileURLToPath(new URL('../fixtures/measure-heap.ts', import.meta.url));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['--expose-gc', script, origin, String(operations), phases.join(), String(budget ?? '')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

function peakOf(measured: readonly Measured[]): number {
  return Math.max(...measured.map(({ bytes }) => bytes));
}

test('an operation costs a bounded part of the heap through all phases', { tags: ['full'] }, async () => {
  const phases = ['baseline', 'auth', 'protocol', 'negative', 'boundary', 'text', 'random'];
  const [few, many] = [await measure(10, phases), await measure(50, phases)];
  // Measured: 290,000 bytes.
  expect((peakOf(many) - peakOf(few)) / 40).toBeLessThan(400_000);
});

test('a request leaves no exchange in the heap', { tags: ['full'] }, async () => {
  const measured = await measure(5, ['baseline', 'random'], 4_500);
  const at = (requests: number): number => measured.find((one) => one.requests >= requests)?.bytes ?? Number.NaN;
  // Measured: 800 bytes a request. An exchange takes several kilobytes.
  expect((at(4_250) - at(1_500)) / 2_750).toBeLessThan(1_500);
});
