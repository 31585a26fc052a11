import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dropFromMemory } from './drop-from-memory.ts';
import { fillLog, firstEntryAt, insertBare, secondsApart } from './fill-log.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';
import { type BenchServer, prepareServer } from './start-server.ts';

const deviceId = 'LK2A00000001';
const rounds = 5;
const pushesPerRound = 100;
/** Phones that push at once. */
const phones = 4;
const requestsPerRound = 100;

const warmingRequests = 100;

interface Log extends BenchServer {
  readonly entries: number;
  readonly database: string;
  readonly restart: () => Promise<BenchServer>;
}

type Times = Map<string, number[]>;

/** Pages are read as a client reads them: token, form, query, descriptions, sealed cursor. The largest log comes with `--large` alone. */
export const activityHttp: Question = {
  asks: 'Does a page of a log cost the same however long the log is, and how many entries a second go in through HTTP, compared with bare SQLite?',
  async run(progress, { large = false } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-activity-'));
    const servers = new Set<BenchServer>();
    try {
      const logs: Log[] = [];
      for (const entries of [1e4, 1e6, ...(large ? [1e7] : [])]) {
        const { database, start } = await prepareServer(join(folder, String(entries)), [deviceId]);
        fillLog(database, deviceId, entries, (done) => progress(`filling ${name(entries)}: ${done}`));
        const server = await start();
        servers.add(server);
        logs.push({ ...server, entries, database, restart: start });
      }
      const times: Times = new Map();
      // One round more than counted warms all up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const log of logs) {
          progress(`round ${round} of ${rounds}: pages of ${name(log.entries)}`);
          const kept = round === 0 ? new Map() : times;
          keep(kept, `newest page, ${name(log.entries)}`, await timeEach(requestsPerRound, () => getPage(log, '')));
          keep(kept, `walk, ${name(log.entries)}`, await timeWalk(log));
        }
      }
      await Promise.all([...servers].map(({ close }) => close()));
      servers.clear();
      let isDropped = true;
      for (let round = 1; round <= rounds; round += 1) {
        for (const log of logs) {
          progress(`round ${round} of ${rounds}: random pages of ${name(log.entries)}`);
          isDropped = (await dropFromMemory(log.database)) && isDropped;
          const server = await log.restart();
          servers.add(server);
          keep(times, `random page, ${name(log.entries)}`, await timeRandom(log, server));
          await server.close();
          servers.delete(server);
        }
      }
      const [shortest] = logs;
      if (shortest === undefined) throw new Error('no log');
      const pushed = await shortest.restart();
      servers.add(pushed);
      for (let round = 0; round <= rounds; round += 1) {
        progress(`round ${round} of ${rounds}: pushes`);
        const kept = round === 0 ? new Map() : times;
        keep(kept, 'push', (await timePushes(pushed, round)) / pushesPerRound);
        keep(kept, 'bare', insertBare(join(folder, 'bare.sqlite'), pushesPerRound, round) / pushesPerRound);
      }
      return describe(times, logs, isDropped);
    } finally {
      await Promise.all([...servers].map(({ close }) => close()));
      await rm(folder, { recursive: true });
    }
  },
};

async function describe(times: Times, logs: readonly Log[], isDropped: boolean) {
  const of = (key: string) => times.get(key) ?? [];
  const ratio = (over: string, under: string) =>
    median(of(over).map((time, index) => time / (of(under)[index] ?? Number.NaN)));
  const [first, ...longer] = logs.map(({ entries }) => name(entries));
  // Each is the first read of its place by this process, and by the system where that could be made to forget the file.
  const cold = isDropped ? ', read from the disk' : ', the first read after a start, the file may be in memory';
  const kinds = ['newest page', 'walk', 'random page'];
  const pages = kinds.flatMap((kind) => logs.map(({ entries }) => `${kind}, ${name(entries)}`));
  return {
    rows: [
      ...pages.map((key) => ({
        name: `${key}${key.startsWith('random') ? cold : ''}: ms for 1000 pages of 100`,
        milliseconds: perThousand(of(key)),
      })),
      {
        name: `pushes of 100 by ${phones} phones: ms for 1000 (${entriesPerSecond(of('push'))} entries/s)`,
        milliseconds: perThousand(of('push')),
      },
      {
        name: `bare SQLite, 100 rows synced: ms for 1000 (${entriesPerSecond(of('bare'))} entries/s)`,
        milliseconds: perThousand(of('bare')),
      },
    ],
    ratios: [
      ...longer.flatMap((size) =>
        kinds.map((kind) => ({
          name: `${kind}, ${size} over ${first}`,
          ratio: ratio(`${kind}, ${size}`, `${kind}, ${first}`),
          // Those depend on the disk: printed, not promised.
          ...(kind === 'random page' ? {} : { target: 1.2 }),
        })),
      ),
      { name: 'pushes through HTTP over bare SQLite', ratio: ratio('push', 'bare') },
      { name: 'pushes: time over that of 10,000 entries/s', ratio: median(of('push')) / 10, target: 1 },
    ],
    versions: await versionsOf(['better-sqlite3', 'express'], 'server'),
  };
}

