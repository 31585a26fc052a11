import type { CodeWindow } from '../algopin/code.ts';
import type { EpochMilliseconds } from '../clock.ts';

/** Number of codes that a lock remembers, in use and over together. A full lock accepts no new code. */
export const codeCapacity = 1000;

/**
 * A code is remembered this much longer than its own time. The digits fix an hour of UTC; the code's bounds follow from the lock's time
 * zone at that moment. Offsets from UTC are between -12 and +14 hours, so that another zone, or another edition of its rules, moves a
 * bound by at most their distance. Without this time, a spent code would open again in a zone whose bound is later.
 */
export const zoneChangeMs = 26 * 3_600_000;

export interface RememberedCode {
  readonly pin: string;
  /** End of its window by the lock's clock, in the zone of its first use. Null: never (permanent codes). */
  readonly until: EpochMilliseconds | null;
}

/** A code that must not open even within its window: a spent one-time code, or a code that a person ended. */
export interface CodeOver {
  readonly pin: string;
  /** The end of its time for a first use. After it the lock can forget the code: an entry is too late anyway. */
  readonly until: EpochMilliseconds;
}

export interface CodeMemory {
  readonly inUse: readonly RememberedCode[];
  readonly over: readonly CodeOver[];
  /** The latest time until which a dropped code was kept. A clock turned back before it would allow first uses of dropped codes again. */
  readonly overUntil: EpochMilliseconds;
}

export const noCodes: CodeMemory = { inUse: [], over: [], overUntil: 0 };

export function isInUse(codes: CodeMemory, pin: string): boolean {
  return codes.inUse.some((code) => code.pin === pin);
}

export function isOver(codes: CodeMemory, pin: string): boolean {
  return codes.over.some((code) => code.pin === pin);
}

/** The number of codes that have not ended. */
export function countCodes({ inUse, over }: CodeMemory, clock: EpochMilliseconds): number {
  return [...inUse, ...over].filter(({ until }) => until === null || until > clock).length;
}

/**
 * Makes room for one more code. Ended codes are kept as long as there is room: if a clock that ran ahead is corrected, their guests must
 * still get in. In a full memory the code that ended first is dropped.
 *
 * @returns undefined if no code has ended
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
 * Whether this first use may be a second one: the lock's clock has been past the code's time for a first use, and codes of that time were
 * dropped. While the clock runs forward this is never true, since dropped codes are older.
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
