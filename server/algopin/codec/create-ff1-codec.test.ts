import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indices } from './code-index.ts';
import { createFf1Codec } from './create-ff1-codec.ts';
import { pinCodec } from './pin-codec.ts';

const key = Buffer.alloc(32, 'not a real key, for tests alone ');
const codec = pinCodec(key);

function comesBack(number: number): void {
  const digits = codec.encode(number);
  if (!/^[1-9][0-9]{8}$/.test(digits)) throw new Error(`${number} is encoded as ${digits}`);
  if (codec.decode(digits) !== number) throw new Error(`${number} comes back as ${codec.decode(digits)}`);
}

describe('nine digits', () => {
  test.each([0, 1, indices - 1, indices, 899_999_998, 899_999_999])('number %i is decoded again', comesBack);

  const manyComeBack = (numRuns: number) =>
    fc.assert(fc.property(fc.noBias(fc.integer({ min: 0, max: indices - 1 })), comesBack), { numRuns });

  test('1,000 random numbers are decoded again', () => manyComeBack(1000));

  // It takes 10 s of processor time with a plain comparison; as many calls of a matcher would double that.
  test('100,000 random numbers are decoded again', { tags: ['full'] }, () => manyComeBack(100_000));

  test('all digits are those of one number, also beyond the last code', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000_000, max: 999_999_999 }).map(String), (digits) => {
        const number = codec.decode(digits) ?? Number.NaN;
        expect(codec.encode(number)).toBe(digits);
      }),
    );
  });

  test.each([-1, 900_000_000, 0.5, Number.NaN])('there is no number %d', (number) => {
    expect(() => codec.encode(number)).toThrow(RangeError);
  });

  test.each(['', '12345678', '1234567890', '012345678', '12345678x', '123456789\n', '١٢٣٤٥٦٧٨٩'])(
    '%j is no code',
    (digits) => {
      expect(codec.decode(digits)).toBeUndefined();
    },
  );
});

describe('the key', () => {
  test.each([0, 16, 24, 31, 33])('of %i bytes is refused', (length) => {
    expect(() => createFf1Codec({ digits: 9, key: new Uint8Array(length) })).toThrow(RangeError);
  });

  test('determines the digits by each of its bits', () => {
    const digits = Array.from({ length: 256 }, (_, bit) => {
      const changed = Buffer.from(key);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return pinCodec(changed).encode(0);
    });
    expect(digits).not.toContain(codec.encode(0));
  });
});
