import { randomInt } from 'node:crypto';
import type { EpochMilliseconds } from '../clock.ts';

export interface Waiter {
  /** Start of the waiting time: the earliest comes first. */
  readonly since: EpochMilliseconds;
  /** Network of the caller. Places and turns are shared among networks. */
  readonly network: string;
  /** Whether the caller still waits for the answer. */
  readonly isWaited: () => boolean;
}

export interface WaitingLine {
  /** @returns true when the attempt has its turn, false when it is sent away */
  enter(waiter: Waiter): Promise<boolean>;
  /** Admits the next attempt. @returns false if none waits */
  admit(): boolean;
  /** Number of waiting attempts; abandoned ones do not count. */
  readonly size: number;
}

export interface LineOptions {
  /** Above this number an attempt is sent away. */
  readonly places: number;
  readonly longestMs: number;
  /** Draws a random index from 0 to `count` - 1. */
  readonly draw?: (count: number) => number;
}

/**
 * A line in which more attempts are no advantage: if free places went to the first to arrive, the caller who sends most would get them. By
 * turns the next attempt is the one that has waited longest of all, and the one that has waited longest of a randomly drawn network, since a
 * caller may have thousands of addresses in a few networks. In a full line, the network with most places loses the attempt that has waited
 * least. Among equal waiting times, in whole seconds, the choice is random.
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

  /** @param extreme picks one of the starting seconds: the earliest or the latest */
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
