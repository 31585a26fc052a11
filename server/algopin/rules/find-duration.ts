import { type CodeKind, codeKinds } from '../kinds.ts';
import { isBefore } from '../local-clock/is-before.ts';
import { millisecondsPerHour } from '../local-clock/whole-hours.ts';
import { describeSent, formatTime, keepWritable, type WindowFault } from './window-fault.ts';

const { hourly, daily } = codeKinds;

/** Differences between the two kinds whose duration is given by an end. */
const lengths = {
  hourly: {
    kind: hourly,
    guess: Math.floor,
    hours: 1,
    offBy: [0, 1],
    says: `${hourly.shortest} to ${hourly.longest} whole hours after startDate`,
    elsewhere: `for ${daily.shortest} to ${daily.longest} days create a daily code`,
  },
  daily: {
    kind: daily,
    guess: Math.round,
    hours: 24,
    // The guess is the nearest day: its end is before or after the time that was sent.
    offBy: [-1, 0, 1],
    says: `${daily.shortest} to ${daily.longest} days after startDate, at the same time of day`,
    elsewhere: `for ${hourly.shortest} to ${hourly.longest} hours create an hourly code`,
  },
} as const;

export type KindGivenByEnd = keyof typeof lengths;

export function isGivenByEnd(kind: CodeKind): kind is KindGivenByEnd {
  return Object.hasOwn(lengths, kind);
}

/**
 * The duration that gives a code exactly the end that was sent.
 *
 * @param start a start that `judgeStart` accepts
 * @param written the client's text, if `sent` was read from one
 * @returns a value for `Code.duration`, or the fault with the nearest earlier and later end
 */
export function findDuration(
  name: KindGivenByEnd,
  start: Temporal.ZonedDateTime,
  sent: Temporal.ZonedDateTime,
  written?: string,
): number | WindowFault {
  const { kind, guess, hours, offBy } = lengths[name];
  const guessed = guess((sent.epochMilliseconds - start.epochMilliseconds) / (hours * millisecondsPerHour));
  // The guess is nearly always right, and each further end takes as long as the whole search.
  if (guessed >= kind.shortest && guessed <= kind.longest && isSame(kind.end(start, guessed), sent)) return guessed;
  const lowest = Math.max(kind.shortest, Math.min(guessed + offBy[0], kind.longest - offBy.length + 1));
  const ends = offBy.map((_, index) => kind.end(start, lowest + index));
  const exact = ends.findIndex((end) => isSame(end, sent));
  return exact >= 0 ? lowest + exact : explain(name, start, sent, ends, written);
}

function explain(
  name: KindGivenByEnd,
  start: Temporal.ZonedDateTime,
  sent: Temporal.ZonedDateTime,
  ends: readonly Temporal.ZonedDateTime[],
  written: string | undefined,
): WindowFault {
  const given = `endDate ${describeSent(sent, written)}`;
  const longestHourly = hourly.end(start, hourly.longest);
  const shortestDaily = daily.end(start, daily.shortest);
  if (isBefore(longestHourly, sent) && isBefore(sent, shortestDaily)) {
    const use = `${hourly.longest} hours (hourly) or ${daily.shortest} days (daily)`;
    return fault(`${given} is ${elapsed(start, sent)} after startDate, use ${use}:`, `must be ${use} after startDate`, [
      longestHourly,
      shortestDaily,
    ]);
  }
  const { says, elsewhere } = lengths[name];
  const other = {
    hourly: isWithin(sent, shortestDaily, daily.end(start, daily.longest)),
    daily: isWithin(sent, hourly.end(start, hourly.shortest), longestHourly),
  };
  const hint = other[name] ? `; ${elsewhere}` : '';
  return fault(`${given} is not ${says} (${formatTime(start)}), use`, `must be ${says}`, enclose(ends, sent), hint);
}

function isSame(one: Temporal.ZonedDateTime, other: Temporal.ZonedDateTime): boolean {
  return one.epochNanoseconds === other.epochNanoseconds;
}

function isWithin(at: Temporal.ZonedDateTime, first: Temporal.ZonedDateTime, last: Temporal.ZonedDateTime): boolean {
  return !isBefore(at, first) && !isBefore(last, at);
}

/** @returns the end before and the end after, or the two nearest if all are on one side */
function enclose(ends: readonly Temporal.ZonedDateTime[], sent: Temporal.ZonedDateTime) {
  const before = ends.filter((end) => isBefore(end, sent)).length;
  const from = Math.max(0, Math.min(before - 1, ends.length - 2));
  return ends.slice(from, from + 2);
}

function fault(text: string, says: string, ends: readonly Temporal.ZonedDateTime[], hint = ''): WindowFault {
  const nearest = keepWritable(ends).map(formatTime);
  return { rule: 'window_length', field: 'endDate', says, text: `${text} ${nearest.join(' or ')}${hint}`, nearest };
}

/** `675 hours`, `675 hours and 30 minutes`. */
function elapsed(start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime): string {
  const { hours, minutes } = start.until(end, { largestUnit: 'hour' });
  return minutes === 0 ? `${hours} hours` : `${hours} hours and ${minutes} minutes`;
}
