// Faults of connections, of gateways and of a deployment that stops: no operation is blamed for them by chance.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as NetServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { RunOptions, RunResult } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf as byHand } from '../seeded/by-hand.ts';
import { serve } from '../seeded/serve.ts';

/** Reads at `/r0` and so on, and one write. */
function contractOf(reads: number, write: 'post' | 'put' = 'post') {
  const paths = Array.from(
    { length: reads },
    (_, index) => `  /r${index}: {get: {responses: {'200': {description: Done}}}}`,
  );
  return readContract(
    'api.yaml',
    [
      "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:",
      ...paths,
      `  /w: {${write}: {responses: {'201': {description: Made}}}}\n`,
    ].join('\n'),
  );
}

async function run(origin: string, reads: number, change: Partial<RunOptions> = {}, write?: 'put'): Promise<RunResult> {
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  return await runConformance(contractOf(reads, write), {
    ...testOptions('library', origin),
    baseUrl: origin,
    permissions,
    ...change,
  });
}

test.each([1, 4, 16, 64])(
  'a connection that is reset when it is used again is nobody’s fault: %d workers',
  async (workers) => {
    const used = new WeakSet<Socket>();
    let resets = 0;
    const server = createServer((request, response) => {
      if (used.has(request.socket)) {
        resets += 1;
        request.socket.resetAndDestroy();
        return;
      }
      used.add(request.socket);
      response.writeHead(request.method === 'POST' ? 201 : 200).end();
    });
    const result = await run(await listen(server), 40, { workers });
    server.close();
    expect([result.findings, result.coverage.reached]).toEqual([[], 41]);
    if (workers < 40) expect(resets).toBeGreaterThan(0);
  },
);

test('a POST that fails on a reused connection is not sent twice, and its finding is inconclusive', async () => {
  const used = new WeakSet<Socket>();
  let posts = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST') posts += 1;
    if (request.method === 'POST' && used.has(request.socket)) {
      request.socket.resetAndDestroy();
      return;
    }
    used.add(request.socket);
    response.writeHead(request.method === 'POST' ? 201 : 200).end();
  });
  const result = await run(await listen(server), 4, { workers: 1 });
  server.close();
  expect(posts).toBe(1);
  expect(result.findings.map(({ severity, operation }) => [severity, operation])).toEqual([['suspect', 'POST /w']]);
});

test('a reset of a fresh connection is reported for its operation', async () => {
  const served = await serve(({ path, method }) =>
    path === '/r3' ? { status: 200, instead: 'reset' } : { status: method === 'POST' ? 201 : 200 },
  );
  const result = await run(served.origin, 8);
  await served.close();
  expect(result.findings.map(({ check, operation, keyword }) => [check, operation, keyword])).toEqual([
    ['no-answer', 'GET /r3', 'reset'],
  ]);
  expect(result.coverage.reached).toBe(8);
});

test.each([
  { status: 502, write: undefined, times: 1 },
  { status: 504, write: undefined, times: 1 },
  // A 408 means that the request did not arrive in time.
  { status: 408, write: undefined, times: 2 },
  { status: 502, write: 'put' as const, times: 3 },
  // A complete 503 means that nothing was done: a create is sent again alone, at most twice.
  { status: 503, write: undefined, times: 3 },
  { status: 500, write: undefined, times: 1 },
  { status: 500, write: 'put' as const, times: 2 },
])(
  'no write is sent twice after a possible effect: $write $status comes $times times',
  async ({ status, write, times }) => {
    const served = await serve(({ path }) => ({ status: path === '/w' ? status : 200 }));
    await run(served.origin, 1, {}, write);
    await served.close();
    expect(served.requests.filter((request) => request.endsWith(' /w'))).toHaveLength(times);
  },
);

test('a silent server delays nothing after the budget is spent', async () => {
  const silent = createSocketServer(() => undefined);
  const origin = await listen(silent);
  // Only the timeout would stop the request otherwise, and it is longer than that of this test.
  const result = await run(origin, 8, { budget: { requests: undefined, milliseconds: 500 }, timeoutMs: 600_000 });
  silent.close();
  expect(result.warnings.map(({ message }) => message).join()).toContain('time is up');
});

test.each([1, 16])(
  'a server that one request stops: that one is named, nobody else, and the run goes on: %d workers',
  async (workers) => {
    const server = createMortal((path) => path === '/r5', 150);
    const origin = await server.start();
    const result = await run(origin, 24, { workers });
    await server.end();
    expect(result.findings.map(({ check, operation, operations }) => [check, operation, operations])).toEqual([
      ['no-answer', 'GET /r5', ['GET /r5']],
    ]);
    expect(result.coverage.operations.filter(({ isReached }) => !isReached).map(({ operation }) => operation)).toEqual([
      'GET /r5',
    ]);
    // Once with the other requests, and once alone.
    expect(server.deaths()).toBe(2);
  },
);