async function getPage({ base, token }: BenchServer, query: string): Promise<string> {
  const response = await fetch(`${base}/devices/${deviceId}/activity?limit=100${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { payload, nextCursor } = (await response.json()) as { payload?: unknown[]; nextCursor?: string };
  if (payload?.length !== 100) throw new Error(`${response.status}: no page of 100`);
  return nextCursor ?? '';
}

/** From the newest entry on, by cursors; the first page is not counted, being read without one. */
async function timeWalk(log: Log): Promise<number> {
  let cursor = await getPage(log, '');
  return timeEach(requestsPerRound - 10, async () => {
    cursor = await getPage(log, `&cursor=${cursor}`);
  });
}

/** Pages at random places; before them the newest one some times, so that the process is warm and the places are not. */
async function timeRandom(log: Log, server: BenchServer): Promise<number> {
  for (let index = 0; index < warmingRequests; index += 1) await getPage(server, '');
  return timeEach(requestsPerRound, () => getPage(server, randomPlace(log)));
}

function randomPlace({ entries }: Pick<Log, 'entries'>): string {
  const place = 100 + Math.floor(Math.random() * (entries - 100));
  return `&endDate=${new Date(firstEntryAt + place * secondsApart * 1000).toISOString()}`;
}

/** @returns the median of all, in milliseconds */
async function timeEach(count: number, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return median(times);
}

/** @returns milliseconds for all pushes of a round; the bodies are made before */
async function timePushes(log: BenchServer, round: number): Promise<number> {
  const bodies = Array.from({ length: pushesPerRound }, (_, push) => makePush(`${round}-${push}`));
  const start = performance.now();
  await Promise.all(
    Array.from({ length: phones }, async () => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await push(log, body);
    }),
  );
  return performance.now() - start;
}

async function push({ base, token }: BenchServer, body: string): Promise<void> {
  const response = await fetch(`${base}/devices/${deviceId}/activity`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body,
  });
  const { accepted } = (await response.json()) as { accepted?: number };
  if (accepted !== 100) throw new Error(`${response.status}: ${accepted} of 100 accepted`);
}

/** 100 items in text, one in three with the digits of a code, as a phone reads them from a lock. */
function makePush(id: string): string {
  const now = Date.now();
  const logsPayload = Array.from({ length: 100 }, (_, index) => {
    const pin = index % 3 === 0 ? { pin: String(100_000_000 + Math.floor(Math.random() * 9e8)) } : {};
    const log = JSON.stringify({
      logType: index % 3 === 0 ? 18 : 13,
      entryDate: Math.floor(now / 1000) - index,
      keyId: 1,
      ...pin,
    });
    return JSON.stringify({
      id: `${deviceId}-${id}-${index}`,
      user: 'owner',
      ts: now,
      payload: { lockName: 'Door', log },
    });
  });
  return JSON.stringify({ logsPayload });
}

function keep(times: Times, key: string, time: number): void {
  times.set(key, [...(times.get(key) ?? []), time]);
}

function perThousand(times: readonly number[]): number[] {
  return times.map((time) => time * 1000);
}

function entriesPerSecond(times: readonly number[]): string {
  return Math.round(100_000 / median(times)).toLocaleString('en');
}

function name(entries: number): string {
  return `10^${Math.log10(entries)}`;
}
