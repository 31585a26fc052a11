import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Note } from './fixtures/notes.ts';

// If these fail, a mock that runs for long uses up the memory of its machine.

const writes = 100_000;
/** Items of the usual store. */
const room = 50_000;
const connections = 10;

let child: ChildProcess;
let origin: string;
beforeAll(async () => {
  child = fork(join(import.meta.dirname, 'fixtures/serve-notes.ts'), { execArgv: ['--expose-gc'] });
  [origin] = (await once(child, 'message')) as [string];
});
afterAll(() => void child.kill());

async function send(pool: Pool, method: 'POST' | 'PATCH' | 'DELETE', path: string, value?: object) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const body = value === undefined ? null : JSON.stringify(value);
  const answer = await pool.request({ path, method, body, headers: body === null ? {} : { 'content-type': type } });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Sends so many requests over new connections, since the mock closes idle ones, and counts their statuses. */
async function repeat(count: number, request: (pool: Pool, number: number) => ReturnType<typeof send>) {
  const pool = new Pool(origin, { connections });
  const statuses: Record<number, number> = {};
  let next = 0;
  let last = '';
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const { status, text } = await request(pool, next);
      statuses[status] = (statuses[status] ?? 0) + 1;
      last = text;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, work));
  } finally {
    await pool.destroy();
  }
  return { statuses, last };
}

/** Megabytes of the heap after a collection, and of the process. */
async function measure() {
  child.send('measure');
  const [{ heapUsed, rss }] = (await once(child, 'message')) as [{ readonly heapUsed: number; readonly rss: number }];
  return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}

test('memory is bounded by the room of the store: further items are answered 507, and changes need none', async () => {
  const { last: first } = await repeat(1, (pool) => send(pool, 'POST', '/notes', { text: 'first' }));
  const empty = await measure();
  const creates = await repeat(writes, (pool, number) => send(pool, 'POST', '/notes', { text: `note ${number}` }));
  const full = await measure();
  const created = creates.statuses[201] ?? 0;
  expect(creates.statuses).toEqual({ 201: created, 507: writes - created });
  expect(created).toBeGreaterThan(0);
  expect(created).toBeLessThan(room);
  expect(creates.last).toMatch(/the store is full: it has \d+ items/);

  const { id } = JSON.parse(first) as Note;
  const changes = await repeat(writes, (pool, number) => send(pool, 'PATCH', `/notes/${id}`, { count: number }));
  expect(changes.statuses).toEqual({ 200: writes });
  const changed = await measure();

  const removal = await repeat(1, (pool) => send(pool, 'DELETE', `/notes/${id}`));
  const successor = await repeat(1, (pool) => send(pool, 'POST', '/notes', { text: 'in its place' }));
  expect([removal.statuses, successor.statuses]).toEqual([{ 204: 1 }, { 201: 1 }]);

  process.stdout.write(`${JSON.stringify({ created, empty, full, changed })}\n`);
  // The items as JSON have 64 MiB at most; with their answers and indexes they take a few times as much.
  expect(full.heap - empty.heap).toBeLessThan(200);
  expect(changed.heap - full.heap).toBeLessThan(20);
  expect(changed.rss).toBeLessThan(600);
});
