// Most zones are whole hours from UTC; some are not (+05:30, +05:45), and Lord Howe changes its clock by half an hour. A step across that
// change can end at half past instead of a full hour: hence the loops. They add and subtract elapsed time.

/** Whether the clock shows a full hour, to the nanosecond. */
export function isWholeHour(at: Temporal.ZonedDateTime): boolean {
  return at.minute === 0 && at.second === 0 && at.millisecond === 0 && at.microsecond === 0 && at.nanosecond === 0;
}

/** The latest whole hour of the local clock that is not after `at`: "the current hour". */
export function lastWholeHour(at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  let hour = at;
  while (!isWholeHour(hour)) hour = hour.subtract(pastTheHour(hour));
  return hour;
}

/** The first whole hour of the local clock that is not before `at`. */
export function nextWholeHour(at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  let hour = at;
  while (!isWholeHour(hour)) hour = hour.subtract(pastTheHour(hour)).add({ hours: 1 });
  return hour;
}

/**
 * The whole hour of the local clock that falls in the given hour of UTC.
 *
 * @param utcHour start of the hour of UTC
 * @returns undefined if there is none, as when Lord Howe skips half an hour
 */
export function wholeHourWithin(utcHour: Temporal.Instant, timeZone: string): Temporal.ZonedDateTime | undefined {
  const hour = nextWholeHour(utcHour.toZonedDateTimeISO(timeZone));
  return hour.epochMilliseconds < utcHour.epochMilliseconds + millisecondsPerHour ? hour : undefined;
}

export const millisecondsPerHour = 3_600_000;

function pastTheHour(at: Temporal.ZonedDateTime) {
  return {
    minutes: at.minute,
    seconds: at.second,
    milliseconds: at.millisecond,
    microseconds: at.microsecond,
    nanoseconds: at.nanosecond,
  };
}
