/** Why a window can't be had, and what could. */
export interface WindowFault {
  readonly rule: 'window_not_aligned' | 'window_in_past' | 'window_too_far' | 'window_length';
  readonly field: 'startDate' | 'endDate';
  /** The rule in short. */
  readonly says: string;
  /** A sentence with the field, what was sent, and what would do. */
  readonly text: string;
  /** The valid values next to what was sent, earliest first: local times with their offset, RFC 3339. */
  readonly nearest: readonly string[];
}

/** `2026-12-01T15:00:00+01:00`, with a fraction of a second where there is one. */
export function formatTime(at: Temporal.ZonedDateTime): string {
  return at.toString({ timeZoneName: 'never' });
}
