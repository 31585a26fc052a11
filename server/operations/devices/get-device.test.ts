import { afterAll, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../store/store.ts';
import { harbourAndMeadow } from '../fixtures/harbour.ts';
import { keys, makeDevice, now, openFixture, type Request } from '../fixtures/open-fixture.ts';
import { deriveAdminKey, deriveLockRef } from './device-secrets.ts';

const fixture = await openFixture(harbourAndMeadow);
afterAll(() => fixture.store.close());

const ask = (deviceId: string, query: Request['query'] = {}, account = 'harbour') =>
  fixture.ask({ operation: 'getDevice', deviceId, query, account });

const house = { id: '65a000000000000000000001', name: 'Harbour House', timezone: 'Europe/Berlin' };
const patan = { id: '65a000000000000000000002', name: 'Patan Guest House', timezone: 'Asia/Kathmandu' };

const listedKeypad = {
  id: '4b5031413030303030303032',
  deviceId: 'KP1A00000002',
  deviceName: 'Front door keypad',
  type: 'Keypad',
  homeId: [house.id],
  linkedDevices: [],
  pairedAt: '2026-03-02T10:15:00+01:00',
  batteryLevel: 87,
  timezone: 'Europe/Berlin',
  bridgeId: 'BR1A00000001',
  capabilities: { algoPin: true, passagePin: true },
};
const listedLock = {
  ...listedKeypad,
  id: '4c4b32413030303030303031',
  deviceId: 'LK2A00000001',
  deviceName: 'Front door',
  type: 'Lock',
  linkedDevices: [{ deviceId: 'KP1A00000002', type: 'Keypad' }],
};
const lastSync = '2026-11-20T17:22:00+01:00';
const lock = { ...listedLock, lastSync };
const bridge = {
  id: '425231413030303030303031',
  deviceId: 'BR1A00000001',
  deviceName: 'Harbour bridge',
  type: 'Bridge',
  homeId: [house.id],
  linkedDevices: [
    { deviceId: 'KP1A00000002', type: 'Keypad' },
    { deviceId: 'LK2A00000001', type: 'Lock' },
  ],
  pairedAt: '2026-03-02T10:15:00+01:00',
  lastSync,
  online: true,
  timezone: 'Europe/Berlin',
  bridgeId: null,
  capabilities: { algoPin: false, passagePin: false },
};
const suite = {
  ...lock,
  id: '4c4b32413030303030303036',
  deviceId: 'LK2A00000006',
  deviceName: 'Żółta 100% _suite_ 🐢',
  homeId: [patan.id, house.id],
  linkedDevices: [],
  pairedAt: '2026-03-02T15:00:00+05:45',
  lastSync: '2026-11-20T22:07:00+05:45',
  timezone: 'Asia/Kathmandu',
  bridgeId: null,
};
const adminKey = { admin_key: deriveAdminKey(keys.deviceKey, 'LK2A00000001') };
const lockRef = { lockRef: deriveLockRef(keys.deviceKey, 'LK2A00000001') };

// 42: whole bodies are compared, so an undeclared member fails.
const answered = [
  { name: 'a lock', given: ['LK2A00000001'], want: lock },
  { name: 'a bridge: online, no battery', given: ['BR1A00000001'], want: bridge },
  { name: 'two properties: the clock of the first', given: ['LK2A00000006'], want: suite },
  {
    name: 'properties in the order of homeId',
    given: ['LK2A00000006', { expand: 'properties' }],
    want: { ...suite, properties: [patan, house] },
  },
  {
    name: 'linked devices in full, one level deep, without lastSync',
    given: ['BR1A00000001', { expand: 'linkedDevices' }],
    want: { ...bridge, linkedDevices: [listedKeypad, listedLock] },
  },
  ...['linkedDevices,properties', 'properties,linkedDevices'].map((expand) => ({
    name: `both, ${expand}`,
    given: ['LK2A00000001', { expand }] as const,
    want: { ...lock, properties: [house], linkedDevices: [{ ...listedKeypad, properties: [house] }] },
  })),
  { name: 'admin_key 1', given: ['LK2A00000001', { admin_key: '1' }], want: { ...lock, ...adminKey } },
  { name: 'admin_key true', given: ['LK2A00000001', { admin_key: 'true' }], want: { ...lock, ...adminKey } },
  { name: 'lock_id 1', given: ['LK2A00000001', { lock_id: '1' }], want: { ...lock, ...lockRef } },
  { name: 'lock_id true', given: ['LK2A00000001', { lock_id: 'true' }], want: { ...lock, ...lockRef } },
  { name: 'both off', given: ['LK2A00000001', { admin_key: '0', lock_id: 'false' }], want: lock },
  { name: 'neither on a bridge', given: ['BR1A00000001', { admin_key: '1', lock_id: '1' }], want: bridge },
  {
    name: 'not with linked devices',
    given: ['BR1A00000001', { admin_key: '1', lock_id: '1', expand: 'linkedDevices' }],
    want: { ...bridge, linkedDevices: [listedKeypad, listedLock] },
  },
] as const;

describe('device details', () => {
  test.each(answered)('$name', async ({ given: [deviceId, query], want }) => {
    expect(await ask(deviceId, query)).toEqual({ status: 200, body: want });
  });
});

test('a linked device is shown on the clock of its own property', async () => {
  const own = await openFixture([
    makeDevice({ deviceId: 'BR1', type: 'Bridge', linked: [{ deviceId: 'LK1', type: 'Lock' }] }),
    makeDevice({ deviceId: 'LK1', bridgeId: 'BR1', propertyIds: [patan.id] }),
  ]);
  const query = { expand: 'linkedDevices,properties' };
  const { body } = await own.ask({ operation: 'getDevice', deviceId: 'BR1', query });
  const pairedAt = '2026-03-02T15:00:00+05:45';
  expect(body).toMatchObject({
    pairedAt: '2026-03-02T10:15:00+01:00',
    properties: [house],
    linkedDevices: [{ deviceId: 'LK1', pairedAt, timezone: patan.timezone, properties: [patan] }],
  });
  await own.store.close();
});

const notFound = { status: 404, body: { message: 'not found device', code: 'device_not_found' } };
const noTimezone = {
  status: 409,
  body: { message: "The device's property has no timezone", code: 'no_timezone' },
};
const withKeys = { admin_key: '1', lock_id: '1', expand: 'linkedDevices,properties' } as const;

const rejected = [
  { name: 'an unknown device', given: ['LK2A99999999', withKeys], want: notFound },
  { name: 'a device of another account', given: ['LK2B00000001', withKeys], want: notFound },
  {
    name: 'a device of this account, asked by the other',
    given: ['LK2A00000001', withKeys, 'meadow'],
    want: notFound,
  },
  { name: 'an id that no device could have', given: ["x' OR '1'='1", withKeys], want: notFound },
  { name: 'an id in another case', given: ['lk2a00000001', withKeys], want: notFound },
  { name: 'an object id in place of a deviceId', given: ['4c4b32413030303030303031'], want: notFound },
  { name: 'a property without timezone', given: ['LK2A00000005', withKeys], want: noTimezone },
  { name: 'no property', given: ['LK2A00000007'], want: noTimezone },
  { name: 'a first property without timezone', given: ['LK2A00000008'], want: noTimezone },
  { name: 'a bridge without timezone', given: ['BR1A00000003'], want: noTimezone },
] as const;

describe('device details are rejected for', () => {
  test.each(rejected)('$name', async ({ given: [deviceId, query, account], want }) => {
    const before = await fixture.store.audit.list(account ?? 'harbour');
    expect(await ask(deviceId, query, account)).toEqual(want);
    expect(await fixture.store.audit.list(account ?? 'harbour')).toEqual(before);
  });

  test('a foreign device and an unknown one, in the same bytes', async () => {
    const [foreign, unknown] = [await ask('LK2B00000001', withKeys), await ask('LK2A99999999', withKeys)];
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(unknown));
  });
});

