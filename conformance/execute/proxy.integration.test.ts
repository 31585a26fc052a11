import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conformHere } from '../fixtures/conform-here.ts';
import { proxyPassword, type ServedProxy, serveProxy } from '../fixtures/serve-proxy.ts';
import { apis } from '../seeded/apis.ts';
import { type Served, serve } from '../seeded/serve.ts';
import { weatherClient } from '../seeded/weather.ts';
import { createConnection } from './connection.ts';

let proxy: ServedProxy;
let served: Served;
let folder: string;
let contract: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
  contract = await readFile(apis.weather.file, 'utf8');
  const weather = apis.weather.create();
  served = await serve((request) =>
    request.path === '/contract' ? { status: 200, body: contract } : weather(request),
  );
  proxy = await serveProxy();
});
afterEach(async () => {
  await proxy.close();
  await served.close();
  await rm(folder, { recursive: true });
});

function conform(origin: string, ...more: string[]) {
  const client = ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret];
  const addresses = ['--base-url', `${origin}/alps/api`, '--auth-url', `${origin}/oauth`];
  return conformHere(['--contract', apis.weather.file, ...addresses, ...client, ...more]);
}

test('contract, token calls and requests go through the proxy, and no output has its password', async () => {
  const out = join(folder, 'out');
  const outputs = ['--report', 'json,console,har', '--out', out, '--events', join(folder, 'events')];
  const more = ['--contract', `${served.origin}/contract`, '--wait-for-target', '20s', ...outputs];
  // With one request in flight, both see the same order.
  const run = await conform(served.origin, '--proxy', proxy.uri, '--workers', '1', ...more);
  expect([run.code, run.out]).toEqual([0, expect.stringContaining('No defect found')]);
  expect(proxy.requests).toEqual(served.requests.map((line) => line.replace(' ', ` ${served.origin}`)));
  expect(proxy.requests).toEqual(
    expect.arrayContaining([
      `GET ${served.origin}/contract`,
      `POST ${served.origin}/oauth/token`,
      expect.stringContaining(`GET ${served.origin}/alps/api/stations`),
    ]),
  );
  const files = [join(folder, 'events'), ...(await readdir(out)).map((name) => join(out, name))];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const basic = Buffer.from(`ann:${proxyPassword}`).toString('base64');
  for (const text of [run.out, run.error, ...texts])
    for (const secret of [proxyPassword, encodeURIComponent(proxyPassword), basic]) expect(text).not.toContain(secret);
});

test('raw paths, repeated headers and octets beyond ASCII are the same beyond the proxy', async () => {
  const came: unknown[] = [];
  const raw = await serve(({ headers }) => {
    came.push(headers['x-note']);
    return { status: 200 };
  });
  const connection = createConnection({
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    proxy: proxy.uri,
  });
  const headers = [
    ['x-note', 'a'],
    ['x-note', 'ö'],
  ] as const;
  const request = { method: 'GET', base: `${raw.origin}/v1`, path: '/a/../b?x=%2e', headers, body: undefined };
  expect(await connection.send(request)).toMatchObject({ kind: 'answer', status: 200 });
  await connection.close();
  await raw.close();
  expect([came, raw.requests]).toEqual([[`a, ${Buffer.from('ö').toString('latin1')}`], ['GET /v1/a/../b?x=%2e']]);
});

test.each([
  { name: 'no proxy listens', uri: () => 'http://127.0.0.1:1', why: 'no server listens at its address' },
  {
    name: 'the proxy asks for a password',
    uri: () => proxy.address,
    why: 'it answers 407: give --proxy http://NAME:PASSWORD@HOST:PORT',
  },
  {
    name: 'the proxy asks for a password of a tunnel',
    uri: () => proxy.address,
    origin: () => served.origin.replace('http:', 'https:'),
    why: 'it answers 407: give --proxy http://NAME:PASSWORD@HOST:PORT',
  },
  {
    name: 'the proxy opens no tunnel',
    uri: () => proxy.uri,
    origin: () => 'https://127.0.0.1:1',
    why: 'it answers 502 to CONNECT',
  },
])('2 if $name, without a defect of the deployment', async ({ uri, origin = () => served.origin, why }) => {
  const { code, out } = await conform(origin(), '--proxy', uri());
  expect([code, out.split('\n')[0]]).toEqual([
    2,
    `Unreachable: the proxy (--proxy) does not connect: ${why} (${origin()}/alps/api).`,
  ]);
  expect([served.requests, out]).toEqual([[], expect.not.stringMatching(/^Defects/m)]);
});

test('an answer of the proxy does not end the wait for the deployment', async () => {
  const { code, error } = await conform('http://127.0.0.1:1', '--proxy', proxy.uri, '--wait-for-target', '1500ms');
  expect([code, error]).toEqual([2, expect.stringContaining('did not answer within 1.5 s: the proxy answers 502.')]);
});
