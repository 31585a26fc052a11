import type { CodeWindow } from '../algopin/code.ts';
import type { EpochMilliseconds } from '../clock.ts';

/** Codes that a lock remembers, in use and over together. Few guests, small memory: a lock that is full takes no new code. */
export const codeCapacity = 1000;

/**
 * How much longer than its own time a code keeps its place. The digits fix an hour of UTC; what lies in it, and so until when the
 * code could be used, follows from the time zone that the lock has at that moment. Offsets from UTC lie between -12 and +14 hours, so
 * that no other zone, and no other edition of its rules, moves any bound by more than their distance. Forgotten at its own time, a
 * spent code would open again where the next zone's bound is later.
 */
export const zoneChangeMs = 26 * 3_600_000;

export interface RememberedCode {
  readonly pin: string;
  /** From then on, by the lock's clock and in the zone of its first use, its window shuts the door. Null: never (permanent codes). */
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
  /** Latest time until which one over was kept and then dropped. A clock turned back before it finds times for a first use open again. */
  readonly overUntil: EpochMilliseconds;
}

export const noCodes: CodeMemory = { inUse: [], over: [], overUntil: 0 };

export function isInUse(codes: CodeMemory, pin: string): boolean {
  return codes.inUse.some((code) => code.pin === pin);
}

export function isOver(codes: CodeMemory, pin: string): boolean {
  return codes.over.some((code) => code.pin === pin);
}

/** How many have not come to their end. */
export function countCodes({ inUse, over }: CodeMemory, clock: EpochMilliseconds): number {
  return [...inUse, ...over].filter(({ until }) => until === null || until > clock).length;
}

/**
 * A place for one more code. What has ended is kept as long as there are places, since a clock may have run ahead and be set right: then
 * a guest with a code in use would be refused. Of those that have ended, the first one goes.
 *
 * @returns undefined when every place is needed
 */
export function makeRoom(codes: CodeMemory, clock: EpochMilliseconds, capacity: number): CodeMemory | undefined {
  const { inUse, over, overUntil } = codes;
  if (inUse.length + over.length < capacity) return codes;
  const keptUntil = ({ until }: RememberedCode): number => (until ?? Number.POSITIVE_INFINITY) + zoneChangeMs;
  const [first] = [...inUse, ...over].toSorted((one, other) => keptUntil(one) - keptUntil(other));
  if (first === undefined || keptUntil(first) > clock) return undefined;
  return {
    inUse: inUse.filter(({ pin }) => pin !== first.pin),
    over: over.filter(({ pin }) => pin !== first.pin),
    overUntil: isOver(codes, first.pin) ? Math.max(overUntil, keptUntil(first)) : overUntil,
  };
}

/**
 * Whether the lock can no longer tell this first use from a second one: it has lived through the code's time for it already, and
 * dropped codes of that time. Never so while the clock runs forward, since then a first use comes before all that was dropped.
 */
export function mayBeReplayed(codes: CodeMemory, window: CodeWindow, toleranceMs: number): boolean {
  return window.activateBy.epochMilliseconds + toleranceMs <= codes.overUntil;
}

/** Whether the clock is past a code's time for a first use. */
export function isLate(clock: EpochMilliseconds, window: CodeWindow, toleranceMs: number): boolean {
  return clock >= window.activateBy.epochMilliseconds + toleranceMs;
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
