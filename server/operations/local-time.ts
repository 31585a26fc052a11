import { LRUCache } from 'lru-cache';
import type { EpochMilliseconds } from '../clock.ts';
import { Temporal } from '../temporal.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];

/**
 * Days of UTC as clocks of a zone show them. A device that was paired years ago needs a day of its own; an entry takes some 250 bytes, all
 * of them 5 MB. The rules are those that the process was started with, so that an entry never ages.
 */
const days = new LRUCache<string, ClockDay>({ max: 20_000 });

/** `changing` where the clock is set on that day, or where its offset can't be written. */
type ClockDay =
  | {
      readonly kind: 'even';
      /** Milliseconds ahead of UTC, and as text. */
      readonly ahead: number;
      readonly offset: string;
      /** The local date at its beginning, in days since 1970, as text, and the date after that. */
      readonly firstDate: number;
      readonly dates: readonly [string, string];
    }
  | { readonly kind: 'changing' };

/**
 * Writes an instant as people at the device read it: local time with its offset from UTC, whole seconds, `2026-12-01T15:00:00+01:00`.
 *
 * @param timezone IANA name; null (no property, or one without a timezone) writes UTC as `+00:00`
 * @throws RangeError for a name that the runtime's time zone data does not have: imports check it
 * @see RFC 3339, 5.6. Its offset has no seconds, which no zone has needed since 1972.
 */
export function formatLocalTime(at: EpochMilliseconds, timezone: string | null): string {
  const zone = timezone ?? 'UTC';
  const day = findDay(Math.floor(at / dayMs), zone);
  if (day.kind === 'changing') return formatByTemporal(at, zone);
  // Temporal's polyfill takes 5 µs for it, which was a fourth of a page of devices; this takes 0.4.
  const local = at + day.ahead;
  const date = Math.floor(local / dayMs);
  const seconds = Math.floor((local - date * dayMs) / 1000);
  const time = `${pair(seconds / 3600)}:${pair((seconds / 60) % 60)}:${pair(seconds % 60)}`;
  return `${day.dates[date - day.firstDate]}T${time}${day.offset}`;
}

function findDay(day: number, zone: string): ClockDay {
  const key = `${day} ${zone}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const read = readDay(day, zone);
  days.set(key, read);
  return read;
}

/**
 * A day that begins and ends with one offset has no other in between: of the 78,000 changes of all zones no two are closer than four days
 * (Freetown in 1939; Boa Vista in 2000 with seven).
 */
function readDay(day: number, zone: string): ClockDay {
  const [ahead, atEnd] = [offsetAt(day * dayMs, zone), offsetAt((day + 1) * dayMs, zone)];
  if (ahead === undefined || ahead !== atEnd || ahead % minuteMs !== 0) return { kind: 'changing' };
  const minutes = Math.abs(ahead) / minuteMs;
  const firstDate = Math.floor((day * dayMs + ahead) / dayMs);
  return {
    kind: 'even',
    ahead,
    offset: `${ahead < 0 ? '-' : '+'}${pair(minutes / 60)}:${pair(minutes % 60)}`,
    firstDate,
    dates: [formatDate(firstDate), formatDate(firstDate + 1)],
  };
}

/** In milliseconds; undefined where `Date` may not hold the local time any more, 275,000 years away. */
function offsetAt(at: EpochMilliseconds, zone: string): number | undefined {
  if (Math.abs(at) > 8_640_000_000_000_000 - 3 * dayMs) return undefined;
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
}

/** Four digits for a year, six and a sign before 0 and after 9999, as Temporal writes it too. */
function formatDate(date: number): string {
  return new Date(date * dayMs).toISOString().slice(0, -'T00:00:00.000Z'.length);
}

const pairs = Array.from({ length: 60 }, (_, number) => `${number}`.padStart(2, '0'));

function pair(number: number): string | undefined {
  return pairs[Math.trunc(number)];
}

function formatByTemporal(at: EpochMilliseconds, timeZone: string): string {
  const format = { smallestUnit: 'second', roundingMode: 'floor', timeZone } as const;
  return Temporal.Instant.fromEpochMilliseconds(at).toString(format);
}
