import { setImmediate } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { StoreUnavailable } from '../store.ts';
import { toStoreError } from './sqlite-error.ts';
import { WriteQueue } from './write-queue.ts';

/** A queue on a simulated database, which `isBusy` as if another process had the lock. */
function openQueue() {
  const state = { isBusy: false, elapsedMs: 0, attempts: 0 };
  const done: string[] = [];
  const queue = new WriteQueue(() => state.elapsedMs);
  const act = (name: string) => () => {
    state.attempts += 1;
    if (state.isBusy) throw toStoreError(new BetterSqlite3.SqliteError('database is locked', 'SQLITE_BUSY'));
    done.push(name);
    return name;
  };
  return { queue, state, done, act };
}

test('on a free database a statement runs at once, and its error is thrown', async () => {
  const { queue, done, act } = openQueue();
  const written = queue.run(act('a'));
  expect(done).toEqual(['a']);
  expect(await written).toBe('a');
  const bug = new TypeError('no such column');
  await expect(
    queue.run(() => {
      throw bug;
    }),
  ).rejects.toBe(bug);
  expect(await queue.run(act('b'))).toBe('b');
});

test('once the lock is released, writers run in the order of arrival, transactions and statements alike', async () => {
  const { queue, state, done, act } = openQueue();
  state.isBusy = true;
  const writers = ['a', 'b', 'c', 'd'].map(async (name, index) => {
    if (index % 2 === 1) return queue.run(act(name));
    await queue.enter(act(name));
    await setImmediate();
    done.push(`end of ${name}`);
    return queue.leave();
  });
  await vi.waitUntil(() => state.attempts > 5);
  expect(done).toEqual([]);
  state.isBusy = false;
  await Promise.all(writers);
  expect(done).toEqual(['a', 'end of a', 'b', 'c', 'end of c', 'd']);
});

test('a reader waits for the end of a transaction, and comes before the next writer', async () => {
  const { queue, done, act } = openQueue();
  await queue.enter(act('a'));
  const next = queue.enter(act('b'));
  const read = queue.whenFree().then(() => done.push('read'));
  expect(queue.isFree).toBe(false);
  queue.leave();
  await Promise.all([next, read]);
  expect(done).toEqual(['a', 'read', 'b']);
  queue.leave();
  expect(queue.isFree).toBe(true);
});

test('each writer waits its own 500 ms and is refused with that time, and the next one goes on waiting', async () => {
  const { queue, state, done, act } = openQueue();
  state.isBusy = true;
  const first = queue.run(act('first')).catch((error: unknown) => error);
  state.elapsedMs = 300;
  const second = queue.enter(act('second'));
  const seen = state.attempts;
  state.elapsedMs = 499;
  await vi.waitUntil(() => state.attempts > seen + 2);
  state.elapsedMs = 500;
  expect(await first).toEqual(
    new StoreUnavailable('the database is unavailable: database is locked, for 500 ms by now'),
  );
  state.isBusy = false;
  expect(await second).toBe('second');
  expect(done).toEqual(['second']);
});

test('a statement that fails blocks no other', async () => {
  const { queue, state, act } = openQueue();
  state.isBusy = true;
  const failing = queue.run(() => {
    act('failing')();
    throw new TypeError('a bug');
  });
  const next = queue.run(act('next'));
  state.isBusy = false;
  await expect(failing).rejects.toThrow('a bug');
  expect(await next).toBe('next');
});

test('a full queue refuses at once, and its writers still run', async () => {
  const { queue, state, done, act } = openQueue();
  await queue.enter(act('open'));
  const waiting = Array.from({ length: 1000 }, (_, index) => queue.run(act(`${index}`)));
  await expect(queue.run(act('one more'))).rejects.toThrow('1000 writers wait for it');
  queue.leave();
  await Promise.all(waiting);
  expect(done).toHaveLength(1001);
  expect(state.attempts).toBe(1001);
});

test('requests are answered between two writers, however many have waited', async () => {
  const { queue, done, act } = openQueue();
  await queue.enter(act('open'));
  const waiting = Promise.all(Array.from({ length: 50 }, (_, index) => queue.run(act(`${index}`))));
  queue.leave();
  const turns: number[] = [];
  while (done.length <= 50) {
    turns.push(done.length);
    await setImmediate();
  }
  await waiting;
  expect(turns.length).toBeGreaterThan(25);
});
