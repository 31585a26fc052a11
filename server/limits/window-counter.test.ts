import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWindowCounter, sayWait, secondsUntil } from './window-counter.ts';

const start = Date.UTC(2026, 10, 21, 8);
const windowMs = 60_000;

/** Requests of three keys, some time after each other. */
const requests = fc.array(
  fc.record({ key: fc.constantFrom('a', 'b', 'c'), afterMs: fc.oneof(fc.nat(200), fc.nat(windowMs * 2)) }),
  { minLength: 1, maxLength: 80 },
);
const limits = fc.integer({ min: 1, max: 6 });

/** The slow, obvious way: all that was accepted, gone through from the beginning. */
function replay(accepted: readonly number[], limit: number, now: number): { accepted: boolean; endsAt: number } {
  const windows: { start: number; used: number }[] = [];
  for (const at of accepted) {
    const last = windows.at(-1);
    if (last === undefined || at >= last.start + windowMs) windows.push({ start: at, used: 1 });
    else last.used += 1;
  }
  const last = windows.at(-1);
  if (last === undefined || now >= last.start + windowMs) return { accepted: true, endsAt: now + windowMs };
  return { accepted: last.used < limit, endsAt: last.start + windowMs };
}

describe('a window', () => {
  it('takes what a replay of everything would take, key by key', () => {
    fc.assert(
      fc.property(limits, requests, (limit, plan) => {
        const counter = createWindowCounter({ limit, windowMs });
        const accepted = new Map<string, number[]>(['a', 'b', 'c'].map((key) => [key, []]));
        let now = start;
        for (const { key, afterMs } of plan) {
          now += afterMs;
          const mine = accepted.get(key) ?? [];
          const want = replay(mine, limit, now);
          expect(counter.look(key, now)).toMatchObject(want);
          expect(counter.take(key, now)).toMatchObject(want);
          if (want.accepted) mine.push(now);
        }
      }),
    );
  });

  it('never takes more than its limit, and tells exactly how long to wait', () => {
    fc.assert(
      fc.property(limits, requests, (limit, plan) => {
        const counter = createWindowCounter({ limit, windowMs });
        let now = start;
        let taken = 0;
        let endsAt = 0;
        for (const { afterMs } of plan) {
          now += afterMs;
          if (now >= endsAt) taken = 0;
          const use = counter.take('a', now);
          endsAt = use.endsAt;
          if (use.accepted) {
            taken += 1;
            expect(use.left).toBe(limit - taken);
          } else {
            const seconds = secondsUntil(use.endsAt, now);
            expect(counter.look('a', now + (seconds - 1) * 1000).accepted).toBe(false);
            expect(counter.look('a', now + seconds * 1000).accepted).toBe(true);
          }
          expect(taken).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('ends when the clock goes back, so that nobody waits longer than one', () => {
    const counter = createWindowCounter({ limit: 1, windowMs });
    expect(counter.take('a', start).accepted).toBe(true);
    expect(counter.take('a', start).accepted).toBe(false);
    expect(counter.take('a', start - 1)).toEqual({ accepted: true, left: 0, endsAt: start - 1 + windowMs });
  });
});

describe('the memory of it', () => {
  it('lets go of windows that have ended', () => {
    const counter = createWindowCounter({ limit: 1, windowMs });
    for (let index = 0; index < 1000; index += 1) counter.take(`old ${index}`, start + index);
    expect(counter.size).toBe(1000);
    counter.take('new', start + windowMs + 499);
    expect(counter.size).toBe(501);
  });

  it('keeps no more keys than it may, and forgets the oldest first', () => {
    const counter = createWindowCounter({ limit: 1, windowMs, maxKeys: 100 });
    for (let index = 0; index < 10_000; index += 1) counter.take(String(index), start);
    expect(counter.size).toBe(100);
    expect(counter.look('9899', start).accepted).toBe(true);
    expect(counter.look('9900', start).accepted).toBe(false);
  });
});

it.each([
  { ms: 1, want: '1 second' },
  { ms: 1000, want: '1 second' },
  { ms: 1001, want: '2 seconds' },
  { ms: 3_600_000, want: '3600 seconds' },
])('$ms ms are said as $want', ({ ms, want }) => {
  expect(sayWait(secondsUntil(start + ms, start))).toBe(want);
});
