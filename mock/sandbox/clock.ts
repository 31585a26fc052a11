import { isDateTime } from '@lockstep/runtime/validation/is-date-time';
import { type Clock, type EpochMilliseconds, systemClock } from '@lockstep/server/clock';

/**
 * What it can be set to. A year has four digits in every answer (RFC 3339), and the service reckons up to two years ahead: windows of codes,
 * in the timezone of a property. The rest of the last ten years is for a clock that goes on. At the other end the demo's data, of up to a
 * year before, is not older than time itself.
 */
const clockRange = { from: Date.parse('1971-01-01T00:00:00Z'), to: Date.parse('9990-12-31T23:59:59.999Z') };

/** As a sentence has it. */
export const clockYears = 'from 1971 to 9990';

export function isOnClock(at: EpochMilliseconds): boolean {
  return Number.isInteger(at) && at >= clockRange.from && at <= clockRange.to;
}

/**
 * @param time as RFC 3339 has it, with its offset: `Date` alone would take `June 1` for one of 2001; or whole milliseconds, or a Date
 * @returns undefined for what is no time, or none that the clock can show
 */
export function readClockTime(time: string | number | Date): EpochMilliseconds | undefined {
  const at = typeof time === 'string' ? parseDateTime(time) : Number(time);
  return isOnClock(at) ? at : undefined;
}

function parseDateTime(text: string): number {
  // T and Z in capitals, since RFC 3339 leaves that open, and ECMAScript does not.
  return isDateTime(text) ? Date.parse(text.toUpperCase().replace(' ', 'T')) : Number.NaN;
}

/** Domain time that a test can hold still and move. It never jumps by itself. */
export interface SandboxClock extends Clock {
  readonly isTicking: boolean;
  /** What is left out stays: the present reading, or whether it goes on. */
  set(change: { readonly at?: EpochMilliseconds; readonly isTicking?: boolean }): void;
  /** Forwards, or back where it is less than 0. */
  move(byMs: number): void;
  /** As at its creation: a start that was given, or the time of the system; ticking. */
  reset(): void;
}

interface SandboxClockOptions {
  /** The first reading; the time of the system when left out, also after each reset. */
  readonly start?: EpochMilliseconds | undefined;
  /** What it goes on with. */
  readonly system?: Clock;
}

export function createSandboxClock({ start, system = systemClock }: SandboxClockOptions = {}): SandboxClock {
  // While it ticks, what it is ahead of the system; while it stands, its reading.
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
