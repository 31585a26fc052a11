/**
 * The same wall-clock time some days later, also when clocks change in between.
 *
 * @returns in an hour that clocks repeat the first of the two; for a time that they skip the first valid time after it. Temporal's
 *   own answer there lies as far behind the skipped hours as the time lay in them: 04:00 for 02:00 at Troll station, which skips two.
 */
export function localDaysLater(start: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime {
  const end = start.add({ days });
  if (end.hour === start.hour && end.minute === start.minute) return end;
  const change = end.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  return change ?? end;
}
