import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochMilliseconds } from '../clock.ts';
import { secondsUntil } from '../limits/retry-after.ts';
import { type Counter, type OpenCounter, openMemoryCounter } from '../limits/window-counter.ts';
import { networkOf } from './caller-address.ts';
import { passwordsAtOnce } from './passwords.ts';
import { whenAvailable } from './unavailable.ts';
import { createWaitingLine, type Waiter, type WaitingLine } from './waiting-line.ts';

const minuteMs = 60_000;

/**
 * Wrong passwords that are taken as typing errors. Further attempts are refused for a time, or have to wait in line.
 *
 * - `together`, one e-mail from one address: nothing is looked at until the oldest have left the window.
 * - `email`, one e-mail from anywhere, and `address`, any e-mail from one address: one attempt after the other, each after a pause that
 *   grows with every failure. In the line of an e-mail each address has one place, in that of an address each e-mail.
 *
 * A browser in which the owner has logged in before is counted by itself, stands in no such line, and has places of its own before the
 * passwords are looked at. So guessers, at this owner or at any, can't keep the owner out of that browser.
 */
export const guessLimits = {
  together: { failures: 10, windowMs: 10 * minuteMs },
  email: { failures: 30, windowMs: 60 * minuteMs },
  address: { failures: 60, windowMs: 10 * minuteMs },
  /** At most one guess a second at one e-mail. */
  pause: { stepMs: 100, longestMs: 1000 },
  /** For each of three lines that an attempt may wait in. Together they take less than the 60 s at which proxies and this server give up. */
  line: { places: 50, longestMs: 15_000 },
} as const;

/**
 * An attempt that was sent away may come again after `afterSeconds`, and keeps the time waited so far until `withinMs`. That puts a person who comes
 * again before the guesses that come from ever new addresses. Each failure of an address costs it `failureMs` of that time, or many addresses that
 * guess in turn would always have waited longer.
 */
const comingBack = { afterSeconds: 5, withinMs: 20_000, failureMs: 15_000 } as const;

/** Beyond so many the one that was idle longest is forgotten. */
const maxKeys = 10_000;

/** The same for attempts that were sent away: in `withinMs` 2,500 a second, more than this server answers. */
const maxSentAway = 50_000;

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

export interface GuessLimitOptions {
  /** Where wrong passwords are counted. */
  readonly openCounter?: OpenCounter;
  /** Waits so many milliseconds. */
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Draws one of so many, from 0 on. */
  readonly draw?: (count: number) => number;
}

/**
 * Slows the guessing of passwords (ASVS 5.0, 6.3.1), on the system clock as all of OAuth. Each process has lines of its own. Of several that share
 * their counts, each may look at one attempt that the failures under way in the others would have refused.
 */
export function createGuessLimits({
  openCounter = openMemoryCounter,
  pause = sleep,
  draw,
}: GuessLimitOptions = {}): LimitGuesses {
  const { failures: limit, windowMs } = guessLimits.together;
  const together = openCounter('guesses-together', { limit, windowMs, maxKeys });
  const openLine = () => createWaitingLine({ ...guessLimits.line, ...(draw && { draw }) });
  const openLane = (of: 'email' | 'address') => {
    const { failures, windowMs } = guessLimits[of];
    const counter = openCounter(`guesses-${of}`, { limit: failures + pauseSteps, windowMs, maxKeys });
    return createSlowLane(counter, pause, openLine);
  };
  const emails = openLane('email');
  const addresses = openLane('address');
  const takeTurns = createTurns();
  const waitForScrypt = createScryptTurns(openLine);
  const sentAway = createSentAway();

  return async ({ email, address, knownBrowser, isWaited }, judge) => {
    const isKnown = knownBrowser !== undefined;
    const key = `${email} ${knownBrowser ?? address}`;
    const read = async () => {
      const now = Date.now();
      const { accepted, left, endsAt } = await whenAvailable(together.look(key, now));
      const refusal: Refused = { kind: 'throttled', waitSeconds: secondsUntil(endsAt, now) };
      return { refusal: accepted ? undefined : refusal, failures: limit - left };
    };
    // Before any line, so that an attempt without a try left takes no place.
    const { refusal, failures } = await read();
    if (refusal !== undefined) return refusal;
    const began = sentAway.waitingSince(key, Date.now());
    const since = began + failures * comingBack.failureMs;
    const waiter = { since, network: networkOf(address), isWaited };
    const sendAway = (kind: Refused['kind']): Refused => {
      sentAway.add(key, began, Date.now());
      return { kind, waitSeconds: comingBack.afterSeconds };
    };
    if (!isKnown) {
      if (!(await addresses.pass(address, email, waiter))) return sendAway('throttled');
      if (!(await emails.pass(email, address, waiter))) return sendAway('throttled');
    }
    // One at a time, or of attempts sent together each would be looked at before the others have failed. All known browsers of an owner
    // share a turn, so that one owner can't take all the places for known browsers.
    return takeTurns(isKnown ? `${email} known` : key, async () => {
      const { refusal } = await read();
      if (refusal !== undefined) return refusal;
      const judged = await waitForScrypt(isKnown, waiter, judge);
      if (judged === undefined) return sendAway('busy');
      sentAway.delete(key);
      if (judged.kind !== 'wrong') return judged;
      await whenAvailable(together.take(key, Date.now()));
      if (isKnown) return judged;
      await emails.count(email);
      await addresses.count(address);
      return judged;
    });
  };
}

