import { type Clock, type EpochMilliseconds, systemClock } from '@lockstep/server/clock';

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
