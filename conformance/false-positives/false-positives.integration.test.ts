import { describe, expect, test } from 'vitest';
import { builtPhases } from '../phases/phase.ts';
import { runConformance } from '../run/run-conformance.ts';
import { apis, runAgainst, testOptions, withEdits } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { injectFault } from '../seeded/faults.ts';
import { type Handler, serve } from '../seeded/serve.ts';
import { unusualAnswers } from './answers.ts';
import { filterServers } from './filter-servers.ts';
import { inputServers } from './input-servers.ts';
import { jobServers } from './job-servers.ts';
import { listServers } from './list-servers.ts';
import { objectServers } from './object-servers.ts';
import { rateServers } from './rate-servers.ts';
import { type FalsePositiveServer, falsePositiveServers } from './servers.ts';
import { storyServers } from './story-servers.ts';

// If these fail, the runner reports a false positive: behaviour that no norm or contract forbids.

const servers = [
  ...[falsePositiveServers, inputServers, storyServers, jobServers].flat(),
  ...[objectServers, rateServers, listServers, filterServers].flat(),
];

const tempted = new Set(servers.flatMap(({ tempts = [] }) => tempts));
/** One for each tempted check, and a few of those that tempt no check of the phase `story`. `npm run test:full` has all of them. */
const inEveryRun = new Set([
  ...[...tempted].map((check) => servers.find(({ tempts }) => tempts?.includes(check))),
  ...servers.filter(({ tempts }) => tempts === undefined).filter((_, index) => index % 8 === 0),
]);

describe.each(servers)('a server that $name', (server) => {
  const findNoDefect = async (workers: number, requests: number | undefined): Promise<void> => {
    const { api, contract = [], options } = server;
    const budget = { requests, milliseconds: undefined };
    const change = { seed: workers, workers, phases: builtPhases, budget, ...options };
    const { result } = await runAgainst(api, createHandler(server), change, withEdits(api, contract));
    const allowed = new Set(server.inconclusive);
    expect(result.findings.filter(({ check, severity }) => severity === 'defect' || !allowed.has(check))).toEqual([]);
    expect(result.verdict).toBe('passed');
    expect(result.requests).toBeLessThan(3_000);
  };
  const tags = inEveryRun.has(server) ? [] : ['full'];
  test('has no defect within 250 requests', { tags }, () => findNoDefect(2, 250));
  test.each([16, 1])('has no defect with %i workers', { tags: ['full'] }, (workers) =>
    findNoDefect(workers, undefined),
  );
});

describe('an answer', () => {
  test.each(unusualAnswers)(
    'that $name has no finding',
    async ({ version = '3.1.0', method = 'get', responses, schemas = {}, answer }) => {
      const paths = { '/thing': { [method]: { operationId: 'thing', responses } } };
      const served = await serve(() => answer);
      const result = await runConformance(
        contractOf(paths, { schemas }, version),
        testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined }),
      );
      await served.close();
      expect(result.findings.map(({ severity, check, message }) => `${severity} ${check}: ${message}`)).toEqual([]);
      expect(served.requests.length).toBeGreaterThan(0);
    },
  );
});

function createHandler({ api, change, contract = [], edits = [], fresh, ...fault }: FalsePositiveServer): Handler {
  const { at = /./, instead = fresh?.() } = fault;
  const handle = injectFault({ ...fault, ...(instead && { instead }) }, apis[api].create([...contract, ...edits]));
  let count = 0;
  const same = new Map<string, number>();
  return async (request) => {
    count += 1;
    const answer = await handle(request);
    const key = `${request.method} ${request.path}`;
    same.set(key, (same.get(key) ?? 0) + 1);
    return change === undefined || !at.test(key) ? answer : change(answer, request, count, same.get(key) ?? 0);
  };
}