/** So many failures beyond the typing errors make the pause no longer. */
const pauseSteps = guessLimits.pause.longestMs / guessLimits.pause.stepMs;

/**
 * Free until there were too many failures of a key; then one after the other, with pauses.
 *
 * @param counter counts to `pauseSteps` beyond the typing errors
 */
function createSlowLane(counter: Counter, pause: (ms: number) => Promise<unknown>, openLine: () => WaitingLine) {
  const { stepMs, longestMs } = guessLimits.pause;
  const lines = new Map<string, { readonly line: WaitingLine; readonly places: Set<string> }>();

  async function readPauseMs(key: string): Promise<number> {
    const { left } = await whenAvailable(counter.look(key, Date.now()));
    return Math.max(0, pauseSteps - left) * stepMs;
  }

  async function letOn(key: string, line: WaitingLine): Promise<void> {
    while (line.size > 0) {
      // Attempts in line wait for this alone: a count that can't be read must not keep them there.
      await pause(await readPauseMs(key).catch(() => longestMs));
      line.admit();
    }
    lines.delete(key);
  }

  return {
    count: (key: string) => whenAvailable(counter.take(key, Date.now())),
    /** @returns false for one that was sent away; of one place there is one in the line of a key */
    pass: async (key: string, place: string, waiter: Waiter): Promise<boolean> => {
      if ((await readPauseMs(key)) === 0) return true;
      const there = lines.get(key);
      const { line, places } = there ?? { line: openLine(), places: new Set() };
      if (places.has(place)) return false;
      places.add(place);
      const entered = line.enter(waiter);
      if (there === undefined) {
        lines.set(key, { line, places });
        void letOn(key, line);
      }
      try {
        return await entered;
      } finally {
        places.delete(place);
      }
    },
  };
}

/** Attempts that were sent away from a line, and since when each has waited. */
function createSentAway() {
  const keys = new Map<string, { readonly since: EpochMilliseconds; readonly at: EpochMilliseconds }>();
  const waitingSince = (key: string, now: EpochMilliseconds): EpochMilliseconds => {
    const { since = now, at = now } = keys.get(key) ?? {};
    return now - at <= comingBack.withinMs ? since : now;
  };
  return {
    waitingSince,
    add: (key: string, since: EpochMilliseconds, now: EpochMilliseconds): void => {
      const first = Math.min(since, waitingSince(key, now));
      keys.delete(key);
      keys.set(key, { since: first, at: now });
      for (const [idlest, { at }] of keys) {
        if (keys.size <= maxSentAway && now - at <= comingBack.withinMs) break;
        keys.delete(idlest);
      }
    },
    delete: (key: string) => void keys.delete(key),
  };
}

/**
 * Lets on as many passwords at once as scrypt may work on. Known and new browsers wait in lines of their own and are let on by turns, so that
 * neither can fill the line of the other.
 */
function createScryptTurns(openLine: () => WaitingLine) {
  const lines = { known: openLine(), other: openLine() };
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
