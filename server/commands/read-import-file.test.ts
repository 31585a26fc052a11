import { describe, expect, test } from 'vitest';
import type { Device } from '../store/records.ts';
import type { Import } from '../store/store.ts';
import { buildRecords } from './build-records.ts';
import type { ImportedDevice, ImportFile } from './import-schema.ts';
import { readImportFile } from './read-import-file.ts';

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

test('a file becomes records, links both ways', () => {
  expect(buildRecords(whole, nothing, now)).toMatchObject({
    properties: [{ ...property, accountId: 'acme' }],
    devices: [
      { deviceId: 'LK1', accountId: 'acme', bridgeId: 'BR1', batteryLevel: 100, pairedAt: now, supportsAlgoPin: true },
      { deviceId: 'BR1', linked: [{ deviceId: 'LK1', type: 'Lock' }], batteryLevel: null, online: true },
    ],
  });
});

describe('what the file leaves out stays as it is stored, what it gives is the file’s', () => {
  const used: Import = {
    properties: [{ ...property, accountId: 'acme', timezone: 'Europe/Rome' }],
    devices: buildRecords(
      { ...whole, devices: [{ ...lock, links: ['KP1'] }, keypad, bridge] },
      nothing,
      now,
    ).devices.map(
      (device): Device => ({
        ...device,
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
  const stored = (deviceId: string) => used.devices.find((device) => device.deviceId === deviceId);
  const find = (devices: readonly ImportedDevice[], deviceId = 'LK1') =>
    rebuild(devices).devices.find((device) => device.deviceId === deviceId);

  test('all of it', () => expect(rebuild([lock, keypad, bridge].map(bare))).toEqual(used));

  test.each(['LK1', 'KP1', 'BR1'])('%s alone', (deviceId) => {
    const device = [lock, keypad, bridge].map(bare).filter((one) => one.deviceId === deviceId);
    expect(rebuild(device).devices).toEqual([stored(deviceId)]);
  });

  test.each<{ name: string; given: Partial<ImportedDevice>; want: Partial<Device> }>([
    { name: 'id', given: { id: '65d000000000000000000002' }, want: { id: '65d000000000000000000002' } },
    { name: 'deviceName', given: { deviceName: 'Gate' }, want: { deviceName: 'Gate' } },
    { name: 'properties', given: { properties: [] }, want: { propertyIds: [] } },
    { name: 'links', given: { links: [] }, want: { linked: [] } },
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

  test('a bridge that links nothing any more lets its locks go', () => {
    const devices = [bare(lock), { ...bridge, links: [] }];
    expect(find(devices)).toEqual({ ...stored('LK1'), bridgeId: null });
    expect(find(devices, 'BR1')).toEqual({ ...stored('BR1'), linked: [] });
  });

  test('a lock that another bridge links leaves its own', () => {
    const devices = [bare(lock), bare(bridge), { ...bridge, deviceId: 'BR2' }];
    expect(find(devices)).toEqual({ ...stored('LK1'), bridgeId: 'BR2' });
    expect(find(devices, 'BR1')).toEqual({ ...stored('BR1'), linked: [] });
    expect(find(devices, 'BR2')).toMatchObject({ linked: [{ deviceId: 'LK1', type: 'Lock' }] });
  });

  test('a bridge that becomes a lock has no bridge’s links', () => {
    const devices = [bare(lock), { ...bare(bridge), type: 'Lock' as const }];
    expect(find(devices)).toEqual({ ...stored('LK1'), bridgeId: null });
    expect(find(devices, 'BR1')).toMatchObject({ linked: [], online: null, batteryLevel: 100, supportsAlgoPin: false });
  });
});

test('a timezone that the file gives, or takes away, is the file’s', () => {
  const known = { properties: [{ ...property, accountId: 'acme', timezone: 'Europe/Rome' }], devices: [] };
  for (const timezone of ['Europe/Berlin', null]) {
    const file = { ...whole, properties: [{ ...property, timezone }] };
    expect(buildRecords(file, known, now).properties).toEqual([{ ...property, accountId: 'acme', timezone }]);
  }
});

test.each([
  { name: 'no JSON', file: '{', fault: /^# is not JSON: / },
  { name: 'no account', file: {}, fault: "# must have required property 'account'" },
  { name: 'a misspelt member', file: { ...whole, device: [] }, fault: '# must NOT have additional properties: device' },
  {
    name: 'an unknown type',
    file: { ...whole, devices: [{ ...lock, type: 'Door' }] },
    fault: '#/devices/0/type must be equal to one of the allowed values: Lock, Keypad, Bridge',
  },
  {
    name: 'an unknown timezone',
    file: { ...whole, properties: [{ ...property, timezone: 'Europe/Berln' }] },
    fault: '#/properties/0/timezone Europe/Berln is no IANA timezone, nearest: Europe/Berlin',
  },
  {
    name: 'an offset as timezone',
    file: { ...whole, properties: [{ ...property, timezone: '+01:00' }] },
    fault: /^#\/properties\/0\/timezone \+01:00 is no IANA timezone/,
  },
  {
    name: 'a property that is not there',
    file: { ...whole, devices: [{ ...lock, properties: ['65a000000000000000000002'] }] },
    fault: '#/devices/0/properties 65a000000000000000000002 is not in this file, nearest: 65a000000000000000000001',
  },
  {
    name: 'a link to nothing',
    file: { ...whole, devices: [lock, { ...bridge, links: ['LK2'] }] },
    fault: '#/devices/1/links LK2 is not in this file, nearest: LK1',
  },
  {
    name: 'a lock that links a bridge',
    file: { ...whole, devices: [{ ...lock, links: ['BR1'] }, bridge] },
    fault: "#/devices/0/links BR1 is a Bridge, which a Lock can't link",
  },
  {
    name: 'one id twice',
    file: { ...whole, devices: [lock, lock, bridge] },
    fault: '#/devices/1/deviceId LK1 comes twice',
  },
  {
    name: 'two bridges for one lock',
    file: { ...whole, devices: [lock, bridge, { ...bridge, deviceId: 'BR2' }] },
    fault: '#/devices LK1 is linked by BR1 and BR2: one bridge at most',
  },
  {
    name: 'six links',
    file: {
      ...whole,
      devices: [
        ...[1, 2, 3, 4, 5, 6].map((n) => ({ ...lock, deviceId: `LK${n}` })),
        { ...bridge, links: [1, 2, 3, 4, 5, 6].map((n) => `LK${n}`) },
      ],
    },
    fault: '#/devices/6/links has 6: a bridge links at most 5',
  },
  {
    name: 'a battery in a bridge',
    file: { ...whole, devices: [lock, { ...bridge, batteryLevel: 3 }] },
    fault: '#/devices/1/batteryLevel a bridge has none',
  },
  {
    name: 'passage without codes',
    file: { ...whole, devices: [{ ...lock, capabilities: { passagePin: true } }, bridge] },
    fault: '#/devices/0/capabilities/passagePin needs algoPin too',
  },
  {
    name: 'a device named as a path',
    file: { ...whole, devices: [{ ...lock, deviceId: 'support-pins' }] },
    fault: '#/devices/0/deviceId support-pins is a path of the API',
  },
  {
    name: 'a lock that is online',
    file: { ...whole, devices: [{ ...lock, online: true }, bridge] },
    fault: '#/devices/0/online only a bridge has it',
  },
  ...['0000-01-01T00:00:00+14:00', '1999-12-31T23:59:59Z', '2100-01-01T00:00:01Z', '9999-12-31T23:59:59Z'].map(
    (pairedAt) => ({
      name: `a pairing at ${pairedAt}`,
      file: { ...whole, devices: [{ ...lock, pairedAt }, bridge] },
      fault: '#/devices/0/pairedAt must be from 2000-01-01T00:00:00Z to 2100-01-01T00:00:00Z',
    }),
  ),
  ...['2016-12-31T23:59:60Z', '2026-11-20T24:59:00+01:00', '2026-02-30T00:00:00Z'].map((pairedAt) => ({
    name: `a pairing at ${pairedAt}`,
    file: { ...whole, devices: [{ ...lock, pairedAt }, bridge] },
    fault: '#/devices/0/pairedAt must match format "date-time"',
  })),
])('$name is named with its place', ({ file, fault }) => {
  const read = readImportFile(encode(typeof file === 'string' ? file : JSON.stringify(file)));
  expect('faults' in read && read.faults[0]).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
});

test('a byte order mark is no part of the file', () => {
  expect(readImportFile(encode(`\ufeff${JSON.stringify(whole)}`))).toEqual({ file: whole });
});

test('bytes that are no UTF-8 are a fault, and not other letters', () => {
  const bytes = Buffer.from(JSON.stringify({ account: { id: 'acme', name: 'Caf\u00e9' } }), 'latin1');
  expect(readImportFile(bytes)).toEqual({ faults: ['# is not UTF-8: save the file in that encoding'] });
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
