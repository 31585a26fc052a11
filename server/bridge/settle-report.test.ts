import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JobFixture, keys, openJobFixture } from '../operations/jobs/fixtures/job-fixture.ts';
import { settleReport } from './settle-report.ts';

let fixture: JobFixture;
beforeEach(async () => {
  fixture = await openJobFixture();
});
afterEach(() => fixture.close());

test('a job that expires while the codes of its report are looked up stays expired', async () => {
  const { store, clock } = fixture;
  const jobId = await fixture.make('LK2A00000001', 'UNLOCK');
  clock.at += 119_999;
  const seen: string[] = [];
  const accessCodes = {
    ...store.accessCodes,
    findAll: async (pinIds: readonly string[]) => {
      clock.at += 1;
      seen.push((await fixture.read(jobId)).status);
      return store.accessCodes.findAll(pinIds);
    },
  };
  const log = JSON.stringify({ logType: 18, entryDate: clock.at, keyId: 0, pin: '123456789' });
  const items = [{ id: 'LK2A00000001-1', ts: clock.at, payload: { log } }];
  const report = { result: 0, output: {}, items, batteryLevel: null };
  await settleReport({ store: { ...store, accessCodes }, keys, clock }, { jobId, deviceId: 'LK2A00000001' }, report);
  expect(seen).toEqual(['expired']);
  expect((await fixture.read(jobId)).status).toBe('expired');
  expect(await fixture.activity('LK2A00000001')).toHaveLength(1);
});
