import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import type { DeviceQuery } from '../devices/device-store.ts';
import type { Device } from '../records.ts';
import type { Store } from '../store.ts';
import { addAccount, makeBridge, makeDevice, objectId } from './records.ts';

type Listing = Omit<DeviceQuery, 'accountId' | 'after' | 'limit'>;

// Letters that collations and patterns treat differently; the first two of the second row are the same letter.
const letters = ['a', 'A', 'b', 'Z', '_', '%', '\\', '*', ' ', '1', "'", '"', '[', '-'];
const beyond = ['\u00e9', 'e\u0301', 'Ż', 'ż', 'ß', 'Σ', 'ς', 'İ', 'ı', '\ufb01', '\uffee', '🐢', '漢'];
const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters, ...beyond), { minLength: 1, maxLength }).map((parts) => parts.join(''));

const stock = fc.array(
  fc.record({
    deviceName: fc.oneof(text(4), fc.constantFrom('Front door', 'front door')),
    type: fc.constantFrom('Lock', 'Keypad', 'Bridge'),
    pairedAt: fc.integer({ min: 1_770_000_000_000, max: 1_770_000_000_004 }),
    supportsAlgoPin: fc.boolean(),
  } as const),
  { maxLength: 20 },
);
const listing: fc.Arbitrary<Listing> = fc.record({
  sort: fc.record({ by: fc.constantFrom('deviceName', 'pairedAt'), descending: fc.boolean() } as const),
  type: fc.option(fc.constantFrom('Lock', 'Keypad', 'Bridge'), { nil: undefined }),
  search: fc.option(fc.oneof(text(2), fc.constantFrom('front', 'FRONT', 'lK', 'LK_', 'l%', 'K0')), { nil: undefined }),
  algoPinOnly: fc.boolean(),
} as const);

const laws = { few: 40, many: 150 };

