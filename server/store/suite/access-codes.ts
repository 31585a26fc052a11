import { describe, expect, test } from 'vitest';
import type { AccessCode } from '../access-codes/access-code-store.ts';
import type { Device } from '../records.ts';
import type { Store } from '../store.ts';
import { addAccount, makeDevice, objectId } from './records.ts';

const start = 1_796_000_400_000;

let names = 0;

async function addCode(store: Store, given: Partial<AccessCode> = {}): Promise<AccessCode> {
  const accountId = await addAccount(store);
  const deviceId = `${accountId}-lock`;
  await store.imports.write({ properties: [], devices: [makeDevice(accountId, deviceId)] });
  return store.accessCodes.issue(makeCode(deviceId, given));
}

function makeCode(deviceId: string, given: Partial<AccessCode> = {}): AccessCode {
  names += 1;
  return {
    pinId: objectId(`code ${names}`),
    deviceId,
    generation: 1,
    kind: 'hourly',
    startsAt: start,
    endsAt: start + 3_600_000,
    activateBy: start + 3_600_000,
    variance: 2,
    durationHours: null,
    accessName: 'Cleaner é🐢',
    issuedAt: start - 12_345,
    ...given,
  };
}

export function describeAccessCodes(get: () => Store): void {
  describe('access codes', () => {
    test.each<Partial<AccessCode>>([
      {},
      { kind: 'daily', variance: 3, endsAt: start + 29 * 86_400_000 },
      { kind: 'onetime', variance: 5 },
      { kind: 'permanent', endsAt: null },
      { kind: 'passage', durationHours: 24 },
    ])('read back as they were issued: %o', async (given) => {
      const code = await addCode(get(), given);
      expect(code).toMatchObject(given);
      expect(await get().accessCodes.findAll([code.pinId])).toEqual([code]);
    });

    test('issued again take the new name and keep the time of the first issue', async () => {
      const code = await addCode(get());
      const again = await get().accessCodes.issue({ ...code, accessName: 'Guest', issuedAt: code.issuedAt + 1 });
      expect(again).toEqual({ ...code, accessName: 'Guest' });
      expect(await get().accessCodes.findAll([code.pinId])).toEqual([again]);
    });

    test('issued again for another window, as after a change of the timezone, are of that window', async () => {
      const code = await addCode(get());
      const shifted = { ...code, startsAt: start + 900_000, endsAt: start + 4_500_000, activateBy: start + 4_500_000 };
      expect(await get().accessCodes.issue({ ...shifted, issuedAt: code.issuedAt + 5 })).toEqual(shifted);
      expect(await get().accessCodes.findAll([code.pinId])).toEqual([shifted]);
    });

    test('are counted while they are not over, with the clock that they go by', async () => {
      const accountId = await addAccount(get());
      const [house, annex] = ['house', 'annex'].map((name) => objectId(`${accountId} ${name}`)) as [string, string];
      const properties = [
        { id: house, accountId, name: 'House', timezone: 'Europe/Berlin' },
        { id: annex, accountId, name: 'Annex', timezone: null },
      ];
      const [lock, unzoned, homeless, idle] = [[house, annex], [annex, house], [], [house]].map((propertyIds, at) =>
        makeDevice(accountId, `${accountId}-${at}`, { propertyIds }),
      ) as [Device, Device, Device, Device];
      await get().imports.write({ properties, devices: [lock, unzoned, homeless, idle] });
      for (const endsAt of [start - 1, start, start + 1, null])
        await get().accessCodes.issue(makeCode(lock.deviceId, { endsAt }));
      await get().accessCodes.issue(makeCode(unzoned.deviceId, { endsAt: null }));
      await get().accessCodes.issue(makeCode(homeless.deviceId, { endsAt: null }));
      await addCode(get()); // of another account
      const count = (at: number) => get().accessCodes.countOpen(accountId, at);
      const others = [unzoned, homeless].map(({ deviceId }) => ({ deviceId, timezone: null, codes: 1 }));
      const { deviceId } = lock;
      expect(await count(start)).toEqual([{ deviceId, timezone: 'Europe/Berlin', codes: 2 }, ...others]);
      expect(await count(start - 2)).toEqual([{ deviceId, timezone: 'Europe/Berlin', codes: 4 }, ...others]);
      await get().devices.raisePairingGeneration(accountId, deviceId, 1);
      expect(await count(start - 2)).toEqual(others);
      expect(await get().accessCodes.countOpen(objectId('none'), start)).toEqual([]);
    });

    test('of an earlier pairing give way to one of the same digits', async () => {
      const code = await addCode(get());
      const next: AccessCode = {
        ...makeCode(code.deviceId, {
          pinId: code.pinId,
          generation: 2,
          kind: 'passage',
          variance: 1,
          durationHours: 3,
        }),
        startsAt: start + 1,
        endsAt: start + 2,
        activateBy: start + 3,
        accessName: 'Guest',
        issuedAt: code.issuedAt + 5,
      };
      const { pinId, deviceId, ...others } = code;
      for (const [member, value] of Object.entries(others)) expect(next[member as keyof AccessCode]).not.toBe(value);
      expect([pinId, deviceId]).toEqual([next.pinId, next.deviceId]);
      expect(await get().accessCodes.issue(next)).toEqual(next);
      expect(await get().accessCodes.findAll([code.pinId])).toEqual([next]);
    });

    test('are found in any number; unknown ones are left out', async () => {
      const [one, other] = [await addCode(get()), await addCode(get())];
      const many = Array.from({ length: 300 }, (_, index) => objectId(`nowhere ${index}`));
      const found = await get().accessCodes.findAll([one.pinId, ...many, other.pinId]);
      expect(found.toSorted((a, b) => (a.pinId < b.pinId ? -1 : 1))).toEqual(
        [one, other].toSorted((a, b) => (a.pinId < b.pinId ? -1 : 1)),
      );
      expect(await get().accessCodes.findAll([])).toEqual([]);
    });

    test('issued by 20 callers at once are one code with one time of issue', async () => {
      const { deviceId } = await addCode(get());
      const code = makeCode(deviceId);
      const issues = Array.from({ length: 20 }, (_, index) =>
        get().accessCodes.issue({ ...code, accessName: `Guest ${index}`, issuedAt: code.issuedAt + index }),
      );
      const times = new Set((await Promise.all(issues)).map(({ issuedAt }) => issuedAt));
      expect(times.size).toBe(1);
    });

    test('that ended before an instant are purged, at most so many; permanent ones stay', async () => {
      const ends = [1000, 1001, 1002, 1003];
      const codes: AccessCode[] = [];
      for (const endsAt of [...ends, null]) codes.push(await addCode(get(), { endsAt }));
      const ids = codes.map(({ pinId }) => pinId);
      expect(await get().accessCodes.purge(1003, 2)).toBe(2);
      expect(await get().accessCodes.purge(1003, 2)).toBe(1);
      expect(await get().accessCodes.purge(1003, 2)).toBe(0);
      const left = await get().accessCodes.findAll(ids);
      expect(new Set(left.map(({ endsAt }) => endsAt))).toEqual(new Set([1003, null]));
    });
  });
}
