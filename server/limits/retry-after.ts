import type { EpochMilliseconds } from '../clock.ts';

/** Whole seconds until then, at least 1: waiting so long is enough, a second less is not. */
export function secondsUntil(end: EpochMilliseconds, now: EpochMilliseconds): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** `17 seconds`, `1 second`. */
export function sayWait(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
