import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startPurging } from './start-purging.ts';

const now = Date.UTC(2026, 10, 21, 8);
const day = 86_400_000;

/** A simulated purge: the number of rows per batch; the last one repeats. */
function purgeOf(rows: readonly number[] | Error) {
  const calls: [number, number][] = [];
  const purge = async (at: number, atMost: number): Promise<number> => {
    calls.push([at, atMost]);
    if (rows instanceof Error) throw rows;
    return rows[calls.length - 1] ?? rows.at(-1) ?? 0;
  };
  return { calls, purge };
}

interface Rows {
  readonly oidc?: number[] | Error;
  readonly jobs?: number[] | Error;
  readonly activity?: number[];
  readonly accessCodes?: number[];
  /** Time that passes at each read of the clock. */
  readonly tickMs?: number;
  /** Called between two batches. */
  readonly look?: () => void;
  readonly ping?: () => Promise<void>;
}

async function run({ tickMs = 0, look = () => {}, ping = async () => {}, ...rows }: Rows) {
  const oidc = purgeOf(rows.oidc ?? [0]);
  const jobs = purgeOf(rows.jobs ?? [0]);
  const activity = purgeOf(rows.activity ?? [0]);
  const accessCodes = purgeOf(rows.accessCodes ?? [0]);
  const counters = purgeOf([0]);
  const lead = (act: () => Promise<void>) => act();
  const store = { oidc, jobs, activity, accessCodes, counters, lead, ping } as unknown as Parameters<
    typeof startPurging
  >[0];
  let [rounds, elapsed] = [0, 0];
  const log: string[] = [];
  const stop = startPurging(store, pino({ level: 'warn' }, { write: (line) => log.push(line) }), {
    clock: { now: () => now },
    elapsed: () => {
      look();
      elapsed += tickMs;
      return elapsed;
    },
    random: () => {
      rounds += 1;
      return rounds === 1 ? -1.5 : 0; // the first round at once, the next in a minute
    },
  });
  await vi.waitUntil(() => rounds === 2, { timeout: 10_000 });
  stop();
  return {
    oidc: oidc.calls,
    jobs: jobs.calls,
    activity: activity.calls,
    accessCodes: accessCodes.calls,
    rounds,
    log: log.join(''),
  };
}

test('each kind is purged by its own clock, in batches, until one is not full', async () => {
  const { oidc, jobs, activity, accessCodes, rounds } = await run({ jobs: [500, 500, 499] });
  expect(jobs).toEqual([
    [now, 500],
    [now, 500],
    [now, 500],
  ]);
  expect(activity).toEqual([[now - 400 * day, 500]]);
  expect(accessCodes).toEqual([[now - 400 * day, 500]]);
  expect(oidc).toHaveLength(1);
  expect(Math.abs((oidc[0]?.[0] ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  expect(rounds).toBe(2);
});

const backlog = Array.from({ length: 100 }, () => 500);

test('a backlog of any number of batches is purged in one round', async () => {
  expect((await run({ oidc: [...backlog, 0] })).oidc).toHaveLength(101);
});

test('a backlog that takes too long leaves time for the other kinds, and waits for the next round', async () => {
  const { oidc, jobs, activity, accessCodes, rounds } = await run({ oidc: [500], accessCodes: [500], tickMs: 1000 });
  expect([oidc.length, jobs.length, activity.length, accessCodes.length, rounds]).toEqual([10, 1, 1, 10, 2]);
});

test('requests are answered between two batches', async () => {
  let turns = 0;
  const seen: number[] = [];
  const look = (): void => {
    seen.push(turns);
    setImmediate(() => {
      turns += 1;
    });
  };
  await run({ oidc: [...backlog, 0], look });
  expect(new Set(seen).size).toBeGreaterThan(backlog.length / 2);
});

test('a missing database is reported in each round', async () => {
  const { oidc, rounds, log } = await run({ ping: () => Promise.reject(new Error('the file is gone')) });
  expect([oidc.length, rounds]).toEqual([0, 2]);
  expect(log).toContain('the file is gone');
});

test('a kind that fails is logged and does not keep the others from their turn, and the next round follows', async () => {
  const { jobs, activity, rounds, log } = await run({ jobs: new Error('statement timeout') });
  expect([jobs.length, activity.length, rounds]).toEqual([1, 1, 2]);
  expect(log).toContain('statement timeout');
});
