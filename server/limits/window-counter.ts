import type { EpochMilliseconds } from '../clock.ts';

export interface WindowUse {
  /** From `take`: whether this request was counted. From `look`: whether one more would be. */
  readonly accepted: boolean;
  /** The number of further requests that would be accepted. */
  readonly left: number;
  /** The instant from which the oldest counted requests no longer count; for an unused key, one window from now. */
  readonly endsAt: EpochMilliseconds;
}

/** Counts requests by key: never more than the limit in any span of the window's length. This process or a shared database keeps the counts. */
export interface Counter {
  /** Counts one request unless the limit is reached: a rejected request extends no wait. Concurrent calls never count more than the limit. */
  take(key: string, now: EpochMilliseconds): WindowUse | Promise<WindowUse>;
  /** Uncounts a request that was counted at `at`, by the same clock. */
  giveBack(key: string, at: EpochMilliseconds): void | Promise<void>;
  /** Returns the use of a key without counting. */
  look(key: string, now: EpochMilliseconds): WindowUse | Promise<WindowUse>;
}

/**
 * Opens a counter.
 *
 * @param name identifies the counter in a database: all counters of one name count together
 */
export type OpenCounter = (name: string, options: WindowOptions) => Counter;

/** A counter that answers at once. */
export interface WindowCounter extends Counter {
  take(key: string, now: EpochMilliseconds): WindowUse;
  giveBack(key: string, at: EpochMilliseconds): void;
  look(key: string, now: EpochMilliseconds): WindowUse;
  readonly size: number;
}

export interface WindowOptions {
  /** At least 1. */
  readonly limit: number;
  readonly windowMs: number;
  /** Above this number the key that was idle longest is dropped. When omitted, a key is kept as long as it has a count. */
  readonly maxKeys?: number;
  /** Whether it counts each request, not only failures: a count that one process alone needs is then not worth a write. */
  readonly isFrequent?: boolean;
}

/** Requests within a sixtieth of the window. All of them stop counting one window after the last. */
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

export const bucketsInWindow = 60;

/** Counters in the memory of this process. */
export const openMemoryCounter: OpenCounter = (_name, options) => createWindowCounter(options);

/**
 * A counter in the memory of this process. A restart resets it, and each process counts for itself. As times are kept per bucket, a
 * request stops counting up to a sixtieth of the window late, never early.
 *
 * Not rate-limiter-flexible: its windows are fixed, so that two quotas fit around an edge; each of its stores reads `Date.now()` itself;
 * its memory is bounded by time alone, with a timer per key; its SQLite limiter opens a second writing connection for one synced write per
 * request.
 */
export function createWindowCounter({ limit, windowMs, maxKeys = Infinity }: WindowOptions): WindowCounter {
  const bucketMs = windowMs / bucketsInWindow;
  // In the order of their last counts, so that keys without a count come first.
  const keys = new Map<string, Uses>();
  let elapsed = Number.NEGATIVE_INFINITY;
  let behind = 0;

  /** A clock that stops while `now` goes back: a clock set back neither doubles nor cancels a wait. */
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
    // Only a new key adds to the memory. At every count this loop would take 12 µs with 10,000 keys, since deleted keys leave gaps in the map.
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
    giveBack(key, now) {
      const at = pass(now);
      const uses = find(key, at);
      const bucket = uses?.buckets.findLast(({ first }) => first <= at);
      if (uses === undefined || bucket === undefined) return;
      uses.used -= 1;
      bucket.used -= 1;
      if (bucket.used === 0) uses.buckets.splice(uses.buckets.indexOf(bucket), 1);
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
