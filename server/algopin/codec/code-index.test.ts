import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Temporal } from '../../temporal.ts';
import { type CodeKind, codeKinds } from '../kinds.ts';
import { referenceIndex } from '../reference/reference.ts';
import { codesPerHour, epoch, fromIndex, hoursPerCycle, indices, toIndex } from './code-index.ts';

const at = (text: string) => Temporal.Instant.from(text);
const utc = (text: string) => at(text).toZonedDateTimeISO('UTC');
const kinds = Object.entries(codeKinds).map(([kind, bounds]) => ({ kind: kind as CodeKind, ...bounds }));

/** First and last duration and variance of every kind, in the order of the scheme. */
const edges = kinds.flatMap(({ kind, shortest, longest, variances }) => [
  { kind, duration: shortest, variance: 1 },
  { kind, duration: longest, variance: variances },
]);

describe('places within an hour', () => {
  test('run from kind to kind without a gap', () => {
    const places = edges.map((code) => toIndex({ ...code, startsAt: epoch }));
    expect(places).toEqual([0, 2015, 2016, 3032, 3033, 3037, 3038, 3042, 3043, codesPerHour - 1]);
  });

  test('are all decoded again, in the first and the last hour of the cycle', () => {
    for (const hour of [0, hoursPerCycle - 1]) {
      const now = epoch.add({ hours: hour }).toZonedDateTimeISO('UTC');
      const seen = Array.from({ length: codesPerHour }, (_, place) => {
        const index = hour * codesPerHour + place;
        const code = fromIndex(index, now);
        return code?.startsAt.equals(now.toInstant()) && toIndex(code) === index;
      });
      expect(seen.filter((isSame) => isSame !== true)).toEqual([]);
    }
  });

  test.each([
    ...kinds.flatMap(({ kind, shortest, longest, variances }) => [
      { kind, duration: shortest - 1, variance: 1 },
      { kind, duration: longest + 1, variance: 1 },
      { kind, duration: shortest, variance: 0 },
      { kind, duration: shortest, variance: variances + 1 },
      { kind, duration: shortest + 0.5, variance: 1 },
    ]),
  ])('there is none for $kind, duration $duration, variance $variance', (code) => {
    expect(() => toIndex({ ...code, startsAt: epoch })).toThrow(RangeError);
  });
});

test('agrees with a list of all codes', () => {
  fc.assert(
    fc.property(anyCode(), fc.integer({ min: -1_000_000, max: 1_000_000 }), (code, hours) => {
      const startsAt = epoch.add({ hours });
      expect(toIndex({ ...code, startsAt })).toBe(referenceIndex({ ...code, start: startsAt.epochMilliseconds }));
    }),
  );
});

describe('the cycle', () => {
  test('is the one whose start is nearest to the clock', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: indices - 1 }),
        fc.integer({ min: -900_000, max: 900_000 }),
        (index, hours) => {
          const now = epoch.add({ hours }).toZonedDateTimeISO('Asia/Kathmandu');
          const code = fromIndex(index, now);
          if (code === undefined) throw new Error('Kathmandu has a whole hour in every hour of UTC');
          expect(toIndex(code)).toBe(index);
          const away = Math.abs(code.startsAt.since(now.toInstant()).total('hour'));
          expect(away).toBeLessThanOrEqual(hoursPerCycle / 2 + 1);
        },
      ),
    );
  });

  test.each([
    { now: '2024-01-01T00:00Z', want: '2024-01-01T00:00Z' },
    { now: '2039-12-31T23:00Z', want: '2024-01-01T00:00Z' },
    { now: '2040-01-01T01:00Z', want: '2056-01-01T00:00Z' },
    { now: '2056-01-01T00:00Z', want: '2056-01-01T00:00Z' },
    { now: '2007-12-31T00:00Z', want: '1992-01-01T00:00Z' },
    { now: '1970-01-01T00:00Z', want: '1960-01-01T00:00Z' },
  ])('of hour 0 starts at $want on $now', ({ now, want }) => {
    expect(fromIndex(0, utc(now))?.startsAt).toEqual(at(want));
  });
});

test('a number beyond the last code has no code', () => {
  expect(fromIndex(indices - 1, utc('2026-01-01T00:00Z'))).toMatchObject({
    kind: 'passage',
    duration: 24,
    variance: 3,
  });
  expect(fromIndex(indices, utc('2026-01-01T00:00Z'))).toBeUndefined();
  expect(fromIndex(899_999_999, utc('2026-01-01T00:00Z'))).toBeUndefined();
});

function anyCode() {
  return fc.constantFrom(...kinds).chain(({ kind, shortest, longest, variances }) =>
    fc.record({
      kind: fc.constant(kind),
      duration: fc.integer({ min: shortest, max: longest }),
      variance: fc.integer({ min: 1, max: variances }),
    }),
  );
}
