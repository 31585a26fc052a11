import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secondsUntil } from './retry-after.ts';
import { createWindowCounter } from './window-counter.ts';

const start = Date.UTC(2026, 10, 21, 8);
const windowMs = 60_000;
const bucketMs = 1000;

/** Requests of three keys: in bursts, about a bucket apart, and about a window apart. */
const requests = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'a', 'b', 'c'),
    afterMs: fc.oneof(fc.nat(200), fc.nat(bucketMs * 2), fc.nat(windowMs * 2), fc.constantFrom(windowMs, windowMs - 1)),
  }),
  { minLength: 1, maxLength: 120 },
);
const limits = fc.integer({ min: 1, max: 6 });

function countSince(times: readonly number[], from: number): number {
  return times.filter((time) => time > from).length;
}

describe('any span of a window', () => {
  test('has no more than the limit, and each rejected request would exceed it in a span a sixtieth longer', () => {
    fc.assert(
      fc.property(limits, requests, (limit, plan) => {
        const counter = createWindowCounter({ limit, windowMs });
        const accepted = new Map<string, number[]>(['a', 'b', 'c'].map((key) => [key, []]));
        let now = start;
        for (const { key, afterMs } of plan) {
          now += afterMs;
          const mine = accepted.get(key) ?? [];
          const looked = counter.look(key, now);
          const use = counter.take(key, now);
          expect(looked.accepted).toBe(use.accepted);
          expect(looked.left - use.left).toBe(use.accepted ? 1 : 0);
          if (use.accepted) {
            mine.push(now);
            expect(countSince(mine, now - windowMs)).toBeLessThanOrEqual(limit);
          } else {
            expect(countSince(mine, now - windowMs - bucketMs)).toBeGreaterThanOrEqual(limit);
          }
        }
      }),
    );
  });

  test('has no more than the limit across an edge', () => {
    const counter = createWindowCounter({ limit: 3600, windowMs: 3_600_000 });
    counter.take('a', start);
    for (let made = 1; made < 3600; made += 1) counter.take('a', start + 3_599_900);
    expect(counter.take('a', start + 3_600_000)).toMatchObject({ accepted: true, left: 0 });
    expect(counter.take('a', start + 3_600_000)).toMatchObject({ accepted: false, left: 0 });
  });
});

describe('the wait', () => {
  test('is exact: after it one more is accepted, a second earlier none', () => {
    fc.assert(
      fc.property(limits, requests, (limit, plan) => {
        const counter = createWindowCounter({ limit, windowMs });
        let now = start;
        for (const { afterMs } of plan) {
          now += afterMs;
          const { accepted, endsAt } = counter.take('a', now);
          const seconds = secondsUntil(endsAt, now);
          expect(seconds).toBeLessThanOrEqual(windowMs / 1000);
          if (accepted) continue;
          now += (seconds - 1) * 1000;
          expect(counter.take('a', now).accepted).toBe(false);
          now += 1000;
          expect(counter.take('a', now).accepted).toBe(true);
        }
      }),
    );
  });

  test('is a window for the first, and for later ones until the oldest stop counting', () => {
    const counter = createWindowCounter({ limit: 4, windowMs });
    expect(counter.look('a', start)).toEqual({ accepted: true, left: 4, endsAt: start + windowMs });
    expect(counter.take('a', start)).toEqual({ accepted: true, left: 3, endsAt: start + windowMs });
    expect(counter.take('a', start + 999)).toEqual({ accepted: true, left: 2, endsAt: start + 999 + windowMs });
    expect(counter.take('a', start + 1000)).toEqual({ accepted: true, left: 1, endsAt: start + 999 + windowMs });
    expect(counter.look('a', start + 998 + windowMs)).toMatchObject({ left: 1 });
    expect(counter.look('a', start + 999 + windowMs)).toMatchObject({ left: 3, endsAt: start + 1000 + windowMs });
  });
});

describe('a clock that goes back', () => {
  const days = fc.array(
    fc.record({
      afterMs: fc.oneof(fc.nat(2000), fc.nat(windowMs)),
      backMs: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.constant(1), fc.nat(windowMs * 100)),
    }),
    { minLength: 1, maxLength: 80 },
  );

  test('shortens no wait, and lets no wait last longer than one window', () => {
    fc.assert(
      fc.property(limits, days, (limit, plan) => {
        const counter = createWindowCounter({ limit, windowMs });
        const accepted: number[] = [];
        let real = start;
        let back = 0;
        for (const { afterMs, backMs } of plan) {
          real += afterMs;
          back += backMs;
          const use = counter.take('a', real - back);
          expect(use.endsAt - (real - back)).toBeLessThanOrEqual(windowMs);
          if (!use.accepted) {
            // The wait is also over for a caller that does not count a request.
            expect(counter.look('a', real - back)).toEqual(use);
            real = use.endsAt + back;
            expect(counter.take('a', real - back).accepted).toBe(true);
          }
          accepted.push(real);
          expect(countSince(accepted, real - windowMs)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  test('by a millisecond or by a year, gives no further quota', () => {
    for (const backMs of [1, windowMs, 31_536_000_000]) {
      const counter = createWindowCounter({ limit: 1, windowMs });
      counter.take('a', start);
      const refused = { accepted: false, left: 0, endsAt: start - backMs + windowMs };
      expect(counter.take('a', start - backMs)).toEqual(refused);
      expect(counter.look('a', start - backMs + windowMs - 1)).toEqual(refused);
      expect(counter.take('a', start - backMs + windowMs)).toMatchObject({ accepted: true });
    }
  });
});

describe('its memory', () => {
  test('drops keys without a count', () => {
    const counter = createWindowCounter({ limit: 1, windowMs });
    for (let index = 0; index < 1000; index += 1) counter.take(`old ${index}`, start + index);
    expect(counter.size).toBe(1000);
    counter.take('new', start + windowMs + 499);
    expect(counter.size).toBe(501);
  });

  test('keeps at most the allowed number of keys, and first drops the one that was idle longest', () => {
    const counter = createWindowCounter({ limit: 1000, windowMs, maxKeys: 100 });
    for (let index = 0; index < 10_000; index += 1) {
      counter.take(String(index), start + index);
      if (index % 50 === 0) counter.take('busy', start + index);
    }
    expect(counter.size).toBe(100);
    const used = (key: string) => 1000 - counter.look(key, start + 10_000).left;
    expect([used('9900'), used('9901'), used('9999'), used('busy')]).toEqual([0, 1, 1, 200]);
  });
});
