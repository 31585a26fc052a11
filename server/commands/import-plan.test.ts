import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Import } from '../store/imports/import-store.ts';
import type { NewDevice } from '../store/records.ts';
import { buildRecords, findImportFaults, nothingTaken } from './import-plan.ts';
import type { ImportedDevice, ImportFile } from './import-schema.ts';

afterEach(() => void vi.restoreAllMocks());

describe('timezones of properties', () => {
  const read = (timezones: readonly string[]) => {
    const judged = vi.spyOn(Intl, 'DateTimeFormat');
    const properties = timezones.map((timezone, index) => ({
      id: index.toString(16).padStart(24, '0'),
      name: 'House',
      timezone,
    }));
    const faults = findImportFaults({ account: { id: 'hill', name: 'Hill' }, properties }, nothingTaken);
    return { faults, judged: judged.mock.calls.length };
  };
  const many = (name: (index: number) => string) => Array.from({ length: 3000 }, (_, index) => name(index));

  test.each([
    { name: 'the same', names: many(() => 'Europe/Berlin'), faults: 0, most: 1 },
    {
      name: 'the same in other capitals',
      names: many((n) => (n % 2 ? 'europe/Berlin' : 'EUROPE/Berlin')),
      faults: 0,
      most: 1,
    },
    { name: 'the same wrong one', names: many(() => 'Europe/Belin'), faults: 3000, most: 1 },
    { name: 'one of its own each', names: many((n) => `Europe/Berlin${n}`), faults: 200, most: 200 },
  ])('are checked once each, and only as many as are reported: $name', ({ names, faults, most }) => {
    const seen = read(names);
    expect(seen.faults).toHaveLength(faults);
    expect(seen.judged).toBeLessThanOrEqual(most);
  });
});

test('a name that nothing has is compared with as many as make a million in all', () => {
  const devices = Array.from({ length: 30_000 }, (_, index) => ({
    deviceId: `D${index}`,
    deviceName: 'Door',
    type: 'Lock' as const,
    links: index < 60 ? [`X${index}`] : [],
  }));
  const faults = findImportFaults({ account: { id: 'hill', name: 'Hill' }, devices }, nothingTaken);
  expect(faults).toHaveLength(60);
  expect(faults.filter((fault) => fault.includes('nearest'))).toHaveLength(34);
});

const now = Date.UTC(2026, 10, 20);
const property = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
const lock = {
  deviceId: 'LK1',
  deviceName: 'Door',
  type: 'Lock' as const,
  properties: [property.id],
  capabilities: { algoPin: true },
};
const bridge = {
  deviceId: 'BR1',
  deviceName: 'Bridge',
  type: 'Bridge' as const,
  properties: [property.id],
  links: ['LK1'],
};
const keypad = { deviceId: 'KP1', deviceName: 'Keypad', type: 'Keypad' as const };
const nothing = { properties: [], devices: [] };
const whole: ImportFile = { account: { id: 'acme', name: 'Acme' }, properties: [property], devices: [lock, bridge] };

test('a file becomes records', () => {
  expect(buildRecords(whole, nothing, now)).toMatchObject({
    properties: [{ ...property, accountId: 'acme' }],
    devices: [
      { deviceId: 'LK1', accountId: 'acme', batteryLevel: 100, pairedAt: now, supportsAlgoPin: true },
      { deviceId: 'BR1', batteryLevel: null, online: true },
    ],
  });
});

describe('what the file leaves out stays as it is stored, what it gives is the file’s', () => {
  const used: Import = {
    properties: [{ ...property, accountId: 'acme', timezone: 'Europe/Rome' }],
    devices: buildRecords({ ...whole, devices: [lock, keypad, bridge] }, nothing, now).devices.map(
      (device): NewDevice => ({
        ...device,
        linked: [],
        bridgeId: null,
        id: '65d000000000000000000001',
        pairedAt: 5,
        lastSyncAt: 6,
        pairingGeneration: 3,
        ...(device.type === 'Bridge'
          ? { online: false }
          : { batteryLevel: 7, supportsPassagePin: device.supportsAlgoPin }),
      }),
    ),
  };
  const bare = ({ deviceId, deviceName, type }: ImportedDevice): ImportedDevice => ({ deviceId, deviceName, type });
  const rebuild = (devices: readonly ImportedDevice[]) => {
    const file = { ...whole, properties: [{ id: property.id, name: 'House' }], devices };
    return buildRecords(file, used, now + 1000);
  };
  const records = used.devices.map(({ linked: _, bridgeId: __, ...record }) => record);
  const stored = (deviceId: string) => records.find((device) => device.deviceId === deviceId);
  const find = (devices: readonly ImportedDevice[], deviceId = 'LK1') =>
    rebuild(devices).devices.find((device) => device.deviceId === deviceId);

  test('all of it', () => expect(rebuild([lock, keypad, bridge].map(bare))).toEqual({ ...used, devices: records }));

  test.each(['LK1', 'KP1', 'BR1'])('%s alone', (deviceId) => {
    const device = [lock, keypad, bridge].map(bare).filter((one) => one.deviceId === deviceId);
    expect(rebuild(device).devices).toEqual([stored(deviceId)]);
  });

  test.each<{ name: string; given: Partial<ImportedDevice>; want: Partial<NewDevice> }>([
    { name: 'id', given: { id: '65d000000000000000000002' }, want: { id: '65d000000000000000000002' } },
    { name: 'deviceName', given: { deviceName: 'Gate' }, want: { deviceName: 'Gate' } },
    { name: 'properties', given: { properties: [] }, want: { propertyIds: [] } },
    {
      name: 'capabilities/algoPin, and with it passagePin',
      given: { capabilities: { algoPin: false } },
      want: { supportsAlgoPin: false, supportsPassagePin: false },
    },
    {
      name: 'capabilities/passagePin',
      given: { capabilities: { passagePin: false } },
      want: { supportsPassagePin: false },
    },
    { name: 'batteryLevel', given: { batteryLevel: 0 }, want: { batteryLevel: 0 } },
    { name: 'pairedAt', given: { pairedAt: '2020-01-01T00:00:00Z' }, want: { pairedAt: Date.UTC(2020, 0) } },
  ])('$name', ({ given, want }) => {
    const [before, after] = [stored('LK1'), { ...stored('LK1'), ...want }];
    expect(find([{ ...bare(lock), ...given }])).toEqual(after);
    expect(after).not.toEqual(before);
  });

  test('online', () => {
    for (const online of [true, false]) expect(find([{ ...bare(bridge), online }], 'BR1')).toMatchObject({ online });
  });

  test('a bridge that becomes a lock has what a lock has', () => {
    const devices = [bare(lock), { ...bare(bridge), type: 'Lock' as const }];
    expect(find(devices, 'BR1')).toMatchObject({ online: null, batteryLevel: 100, supportsAlgoPin: false });
  });
});

test('a timezone that the file gives, or takes away, is the file’s', () => {
  const known = { properties: [{ ...property, accountId: 'acme', timezone: 'Europe/Rome' }], devices: [] };
  for (const timezone of ['Europe/Berlin', null]) {
    const file = { ...whole, properties: [{ ...property, timezone }] };
    expect(buildRecords(file, known, now).properties).toEqual([{ ...property, accountId: 'acme', timezone }]);
  }
});
