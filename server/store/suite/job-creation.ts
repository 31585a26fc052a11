import { describe, expect, test } from 'vitest';
import type { Creation } from '../jobs/job-store.ts';
import type { Store } from '../store.ts';
import { addSite, day, lifetime, makeJob, makeKey, makeSettlement, proxied, start, targeted } from './job-records.ts';

const created: Creation = { kind: 'created' };

export function describeJobCreation(get: () => Store): void {
  describe('the rate of a bridge', () => {
    test('frees a place exactly 60 s after it was used, and returns that time', async () => {
      const site = await addSite(get());
      const create = (offset: number) =>
        get().jobs.create(makeJob(site, { createdAt: start + offset, expiresAt: start + offset + 1 }), targeted, null);
      for (const offset of [0, 10_000, 59_998]) expect(await create(offset)).toEqual(created);
      const refused = { kind: 'rate', freeAt: start + 60_000 };
      for (const offset of [59_998, 59_999]) expect(await create(offset)).toEqual(refused);
      expect(await create(60_000)).toEqual(created);
      expect(await create(60_000)).toEqual({ kind: 'rate', freeAt: start + 70_000 });
      expect(await create(69_999)).toEqual({ kind: 'rate', freeAt: start + 70_000 });
      expect(await create(70_000)).toEqual(created);
    });

    test('is its own: other jobs and other bridges take no place', async () => {
      const [site, other] = [await addSite(get()), await addSite(get())];
      for (const one of [site, site, site, other, other, other])
        expect(await get().jobs.create(makeJob(one), targeted, null)).toEqual(created);
      expect(await get().jobs.create(makeJob(site), targeted, null)).toMatchObject({ kind: 'rate' });
      expect(await get().jobs.create(makeJob(site), proxied, null)).toEqual(created);
      expect(await get().jobs.create(makeJob(other), proxied, null)).toEqual(created);
    });

    test('counts what was written first though its time is later, and forgives a clock that was set back', async () => {
      const site = await addSite(get());
      const create = (offset: number) =>
        get().jobs.create(makeJob(site, { createdAt: start + offset }), targeted, null);
      for (const offset of [2, 1, 3]) expect(await create(offset)).toEqual(created);
      expect(await create(0)).toEqual({ kind: 'rate', freeAt: start + 60_001 });
      expect(await create(-60_000)).toMatchObject({ kind: 'created' });
    });

    test('lets exactly three of 20 at once through', async () => {
      const site = await addSite(get());
      const calls = Array.from({ length: 20 }, (_, index) =>
        get().jobs.create(makeJob(site, { createdAt: start + (index % 5) }), targeted, null),
      );
      const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(3);
      expect(kinds.filter((kind) => kind === 'rate')).toHaveLength(17);
    });
  });

  describe('the queue of a bridge', () => {
    test('holds 20 unfinished jobs; the 21st gets the time when the oldest expires, and no purge is needed then', async () => {
      const site = await addSite(get());
      const create = (offset: number) => get().jobs.create(makeJob(site, { createdAt: start + offset }), proxied, null);
      for (let index = 0; index < 20; index += 1) expect(await create(index * 10)).toEqual(created);
      const refused = { kind: 'queue_full', freeAt: start + lifetime };
      expect(await create(200)).toEqual(refused);
      expect(await create(lifetime - 1)).toEqual(refused);
      expect(await create(lifetime)).toEqual(created);
      expect(await create(lifetime)).toEqual({ kind: 'queue_full', freeAt: start + lifetime + 10 });
    });

    test('has room again as soon as a job is settled; a delivered one still counts', async () => {
      const site = await addSite(get());
      const jobs = Array.from({ length: 20 }, () => makeJob(site));
      for (const job of jobs) expect(await get().jobs.create(job, proxied, null)).toEqual(created);
      const { jobId = '' } = jobs[7] ?? {};
      expect(await get().jobs.markDelivered(jobId, start + 1)).toBe(true);
      expect(await get().jobs.create(makeJob(site), proxied, null)).toMatchObject({ kind: 'queue_full' });
      expect(await get().jobs.settle(makeSettlement(jobId, { result: 6 }))).toBe(true);
      expect(await get().jobs.create(makeJob(site), proxied, null)).toEqual(created);
      expect(await get().jobs.create(makeJob(site), proxied, null)).toMatchObject({ kind: 'queue_full' });
    });

    test('forgives a clock that was set back: what is more than its life ahead takes no place', async () => {
      const site = await addSite(get());
      const create = (offset: number) => get().jobs.create(makeJob(site, { createdAt: start + offset }), proxied, null);
      for (let index = 0; index < 20; index += 1) expect(await create(index)).toEqual(created);
      expect(await create(-lifetime + 19)).toEqual({ kind: 'queue_full', freeAt: start + lifetime });
      expect(await create(-lifetime + 18)).toEqual(created);
    });

    test('lets exactly 20 of 40 at once in', async () => {
      const site = await addSite(get());
      const calls = Array.from({ length: 40 }, () => get().jobs.create(makeJob(site), proxied, null));
      const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(20);
      expect(kinds.filter((kind) => kind === 'queue_full')).toHaveLength(20);
    });
  });

  test('of two exceeded limits the longer wait is returned: a request after it is accepted', async () => {
    const site = await addSite(get());
    const limits = { unfinished: 3, rate: { accepted: 3, windowMs: 60_000 } };
    const create = (offset: number, life: number) => {
      const createdAt = start + offset;
      return get().jobs.create(makeJob(site, { createdAt, expiresAt: createdAt + life }), limits, null);
    };
    for (const offset of [0, 1, 2]) expect(await create(offset, lifetime)).toEqual(created);
    expect(await create(3, lifetime)).toEqual({ kind: 'queue_full', freeAt: start + lifetime });
    expect(await create(lifetime, 10)).toEqual(created);
    for (const offset of [1, 2]) expect(await create(lifetime + offset, 10)).toEqual(created);
    expect(await create(lifetime + 3, 10)).toEqual({ kind: 'rate', freeAt: start + lifetime + 60_000 });
    expect(await create(lifetime + 60_000, 10)).toEqual(created);
  });

  describe('an idempotency key', () => {
    test('gives the same job to the same request until it runs out, and refuses another request', async () => {
      const site = await addSite(get());
      const key = makeKey(site, 'key');
      const job = makeJob(site);
      expect(await get().jobs.findReplay(key, start)).toBeUndefined();
      expect(await get().jobs.create(job, proxied, key)).toEqual(created);
      const replayed = { kind: 'replayed', jobId: job.jobId };
      const last = key.keepUntil - 1;
      for (const createdAt of [start, last]) {
        const [again, other] = [makeJob(site, { createdAt }), { ...key, requestHash: 'another' }];
        expect(await get().jobs.create(again, proxied, key)).toEqual(replayed);
        expect(await get().jobs.findReplay(key, createdAt)).toEqual({ kind: 'replayed', jobId: job.jobId });
        expect(await get().jobs.create(again, proxied, other)).toEqual({ kind: 'key_reused' });
        expect(await get().jobs.findReplay(other, createdAt)).toEqual({ kind: 'key_reused' });
        expect(await get().jobs.find(site.accountId, again.jobId, createdAt)).toBeUndefined();
      }
      const next = makeJob(site, { createdAt: key.keepUntil });
      const renewed = { ...key, requestHash: 'another', keepUntil: key.keepUntil + day };
      expect(await get().jobs.findReplay(key, key.keepUntil)).toBeUndefined();
      expect(await get().jobs.create(next, proxied, renewed)).toEqual(created);
      expect(await get().jobs.findReplay(renewed, key.keepUntil)).toEqual({ kind: 'replayed', jobId: next.jobId });
      expect(await get().jobs.findReplay(key, key.keepUntil)).toEqual({ kind: 'key_reused' });
    });

    test('belongs to one client alone', async () => {
      const site = await addSite(get());
      const [mine, foreign] = [makeKey(site, 'key'), makeKey(site, 'key', { clientId: 'another' })];
      expect(await get().jobs.create(makeJob(site), proxied, mine)).toEqual(created);
      expect(await get().jobs.findReplay(foreign, start)).toBeUndefined();
      expect(await get().jobs.create(makeJob(site), proxied, foreign)).toEqual(created);
    });

    test('that is known counts against no limit; one of a refused request is not kept', async () => {
      const site = await addSite(get());
      const key = makeKey(site, 'known');
      const job = makeJob(site);
      expect(await get().jobs.create(job, targeted, key)).toEqual(created);
      const replayed = { kind: 'replayed', jobId: job.jobId };
      for (let index = 0; index < 5; index += 1)
        expect(await get().jobs.create(makeJob(site), targeted, key)).toEqual(replayed);
      for (let index = 0; index < 2; index += 1)
        expect(await get().jobs.create(makeJob(site), targeted, null)).toEqual(created);
      const [unlucky, refused] = [makeKey(site, 'unlucky'), makeJob(site)];
      expect(await get().jobs.create(refused, targeted, unlucky)).toMatchObject({ kind: 'rate' });
      expect(await get().jobs.findReplay(unlucky, start)).toBeUndefined();
      expect(await get().jobs.find(site.accountId, refused.jobId, start)).toBeUndefined();
      expect(await get().jobs.create(makeJob(site), targeted, key)).toEqual(replayed);
    });

    test('sent 20 times at once makes one job, and the others find it', async () => {
      const site = await addSite(get());
      for (let round = 0; round < 5; round += 1) {
        const jobs = Array.from({ length: 20 }, () => makeJob(site));
        const key = makeKey(site, `round ${round}`);
        const creations = await Promise.all(jobs.map((job) => get().jobs.create(job, proxied, key)));
        const winner = jobs[creations.findIndex(({ kind }) => kind === 'created')];
        expect(creations.filter(({ kind }) => kind === 'created')).toHaveLength(1);
        for (const creation of creations)
          if (creation.kind !== 'created') expect(creation).toEqual({ kind: 'replayed', jobId: winner?.jobId });
      }
    });

    test('sent at once with requests for two bridges of one client makes one job', async () => {
      const [site, other] = [await addSite(get()), await addSite(get())];
      const key = makeKey(site, 'shared');
      const calls = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? get().jobs.create(makeJob(site), proxied, key)
          : get().jobs.create(makeJob(other), proxied, { ...key, requestHash: 'another' }),
      );
      const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'replayed')).toHaveLength(9);
      expect(kinds.filter((kind) => kind === 'key_reused')).toHaveLength(10);
    });
  });
}
