import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import type { Import } from '../imports/import-store.ts';
import type { Device } from '../records.ts';
import { type Store, StoreConflict } from '../store.ts';
import { conflicts, makeProperty } from './conflicts.ts';
import { addAccount, makeBridge, makeDevice, objectId } from './records.ts';

export function describeImports(get: () => Store): void {
  describe('an import', () => {
    testLaw('reads back as it was given; again it changes nothing', { few: 15, many: 40 }, async (numRuns) => {
      const plans = fc.array(fc.record({ locks: fc.nat(5), keypad: fc.boolean(), properties: fc.nat(3) }), {
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const data = makeHouses(await addAccount(get()), plan);
          const counts = { properties: data.properties.length, devices: data.devices.length };
          expect(await get().imports.write(data)).toEqual(counts);
          await expectKept(get(), data);
          expect(await get().imports.write(data)).toEqual(counts);
          await expectKept(get(), data);
        }),
        { numRuns },
      );
    });

    test('replaces names, places and links, and moves a lock from bridge to bridge', async () => {
      const accountId = await addAccount(get());
      const [north, south, lock] = [`${accountId}-north`, `${accountId}-south`, `${accountId}-lock`];
      await get().imports.write({ properties: [], devices: makeBridge(accountId, north, [lock]) });
      await get().imports.write({ properties: [], devices: makeBridge(accountId, south, []) });
      const moved = makeDevice(accountId, lock, {
        deviceName: 'Moved',
        bridgeId: south,
        type: 'Keypad',
        batteryLevel: 1,
      });
      await get().imports.write({ properties: [], devices: [moved] });
      expect(await get().devices.find(accountId, lock)).toEqual(moved);
      expect(await get().devices.find(accountId, north)).toMatchObject({ linked: [] });
      expect(await get().devices.find(accountId, south)).toMatchObject({
        linked: [{ deviceId: lock, type: 'Keypad' }],
      });
    });

    test('takes more devices than one statement does', async () => {
      const accountId = await addAccount(get());
      const devices = Array.from({ length: 1203 }, (_, index) => makeDevice(accountId, `${accountId}-${index}`));
      expect(await get().imports.write({ properties: [], devices })).toEqual({ properties: 0, devices: 1203 });
      const query = { accountId, sort: { by: 'pairedAt', descending: false }, limit: 2000 } as const;
      expect(await get().devices.list(query)).toHaveLength(1203);
    });

    test('is built of what is stored, of its own account alone, and puts back nothing that was set meanwhile', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const [house, other] = [makeProperty(mine, 'house'), makeProperty(foreign, 'house')];
      const [lock, theirs] = [makeDevice(mine, `${mine}-1`), makeDevice(foreign, `${foreign}-1`)];
      await get().imports.write({ properties: [house, other], devices: [lock, theirs] });
      const scope = {
        accountId: mine,
        propertyIds: [house.id, other.id, objectId('none')],
        deviceIds: [lock.deviceId, theirs.deviceId, 'unknown'],
      };
      const seen: Import[] = [];
      const rename = (stored: Import): Import => {
        seen.push(stored);
        return { ...stored, devices: stored.devices.map((device) => ({ ...device, deviceName: 'Renamed' })) };
      };
      const [locked] = await Promise.all([
        get().imports.rebuild(scope, rename),
        get().devices.setBatteryLevel(mine, lock.deviceId, 7),
        get().properties.setTimezone(house.id, 'Europe/Rome'),
      ]);
      expect(locked.lockedMs).toBeGreaterThan(0);
      // A database with several connections runs the three in any order.
      const battery = { batteryLevel: expect.toBeOneOf([lock.batteryLevel, 7]) };
      const timezone = { timezone: expect.toBeOneOf([house.timezone, 'Europe/Rome']) };
      expect(seen).toEqual([{ properties: [{ ...house, ...timezone }], devices: [{ ...lock, ...battery }] }]);
      expect(await get().devices.find(mine, lock.deviceId)).toEqual({
        ...lock,
        deviceName: 'Renamed',
        batteryLevel: 7,
      });
      expect(await get().properties.findAll(mine, [house.id])).toEqual([{ ...house, timezone: 'Europe/Rome' }]);
      expect(await get().devices.find(foreign, theirs.deviceId)).toEqual(theirs);
    });

    test('of a new account that would have the id of a client is refused; one that is there already keeps its imports', async () => {
      const id = `${await addAccount(get())}-client`;
      const account = { id, name: 'A', trialEndsAt: null };
      const client = { clientId: id, metadata: '{}' };
      await get().clients.create(client);
      const attempt = get().imports.write({ account, properties: [], devices: [] });
      await expect(attempt).rejects.toThrow(StoreConflict);
      expect(await get().accounts.find(id)).toBeUndefined();
      await get().accounts.put(account);
      await get().imports.write({ account: { ...account, name: 'B' }, properties: [], devices: [] });
      expect(await get().accounts.find(id)).toMatchObject({ name: 'B' });
    });

    test('finds who has its names, in whatever account, and all that its own has', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const [house, shed, other] = [makeProperty(mine, 'h'), makeProperty(mine, 's'), makeProperty(foreign, 'h')];
      const devices = [`${mine}-1`, `${mine}-2`].map((deviceId) => makeDevice(mine, deviceId));
      const theirs = ['1', '2', '3'].map((end) => makeDevice(foreign, `${foreign}-${end}`));
      await get().imports.write({ properties: [house, shed, other], devices: [...devices, ...theirs] });
      const scope = { accountId: mine, propertyIds: [other.id], deviceIds: [`${foreign}-1`, 'unknown'] };
      const found = await get().imports.findTaken(scope, [theirs[1]?.id ?? '', objectId('none')]);
      expect(found.account).toBe('stored');
      expect(new Set(found.properties.map(({ id }) => id))).toEqual(new Set([house.id, shed.id, other.id]));
      expect(found.devices.map(({ deviceId }) => deviceId).sort()).toEqual(
        [...devices, ...theirs.slice(0, 2)].map(({ deviceId }) => deviceId).sort(),
      );
      await get().clients.create({ clientId: `${mine}-client`, metadata: '{}' });
      const accountIds = [`${mine}-client`, `${mine}-nobody`];
      const accounts = accountIds.map((accountId) =>
        get().imports.findTaken({ accountId, propertyIds: [], deviceIds: [] }, []),
      );
      expect((await Promise.all(accounts)).map(({ account }) => account)).toEqual(['client', 'new']);
    });

    test('links what is there, of one account and of types that fit, and moves a lock in one step', async () => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const [lock, north, south, theirs] = [`${mine}-lock`, `${mine}-north`, `${mine}-south`, `${foreign}-lock`];
      await get().imports.write({
        properties: [],
        devices: [...makeBridge(mine, north, [lock]), ...makeBridge(mine, south, []), makeDevice(foreign, theirs)],
      });
      await get().imports.relink(mine, [{ deviceId: south, linked: [lock] }]);
      expect(await get().devices.find(mine, lock)).toMatchObject({ bridgeId: south });
      expect(await get().devices.find(mine, north)).toMatchObject({ linked: [] });
      for (const [deviceId, linked, says] of [
        [south, theirs, /does not have both/],
        [south, 'nothing', /does not have both/],
        [lock, south, /is a Bridge that a Lock can't link/],
      ] as const) {
        const attempt = get().imports.relink(mine, [{ deviceId, linked: [linked] }]);
        await expect(attempt).rejects.toThrow(says);
        await expect(attempt).rejects.toThrow(StoreConflict);
      }
      expect(await get().devices.find(mine, south)).toMatchObject({ linked: [{ deviceId: lock }] });
    });

    test.each(conflicts)('is refused whole when $name', async ({ says, given }) => {
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const make = (accountId: string): Import => ({
        properties: [makeProperty(accountId, 'house')],
        devices: [
          ...makeBridge(accountId, `${accountId}-bridge`, [`${accountId}-lock`]),
          makeDevice(accountId, `${accountId}-loose`),
        ],
      });
      await get().imports.write(make(foreign));
      await get().imports.write(make(mine));
      const fresh: Import = {
        properties: [makeProperty(mine, 'fresh')],
        devices: [makeDevice(mine, `${mine}-fresh`), makeDevice(mine, `${mine}-bridge`, { deviceName: 'A lock now' })],
      };
      const { properties = [], devices = [] } = given(mine, foreign);
      const account = await get().accounts.find(mine);
      const audit = { at: 1, accountId: mine, clientId: 'c', action: 'import', deviceId: null, requestId: null };
      const attempt = get().imports.write({
        account: { id: mine, name: 'Renamed', trialEndsAt: null },
        audit,
        properties: [...fresh.properties, ...properties],
        devices: [...devices, ...fresh.devices.slice(0, 1)],
      });
      const refusal = await attempt.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(StoreConflict);
      expect(await get().accounts.find(mine)).toEqual(account);
      expect(await get().audit.list(mine)).toEqual([]);
      expect(refusal).toHaveProperty('message', expect.stringMatching(says));
      await expectKept(get(), make(foreign));
      await expectKept(get(), make(mine));
      expect(await get().properties.findAll(mine, [objectId(`${mine} fresh`)])).toEqual([]);
      expect(await get().devices.find(mine, `${mine}-fresh`)).toBeUndefined();
      await get().imports.write(fresh); // the failed attempt left nothing behind
      await expectKept(get(), fresh);
    });
  });
}

