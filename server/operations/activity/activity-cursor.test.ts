import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestContentBytes } from '../cursor.ts';
import { packDeviceCursor, unpackDeviceCursor } from '../devices/device-cursor.ts';
import { type ActivityCursor, packActivityCursor, unpackActivityCursor } from './activity-cursor.ts';

const instant = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
const bound = fc.option(
  fc.record({ text: fc.stringMatching(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{2}:\d{2})?$/), at: instant }),
  {
    nil: undefined,
  },
);
const cursor: fc.Arbitrary<ActivityCursor> = fc.record({
  list: fc.record({
    deviceId: fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/),
    sort: fc.constantFrom('-activityTimeAt', 'activityTimeAt'),
    startDate: bound,
    endDate: bound,
    language: fc.constantFrom('en', 'de', 'es', 'fr', 'ja'),
    limit: fc.integer({ min: 1, max: 300 }),
  }),
  last: fc.record({ at: instant, id: fc.stringMatching(/^[0-9a-f]{24}$/) }),
});

const plain: ActivityCursor = {
  list: {
    deviceId: 'LK2A00000001',
    sort: 'activityTimeAt',
    startDate: undefined,
    endDate: { text: '2026-11-20', at: 1795215600000 },
    language: 'fr',
    limit: 300,
  },
  last: { at: 1795194000123, id: '6920f3a2b1c4d5e6f7a8b9d2' },
};

describe('what a cursor of a log holds', () => {
  test('is read as it was written, and has room for it', () => {
    fc.assert(
      fc.property(cursor, (given) => {
        const content = packActivityCursor(given);
        expect(unpackActivityCursor(content)).toEqual(given);
        expect(content.length).toBeLessThanOrEqual(Math.min(132, longestContentBytes));
      }),
      { numRuns: 2000 },
    );
  });

  test('is not read where a newer release wrote a row that this one does not have', () => {
    for (const place of [0, 1, 2]) {
      const content = packActivityCursor(plain);
      content[place] = 200;
      expect(unpackActivityCursor(content)).toBeUndefined();
    }
  });

  test('is neither read as a place among devices, nor is such a one read as a place in a log', () => {
    expect(unpackDeviceCursor(packActivityCursor(plain))).toBeUndefined();
    for (const operation of ['getDevices', 'getDevicesSupportingAlgoPin'] as const) {
      const list = {
        operation,
        sort: 'deviceName',
        type: undefined,
        search: undefined,
        expand: undefined,
        limit: 1,
      } as const;
      const device = packDeviceCursor({ list, last: { deviceId: 'A', deviceName: 'a', pairedAt: 0 } });
      expect(unpackActivityCursor(device)).toBeUndefined();
    }
  });

  test('stays readable: the bytes of this release, for good', () => {
    expect(Buffer.from(packActivityCursor(plain)).toString('hex')).toBe(
      '020103012c0c000a0000000000000000427a1fb302980000427a1f9e692fb0006920f3a2b1c4d5e6f7a8b9d24c4b32413030303030303031323032362d31312d3230',
    );
  });
});
