/**
 * The same wall-clock time some days later, also if the clocks change in between.
 *
 * @returns the first of the two times in a repeated hour; the first valid time after a skipped one. For a skipped time, Temporal itself
 *   adds the length of the gap: 04:00 for 02:00 at Troll station, which skips two hours.
 */
export function localDaysLater(start: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime {
  const end = start.add({ days });
  if (end.hour === start.hour && end.minute === start.minute) return end;
  const change = end.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  return change ?? end;
}
