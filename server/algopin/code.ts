import type { CodeKind } from './kinds.ts';

/** What nine digits stand for. The digits are this and the key of a device, nothing else. */
export interface Code {
  readonly kind: CodeKind;
  /** A whole hour on the clock of the device's property. */
  readonly startsAt: Temporal.Instant;
  /** Hours (hourly), local days (daily), hours that an entry keeps the lock open (passage), 0 for the others. */
  readonly duration: number;
  /** Which of the codes of this window, from 1. */
  readonly variance: number;
}

/** Half-open: a code opens from `start` on and no longer at `end`. */
export interface CodeWindow {
  readonly start: Temporal.ZonedDateTime;
  /** Null: until a person ends it at the lock. */
  readonly end: Temporal.ZonedDateTime | null;
  /** The first use comes before it; never after `end`. */
  readonly activateBy: Temporal.ZonedDateTime;
}
