import type { EpochMilliseconds } from '../clock.ts';

/** What a key has used. */
export interface WindowUse {
  /** Whether one more is taken, or the one at hand was. */
  readonly accepted: boolean;
  /** How many more are taken. */
  readonly left: number;
  /** The first instant at which the oldest of those counted are counted no more; of a key without any, one window from now. */
  readonly endsAt: EpochMilliseconds;
}

/** Counts by key: never more than so many in any span of the window's length. Kept by this process, or by a database that several share. */
export interface Counter {
  /** Counts one more, unless the limit is reached: what is refused makes no wait longer. Of many at once no more than the limit are counted. */
  take(key: string, now: EpochMilliseconds): WindowUse | Promise<WindowUse>;
  /** The same without counting. */
  look(key: string, now: EpochMilliseconds): WindowUse | Promise<WindowUse>;
}

/**
 * Opens a counter.
 *
 * @param name tells apart those that one database keeps: of one name all count together
 */
export type OpenCounter = (name: string, options: WindowOptions) => Counter;

/** A counter that answers at once. */
export interface WindowCounter extends Counter {
  take(key: string, now: EpochMilliseconds): WindowUse;
  look(key: string, now: EpochMilliseconds): WindowUse;
  /** Keys that are remembered. */
  readonly size: number;
}

export interface WindowOptions {
  /** At least 1. */
  readonly limit: number;
  readonly windowMs: number;
  /** Beyond so many keys the one that was idle longest is forgotten; left out: all are kept until they have nothing that counts. */
  readonly maxKeys?: number;
}

/** Those that came within a sixtieth of the window. They leave together, one window after the last of them. */
interface Bucket {
  readonly first: number;
  last: number;
  used: number;
}

/** The oldest first, 61 at most. */
interface Uses {
  readonly buckets: Bucket[];
  used: number;
}

const bucketsInWindow = 60;

/** Counters in the memory of this process. */
export const openMemoryCounter: OpenCounter = (_name, options) => createWindowCounter(options);

/**
 * A counter in the memory of this process. A restart forgets it, and several processes each count for themselves. As times are kept by the
 * bucket, a place comes back up to a sixtieth of the window late, and never early.
 *
 * Not rate-limiter-flexible: its windows are fixed, so that two quotas pass across an edge; each of its stores reads `Date.now()` itself,
 * its memory is bounded by time alone and holds a timer per key, and its SQLite limiter opens a second writing connection for one synced
 * write per request.
 */
export function createWindowCounter({ limit, windowMs, maxKeys = Infinity }: WindowOptions): WindowCounter {
  const bucketMs = windowMs / bucketsInWindow;
  // In the order of their last counts, so that keys without anything that counts stand in front.
  const keys = new Map<string, Uses>();
  let elapsed = Number.NEGATIVE_INFINITY;
  let behind = 0;

  /** The clock, except that it stands still where that goes back: nothing is counted twice as long for it, nothing is free at once. */
  function pass(now: EpochMilliseconds): number {
    behind = Math.max(behind, elapsed - now);
    elapsed = now + behind;
    return elapsed;
  }

  function hasLeft({ last }: Bucket, at: number): boolean {
    return last + windowMs <= at;
  }

  function find(key: string, at: number): Uses | undefined {
    const uses = keys.get(key);
    for (let oldest = uses?.buckets[0]; uses !== undefined && oldest !== undefined; oldest = uses.buckets[0]) {
      if (!hasLeft(oldest, at)) break;
      uses.used -= oldest.used;
      uses.buckets.shift();
    }
    return uses;
  }

  function count(key: string, uses: Uses, at: number): void {
    const newest = uses.buckets.at(-1);
    uses.used += 1;
    if (newest !== undefined && at < newest.first + bucketMs) {
      newest.used += 1;
      newest.last = at;
    } else {
      uses.buckets.push({ first: at, last: at, used: 1 });
    }
    keys.delete(key);
    keys.set(key, uses);
    // Only a key that had nothing adds to the memory. At every count this would take 12 µs with 10,000 keys, for the gaps it walks over.
    if (uses.used > 1) return;
    for (const [idlest, { buckets }] of keys) {
      const last = buckets.at(-1);
      if (last !== undefined && !hasLeft(last, at) && keys.size <= maxKeys) break;
      keys.delete(idlest);
    }
  }

  function describe({ buckets: [oldest], used }: Uses, accepted: boolean, at: number): WindowUse {
    return { accepted, left: limit - used, endsAt: (oldest?.last ?? at) + windowMs - behind };
  }

  return {
    take(key, now) {
      const at = pass(now);
      const uses = find(key, at) ?? { buckets: [], used: 0 };
      const accepted = uses.used < limit;
      if (accepted) count(key, uses, at);
      return describe(uses, accepted, at);
    },
    look(key, now) {
      const at = pass(now);
      const uses = find(key, at) ?? { buckets: [], used: 0 };
      return describe(uses, uses.used < limit, at);
    },
    get size() {
      return keys.size;
    },
  };
}
