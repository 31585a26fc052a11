import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@lockstep/contract/operations';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContractFile } from '../conformance/contract/read-contract.ts';
import { authorize, createAccounts } from '../conformance/execute/authorize.ts';
import { createConnection } from '../conformance/execute/connection.ts';
import { startSandbox } from '../mock/sandbox/start-sandbox.ts';
import { demoHabits } from '../server/demo/demo-habits.ts';
import { startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, server or mock breaks the contract that partners build on, or the runner no longer sees when they do.

const logger = pino({ level: 'silent' });
const operationCount = Object.keys(operations).length;
const onLoopback = { port: 0, host: '127.0.0.1', logger } as const;

type Side = {
  readonly origin: string;
  readonly clients: readonly { clientId: string; secret: string }[];
  close(): Promise<unknown>;
};

let folder: string;
let server: Side;
let mock: Side;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conform-'));
  server = await startDemoService({ logger, habits: demoHabits, differentialValidation: 'logged' });
  mock = await startSandbox({ keyFile: join(folder, 'mock-keys.json'), ...onLoopback });
});
afterAll(async () => {
  await Promise.all([server.close(), mock.close()]);
  await rm(folder, { recursive: true });
});

/** All phases; random cases fill the rest. */
const budget = ['--budget', '1200req'] as const;

test('the server keeps its contract', async () => {
  const run = await conform(server, '--allow-effects', 'physical,remote', ...budget);
  expect(run.findings).toEqual([]);
  expect(run.exitCode).toBe(0);
  expect(run.reached).toBe(operationCount);
});

// `npm test` holds the mock of `npm start` to the contract, by the line in the README.
test('the mock keeps its contract', { tags: ['full'] }, async () => {
  const run = await conform(mock, '--allow-effects', 'physical,remote', ...budget);
  expect(run.findings).toEqual([]);
  expect(run.exitCode).toBe(0);
  expect(run.reached).toBe(operationCount);
});

test.each(['server', 'mock'] as const)(
  '%s: a token without one scope opens all but what asks for that scope',
  async (name) => {
    const { origin, clients } = name === 'server' ? server : mock;
    const contract = await readContractFile('openapi/service.yaml');
    const connection = createConnection({ timeoutMs: 30_000, signal: new AbortController().signal });
    const baseUrl = `${origin}/v1`;
    const accounts = createAccounts({
      contract,
      credentials: { token: undefined, clientId: clients[0]?.clientId, clientSecret: clients[0]?.secret },
      second: undefined,
      baseUrl,
      authUrl: `${origin}/auth`,
      connection,
      keepSecret: () => undefined,
      mayCreateUsers: false,
    });
    const statusWithout = async (scope: string, path: string): Promise<unknown> => {
      const operation = contract.operations.find((one) => one.method === 'get' && one.path === path);
      if (operation === undefined) throw new Error(`no operation at ${path}`);
      const authorization = await authorize(accounts, operation, [], { without: [scope] });
      const headers = authorization?.headers ?? [];
      expect(headers[0]?.[1]).toMatch(/^Bearer ./);
      const sent = path.replace('{jobId}', '00000000-0000-4000-8000-000000000000');
      const outcome = await connection.send({ method: 'GET', base: baseUrl, path: sent, headers, body: undefined });
      return outcome?.kind === 'answer' ? outcome.status : outcome;
    };
    expect(await statusWithout('serviceapi/get-devices', '/devices')).toBe(403);
    expect(await statusWithout('serviceapi/get-devices', '/jobs/{jobId}')).not.toBe(403);
    expect(await statusWithout('serviceapi/get-job-status', '/jobs/{jobId}')).toBe(403);
    expect(await statusWithout('serviceapi/get-job-status', '/devices')).toBe(200);
    expect(accounts.problems()).toEqual([]);
    await connection.close();
  },
);

