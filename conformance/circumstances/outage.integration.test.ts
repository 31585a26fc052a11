// A deployment that stops: requests that are blamed, requests that are repeated, and requests that must not be repeated.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';

const body = {
  required: true,
  content: {
    'application/json': { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
  },
};

/** Operations `GET /a`, `POST /b {}` with a body, `POST /c !` under `x-idempotency`. */
function contractOf(lines: readonly string[]) {
  const paths: Record<string, object> = {};
  for (const line of lines) {
    const [method = '', path = '', mark] = line.split(' ');
    const more = {
      ...(mark === '{}' && { requestBody: body }),
      ...(mark === '!' && { 'x-idempotency': 'natural' }),
    };
    const responses = { 200: { description: 'Done' }, 201: { description: 'Made' } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId: `${method} ${path}`, responses, ...more } };
  }
  return readContract('a.json', JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths }));
}

interface Mortal {
  /** Whether a request stops the server: instead of an answer, or some milliseconds after it. */
  readonly stops: (request: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }) => 'instead' | { readonly afterMs: number } | undefined;
  /** Time until it listens again; undefined if it never does. */
  readonly awayMs: number | undefined;
}

async function run(lines: readonly string[], { stops, awayMs }: Mortal, change: Partial<RunOptions> = {}) {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let deaths = 0;
  let port = 0;
  let isOver = false;
  let server: Server | undefined;
  const stop = (): void => {
    deaths += 1;
    server?.close();
    for (const socket of sockets) socket.resetAndDestroy();
    if (awayMs !== undefined) setTimeout(() => isOver || void start(), awayMs);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { method = '', url: path = '' } = request;
    const asked = { method, path, body: Buffer.concat(chunks).toString() };
    requests.push(`${method} ${path}${asked.body && ` ${asked.body}`}`);
    const how = stops(asked);
    // Some requests are in flight at that time.
    await new Promise((resolve) => setTimeout(resolve, how === 'instead' ? 3 : 8));
    if (how === 'instead') return stop();
    response.writeHead(method === 'POST' ? 201 : 200).end();
    if (how !== undefined) setTimeout(stop, how.afterMs);
  };
  const start = async (): Promise<void> => {
    const started = createServer((request, response) => void answer(request, response).catch(() => undefined));
    server = started;
    started.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => started.listen(port, '127.0.0.1', resolve));
    port = (started.address() as AddressInfo).port;
  };
  await start();
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  const baseUrl = `http://127.0.0.1:${port}`;
  const result = await runConformance(contractOf(lines), {
    ...testOptions('library', baseUrl, { permissions, workers: 16, ...change }),
    baseUrl,
  });
  isOver = true;
  for (const socket of sockets) socket.destroy();
  server?.close();
  return {
    result,
    requests,
    deaths,
    told: result.findings.map(({ severity, check, operations }) => [severity, `${check} ${operations.join(', ')}`]),
    warnings: result.warnings.map(({ message }) => message).join('\n'),
    unreached: result.coverage.operations.filter(({ isReached }) => !isReached).map(({ operation }) => operation),
  };
}

const reads = Array.from({ length: 12 }, (_, index) => `GET /r${index}`);

