import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Exit, findPauseMs, type Manner, type ServingProcess, supervise } from './supervise.ts';

const origin = 'http://localhost:8080';
const killed: Exit = { code: null, signal: 'SIGKILL', cut: 0 };
const ended: Exit = { code: 0, signal: null, cut: 1 };

/** A process of the test, which starts, exits and stops when the test asks for it. */
class TestProcess implements ServingProcess {
  readonly pid: number;
  readonly origin: string | undefined;
  readonly orders: Manner[] = [];
  readonly #ready = Promise.withResolvers<string>();
  readonly #exited = Promise.withResolvers<Exit>();
  readonly ready = this.#ready.promise;
  readonly exited = this.#exited.promise;
  readonly kill = () => this.exit(killed);

  constructor(pid: number, origin: string | undefined) {
    this.pid = pid;
    this.origin = origin;
  }

  stop(manner: Manner): void {
    this.orders.push(manner);
    if (manner === 'close') this.exit(ended);
  }

  async begin(): Promise<void> {
    this.#ready.resolve(origin);
    await settle();
  }

  async exit(exit: Exit = killed): Promise<void> {
    this.#ready.reject(new Error('port in use'));
    this.#exited.resolve(exit);
    await settle();
  }
}

/** All promises that are resolved by now have had their effect. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

function prepare(count: number) {
  const started: TestProcess[] = [];
  const log: Record<string, unknown>[] = [];
  const pauses: { readonly ms: number; readonly end: () => Promise<void> }[] = [];
  const limits: { readonly ms: number; readonly end: () => Promise<void> }[] = [];
  const stopping = new AbortController();
  const time = { ms: 0 };
  /** Thrown by the next starts. */
  const faults: Error[] = [];
  const write = (fields: object, msg: string) => void log.push({ msg, ...fields });
  const supervised = supervise({
    count,
    start: (known) => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      const one = new TestProcess(100 + started.length, known);
      started.push(one);
      return one;
    },
    logger: { info: write, error: write },
    stopping: stopping.signal,
    now: () => time.ms,
    pause: (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => reject(signal.reason));
      const end = () => {
        resolve();
        return settle();
      };
      pauses.push({ ms, end });
      return promise;
    },
    limit: (ms) => {
      const limit = new AbortController();
      const end = () => {
        limit.abort();
        return settle();
      };
      limits.push({ ms, end });
      return limit.signal;
    },
  });
  supervised.catch(() => undefined);
  const at = (index: number): TestProcess => {
    const one = started[index];
    if (one === undefined) throw new Error(`only ${started.length} processes were started`);
    return one;
  };
  return { started, at, log, pauses, limits, stopping, time, faults, supervised };
}

async function startAll(count: number) {
  const all = prepare(count);
  await all.at(0).begin();
  for (let index = 1; index < count; index += 1) await all.at(index).begin();
  return { ...all, running: await all.supervised };
}

describe('a start', () => {
  test('waits for the first process before the others, which get its origin', async () => {
    const { started, at, supervised } = prepare(3);
    expect(started).toHaveLength(1);
    await at(0).begin();
    expect(started.map(({ origin }) => origin)).toEqual([undefined, origin, origin]);
    for (const index of [1, 2]) await at(index).begin();
    expect((await supervised).origin).toBe(origin);
  });

  test('fails with the message of the first process, and starts no other', async () => {
    const { started, at, supervised, log } = prepare(3);
    await at(0).exit({ code: 2, signal: null, cut: 0 });
    await expect(supervised).rejects.toThrow('port in use');
    expect([started.length, log]).toEqual([1, []]);
  });

  test('fails if the first process is not ready in time', async () => {
    const { started, at, limits, supervised } = prepare(2);
    await limits[0]?.end();
    await expect(supervised).rejects.toThrow('The process was not ready after 120 seconds.');
    expect([started.length, await at(0).exited]).toEqual([1, killed]);
  });

  test.each([1, 2])('is cancelled with %i processes started', async (count) => {
    const { started, at, supervised, stopping } = prepare(2);
    if (count === 2) await at(0).begin();
    stopping.abort(new Error('SIGTERM'));
    await expect(supervised).rejects.toThrow('SIGTERM');
    await settle();
    expect(started.map(({ orders }) => orders[0])).toEqual(Array.from({ length: count }, () => 'close'));
  });
});

