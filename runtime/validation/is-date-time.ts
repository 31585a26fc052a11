const form =
  /^(?<year>\d{4})-(?<month>0[1-9]|1[0-2])-(?<day>\d{2})[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Whether a text is a date-time that names an instant: a day of the calendar, with valid hour, minute and offset.
 *
 * Stricter than `ajv-formats`, which looks for a leap second in UTC and then accepts hours and minutes of any size, as
 * 24:59:00+01:00. A second 60 is rejected, since Temporal would read it as 59, and `Date` does not parse it.
 *
 * @see RFC 3339, 5.6
 */
export function isDateTime(text: string): boolean {
  const { year, month, day } = form.exec(text)?.groups ?? {};
  return Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
}

/** RFC 3339, appendix C for leap years. */
function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
