import { randomInt } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';

/** An attempt that waits for a turn. */
export interface Waiter {
  /** Since when it waits: the earliest comes first. */
  readonly since: EpochMilliseconds;
  /** Its network. Places and turns are shared among networks. */
  readonly network: string;
  /** Whether somebody waits for the answer still. */
  readonly isWaited: () => boolean;
}

/** Attempts that wait for the same thing. */
export interface WaitingLine {
  /** @returns true when its turn has come, false when it is sent away */
  enter(waiter: Waiter): Promise<boolean>;
  /** Lets the next one on. @returns false where none waits */
  admit(): boolean;
  /** Number of those that wait; callers that hung up do not count. */
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
 * A line in which sending more attempts is no advantage: if the first to arrive got a free place, the caller who sends most would have it. By turns
 * the next one is the one that has waited longest of all, and the one that has waited longest of a network drawn by lot, since a caller may have
 * thousands of addresses in a few networks. When the line is full, the network with most places loses the one that has waited least. Among those that
 * have waited equally long, to the second, the lot decides.
 */
export function createWaitingLine({ places, longestMs, draw = randomInt }: LineOptions): WaitingLine {
  type Entry = Waiter & { readonly until: EpochMilliseconds; readonly settle: (isAdmitted: boolean) => void };
  const entries = new Set<Entry>();
  let isForAll = false;

  function settle(entry: Entry, isAdmitted: boolean): void {
    entries.delete(entry);
    entry.settle(isAdmitted);
  }

  function sweep(): void {
    const now = Date.now();
    for (const entry of entries) if (now >= entry.until || !entry.isWaited()) settle(entry, false);
  }

  function drawOne<Item>(items: readonly Item[]): Item | undefined {
    return items.length > 1 ? items[draw(items.length)] : items[0];
  }

  /** @param extreme which of the seconds since when they wait */
  function drawBy(extreme: (...seconds: number[]) => number, among: readonly Entry[]): Entry | undefined {
    const second = extreme(...among.map(({ since }) => secondOf(since)));
    return drawOne(among.filter(({ since }) => secondOf(since) === second));
  }

  function findLast(): Entry | undefined {
    const networks = [...Map.groupBy(entries, ({ network }) => network).values()];
    const most = Math.max(...networks.map(({ length }) => length));
    return drawBy(Math.max, networks.filter(({ length }) => length === most).flat());
  }

  function findNext(): Entry | undefined {
    isForAll = !isForAll;
    const all = [...entries];
    if (isForAll) return drawBy(Math.min, all);
    const network = drawOne([...new Set(all.map((entry) => entry.network))]);
    return drawBy(
      Math.min,
      all.filter((entry) => entry.network === network),
    );
  }

  return {
    enter: (waiter) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      entries.add({ ...waiter, until: Date.now() + longestMs, settle: resolve });
      if (entries.size > places) sweep();
      const last = entries.size > places ? findLast() : undefined;
      if (last !== undefined) settle(last, false);
      return promise;
    },
    admit: () => {
      sweep();
      const next = findNext();
      if (next !== undefined) settle(next, true);
      return next !== undefined;
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