export function describeDevices(get: () => Store): void {
  describe('device lists', () => {
    testLaw(
      'walked with any limit give each device once, in order, and backwards the exact reverse',
      laws,
      async (numRuns) => {
        let runs = 0;
        await fc.assert(
          fc.asyncProperty(stock, listing, fc.integer({ min: 1, max: 7 }), async (given, query, limit) => {
            runs += 1;
            const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
            const make = (accountId: string, letter: string) =>
              given.map((one, index) => makeDevice(accountId, `LK${index % 3}-${mine}-${letter}${index}`, one));
            const devices = make(mine, 'a');
            await get().imports.write({ properties: [], devices: [...devices, ...make(foreign, 'b')] });
            const want = expectList(devices, query);
            expect(await walk(get(), mine, query, limit)).toEqual(want);
            const reverse = { ...query, sort: { ...query.sort, descending: !query.sort.descending } };
            expect(await walk(get(), mine, reverse, limit)).toEqual(want.toReversed());
          }),
          { numRuns },
        );
        expect(runs).toBeGreaterThanOrEqual(numRuns);
      },
    );

    test.each(['%', '_', '\\', '*', '%%', '\\%', '_\\', '[a]', "'"])('search %s stands for itself', async (search) => {
      const accountId = await addAccount(get());
      const hit = makeDevice(accountId, `${accountId}-hit`, { deviceName: `before ${search} after` });
      const miss = makeDevice(accountId, `${accountId}-miss`, { deviceName: 'before a after' });
      await get().imports.write({ properties: [], devices: [hit, miss] });
      const query: DeviceQuery = { accountId, sort: { by: 'deviceName', descending: false }, search, limit: 9 };
      expect(await get().devices.list(query)).toEqual([hit]);
    });

    test('go on behind a place whose device is gone or renamed', async () => {
      const accountId = await addAccount(get());
      const devices = ['a', 'c', 'e'].map((name) =>
        makeDevice(accountId, `${accountId}-${name}`, { deviceName: name }),
      );
      await get().imports.write({ properties: [], devices });
      const after = { value: 'b', deviceId: 'unknown' };
      const query: DeviceQuery = { accountId, sort: { by: 'deviceName', descending: false }, after, limit: 9 };
      expect(await get().devices.list(query)).toEqual(devices.slice(1));
    });
  });

  describe('devices', () => {
    test('are found whole by the account that has them, and by no other', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const devices = makeBridge(mine, `${mine}-bridge`, [`${mine}-1`, `${mine}-2`]);
      const others = [makeDevice(foreign, `${foreign}-1`)];
      await get().imports.write({ properties: [], devices: [...devices, ...others] });
      const ids = [...devices, ...others].map(({ deviceId }) => deviceId);
      for (const device of devices) expect(await get().devices.find(mine, device.deviceId)).toEqual(device);
      expect(await get().devices.find(mine, `${foreign}-1`)).toBeUndefined();
      expect(await get().devices.find(mine, 'unknown')).toBeUndefined();
      expect(byId(await get().devices.findAll(mine, [...ids, 'unknown']))).toEqual(byId(devices));
      expect(await get().devices.findAll(mine, [])).toEqual([]);
    });

    test.each(['\0', 'LK\0', '\uD800', '', 'x'.repeat(5000)])('are not found by the text %j', async (text) => {
      const account = await addAccount(get());
      expect(await get().devices.find(account, text)).toBeUndefined();
      expect(await get().devices.findAnywhere(text)).toBeUndefined();
      expect(await get().owners.findByEmail(text)).toBeUndefined();
      expect(await get().clients.find(text)).toBeUndefined();
    });

    test('are found by an operator whichever account has them', async () => {
      const [one, other] = [await addAccount(get()), await addAccount(get())];
      const devices = [...makeBridge(one, `${one}-bridge`, [`${one}-1`]), makeDevice(other, `${other}-1`)];
      await get().imports.write({ properties: [], devices });
      for (const device of devices) expect(await get().devices.findAnywhere(device.deviceId)).toEqual(device);
      expect(await get().devices.findAnywhere('unknown')).toBeUndefined();
    });

    test('go by the clock of their first property, as it is at the moment', async () => {
      const accountId = await addAccount(get());
      const [house, annex] = ['house', 'annex'].map((name) => objectId(`${accountId} ${name}`)) as [string, string];
      const properties = [
        { id: house, accountId, name: 'House', timezone: 'Europe/Berlin' },
        { id: annex, accountId, name: 'Annex', timezone: null },
      ];
      const places = { both: [house, annex], turned: [annex, house], annex: [annex], none: [] };
      const devices = Object.entries(places).map(([name, propertyIds]) =>
        makeDevice(accountId, `${accountId}-${name}`, { propertyIds }),
      );
      await get().imports.write({ properties, devices });
      const query: DeviceQuery = { accountId, sort: { by: 'deviceName', descending: false }, limit: 9 };
      const read = async (list: Promise<readonly Device[]>) =>
        Object.fromEntries((await list).map((one) => [one.deviceId.slice(accountId.length + 1), one.timezone]));
      for (const timezone of [null, 'Asia/Kathmandu']) {
        if (timezone !== null) await get().properties.setTimezone(annex, timezone);
        const want = { both: 'Europe/Berlin', turned: timezone, annex: timezone, none: null };
        expect(await read(get().devices.list(query))).toEqual(want);
        const ids = devices.map(({ deviceId }) => deviceId);
        expect(await read(get().devices.findAll(accountId, ids))).toEqual(want);
        const found = await Promise.all(ids.map((id) => get().devices.find(accountId, id)));
        expect(found.map((one) => one?.timezone)).toEqual(Object.values(want));
      }
    });

    test('take the latest sign of life, in whatever order they hear of it', async () => {
      const accountId = await addAccount(get());
      const device = makeDevice(accountId, `${accountId}-1`, { lastSyncAt: 1000 });
      await get().imports.write({ properties: [], devices: [device] });
      for (const at of [999, 2000, 1500, 2001, 2000]) await get().devices.setLastSync(device.deviceId, at);
      await get().devices.setLastSync('unknown', 3000);
      expect(await get().devices.find(accountId, device.deviceId)).toEqual({ ...device, lastSyncAt: 2001 });
    });

    test('are paired anew by one of 20 callers at once, and no import undoes it', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const device = makeDevice(mine, `${mine}-1`);
      await get().imports.write({ properties: [], devices: [device] });
      const raise = (accountId: string, from: number) =>
        get().devices.raisePairingGeneration(accountId, device.deviceId, from);
      expect(await raise(foreign, 1)).toBe(false);
      expect(await raise(mine, 2)).toBe(false);
      expect(await get().devices.raisePairingGeneration(mine, 'unknown', 1)).toBe(false);
      const calls = Array.from({ length: 20 }, () => raise(mine, 1));
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1);
      expect(await raise(mine, 2)).toBe(true);
      for (const pairingGeneration of [1, 9])
        await get().imports.write({ properties: [], devices: [{ ...device, pairingGeneration }] });
      expect(await get().devices.find(mine, device.deviceId)).toEqual({ ...device, pairingGeneration: 3 });
    });

    test('are online or offline if they are bridges, by their own account alone', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const [bridge, lock] = [`${mine}-bridge`, `${mine}-lock`];
      const devices = makeBridge(mine, bridge, [lock]);
      await get().imports.write({ properties: [], devices });
      const given = await get().devices.find(mine, bridge);
      for (const online of [true, true, false, true]) {
        expect(await get().devices.setOnline(mine, bridge, online)).toBe(true);
        expect(await get().devices.find(mine, bridge)).toEqual({ ...given, online });
      }
      expect(await get().devices.setOnline(foreign, bridge, false)).toBe(false);
      expect(await get().devices.setOnline(mine, lock, true)).toBe(false);
      expect(await get().devices.setOnline(mine, 'unknown', true)).toBe(false);
      expect(await get().devices.find(mine, bridge)).toEqual({ ...given, online: true });
      expect(await get().devices.find(mine, lock)).toMatchObject({ online: null });
    });

    test('take a battery level from their own account alone', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const device = makeDevice(mine, `${mine}-1`, { batteryLevel: 50 });
      await get().imports.write({ properties: [], devices: [device] });
      expect(await get().devices.setBatteryLevel(foreign, device.deviceId, 1)).toBe(false);
      expect(await get().devices.setBatteryLevel(mine, 'unknown', 1)).toBe(false);
      expect(await get().devices.find(mine, device.deviceId)).toEqual(device);
      expect(await get().devices.setBatteryLevel(mine, device.deviceId, 0)).toBe(true);
      expect(await get().devices.setBatteryLevel(mine, device.deviceId, 0)).toBe(true);
      expect(await get().devices.find(mine, device.deviceId)).toEqual({ ...device, batteryLevel: 0 });
    });
  });
}

