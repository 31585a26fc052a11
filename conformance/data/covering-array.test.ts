import { describe, expect, test } from 'vitest';
import { type Cell, createCoveringArray } from './covering-array.ts';

/** Every row until nothing is open; each row is accepted. */
function rowsOf(sizes: readonly number[], mayMeet?: (a: number, b: number) => boolean): (readonly Cell[])[] {
  const array = createCoveringArray(sizes, mayMeet);
  const rows: (readonly Cell[])[] = [];
  for (let row = array.next(); row.length > 0 && rows.length < 1_000; row = array.next()) {
    rows.push(row);
    array.cover(row);
  }
  return rows;
}

const nameOf = ({ factor, index }: Cell): string => `${factor}.${index}`;

describe.each([
  { sizes: [3], singles: 3, pairs: 3 },
  { sizes: [2, 2, 2], singles: 2, pairs: 5 },
  { sizes: [4, 3, 5, 2, 2, 6], singles: 6, pairs: 40 },
])('factors of $sizes classes', ({ sizes, singles, pairs }) => {
  const rows = rowsOf(sizes);

  test(`the first ${singles} rows contain every class`, () => {
    const met = new Set(rows.slice(0, singles).flatMap((row) => row.map(nameOf)));
    expect(met.size).toBe(sizes.reduce((sum, size) => sum + size, 0));
  });

  test(`at most ${pairs} rows contain every pair`, () => {
    const met = new Set(rows.flatMap((row) => row.flatMap((a) => row.map((b) => `${nameOf(a)} ${nameOf(b)}`))));
    const all = sizes.flatMap((size, factor) =>
      sizes
        .slice(factor + 1)
        .flatMap((other, more) =>
          Array.from(
            { length: size * other },
            (_, at) => `${factor}.${Math.floor(at / other)} ${factor + more + 1}.${at % other}`,
          ),
        ),
    );
    expect(all.filter((pair) => !met.has(pair))).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(pairs);
  });
});

test('the same factors give the same rows', () => {
  expect(rowsOf([3, 4, 2])).toEqual(rowsOf([3, 4, 2]));
});

test('factors that may not meet are never in one row', () => {
  const rows = rowsOf([2, 2, 2], (a, b) => a + b !== 1);
  expect(rows.some((row) => row.some(({ factor }) => factor === 0) && row.some(({ factor }) => factor === 1))).toBe(
    false,
  );
  expect(new Set(rows.flatMap((row) => row.map(nameOf))).size).toBe(6);
});

test('a dropped class is in no later row', () => {
  const array = createCoveringArray([1, 2]);
  array.drop({ factor: 0, index: 0 });
  array.drop({ factor: 1, index: 1 });
  expect(array.next().map(nameOf)).toEqual(['1.0']);
  array.cover(array.next());
  expect(array.next()).toEqual([]);
});