/** Bridges with locks in some of the account's properties. Some locks have a keypad. */
function makeHouses(
  accountId: string,
  plan: readonly { locks: number; keypad: boolean; properties: number }[],
): Import {
  const properties = ['c', 'a', 'b'].map((name) => makeProperty(accountId, name));
  const devices = plan.flatMap(({ locks, keypad, properties: count }, house) => {
    const name = `${accountId}-${house}`;
    const lockIds = Array.from({ length: locks }, (_, index) => `${name}-${index}`);
    const propertyIds = properties.slice(0, count).map(({ id }) => id);
    return makeBridge(accountId, name, lockIds).flatMap((device): Device[] => {
      const keypadId = `${device.deviceId}-pad`;
      return keypad && device.type === 'Lock'
        ? [
            { ...device, propertyIds, linked: [{ deviceId: keypadId, type: 'Keypad' }] },
            makeDevice(accountId, keypadId, { type: 'Keypad', propertyIds }),
          ]
        : [{ ...device, propertyIds }];
    });
  });
  return { properties, devices };
}

async function expectKept(store: Store, { properties, devices }: Import): Promise<void> {
  for (const property of properties)
    expect(await store.properties.findAll(property.accountId, [property.id])).toEqual([property]);
  const timezones = new Map(properties.map(({ id, timezone }) => [id, timezone]));
  for (const device of devices) {
    const timezone = timezones.get(device.propertyIds[0] ?? '') ?? null;
    expect(await store.devices.find(device.accountId, device.deviceId)).toEqual({ ...device, timezone });
  }
}
