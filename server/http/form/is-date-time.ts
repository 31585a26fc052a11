import { Temporal } from '../../temporal.ts';

const form = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:(?!60)\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Whether a text is a date-time that names an instant: the day is in the calendar, hour, minute and offset are on a clock.
 *
 * Stricter than `ajv-formats`, which looks for a leap second in UTC and lets hours and minutes of any size through there, as
 * 24:59:00+01:00. A second 60 is refused, since no clock here shows one: Temporal would read it as 59, `Date` not at all.
 *
 * @see RFC 3339, 5.6
 */
export function isDateTime(text: string): boolean {
  if (!form.test(text)) return false;
  try {
    // RFC 3339 has no bound on the digits of a fraction, Temporal takes nine.
    Temporal.Instant.from(text.replace(/(\.\d{9})\d+/, '$1'));
    return true;
  } catch {
    return false;
  }
}