/** Reads page after page as a client does. Each query reads one more device, which shows whether another page follows. */
async function walk(store: Store, accountId: string, query: Listing, limit: number): Promise<string[]> {
  const seen: Device[] = [];
  for (;;) {
    const last = seen.at(-1);
    const value = query.sort.by === 'deviceName' ? last?.deviceName.normalize('NFC') : last?.pairedAt;
    const after = last && value !== undefined ? { value, deviceId: last.deviceId } : undefined;
    const page = await store.devices.list({ ...query, accountId, after, limit: limit + 1 });
    seen.push(...page.slice(0, limit));
    if (page.length <= limit) return seen.map(({ deviceId }) => deviceId);
    if (seen.length > 100) throw new Error(`the walk does not end: ${seen.map(({ deviceId }) => deviceId).join(' ')}`);
  }
}

/** The obvious implementation: filter all, sort all. */
function expectList(devices: readonly Device[], { sort, type, search, algoPinOnly }: Listing): string[] {
  const wanted = search?.normalize('NFC').toLowerCase() ?? '';
  const key = ({ deviceName, pairedAt }: Device) =>
    sort.by === 'deviceName' ? deviceName.normalize('NFC') : `${pairedAt}`;
  const ascending = devices
    .filter((device) => type === undefined || device.type === type)
    .filter((device) => !algoPinOnly || device.supportsAlgoPin)
    .filter(
      ({ deviceName, deviceId }) =>
        deviceName.normalize('NFC').toLowerCase().includes(wanted) || deviceId.toLowerCase().startsWith(wanted),
    )
    .toSorted((one, other) => compare(key(one), key(other)) || compare(one.deviceId, other.deviceId))
    .map(({ deviceId }) => deviceId);
  return sort.descending ? ascending.toReversed() : ascending;
}

/** Compares by UTF-8, which has the order of code points. `<` compares UTF-16, which has another order. */
function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function byId(devices: readonly Device[]): Device[] {
  return devices.toSorted((one, other) => compare(one.deviceId, other.deviceId));
}
