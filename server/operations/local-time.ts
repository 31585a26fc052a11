import type { EpochMilliseconds } from '../clock.ts';
import { Temporal } from '../temporal.ts';

/**
 * Writes an instant as people at the device read it: local time with its offset from UTC, whole seconds, `2026-12-01T15:00:00+01:00`.
 *
 * @param timezone IANA name; null (no property, or one without a timezone) writes UTC as `+00:00`
 * @throws RangeError for a name that the runtime's time zone data does not have: imports check it
 * @see RFC 3339, 5.6. Its offset has no seconds, which no zone has needed since 1972.
 */
export function formatLocalTime(at: EpochMilliseconds, timezone: string | null): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toString({
    smallestUnit: 'second',
    roundingMode: 'floor',
    timeZone: timezone ?? 'UTC',
  });
}
