// Local time without Temporal, for tests alone: what Intl writes on the clock, and a walk from minute to minute.

const minute = 60_000;
const hour = 60 * minute;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @returns `2026-12-01 15:00:00`; such texts sort as the times do. Swedish, since that is how Swedes write a date. */
export function wallClock(at: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(at);
}

/** Every time within the hour of UTC at which the clock shows a full hour. */
export function fullHoursWithin(utcHour: number, timeZone: string): number[] {
  return range(utcHour, utcHour + hour, minute).filter((at) => wallClock(at, timeZone).endsWith(':00:00'));
}

/** The first time at which the clock shows the same time of day or a later one, so many dates after `start`. */
export function sameTimeLater(start: number, days: number, timeZone: string): number {
  const [date = '', time = ''] = wallClock(start, timeZone).split(' ');
  const wanted = `${new Date(Date.parse(date) + days * 24 * hour).toISOString().slice(0, 10)} ${time}`;
  const around = start + days * 24 * hour;
  const isReached = (at: number) => wallClock(at, timeZone) >= wanted;
  // By quarters of an hour first, or 3,000 minutes were written to find one: no clock that has come so far goes back within a quarter.
  const quarter = range(around - 26 * hour, around + 26 * hour, 15 * minute).find(isReached);
  const found = quarter && range(quarter - 15 * minute, quarter + minute, minute).find(isReached);
  if (found === undefined) throw new Error(`${timeZone} has no ${wanted}`);
  return found;
}

function range(first: number, end: number, step: number): number[] {
  return Array.from({ length: (end - first) / step }, (_, index) => first + index * step);
}
