import type { EpochMilliseconds } from '../../clock.ts';
import { Temporal } from '../../temporal.ts';

/** A filter of the log as it was sent: a whole local day, or an instant. */
export type LogTime =
  | { readonly kind: 'day'; readonly text: string; readonly day: Temporal.PlainDate }
  | { readonly kind: 'instant'; readonly text: string; readonly at: EpochMilliseconds };

export interface LogTimeFault {
  readonly kind: 'fault';
  /** What follows the field: `2026-02-30 is no date, use 2026-02-28`. */
  readonly says: string;
  readonly nearest: readonly string[];
}

/** Groups: year, month, day; hour, minute, second, fraction, offset. */
const form = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(\.\d{1,3})?(Z|[+-]\d{2}:\d{2}))?$/;
const offsetForm = /^(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads a `LogTime` of the contract. The schema has judged its digits; whether the calendar and the clock have it is judged here.
 * A second 60 is refused, since no clock here shows one.
 *
 * @param sent a space before the offset is read as `+`, which is what an unencoded `+` of a query becomes
 */
export function readLogTime(sent: string): LogTime | LogTimeFault {
  const text = sent.replace(' ', '+');
  const [, year, month, day, hour, minute, second, , offset] = form.exec(text) ?? [];
  try {
    if (hour === undefined) return { kind: 'day', text, day: Temporal.PlainDate.from(text) };
    // Temporal keeps no leap seconds, and would read a second 60 as 59.
    if (second !== '60') return { kind: 'instant', text, at: Temporal.Instant.from(text).epochMilliseconds };
  } catch {
    // A date that the calendar does not have, or an hour, minute or offset that no clock shows.
  }
  const date = Temporal.PlainDate.from({
    year: Number(year),
    month: Math.max(1, Number(month)),
    day: Math.max(1, Number(day)),
  });
  if (hour === undefined) return describe(text, 'date', date.toString());
  if (offset === undefined || !offsetForm.test(offset)) return describe(text, 'time', undefined);
  const time = date
    .toPlainDateTime()
    .add({ hours: Number(hour), minutes: Number(minute), seconds: Number(second) })
    .toString({ smallestUnit: 'second' });
  return describe(text, 'time', `${time}${offset}`);
}

function describe(text: string, what: 'date' | 'time', good: string | undefined): LogTimeFault {
  const nearest = good !== undefined && form.test(good) ? [good] : [];
  return { kind: 'fault', says: [`${text} is no ${what}`, ...nearest].join(', use '), nearest };
}

/** The first instant that the filter lets in: of a day its first moment there, be it 01:00 where clocks go forward at midnight. */
export function startOf(time: LogTime, timezone: string): EpochMilliseconds {
  return time.kind === 'instant' ? time.at : startOfDay(time.day, timezone);
}

/** The first instant that it shuts out: after a day all of it, 23 or 25 hours where clocks change. */
export function endOf(time: LogTime, timezone: string): EpochMilliseconds {
  return time.kind === 'instant' ? time.at : startOfDay(time.day.add({ days: 1 }), timezone);
}

/** Whether nothing can lie between the two. Days are compared as days: one that a zone left out is empty, not reversed. */
export function isReversed(start: LogTime, end: LogTime, timezone: string): boolean {
  if (start.kind === 'day' && end.kind === 'day') return Temporal.PlainDate.compare(end.day, start.day) < 0;
  return endOf(end, timezone) <= startOf(start, timezone);
}

/** The local day of a time, which is always a good end of a range that starts then; undefined beyond the year 9999. */
export function dayOf(time: LogTime, timezone: string): string | undefined {
  const day =
    time.kind === 'day'
      ? time.day
      : Temporal.Instant.fromEpochMilliseconds(time.at).toZonedDateTimeISO(timezone).toPlainDate();
  return form.test(day.toString()) ? day.toString() : undefined;
}

function startOfDay(day: Temporal.PlainDate, timezone: string): EpochMilliseconds {
  return day.toZonedDateTime(timezone).epochMilliseconds;
}
