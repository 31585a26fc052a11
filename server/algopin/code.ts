import type { CodeKind } from './kinds.ts';

/** The meaning of nine digits. It determines them together with the key of a device. */
export interface Code {
  readonly kind: CodeKind;
  /** A whole hour on the clock of the device's property. */
  readonly startsAt: Temporal.Instant;
  /** Hours (hourly), local days (daily), hours that an entry keeps the lock open (passage), 0 for the others. */
  readonly duration: number;
  /** The number of the code among those of the same window, from 1. */
  readonly variance: number;
}

/** Half-open: a code opens from `start` on and no longer at `end`. */
export interface CodeWindow {
  readonly start: Temporal.ZonedDateTime;
  /** Null: the code opens until a person cancels it at the lock. */
  readonly end: Temporal.ZonedDateTime | null;
  /** The first use must be before this time, which is never after `end`. */
  readonly activateBy: Temporal.ZonedDateTime;
}
