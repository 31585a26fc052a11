import { describe, expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import { planPhases } from '../phases/plan-phases.ts';
import { seededFaults } from '../seeded/all-faults.ts';
import { type ApiName, apis, testOptions, withEdits } from '../seeded/apis.ts';
import { childEdits } from '../seeded/child-faults.ts';
import { phasesFor } from '../seeded/faults.ts';
import { jobEdits } from '../seeded/job-faults.ts';
import { quotaEdits } from '../seeded/rate-faults.ts';
import { keyEdits } from '../seeded/story-faults.ts';
import { filterServers } from './filter-servers.ts';
import { jobServers } from './job-servers.ts';
import { listServers } from './list-servers.ts';
import { objectServers } from './object-servers.ts';
import { rateServers } from './rate-servers.ts';
import type { FalsePositiveServer } from './servers.ts';
import { storyServers } from './story-servers.ts';

// If these fail, a check of the phase `story` may have been fitted to one API, or to no legal server.

const contracts = (Object.keys(apis) as ApiName[]).flatMap((api): (readonly [ApiName, Contract])[] => {
  const own = api === 'library' || api === 'depot' ? [jobEdits[api], childEdits[api], quotaEdits[api]] : [];
  return [api === 'library' ? keyEdits : [], ...own].map((edits) => [api, withEdits(api, edits)()]);
});

/** The checks that the phase plans for any of the test APIs. */
const planned = contracts.flatMap(([api, contract]) => {
  const options = testOptions(api, 'http://127.0.0.1', { phases: ['story'] });
  const scenarios = planPhases(contract, contract.operations, () => true, options);
  return scenarios.flatMap(({ probes }) => probes.flatMap(({ checks }) => checks));
});
const names = [...new Set(planned)].sort();
const servers: readonly FalsePositiveServer[] = [
  storyServers,
  objectServers,
  jobServers,
  rateServers,
  listServers,
  filterServers,
].flat();

test('the phase has checks of objects, jobs and lists', () => {
  expect(names.length).toBeGreaterThan(25);
  expect(names).toEqual(
    expect.arrayContaining(['stored-differs', 'idempotency', 'job-stuck', 'child-orphaned', 'page-gap']),
  );
});

describe.each(names)('the check %s', (name) => {
  test('has a legal server that tempts it', () => {
    expect(servers.filter(({ tempts }) => tempts?.includes(name)).length).toBeGreaterThan(0);
  });
  test('has faults in two APIs', () => {
    const ofCheck = seededFaults.filter(({ caughtBy }) => caughtBy.check === name);
    expect([...new Set(ofCheck.map(({ api }) => api))].length).toBeGreaterThan(1);
    expect(ofCheck.map((fault) => phasesFor(fault).join())).toEqual(ofCheck.map(() => 'story'));
  });
});

test('each name of a tempted check is that of a check', () => {
  const tempted = servers.flatMap(({ tempts = [] }) => tempts);
  expect(tempted.filter((name) => !names.includes(name))).toEqual([]);
});
