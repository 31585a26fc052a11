import { expect, test } from 'vitest';
import { codesPerHour } from './code-index.ts';
import { createFf1Codec } from './create-ff1-codec.ts';
import { pinCodec } from './pin-codec.ts';

// If these fail, two codes of one lock have the same digits, or a code has none.

const key = Buffer.alloc(32, 'not a real key, for tests alone ');

test('six digits: each of 900,000 numbers has digits of its own, and is decoded from them', () => {
  const codec = createFf1Codec({ digits: 6, key });
  const taken = new Uint8Array(1_000_000);
  let faults = 0;
  for (let number = 0; number < codec.size; number += 1) {
    const digits = codec.encode(number);
    const place = Number(digits);
    if (place < 100_000 || taken[place] !== 0 || codec.decode(digits) !== number) faults += 1;
    taken[place] = 1;
  }
  expect({ size: codec.size, faults }).toEqual({ size: 900_000, faults: 0 });
  // There are as many texts as numbers, and none occurs twice: all of them are used.
  expect(taken.subarray(100_000).includes(0)).toBe(false);
});

test('nine digits: 3,000,000 codes of one device, all of 40 days, are different', () => {
  const codec = pinCodec(key);
  const taken = new Uint8Array(1_000_000_000 / 8);
  const codes = 3_000_000;
  const firstHour = 25_560;
  let twice = 0;
  for (let index = firstHour * codesPerHour; index < firstHour * codesPerHour + codes; index += 1) {
    const place = Number(codec.encode(index));
    const bit = 1 << (place & 7);
    const byte = taken[place >> 3] ?? 0;
    if ((byte & bit) !== 0) twice += 1;
    taken[place >> 3] = byte | bit;
  }
  expect(twice).toBe(0);
});
