import { isBefore } from '../local-clock/is-before.ts';
import { localDaysLater } from '../local-clock/local-days-later.ts';
import { isWholeHour, lastWholeHour, millisecondsPerHour, nextWholeHour } from '../local-clock/whole-hours.ts';
import { describeSent, formatTime, keepWritable, type WindowFault } from './window-fault.ts';

/** A year and a day, as long as the longest code. */
const furthestDays = 367;
const millisecondsPerDay = 24 * millisecondsPerHour;
const field = 'startDate';

/**
 * The rules of a start: a whole hour on the local clock, the current one at the earliest, and at most 367 days after it.
 *
 * @param written the client's text, if `sent` was read from one
 * @returns undefined for a start that satisfies the rules
 */
export function judgeStart(
  sent: Temporal.ZonedDateTime,
  currentHour: Temporal.ZonedDateTime,
  written?: string,
): WindowFault | undefined {
  if (isBefore(sent, currentHour)) {
    const first = formatTime(currentHour);
    const text = `${field} ${describeSent(sent, written)} is in the past, use ${first} or later`;
    return { rule: 'window_in_past', field, says: 'must not be before the current hour', text, nearest: [first] };
  }
  const furthest = furthestStart(sent, currentHour);
  if (furthest !== undefined && isBefore(furthest, sent)) {
    const last = formatTime(furthest);
    const text = `${field} ${describeSent(sent, written)} is more than ${furthestDays} days ahead, use ${last} or earlier`;
    return { rule: 'window_too_far', field, says: `must be at most ${furthestDays} days ahead`, text, nearest: [last] };
  }
  if (isWholeHour(sent)) return undefined;
  const nearest = keepWritable([lastWholeHour(sent), nextWholeHour(sent)]);
  const [shown = '', ...use] = shorten([sent, ...nearest], written);
  return {
    rule: 'window_not_aligned',
    field,
    says: `must be a whole hour in ${sent.timeZoneId}`,
    text: `${field} ${describeSent(sent, written, shown)} is not a whole hour in ${sent.timeZoneId}, use ${use.join(' or ')}`,
    nearest: nearest.map(formatTime),
  };
}

/** @returns undefined for a start that is clearly near enough: the calendar takes a sixth of the time of all rules */
function furthestStart(sent: Temporal.ZonedDateTime, currentHour: Temporal.ZonedDateTime) {
  const isNear = sent.epochMilliseconds - currentHour.epochMilliseconds < (furthestDays - 1) * millisecondsPerDay;
  return isNear ? undefined : lastWholeHour(localDaysLater(currentHour, furthestDays));
}

/** Hours and minutes if all times share the date that was sent and one offset; otherwise the full times. */
function shorten(times: readonly Temporal.ZonedDateTime[], written: string | undefined): readonly string[] {
  const isSameDate =
    written === undefined || times[0] === undefined || written.startsWith(formatTime(times[0]).slice(0, 10));
  const isEnough =
    isSameDate &&
    times.every(
      (time) =>
        time.offset === times[0]?.offset && time.day === times[0]?.day && time.second === 0 && time.millisecond === 0,
    );
  return times.map(isEnough ? (time) => time.toPlainTime().toString({ smallestUnit: 'minute' }) : formatTime);
}
