import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { planPhases } from '../phases/plan-phases.ts';
import { type ApiName, apis, testOptions } from '../seeded/apis.ts';
import { phasesFor } from '../seeded/faults.ts';
import { listFaults } from '../seeded/list-faults.ts';
import { marketFaults } from '../seeded/market-faults.ts';
import { keyEdits, storyFaults } from '../seeded/story-faults.ts';
import { readEdited } from '../seeded/validate.ts';
import { listServers } from './list-servers.ts';
import { objectServers } from './object-servers.ts';
import { storyServers } from './story-servers.ts';

// If these fail, a check of the phase `story` may have been fitted to one API, or to no legal server.

/** The checks that the phase plans for any of the test APIs. */
async function checksOfStories(): Promise<readonly string[]> {
  const names = (Object.keys(apis) as ApiName[]).map(async (api) => {
    const root = readEdited(apis[api].file, api === 'library' ? keyEdits : []);
    const contract = await readContract(`${api}.json`, JSON.stringify(root));
    const options = testOptions(api, 'http://127.0.0.1', { phases: ['story'] });
    const planned = planPhases(contract, contract.operations, () => true, options);
    return planned.flatMap(({ probes }) => probes.flatMap(({ checks }) => checks));
  });
  return [...new Set((await Promise.all(names)).flat())].sort();
}

const names = await checksOfStories();
const servers = [...storyServers, ...objectServers, ...listServers];
const faults = [...storyFaults, ...listFaults, ...marketFaults];

test('the phase has checks of objects and of lists', () => {
  expect(names.length).toBeGreaterThan(25);
  expect(names).toEqual(expect.arrayContaining(['stored-differs', 'idempotency', 'page-gap', 'list-detail']));
});

describe.each(names)('the check %s', (name) => {
  test('has a legal server that tempts it', () => {
    expect(servers.filter(({ tempts }) => tempts?.includes(name)).length).toBeGreaterThan(0);
  });
  test('has faults in two APIs', () => {
    const ofCheck = faults.filter(({ caughtBy }) => caughtBy.check === name);
    expect([...new Set(ofCheck.map(({ api }) => api))].length).toBeGreaterThan(1);
    expect(ofCheck.map((fault) => phasesFor(fault).join())).toEqual(ofCheck.map(() => 'story'));
  });
});

test('each name of a tempted check is that of a check', () => {
  const tempted = servers.flatMap(({ tempts = [] }) => tempts);
  expect(tempted.filter((name) => !names.includes(name))).toEqual([]);
});
