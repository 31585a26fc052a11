import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { objectId } from '../suite/records.ts';
import { createFilledDatabase, deviceId, filledAt } from './fixtures/create-filled-database.ts';
import { describePlans } from './fixtures/plan-suite.ts';
import { openPostgresStore } from './open-store.ts';

// If these fail, a request takes as long as its table. They take about ten minutes and 8 GB of disk.

let large: Promise<string> | undefined;
const openLarge = () => {
  large ??= createFilledDatabase({ devices: 1_000_000, activities: 10_000_000, isAnalyzed: true });
  return large;
};

describePlans('no statement reads a whole table of a million devices, nor sorts one,', { open: openLarge });

describe('a page of the log takes the same time', () => {
  let stores: readonly Store[];
  beforeAll(async () => {
    const small = await createFilledDatabase({ devices: 1000, activities: 10_000, isAnalyzed: true });
    stores = await Promise.all([small, await openLarge()].map((url) => openPostgresStore(url)));
  }, 3_600_000);
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  test('among 10^4 and 10^7 entries, within a fifth', async () => {
    const [few, many] = [await readPages(stores[0]), await readPages(stores[1])];
    for (let warming = 0; warming < 500; warming += 1) for (const read of [few, many]) await read();
    const ratios: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const times: [number[], number[]] = [[], []];
      // In turn, so that the machine's other work falls on both.
      for (let page = 0; page < 300; page += 1) {
        times[0].push(await time(few));
        times[1].push(await time(many));
      }
      ratios.push(median(times[1]) / median(times[0]));
    }
    process.stderr.write(`10^7 over 10^4 entries: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}\n`);
    expect(median(ratios)).toBeLessThan(1.2);
  });
});

/** Newest pages of the logs of some devices, after three pushes of each. */
async function readPages(store: Store | undefined): Promise<() => Promise<void>> {
  if (store === undefined) throw new Error('the store did not open');
  const devices = Array.from({ length: 8 }, (_, index) => deviceId(11 + 10 * index));
  for (let push = 0; push < 3; push += 1)
    for (const device of devices) await store.activity.add(makePush(device, push));
  let read = 0;
  return async () => {
    read += 1;
    const page = await store.activity.list({
      ...{
        deviceId: devices[read % devices.length] ?? '',
        from: null,
        before: null,
        descending: true,
        after: null,
        limit: 101,
      },
    });
    if (page.length !== 101) throw new Error(`a page of ${page.length}`);
  };
}

function makePush(device: string, push: number) {
  return Array.from({ length: 100 }, (_, index) => ({
    ...{
      id: objectId(`${device} ${push} ${index}`),
      deviceId: device,
      at: filledAt + push * 100 + index,
      receivedAt: filledAt,
    },
    ...{ type: 'UNLOCK', method: 'pin', rawType: 18, firstUse: null, pinId: null, accessName: 'Guest', details: '{}' },
  }));
}

async function time(read: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await read();
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
