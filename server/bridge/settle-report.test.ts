import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JobWorld, keys, openJobWorld } from '../operations/jobs/fixtures/job-world.ts';
import { settleReport } from './settle-report.ts';

let world: JobWorld;
beforeEach(async () => {
  world = await openJobWorld();
});
afterEach(() => world.close());

test('a job that expires while the codes of its report are looked up stays expired', async () => {
  const { store, clock } = world;
  const jobId = await world.make('LK2A00000001', 'UNLOCK');
  clock.at += 119_999;
  const seen: string[] = [];
  const accessCodes = {
    ...store.accessCodes,
    findAll: async (pinIds: readonly string[]) => {
      clock.at += 1;
      seen.push((await world.read(jobId)).status);
      return store.accessCodes.findAll(pinIds);
    },
  };
  const log = JSON.stringify({ logType: 18, entryDate: clock.at, keyId: 0, pin: '123456789' });
  const items = [{ id: 'LK2A00000001-1', ts: clock.at, payload: { log } }];
  const report = { result: 0, output: {}, items, batteryLevel: null };
  await settleReport({ store: { ...store, accessCodes }, keys, clock }, { jobId, deviceId: 'LK2A00000001' }, report);
  expect(seen).toEqual(['expired']);
  expect((await world.read(jobId)).status).toBe('expired');
  expect(await world.activity('LK2A00000001')).toHaveLength(1);
});
