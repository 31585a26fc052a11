import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { searchForm } from '../../store/devices/text-forms.ts';
import { longestContentBytes } from '../cursor.ts';
import { type DeviceCursor, packDeviceCursor, unpackDeviceCursor } from './device-cursor.ts';

const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 100 })
  .map((text) => [...text].slice(0, 100).join(''));
const deviceId = fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/);
const pairedAt = fc.integer({ min: -62135596800000, max: 253402300799999 });
const list = fc.record({
  operation: fc.constantFrom('getDevices', 'getDevicesSupportingAlgoPin'),
  sort: fc.constantFrom('deviceName', '-deviceName', 'pairedAt', '-pairedAt'),
  type: fc.constantFrom(undefined, 'Lock', 'Keypad', 'Bridge'),
  expand: fc.constantFrom(
    undefined,
    'linkedDevices',
    'properties',
    'linkedDevices,properties',
    'properties,linkedDevices',
  ),
  limit: fc.integer({ min: 1, max: 300 }),
});

/** A place in a list. Its last device matches the search like in a store: by a part of the name, or the start of the id. */
const cursor: fc.Arbitrary<DeviceCursor> = fc
  .tuple(
    list,
    fc.record({ deviceId, deviceName: name, pairedAt }),
    fc.constantFrom('none', 'name', 'id'),
    fc.nat(),
    fc.nat(),
  )
  .map(([given, last, by, from, length]) => {
    const folded = [...searchForm(by === 'id' ? last.deviceId : last.deviceName)];
    const start = by === 'id' ? 0 : from % folded.length;
    const found = folded.slice(start, start + 1 + (length % 64)).join('');
    return { list: { ...given, search: by === 'none' ? undefined : found }, last };
  });

describe('what a cursor of devices holds', () => {
  test('is read as it was written, and has room for it', () => {
    fc.assert(
      fc.property(cursor, (given) => {
        const content = packDeviceCursor(given);
        expect(unpackDeviceCursor(content)).toEqual(given);
        expect(content.length).toBeLessThanOrEqual(longestContentBytes);
      }),
      { numRuns: 2000 },
    );
  });

  test('has room for the longest name, id and search', () => {
    const longest: DeviceCursor = {
      list: {
        operation: 'getDevicesSupportingAlgoPin',
        sort: '-pairedAt',
        type: 'Bridge',
        search: '\u{1f422}'.repeat(64),
        expand: 'properties,linkedDevices',
        limit: 300,
      },
      last: {
        deviceId: 'Z'.repeat(30),
        deviceName: `${'\u{10fffd}'.repeat(36)}${'\u{1f422}'.repeat(64)}`,
        pairedAt: 253402300799999,
      },
    };
    const content = packDeviceCursor(longest);
    expect(content).toHaveLength(350);
    expect(unpackDeviceCursor(content)).toEqual(longest);
  });

  test('is not read where a newer release wrote a row that this one does not have', () => {
    const plain: DeviceCursor = {
      list: {
        operation: 'getDevices',
        sort: 'deviceName',
        type: undefined,
        search: undefined,
        expand: undefined,
        limit: 1,
      },
      last: { deviceId: 'A', deviceName: 'a', pairedAt: 0 },
    };
    for (const place of [0, 1, 2, 3]) {
      const content = packDeviceCursor(plain);
      content[place] = 200;
      expect(unpackDeviceCursor(content)).toBeUndefined();
    }
  });

  test('stays readable: the bytes of this release, for good', () => {
    const content = packDeviceCursor({
      list: {
        operation: 'getDevicesSupportingAlgoPin',
        sort: '-deviceName',
        type: 'Keypad',
        search: 'ont',
        expand: 'properties',
        limit: 300,
      },
      last: { deviceId: 'KP1A00000002', deviceName: 'Front 🐢', pairedAt: 1772442900000 },
    });
    expect(Buffer.from(content).toString('hex')).toBe(
      '01010202012c01000200034279cadd456200000c4b503141303030303030303200004600007200006f00006e00007400002001f422',
    );
  });

  test('is never written for a device that does not match', () => {
    const wrong = {
      operation: 'getDevices',
      sort: 'deviceName',
      type: undefined,
      search: 'x',
      expand: undefined,
      limit: 1,
    } as const;
    expect(() => packDeviceCursor({ list: wrong, last: { deviceId: 'A', deviceName: 'a', pairedAt: 0 } })).toThrow();
  });
});
