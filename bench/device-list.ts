import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceQuery } from '../server/store/devices/device-store.ts';
import type { NewDevice } from '../server/store/records.ts';
import { openSqliteStore } from '../server/store/sqlite/open-store.ts';
import type { Store } from '../server/store/store.ts';
import { versionsOf } from './package-folder.ts';
import { median, type Question } from './question.ts';

const rounds = 5;
const pagesPerRound = 200;
const accountId = 'bench';

type Listing = Pick<DeviceQuery, 'sort' | 'search' | 'type'>;

/** How a page is asked for. The last one reads all names, since a part of a name is in no index: its price is printed, not promised. */
const listings: Readonly<
  Record<string, { readonly query: Listing; readonly far: boolean; readonly promised: boolean }>
> = {
  'first page by name': { query: { sort: { by: 'deviceName', descending: false } }, far: false, promised: true },
  'page in the middle by name': { query: { sort: { by: 'deviceName', descending: false } }, far: true, promised: true },
  'newest pairings': { query: { sort: { by: 'pairedAt', descending: true } }, far: false, promised: true },
  'search of a part of a name that none has': {
    query: { sort: { by: 'deviceName', descending: false }, search: 'nowhere' },
    far: false,
    promised: false,
  },
};

export const deviceList: Question = {
  asks: 'Does a page of 50 devices cost the same however many an account has?',
  async run(progress, { large = false } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-device-list-'));
    const stores: { store: Store; devices: number; times: Record<string, number[]> }[] = [];
    try {
      for (const devices of [1e3, 1e4, ...(large ? [1e5] : [])]) {
        const store = await openSqliteStore(join(folder, `${devices}.sqlite`));
        stores.push({ store, devices, times: {} });
        await fill(store, devices, progress);
      }
      for (let round = 0; round <= rounds; round += 1) {
        for (const { store, devices, times } of stores) {
          progress(`round ${round} of ${rounds}: ${name(devices)} devices`);
          for (const [kind, { query, far }] of Object.entries(listings)) {
            const time = await timePages(store, query, far ? devices / 2 : 0);
            if (round > 0) times[kind] = [...(times[kind] ?? []), time];
          }
        }
      }
      return { ...describe(stores), versions: await versionsOf(['better-sqlite3'], 'server') };
    } finally {
      for (const { store } of stores) await store.close();
      await rm(folder, { recursive: true });
    }
  },
};

async function fill(store: Store, devices: number, progress: (text: string) => void): Promise<void> {
  const property = { id: '65a000000000000000000001', accountId, name: 'House', timezone: 'Europe/Berlin' };
  await store.accounts.put({ id: accountId, name: 'Bench', trialEndsAt: null });
  const step = 5000;
  for (let from = 0; from < devices; from += step) {
    progress(`filling ${name(devices)} devices: ${from}`);
    const batch = Array.from({ length: Math.min(step, devices - from) }, (_, index) =>
      makeDevice(from + index, property.id),
    );
    await store.imports.write({ properties: [property], devices: batch });
  }
}

function makeDevice(number: number, propertyId: string): NewDevice {
  const deviceId = deviceIdOf(number);
  return {
    id: createHash('sha256').update(deviceId).digest('hex').slice(0, 24),
    deviceId,
    accountId,
    deviceName: nameOf(number),
    type: 'Lock',
    propertyIds: [propertyId],
    linked: [],
    bridgeId: null,
    batteryLevel: 80,
    pairedAt: 1_770_000_000_000 + number * 1000,
    lastSyncAt: 1_790_000_000_000,
    supportsAlgoPin: true,
    supportsPassagePin: true,
    online: null,
    pairingGeneration: 1,
  };
}

function deviceIdOf(number: number): string {
  return `LK${String(number).padStart(8, '0')}`;
}

function nameOf(number: number): string {
  return `Door ${String(number).padStart(6, '0')}`;
}

/** @returns the median of all pages, in milliseconds */
async function timePages(store: Store, query: Listing, place: number): Promise<number> {
  const after = place === 0 ? undefined : { value: nameOf(place), deviceId: deviceIdOf(place) };
  const want = query.search === undefined ? 51 : 0;
  const times: number[] = [];
  const pages = query.search === undefined ? pagesPerRound : 5;
  for (let index = 0; index < pages; index += 1) {
    const began = performance.now();
    const page = await store.devices.list({ accountId, ...query, after, limit: 51 });
    times.push(performance.now() - began);
    if (page.length !== want) throw new Error(`a page of ${page.length}`);
  }
  return median(times);
}

function describe(stores: readonly { devices: number; times: Record<string, number[]> }[]) {
  const [first, ...larger] = stores;
  const kinds = Object.keys(listings);
  return {
    rows: kinds.flatMap((kind) =>
      stores.map(({ devices, times }) => ({
        name: `${kind}, ${name(devices)} devices: ms for 1000 pages`,
        milliseconds: (times[kind] ?? []).map((time) => time * 1000),
      })),
    ),
    ratios: larger.flatMap(({ devices, times }) =>
      kinds.map((kind) => ({
        name: `${kind}, ${name(devices)} over ${name(first?.devices ?? Number.NaN)}`,
        ratio: median((times[kind] ?? []).map((time, index) => time / (first?.times[kind]?.[index] ?? Number.NaN))),
        ...(listings[kind]?.promised ? { target: 1.2 } : {}),
      })),
    ),
  };
}

function name(devices: number): string {
  return `10^${Math.log10(devices)}`;
}
