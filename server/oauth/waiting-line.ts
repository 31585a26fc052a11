import { randomInt } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';

/** Somebody who waits for a turn. */
export interface Waiter {
  /** Since when: the earlier, the sooner it is its turn. */
  readonly since: EpochMilliseconds;
  /** Whether somebody waits for the answer still. */
  readonly isWaited: () => boolean;
}

/** Those who wait for the same thing. */
export interface WaitingLine {
  /** @returns whether its turn has come, once that is known; false: it was sent away */
  enter(waiter: Waiter): Promise<boolean>;
  /** Lets the next one on. @returns false where nobody waits */
  admit(): boolean;
  /** Sends all away. */
  clear(): void;
  /** How many wait, without those who have left. */
  readonly size: number;
}

export interface LineOptions {
  /** Beyond so many one is sent away. */
  readonly places: number;
  /** Nobody stays in the line for longer. */
  readonly longestMs: number;
  /** Draws one of so many, from 0 on. */
  readonly draw?: (count: number) => number;
}

/**
 * A line in which the number of attempts buys nothing: where the first to come had the place that gets free, it would go to whoever sends
 * most. The next one is who has waited longest, and where the line is full, who has waited least is sent away. Among those who have waited
 * equally long, to the second, the lot decides.
 */
export function createWaitingLine({ places, longestMs, draw = randomInt }: LineOptions): WaitingLine {
  type Entry = Waiter & { readonly until: EpochMilliseconds; readonly settle: (isAdmitted: boolean) => void };
  const entries = new Set<Entry>();

  function settle(entry: Entry, isAdmitted: boolean): void {
    entries.delete(entry);
    entry.settle(isAdmitted);
  }

  function sweep(): void {
    const now = Date.now();
    for (const entry of entries) if (now >= entry.until || !entry.isWaited()) settle(entry, false);
  }

  function drawOf(second: number): Entry | undefined {
    const equal = [...entries].filter(({ since }) => secondOf(since) === second);
    return equal.length > 1 ? equal[draw(equal.length)] : equal[0];
  }

  const seconds = () => Array.from(entries, ({ since }) => secondOf(since));

  return {
    enter: (waiter) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      entries.add({ ...waiter, until: Date.now() + longestMs, settle: resolve });
      if (entries.size > places) sweep();
      const last = entries.size > places ? drawOf(Math.max(...seconds())) : undefined;
      if (last !== undefined) settle(last, false);
      return promise;
    },
    admit: () => {
      sweep();
      const next = drawOf(Math.min(...seconds()));
      if (next !== undefined) settle(next, true);
      return next !== undefined;
    },
    clear: () => {
      for (const entry of entries) settle(entry, false);
    },
    get size() {
      sweep();
      return entries.size;
    },
  };
}

function secondOf(at: EpochMilliseconds): number {
  return Math.floor(at / 1000);
}
