import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange } from './exchange.ts';
import { createDocsHandler } from './serve-docs.ts';

const html = '<html><script>a()</script></html>';
const yaml = 'openapi: 3.1.0\ninfo: {<<: &shared {version: 1.0.0}, title: Zürich}\nx-more: {<<: *shared}\n';

let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'));
  const [page, contract] = [join(folder, 'page.html'), join(folder, 'contract.yaml')];
  await Promise.all([writeFile(page, html), writeFile(contract, yaml)]);
  const handle = await createDocsHandler({ page, contract });
  server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const json = `${JSON.stringify({ openapi: '3.1.0', info: { version: '1.0.0', title: 'Zürich' }, 'x-more': { version: '1.0.0' } }, null, 2)}\n`;

const table = [
  { request: 'GET /docs', status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html },
  { request: 'GET /docs?a=/docs/', status: 200, headers: { 'cache-control': 'no-cache' }, body: html },
  { request: 'HEAD /docs', status: 200, headers: { 'content-length': String(html.length) }, body: '' },
  { request: 'GET /docs/', status: 308, headers: { location: '/docs' }, body: '' },
  { request: 'GET /docs/openapi.yaml', status: 200, headers: { 'content-type': 'application/yaml' }, body: yaml },
  { request: 'GET /docs/openapi.json', status: 200, headers: { 'content-type': 'application/json' }, body: json },
  {
    request: 'GET /docs/openapi.json',
    status: 200,
    headers: { 'content-disposition': 'attachment; filename="openapi.json"', 'x-content-type-options': 'nosniff' },
    body: json,
  },
  { request: 'POST /docs', status: 405, headers: { allow: 'GET, HEAD' }, body: '' },
  { request: 'DELETE /docs/', status: 405, headers: { allow: 'GET, HEAD' }, body: '' },
  { request: 'GET /docs/else', status: 418, headers: {}, body: '' },
  { request: 'GET /documents', status: 418, headers: {}, body: '' },
  { request: 'GET /docs/../etc/passwd', status: 418, headers: {}, body: '' },
  { request: 'GET /%64ocs', status: 418, headers: {}, body: '' },
];

describe('createDocsHandler', () => {
  for (const { request, status, headers, body } of table) {
    it(`${request} -> ${status} ${Object.keys(headers).join(', ')}`, async () => {
      const answer = await exchange(port, request);
      expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status, body });
      expect(answer.headers).toMatchObject(headers);
    });
  }

  it('sends gzip to who takes it, under a tag of its own', async () => {
    const [plain, zipped] = [
      await exchange(port, 'GET /docs'),
      await exchange(port, 'GET /docs', { 'accept-encoding': 'gzip' }),
    ];
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(zipped.body).toString()).toBe(html);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it('answers 304 without content to who has it, in any of the ways to say so', async () => {
    const { etag = '' } = (await exchange(port, 'GET /docs')).headers;
    for (const tag of [etag, `"a", ${etag}`, `W/${etag}`, '*']) {
      const answer = await exchange(port, 'GET /docs', { 'if-none-match': tag });
      expect({ status: answer.status, etag: answer.headers.etag, body: answer.body.length }).toEqual({
        status: 304,
        etag,
        body: 0,
      });
    }
    expect((await exchange(port, 'GET /docs', { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await exchange(port, 'GET /docs', { 'if-none-match': etag, 'accept-encoding': 'gzip' })).status).toBe(200);
  });

  it('sends the policy of the page as a header, and forbids to frame it', async () => {
    const policy = (await exchange(port, 'GET /docs')).headers['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; .*frame-ancestors 'none'$/);
  });
});
