import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveDeviceKey, deriveKeyCheck } from '../algopin/derive-device-key.ts';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import type { Store } from '../store/store.ts';
import { makeDevice } from '../store/suite/records.ts';
import { rePair, showDeviceKey } from './device.ts';

const keys = { deviceKey: Buffer.alloc(32, 'not a real key, for devices ....') };
const now = Date.parse('2026-11-20T17:25:00Z');
const house = '65a000000000000000000001';
const annex = '65a000000000000000000003';

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
  for (const id of ['harbour', 'meadow']) await store.accounts.put({ id, name: id, trialEndsAt: null });
  await store.imports.write({
    properties: [
      { id: house, accountId: 'harbour', name: 'House', timezone: 'Europe/Berlin' },
      { id: annex, accountId: 'harbour', name: 'Annex', timezone: null },
    ],
    devices: [
      makeDevice('harbour', 'LK1', { propertyIds: [house] }),
      makeDevice('harbour', 'LK2', { propertyIds: [house] }),
      makeDevice('harbour', 'LK5', { propertyIds: [annex] }),
      makeDevice('harbour', 'LK7'),
      makeDevice('harbour', 'KP3', {
        propertyIds: [house],
        type: 'Keypad',
        supportsAlgoPin: false,
        supportsPassagePin: false,
      }),
      makeDevice('harbour', 'BR1', {
        propertyIds: [house],
        type: 'Bridge',
        supportsAlgoPin: false,
        supportsPassagePin: false,
        batteryLevel: null,
        online: true,
      }),
    ],
  });
});
afterEach(() => store.close());

const show = (deviceId: string, { again = false, at = now } = {}) =>
  showDeviceKey(store, keys, deviceId, { again, now: at });
const pair = (deviceId: string, generation: number) => rePair(store, deviceId, { generation, now });
const keyOf = (deviceId: string, generation: number) =>
  Buffer.from(deriveDeviceKey(keys.deviceKey, deviceId, generation)).toString('hex');
const checkOf = (deviceId: string, generation: number) =>
  deriveKeyCheck(deriveDeviceKey(keys.deviceKey, deviceId, generation));
const actions = async () => (await store.audit.list('harbour')).map(({ action, deviceId }) => `${action} ${deviceId}`);

describe('device key', () => {
  test('gives what a lock needs, and leaves a trace of the operator', async () => {
    const { kind, text, json } = await show('LK1');
    expect(kind).toBe('done');
    const key = keyOf('LK1', 1);
    expect(json).toEqual({
      device: 'LK1',
      account: 'harbour',
      generation: 1,
      timezone: 'Europe/Berlin',
      tzdata: process.versions.tz,
      keyCheck: checkOf('LK1', 1),
      key,
    });
    expect(text.split('\n').slice(0, 6)).toEqual([
      'Lock LK1 (Door) of harbour',
      'generation  1',
      'timezone    Europe/Berlin',
      `tz rules    ${process.versions.tz}; the lock needs the same rules for Europe/Berlin`,
      `key         ${key}`,
      `check value ${checkOf('LK1', 1)}`,
    ]);
    expect(await store.audit.list('harbour')).toEqual([
      {
        at: now,
        accountId: 'harbour',
        clientId: 'operator',
        action: 'read_device_key',
        deviceId: 'LK1',
        requestId: null,
      },
    ]);
  });

  test('shows it once; again when asked for, and that is audited too', async () => {
    await show('LK1');
    const second = await show('LK1', { at: now + 60_000 });
    expect(second).toMatchObject({
      kind: 'declined',
      json: { device: 'LK1', generation: 1, shownAt: '2026-11-20T17:25:00.000Z' },
    });
    expect(JSON.stringify(second)).not.toContain(keyOf('LK1', 1));
    expect(second.fixes?.map(({ command }) => command.join(' '))).toEqual([
      'lockstep-server device key LK1 --again',
      'lockstep-server device re-pair LK1 --generation 1',
    ]);
    expect(await show('LK1', { again: true })).toMatchObject({ kind: 'done', json: { key: keyOf('LK1', 1) } });
    expect((await show('LK1')).kind).toBe('declined');
    expect(await show('LK2')).toMatchObject({ kind: 'done', json: { key: keyOf('LK2', 1) } });
    expect(await actions()).toEqual(['read_device_key LK1', 'read_device_key LK1', 'read_device_key LK2']);
  });

  test('prints the check value when it refuses to show the key again', async () => {
    await show('LK1');
    const { text, json } = await show('LK1');
    expect(json).toMatchObject({ keyCheck: checkOf('LK1', 1) });
    expect(text).toContain(`Its check value is ${checkOf('LK1', 1)}.`);
    await pair('LK1', 1);
    expect((await show('LK1')).json).toMatchObject({ keyCheck: checkOf('LK1', 2) });
    expect(checkOf('LK1', 2)).not.toBe(checkOf('LK1', 1));
  });

  test('shows it to one of ten who ask at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => show('LK1')));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([...Array(9).fill('declined'), 'done']);
    expect(await actions()).toEqual(['read_device_key LK1']);
  });

  test.each([false, true])(
    'shows no key of a generation that a concurrent re-pair replaces (again: %s)',
    async (again) => {
      const own = { ...store, devices: { ...store.devices, findAnywhere: findAndRePair } };
      const result = await showDeviceKey(own, keys, 'LK1', { again, now });
      expect(result).toMatchObject({ kind: 'declined', json: { error: expect.stringContaining('Run it again') } });
      expect(await actions()).toEqual(['re_pair_device LK1']);
      expect(await show('LK1')).toMatchObject({ kind: 'done', json: { generation: 2 } });

      async function findAndRePair(deviceId: string) {
        const found = await store.devices.findAnywhere(deviceId);
        await pair('LK1', 1);
        return found;
      }
    },
  );

  test('shows the key of each generation once', async () => {
    await show('LK1');
    await pair('LK1', 1);
    expect(await show('LK1')).toMatchObject({ kind: 'done', json: { generation: 2, key: keyOf('LK1', 2) } });
    expect((await show('LK1')).kind).toBe('declined');
  });
});

