import { setTimeout as sleep } from 'node:timers/promises';
import { secondsUntil } from '../limits/retry-after.ts';
import { createWindowCounter } from '../limits/window-counter.ts';
import { passwordsAtOnce } from './passwords.ts';
import { createWaitingLine, type Waiter, type WaitingLine } from './waiting-line.ts';

const minuteMs = 60_000;

/**
 * Wrong passwords that are taken as typing errors. What comes beyond is told to wait, or has to stand in line.
 *
 * - `together`, one e-mail from one address: nothing is looked at until the oldest have left the window.
 * - `email`, one e-mail from anywhere, and `address`, any e-mail from one address: one attempt after the other, each after a pause that
 *   grows with every failure. In the line of an e-mail each address has one place, in that of an address each e-mail, so that whoever
 *   sends many has no more of it than anybody else. The longest way through both is 40 s: at 60 s proxies and this server give up.
 *
 * A browser in which the owner has logged in before is counted by itself, stands in no such line, and has places of its own before the
 * passwords are looked at. So those who guess, at this owner or at any, can't keep the owner out of that browser.
 */
export const guessLimits = {
  together: { failures: 10, windowMs: 10 * minuteMs },
  email: { failures: 30, windowMs: 60 * minuteMs },
  address: { failures: 60, windowMs: 10 * minuteMs },
  pause: { stepMs: 100, longestMs: 2000, places: 10 },
  /** Those who wait for scrypt, which takes 0.35 s and works on two at a time: of browsers of before as many as of new ones. */
  scrypt: { places: 50, longestMs: 15_000 },
} as const;

/** After so long, a refused browser may come again. */
const returnSeconds = 5;

/** Beyond so many the one that was idle longest is forgotten. */
const maxKeys = 10_000;

export interface Guess {
  /** In the form that the store compares. */
  readonly email: string;
  readonly address: string;
  /** Names the browser where an owner of this e-mail has logged in in it before. */
  readonly knownBrowser?: string | undefined;
  /** Whether somebody waits for the answer still: nobody stands in line for who has left. */
  readonly isWaited: () => boolean;
}

/** An attempt that was not looked at: a right password can't be told from a wrong one. */
export interface Refused {
  /** `busy`: more want to log in at this moment than passwords can be looked at. */
  readonly kind: 'throttled' | 'busy';
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
) => Promise<Judged | Refused>;

/**
 * Slows the guessing of passwords (ASVS 5.0, 6.3.1). Counts live in the memory of this process, on the system clock as all of OAuth.
 *
 * @param pause waits so many milliseconds
 */
export function createGuessLimits(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms)): LimitGuesses {
  const { failures: limit, windowMs } = guessLimits.together;
  const together = createWindowCounter({ limit, windowMs, maxKeys });
  const emails = createSlowLane(guessLimits.email, pause);
  const addresses = createSlowLane(guessLimits.address, pause);
  const takeTurns = createTurns();
  const waitForScrypt = createScryptTurns();

  return async (guess, judge) => {
    const { email, address, knownBrowser, isWaited } = guess;
    const isKnown = knownBrowser !== undefined;
    const key = `${email} ${knownBrowser ?? address}`;
    const readRefusal = (): Refused | undefined => {
      const { accepted, endsAt } = together.look(key, Date.now());
      return accepted ? undefined : throttled(secondsUntil(endsAt, Date.now()));
    };
    const look = () =>
      // One at a time, or of those sent together each would be looked at before the others have failed. All browsers of before that one
      // owner has share a turn, so that nobody takes the places that are kept for them.
      takeTurns(isKnown ? `${email} known` : key, async () => {
        const refusal = readRefusal();
        if (refusal !== undefined) return refusal;
        const judged = await waitForScrypt(isKnown, { since: Date.now(), isWaited }, judge);
        if (judged === undefined) return { kind: 'busy', waitSeconds: returnSeconds } as const;
        if (judged.kind !== 'wrong') return judged;
        together.take(key, Date.now());
        if (isKnown) return judged;
        emails.count(email);
        addresses.count(address);
        return judged;
      });
    // Before any line: who has no try left takes nobody's place.
    const refusal = readRefusal();
    if (refusal !== undefined) return refusal;
    if (isKnown) return look();
    return addresses.pass({ key: address, place: email, isWaited }, () =>
      emails.pass({ key: email, place: address, isWaited }, look),
    );
  };
}

function throttled(waitSeconds: number): Refused {
  return { kind: 'throttled', waitSeconds };
}

interface Passage {
  readonly key: string;
  /** Of one place there is one in the line of a key. */
  readonly place: string;
  readonly isWaited: () => boolean;
}

/** Free until there were too many failures of a key; then one after the other, with pauses. */
function createSlowLane(
  { failures, windowMs }: typeof guessLimits.email | typeof guessLimits.address,
  pause: (ms: number) => Promise<unknown>,
) {
  const { stepMs, longestMs, places } = guessLimits.pause;
  const limit = failures + longestMs / stepMs;
  const counter = createWindowCounter({ limit, windowMs, maxKeys });
  const takeTurns = createTurns();
  const lines = new Map<string, Set<string>>();
  const readPauseMs = (key: string): number =>
    Math.max(0, limit - counter.look(key, Date.now()).left - failures) * stepMs;
  return {
    count: (key: string) => void counter.take(key, Date.now()),
    pass: async <Result>({ key, place, isWaited }: Passage, run: () => Promise<Result>): Promise<Result | Refused> => {
      if (readPauseMs(key) === 0) return run();
      const line = lines.get(key) ?? new Set();
      // As long as all before it can take.
      if (line.has(place) || line.size >= places) return throttled(Math.ceil((line.size * longestMs) / 1000));
      lines.set(key, line.add(place));
      try {
        await takeTurns(key, async () => {
          if (isWaited()) await pause(readPauseMs(key));
        });
      } finally {
        line.delete(place);
        if (line.size === 0) lines.delete(key);
      }
      return isWaited() ? run() : throttled(1);
    },
  };
}

/**
 * Has as many passwords looked at together as scrypt may work on. Browsers of before and new ones wait apart and are let on by turns, so
 * that neither can fill the line of the other.
 */
function createScryptTurns() {
  const line = () => createWaitingLine(guessLimits.scrypt);
  const lines = { known: line(), other: line() };
  let order: readonly [WaitingLine, WaitingLine] = [lines.known, lines.other];
  let atWork = 0;

  function letOn(): void {
    while (atWork < passwordsAtOnce) {
      const next = order.find((one) => one.admit());
      if (next === undefined) return;
      atWork += 1;
      order = next === lines.known ? [lines.other, lines.known] : [lines.known, lines.other];
    }
  }

  /** @returns undefined where it was sent away */
  return async <Result>(isKnown: boolean, waiter: Waiter, run: () => Promise<Result>): Promise<Result | undefined> => {
    const entered = (isKnown ? lines.known : lines.other).enter(waiter);
    letOn();
    if (!(await entered)) return undefined;
    try {
      return await run();
    } finally {
      atWork -= 1;
      letOn();
    }
  };
}

/** Runs what has the same key one after the other, as it came. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, run: () => Promise<Result>): Promise<Result> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(run);
    const ended = turn.catch(() => undefined);
    last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