test.each([
  { type: 'text/event-stream', first: true },
  { type: 'text/event-stream', first: false },
  { type: 'application/x-ndjson', first: true },
])('endless content delays nothing and is no fault: $type, begun: $first', async ({ type, first }) => {
  const server = createServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, request.url === '/r3' ? { 'content-type': type } : {});
    if (request.url !== '/r3') return response.end();
    response.flushHeaders();
    const drip = first ? setInterval(() => response.write('{"a":1}\n'), 50) : undefined;
    return response.once('close', () => clearInterval(drip));
  });
  const result = await run(await listen(server), 8, {
    timeoutMs: 1_000,
    budget: { requests: undefined, milliseconds: 20_000 },
  });
  server.close();
  server.closeAllConnections();
  const defects = result.findings.filter(({ severity }) => severity === 'defect');
  expect([defects, result.coverage.reached]).toEqual([[], 9]);
});

test('a POST that takes longer than the timeout is sent once', async () => {
  let posts = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST') posts += 1;
    else response.writeHead(200).end();
  });
  const result = await run(await listen(server), 3, { timeoutMs: 300 });
  server.close();
  server.closeAllConnections();
  expect(posts).toBe(1);
  expect(result.findings.map(({ severity, operation }) => [severity, operation])).toEqual([['suspect', 'POST /w']]);
});

test('a token of unknown use is tried for each alternative, in the same order for any number of workers', async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (request.headers['x-key'] === 'token-of-the-user') response.writeHead(200).end();
    else response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
  });
  const origin = await listen(server);
  const paths = Object.fromEntries(
    ['/a', '/b', '/c', '/d', '/e/{id}', '/f/{id}'].map((path) => {
      const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
      return [
        path,
        { get: { parameters: path.includes('{') ? [id] : [], responses: { 200: { description: 'Done' } } } },
      ];
    }),
  );
  const contract = readContract(
    'api.json',
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      security: [{ cookie: [] }, { bearer: [] }, { key: [] }],
      paths,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
        },
      },
    }),
  );
  const logs = [];
  for (const workers of [1, 16]) {
    const credentials = { token: 'token-of-the-user', clientId: undefined, clientSecret: undefined };
    const options = { ...testOptions('library', origin), baseUrl: origin, headers: [], credentials, workers };
    const log: string[] = [];
    const result = await runConformance(contract, options, { onRequest: (line) => log.push(line) });
    expect(result.findings).toEqual([]);
    expect(result.coverage.reached).toBe(6);
    logs.push([result.requests, ...log]);
    const before = asked;
    await runConformance(contract, { ...options, budget: { requests: 3, milliseconds: undefined } });
    expect(asked - before).toBe(3);
  }
  server.close();
  expect(logs[0]).toEqual(logs[1]);
});

test('after a server has stopped for good, pending operations are named, and the run stops', async () => {
  const server = createMortal((path) => path === '/r5', undefined);
  const origin = await server.start();
  const result = await run(origin, 24, { workers: 1, maxWaitMs: 300 });
  await server.end();
  const [finding, ...more] = result.findings;
  expect([more, finding?.check, finding?.operation]).toEqual([[], 'no-answer', 'GET /r5']);
  expect(result.verdict).toBe('defects');
});

/** A server that a request kills, with all connections, and that comes back on the same port after some milliseconds. */
function createMortal(isDeadly: (path: string) => boolean, restartMs: number | undefined) {
  const sockets = new Set<Socket>();
  let deaths = 0;
  let port = 0;
  let isOver = false;
  let server: Server;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (!isDeadly(request.url ?? '')) {
      // Some requests are in flight at that time.
      setTimeout(() => response.writeHead(request.method === 'POST' ? 201 : 200).end(), 5);
      return;
    }
    deaths += 1;
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    if (restartMs !== undefined) setTimeout(() => isOver || void start(), restartMs);
  };
  const start = async (): Promise<string> => {
    server = createServer(answer);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    const origin = await listen(server, port);
    port = Number(new URL(origin).port);
    return origin;
  };
  return {
    start,
    deaths: () => deaths,
    end: async () => {
      isOver = true;
      server.closeAllConnections();
      server.close();
    },
  };
}

async function listen(server: NetServer, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a header that the user gave is sent once, and replaces any other header of that name', async () => {
  const parameter = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } };
  const contract = byHand({ '/a': { get: { parameters: [parameter], responses: { 200: { description: 'Done' } } } } });
  const came: unknown[] = [];
  const served = await serve(({ headers }) => {
    came.push([headers['x-tenant'], headers.accept]);
    return { status: 200 };
  });
  const headers = [['x-tenant', '7'] as const, ['Accept', 'text/csv'] as const];
  await runConformance(contract, { ...testOptions('library', served.origin), baseUrl: served.origin, headers });
  await served.close();
  expect(came[0]).toEqual(['7', 'text/csv']);
});