describe('reads of admin_key are audited', () => {
  const audited = (deviceId: string) => ({
    at: now,
    accountId: 'harbour',
    clientId: 'harbour-own',
    action: 'read_admin_key',
    deviceId,
    requestId: `req-${deviceId}`,
  });

  test('each of them, and nothing else', async () => {
    const own = await openFixture(harbourAndMeadow);
    const read = (deviceId: string, query: NonNullable<Request['query']>) =>
      own.ask({ operation: 'getDevice', deviceId, query, requestId: `req-${deviceId}` });
    await read('LK2A00000001', { lock_id: '1' });
    await read('BR1A00000001', { admin_key: '1' });
    expect(await own.store.audit.list('harbour')).toEqual([]);
    await read('LK2A00000001', { admin_key: '1' });
    await read('LK2A00000001', { admin_key: 'true' });
    await read('KP1A00000002', { admin_key: '1' });
    const entries = await own.store.audit.list('harbour');
    expect(entries.toSorted((a, b) => (`${a.deviceId}` < `${b.deviceId}` ? -1 : 1))).toEqual([
      audited('KP1A00000002'),
      audited('LK2A00000001'),
      audited('LK2A00000001'),
    ]);
    expect(await own.store.audit.list('meadow')).toEqual([]);
    expect(JSON.stringify(entries)).not.toContain(adminKey.admin_key);
    await own.store.close();
  });

  test('without a request id where nobody knows it', async () => {
    const own = await openFixture(harbourAndMeadow);
    await own.ask({ operation: 'getDevice', deviceId: 'LK2A00000001', query: { admin_key: '1' } });
    expect(await own.store.audit.list('harbour')).toEqual([{ ...audited('LK2A00000001'), requestId: null }]);
    await own.store.close();
  });

  test('before the answer: no trace, no key', async () => {
    const fail = () => Promise.reject(new StoreUnavailable('busy'));
    const busy = { add: fail, addAtGeneration: fail, list: () => Promise.resolve([]) };
    const own = await openFixture(harbourAndMeadow, { audit: busy });
    const read = (query: NonNullable<Request['query']>) =>
      own.ask({ operation: 'getDevice', deviceId: 'LK2A00000001', query });
    await expect(read({ admin_key: '1' })).rejects.toThrow(StoreUnavailable);
    expect(await read({ lock_id: '1' })).toMatchObject({ status: 200 });
    await own.store.close();
  });
});
