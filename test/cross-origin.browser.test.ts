// The same rules as in cross-origin.integration.test.ts, as a browser keeps them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../docs/find-browser.ts';
import { connectBrowser } from '../docs/fixtures/connect-browser.ts';
import { getToken } from '../mock/fixtures/get-token.ts';
import type { StartOptions } from '../server/start-service.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a page of somebody else calls the API with what its visitor has, or one that may call it sees no answer.

const found = findBrowser(process.env);
const missing = found.kind === 'missing' ? found.reason : undefined;

const docs: StartOptions['docs'] = async () => (request, response) => {
  if (request.url?.startsWith('/docs') !== true) return false;
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  return true;
};

describe('a browser to call with', () => {
  test('is installed', ({ skip }) => {
    if (missing && process.env.CI) throw new Error(missing);
    if (missing) {
      process.stderr.write(`The API was not called by a page. ${missing}\n`);
      skip(missing);
    }
  });
});

describe.skipIf(missing)('in a browser, a page', () => {
  let browser: Browser;
  let page: Server;
  let listed: string;
  let service: DemoService;
  beforeAll(async () => {
    browser = await connectBrowser();
    page = createServer((_, response) => void response.setHeader('Content-Type', 'text/html').end('<!doctype html>'));
    await new Promise<void>((resolve) => void page.listen(0, '127.0.0.1', resolve));
    listed = `http://localhost:${(page.address() as AddressInfo).port}`;
    service = await startDemoService({ corsOrigins: ['https://app.example', listed], docs });
  });
  afterAll(async () => {
    await browser?.close();
    page?.close().closeAllConnections();
    await service?.close();
  });

  interface Call {
    readonly path: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }

  /** Status, request id and code of a call, as a script of the page sees them; or that it was not let through. */
  async function call(at: Page, { path, ...init }: Call) {
    return at.evaluate(
      async ([url, options]) => {
        const answer = await fetch(url, options).catch((error: Error) => error.name);
        if (typeof answer === 'string') return answer;
        const body = await answer.text();
        return { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '', body };
      },
      [service.origin + path, init] as const,
    );
  }

  test('of a listed origin calls the API, reads its headers and its errors, and gets no token', async () => {
    const at = await (await browser.newContext()).newPage();
    await at.goto(listed);
    const authorization = `Bearer ${await getToken(service, 'demo-own')}`;
    const anyId = expect.stringMatching(/^[A-Za-z0-9._-]+$/);
    expect(await call(at, { path: '/v1/devices?limit=1', headers: { authorization } })).toMatchObject({
      status: 200,
      requestId: anyId,
    });
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'k' };
    const put = { path: '/v1/devices/LK2A00000001', method: 'PUT', headers, body: '{"batteryLevel":"87"}' };
    expect(await call(at, put)).toMatchObject({ status: 200 });
    expect(await call(at, { path: '/v1/devices' })).toMatchObject({ status: 401, requestId: anyId });
    expect(await call(at, { path: '/v1/nowhere', headers: { authorization } })).toMatchObject({ status: 404 });
    expect(await call(at, { path: '/auth/.well-known/jwks.json' })).toMatchObject({ status: 200 });
    expect(await call(at, { path: '/auth/oauth2/token', method: 'POST', body: 'grant_type=x' })).toBe('TypeError');
    await at.context().close();
  });

  test('of another origin sees nothing', async () => {
    const at = await (await browser.newContext()).newPage();
    await at.goto(listed.replace('localhost', '127.0.0.1'));
    for (const path of ['/v1/devices', '/auth/.well-known/jwks.json', '/docs/openapi.json', '/healthz'])
      expect(await call(at, { path }), path).toBe('TypeError');
    await at.context().close();
  });
});
