import type { EpochMilliseconds } from '../clock.ts';

/** What a key has used of its window. */
export interface WindowUse {
  /** Whether the window takes one more, or took the one that was counted. */
  readonly accepted: boolean;
  /** How many more it takes. */
  readonly left: number;
  /** The first instant at which all of it is free again. */
  readonly endsAt: EpochMilliseconds;
}

/** Counts by key, so many in one window. A window begins with the first that is counted in it. */
export interface WindowCounter {
  /** Counts one more, unless the window is full: what is refused makes no wait longer. */
  take(key: string, now: EpochMilliseconds): WindowUse;
  /** The same without counting. */
  look(key: string, now: EpochMilliseconds): WindowUse;
  /** Keys whose window was open when last looked at. */
  readonly size: number;
}

export interface WindowOptions {
  /** At least 1. */
  readonly limit: number;
  readonly windowMs: number;
  /** Beyond so many keys the oldest window is forgotten; left out: all are kept until they end. */
  readonly maxKeys?: number;
}

interface Window {
  readonly startedAt: EpochMilliseconds;
  used: number;
}

/**
 * A counter in the memory of this process. A restart forgets it, and several processes each count for themselves.
 *
 * Not rate-limiter-flexible: each of its stores reads `Date.now()` itself, its memory is bounded by time alone and holds a
 * timer per key, and its SQLite limiter opens a second writing connection for one synced write per request.
 */
export function createWindowCounter({ limit, windowMs, maxKeys = Infinity }: WindowOptions): WindowCounter {
  // In the order in which windows began, so that those that have ended stand in front.
  const windows = new Map<string, Window>();

  function isOpen({ startedAt }: Window, now: EpochMilliseconds): boolean {
    // A clock that went back ends a window too: nobody waits longer than one.
    return startedAt <= now && now < startedAt + windowMs;
  }

  function find(key: string, now: EpochMilliseconds): Window | undefined {
    const window = windows.get(key);
    return window !== undefined && isOpen(window, now) ? window : undefined;
  }

  function begin(key: string, now: EpochMilliseconds): Window {
    const window = { startedAt: now, used: 0 };
    windows.delete(key);
    windows.set(key, window);
    for (const [oldest, other] of windows) {
      if (isOpen(other, now) && windows.size <= maxKeys) break;
      windows.delete(oldest);
    }
    return window;
  }

  return {
    take(key, now) {
      const window = find(key, now) ?? begin(key, now);
      const accepted = window.used < limit;
      if (accepted) window.used += 1;
      return { accepted, left: limit - window.used, endsAt: window.startedAt + windowMs };
    },
    look(key, now) {
      const { startedAt, used } = find(key, now) ?? { startedAt: now, used: 0 };
      return { accepted: used < limit, left: limit - used, endsAt: startedAt + windowMs };
    },
    get size() {
      return windows.size;
    },
  };
}

/** Whole seconds until then, at least 1: waiting so long is enough, a second less is not. */
export function secondsUntil(end: EpochMilliseconds, now: EpochMilliseconds): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** `17 seconds`, `1 second`. */
export function sayWait(seconds: number): string {
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
