import { expect, test } from 'vitest';
import { ascii, createCursorFormat, hex, instant, lastText, listOfCursor, row, whole } from './cursor-fields.ts';

const format = createCursorFormat(['getDevices'], {
  color: row(['red', undefined, 'blue']),
  small: whole(1),
  large: whole(2),
  at: instant,
  id: hex(3),
  first: ascii,
  second: ascii,
  rest: lastText,
});
const values = {
  operation: 'getDevices',
  color: undefined,
  small: 255,
  large: 65_535,
  at: -62_167_219_200_001,
  id: 'c0ffee',
  first: 'one',
  second: '',
  rest: 'a\u00e9🐢',
} as const;

test('values stand in the order of the table, texts behind them all', () => {
  const content = format.pack(values);
  expect(Buffer.from(content).toString('hex')).toBe(
    ['00', '01', 'ff', 'ffff', 'c2cc453782300080', 'c0ffee', '03', '00', '6f6e65', '0000610000e901f422'].join(''),
  );
  expect(format.unpack(content)).toEqual(values);
});

test('a value without room is rejected when it is written', () => {
  for (const wrong of [{ small: 256 }, { large: 65_536 }, { first: 'x'.repeat(256) }, { color: 'green' as 'red' }])
    expect(() => format.pack({ ...values, ...wrong })).toThrow(RangeError);
});

test('what is cut before its last text is not read', () => {
  const content = format.pack({ ...values, rest: '' });
  for (let length = 0; length < content.length; length += 1)
    expect(format.unpack(content.subarray(0, length))).toBeUndefined();
});

test('a cursor contains its list, and the formats of other lists do not read it', () => {
  const other = createCursorFormat(['getDeviceActivity'], { limit: whole(2) });
  const content = other.pack({ operation: 'getDeviceActivity', limit: 300 });
  expect(listOfCursor(content)).toBe('getDeviceActivity');
  expect(format.unpack(content)).toBeUndefined();
  expect(other.unpack(format.pack(values))).toBeUndefined();
  expect(listOfCursor(Uint8Array.of(200))).toBeUndefined();
  expect(listOfCursor(new Uint8Array())).toBeUndefined();
});
