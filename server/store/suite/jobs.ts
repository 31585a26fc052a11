import { describe, expect, test } from 'vitest';
import type { Activity } from '../activity/activity-store.ts';
import type { Store } from '../store.ts';
import { describeJobCreation } from './job-creation.ts';
import { testJobMachine } from './job-machine.ts';
import { addSite, day, lifetime, makeJob, makeKey, makeSettlement, proxied, type Site, start } from './job-records.ts';
import { objectId } from './records.ts';

async function addJob(store: Store, site: Site, given: Parameters<typeof makeJob>[1] = {}) {
  const job = makeJob(site, given);
  expect(await store.jobs.create(job, proxied, null)).toEqual({ kind: 'created' });
  return job;
}

function makeEntry(deviceId: string, name: string, given: Partial<Activity> = {}): Activity {
  const nothing = { rawType: null, firstUse: null, pinId: null, accessName: null, details: '{}' };
  const times = { at: start, receivedAt: start };
  return { id: objectId(name), deviceId, ...times, type: 'UNLOCK', method: 'bridge', ...nothing, ...given };
}

async function readLog(store: Store, deviceId: string): Promise<readonly Activity[]> {
  return store.activity.list({ deviceId, from: null, before: null, descending: false, after: null, limit: 100 });
}

export function describeJobs(get: () => Store): void {
  describeJobCreation(get);

  describe('a job', () => {
    test('reads back as it was created, to its own account alone', async () => {
      const [site, foreign] = [await addSite(get()), await addSite(get())];
      const { clientId: _, ...job } = await addJob(get(), site);
      const want = { ...job, status: 'queued', result: -1, output: '{}' };
      expect(await get().jobs.find(site.accountId, job.jobId, start)).toEqual(want);
      expect(await get().jobs.find(foreign.accountId, job.jobId, start)).toBeUndefined();
      expect(await get().jobs.find(site.accountId, objectId('nowhere'), start)).toBeUndefined();
    });

    test('stands in the order of creation, though clock and ids say nothing about it', async () => {
      const site = await addSite(get());
      const ids: string[] = [];
      for (const offset of [5, 5, 5, 5, 5, 5, 0])
        ids.push((await addJob(get(), site, { createdAt: start + offset })).jobId);
      const mine = (await get().jobs.listUnfinished(start)).filter(({ bridgeId }) => bridgeId === site.bridgeId);
      expect(mine.map(({ jobId }) => jobId)).toEqual(ids);
      const newest = await get().jobs.list({ now: start, bridgeId: site.bridgeId, limit: 3 });
      expect(newest.map(({ jobId }) => jobId)).toEqual(ids.toReversed().slice(0, 3));
    });

    test('is delivered once', async () => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      const calls = Array.from({ length: 10 }, () => get().jobs.markDelivered(jobId, start + 1));
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1);
      expect(await get().jobs.find(site.accountId, jobId, start)).toMatchObject({ status: 'delivered', result: -1 });
    });

    test('has expired from its very instant on, without a purge, and neither delivery nor report changes that', async () => {
      const site = await addSite(get());
      const { jobId, expiresAt } = await addJob(get(), site);
      const find = (now: number) => get().jobs.find(site.accountId, jobId, now);
      expect(await find(expiresAt - 1)).toMatchObject({ status: 'queued' });
      const expired = { status: 'expired', result: -1, output: '{}', sealedData: null };
      expect(await find(expiresAt)).toMatchObject(expired);
      expect(await get().jobs.markDelivered(jobId, expiresAt)).toBe(false);
      expect(await get().jobs.settle(makeSettlement(jobId, { at: expiresAt }))).toBe(false);
      expect(await find(expiresAt)).toMatchObject(expired);
      expect((await get().jobs.listUnfinished(expiresAt)).map((job) => job.jobId)).not.toContain(jobId);
      expect(await get().jobs.settle(makeSettlement(jobId, { at: expiresAt - 1, result: 0 }))).toBe(true);
    });

    test('that is more than its life ahead, since the clock was set back, is ended by the next purge for good', async () => {
      const site = await addSite(get());
      const { jobId, createdAt, expiresAt } = await addJob(get(), site);
      const find = (now: number) => get().jobs.find(site.accountId, jobId, now);
      await purgeAll(get(), createdAt - lifetime);
      expect(await find(createdAt - lifetime)).toMatchObject({ status: 'queued' });
      await purgeAll(get(), createdAt - lifetime - 1);
      for (const now of [createdAt - lifetime - 1, createdAt, expiresAt])
        expect(await find(now)).toMatchObject({ status: 'expired', sealedData: null });
      expect(await get().jobs.settle(makeSettlement(jobId))).toBe(false);
    });

    test.each([
      { end: 'settled', endsAt: start + 3000 },
      { end: 'expired', endsAt: start + lifetime },
    ])('that has $end is kept for 7 days, purged or not', async ({ end, endsAt }) => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      if (end === 'settled') await get().jobs.settle(makeSettlement(jobId));
      const find = (now: number) => get().jobs.find(site.accountId, jobId, now);
      const gone = endsAt + 7 * day;
      expect(await find(gone - 1)).toMatchObject({ jobId });
      expect(await find(gone)).toBeUndefined();
      await purgeAll(get(), gone - 1);
      expect(await find(gone - 1)).toMatchObject({ jobId });
      await purgeAll(get(), gone);
      expect(await find(gone - 1)).toBeUndefined();
    });
  });

  describe('a report of the bridge', () => {
    test('settles the job with its result, battery level, log and last-sync times', async () => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      const activities = [makeEntry(site.lockId, `${jobId} 1`), makeEntry(site.lockId, `${jobId} 2`)];
      const output = '{"lockState":"unlocked"}';
      const report = makeSettlement(jobId, { output, activities, batteryLevel: 42 });
      expect(await get().jobs.settle(report)).toBe(true);
      const job = await get().jobs.find(site.accountId, jobId, start);
      expect(job).toMatchObject({ status: 'succeeded', result: 0, output, sealedData: null });
      expect(await readLog(get(), site.lockId)).toHaveLength(2);
      const lock = await get().devices.find(site.accountId, site.lockId);
      expect(lock).toMatchObject({ batteryLevel: 42, lastSyncAt: report.at });
      expect(await get().devices.find(site.accountId, site.bridgeId)).toMatchObject({ lastSyncAt: report.at });
    });

    test('of a failure keeps its result; a device out of reach gave no sign, and its battery stays', async () => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      expect(await get().jobs.settle(makeSettlement(jobId, { result: 1 }))).toBe(true);
      expect(await get().jobs.find(site.accountId, jobId, start)).toMatchObject({ status: 'failed', result: 1 });
      expect(await get().devices.find(site.accountId, site.lockId)).toMatchObject({
        batteryLevel: 50,
        lastSyncAt: 1000,
      });
      const bridge = await get().devices.find(site.accountId, site.bridgeId);
      expect(bridge).toMatchObject({ lastSyncAt: start + 3000 });
    });

    test('that comes again, late, or about a job unknown here changes no job, and what happened is kept all the same', async () => {
      const site = await addSite(get());
      const [twice, late] = [await addJob(get(), site), await addJob(get(), site)];
      const tell = (jobId: string, at: number, name: string) =>
        get().jobs.settle(
          makeSettlement(jobId, { at, result: 6, activities: [makeEntry(site.lockId, name)], batteryLevel: 7 }),
        );
      expect(await get().jobs.settle(makeSettlement(twice.jobId))).toBe(true);
      expect(await tell(twice.jobId, start + 4000, `${twice.jobId} again`)).toBe(false);
      expect(await get().jobs.find(site.accountId, twice.jobId, start)).toMatchObject({
        status: 'succeeded',
        result: 0,
      });
      expect(await tell(late.jobId, late.expiresAt, `${late.jobId} late`)).toBe(false);
      expect(await get().jobs.find(site.accountId, late.jobId, late.expiresAt)).toMatchObject({ status: 'expired' });
      expect(await tell(objectId('nowhere'), start + 4000, `${late.jobId} unknown`)).toBe(false);
      expect(await readLog(get(), site.lockId)).toHaveLength(3);
      expect(await get().devices.find(site.accountId, site.lockId)).toMatchObject({ batteryLevel: 7 });
    });

    test('is written whole or not at all', async () => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      const activities = [makeEntry(site.lockId, `${jobId} 1`), makeEntry(site.lockId, 'broken', { at: Number.NaN })];
      await expect(get().jobs.settle(makeSettlement(jobId, { activities, batteryLevel: 1 }))).rejects.toThrow();
      expect(await get().jobs.find(site.accountId, jobId, start)).toMatchObject({ status: 'queued' });
      expect(await readLog(get(), site.lockId)).toEqual([]);
      expect(await get().devices.find(site.accountId, site.lockId)).toMatchObject({
        batteryLevel: 50,
        lastSyncAt: 1000,
      });
    });

    test('settles a job once, of 20 at once', async () => {
      const site = await addSite(get());
      const { jobId } = await addJob(get(), site);
      const calls = Array.from({ length: 20 }, (_, result) => get().jobs.settle(makeSettlement(jobId, { result })));
      expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(1);
    });
  });

  testJobMachine(get);

  test('a purge of jobs and keys touches at most so many rows, until nothing is due', async () => {
    await purgeAll(get(), start + 400 * day);
    const site = await addSite(get());
    const later = start + 400 * day;
    for (let index = 0; index < 3; index += 1) {
      const job = makeJob(site, { createdAt: later });
      await get().jobs.create(job, proxied, makeKey(site, `purged ${index}`, { keepUntil: later + 1 }));
    }
    const counts: number[] = [];
    const purge = async (now: number) => counts.push(await get().jobs.purge(now, 2));
    for (const now of [later, later + 1, later + 1, later + lifetime, later + lifetime]) await purge(now);
    for (let round = 0; round < 3; round += 1) await purge(later + lifetime + 7 * day);
    expect(counts).toEqual([0, 2, 1, 2, 1, 2, 1, 0]);
    const last = later + 100 * day;
    for (let index = 0; index < 3; index += 1) {
      const job = makeJob(site, { createdAt: last, expiresAt: last + 1 });
      await get().jobs.create(job, proxied, makeKey(site, `mixed ${index}`, { keepUntil: last + 1 }));
    }
    expect(await get().jobs.purge(last + 1, 4)).toBe(4);
    expect(await get().jobs.purge(last + 1, 4)).toBe(2);
  });
}

async function purgeAll({ jobs }: Store, now: number): Promise<void> {
  while ((await jobs.purge(now, 500)) > 0);
}