describe('device re-pair', () => {
  test('begins a new generation, once however often it is run, and leaves a trace', async () => {
    const first = await pair('LK1', 1);
    expect(first).toMatchObject({ kind: 'done', json: { device: 'LK1', generation: 2, rePaired: true } });
    expect(first.fixes).toEqual([{ message: 'Next', command: ['lockstep-server', 'device', 'key', 'LK1'] }]);
    expect(await pair('LK1', 1)).toMatchObject({ kind: 'done', json: { generation: 2, rePaired: false } });
    expect((await store.devices.find('harbour', 'LK1'))?.pairingGeneration).toBe(2);
    expect((await store.devices.find('harbour', 'LK2'))?.pairingGeneration).toBe(1);
    expect(await actions()).toEqual(['re_pair_device LK1']);
    expect(await pair('LK1', 2)).toMatchObject({ kind: 'done', json: { generation: 3, rePaired: true } });
  });

  test('leaves the generation as it was where its trace can not be written', async () => {
    const broken = { ...store, devices: { ...store.devices, raisePairingGeneration: withoutAccount } };
    await expect(rePair(broken, 'LK1', { generation: 1, now })).rejects.toThrow();
    expect((await store.devices.find('harbour', 'LK1'))?.pairingGeneration).toBe(1);
    expect(await actions()).toEqual([]);
    expect(await pair('LK1', 1)).toMatchObject({ kind: 'done', json: { rePaired: true } });

    function withoutAccount(
      ...[accountId, deviceId, from, entry]: Parameters<typeof store.devices.raisePairingGeneration>
    ) {
      if (entry === undefined) throw new Error('no trace was asked for');
      const unwritable = { ...entry, accountId: null as unknown as string };
      return store.devices.raisePairingGeneration(accountId, deviceId, from, unwritable);
    }
  });

  test('raises it by one when ten try at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => pair('LK1', 1)));
    expect(results.filter(({ json }) => (json as { rePaired?: boolean }).rePaired)).toHaveLength(1);
    expect((await store.devices.find('harbour', 'LK1'))?.pairingGeneration).toBe(2);
    expect(await actions()).toEqual(['re_pair_device LK1']);
  });

  test.each([2, 7])('of a generation that it is not at, %i, changes nothing', async (generation) => {
    const message = `LK1 is at generation 1, not ${generation}; nothing changed.`;
    expect(await pair('LK1', generation)).toMatchObject({
      kind: 'refused',
      text: message,
      json: { error: message, generation: 1 },
    });
    expect((await store.devices.find('harbour', 'LK1'))?.pairingGeneration).toBe(1);
    expect(await actions()).toEqual([]);
  });
});

const refusals = [
  { name: 'an unknown device', given: 'LK9', message: 'There is no device LK9; nearest: LK1', pair: true },
  { name: 'a bridge', given: 'BR1', message: 'BR1 is a Bridge without algoPIN codes', pair: true },
  { name: 'a keypad without codes', given: 'KP3', message: 'KP3 is a Keypad without algoPIN codes', pair: true },
  { name: 'no timezone', given: 'LK5', message: 'The property of LK5 has no timezone', pair: false },
  { name: 'no property', given: 'LK7', message: 'LK7 is in no property', pair: false },
];

describe('refused, with a fix and without a trace or a key:', () => {
  test.each(refusals)('$name', async ({ given, message, pair: isRefusedThere }) => {
    for (const result of [
      await show(given),
      await show(given, { again: true }),
      ...(isRefusedThere ? [await pair(given, 1)] : []),
    ]) {
      expect(result).toMatchObject({ kind: 'refused', json: { error: expect.stringContaining(message) } });
      expect(result.text).not.toMatch(/[0-9a-f]{64}/);
    }
    expect(await actions()).toEqual([]);
  });
});
