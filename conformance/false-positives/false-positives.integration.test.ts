import { describe, expect, test } from 'vitest';
import { builtPhases } from '../phases/phase.ts';
import { runConformance } from '../run/run-conformance.ts';
import { apis, runAgainst, testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve } from '../seeded/serve.ts';
import { unusualAnswers } from './answers.ts';
import { type FalsePositiveServer, falsePositiveServers } from './servers.ts';

// If these fail, the runner reports a false positive: behaviour that no norm or contract forbids.

describe.each(falsePositiveServers)('a server that $name', (server) => {
  test.each([
    { seed: 1, workers: 16 },
    { seed: 2, workers: 1 },
  ])('has no defect (%o)', async (change) => {
    const { result } = await runAgainst(server.api, createHandler(server), { ...change, phases: builtPhases });
    const allowed = new Set(server.inconclusive);
    expect(result.findings.filter(({ check, severity }) => severity === 'defect' || !allowed.has(check))).toEqual([]);
    expect(result.verdict).toBe('passed');
  });
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

function createHandler({ api, change }: FalsePositiveServer): Handler {
  const handle = apis[api].create();
  let count = 0;
  const same = new Map<string, number>();
  return async (request) => {
    count += 1;
    const answer = await handle(request);
    const key = `${request.method} ${request.path}`;
    same.set(key, (same.get(key) ?? 0) + 1);
    return change(answer, request, count, same.get(key) ?? 0);
  };
}
