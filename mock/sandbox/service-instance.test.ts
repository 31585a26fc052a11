import { harbourStays } from '@lockstep/server/demo/demo-data';
import type { Keys } from '@lockstep/server/keys';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createSandboxClock } from '../control/clock.ts';
import { drawScenario, readScenario } from './scenarios.ts';
import { openInstance } from './service-instance.ts';

const startAt = Date.parse('2026-06-01T12:00:00Z');
const years = 2 * 366 * 86_400_000;

let keys: Keys;
beforeAll(async () => {
  keys = await createTestKeys();
});
// The purge waits for a minute of the machine, independent of the clock of the domain.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

async function open() {
  const clock = createSandboxClock({ start: startAt });
  clock.set({ isTicking: false });
  const log: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
  const image = await drawScenario(readScenario({ name: 'demo' }), startAt);
  const instance = await openInstance({ image, accountQuota: 0, keys, clock, logger });
  const principal = { accountId: harbourStays, clientId: 'demo-own', trialEndsAt: null };
  const ask = (name: keyof typeof instance.handlers, path: object, body?: object, query: object = {}) =>
    (
      instance.handlers[name] as unknown as (
        asked: object,
      ) => Promise<{ status: number; body: Record<string, unknown> }>
    )({
      path,
      query,
      headers: {},
      body,
      principal,
    });
  const device = { deviceId: 'LK2A00000001' };
  return {
    instance,
    clock,
    log,
    readActivity: async () => (await ask('getDeviceActivity', device, undefined, { limit: 100 })).body.payload,
    startJob: async () =>
      (await ask('createBridgeProxiedJob', { ...device, bridgeId: 'BR1A00000001' }, { jobType: 'UNLOCK' })).body,
    readJob: async (jobId: unknown) => (await ask('getJobStatus', { jobId })).body,
    purge: () => vi.advanceTimersByTimeAsync(75_000),
  };
}

test('an instance whose clock is moved by two years forgets what the service would, and goes on', async () => {
  const { instance, clock, log, readActivity, startJob, readJob, purge } = await open();
  expect(await readActivity()).not.toEqual([]);
  const before = await startJob();
  await purge();
  expect(await readActivity()).not.toEqual([]);
  clock.move(years);
  // While it is read.
  const [seen] = await Promise.all([readActivity(), purge(), instance.settle()]);
  expect(seen).toEqual(expect.any(Array));
  await purge();
  expect(await readActivity()).toEqual([]);
  expect(await readJob(before.jobId)).toMatchObject({ code: 'job_not_found' });
  const after = await startJob();
  clock.move(3_000);
  await instance.settle();
  expect(await readJob(after.jobId)).toMatchObject({ status: 'succeeded' });
  expect(await readActivity()).toHaveLength(1);
  await instance.close();
  await purge();
  expect(log).toEqual([]);
});
