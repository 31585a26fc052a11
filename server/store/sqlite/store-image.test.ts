import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { makeDevice } from '../suite/records.ts';
import { storeSuite } from '../suite/store-suite.ts';
import { makeImage, openStoreImage } from './store-image.ts';

const device = makeDevice('account-a', 'LK1');

storeSuite('SQLite on a copy of an image', async () => openStoreImage(await makeImage(async () => undefined)));

describe('stores on copies of one image', () => {
  let image: Uint8Array;
  const stores: Store[] = [];
  const open = (): Store => {
    const store = openStoreImage(image);
    stores.push(store);
    return store;
  };
  beforeAll(async () => {
    image = await makeImage(async (store) => {
      await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
      await store.imports.write({ properties: [], devices: [device] });
    });
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
  });

  test('begin with what it was filled with', async () => {
    const store = open();
    await store.ping();
    expect(await store.devices.find('account-a', 'LK1')).toEqual(device);
  });

  test('do not see the writes of another, and neither does one that is opened later', async () => {
    const [one, other] = [open(), open()];
    const before = Buffer.from(image);
    await one.devices.setBatteryLevel('account-a', 'LK1', 7);
    await one.accounts.put({ id: 'account-b', name: 'B', trialEndsAt: null });
    await other.devices.setBatteryLevel('account-a', 'LK1', 8);
    const levels = [one, other, open()].map(
      async ({ devices }) => (await devices.find('account-a', 'LK1'))?.batteryLevel,
    );
    expect(await Promise.all(levels)).toEqual([7, 8, device.batteryLevel]);
    expect(await other.accounts.find('account-b')).toBeUndefined();
    expect(before.equals(image)).toBe(true);
  });

  test('outlive each other', async () => {
    const [one, other] = [open(), open()];
    await one.close();
    expect(await other.devices.find('account-a', 'LK1')).toEqual(device);
    await expect(one.devices.find('account-a', 'LK1')).rejects.toThrow();
  });

  test('grow beyond it', async () => {
    const store = open();
    const devices = Array.from({ length: 5000 }, (_, index) => makeDevice('account-a', `LK9-${index}`));
    await store.imports.write({ properties: [], devices });
    expect((await store.accounts.listCounted({ limit: 1 }))[0]?.devices).toBe(5001);
  });

  test('refuse what refers to nothing, as a file does', async () => {
    const code = {
      pinId: '0123456789abcdef01234567',
      deviceId: 'LK-nowhere',
      generation: 0,
      kind: 'permanent',
      startsAt: 0,
      endsAt: null,
      activateBy: 1,
      variance: 0,
      durationHours: null,
      accessName: 'Nobody',
      issuedAt: 0,
    } as const;
    await expect(open().accessCodes.issue(code)).rejects.toThrow(/FOREIGN KEY/);
  });
});

test('a fill that fails gives no image', async () => {
  const failing = makeImage(async () => {
    throw new Error('no such scenario');
  });
  await expect(failing).rejects.toThrow('no such scenario');
});
