import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { type JobTimer, startJobTimer } from './start-job-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that takes time: under fake timers, time passes only when the test advances it. */
const work = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a timer on the given ticks; the last one repeats. */
function start(...ticks: readonly (() => Promise<number | null>)[]) {
  const at: number[] = [];
  const warned: string[] = [];
  let running = 0;
  const runner = {
    async tick() {
      at.push(Date.now());
      running += 1;
      if (running > 1) throw new Error('two at once');
      try {
        return (await (ticks[at.length - 1] ?? ticks.at(-1))?.()) ?? null;
      } finally {
        running -= 1;
      }
    },
  };
  const timer: JobTimer = startJobTimer(runner, systemClock, { warn: (_, text) => void warned.push(text) });
  return { timer, at, warned };
}

test('the machine runs at once, then when a job is due', async () => {
  const { timer, at } = start(
    async () => Date.now() + 80,
    async () => null,
  );
  const began = Date.now();
  await vi.advanceTimersByTimeAsync(79);
  expect(at).toEqual([began]);
  await vi.advanceTimersByTimeAsync(1);
  expect(at).toEqual([began, began + 80]);
  await timer.stop();
});

test('while nothing is due it runs each minute, since the clock may have been set', async () => {
  const { timer, at } = start(
    async () => null,
    async () => Date.now() + 86_400_000,
  );
  const began = Date.now();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(at).toEqual([began, began + 60_000, began + 120_000]);
  await timer.stop();
});

test('a wake during a run starts one more run, never a concurrent one', async () => {
  const { timer, at, warned } = start(async () => {
    await work(20);
    return null;
  });
  for (let times = 0; times < 50; times += 1) timer.wake();
  await vi.advanceTimersByTimeAsync(100);
  expect(at).toHaveLength(2);
  timer.wake();
  await vi.advanceTimersByTimeAsync(50);
  expect([at.length, warned]).toEqual([3, []]);
  await timer.stop();
});

test('a run that fails is logged and repeated after a second', async () => {
  const { timer, at, warned } = start(
    async () => {
      throw new Error('busy');
    },
    async () => null,
  );
  await vi.advanceTimersByTimeAsync(999);
  expect([at.length, warned]).toEqual([1, ['the unfinished jobs could not be read, will try again']]);
  await vi.advanceTimersByTimeAsync(1);
  expect([at.length, warned.length]).toEqual([2, 1]);
  await timer.stop();
});

test('settle gives null after a run that fails, and the next due time after a later run', async () => {
  const later = Date.now() + 500;
  const { timer, at } = start(
    async () => later,
    async () => {
      throw new Error('busy');
    },
    async () => later,
  );
  await vi.advanceTimersByTimeAsync(0);
  expect([at.length, await timer.settle(), await timer.settle()]).toEqual([1, null, later]);
  await timer.stop();
});

test('stopping waits for the current run, and no run follows', async () => {
  let isDone = false;
  const { timer, at } = start(async () => {
    await work(50);
    isDone = true;
    return Date.now();
  });
  const stopped = timer.stop().then(() => expect(isDone).toBe(true));
  await vi.advanceTimersByTimeAsync(50);
  await stopped;
  timer.wake();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(at).toHaveLength(1);
});

test('a wake during a run has no effect after a stop', async () => {
  const { timer, at } = start(async () => {
    await work(30);
    return null;
  });
  timer.wake();
  const stopped = timer.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  await stopped;
  expect(at).toHaveLength(1);
});
