import type { EpochMilliseconds } from '../clock.ts';

/**
 * The time that the lock has been running. Lockouts, auto-lock and passages are measured by it, since a clock can be set: a clock turned
 * back by a year would keep a guest out, or the door open, for a year. Windows of codes are judged by the clock alone.
 */
export type RunningMilliseconds = number;

/** Clock and running time when the lock last read its clock. */
export interface TimeSeen {
  readonly clock: EpochMilliseconds;
  readonly running: RunningMilliseconds;
}

/** A clock set back adds no running time. A clock set forward adds the difference, since the lock can't distinguish that from waiting. */
export function seeTime(seen: TimeSeen, clock: EpochMilliseconds): TimeSeen {
  return { clock, running: seen.running + Math.max(0, clock - seen.clock) };
}

/** The time that the clock shows, or would have shown, at a point of running time. */
export function clockAt(now: TimeSeen, running: RunningMilliseconds): EpochMilliseconds {
  return now.clock + (running - now.running);
}
