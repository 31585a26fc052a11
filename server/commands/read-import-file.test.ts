import { expect, test } from 'vitest';
import { buildRecords } from './build-records.ts';
import type { ImportFile } from './import-schema.ts';
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
const nothing = { properties: [], devices: [] };
const whole: ImportFile = { account: { id: 'acme', name: 'Acme' }, properties: [property], devices: [lock, bridge] };

test('a file becomes records, links both ways', () => {
  expect(buildRecords(whole, nothing, now)).toMatchObject({
    properties: [{ ...property, accountId: 'acme' }],
    devices: [
      { deviceId: 'LK1', accountId: 'acme', bridgeId: 'BR1', batteryLevel: 100, pairedAt: now, supportsAlgoPin: true },
      { deviceId: 'BR1', linked: [{ deviceId: 'LK1', type: 'Lock' }], batteryLevel: null, online: false },
    ],
  });
});

test('what the file leaves out stays as it is stored', () => {
  const { devices } = buildRecords(whole, nothing, now);
  const used = devices.map((device) => ({
    ...device,
    lastSyncAt: now + 5,
    pairingGeneration: 3,
    ...(device.type === 'Bridge' ? { online: true } : { batteryLevel: 7 }),
  }));
  const unzoned = { ...whole, properties: [{ id: property.id, name: 'House' }] };
  const known = { properties: [{ ...property, accountId: 'acme', timezone: 'Europe/Rome' }], devices: used };
  expect(buildRecords(unzoned, known, now + 1000)).toEqual(known);
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
])('$name is named with its place', ({ file, fault }) => {
  const read = readImportFile(typeof file === 'string' ? file : JSON.stringify(file));
  expect('faults' in read && read.faults[0]).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
});
