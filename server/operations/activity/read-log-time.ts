import type { EpochMilliseconds } from '../../clock.ts';
import { Temporal } from '../../temporal.ts';

/** A filter of the log as it was sent: a whole local day, or an instant. */
export type LogTime =
  | { readonly kind: 'day'; readonly text: string; readonly day: Temporal.PlainDate }
  | { readonly kind: 'instant'; readonly text: string; readonly at: EpochMilliseconds };

export interface LogTimeFault {
  readonly kind: 'fault';
  /** The message after the field's name: `2026-02-30 is no date, use 2026-02-28`. */
  readonly says: string;
  readonly nearest: readonly string[];
}

/** Groups: year, month, day; hour, minute, second, fraction, offset. */
const logTimePattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;
const offsetPattern = /^(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads a `LogTime` of the contract. The schema has checked its digits; this function checks calendar and clock. It rejects a second 60,
 * since the clocks of devices have no leap seconds.
 *
 * @param sent a space before the offset is read as `+`, which is what an unencoded `+` of a query becomes
 */
export function readLogTime(sent: string): LogTime | LogTimeFault {
  const text = sent.replace(' ', '+');
  const [, year, month, day, hour, minute, second, , offset] = logTimePattern.exec(text) ?? [];
  try {
    if (hour === undefined) return { kind: 'day', text, day: Temporal.PlainDate.from(text) };
    // Temporal keeps no leap seconds, and would read a second 60 as 59.
    if (second !== '60') return { kind: 'instant', text, at: Temporal.Instant.from(text).epochMilliseconds };
  } catch {
    // The calendar does not have the date, or no clock shows the hour, minute or offset.
  }
  const date = Temporal.PlainDate.from({
    year: Number(year),
    month: Math.max(1, Number(month)),
    day: Math.max(1, Number(day)),
  });
  if (hour === undefined) return describe(text, 'date', date.toString());
  if (offset === undefined || !offsetPattern.test(offset)) return describe(text, 'time', undefined);
  const time = date
    .toPlainDateTime()
    .add({ hours: Number(hour), minutes: Number(minute), seconds: Number(second) })
    .toString({ smallestUnit: 'second' });
  return describe(text, 'time', `${time}${offset}`);
}

function describe(text: string, what: 'date' | 'time', good: string | undefined): LogTimeFault {
  const nearest = good !== undefined && logTimePattern.test(good) ? [good] : [];
  return { kind: 'fault', says: [`${text} is no ${what}`, ...nearest].join(', use '), nearest };
}

/** The first instant inside the filter. A day can start at 01:00, when clocks go forward at midnight. */
export function startOf(time: LogTime, timezone: string): EpochMilliseconds {
  return time.kind === 'instant' ? time.at : startOfDay(time.day, timezone);
}

/** The first instant after the filter. A day of a clock change has 23 or 25 hours. */
export function endOf(time: LogTime, timezone: string): EpochMilliseconds {
  return time.kind === 'instant' ? time.at : startOfDay(time.day.add({ days: 1 }), timezone);
}

/** Whether the range can't contain an instant. Days are compared as dates: a day that the zone skipped is empty, not reversed. */
export function isReversed(start: LogTime, end: LogTime, timezone: string): boolean {
  if (start.kind === 'day' && end.kind === 'day') return Temporal.PlainDate.compare(end.day, start.day) < 0;
  return endOf(end, timezone) <= startOf(start, timezone);
}

/** The local day of a time, always a valid end of a range that starts at that time; undefined after the year 9999. */
export function dayOf(time: LogTime, timezone: string): string | undefined {
  const day =
    time.kind === 'day'
      ? time.day
      : Temporal.Instant.fromEpochMilliseconds(time.at).toZonedDateTimeISO(timezone).toPlainDate();
  return logTimePattern.test(day.toString()) ? day.toString() : undefined;
}

function startOfDay(day: Temporal.PlainDate, timezone: string): EpochMilliseconds {
  return day.toZonedDateTime(timezone).epochMilliseconds;
}
