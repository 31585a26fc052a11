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
 * Wrong passwords that count as typing errors. Further attempts are rejected for a time, or have to wait in a line.
 *
 * - `together`, one e-mail from one address: no attempt is judged until the oldest failures have left the window.
 * - `email`, one e-mail from anywhere, and `address`, any e-mail from one address: one attempt after the other, each after a pause that
 *   grows with every failure. In the line of an e-mail each address has one place, in that of an address each e-mail.
 *
 * A known browser, in which the owner has logged in before, has its own count, waits in no such line, and has its own places for the check of
 * passwords. So guessers, at this owner or at any, can't keep the owner out of that browser.
 */
export const guessLimits = {
  together: { failures: 10, windowMs: 10 * minuteMs },
  email: { failures: 30, windowMs: 60 * minuteMs },
  address: { failures: 60, windowMs: 10 * minuteMs },
  /** At most one guess a second at one e-mail. */
  pause: { stepMs: 100, longestMs: 1000 },
  /** For each of the three lines that an attempt may pass. Together they take less than the 60 s after which proxies and this server give up. */
  line: { places: 50, longestMs: 15_000 },
} as const;

/**
 * An attempt that was sent away can be repeated after `afterSeconds`, and keeps its waiting time until `withinMs`. So a person who tries again
 * is ahead of guesses from ever new addresses. Each failure of an address takes `failureMs` off that time; otherwise many addresses that
 * guess in turn would always have waited longer.
 */
const retry = { afterSeconds: 5, withinMs: 20_000, failureMs: 15_000 } as const;

/** Above this number the key that was idle longest is dropped. */
const maxKeys = 10_000;

/** The same for attempts that were sent away: 2,500 a second during `withinMs`, more than this server answers. */
const maxSentAway = 50_000;

export interface Guess {
  /** The canonical form from `emailKey`. */
  readonly email: string;
  readonly address: string;
  /** Identifies the browser if the owner of this e-mail has logged in with it before. */
  readonly knownBrowser?: string | undefined;
  /** Whether the caller still waits for the answer: an abandoned attempt leaves the line. */
  readonly isWaited: () => boolean;
}

/** An attempt that was not judged, so that the answer does not depend on the password. */
export interface Rejected {
  /** `busy`: more logins at this moment than passwords can be checked. */
  readonly kind: 'throttled' | 'busy';
  /** Seconds until the next attempt is judged. */
  readonly waitSeconds: number;
}

/**
 * Judges a password when it has its turn.
 *
 * @param judge answers `wrong` for a failure that counts
 */
export type LimitGuesses = <Judged extends { readonly kind: string }>(
  guess: Guess,
  judge: () => Promise<Judged>,
) => Promise<Judged | Rejected>;

export interface GuessLimitOptions {
  readonly openCounter?: OpenCounter;
  readonly pause?: (ms: number) => Promise<unknown>;
  /** Draws a random index from 0 to `count` - 1. */
  readonly draw?: (count: number) => number;
}

/**
 * Slows down the guessing of passwords (ASVS 5.0, 6.3.1), by the system clock as all of OAuth. Processes that share their counts never judge
 * more wrong passwords together than one alone. Each has its own lines, so that each admits one attempt per pause.
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

  /** Counts an attempt before its check, and uncounts it unless it fails: otherwise each process would judge one more. */
  const judgeCounted = async <Judged extends { readonly kind: string }>(key: string, judge: () => Promise<Judged>) => {
    const at = Date.now();
    const { accepted, endsAt } = await whenAvailable(together.take(key, at));
    if (!accepted) return { kind: 'throttled', waitSeconds: secondsUntil(endsAt, at) } as const;
    let isFailure = false;
    try {
      const judged = await judge();
      isFailure = judged.kind === 'wrong';
      return judged;
    } finally {
      if (!isFailure) await whenAvailable(together.giveBack(key, at));
    }
  };

  return async ({ email, address, knownBrowser, isWaited }, judge) => {
    const isKnown = knownBrowser !== undefined;
    const key = `${email} ${knownBrowser ?? address}`;
    const read = async () => {
      const now = Date.now();
      const { accepted, left, endsAt } = await whenAvailable(together.look(key, now));
      const rejection: Rejected = { kind: 'throttled', waitSeconds: secondsUntil(endsAt, now) };
      return { rejection: accepted ? undefined : rejection, failures: limit - left };
    };
    // Checked before any line, so that a throttled attempt uses no place.
    const { rejection, failures } = await read();
    if (rejection !== undefined) return rejection;
    const began = sentAway.waitingSince(key, Date.now());
    const since = began + failures * retry.failureMs;
    const waiter = { since, network: networkOf(address), isWaited };
    const sendAway = (kind: Rejected['kind']): Rejected => {
      sentAway.add(key, began, Date.now());
      return { kind, waitSeconds: retry.afterSeconds };
    };
    if (!isKnown) {
      if (!(await addresses.pass(address, email, waiter))) return sendAway('throttled');
      if (!(await emails.pass(email, address, waiter))) return sendAway('throttled');
    }
    // One at a time: otherwise concurrent attempts would all be judged before any has failed. All known browsers of an owner share a turn, so
    // that one owner can't use all places for known browsers.
    return takeTurns(isKnown ? `${email} known` : key, async () => {
      const { rejection } = await read();
      if (rejection !== undefined) return rejection;
      const judged = await waitForScrypt(isKnown, waiter, () => judgeCounted(key, judge));
      if (judged === undefined) return sendAway('busy');
      sentAway.delete(key);
      if (judged.kind !== 'wrong' || isKnown) return judged;
      await emails.count(email);
      await addresses.count(address);
      return judged;
    });
  };
}

/** Number of failures beyond the typing errors at which the pause is longest. */
const pauseSteps = guessLimits.pause.longestMs / guessLimits.pause.stepMs;

/**
 * Passes attempts freely until a key has too many failures, then one after the other with pauses.
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
      // Attempts in the line wait for this loop alone: a count that can't be read must not keep them there.
      await pause(await readPauseMs(key).catch(() => longestMs));
      line.admit();
    }
    lines.delete(key);
  }

  return {
    count: (key: string) => whenAvailable(counter.take(key, Date.now())),
    /** @returns false for an attempt that is sent away, as a second one with the same place in a key's line */
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

/** Attempts that were sent away from a line, with the start of their waiting time. */
function createSentAway() {
  const keys = new Map<string, { readonly since: EpochMilliseconds; readonly at: EpochMilliseconds }>();
  const waitingSince = (key: string, now: EpochMilliseconds): EpochMilliseconds => {
    const { since = now, at = now } = keys.get(key) ?? {};
    return now - at <= retry.withinMs ? since : now;
  };
  return {
    waitingSince,
    add: (key: string, since: EpochMilliseconds, now: EpochMilliseconds): void => {
      const first = Math.min(since, waitingSince(key, now));
      keys.delete(key);
      keys.set(key, { since: first, at: now });
      for (const [idlest, { at }] of keys) {
        if (keys.size <= maxSentAway && now - at <= retry.withinMs) break;
        keys.delete(idlest);
      }
    },
    delete: (key: string) => void keys.delete(key),
  };
}

/**
 * Admits as many passwords at once as scrypt may check. Known and new browsers wait in separate lines and are admitted by turns, so that
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

  /** @returns undefined if the attempt was sent away */
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

/** Runs calls with the same key one after the other, in the order of arrival. */
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
