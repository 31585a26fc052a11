import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../records.ts';
import type { Store } from '../store.ts';
import { addAccount, makeDevice, objectId } from './records.ts';

/** Accounts, properties, the audit table and clients: one row, one meaning. */
export function describeAccounts(get: () => Store): void {
  describe('accounts', () => {
    test('are created once; a second put changes the name alone', async () => {
      const { accounts } = get();
      const id = await addAccount(get());
      await accounts.setTrialEnd(id, 1_800_000_000_001);
      await accounts.put({ id, name: 'Renamed', trialEndsAt: null });
      const want = { id, name: 'Renamed', trialEndsAt: 1_800_000_000_001, disabledAt: null, tokensValidAfter: null };
      expect(await accounts.find(id)).toEqual(want);
      expect(await accounts.list()).toContainEqual(want);
    });

    test('are disabled, at a time, and enabled again', async () => {
      const { accounts } = get();
      const [id, other] = [await addAccount(get()), await addAccount(get())];
      for (const at of [1_800_000_000_001, null]) {
        expect(await accounts.setDisabled(id, at)).toBe(true);
        expect(await accounts.find(id)).toMatchObject({ disabledAt: at, trialEndsAt: null });
        expect(await accounts.find(other)).toMatchObject({ disabledAt: null });
      }
      expect(await accounts.setDisabled('account-unknown', 1)).toBe(false);
      expect(await accounts.find('account-unknown')).toBeUndefined();
    });

    test('are listed with what each has, by id, to a number or one alone', async () => {
      const { accounts, imports } = get();
      const [mine, empty] = [await addAccount(get()), await addAccount(get())];
      const houses = ['b', 'a'].map((name) => ({
        id: objectId(`${mine} counted ${name}`),
        accountId: mine,
        name,
        timezone: null,
      }));
      const [house] = houses.map(({ id }) => id);
      const devices = [1, 2, 3].map((number) =>
        makeDevice(mine, `${mine}-${number}`, { propertyIds: number === 1 || house === undefined ? [] : [house] }),
      );
      await imports.write({ properties: houses, devices });
      const counts = async (accountId: string) => {
        const [found] = await accounts.listCounted({ accountId, limit: 2 });
        return found && [found.id, found.devices, found.properties];
      };
      expect(await counts(mine)).toEqual([mine, 3, 2]);
      expect(await counts(empty)).toEqual([empty, 0, 0]);
      expect(await counts('account-unknown')).toBeUndefined();
      const all = await accounts.listCounted({ limit: 1000 });
      expect(all.map(({ devices: _, properties: __, ...account }) => account)).toEqual(await accounts.list());
      expect(await accounts.listCounted({ limit: 2 })).toEqual(all.slice(0, 2));
      const { properties } = get();
      expect((await properties.list({ accountId: mine, limit: 9 })).map((one) => [one.name, one.devices])).toEqual([
        ['a', 0],
        ['b', 2],
      ]);
      expect(await properties.list({ accountId: mine, limit: 1 })).toMatchObject([{ name: 'a' }]);
      expect(await properties.list({ accountId: empty, limit: 9 })).toEqual([]);
    });

    test('an unknown one is not found and has no trial to set', async () => {
      expect(await get().accounts.find('account-unknown')).toBeUndefined();
      expect(await get().accounts.setTrialEnd('account-unknown', null)).toBe(false);
    });
  });

  describe('properties', () => {
    test('are found by the account that has them, and by no other', async () => {
      const { properties, imports } = get();
      const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
      const house = { id: objectId(`${mine} house`), accountId: mine, name: 'House', timezone: 'Europe/Berlin' };
      const other = { id: objectId(`${foreign} house`), accountId: foreign, name: 'House', timezone: null };
      await imports.write({ properties: [house, other], devices: [] });
      expect(await properties.findAll(mine, [house.id, other.id, objectId('none')])).toEqual([house]);
      expect(await properties.findAll(mine, [])).toEqual([]);
    });

    test('accept a timezone; an unknown property is reported', async () => {
      const { properties, imports } = get();
      const accountId = await addAccount(get());
      const id = objectId(`${accountId} annex`);
      await imports.write({ properties: [{ id, accountId, name: 'Annex', timezone: null }], devices: [] });
      expect(await properties.setTimezone(id, 'Asia/Kathmandu')).toBe(true);
      expect(await properties.findAll(accountId, [id])).toMatchObject([{ timezone: 'Asia/Kathmandu' }]);
      expect(await properties.setTimezone(objectId('none'), 'UTC')).toBe(false);
    });
  });

  test('audit entries are kept in the order of writing, whatever the clock shows, each for its account', async () => {
    const [mine, foreign] = [await addAccount(get()), await addAccount(get())];
    const entry = (at: number, accountId: string, deviceId: string | null): AuditEntry => ({
      at,
      accountId,
      clientId: 'client-1',
      action: 'read_admin_key',
      deviceId,
      requestId: deviceId && 'req-1',
    });
    const entries = [entry(2, mine, 'LK1'), entry(1, mine, null), entry(1, mine, null)];
    for (const one of [...entries, entry(3, foreign, 'LK2')]) await get().audit.add(one);
    expect(await get().audit.list(mine)).toEqual(entries);
  });

  test('a client is created once, disabled and enabled again', async () => {
    const { clients } = get();
    const created = { clientId: 'client-2', metadata: '{"client_id":"client-2"}' };
    expect(await clients.create(created)).toBe(true);
    expect(await clients.create({ ...created, metadata: '{}' })).toBe(false);
    const want = { ...created, disabledAt: null, tokensValidAfter: null };
    expect(await clients.find('client-2')).toEqual(want);
    expect(await clients.setDisabled('client-2', 1_790_000_000)).toBe(true);
    expect(await clients.find('client-2')).toEqual({ ...want, disabledAt: 1_790_000_000 });
    expect(await clients.setDisabled('client-2', null)).toBe(true);
    expect(await clients.list()).toContainEqual(want);
    expect(await clients.setDisabled('client-unknown', null)).toBe(false);
    expect(await clients.find('client-unknown')).toBeUndefined();
  });

  test('the metadata of a client is replaced with its audit entry, by one of those who know what it was', async () => {
    const { audit, clients } = get();
    const clientId = 'client-replaced';
    await clients.create({ clientId, metadata: '{"a":1}' });
    const entry = { at: 1, accountId: clientId, clientId, action: 'rotated', deviceId: null, requestId: null };
    const changes = ['2', '3'].map((to) => clients.replaceMetadata({ clientId, from: '{"a":1}', to }, entry));
    expect((await Promise.all(changes)).toSorted()).toEqual([false, true]);
    expect(await audit.list(clientId)).toEqual([entry]);
    expect(['2', '3']).toContain((await clients.find(clientId))?.metadata);
    const from = (await clients.find(clientId))?.metadata ?? '';
    const unwritable = { ...entry, action: null as unknown as string };
    await expect(clients.replaceMetadata({ clientId, from, to: '4' }, unwritable)).rejects.toThrow();
    expect((await clients.find(clientId))?.metadata).toBe(from);
    expect(await clients.replaceMetadata({ clientId: 'client-unknown', from, to: '4' }, entry)).toBe(false);
  });

  test('the first of all key checks is kept', async () => {
    const { keyCheck } = get();
    const checks = ['one', 'two', 'three'];
    // A database with several connections stores any of them first.
    const [first = '', ...rest] = await Promise.all(checks.map((check) => keyCheck.keep(check)));
    expect(checks).toContain(first);
    expect(rest).toEqual([first, first]);
    expect(await keyCheck.keep('four')).toBe(first);
  });

  test('a ping is answered', async () => {
    await expect(get().ping()).resolves.toBeUndefined();
  });
}
