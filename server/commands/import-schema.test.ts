import { expect, test } from 'vitest';
import { findImportFaults, nothingTaken } from './import-plan.ts';
import { type ImportFile, readImportFile } from './import-schema.ts';

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
const whole: ImportFile = { account: { id: 'acme', name: 'Acme' }, properties: [property], devices: [lock, bridge] };

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
    fault:
      '#/devices/0/properties 65a000000000000000000002 is neither in this file nor stored, nearest: 65a000000000000000000001',
  },
  {
    name: 'a link to nothing',
    file: { ...whole, devices: [lock, { ...bridge, links: ['LK2'] }] },
    fault: '#/devices/1/links LK2 is neither in this file nor stored, nearest: LK1',
  },
  {
    name: 'a lock that links a bridge',
    file: { ...whole, devices: [{ ...lock, links: ['BR1'] }, bridge] },
    fault: "#/devices/0/links BR1 is a Bridge, which a Lock can't link",
  },
  {
    name: 'one id twice',
    file: { ...whole, devices: [lock, lock, bridge] },
    fault: '#/devices/1/deviceId LK1 occurs twice',
  },
  {
    name: 'one object id for two devices',
    file: { ...whole, devices: [lock, bridge].map((device) => ({ ...device, id: '65d000000000000000000001' })) },
    fault: '#/devices/1/id 65d000000000000000000001 occurs twice',
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
    fault: '#/devices/1/batteryLevel must be omitted: a bridge has no battery',
  },
  {
    name: 'passage without codes',
    file: { ...whole, devices: [{ ...lock, capabilities: { passagePin: true } }, bridge] },
    fault: '#/devices/0/capabilities/passagePin needs algoPin too',
  },
  {
    name: 'a device named as a path',
    file: { ...whole, devices: [{ ...lock, deviceId: 'support-pins' }] },
    fault: '#/devices/0/deviceId must not be support-pins: that is a path of the API',
  },
  {
    name: 'a lock that is online',
    file: { ...whole, devices: [{ ...lock, online: true }, bridge] },
    fault: '#/devices/0/online must be omitted: only bridges have it',
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
  const faults = read.kind === 'faults' ? read.faults : findImportFaults(read.file, nothingTaken);
  expect(faults[0]).toEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
});

test('a byte order mark is no part of the file', () => {
  expect(readImportFile(encode(`\ufeff${JSON.stringify(whole)}`))).toEqual({ kind: 'file', file: whole });
});

test('bytes that are no UTF-8 are a fault, and not other letters', () => {
  const bytes = Buffer.from(JSON.stringify({ account: { id: 'acme', name: 'Caf\u00e9' } }), 'latin1');
  expect(readImportFile(bytes)).toEqual({ kind: 'faults', faults: ['# is not UTF-8: save the file in that encoding'] });
});

test.each([
  { name: 'that are sound', first: 0, faults: 0 },
  { name: 'of which none is known', first: 500_000, faults: 100_000 },
])(
  'a file of 100,000 devices and properties $name is judged without comparing each with each',
  {
    tags: ['full'],
    timeout: 30_000, // 0.7 s alone on a machine, and a minute each with each
  },
  ({ first, faults }) => {
    const id = (number: number) => `65a${String(number).padStart(21, '0')}`;
    const numbers = Array.from({ length: 100_000 }, (_, index) => index);
    const file: ImportFile = {
      ...whole,
      properties: numbers.map((number) => ({ id: id(number), name: 'House' })),
      devices: numbers.map((number) => ({ ...lock, deviceId: `LK${number}`, properties: [id(first + number)] })),
    };
    expect(findImportFaults(file, nothingTaken)).toHaveLength(faults);
  },
);

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
