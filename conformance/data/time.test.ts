import { expect, test } from 'vitest';
import { moveByDays, moveToPresent } from './time.ts';

// If these fail, an example with an unusual day stops the run, or is not moved to the present.

const now = Date.parse('2026-04-01T09:30:00Z');

test.each([
  { example: { from: '2020-01-01', to: '2020-01-03' }, want: { from: '2026-04-03', to: '2026-04-05' } },
  { example: { from: '2020-01-01', to: '0000-00-00' }, want: { from: '2026-04-03', to: '0000-00-00' } },
  { example: { day: '2026-13-45' }, want: undefined },
  { example: { name: 'Dune' }, want: undefined },
])('the times of $example are moved to the present', ({ example, want }) => {
  expect(moveToPresent(example, now)).toEqual(want);
});

test.each([
  ['2026-12-31', '2027-01-01'],
  ['2026-04-01T10:00:00+02:00', '2026-04-02T10:00:00+02:00'],
  ['0000-00-00', '0000-00-00'],
  ['Dune', 'Dune'],
  [7, 7],
])('a day after %s is %s', (value, want) => {
  expect(moveByDays(value, 1)).toBe(want);
});
