import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

const start = Date.UTC(2026, 11, 1, 12);
const longestMs = 15_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
afterEach(() => void vi.useRealTimers());

/** Each random choice is the item at index `lot`, or the last one. */
function open(places: number, lot = 0): WaitingLine {
  return createWaitingLine({ places, longestMs, draw: (count) => Math.min(lot, count - 1) });
}

/** Records the names of waiters that are admitted and that are sent away. */
function enter(line: WaitingLine, ...waiters: readonly (readonly [name: string, seconds: number, network?: string])[]) {
  const on: string[] = [];
  const away: string[] = [];
  for (const [name, seconds, network = 'n'] of waiters)
    void line
      .enter({ since: start - seconds * 1000, network, isWaited: () => !name.startsWith('left') })
      .then((isAdmitted) => (isAdmitted ? on : away).push(name));
  const settled = async () => {
    await new Promise(setImmediate);
    return { on, away };
  };
  return settled;
}

test('the next one has waited longest', async () => {
  const line = open(9);
  const settled = enter(line, ['new', 0], ['old', 20], ['older', 30], ['left', 99]);
  for (let turn = 0; turn < 3; turn += 1) expect(line.admit()).toBe(true);
  expect(line.admit()).toBe(false);
  expect(await settled()).toEqual({ on: ['older', 'old', 'new'], away: ['left'] });
});

test('among arrivals of the same second the choice is random, for the next one and for the one sent away', async () => {
  const settled = [0, 1, 2].map((lot) => {
    const line = open(2, lot);
    const of = enter(line, ['a', 0.1], ['b', 0.3], ['c', 0.2]);
    line.admit();
    return of;
  });
  expect(await Promise.all(settled.map((of) => of()))).toEqual([
    { on: ['b'], away: ['a'] },
    { on: ['c'], away: ['b'] },
    { on: ['b'], away: ['c'] },
  ]);
});

test('in a full line the attempt that has waited least gets no place, also when repeated', async () => {
  const line = open(2);
  const settled = enter(line, ['a', 5], ['b', 9], ['new', 0], ['newer', -1], ['c', 6]);
  expect(await settled()).toEqual({ on: [], away: ['new', 'newer', 'a'] });
});

test('a network with many addresses has every second turn at most, and gives its places to others', async () => {
  const line = open(3, 1);
  const settled = enter(line, ['a1', 30, 'a'], ['a2', 20, 'a'], ['a3', 10, 'a'], ['b1', 0, 'b']);
  for (let turn = 0; turn < 3; turn += 1) line.admit();
  expect(await settled()).toEqual({ on: ['a1', 'b1', 'a2'], away: ['a3'] });
});

test('no attempt stays longer than the limit', async () => {
  const line = open(9);
  const settled = enter(line, ['a', 30]);
  vi.setSystemTime(start + longestMs - 1);
  expect(line.size).toBe(1);
  vi.setSystemTime(start + longestMs);
  expect(line.size).toBe(0);
  expect(await settled()).toEqual({ on: [], away: ['a'] });
});