interface Row {
  readonly fault: string;
  readonly change: (request: IncomingMessage, answer: Answer) => Answer;
  readonly args: readonly string[];
  readonly check: string;
  readonly exitCode: 1 | 2;
}

describe('a fault injected on the way is found:', () => {
  const rows: readonly Row[] = [
    {
      fault: 'a required field left out',
      change: (_: IncomingMessage, answer: Answer) => ({
        ...answer,
        body: answer.body.replace(/"capabilities":\{[^}]*\},?/g, ''),
      }),
      args: ['--operation', 'getDevices'],
      check: 'body-schema',
      exitCode: 1,
    },
    {
      fault: 'a 401 without WWW-Authenticate',
      change: (_: IncomingMessage, answer: Answer) => ({
        ...answer,
        headers: without(answer.headers, 'www-authenticate'),
      }),
      args: ['--operation', 'getDevices', '--token', 'no-token-of-ours'],
      check: 'http-law',
      // Rejected credentials are reported before the findings.
      exitCode: 2,
    },
    {
      fault: 'a wrong media type',
      change: (_: IncomingMessage, answer: Answer) => ({
        ...answer,
        headers: { ...answer.headers, 'content-type': 'text/html' },
      }),
      args: ['--operation', 'getDevice'],
      check: 'media-type',
      exitCode: 1,
    },
  ];

  test.each(rows.slice(0, 1))('$fault', isFound);
  test.each(rows.slice(1))('$fault', { tags: ['full'] }, isFound);

  async function isFound({ change, args, check, exitCode }: Row): Promise<void> {
    const proxy = await startProxy(server.origin, change);
    const run = await conform(
      { ...server, origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
      ...args,
    );
    proxy.close();
    expect(run.exitCode).toBe(exitCode);
    expect(run.findings.map((finding) => finding.check)).toContain(check);
  }
});

interface Finding {
  readonly check: string;
  readonly severity: string;
}

interface Run {
  readonly exitCode: number;
  readonly findings: readonly Finding[];
  /** How many operations answered 2xx or 3xx. */
  readonly reached: number;
}

async function conform({ origin, clients }: Side, ...args: string[]): Promise<Run> {
  const client = clients[0];
  const target = [
    '--base-url',
    `${origin}/v1`,
    '--auth-url',
    `${server.origin === origin ? origin : authOrigin(origin)}/auth`,
  ];
  const credentials = ['--client-id', client?.clientId ?? '', '--client-secret', client?.secret ?? ''];
  const main = join(import.meta.dirname, '../conformance/main.ts');
  const line = [main, '--contract', 'openapi/service.yaml', ...target, ...credentials, ...args, '--json'];
  const { promise, resolve, reject } = Promise.withResolvers<Run>();
  execFile(process.execPath, line, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
    const exitCode = error === null ? 0 : Number(error.code);
    if (exitCode > 1 && stdout === '') return reject(new Error(stderr));
    const report = JSON.parse(stdout);
    const defects = report.findings.filter(({ severity }: Finding) => severity === 'defect');
    resolve({ exitCode, findings: defects, reached: report.coverage.reached });
  });
  return promise;
}

/** The proxy stands in front of the resource API alone: tokens name the server as their issuer. */
function authOrigin(origin: string): string {
  return origin === mock.origin ? origin : server.origin;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function startProxy(
  target: string,
  change: (request: IncomingMessage, answer: Answer) => Answer,
): Promise<Server> {
  const proxy = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const sent = Buffer.concat(await request.toArray());
    const answer = await fetch(target + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(sent.length === 0 ? {} : { body: sent }),
    });
    const headers = without(
      Object.fromEntries(answer.headers),
      'content-length',
      'content-encoding',
      'connection',
      'keep-alive',
    );
    const changed = change(request, { status: answer.status, headers, body: await answer.text() });
    response.writeHead(changed.status, { ...changed.headers }).end(changed.body);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

function without(headers: Readonly<Record<string, string>>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
