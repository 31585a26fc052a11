import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reject } from '../error-catalogue.ts';
import { StoreUnavailable } from '../store/store.ts';
import { sendRaw } from './fixtures/send-raw.ts';
import { type RunningApp, startApp } from './fixtures/start-app.ts';

let app: RunningApp;
let fault: Error | undefined;
let pings = 0;

/** Replaces the OAuth server: it reads its own body, and answers with the received request. */
function callback(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/boom') throw new Error('secret of the OAuth server');
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => response.end(JSON.stringify({ url: request.url, text })));
}

function docs(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url !== '/docs') return false;
  response.writeHead(200, { 'Content-Security-Policy': "default-src 'self'" }).end('page');
  return true;
}

beforeAll(async () => {
  app = await startApp({
    authServer: { callback },
    docs,
    ping: async () => {
      pings += 1;
      if (fault !== undefined) throw fault;
    },
    handlers: {
      getDevice: () => reject('device_not_found'),
      getDevices: () => {
        throw new Error('bug');
      },
    },
  });
});
afterAll(() => app.close());

async function call(path: string, init: RequestInit = {}) {
  const answer = await fetch(app.origin + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('outside the resource API', () => {
  test('the root lists the addresses', async () => {
    const { status, text } = await call('/');
    const addresses = { api: '/v1', auth: '/auth', docs: '/docs', health: '/healthz', ready: '/readyz' };
    expect([status, JSON.parse(text)]).toEqual([200, addresses]);
  });

  test('/healthz reports that the process lives, and /readyz whether the store answers', async () => {
    const isOk = { status: 200, text: '{"status":"ok"}' };
    expect(await call('/readyz')).toMatchObject(isOk);
    fault = new StoreUnavailable('disk gone', { reason: 'disk_full' });
    await expect
      .poll(() => call('/readyz'), { timeout: 5000 })
      .toMatchObject({
        status: 503,
        text: expect.stringMatching(/^{"status":"unavailable","reason":"disk_full","requestId":"[^"]+"}$/),
      });
    expect(app.logged).toContainEqual(
      expect.objectContaining({ level: 40, err: expect.objectContaining({ message: 'disk gone' }) }),
    );
    expect(await call('/healthz')).toMatchObject(isOk);
    fault = undefined;
    await expect.poll(() => call('/readyz'), { timeout: 5000 }).toMatchObject(isOk);
    expect(await call('/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await call('/readyz', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('any number of requests for /readyz asks the store once a second', async () => {
    const before = pings;
    const began = performance.now();
    await Promise.all(Array.from({ length: 50 }, () => call('/readyz')));
    expect(pings - before).toBeLessThanOrEqual(1 + (performance.now() - began) / 1000);
  });

  test('the OAuth server gets its requests whole, below its own path', async () => {
    const { status, headers, text } = await call('/auth/oauth2/token', { method: 'POST', body: 'grant_type=x' });
    expect([status, JSON.parse(text)]).toEqual([200, { url: '/oauth2/token', text: 'grant_type=x' }]);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('only that path is its own', async () => {
    for (const path of ['/authors', '/AUTH/login', '/v1/auth'])
      expect(JSON.parse((await call(path)).text)).toMatchObject({ code: 'route_not_found' });
  });

  test('a bug of the OAuth server is a 500 without details', async () => {
    const { status, text } = await call('/auth/boom');
    expect([status, JSON.parse(text)]).toMatchObject([500, { message: 'Internal error', code: 'internal' }]);
    expect(app.logged.filter(({ level }) => level === 50)).toHaveLength(1);
  });

  test('the docs keep a policy of their own', async () => {
    expect((await call('/docs')).headers.get('content-security-policy')).toBe("default-src 'self'");
    expect((await call('/docs/other')).status).toBe(404);
  });

  test.each([
    { target: '/docs', status: 200, body: 'page' },
    { target: '/healthz', status: 200, body: '{"status":"ok"}' },
    { target: '', status: 200, body: '"health":"/healthz"' },
    { target: '/auth/oauth2/token?a=b', status: 200, body: '"url":"/oauth2/token?a=b"' },
    { target: '/nowhere', status: 404, body: 'route_not_found' },
  ])('a target with an authority is answered as its path: $target', async ({ target, status, body }) => {
    for (const start of [app.origin, 'HTTP://api.example:80']) {
      const bytes = `GET ${start}${target} HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n`;
      expect(await sendRaw(app.origin, { bytes })).toMatchObject({ status, body: expect.stringContaining(body) });
    }
  });

  test('security headers stand on every answer', async () => {
    for (const path of ['/', '/healthz', '/docs', '/auth/x', '/v1/devices', '/nowhere', '/auth/boom', '/%ZZ']) {
      const { headers } = await call(path);
      const names = [
        'strict-transport-security',
        'x-content-type-options',
        'x-frame-options',
        'referrer-policy',
        'content-security-policy',
        'x-request-id',
      ];
      expect(
        names.filter((name) => headers.get(name) === null),
        path,
      ).toEqual([]);
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});

describe('the log has one line for each request', () => {
  const cases = [
    {
      name: 'an operation',
      path: '/v1/devices/LK2A00000001?admin_key=1',
      want: {
        method: 'GET',
        route: 'getDevice',
        status: 404,
        code: 'device_not_found',
        account: 'acme',
        client: 'acme-own',
      },
    },
    {
      name: 'a token that lacks a scope',
      path: '/v1/devices/a',
      token: 'none',
      want: { route: 'getDevice', status: 403, code: 'insufficient_scope', client: 'acme-own' },
    },
    { name: 'no operation', path: '/v1/nowhere', want: { route: null, status: 404, code: 'route_not_found' } },
    { name: 'the OAuth server', path: '/auth/login?state=secret', want: { route: 'auth', status: 200 } },
    { name: 'the docs', path: '/docs', want: { route: 'docs', status: 200 } },
    { name: 'the health check', path: '/healthz', want: { route: 'health', status: 200 } },
  ];
  for (const { name, path, token = 'all', want } of cases) {
    test(name, async () => {
      const headers = { authorization: `Bearer ${token}`, 'x-request-id': crypto.randomUUID() };
      await call(path, { headers });
      const lines = await waitForLines(headers['x-request-id']);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({ msg: 'request', ms: expect.any(Number), ...want });
      expect(JSON.stringify(lines)).not.toMatch(/Bearer|LK2A00000001|admin_key|secret/);
    });
  }

  test('and one more for a bug, with the same id', async () => {
    const id = crypto.randomUUID();
    await call('/v1/devices', { headers: { authorization: 'Bearer all', 'x-request-id': id } });
    const lines = await waitForLines(id, 2);
    expect(lines).toMatchObject([
      { level: 50, err: { message: 'bug' } },
      { level: 30, status: 500 },
    ]);
  });
});

/** Waits for the log line, which may be written after the client has the answer. */
async function waitForLines(requestId: string, count = 1) {
  const lines = () => app.logged.filter((line) => line.requestId === requestId);
  await expect.poll(() => lines().length, { timeout: 15_000 }).toBe(count);
  return lines();
}
