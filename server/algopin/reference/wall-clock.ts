// Local time without Temporal, for tests alone: the clock as Intl formats it, read minute by minute.

const minute = 60_000;
const hour = 60 * minute;
const formats = new Map<string, Intl.DateTimeFormat>();

/** @returns `2026-12-01 15:00:00`, which sorts by time: the Swedish format of a date */
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

/** The first time, `days` dates after `start`, at which the clock shows the same time of day or a later one. */
export function sameTimeLater(start: number, days: number, timeZone: string): number {
  const [date = '', time = ''] = wallClock(start, timeZone).split(' ');
  const wanted = `${new Date(Date.parse(date) + days * 24 * hour).toISOString().slice(0, 10)} ${time}`;
  const around = start + days * 24 * hour;
  const isReached = (at: number) => wallClock(at, timeZone) >= wanted;
  // Quarters of an hour come first, to format fewer than 3,000 minutes: a clock that has reached the time does not go back within a quarter.
  const quarter = range(around - 26 * hour, around + 26 * hour, 15 * minute).find(isReached);
  const found = quarter && range(quarter - 15 * minute, quarter + minute, minute).find(isReached);
  if (found === undefined) throw new Error(`${timeZone} has no ${wanted}`);
  return found;
}

function range(first: number, end: number, step: number): number[] {
  return Array.from({ length: (end - first) / step }, (_, index) => first + index * step);
}
