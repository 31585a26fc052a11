import { expect, test } from 'vitest';
import { fitTexts, mostCharacters, type TextFamily, textFamilies, textRows } from './text-families.ts';

const free = { minLength: 0, maxLength: Number.POSITIVE_INFINITY };
const lengthOf = (text: string): number => [...text].length;
const textOf = (families: readonly TextFamily[], bounds = free, ending = ''): string =>
  fitTexts(families, bounds, ending)?.text ?? '';
const family = (name: string): TextFamily => {
  const found = textFamilies.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no family ${name}`);
  return found;
};

test('every row has families, and their names differ', () => {
  expect(textRows.filter((row) => !textFamilies.some((one) => one.row === row))).toEqual([]);
  expect(new Set(textFamilies.map(({ name }) => name)).size).toBe(textFamilies.length);
});

test.each(textFamilies)('$name survives JSON, and no other family is part of it', ({ text }) => {
  expect(JSON.parse(JSON.stringify(text))).toBe(text);
  const others = textFamilies.filter((one) => one.text !== text && one.row !== 'longest');
  expect(others.filter((one) => text.includes(one.text))).toEqual([]);
});

test.each<[string, RegExp]>([
  ['astral characters', /[^\0-\uffff]/u],
  ['composed and combining marks', /\u00e9.*e\u0301/u],
  ['ASCII controls', /\p{Cc}.*\p{Cc}/su],
  ['bidirectional overrides', /\u202e/],
  ['zero-width characters', /\u200b/],
  ['line separators and BOM', /\u2028.*\ufeff/s],
])('%s has its characters', (name, pattern) => {
  expect(family(name).text).toMatch(pattern);
});

test('only texts that any server may reject are grey', () => {
  const marks = ['\u0000', '\ufffe'];
  for (const { row, text } of textFamilies)
    expect(row === 'grey').toBe(marks.some((one) => text.includes(one)) || !text.isWellFormed());
});

test.each(
  textFamilies.flatMap((one) =>
    [
      { minLength: 0, maxLength: 1 },
      { minLength: 3, maxLength: 3 },
      { minLength: 40, maxLength: 45 },
      { minLength: 700, maxLength: 2_000 },
    ].map((bounds) => ({ ...one, ...bounds })),
  ),
)('$name fits $minLength to $maxLength code points', ({ minLength, maxLength, ...one }) => {
  const length = lengthOf(textOf([one], { minLength, maxLength }));
  expect(length).toBeGreaterThanOrEqual(Math.max(1, minLength));
  expect(length).toBeLessThanOrEqual(maxLength);
});

test.each([
  [120, 120],
  [Number.POSITIVE_INFINITY, mostCharacters],
])('the longest text for %d has %d characters', (maxLength, length) => {
  expect(textOf([family('the longest text')], { minLength: 0, maxLength })).toHaveLength(length);
});

test('a text has the families that have room, and its ending', () => {
  const families = ['CJK', 'Latin-1', 'astral characters'].map(family);
  const [first, second, third] = families.map(({ text }) => text);
  expect(textOf(families)).toBe(`${first} ${second} ${third}`);
  expect(textOf(families, { minLength: 0, maxLength: 12 }, ' end')).toBe(`${first} ${third}`);
  expect(textOf(families, { minLength: 0, maxLength: 9 }, '-1')).toBe(`${first}-1`);
  expect(fitTexts(families, { minLength: 0, maxLength: 12 })?.families.map(({ name }) => name)).toEqual([
    ...['CJK', 'astral characters'],
  ]);
});

test.each([[{ minLength: 0, maxLength: 0 }], [{ minLength: mostCharacters + 1, maxLength: Number.POSITIVE_INFINITY }]])(
  'no text is made for %o',
  (bounds) => {
    expect(fitTexts([family('CJK')], bounds)).toBeUndefined();
  },
);
