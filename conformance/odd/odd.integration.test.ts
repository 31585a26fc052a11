import { describe, expect, test } from 'vitest';
import { apis, runAgainst, testOptions } from '../planted/apis.ts';
import { contractOf } from '../planted/by-hand.ts';
import { type Handler, serve } from '../planted/serve.ts';
import { runConformance } from '../run/run-conformance.ts';
import { oddAnswers } from './odd-answers.ts';
import { type OddServer, oddServers } from './odd-servers.ts';

// If these fail, the runner cries wolf: it blames a server for what no sentence forbids.

describe.each(oddServers)('a server that $name', (server) => {
  test.each([
    { seed: 1, workers: 16 },
    { seed: 2, workers: 1 },
  ])('has no defect (%o)', async (change) => {
    const { result } = await runAgainst(server.api, make(server), change);
    const suspects = new Set(server.suspects);
    expect(result.findings.filter(({ check, severity }) => severity === 'defect' || !suspects.has(check))).toEqual([]);
    expect(result.verdict).toBe('passed');
  });
});

describe('an answer', () => {
  test.each(oddAnswers)(
    'that $name has no finding',
    async ({ version = '3.1.0', method = 'get', responses, schemas = {}, answer }) => {
      const paths = { '/thing': { [method]: { operationId: 'thing', responses } } };
      const served = await serve(() => answer);
      const result = await runConformance(
        contractOf(paths, { schemas }, version),
        testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined }),
      );
      await served.close();
      expect(result.findings.map(({ severity, check, says }) => `${severity} ${check}: ${says}`)).toEqual([]);
      expect(served.requests.length).toBeGreaterThan(0);
    },
  );
});

function make({ api, change }: OddServer): Handler {
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
