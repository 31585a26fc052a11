import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ActivityQuery, NewActivity } from '../server/store/activity/activity-store.ts';
import { openSqliteStore } from '../server/store/sqlite/open-store.ts';
import type { Store } from '../server/store/store.ts';
import { fillLog, firstEntryAt, secondsApart } from './fill-log.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const rounds = 5;
const pushesPerRound = 300;
const pagesPerRound = 300;
const entriesPerSecondWanted = 30_000;
const deviceId = 'LK2A00000001';

type Progress = (text: string) => void;

/** The peer does no more than SQLite must: the same rows into the same keys by one prepared statement, each batch synced. */
export const storeActivity: Question = {
  asks: 'How many entries a second does the store take in synced pushes of 100, compared with bare SQLite, and does a page cost the same however long the log is?',
  async run(progress, { large = false } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-store-activity-'));
    try {
      const many = await timePushes(join(folder, 'many'), 1000, progress);
      const one = await timePushes(join(folder, 'one'), 1, progress);
      const sizes = [1e4, 1e6, ...(large ? [1e7] : [])];
      const pages = await timePages(folder, sizes, progress);
      return {
        rows: [...describePushes('1,000 devices', many), ...describePushes('one device', one), ...describePages(pages)],
        ratios: [
          {
            name: `pushes to 1,000 devices: time over that of ${entriesPerSecondWanted} entries/s`,
            ratio: median(many.ours) / ((pushesPerRound * 100 * 1000) / entriesPerSecondWanted),
            target: 1,
          },
          { name: 'pushes to 1,000 devices over bare SQLite', ratio: ratioOf(many.ours, many.bare) },
          { name: 'pushes to one device over bare SQLite', ratio: ratioOf(one.ours, one.bare) },
          ...comparePages(pages),
        ],
        versions: await versionsOf(['better-sqlite3', 'kysely'], 'server'),
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

interface PushTimes {
  readonly ours: number[];
  readonly bare: number[];
}

async function timePushes(path: string, devices: number, progress: Progress): Promise<PushTimes> {
  const store = await openSqliteStore(`${path}.sqlite`);
  const bare = openBare(`${path}.bare.sqlite`);
  const times: PushTimes = { ours: [], bare: [] };
  // One round more than counted warms both up; they take turns.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`pushes to ${devices} devices: round ${round} of ${rounds}`);
    const pushes = Array.from({ length: pushesPerRound }, (_, index) =>
      makePush(round * pushesPerRound + index, devices),
    );
    const began = performance.now();
    for (const push of pushes) {
      const added = await store.activity.add(push);
      if (added !== 100) throw new Error(`${added} of 100 entries were new`);
    }
    const between = performance.now();
    for (const push of pushes) bare.insert(push);
    if (round > 0) {
      times.ours.push(between - began);
      times.bare.push(performance.now() - between);
    }
  }
  await store.close();
  bare.close();
  return times;
}

/** A hundred entries of one device, as a phone reads them from a lock: some minutes long, the next push of the device behind them. */
function makePush(number: number, devices: number): NewActivity[] {
  const pushed = `LK2A${String((number * 7919) % devices).padStart(8, '0')}`;
  const first = firstEntryAt + number * 1000 * 60;
  return Array.from({ length: 100 }, (_, index) => ({
    id: createHash('sha256').update(`${number} ${index}`).digest('hex').slice(0, 24),
    deviceId: pushed,
    at: first + index * 1000,
    receivedAt: first + 200_000,
    type: 'UNLOCK',
    method: 'pin',
    rawType: 18,
    firstUse: null,
    pinId: createHash('sha256').update(`${index}`).digest('hex').slice(0, 24),
    accessName: 'Cleaner',
    details: '{}',
  }));
}

function openBare(path: string) {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`create table activity (device_id text not null, at integer not null, id text not null, received_at integer not null,
    type text not null, method text not null, raw_type integer, first_use integer, pin_id text, access_name text, details text not null,
    primary key (device_id, at, id)) strict, without rowid;
    create unique index activity_once on activity (device_id, id);
    create index activity_by_arrival on activity (received_at)`);
  const statement = database.prepare(`insert into activity values
    (@deviceId, @at, @id, @receivedAt, @type, @method, @rawType, @firstUse, @pinId, @accessName, @details) on conflict do nothing`);
  const insert = database.transaction((push: readonly NewActivity[]) => {
    for (const entry of push) statement.run(entry);
  });
  return { insert: (push: readonly NewActivity[]) => insert.immediate(push), close: () => database.close() };
}

type Kind = 'newest page' | 'walk' | 'random page, first read';

interface PageTimes {
  readonly entries: number;
  readonly kinds: Readonly<Record<Kind, number[]>>;
}

/** All logs are open at once and take turns page by page, so that what else the machine does falls on each. */
async function timePages(folder: string, sizes: readonly number[], progress: Progress): Promise<readonly PageTimes[]> {
  const logs: { store: Store; times: PageTimes }[] = [];
  for (const entries of sizes) {
    const path = join(folder, `${entries}.sqlite`);
    await (await openSqliteStore(path)).close();
    fillLog(path, deviceId, entries, (done) => progress(`filling ${name(entries)}: ${done}`));
    progress(`opening ${name(entries)}, which reads every page once`);
    const store = await openSqliteStore(path);
    logs.push({ store, times: { entries, kinds: { 'newest page': [], walk: [], 'random page, first read': [] } } });
  }
  for (let round = 0; round <= rounds; round += 1) {
    progress(`pages: round ${round} of ${rounds}`);
    const readers = logs.map(({ store, times }) => ({ times, read: readInTurn(store, times.entries) }));
    const timed = readers.map(({ times, read }) => ({ times, read, found: new Map<Kind, number[]>() }));
    for (let page = 0; page < pagesPerRound; page += 1) {
      for (const { read, found } of timed) {
        for (const [kind, run] of Object.entries(read) as [Kind, () => Promise<void>][]) {
          const began = performance.now();
          await run();
          found.set(kind, [...(found.get(kind) ?? []), performance.now() - began]);
        }
      }
    }
    if (round > 0)
      for (const { times, found } of timed) for (const [kind, all] of found) times.kinds[kind].push(median(all));
  }
  for (const { store } of logs) await store.close();
  return logs.map(({ times }) => times);
}

/** Each call reads one page more; the walk begins again before the end of the shortest log. */
function readInTurn(store: Store, entries: number): Readonly<Record<Kind, () => Promise<void>>> {
  let after: ActivityQuery['after'] = null;
  let walked = 0;
  return {
    'newest page': async () => void (await readPage(store, null, null)),
    walk: async () => {
      after = await readPage(store, walked % 90 === 0 ? null : after, null);
      walked += 1;
    },
    'random page, first read': async () => void (await readPage(store, null, randomPlace(entries))),
  };
}

/** @returns the place behind the page */
async function readPage(
  store: Store,
  after: ActivityQuery['after'],
  before: number | null,
): Promise<ActivityQuery['after']> {
  const page = await store.activity.list({ deviceId, from: null, before, descending: true, after, limit: 101 });
  const last = page[99];
  if (page.length !== 101 || last === undefined) throw new Error(`a page of ${page.length}`);
  return { at: last.at, id: last.id };
}

function randomPlace(entries: number): number {
  return firstEntryAt + (200 + Math.floor(Math.random() * (entries - 200))) * secondsApart * 1000;
}

function describePushes(to: string, { ours, bare }: PushTimes) {
  const perThousand = (times: readonly number[]) => times.map((time) => (time / pushesPerRound) * 1000);
  const perSecond = (times: readonly number[]) =>
    Math.round((pushesPerRound * 100 * 1000) / median(times)).toLocaleString('en');
  return [
    { name: `store, pushes to ${to}: ms for 1000 (${perSecond(ours)} entries/s)`, milliseconds: perThousand(ours) },
    { name: `bare SQLite, the same: ms for 1000 (${perSecond(bare)} entries/s)`, milliseconds: perThousand(bare) },
  ];
}

function describePages(pages: readonly PageTimes[]) {
  return pages.flatMap(({ entries, kinds }) =>
    Object.entries(kinds).map(([kind, times]) => ({
      name: `${kind}, ${name(entries)} entries: ms for 1000 pages of 100`,
      milliseconds: times.map((time) => time * 1000),
    })),
  );
}

function comparePages([first, ...longer]: readonly PageTimes[]) {
  return longer.flatMap(({ entries, kinds }) =>
    Object.entries(kinds).map(([kind, times]) => ({
      name: `${kind}, ${name(entries)} over ${name(first?.entries ?? Number.NaN)}`,
      ratio: ratioOf(times, first?.kinds[kind as keyof PageTimes['kinds']] ?? []),
      // Pages far in are not in memory when they are read first: printed, not promised.
      ...(kind === 'random page, first read' ? {} : { target: 1.2 }),
    })),
  );
}

/** Round by round: what else the machine does in one falls on both sides of it. */
function ratioOf(over: readonly number[], under: readonly number[]): number {
  return median(over.map((time, index) => time / (under[index] ?? Number.NaN)));
}

function name(entries: number): string {
  return `10^${Math.log10(entries)}`;
}
