import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../store/sqlite/fixtures/open-memory-store.ts';
import { type Store, StoreConflict } from '../store/store.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { importFile } from './import.ts';

const now = Date.UTC(2026, 10, 21, 8);
const house = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
const lock = { deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [house.id] };
const acme = { account: { id: 'acme', name: 'Acme' }, properties: [house], devices: [lock] };

let store: Store;
let folder: string;
beforeEach(async () => {
  store = await openMemoryStore();
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function run(content: object) {
  const file = join(folder, 'file.json');
  await writeFile(file, JSON.stringify(content));
  return importFile((use) => use(store), file, now);
}

async function readAll() {
  const accounts = await store.accounts.list();
  const ids = accounts.map(({ id }) => id);
  return {
    accounts,
    properties: await Promise.all(ids.map((id) => store.properties.findAll(id, [house.id]))),
    devices: await Promise.all(ids.map((id) => store.devices.findAll(id, ['LK1', 'LK2']))),
    audit: await Promise.all(ids.map((id) => store.audit.list(id))),
  };
}

test('a file that another account stands against changes nothing of its own, not even the name', async () => {
  await run(acme);
  await run({ account: { id: 'other', name: 'Other' } });
  const before = await readAll();
  const { kind, text } = await run({ ...acme, account: { id: 'other', name: 'Renamed' } });
  expect(kind).toBe('refused');
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/#\/properties\/0\/id the property 65a000000000000000000001 belongs to another account$/),
    expect.stringMatching(/#\/devices\/0\/deviceId the device LK1 belongs to another account$/),
    'Nothing was imported.',
  ]);
  expect(await readAll()).toEqual(before);
});

test('a file of a new account that another stands against leaves no account behind', async () => {
  await run(acme);
  const before = await readAll();
  expect(await run({ ...acme, account: { id: 'acm', name: 'Acme' } })).toMatchObject({ kind: 'refused' });
  expect(await readAll()).toEqual(before);
});

test('each import leaves one line in the audit', async () => {
  await run(acme);
  await run(acme);
  const line = { at: now, accountId: 'acme', clientId: 'operator', action: 'import', deviceId: null, requestId: null };
  expect(await store.audit.list('acme')).toEqual([line, line]);
});

test('a name is changed with the rest, and trial and flags stay', async () => {
  await run(acme);
  await store.accounts.setTrialEnd('acme', now);
  await run({ ...acme, account: { id: 'acme', name: 'Acme & Sons' } });
  expect(await store.accounts.find('acme')).toMatchObject({ name: 'Acme & Sons', trialEndsAt: now });
});

test('a lock that comes alone keeps its bridge, its property and what it can', async () => {
  const bridge = { deviceId: 'BR1', deviceName: 'Bridge', type: 'Bridge', properties: [house.id], links: ['LK1'] };
  await run({ ...acme, devices: [{ ...lock, capabilities: { algoPin: true, passagePin: true } }, bridge] });
  const before = await Promise.all(['LK1', 'BR1'].map((deviceId) => store.devices.find('acme', deviceId)));
  await run({ account: acme.account, devices: [{ deviceId: 'LK1', deviceName: 'Door', type: 'Lock' }] });
  expect(await Promise.all(['LK1', 'BR1'].map((deviceId) => store.devices.find('acme', deviceId)))).toEqual(before);
  expect(before).toMatchObject([{ bridgeId: 'BR1', supportsPassagePin: true }, { linked: [{ deviceId: 'LK1' }] }]);
});

test('a name that another command uses between check and write stops it, and it prints its progress', async () => {
  const path = join(folder, 'file.json');
  await writeFile(
    path,
    JSON.stringify({
      ...acme,
      devices: [
        { ...lock, links: ['KP1'] },
        { ...lock, deviceId: 'KP1', type: 'Keypad' },
      ],
    }),
  );
  const relink = () => Promise.reject(new StoreConflict('LK1 links KP1, and the account does not have both'));
  const raced = { ...store, imports: { ...store.imports, relink } };
  const { kind, text, json } = await importFile((use) => use(raced), path, now);
  expect([kind, text.split('\n')]).toEqual([
    'declined',
    [
      'LK1 links KP1, and the account does not have both: another command used it while the import ran. Imported so far: 1 of 1 properties, 2 of 2 devices, links of 0 of 1.',
      'The imported part stays. Correct the file, and run the same command again.',
    ],
  ]);
  expect(json).toEqual({
    error: text,
    account: 'acme',
    properties: 1,
    devices: 2,
    links: 0,
    timezones: [],
    affectedCodes: [],
  });
  const rebuild = () => Promise.reject(new StoreConflict('the device LK1 belongs to another account'));
  const lost = { ...store, imports: { ...store.imports, rebuild } };
  expect(await importFile((use) => use(lost), path, now)).toMatchObject({
    kind: 'refused',
    text: expect.stringMatching(/Nothing was imported\.$/),
  });
});

describe('links', () => {
  const links = (...deviceIds: string[]) => ({ links: deviceIds });
  const device = (deviceId: string, type = deviceId.startsWith('BR') ? 'Bridge' : 'Lock', more: object = {}) => ({
    deviceId,
    deviceName: deviceId,
    type,
    ...more,
  });
  const importDevices = (...devices: object[]) => run({ account: acme.account, devices });
  const read = async (...deviceIds: string[]) =>
    Object.fromEntries(
      (await store.devices.findAll('acme', deviceIds)).map(({ deviceId, linked, bridgeId }) => [
        deviceId,
        [linked.map((link) => link.deviceId).join(), bridgeId],
      ]),
    );
  beforeEach(() =>
    importDevices(
      device('LK1', 'Lock', links('KP1')),
      device('KP1', 'Keypad'),
      device('BR1', 'Bridge', links('LK1')),
      device('BR2'),
    ),
  );

  test('are both ways, and a bridge without them lets its locks go', async () => {
    expect(await read('LK1', 'BR1')).toEqual({ LK1: ['KP1', 'BR1'], BR1: ['LK1', null] });
    await importDevices(device('BR1', 'Bridge', links()));
    expect(await read('LK1', 'BR1')).toEqual({ LK1: ['KP1', null], BR1: ['', null] });
  });

  test('of another bridge take a lock from its own, which the file may have or not', async () => {
    for (const rest of [[], [device('BR1')], [device('LK1')], [device('BR1'), device('LK1')]]) {
      await importDevices(device('BR1', 'Bridge', links('LK1')));
      await importDevices(...rest, device('BR2', 'Bridge', links('LK1')));
      expect(await read('LK1', 'BR1', 'BR2')).toEqual({ LK1: ['KP1', 'BR2'], BR1: ['', null], BR2: ['LK1', null] });
    }
  });

  test.each([
    {
      name: 'a bridge that is a lock now has none',
      change: device('BR1', 'Lock'),
      want: ['', null],
      ofLock: ['KP1', null],
    },
    {
      name: 'a lock that is a bridge now has none',
      change: device('LK1', 'Bridge'),
      want: ['', null],
      ofLock: ['KP1', null],
    },
    {
      name: 'a lock that is a keypad now stays at its bridge',
      change: device('LK1', 'Keypad'),
      want: ['LK1', null],
      ofLock: ['', 'BR1'],
    },
  ])('that a type can not have end: $name', async ({ change, want, ofLock }) => {
    expect(await importDevices(change)).toMatchObject({ kind: 'done' });
    expect(await read('LK1', 'BR1')).toEqual({ LK1: ofLock, BR1: want });
  });

  test('may lead to what is stored, if its type fits', async () => {
    expect(await importDevices(device('BR3', 'Bridge', links('LK1', 'KP1')))).toMatchObject({ kind: 'done' });
    expect(await read('BR3')).toEqual({ BR3: ['KP1,LK1', null] });
    const { kind, json } = await importDevices(device('LK2', 'Lock', links('BR1', 'KP9')), device('BR1'));
    expect([kind, json]).toMatchObject([
      'refused',
      {
        faults: [
          "#/devices/0/links BR1 is a Bridge, which a Lock can't link",
          '#/devices/0/links KP9 is neither in this file nor stored, nearest: KP1',
        ],
      },
    ]);
  });
});

describe('a name that the file does not have', () => {
  const later = { account: acme.account, devices: [{ ...lock, deviceId: 'LK2' }] };

  test('may be that of a property that is stored', async () => {
    await run(acme);
    expect(await run(later)).toMatchObject({ kind: 'done', json: { properties: 0, devices: 1 } });
    expect(await store.devices.find('acme', 'LK2')).toMatchObject({ propertyIds: [house.id] });
  });

  test('is a fault if it is unknown, reported with all others and the nearest of file and store', async () => {
    await run(acme);
    const annex = '65b000000000000000000002';
    const devices = [
      { ...lock, deviceId: 'LK2', properties: ['65a000000000000000000009'] },
      { ...lock, deviceId: 'LK3', properties: ['65b000000000000000000009'], online: true },
    ];
    const { kind, text, json } = await run({ ...acme, properties: [{ id: annex, name: 'Annex' }], devices });
    expect([kind, json]).toMatchObject([
      'refused',
      {
        faults: [
          `#/devices/0/properties 65a000000000000000000009 is neither in this file nor stored, nearest: ${house.id}`,
          `#/devices/1/properties 65b000000000000000000009 is neither in this file nor stored, nearest: ${annex}`,
          '#/devices/1/online must be omitted: only bridges have it',
        ],
      },
    ]);
    expect(text).toMatch(/Nothing was imported\.$/);
    expect(await store.properties.findAll('acme', [annex])).toEqual([]);
  });

  test('is nobody else’s: what another account has is unknown', async () => {
    await run(acme);
    const { json } = await run({ ...later, account: { id: 'other', name: 'Other' } });
    expect(json).toMatchObject({ faults: [`#/devices/0/properties ${house.id} is neither in this file nor stored`] });
  });

  test.each([{ reason: 'missing' }, { reason: 'empty' }] as const)(
    'makes no database where it is $reason',
    async ({ reason }) => {
      const file = join(folder, 'file.json');
      await writeFile(file, JSON.stringify(later));
      const open = (_: unknown, { mayCreate }: { mayCreate: boolean }) => {
        expect(mayCreate).toBe(false);
        return Promise.reject(new StoreUnusable(reason, 'none'));
      };
      expect(await importFile(open, file, now)).toMatchObject({
        kind: 'refused',
        json: { faults: [/nor stored/].map((message) => expect.stringMatching(message)) },
      });
      const broken = () => Promise.reject(new StoreUnusable('corrupt', 'damaged'));
      await expect(importFile(broken, file, now)).rejects.toThrow('damaged');
    },
  );
});

test('a new account can’t have the id of a client', async () => {
  await store.clients.create({ clientId: 'acme', metadata: '{}' });
  const message = /#\/account\/id the account acme can't have the id of a client\nNothing was imported\.$/;
  expect(await run(acme)).toMatchObject({ kind: 'refused', text: expect.stringMatching(message) });
  expect(await store.accounts.list()).toEqual([]);
});

test('a file that is at fault opens no database', async () => {
  const file = join(folder, 'file.json');
  const open = () => Promise.reject(new Error('opened'));
  await writeFile(file, '{}');
  expect(await importFile(open, file, now)).toMatchObject({ kind: 'refused' });
  expect(await importFile(open, join(folder, 'none.json'), now)).toMatchObject({ kind: 'refused' });
});

test('a timezone, a battery and a pairing that were set since stay where the file leaves them out', async () => {
  const { timezone: _, ...unzoned } = house;
  await run({ ...acme, properties: [unzoned] });
  await store.properties.setTimezone(house.id, 'Europe/Rome');
  await store.devices.setBatteryLevel('acme', 'LK1', 7);
  await store.devices.raisePairingGeneration('acme', 'LK1', 1);
  const before = await readAll();
  await run({ ...acme, properties: [unzoned] });
  expect({ ...(await readAll()), audit: [] }).toEqual({ ...before, audit: [] });
  expect(await store.devices.find('acme', 'LK1')).toMatchObject({ batteryLevel: 7, pairingGeneration: 2 });
  expect(await store.properties.findAll('acme', [house.id])).toMatchObject([{ timezone: 'Europe/Rome' }]);
});

describe('codes that get another clock are reported', () => {
  const annex = { id: '65a000000000000000000002', name: 'Annex', timezone: 'Asia/Kathmandu' };
  const both = { ...acme, properties: [house, annex] };
  const houseIn = (timezone: string | null) => ({ ...both, properties: [{ ...house, timezone }, annex] });
  const warning = /^Warning: 1 code of 1 device, issued before and not over, will follow/m;
  const affected = (before: string | null, timezone: string | null) => ({ before, timezone, devices: 1, codes: 1 });
  beforeEach(() => run(both));

  test('where their property gets another timezone, once', async () => {
    await issueCode(store, { endsAt: now + 1, now });
    const { kind, text, json } = await run(houseIn('Asia/Kolkata'));
    const timezones = [{ property: house.id, timezone: 'Asia/Kolkata', before: 'Europe/Berlin' }];
    const affectedCodes = [affected('Europe/Berlin', 'Asia/Kolkata')];
    expect([kind, json]).toEqual(['done', { account: 'acme', properties: 2, devices: 1, timezones, affectedCodes }]);
    expect(text).toMatch(
      /^acme: 2 properties, 1 devices\n65a000000000000000000001: Asia\/Kolkata, until now Europe\/Berlin\n/,
    );
    expect(text).toMatch(warning);
    expect(await run(houseIn('Asia/Kolkata'))).toMatchObject({ text: 'acme: 2 properties, 1 devices' });
  });

  test('where it has none for a time', async () => {
    await issueCode(store, { endsAt: null, now });
    const taken = await run(houseIn(null));
    expect(taken.json).toMatchObject({ affectedCodes: [affected('Europe/Berlin', null)] });
    expect(taken.text).toMatch(/: no timezone, until now Europe\/Berlin\n.* will still follow Europe\/Berlin\.\n/);
    expect(taken.text).not.toContain('Warning');
    const given = await run(houseIn('Asia/Kolkata'));
    expect(given.json).toMatchObject({ affectedCodes: [affected(null, 'Asia/Kolkata')] });
    expect(given.text).toMatch(warning);
  });

  test('where their device goes to another property', async () => {
    await issueCode(store, { endsAt: now + 1, now });
    const { text, json } = await run({ ...both, devices: [{ ...lock, properties: [annex.id, house.id] }] });
    expect(json).toMatchObject({ timezones: [], affectedCodes: [affected('Europe/Berlin', 'Asia/Kathmandu')] });
    expect(text).toMatch(warning);
  });

  test('but not where all of them are over', async () => {
    await issueCode(store, { endsAt: now, now });
    const { text, json } = await run(houseIn('Asia/Kolkata'));
    expect(json).toMatchObject({ timezones: [{ property: house.id }], affectedCodes: [] });
    expect(text).not.toContain('Warning');
  });
});
