import { Temporal } from '../../temporal.ts';
import type { Code } from '../code.ts';
import { type CodeKind, codeKinds, type KindOfCode } from '../kinds.ts';
import { millisecondsPerHour, wholeHourWithin } from '../local-clock/whole-hours.ts';

/** Start of hour 0. */
export const epoch = Temporal.Instant.from('2024-01-01T00:00Z');
/** 32 years of 365.25 days. After them the hours count from 0 again. */
export const hoursPerCycle = 280_512;

const rows = Object.entries(codeKinds).map(([kind, of]: [string, KindOfCode]) => ({
  kind: kind as CodeKind,
  of,
  codes: (of.longest - of.shortest + 1) * of.variances,
}));
/** 3,115. */
export const codesPerHour = rows.reduce((sum, { codes }) => sum + codes, 0);
/** 873,794,880. Nine digits from 100,000,000 on have room for 26 million more. */
export const indices = hoursPerCycle * codesPerHour;

/**
 * The number of a code: the hour of UTC in which it starts, then its place within the hour.
 *
 * @returns 0 to `indices` - 1; two codes less than a cycle apart never share one
 * @throws RangeError for a duration or variance that the kind does not have
 */
export function toIndex(code: Code): number {
  const hour = Math.floor((code.startsAt.epochMilliseconds - epoch.epochMilliseconds) / millisecondsPerHour);
  return modulo(hour, hoursPerCycle) * codesPerHour + toPlace(code);
}

/**
 * The code of a number, in the cycle whose hour of UTC begins nearest to `now`; the later one of two that are equally near.
 *
 * @returns undefined for a number without a code: too large, or an hour of UTC without a whole hour on the local clock
 */
export function fromIndex(index: number, now: Temporal.ZonedDateTime): Code | undefined {
  if (index >= indices) return undefined;
  const hour = Math.floor(index / codesPerHour);
  const hoursToNow = (now.epochMilliseconds - epoch.epochMilliseconds) / millisecondsPerHour - hour;
  const cycle = Math.round(hoursToNow / hoursPerCycle);
  const utcHour = epoch.add({ hours: hour + cycle * hoursPerCycle });
  const start = wholeHourWithin(utcHour, now.timeZoneId);
  return start && { ...fromPlace(index % codesPerHour), startsAt: start.toInstant() };
}

function toPlace({ kind, duration, variance }: Code): number {
  let first = 0;
  for (const row of rows) {
    if (row.kind === kind) return first + placeInKind(row.of, duration, variance);
    first += row.codes;
  }
  throw new RangeError(`there is no kind of code ${kind}`);
}

function placeInKind({ shortest, longest, variances }: KindOfCode, duration: number, variance: number): number {
  if (!isWithin(duration, shortest, longest))
    throw new RangeError(`the duration must be ${shortest} to ${longest}, not ${duration}`);
  if (!isWithin(variance, 1, variances))
    throw new RangeError(`the variance must be 1 to ${variances}, not ${variance}`);
  return (duration - shortest) * variances + variance - 1;
}

function fromPlace(place: number): Pick<Code, 'kind' | 'duration' | 'variance'> {
  let rest = place;
  for (const { kind, of, codes } of rows) {
    if (rest < codes) {
      return { kind, duration: of.shortest + Math.floor(rest / of.variances), variance: (rest % of.variances) + 1 };
    }
    rest -= codes;
  }
  throw new RangeError(`there is no code ${place} in an hour`);
}

function isWithin(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}

/** Never negative, unlike `%`: a start before 2024 has a place in the cycle too. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
