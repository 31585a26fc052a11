import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningSandbox, startMock } from '../mock/index.ts';
import { sendRaw } from '../server/http/fixtures/send-raw.ts';
import type { RunningService, StartOptions } from '../server/start-service.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a page of somebody else calls the API with what its visitor has, or one that may call it sees no answer.

const origin = 'https://app.example';
let service: DemoService;
let closed: RunningService;

const docs: StartOptions['docs'] = async () => (request, response) => {
  if (request.url?.startsWith('/docs') !== true) return false;
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  return true;
};

beforeAll(async () => {
  service = await startDemoService({ corsOrigins: ['https://other.example', origin], docs });
  closed = await startDemoService({ docs });
});
afterAll(() => Promise.all([service.close(), closed.close()]));

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', at: RunningService = service) =>
  fetch(at.origin + path, { method, headers: { origin, ...headers } });
const crossOriginHeaders = (answer: Response) =>
  [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (path: string, of: string, from = origin) =>
  ask(
    path,
    { origin: from, 'access-control-request-method': of, 'access-control-request-headers': 'authorization' },
    'OPTIONS',
  );

const open = [
  '/v1/devices',
  '/v1/devices/LK2A00000001/algopin/daily',
  '/v1/nowhere',
  '/auth/.well-known/openid-configuration',
  '/auth/.well-known/jwks.json',
  '/docs/openapi.json',
  '/docs/openapi.yaml',
];
const shut = [
  '/auth/login',
  '/auth/oauth2/token',
  '/auth/oauth2/revoke',
  '/auth/nowhere',
  '/docs',
  '/docs/',
  '/healthz',
  '/readyz',
  '/',
  '/v1x',
  '/nowhere',
];

describe('an origin that the operator lists', () => {
  test.each(open)('is named in the answer of %s, whatever its status', async (path) => {
    const answer = await ask(path);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  test.each(open)('is let through the preflight of %s', async (path) => {
    const answer = await preflight(path, 'PUT');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-methods')?.split(',').toSorted()).toEqual(['GET', 'POST', 'PUT']);
    expect(answer.headers.get('access-control-allow-headers')?.split(',')).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id']),
    );
    expect(answer.headers.get('access-control-max-age')).toBe('600');
  });

  test.each(shut)('is let in nowhere else: %s', async (path) => {
    for (const answer of [await ask(path), await ask(path, {}, 'POST'), await preflight(path, 'POST')])
      expect(crossOriginHeaders(answer)).toEqual([]);
  });

  test('may read every header that the contract declares', async () => {
    const exposed = (await ask('/v1/devices')).headers.get('access-control-expose-headers')?.split(',') ?? [];
    const declared = ['API-Version', 'Allow', 'Idempotency-Replayed', 'RateLimit', 'RateLimit-Policy', 'Retry-After'];
    expect(exposed.toSorted()).toEqual([...declared, 'Trial-Ends-At', 'WWW-Authenticate', 'X-Request-Id']);
  });

  test.each([
    { name: 'two Host lines', lines: ['Host: evil.example'], connection: 'keep-alive' },
    { name: 'a transfer coding', lines: ['Transfer-Encoding: gzip, chunked'], connection: 'close' },
  ])('is refused with $name as anybody is, before it is let in', async ({ lines, connection }) => {
    for (const path of ['/v1/devices', '/auth/.well-known/jwks.json']) {
      const asked = [`Origin: ${origin}`, 'Access-Control-Request-Method: GET', ...lines];
      const head = [`OPTIONS ${path} HTTP/1.1`, `Host: ${new URL(service.origin).host}`, ...asked];
      const answer = await sendRaw(service.origin, { bytes: `${head.join('\r\n')}\r\n\r\n` });
      expect([answer.status, answer.headers.connection]).toEqual([400, connection]);
    }
  });

  test('gets a plain OPTIONS answered as everybody does', async () => {
    const answer = await ask('/v1/devices', {}, 'OPTIONS');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('any other origin', () => {
  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'https://app.example:8443',
    'null',
    'HTTPS://APP.EXAMPLE',
  ])('%s is let in nowhere', async (from) => {
    for (const path of [...open, ...shut])
      for (const answer of [await ask(path, { origin: from }), await preflight(path, 'PUT', from)])
        expect(crossOriginHeaders(answer), path).toEqual([]);
  });

  test('is let in nowhere where none is listed', async () => {
    for (const path of [...open, ...shut])
      for (const method of ['GET', 'OPTIONS'])
        expect(
          crossOriginHeaders(await ask(path, { 'access-control-request-method': 'GET' }, method, closed)),
          path,
        ).toEqual([]);
  });
});

describe('the sandbox', () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startMock();
  });
  afterAll(() => sandbox.close());

  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, prefer' };
  const send = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    fetch(sandbox.origin + path, { method, headers: { origin, ...headers } });
  const isDocs = (path: string) => path.startsWith('/docs/');

  test.each(open.filter((path) => !isDocs(path)))(
    'lets a page of any origin call %s, and prefer an answer',
    async (path) => {
      const answers = [
        await send(path),
        await send(path, 'GET', { prefer: 'code=500' }),
        await send(path, 'OPTIONS', asked),
      ];
      for (const answer of answers) {
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      }
      expect(answers[2]?.status).toBe(204);
      expect(answers[2]?.headers.get('access-control-allow-headers')?.split(',')).toEqual(
        expect.arrayContaining(['Authorization', 'Content-Type', 'Prefer']),
      );
    },
  );

  const control = ['/_sandbox', '/_sandbox/', '/_sandbox/state', '/_sandbox/reset', '/_sandbox/faults'];
  test.each([...shut, ...control])('lets it in nowhere else: %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(crossOriginHeaders(await send(path, method, method === 'OPTIONS' ? asked : {})), method).toEqual([]);
  });
});
