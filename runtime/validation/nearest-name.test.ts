import { describe, expect, test } from 'vitest';
import { nearestNames } from './nearest-name.ts';

const names = ['limit', 'cursor', 'sort', 'startDate', 'endDate'];

const cases = [
  { name: 'a letter left out', given: 'limt', want: ['limit'] },
  { name: 'other case', given: 'Limit', want: ['limit'] },
  { name: 'a beginning left out', given: 'date', want: ['endDate', 'startDate'] },
  { name: 'nothing alike', given: 'zzzzzz', want: [] },
  { name: 'nothing sent', given: '', want: [] },
];

describe('nearestNames', () => {
  for (const { name, given, want } of cases) {
    test(`finds what was meant by ${name}`, () => expect(nearestNames(given, names)).toEqual(want));
  }

  test('compares a name of a million letters at once', () => {
    expect(nearestNames('x'.repeat(1_000_000), names)).toEqual([]);
  });
});
