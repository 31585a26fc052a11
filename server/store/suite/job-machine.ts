import fc from 'fast-check';
import { expect } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import type { JobLimits, NewJob } from '../jobs/job-store.ts';
import type { Store } from '../store.ts';
import { JobModel } from './job-model.ts';
import { addSite, day, makeJob, makeKey, makeSettlement, type Site, start } from './job-records.ts';

/** Small limits and short lifetimes, so that random steps reach every limit often. */
const lifetime = 10;
const limits: Readonly<Record<'rated' | 'unrated', JobLimits>> = {
  rated: { unfinished: 3, rate: { accepted: 2, windowMs: 6 } },
  unrated: { unfinished: 3, rate: null },
};

type Step =
  | { readonly do: 'wait'; readonly span: number }
  | {
      readonly do: 'create';
      readonly limits: 'rated' | 'unrated';
      readonly bridge: number;
      readonly key: number | null;
      readonly request: string;
    }
  | { readonly do: 'deliver'; readonly job: number }
  | { readonly do: 'settle'; readonly job: number; readonly result: number }
  | { readonly do: 'purge'; readonly atMost: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait'), span: spans() } as const) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create'),
      limits: fc.constantFrom('rated', 'unrated'),
      bridge: fc.nat(1),
      key: fc.option(fc.nat(1)),
      request: fc.constantFrom('one', 'another'),
    } as const),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deliver'), job: fc.nat(9) } as const) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('settle'), job: fc.nat(9), result: fc.constantFrom(0, 1, 6) } as const),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge'), atMost: fc.constantFrom(1, 2, 1000) } as const) },
);

function spans(): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: lifetime + 2 }) },
    { weight: 1, arbitrary: fc.constantFrom(day - 1, 7 * day - lifetime, 7 * day - 1, 7 * day) },
  );
}

export function testJobMachine(get: () => Store): void {
  const always = 'jobs do what an obvious model does, whatever happens in whatever order and whenever a purge comes';
  testLaw(always, { few: 40, many: 120 }, (numRuns) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const sites = [await addSite(get()), await addSite(get())] as const;
        await follow(get(), sites, steps);
      }),
      { numRuns },
    ),
  );
}

async function follow(store: Store, sites: readonly [Site, Site], steps: readonly Step[]): Promise<void> {
  const model = new JobModel();
  const jobs: NewJob[] = [];
  let now = start;
  const pick = (index: number) => jobs[index % Math.max(1, jobs.length)]?.jobId ?? 'unknown';
  for (const step of steps) {
    if (step.do === 'wait') now += step.span;
    if (step.do === 'create') {
      const site = sites[step.bridge === 0 ? 0 : 1];
      const job = makeJob(site, { createdAt: now, expiresAt: now + lifetime });
      const key =
        step.key === null
          ? null
          : makeKey(sites[0], `${step.key}`, { requestHash: step.request, keepUntil: now + 2 * lifetime });
      if (key !== null) expect(await store.jobs.findReplay(key, now)).toEqual(model.findReplay(key, now));
      const creation = model.create(job, limits[step.limits], key);
      expect(await store.jobs.create(job, limits[step.limits], key)).toEqual(creation);
      jobs.push(job);
    }
    if (step.do === 'deliver')
      expect(await store.jobs.markDelivered(pick(step.job), now)).toBe(model.deliver(pick(step.job), now));
    if (step.do === 'settle') {
      const [jobId, output] = [pick(step.job), `{"at":${now}}`];
      const settled = await store.jobs.settle(makeSettlement(jobId, { at: now, result: step.result, output }));
      expect(settled).toBe(model.settle(jobId, now, step.result, output));
    }
    if (step.do === 'purge') await store.jobs.purge(now, step.atMost);
    await compare(store, sites, model, jobs, now);
  }
}

async function compare(
  store: Store,
  sites: readonly Site[],
  model: JobModel,
  jobs: readonly NewJob[],
  now: number,
): Promise<void> {
  for (const { accountId, jobId } of jobs.slice(-5))
    expect(await store.jobs.find(accountId, jobId, now)).toEqual(model.find(jobId, now));
  const all = model.list(now);
  const unfinished = all.filter(({ sealedData }) => sealedData !== null);
  const bridges = sites.map(({ bridgeId }) => bridgeId);
  const found = await store.jobs.listUnfinished(now);
  expect(found.filter(({ bridgeId }) => bridges.includes(bridgeId))).toEqual(unfinished);
  for (const { accountId, bridgeId } of sites) {
    const newest = all.filter((job) => job.bridgeId === bridgeId).toReversed();
    expect(await store.jobs.list({ now, bridgeId, limit: 100 })).toEqual(newest);
    expect(await store.jobs.list({ now, accountId, limit: 2 })).toEqual(newest.slice(0, 2));
  }
}
