/** The rule that a requested window breaks, with the nearest valid values. */
export interface WindowFault {
  readonly rule: 'window_not_aligned' | 'window_in_past' | 'window_too_far' | 'window_length';
  readonly field: 'startDate' | 'endDate';
  /** The rule in a few words. */
  readonly says: string;
  /** A sentence with the field, the value that was sent, and valid values. */
  readonly text: string;
  /** The valid values next to what was sent, earliest first, as local times with their offset (RFC 3339). */
  readonly nearest: readonly string[];
}

/** The contract's format of a time: the years 0 to 9999, whole minutes, an offset of whole minutes. */
const writable = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00[+-]\d{2}:\d{2}$/;

/** Keeps the times that a client can send. */
export function keepWritable(times: readonly Temporal.ZonedDateTime[]): readonly Temporal.ZonedDateTime[] {
  return times.filter((time) => writable.test(formatTime(time)));
}

/**
 * The text that was sent, followed by its local time unless the text is that local time or RFC 3339 can't express it.
 *
 * @param local is shown instead of `formatTime(sent)`
 */
export function describeSent(
  sent: Temporal.ZonedDateTime,
  written: string | undefined,
  local = formatTime(sent),
): string {
  if (written === undefined || isLocal(sent, written)) return local;
  return /^\d{4}-/.test(formatTime(sent)) ? `${written} (${local})` : written;
}

/** Whether a text is a local time: the same date, hour and minute, and the same offset. */
function isLocal(sent: Temporal.ZonedDateTime, written: string): boolean {
  const local = formatTime(sent);
  return written.slice(0, 16) === local.slice(0, 16) && (written.endsWith(sent.offset) || written === local);
}

/** `2026-12-01T15:00:00+01:00`, with a fraction of a second if there is one. */
export function formatTime(at: Temporal.ZonedDateTime): string {
  return at.toString({ timeZoneName: 'never' });
}
