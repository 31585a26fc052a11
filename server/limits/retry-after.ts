import type { EpochMilliseconds } from '../clock.ts';

/** Whole seconds until `end`, rounded up, at least 1. */
export function secondsUntil(end: EpochMilliseconds, now: EpochMilliseconds): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** `17 seconds`, `1 second`. */
export function sayWait(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