const isBlamedRightly = (workers: number): void => {
  test('an accepted request stops it, and it comes back: a warning names that request', async () => {
    const stops: Mortal['stops'] = ({ path }) => (path === '/restart' ? { afterMs: 5 } : undefined);
    const { told, warnings, unreached } = await run(
      [...reads, 'POST /restart', 'POST /stop', 'PUT /reboot'],
      { stops, awayMs: 300 },
      { workers },
    );
    expect([told, unreached]).toEqual([[], []]);
    expect(warnings).toMatch(/stopped[^\n]* POST \/restart[^\n]*came back/);
  });

  test('an accepted request stops it, and it stays away: the request after it is not blamed', async () => {
    const stops: Mortal['stops'] = ({ path }) => (path === '/restart' ? { afterMs: 5 } : undefined);
    const { told, warnings, result } = await run(
      [...reads, 'POST /restart', 'POST /stop', 'DELETE /r1'],
      { stops, awayMs: undefined },
      { workers, maxWaitMs: 300 },
    );
    expect(told).toEqual([]);
    expect(warnings).toMatch(/stopped[^\n]* POST \/restart[^\n]*did not come back/);
    expect(result.verdict).toBe('cut-short');
  });

  test('stops soon after an accepted write with an ordinary name: an inconclusive finding names the write', async () => {
    let isFirst = true;
    const stops: Mortal['stops'] = ({ path }) => {
      if (path !== '/configuration' || !isFirst) return undefined;
      isFirst = false;
      return { afterMs: 5 };
    };
    const { told, result } = await run(
      [...reads, 'PUT /configuration', 'DELETE /r1', 'DELETE /r2'],
      // Long enough to be noticed on a busy machine.
      { stops, awayMs: 1_000 },
      { workers },
    );
    expect(told).toEqual([['suspect', 'no-answer PUT /configuration']]);
    expect(result.findings[0]?.message).toContain('accepted just before: PUT /configuration');
  });

  test('a POST without data stops it: the POST is named, and never sent again', async () => {
    const { told, requests, unreached } = await run(
      [...reads, 'POST /door'],
      { stops: ({ path }) => (path === '/door' ? 'instead' : undefined), awayMs: 200 },
      { workers },
    );
    expect(told).toEqual([['defect', 'no-answer POST /door']]);
    expect(requests.filter((line) => line.startsWith('POST /door'))).toHaveLength(1);
    expect(unreached).toEqual(['POST /door']);
  });

  test('one of two POSTs stops it: a new request with other data shows which, and no request is sent twice', async () => {
    const { told, requests, unreached } = await run(
      [...reads, 'POST /books {}', 'POST /doors {}'],
      { stops: ({ path }) => (path === '/doors' ? 'instead' : undefined), awayMs: 200 },
      { workers },
    );
    expect(told).toEqual([['defect', 'no-answer POST /doors']]);
    const posts = requests.filter((line) => line.startsWith('POST'));
    expect(new Set(posts).size).toBe(posts.length);
    expect(unreached).toEqual(['POST /doors']);
  });

  test('a POST stops it once, and the next one is accepted: the finding is inconclusive', async () => {
    let isFirst = true;
    const stops: Mortal['stops'] = ({ path }) => {
      if (path !== '/doors' || !isFirst) return undefined;
      isFirst = false;
      return 'instead';
    };
    const { told, unreached } = await run([...reads, 'POST /doors {}'], { stops, awayMs: 200 }, { workers });
    expect(told).toEqual([['suspect', 'no-answer POST /doors']]);
    expect(unreached).toEqual([]);
  });

  test('a POST that the contract calls idempotent stops it: the POST is sent again alone', async () => {
    const { told, requests } = await run(
      [...reads, 'POST /door !'],
      { stops: ({ path }) => (path === '/door' ? 'instead' : undefined), awayMs: 200 },
      { workers },
    );
    expect(told).toEqual([['defect', 'no-answer POST /door']]);
    expect(requests.filter((line) => line.startsWith('POST /door'))).toHaveLength(2);
  });

  test('a GET stops it for good: only requests in flight are named', async () => {
    const { told, result } = await run(
      [...reads, 'POST /w {}'],
      { stops: ({ path }) => (path === '/r3' ? 'instead' : undefined), awayMs: undefined },
      { workers, maxWaitMs: 300 },
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.join(' ')).toMatch(/^defect no-answer .*GET \/r3\b/);
    expect(result.findings[0]?.message).toContain('did not come back');
  });
};

// With 16, other requests are in flight when the server stops.
const aServerThat = 'with %d workers, a server that';
describe.each([16])(aServerThat, isBlamedRightly);
describe.each([1])(aServerThat, { tags: ['full'] }, isBlamedRightly);
