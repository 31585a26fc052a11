import { setTimeout as sleep } from 'node:timers/promises';
import { secondsUntil } from '../limits/retry-after.ts';
import { createWindowCounter } from '../limits/window-counter.ts';

const minuteMs = 60_000;

/**
 * Wrong passwords that are taken as typing errors. What comes beyond is told to wait, or has to stand in line.
 *
 * - `together`, one e-mail from one address: nothing is looked at until the oldest have left the window. An owner at home can err ten
 *   times, and nobody elsewhere is kept out by it.
 * - `email`, one e-mail from anywhere, and `address`, any e-mail from one address: one attempt after the other, each after a pause that
 *   grows with every failure. Neither an owner under attack nor all who share an address are locked out: it is slow for them.
 */
export const guessLimits = {
  together: { failures: 10, windowMs: 10 * minuteMs, inLine: 20 },
  email: { failures: 30, windowMs: 60 * minuteMs, pauseMs: 500, longestPauseMs: 15_000, inLine: 3 },
  address: { failures: 60, windowMs: 10 * minuteMs, pauseMs: 100, longestPauseMs: 3000, inLine: 20 },
} as const;

/** Beyond so many the one that was idle longest is forgotten. */
const maxKeys = 10_000;

export interface Guess {
  /** In lower case. */
  readonly email: string;
  readonly address: string;
}

/** An attempt that was not looked at: a right password can't be told from a wrong one. */
export interface Throttled {
  readonly kind: 'throttled';
  /** After so many seconds the next one is. */
  readonly waitSeconds: number;
}

/**
 * Has a password judged, once it is its turn.
 *
 * @param judge answers `wrong` for one that counts as a failure
 */
export type LimitGuesses = <Judged extends { readonly kind: string }>(
  guess: Guess,
  judge: () => Promise<Judged>,
) => Promise<Judged | Throttled>;

/**
 * Slows the guessing of passwords (ASVS 5.0, 6.3.1). Counts live in the memory of this process, on the system clock as all of OAuth.
 *
 * @param pause waits so many milliseconds
 */
export function createGuessLimits(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms)): LimitGuesses {
  const { failures: limit, windowMs, inLine } = guessLimits.together;
  const together = createWindowCounter({ limit, windowMs, maxKeys });
  const standTogether = createLine(inLine);
  const email = createSlowLane(guessLimits.email, pause);
  const address = createSlowLane(guessLimits.address, pause);

  return (guess, judge) => {
    const key = `${guess.email} ${guess.address}`;
    // One at a time, or of those sent together each would be looked at before the others have failed.
    const look = () =>
      standTogether(key, async () => {
        const { accepted, endsAt } = together.look(key, Date.now());
        if (!accepted) return throttled(secondsUntil(endsAt, Date.now()));
        const judged = await judge();
        if (judged.kind !== 'wrong') return judged;
        together.take(key, Date.now());
        email.count(guess.email);
        address.count(guess.address);
        return judged;
      });
    return address.pass(guess.address, () => email.pass(guess.email, look));
  };
}

function throttled(waitSeconds: number): Throttled {
  return { kind: 'throttled', waitSeconds };
}

/** Free until there were too many failures of a key; then one after the other, with pauses. */
function createSlowLane(
  { failures, windowMs, pauseMs, longestPauseMs, inLine }: typeof guessLimits.email | typeof guessLimits.address,
  pause: (ms: number) => Promise<unknown>,
) {
  const limit = failures + longestPauseMs / pauseMs;
  const counter = createWindowCounter({ limit, windowMs, maxKeys });
  const stand = createLine(inLine);
  const readPauseMs = (key: string): number =>
    Math.max(0, limit - counter.look(key, Date.now()).left - failures) * pauseMs;
  return {
    count: (key: string) => void counter.take(key, Date.now()),
    pass: async <Result>(key: string, run: () => Promise<Result>): Promise<Result | Throttled> => {
      if (readPauseMs(key) === 0) return run();
      return stand(key, async () => {
        await pause(readPauseMs(key));
        return run();
      });
    },
  };
}

/** Runs what has the same key one after the other, as it came. Beyond `atMost` of one key the next is sent away. */
function createLine(atMost: number) {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();
  return async <Result>(key: string, run: () => Promise<Result>): Promise<Result | Throttled> => {
    const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= atMost) return throttled(sentAwaySeconds);
    lines.set(key, line);
    line.length += 1;
    const turn = line.last.then(run);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(key);
    }
  };
}

/** Until somebody in line has had a turn. */
const sentAwaySeconds = 15;
