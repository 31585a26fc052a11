import { expect, test } from 'vitest';
import { sayWait, secondsUntil } from './retry-after.ts';

test.each([
  { ms: -5, want: '1 second' },
  { ms: 1, want: '1 second' },
  { ms: 1000, want: '1 second' },
  { ms: 1001, want: '2 seconds' },
  { ms: 3_600_000, want: '3600 seconds' },
])('$ms ms are formatted as $want', ({ ms, want }) => {
  const now = Date.UTC(2026, 10, 21, 8);
  expect(sayWait(secondsUntil(now + ms, now))).toBe(want);
});
