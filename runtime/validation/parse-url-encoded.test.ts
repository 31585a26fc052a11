import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeBroken, parseUrlEncoded } from './parse-url-encoded.ts';

const cases = [
  { name: 'nothing', given: '', want: [] },
  { name: 'a pair', given: 'a=1', want: [['a', '1', false]] },
  {
    name: 'every value of a name, in order',
    given: 'a=1&b=2&a=3',
    want: [
      ['a', '1', false],
      ['b', '2', false],
      ['a', '3', false],
    ],
  },
  { name: 'an empty value', given: 'a=', want: [['a', '', false]] },
  { name: 'a name without equals sign', given: 'a', want: [['a', '', false]] },
  { name: 'an equals sign in a value', given: 'a=b=c', want: [['a', 'b=c', false]] },
  { name: 'plus as a space', given: 'a+b=c+d', want: [['a b', 'c d', false]] },
  { name: 'escapes', given: '%61=%2B%E5%90%8D', want: [['a', '+名', false]] },
  { name: 'a broken escape in a value', given: 'a=%ZZ', want: [['a', '%ZZ', true]] },
  { name: 'a broken escape in a name', given: '%=1', want: [['%', '1', true]] },
  { name: 'bytes that are no UTF-8', given: 'a=%C3', want: [['a', '%C3', true]] },
  { name: 'empty pieces, dropped', given: '&&a=1&', want: [['a', '1', false]] },
];

describe('parseUrlEncoded', () => {
  for (const { name, given, want } of cases) {
    test(`reads ${name}`, () => {
      expect(parseUrlEncoded(given).map(({ name: key, value, broken }) => [key, value, broken])).toEqual(want);
    });
  }

  test('reads back what URLSearchParams writes', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((sent) => sent.isWellFormed());
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), (pairs) => {
        const read = parseUrlEncoded(new URLSearchParams(pairs).toString());
        expect(read.map(({ name, value }) => [name, value])).toEqual(pairs);
      }),
      { seed: 20_261_121, numRuns: 50 },
    );
  });
});

describe('describeBroken', () => {
  const malformed = 'has a broken escape: % must be followed by two hexadecimal digits';
  const bytes = 'has escapes that are not UTF-8: encode the text as UTF-8, then escape it';
  test.each([
    ['a=%ZZ', malformed],
    ['a=%', malformed],
    ['a=%4', malformed],
    ['a=%C3%ZZ', malformed],
    ['a=%C3', bytes],
    ['a=%ED%A0%80', bytes],
    ['%25=%FF', bytes],
    ['%ZZ=%FF', bytes],
    ['%FF=%25', bytes],
    ['%ZZ=1', malformed],
  ])('%s %s', (given, want) => expect(parseUrlEncoded(given).map(describeBroken)).toEqual([want]));
});
