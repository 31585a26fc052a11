import { mkdtemp, rm, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../store/sqlite/open-database.ts';
import { openSqliteStore } from '../store/sqlite/open-store.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { loginQuery } from './fixtures/talk.ts';
import { loginLimit } from './middleware/throttle-logins.ts';

// The rows of 100,000 abandoned login requests. If these fail, docs/operating.md is wrong.

const start = Date.UTC(2026, 11, 1, 12);
const requests = 100_000;
const connections = 50;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

test('100,000 login requests of one address write 120 rows', async () => {
  const { auth, measure } = await begin();
  const flood = await sendAll(auth, () => '203.0.113.7');
  expect(flood.statuses).toEqual({ 303: loginLimit.requests, 429: requests - loginLimit.requests });
  const after = await measure();
  expect(after.rows).toBe(loginLimit.requests);
  print('one address', { ...flood, ...after });
});

test('100,000 from as many addresses write as many; half an hour later they are purged, and their space is reused', async () => {
  const { auth, measure } = await begin();
  const before = await measure();
  const first = await sendAll(auth, addressOf);
  expect(first.statuses).toEqual({ 303: requests });
  const full = await measure();
  expect(full.rows).toBe(requests);
  expect(full.fileBytes).toBeLessThan(80_000_000);
  print('100,000 addresses', {
    ...first,
    ...full,
    bytesEach: Math.round((full.fileBytes - before.fileBytes) / requests),
  });

  vi.setSystemTime(start + 31 * 60_000);
  const purged = await purge(auth);
  expect(purged.rows).toBe(requests);
  expect((await measure()).rows).toBe(0);
  print('the purge', purged);

  const second = await sendAll(auth, addressOf);
  const again = await measure();
  expect(again.rows).toBe(requests);
  // Hashes are on other pages than the first time: some more pages are half full.
  expect(again.fileBytes / full.fileBytes).toBeLessThan(1.1);
  print('100,000 more', { ...second, ...again });
});

async function begin() {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-flood-'));
  ends.push(() => rm(folder, { recursive: true }));
  const database = join(folder, 'data.sqlite');
  const auth = await startAuth({ store: await openSqliteStore(database), publicOrigin: 'https://api.example' });
  ends.push(auth.close);
  const measure = async () => {
    const connection = openDatabase(database, { mayCreate: false });
    const rows = connection.prepare("select count(*) from oidc_artifact where model = 'Interaction'").pluck().get();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.close();
    return { rows, fileBytes: (await stat(database)).size };
  };
  return { auth, measure };
}

async function sendAll({ port }: RunningAuth, address: (number: number) => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses: Record<number, number> = {};
  const path = `/auth/login?${loginQuery()}`;
  const began = performance.now();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      const status = await ask({ agent, port, path, address: address(sent) });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  const seconds = (performance.now() - began) / 1000;
  return { statuses, seconds: Math.round(seconds), perSecond: Math.round(requests / seconds) };
}

function ask(of: { agent: Agent; port: number; path: string; address: string }): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { Host: 'api.example', 'X-Forwarded-For': of.address };
  const asked = request({ host: '127.0.0.1', port: of.port, path: of.path, agent: of.agent, headers }, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode ?? 0));
  });
  asked.on('error', reject).end();
  return promise;
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** As `start-purging.ts` does it, batch after batch. */
async function purge({ store }: RunningAuth) {
  const began = performance.now();
  let rows = 0;
  let longestMs = 0;
  for (let last = 500; last >= 500; rows += last) {
    const batchBegan = performance.now();
    last = await store.oidc.purge(Math.floor(Date.now() / 1000), 500);
    longestMs = Math.max(longestMs, performance.now() - batchBegan);
  }
  return { rows, seconds: Math.round(performance.now() - began) / 1000, longestBatchMs: Math.round(longestMs) };
}

function print(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
