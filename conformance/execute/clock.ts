// The time of a run: tests replace it, so that no test waits.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** In milliseconds; only differences have a meaning. */
  readonly now: () => number;
  /** Resolves after a time, or when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
};
