import { isDateTime } from '@lockstep/runtime/validation/is-date-time';

/** Milliseconds since 1970, UTC. */
type EpochMilliseconds = number;

interface Clock {
  now(): EpochMilliseconds;
}

const systemClock: Clock = { now: () => Date.now() };

/**
 * The range of the clock. A year has four digits in every answer (RFC 3339), and the service computes windows of codes up to two years ahead.
 * The rest of the last ten years is for a clock that keeps running. The lower bound leaves a year for the demo's past data after 1970.
 */
const clockRange = { from: Date.parse('1971-01-01T00:00:00Z'), to: Date.parse('9990-12-31T23:59:59.999Z') };

/** The range of the clock, for messages. */
export const clockYears = 'from 1971 to 9990';

export function isOnClock(at: EpochMilliseconds): boolean {
  return Number.isInteger(at) && at >= clockRange.from && at <= clockRange.to;
}

/**
 * @param time in RFC 3339 with an offset (`Date` alone would read `June 1` as one of 2001), or whole milliseconds, or a Date
 * @returns undefined for an invalid time, or one outside the range of the clock
 */
export function readClockTime(time: string | number | Date): EpochMilliseconds | undefined {
  const at = typeof time === 'string' ? parseDateTime(time) : Number(time);
  return isOnClock(at) ? at : undefined;
}

function parseDateTime(text: string): number {
  // RFC 3339 allows `t` and `z`, ECMAScript requires capitals.
  return isDateTime(text) ? Date.parse(text.toUpperCase().replace(' ', 'T')) : Number.NaN;
}

/** Domain time that a test can stop and move. It never jumps by itself. */
export interface SandboxClock extends Clock {
  readonly isTicking: boolean;
  /** An omitted member keeps its value: the present time, or whether the clock runs. */
  set(change: { readonly at?: EpochMilliseconds; readonly isTicking?: boolean }): void;
  /** Moves the time forwards, or back if negative. */
  move(byMs: number): void;
  /** Restores the state at its creation: the given start or the time of the system, ticking. */
  reset(): void;
}

interface SandboxClockOptions {
  /** The time at the start and after each reset; by default the time of the system. */
  readonly start?: EpochMilliseconds | undefined;
  readonly system?: Clock;
}

export function createSandboxClock({ start, system = systemClock }: SandboxClockOptions = {}): SandboxClock {
  // A ticking clock stores its lead over the system, a stopped one its time.
  let state:
    | { readonly kind: 'ticking'; readonly aheadMs: number }
    | { readonly kind: 'standing'; readonly at: number };
  const read = (): EpochMilliseconds => (state.kind === 'ticking' ? system.now() + state.aheadMs : state.at);
  const begin = () => ({ kind: 'ticking', aheadMs: start === undefined ? 0 : start - system.now() }) as const;
  const set: SandboxClock['set'] = ({ at = read(), isTicking = state.kind === 'ticking' }) => {
    state = isTicking ? { kind: 'ticking', aheadMs: at - system.now() } : { kind: 'standing', at };
  };
  state = begin();
  return {
    now: read,
    get isTicking() {
      return state.kind === 'ticking';
    },
    set,
    move: (byMs) => set({ at: read() + byMs }),
    reset: () => {
      state = begin();
    },
  };
}
