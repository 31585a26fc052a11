import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startPurging } from './start-purging.ts';

const now = Date.UTC(2026, 10, 21, 8);
const day = 86_400_000;

/** A store of the test: how many rows each batch finds, the last again and again. */
function purgeOf(rows: readonly number[] | Error) {
  const calls: [number, number][] = [];
  const purge = async (at: number, atMost: number): Promise<number> => {
    calls.push([at, atMost]);
    if (rows instanceof Error) throw rows;
    return rows[calls.length - 1] ?? rows.at(-1) ?? 0;
  };
  return { calls, purge };
}

async function run(rows: { oidc?: number[] | Error; jobs?: number[] | Error; activity?: number[] }) {
  const oidc = purgeOf(rows.oidc ?? [0]);
  const jobs = purgeOf(rows.jobs ?? [0]);
  const activity = purgeOf(rows.activity ?? [0]);
  const store = { oidc, jobs, activity } as unknown as Parameters<typeof startPurging>[0];
  let rounds = 0;
  const stop = startPurging(store, pino({ level: 'silent' }), {
    clock: { now: () => now },
    random: () => {
      rounds += 1;
      return rounds === 1 ? -1.5 : 0; // the first round at once, the next in a minute
    },
  });
  await sleep(50);
  stop();
  return { oidc: oidc.calls, jobs: jobs.calls, activity: activity.calls, rounds };
}

test('each kind is purged by its own clock, in batches, until one is not full', async () => {
  const { oidc, jobs, activity, rounds } = await run({ jobs: [500, 500, 499] });
  expect(jobs).toEqual([
    [now, 500],
    [now, 500],
    [now, 500],
  ]);
  expect(activity).toEqual([[now - 400 * day, 500]]);
  expect(oidc).toHaveLength(1);
  expect(Math.abs((oidc[0]?.[0] ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  expect(rounds).toBe(2);
});

test('a backlog waits for the next round', async () => {
  expect((await run({ activity: [500] })).activity).toHaveLength(20);
});

test('a failure ends the round, and the next one comes', async () => {
  const { jobs, activity, rounds } = await run({ jobs: new Error('busy') });
  expect([jobs.length, activity.length, rounds]).toEqual([1, 0, 2]);
});
