import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Counter, WindowOptions } from '../../limits/window-counter.ts';
import type { Store } from '../store.ts';
import { start } from './job-records.ts';

const windowMs = 60_000;
const bucketMs = 1000;
let names = 0;

export function describeCounters(get: () => Store): void {
  /** Counters of one name count together, so each test has its own. */
  const open = (options: Pick<WindowOptions, 'limit'>): Counter => {
    names += 1;
    return get().counters.open(`test ${names}`, { windowMs, ...options });
  };

  describe('counters', () => {
    test('count no more than the limit in any span of a window, and reject what exceeds it in a span a sixtieth longer', async () => {
      const pauses = fc.array(
        fc.oneof(fc.nat(200), fc.nat(2 * bucketMs), fc.nat(2 * windowMs), fc.constant(windowMs)),
        {
          minLength: 1,
          maxLength: 40,
        },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 6 }), pauses, async (limit, plan) => {
          const counter = open({ limit });
          const accepted: number[] = [];
          const since = (from: number) => accepted.filter((time) => time > from).length;
          let now = start;
          for (const afterMs of plan) {
            now += afterMs;
            const looked = await counter.look('key', now);
            const use = await counter.take('key', now);
            expect(looked.accepted).toBe(use.accepted);
            expect(looked.left - use.left).toBe(use.accepted ? 1 : 0);
            if (use.accepted) {
              accepted.push(now);
              expect(since(now - windowMs)).toBeLessThanOrEqual(limit);
              continue;
            }
            expect(since(now - windowMs - bucketMs)).toBeGreaterThanOrEqual(limit);
            expect((await counter.look('key', use.endsAt - 1)).accepted).toBe(false);
            expect((await counter.look('key', use.endsAt)).accepted).toBe(true);
          }
        }),
        { numRuns: 15 },
      );
    });

    test('have a use for each key, and count together under one name', async () => {
      const [one, same, other] = ['shared', 'shared', 'other'].map((name) =>
        get().counters.open(`${name} name`, { limit: 3, windowMs }),
      );
      expect(await one?.take('a', start)).toEqual({ accepted: true, left: 2, endsAt: start + windowMs });
      expect(await same?.look('a', start)).toEqual({ accepted: true, left: 2, endsAt: start + windowMs });
      expect(await same?.look('b', start)).toEqual({ accepted: true, left: 3, endsAt: start + windowMs });
      expect(await other?.look('a', start)).toEqual({ accepted: true, left: 3, endsAt: start + windowMs });
    });

    test('accept exactly the limit of 40 at once, each with another rest', async () => {
      const counter = open({ limit: 17 });
      const uses = await Promise.all(Array.from({ length: 40 }, (_, index) => counter.take('key', start + index)));
      const rests = uses.filter(({ accepted }) => accepted).map(({ left }) => left);
      expect(rests.sort((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, index) => index));
    });

    test('uncount what is given back, and nothing else', async () => {
      const counter = open({ limit: 3 });
      for (const at of [start, start + 10, start + 5000]) await counter.take('key', at);
      await counter.giveBack('key', start + 10);
      expect(await counter.look('key', start + 5000)).toMatchObject({ accepted: true, left: 1 });
      await counter.giveBack('key', start + 5000);
      expect(await counter.look('key', start + 5000)).toMatchObject({ left: 2 });
      await counter.giveBack('key', start + 5000);
      await counter.giveBack('unknown', start);
      expect(await counter.look('key', start + 5000)).toMatchObject({ left: 2 });
    });

    test('wait longer after a clock was set back within a window, and no longer than a window after more', async () => {
      const counter = open({ limit: 1 });
      await counter.take('key', start);
      expect(await counter.take('key', start - windowMs)).toMatchObject({ accepted: false, endsAt: start + windowMs });
      expect(await counter.take('key', start - windowMs - 1)).toMatchObject({ accepted: true });
    });

    test('are purged when nothing counts any more', async () => {
      const counter = open({ limit: 2 });
      await counter.take('key', start);
      const purge = async (at: number) => {
        while ((await get().counters.purge(at, 100)) > 0);
      };
      await purge(start + windowMs - 1);
      expect((await counter.look('key', start + windowMs - 1)).left).toBe(1);
      await purge(start + 2 * windowMs);
      expect((await counter.look('key', start)).left).toBe(2);
    });
  });
}