describe('a process that exits', () => {
  test('is started again at once, then after growing pauses, and at once after a minute', async () => {
    const { at, log, pauses, time } = await startAll(2);
    await at(1).exit();
    expect([at(2).origin, pauses.length]).toEqual([origin, 0]);
    expect(log).toEqual([{ msg: 'a process exited', process: 101, code: null, signal: 'SIGKILL', pauseMs: 0 }]);
    await at(2).begin();
    await at(2).exit();
    await pauses[0]?.end();
    await at(3).exit();
    expect(log.at(-1)).toMatchObject({ process: 103, pauseMs: 2000, reason: 'port in use' });
    await pauses[1]?.end();
    await at(4).begin();
    time.ms += 60_000;
    await at(4).exit();
    await at(5).begin();
    expect(pauses.map(({ ms }) => ms)).toEqual([1000, 2000]);
  });

  test('is started again after a pause if the operating system has no memory for it', async () => {
    const { started, at, log, pauses, faults } = await startAll(2);
    faults.push(new Error('spawn ENOMEM'));
    await at(1).exit();
    await settle();
    expect(log.at(-1)).toMatchObject({ msg: 'a process exited', pauseMs: 1000, reason: 'spawn ENOMEM' });
    await pauses[0]?.end();
    expect([started.length, at(0).orders]).toEqual([3, []]);
  });

  test('is killed and started again if it is not ready in time', async () => {
    const { started, at, log, limits, pauses } = await startAll(2);
    await at(1).exit();
    await limits[2]?.end();
    const reason = 'The process was not ready after 120 seconds.';
    expect(log.at(-1)).toMatchObject({ msg: 'a process exited', process: 102, signal: 'SIGKILL', reason });
    await pauses[0]?.end();
    await at(3).begin();
    await limits[3]?.end();
    expect([started.length, await Promise.race([at(3).exited, 'serves'])]).toEqual([4, 'serves']);
  });

  test('pauses for half a minute at most', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 100].map(findPauseMs)).toEqual([
      0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });
});

describe('a replacement', () => {
  test('retires one process after another, each when its successor is ready', async () => {
    const { started, at, running } = await startAll(2);
    const replacing = running.replaceAll();
    expect([started.length, at(0).orders]).toEqual([3, []]);
    await at(2).begin();
    expect([started.length, at(0).orders, at(1).orders]).toEqual([3, ['retire'], []]);
    await at(0).exit(ended);
    await at(3).begin();
    expect([started.length, at(1).orders]).toEqual([4, ['retire']]);
    await at(1).exit(ended);
    await replacing;
    // The successors are watched in the same way.
    await at(2).exit();
    expect(started).toHaveLength(5);
  });

  test('leaves the old process alone if the new one does not start', async () => {
    const { started, at, running, log } = await startAll(2);
    const replacing = running.replaceAll();
    await at(2).exit({ code: 2, signal: null, cut: 0 });
    await replacing;
    expect(started.map(({ orders }) => orders)).toEqual([[], [], []]);
    expect(log).toEqual([
      {
        msg: 'a new process did not start, and the others go on',
        process: 102,
        code: 2,
        signal: null,
        reason: 'port in use',
      },
    ]);
  });

  test('stops if the new process is not ready in time: it is killed, and the old ones go on', async () => {
    const { started, at, running, log, limits } = await startAll(2);
    const replacing = running.replaceAll();
    await limits[2]?.end();
    await replacing;
    expect(started.map(({ orders }) => orders)).toEqual([[], [], []]);
    const fault = { process: 102, code: null, signal: 'SIGKILL' };
    const reason = 'The process was not ready after 120 seconds.';
    expect(log).toEqual([{ msg: 'a new process did not start, and the others go on', ...fault, reason }]);
    const again = running.replaceAll();
    await at(3).begin();
    expect(at(0).orders).toEqual(['retire']);
    await at(0).exit(ended);
    await at(4).begin();
    await at(1).exit(ended);
    await again;
  });

  test('that is asked for during another one follows it, once', async () => {
    const { started, at, running } = await startAll(1);
    const replacing = running.replaceAll();
    for (let times = 0; times < 3; times += 1) void running.replaceAll();
    for (const next of [1, 2]) {
      await at(next).begin();
      await at(next - 1).exit(ended);
    }
    await replacing;
    expect(started).toHaveLength(3);
  });

  test('that dies while the old process retires is started again at once', async () => {
    const { started, at, running, log } = await startAll(1);
    void running.replaceAll();
    await at(1).begin();
    await at(1).exit();
    expect([at(0).orders, started.length]).toEqual([['retire'], 3]);
    expect(log.at(-1)).toMatchObject({ msg: 'a process exited', process: 101, pauseMs: 0 });
  });

  test('takes the place of a process that died meanwhile', async () => {
    const { started, at, running, pauses } = await startAll(1);
    await at(0).exit();
    await at(1).begin();
    const replacing = running.replaceAll();
    await at(1).exit();
    await at(2).begin();
    await replacing;
    await pauses[0]?.end();
    expect(started).toHaveLength(3);
    await at(2).exit();
    expect(pauses).toHaveLength(2);
  });
});

describe('stopping', () => {
  test('closes every process, also a retiring and a starting one, and counts what they cut', async () => {
    const { started, at, running } = await startAll(2);
    void running.replaceAll();
    await at(2).begin();
    expect(await running.close()).toEqual({ cut: 3 });
    expect(started.map(({ orders }) => orders)).toEqual([['retire', 'close'], ['close'], ['close']]);
  });

  test('starts nothing after a pause', async () => {
    const { started, at, running, stopping } = await startAll(1);
    await at(0).exit();
    await at(1).exit();
    stopping.abort();
    expect(await running.close()).toEqual({ cut: 0 });
    expect(started).toHaveLength(2);
  });
});
