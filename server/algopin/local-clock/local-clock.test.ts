import { describe, expect, test } from 'vitest';
import { Temporal } from '../../temporal.ts';
import { fullHoursWithin, sameTimeLater, wallClock } from '../reference/wall-clock.ts';
import { localDaysLater } from './local-days-later.ts';
import { isWholeHour, lastWholeHour, millisecondsPerHour, nextWholeHour, wholeHourWithin } from './whole-hours.ts';

// If these fail, some hour in some time zone has no code, or two hours share one.

const timeZones = Intl.supportedValuesOf('timeZone');
const from = Temporal.Instant.from('2024-01-01T00:00Z');
const until = Temporal.Instant.from('2040-01-01T00:00Z');

/** Every change of the clocks from 2024 to 2039, once for zones that change alike. */
function changes(): readonly { readonly timeZone: string; readonly at: number }[] {
  const seen = new Map<string, { timeZone: string; at: number }>();
  for (const timeZone of timeZones) {
    let change = from.toZonedDateTimeISO(timeZone).getTimeZoneTransition('next');
    while (change !== null && Temporal.Instant.compare(change.toInstant(), until) < 0) {
      const at = change.epochMilliseconds;
      seen.set(`${at} ${change.offset}`, { timeZone, at });
      change = change.getTimeZoneTransition('next');
    }
  }
  return [...seen.values()];
}

const found = changes();
/** Lord Howe Island is the only zone that moves its clocks by half an hour. */
const changesByHalfAnHour = ({ timeZone }: { readonly timeZone: string }) => timeZone === 'Australia/Lord_Howe';

test('there are some hundred changes of the clocks until 2040', () => {
  expect(found.length).toBeGreaterThan(200);
});

// All changes take 6 s on an idle machine.
for (const { share, all, tags } of [
  {
    share: 'a fifth of the changes',
    all: found.filter((change, index) => index % 5 === 0 || changesByHalfAnHour(change)),
    tags: [],
  },
  { share: 'every change', all: found, tags: ['full'] },
])
  describe(`around ${share} of the clocks until 2040`, { tags }, () => {
    test('an hour of UTC has the whole hour that the wall clock shows, and never two', () => {
      const wrong = all.flatMap(({ timeZone, at }) => {
        const first = Math.floor(at / millisecondsPerHour) * millisecondsPerHour;
        return [-2, -1, 0, 1, 2]
          .map((hours) => first + hours * millisecondsPerHour)
          .filter((hour) => {
            const [want, second] = fullHoursWithin(hour, timeZone);
            const got = wholeHourWithin(Temporal.Instant.fromEpochMilliseconds(hour), timeZone)?.epochMilliseconds;
            return got !== want || second !== undefined;
          })
          .map((hour) => `${timeZone} ${new Date(hour).toISOString()}`);
      });
      expect(wrong).toEqual([]);
    });

    test('an hour of UTC without a whole hour exists on Lord Howe Island alone', () => {
      const without = all.filter(({ timeZone, at }) => {
        const hour = Math.floor(at / millisecondsPerHour) * millisecondsPerHour;
        return fullHoursWithin(hour, timeZone).length === 0;
      });
      expect([...new Set(without.map(({ timeZone }) => timeZone))]).toEqual(['Australia/Lord_Howe']);
    });

    test('the hours before and after a time are the nearest full ones on the wall clock', () => {
      const wrong = all.flatMap(({ timeZone, at }) =>
        [-95, -40, -31, -1, 0, 1, 29, 30, 45, 95]
          .map((minutes) => at + minutes * 60_000)
          .filter((time) => {
            const clock = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
            return (
              lastWholeHour(clock).epochMilliseconds !== walk(time, -60_000, timeZone) ||
              nextWholeHour(clock).epochMilliseconds !== walk(time, 60_000, timeZone)
            );
          })
          .map((time) => `${timeZone} ${new Date(time).toISOString()}`),
      );
      expect(wrong).toEqual([]);
    });

    test('a day lasts until the wall clock first shows the time of its start, or a later one', () => {
      const wrong = all.flatMap(({ timeZone, at }) =>
        [-2, -1, 0, 1]
          .map((hours) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).add({ hours }))
          .map((near) => lastWholeHour(near.subtract({ days: 29 })))
          .filter(
            (start) =>
              localDaysLater(start, 29).epochMilliseconds !== sameTimeLater(start.epochMilliseconds, 29, timeZone),
          )
          .map(String),
      );
      expect(wrong).toEqual([]);
    });
  });

test('every zone has a whole hour in every hour of an ordinary day', () => {
  const noon = Temporal.Instant.from('2026-07-15T12:00Z');
  for (const timeZone of timeZones) {
    const hour = wholeHourWithin(noon, timeZone);
    expect(hour && isWholeHour(hour), timeZone).toBe(true);
  }
});

/** A lock that lost its clock shows 1970, when the offsets of some zones still had seconds. */
test('a clock that is seconds off UTC has whole hours too', () => {
  const hour = wholeHourWithin(Temporal.Instant.from('1970-01-01T00:00Z'), 'Africa/Monrovia');
  expect(hour?.toInstant()).toEqual(Temporal.Instant.from('1970-01-01T00:44:30Z'));
});

test('a time within a second of a whole hour is not a whole hour', () => {
  const clock = (text: string) => Temporal.ZonedDateTime.from(`${text}[Europe/Berlin]`);
  expect(isWholeHour(clock('2026-12-01T15:00:00.000000001'))).toBe(false);
  expect(lastWholeHour(clock('2026-12-01T15:59:59.999999999')).equals(clock('2026-12-01T15:00'))).toBe(true);
  expect(nextWholeHour(clock('2026-12-01T15:00:00.000000001')).equals(clock('2026-12-01T16:00'))).toBe(true);
});

function walk(time: number, step: number, timeZone: string): number {
  let at = time;
  while (!wallClock(at, timeZone).endsWith(':00:00')) at += step;
  return at;
}
