import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { type JobTimer, startJobTimer } from './start-job-timer.ts';

/** A runner of the test: what each tick does, the last again and again. */
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

test('it looks at once, then when something is due', async () => {
  const { timer, at } = start(
    async () => Date.now() + 80,
    async () => null,
  );
  await sleep(200);
  expect(at).toHaveLength(2);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(79);
  await timer.stop();
});

test('woken while it looks, it looks once more, and never twice at once', async () => {
  const { timer, at, warned } = start(async () => {
    await sleep(20);
    return null;
  });
  for (let times = 0; times < 50; times += 1) timer.wake();
  await sleep(100);
  expect(at).toHaveLength(2);
  timer.wake();
  await sleep(50);
  expect([at.length, warned]).toEqual([3, []]);
  await timer.stop();
});

test('a look that fails is told and repeated after a second', async () => {
  const { timer, at, warned } = start(
    async () => {
      throw new Error('busy');
    },
    async () => null,
  );
  await sleep(100);
  expect([at.length, warned]).toEqual([1, ['the unfinished jobs could not be looked at, will try again']]);
  await sleep(1100);
  expect([at.length, warned.length]).toEqual([2, 1]);
  await timer.stop();
});

test('stopping waits for what is under way, and nothing comes after it', async () => {
  let isDone = false;
  const { timer, at } = start(async () => {
    await sleep(50);
    isDone = true;
    return Date.now();
  });
  await timer.stop();
  expect(isDone).toBe(true);
  timer.wake();
  await sleep(50);
  expect(at).toHaveLength(1);
});

test('woken while it looks and then stopped, it looks no more', async () => {
  const { timer, at } = start(async () => {
    await sleep(30);
    return null;
  });
  timer.wake();
  await timer.stop();
  await sleep(50);
  expect(at).toHaveLength(1);
});
