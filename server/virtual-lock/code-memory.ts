import type { CodeWindow } from '../algopin/code.ts';
import type { EpochMilliseconds } from '../clock.ts';

/** Codes that a lock remembers, in use and over together. Few guests, small memory: a lock that is full takes no new code. */
export const codeCapacity = 1000;

export interface RememberedCode {
  readonly pin: string;
  /** From then on, by the lock's clock, it needs no place: its window shuts the door. Null: never (permanent codes). */
  readonly until: EpochMilliseconds | null;
}

/** A code that must not open although its window would let it: a one-time code that was spent, or one that a person ended. */
export interface CodeOver {
  readonly pin: string;
  /** The end of its time for a first use. After it the code, unknown again, would be too late. */
  readonly until: EpochMilliseconds;
}

export interface CodeMemory {
  readonly inUse: readonly RememberedCode[];
  readonly over: readonly CodeOver[];
  /** Latest `until` of those over and dropped. A clock that is turned back before it finds their time for a first use open again. */
  readonly overUntil: EpochMilliseconds;
}

export const noCodes: CodeMemory = { inUse: [], over: [], overUntil: 0 };

export function isInUse(codes: CodeMemory, pin: string): boolean {
  return codes.inUse.some((code) => code.pin === pin);
}

export function isOver(codes: CodeMemory, pin: string): boolean {
  return codes.over.some((code) => code.pin === pin);
}

export function isFull(codes: CodeMemory): boolean {
  return codes.inUse.length + codes.over.length >= codeCapacity;
}

/**
 * Whether the lock can no longer tell this first use from a second one: it has lived through the code's time for it already, and
 * dropped codes of that time. Never so while the clock runs forward, since then a first use comes before all that was dropped.
 */
export function mayBeReplayed(codes: CodeMemory, window: CodeWindow, toleranceMs: number): boolean {
  return window.activateBy.epochMilliseconds + toleranceMs <= codes.overUntil;
}

export function useCode(codes: CodeMemory, pin: string, window: CodeWindow, toleranceMs: number): CodeMemory {
  const until = window.end === null ? null : window.end.epochMilliseconds + toleranceMs;
  return { ...codes, inUse: [...codes.inUse, { pin, until }] };
}

export function endCode(codes: CodeMemory, pin: string, window: CodeWindow, toleranceMs: number): CodeMemory {
  const until = window.activateBy.epochMilliseconds + toleranceMs;
  return {
    ...codes,
    inUse: codes.inUse.filter((code) => code.pin !== pin),
    over: isOver(codes, pin) ? codes.over : [...codes.over, { pin, until }],
  };
}

/** What no longer needs a place leaves it. */
export function dropEndedCodes(codes: CodeMemory, clock: EpochMilliseconds): CodeMemory {
  const gone = codes.over.filter(({ until }) => until <= clock);
  const inUse = codes.inUse.filter(({ until }) => until === null || until > clock);
  if (gone.length === 0 && inUse.length === codes.inUse.length) return codes;
  return {
    inUse,
    over: codes.over.filter(({ until }) => until > clock),
    overUntil: Math.max(codes.overUntil, ...gone.map(({ until }) => until)),
  };
}
