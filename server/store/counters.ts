import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { bucketsInWindow, openMemoryCounter, type WindowOptions, type WindowUse } from '../limits/window-counter.ts';
import type { Database, Spelling } from './database.ts';
import { prepareDeletion } from './delete-due.ts';
import { prepareQuery, prepareWrite } from './prepared-query.ts';
import type { CounterStore } from './store.ts';

interface Use {
  readonly keyHash: string;
  readonly now: number;
}

interface Take extends Use {
  readonly limit: number;
  readonly windowMs: number;
  readonly bucketMs: number;
  /** The value of a new row. */
  readonly firstUses: string;
  readonly purgeAt: number;
}

/** The last use in a bucket and the number of uses, in no order. */
type Pairs = readonly (readonly [last: number, used: number])[];

/**
 * Counters that all processes share. A key has one row, and one statement counts: its condition and its new value are computed from the
 * newest version of that row, under its lock, so that concurrent calls never exceed the limit. A bucket is a sixtieth of the window, and its
 * uses stop counting a window after the last of them.
 *
 * If the clocks of two machines differ, so do windows, by that difference. A use more than a window ahead comes from a clock that was set
 * back, and does not count.
 */
export function createCounterStore(database: Database, spelling: Spelling): CounterStore {
  const take = prepareTake(database, spelling);
  const find = prepareQuery<{ keyHash: string }, { uses: string }>(database, ({ keyHash }) =>
    database.selectFrom('use_count').select('uses').where('key_hash', '=', keyHash),
  );
  const giveBack = prepareGiveBack(database, spelling);
  const purge = prepareDeletion(database, spelling, { table: 'use_count', key: ['key_hash'], due: 'purge_at' });

  return {
    open(name, options) {
      if (options.isFrequent === true && !spelling.isShared) return openMemoryCounter(name, options);
      const { limit, windowMs } = options;
      const bucketMs = windowMs / bucketsInWindow;
      // Keys contain e-mail addresses and secrets of browsers.
      const hashKey = (key: string) => hash('sha256', `${name} ${key}`, 'base64url');
      const look = async (keyHash: string, now: number) => {
        const [row] = await find({ keyHash });
        return readUses(row?.uses, options, now);
      };
      return {
        async take(key, now) {
          const keyHash = hashKey(key);
          // Rounded up, so that the index changes once a window.
          const purgeAt = (Math.floor(now / windowMs) + 2) * windowMs;
          const firstUses = JSON.stringify([[now, 1]]);
          const [row] = await take({ keyHash, now, limit, windowMs, bucketMs, firstUses, purgeAt });
          const use = row ? readUses(row.uses, options, now) : await look(keyHash, now);
          return { ...use, accepted: row !== undefined };
        },
        giveBack: async (key, at) => {
          await giveBack({ keyHash: hashKey(key), at, bucketMs });
        },
        look: (key, now) => look(hashKey(key), now),
      };
    },
    purge: (dueBy, atMost) => purge({ dueBy, atMost }),
  };
}

function prepareTake(database: Database, { jsonPairRows, jsonPairs }: Spelling) {
  return prepareQuery<Take, { uses: string }>(database, (use) => {
    const integer = (value: number) => sql<number>`cast(${value} as bigint)`;
    const [now, windowMs] = [integer(use.now), integer(use.windowMs)];
    const counting = sql`select first, second from ${jsonPairRows(sql.ref('use_count.uses'))} as earlier where first > ${now} - ${windowMs} and first <= ${now} + ${windowMs}`;
    const buckets = sql`select max(first) as first, sum(second) as second from (${counting} union all select ${now}, 1) as used group by first / ${integer(use.bucketMs)}`;
    return database
      .insertInto('use_count')
      .values({ key_hash: use.keyHash, uses: use.firstUses, purge_at: use.purgeAt })
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet(({ ref }) => ({
            uses: sql<string>`(select ${jsonPairs(sql.ref('first'), sql.ref('second'))} from (${buckets}) as bucket)`,
            purge_at: ref('excluded.purge_at'),
          }))
          .where(sql<number>`(select coalesce(sum(second), 0) from (${counting}) as counted)`, '<', integer(use.limit)),
      )
      .returning('uses');
  });
}

function prepareGiveBack(database: Database, { jsonPairRows, jsonPairs }: Spelling) {
  return prepareWrite<{ keyHash: string; at: number; bucketMs: number }>(database, ({ keyHash, at, bucketMs }) => {
    const bucket = (value: unknown) => sql`${value} / cast(${bucketMs} as bigint)`;
    const isOwn = sql`${bucket(sql.ref('first'))} = ${bucket(sql`cast(${at} as bigint)`)}`;
    const left = sql`select first, second - case when ${isOwn} then 1 else 0 end as second from ${jsonPairRows(sql.ref('use_count.uses'))} as counted`;
    return database
      .updateTable('use_count')
      .set({
        uses: sql<string>`(select ${jsonPairs(sql.ref('first'), sql.ref('second'))} from (${left}) as bucket where second > 0)`,
      })
      .where('key_hash', '=', keyHash);
  });
}

function readUses(text: string | undefined, { limit, windowMs }: WindowOptions, now: number): WindowUse {
  const pairs: Pairs = JSON.parse(text ?? '[]');
  const counting = pairs.filter(([last]) => last > now - windowMs && last <= now + windowMs);
  const used = counting.reduce((sum, [, count]) => sum + count, 0);
  const oldest = counting.reduce((least, [last]) => Math.min(least, last), Number.POSITIVE_INFINITY);
  const from = Number.isFinite(oldest) ? oldest : now;
  return { accepted: used < limit, left: Math.max(0, limit - used), endsAt: from + windowMs };
}
