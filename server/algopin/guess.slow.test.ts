import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import { codesPerHour, fromIndex, toIndex } from './codec/code-index.ts';
import { deriveDeviceKey } from './derive-device-key.ts';
import { verifyPin } from './verify-pin.ts';
import { windowOf } from './window-of.ts';

// If this fails, guesses at the keypad succeed more often than the documentation states.

const guesses = 1_000_000;
const pins = 900_000_000;
const key = deriveDeviceKey(new Uint8Array(32).fill(7), 'LK0A00000001', 1);
const now = Temporal.ZonedDateTime.from('2026-12-01T15:30:00[Europe/Berlin]');

test('of 1,000,000 random entries as many open as the number of acceptable codes predicts', () => {
  const acceptable = countAcceptable();
  expect(acceptable).toBe(73_932);

  const anyPin = fc.noBias(fc.integer({ min: 100_000_000, max: 999_999_999 }));
  const opened = fc
    .sample(anyPin, guesses)
    .filter((pin) => verifyPin(String(pin), key, now, new Set()).accepted).length;
  const expected = (guesses * acceptable) / pins;
  // 99.99 % of all runs are within 3.89 standard deviations of a binomial distribution: 82.1 within 35.3.
  const interval = 3.89 * Math.sqrt(expected * (1 - acceptable / pins));
  process.stdout.write(`${opened} of ${guesses} opened; predicted ${expected.toFixed(1)} +- ${interval.toFixed(1)}\n`);
  expect(Math.abs(opened - expected)).toBeLessThanOrEqual(interval);
});

/** Counts one by one the codes that start in the last 25 hours or the next one and could be used for the first time now. */
function countAcceptable(): number {
  const start = toIndex({ kind: 'hourly', startsAt: now.toInstant(), duration: 1, variance: 1 });
  const candidates = Array.from({ length: 27 * codesPerHour }, (_, place) => start + (place - 25 * codesPerHour));
  return candidates.filter((index) => {
    const code = fromIndex(index, now);
    if (code === undefined) return false;
    const window = windowOf(code, now.timeZoneId);
    return isWithin(now, window.start, window.activateBy);
  }).length;
}

function isWithin(at: Temporal.ZonedDateTime, start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime): boolean {
  return at.epochMilliseconds >= start.epochMilliseconds && at.epochMilliseconds < end.epochMilliseconds;
}
