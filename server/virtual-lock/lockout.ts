import type { RunningMilliseconds } from './running-time.ts';

// The keypad's defence against guesses. A right entry resets nothing: otherwise the entries of guests would give an attacker more guesses.
// docs/lockout.md states the measured effect of these numbers.

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const lockoutRules = {
  /** The entry that locks the keypad. */
  wrongEntries: 5,
  firstLockoutMs: 5 * 60_000,
  longestLockoutMs: dayMs,
  /** The first level with the longest lockout (5 minutes doubled nine times are more than a day), and the last level. */
  highestLevel: 10,
  /** After each such period one wrong entry is forgiven. */
  forgiveMs: hourMs,
  /** After each such period without a lockout the level falls by one. */
  relaxMs: dayMs,
} as const;

/** Plain data. Points in time are the lock's running time: setting a clock can't shorten a lockout backwards or stretch it. */
export interface Lockout {
  readonly wrong: number;
  /** Start of the hour after which an entry is forgiven. Without meaning while `wrong` is 0. */
  readonly wrongSince: RunningMilliseconds;
  readonly level: number;
  /** 0: never. The 24 hours after which the level falls begin at this time. */
  readonly lockedUntil: RunningMilliseconds;
  readonly relaxedAt: RunningMilliseconds;
}

export const noLockout: Lockout = { wrong: 0, wrongSince: 0, level: 0, lockedUntil: 0, relaxedAt: 0 };

export function isLockedOut(lockout: Lockout, at: RunningMilliseconds): boolean {
  return at < lockout.lockedUntil;
}

/** Forgives wrong entries and levels for the time that has passed. */
export function relaxLockout(lockout: Lockout, at: RunningMilliseconds): Lockout {
  const hours = lockout.wrong === 0 ? 0 : periods(at - lockout.wrongSince, lockoutRules.forgiveMs, lockout.wrong);
  const days = lockout.level === 0 ? 0 : periods(at - lockout.relaxedAt, lockoutRules.relaxMs, lockout.level);
  return {
    ...lockout,
    wrong: lockout.wrong - hours,
    wrongSince: lockout.wrongSince + hours * lockoutRules.forgiveMs,
    level: lockout.level - days,
    relaxedAt: lockout.relaxedAt + days * lockoutRules.relaxMs,
  };
}

/** Counts an entry that did not open. Entries during a lockout are not counted: the caller asks `isLockedOut` first. */
export function countWrongEntry(before: Lockout, at: RunningMilliseconds): Lockout {
  const lockout = relaxLockout(before, at);
  const wrong = lockout.wrong + 1;
  if (wrong < lockoutRules.wrongEntries) {
    return { ...lockout, wrong, wrongSince: lockout.wrong === 0 ? at : lockout.wrongSince };
  }
  const level = Math.min(lockout.level + 1, lockoutRules.highestLevel);
  const lockedUntil = at + lockoutLengthMs(level);
  return { wrong: 0, wrongSince: at, level, lockedUntil, relaxedAt: lockedUntil };
}

/** @param level 1 to 10 */
export function lockoutLengthMs(level: number): number {
  return Math.min(lockoutRules.firstLockoutMs * 2 ** (level - 1), lockoutRules.longestLockoutMs);
}

function periods(passedMs: number, lengthMs: number, atMost: number): number {
  return Math.min(Math.max(0, Math.floor(passedMs / lengthMs)), atMost);
}
