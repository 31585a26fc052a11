import { describe, expect, test } from 'vitest';
import type { Import } from '../store/imports/import-store.ts';
import { StoreConflict, StoreUnavailable } from '../store/store.ts';
import { type ImportProgress, type ImportRun, sizeNextBatch, writeImport } from './import-apply.ts';
import type { ImportFile } from './import-schema.ts';

const nothing: Import = { properties: [], devices: [] };
const file: ImportFile = {
  account: { id: 'acme', name: 'Acme' },
  properties: [{ id: '65a000000000000000000001', name: 'House' }],
  devices: Array.from({ length: 1000 }, (_, index) => ({
    deviceId: `D${index}`,
    deviceName: 'A',
    type: index % 10 === 0 ? 'Bridge' : 'Lock',
    ...(index % 10 === 0 ? { links: [`D${index + 1}`] } : {}),
  })),
};

interface Fake {
  /** The duration of one device. */
  readonly msEach?: number;
  /** The answer to the batch with that number; its duration passes too. */
  readonly fail?: (call: number) => Error | undefined;
  readonly run?: Partial<ImportRun>;
}

/** A simulated store with a clock, which writes and pauses move forward. */
async function write({ msEach = 0.05, fail = () => undefined, run = {} }: Fake = {}) {
  const calls: string[] = [];
  const shown: ImportProgress[] = [];
  let [at, attempts] = [0, 0];
  const answer = async (name: string, rows: number) => {
    attempts += 1;
    const failure = fail(attempts);
    if (failure !== undefined) {
      at += 500;
      throw failure;
    }
    calls.push(`${name} ${rows}`);
    at += rows * msEach;
    return { lockedMs: rows * msEach };
  };
  const end = await writeImport(
    {
      rebuild: (_, build) => {
        const { account, audit, properties, devices } = build(nothing);
        const name = account === undefined ? (devices.length > 0 ? 'devices' : 'properties') : 'account';
        return answer(audit === undefined ? name : `${name} with audit`, properties.length + devices.length);
      },
      relink: (_, links) => answer('links', links.length),
    },
    file,
    1,
    {
      elapsed: () => at,
      pause: async (ms, signal) => {
        signal?.throwIfAborted();
        at += ms;
      },
      onProgress: (progress) => shown.push(progress),
      ...run,
    },
  );
  return { end, calls, shown, at };
}

test('the account comes first and with the audit, then what things refer to before what refers to them', async () => {
  const { end, calls, shown } = await write();
  expect(calls).toEqual([
    'account with audit 0',
    'properties 1',
    'devices 100',
    'devices 200',
    'devices 400',
    'devices 300',
    'links 100',
  ]);
  const all = (total: number) => ({ done: total, total });
  expect(end).toEqual({
    kind: 'done',
    hasBegun: true,
    progress: { properties: all(1), devices: all(1000), links: all(100) },
  });
  expect(shown.map(({ devices }) => devices.done)).toEqual([0, 100, 300, 700, 1000, 1000]);
});

test('a slow disk gets smaller batches, each below what others wait for', async () => {
  const { calls } = await write({ msEach: 0.4 });
  expect(calls.filter((call) => call.startsWith('devices'))).toEqual([
    'devices 100',
    ...Array.from({ length: 18 }, () => 'devices 50'),
  ]);
});

test.each([
  { name: 'as many as take 20 ms', size: 100, lockedMs: 40, want: 50 },
  { name: 'at most twice as many', size: 100, lockedMs: 1, want: 200 },
  { name: 'twice as many after no time at all', size: 100, lockedMs: 0, want: 200 },
  { name: 'at most 500', size: 400, lockedMs: 5, want: 500 },
  { name: 'at least 20, however long it took', size: 100, lockedMs: 9000, want: 20 },
])('the next batch has $name', ({ size, lockedMs, want }) => {
  expect(sizeNextBatch(size, lockedMs)).toBe(want);
});

describe('it reports its progress', () => {
  const busy = new StoreUnavailable('the database is unavailable: database is locked, for 500 ms by now');

  test('and has patience with others who write, batch after batch', async () => {
    const { end, calls, shown } = await write({ fail: (call) => (call % 50 === 0 ? undefined : busy) });
    expect(end.kind).toBe('done');
    expect(calls).toHaveLength(7);
    expect(shown.length).toBeGreaterThan(300);
  });

  test('when they write for more than a minute without a pause', async () => {
    const { end, at } = await write({ fail: (call) => (call > 4 ? busy : undefined) });
    expect(end).toMatchObject({
      kind: 'busy',
      reason: busy.message,
      progress: { devices: { done: 300, total: 1000 } },
    });
    expect(at).toBeGreaterThan(60_000);
    expect(at).toBeLessThan(62_000);
  });

  test('when somebody took a name meanwhile', async () => {
    const taken = new StoreConflict('the device D150 belongs to another account');
    const { end } = await write({ fail: (call) => (call === 4 ? taken : undefined) });
    expect(end).toMatchObject({
      kind: 'conflict',
      hasBegun: true,
      reason: taken.message,
      progress: { devices: { done: 100 } },
    });
    const first = await write({ fail: () => taken });
    expect(first.end).toMatchObject({ kind: 'conflict', hasBegun: false });
  });

  test('when it is interrupted: after the batch that is under way, or while it waits', async () => {
    const interruption = new AbortController();
    const onProgress = ({ devices }: ImportProgress) => {
      if (devices.done > 0) interruption.abort();
    };
    const { end, calls } = await write({ run: { signal: interruption.signal, onProgress } });
    expect(calls.at(-1)).toBe('devices 100');
    expect(end).toMatchObject({ kind: 'interrupted', hasBegun: true, progress: { devices: { done: 100 } } });
    const waiting = new AbortController();
    const run = { signal: waiting.signal, onProgress: () => waiting.abort() };
    expect((await write({ fail: () => busy, run })).end).toMatchObject({ kind: 'interrupted', hasBegun: false });
  });

  test('but for a bug, which is thrown', async () => {
    await expect(write({ fail: () => new TypeError('a bug') })).rejects.toThrow('a bug');
  });
});
