import { describe, expect, test } from 'vitest';
import { apis, runAgainst } from '../planted/apis.ts';
import type { Handler } from '../planted/serve.ts';
import { type OddServer, oddServers } from './odd-servers.ts';

// If these fail, the runner cries wolf: it blames a server for what no sentence forbids.

describe.each(oddServers)('a server that $name', (server) => {
  test.each([
    { seed: 1, workers: 16 },
    { seed: 2, workers: 1 },
  ])('gives no finding (%o)', async (change) => {
    const { result } = await runAgainst(server.api, make(server), change);
    expect(result.findings).toEqual([]);
    expect(result.verdict).toBe('passed');
  });
});

function make({ api, change }: OddServer): Handler {
  const handle = apis[api].create();
  let count = 0;
  return async (request) => {
    count += 1;
    const answer = await handle(request);
    return change(answer, request, count);
  };
}
