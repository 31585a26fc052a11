import type { EpochMilliseconds } from '../clock.ts';

/**
 * How long the lock has been running. Lockouts, auto-lock and passage are measured on it, since a clock can be set: turned back
 * by a year it would keep a guest out, or the door open, for a year. Windows of codes are judged by the clock alone.
 */
export type RunningMilliseconds = number;

/** When the lock last looked at its clock, on both. */
export interface TimeSeen {
  readonly clock: EpochMilliseconds;
  readonly running: RunningMilliseconds;
}

/** A clock that went back has run for nothing; one that went forward, for as long as it says, since nobody can tell that from waiting. */
export function seeTime(seen: TimeSeen, clock: EpochMilliseconds): TimeSeen {
  return { clock, running: seen.running + Math.max(0, clock - seen.clock) };
}

/** What the clock shows, or would have shown, at a point of running time. */
export function clockAt(now: TimeSeen, running: RunningMilliseconds): EpochMilliseconds {
  return now.clock + (running - now.running);
}
