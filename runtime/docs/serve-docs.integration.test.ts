import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contentPolicy } from './content-policy.ts';
import { exchange } from './exchange.ts';
import { createDocsHandler, type DocsManifest, docsFormat, hashDocs, readDocs, serveDocsAlone } from './serve-docs.ts';

const own = 'http://localhost:8080';
const script = `<script>a("${own}/v1")</script>`;
const html = `<html><meta content="${contentPolicy(script)}">${script}</html>`;
const yaml = `openapi: 3.1.0
info: {title: Zürich}
servers: [{url: ${own}/v1}]
x-texts: [${own}, '${own}.', ${own}0/v1, ${own}.example, 'iss=http%3A%2F%2Flocalhost%3A8080%2Fauth']
`;
const json = '{"openapi":"3.1.0"}\n';
const types = 'export interface paths {}\n';

let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'));
  await writeDocs();
  const handle = await createDocsHandler(await readDocs(folder));
  server = createServer((request, response) => {
    if (request.headers.origin !== undefined) response.setHeader('Vary', 'Origin');
    if (!handle(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A folder with the files of a build. */
async function writeDocs(changes: Partial<DocsManifest> = {}): Promise<void> {
  const files = { 'index.html': html, 'openapi.yaml': yaml, 'openapi.json': json, 'types.gen.ts': types };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const hashes = Object.fromEntries(Object.entries(files).map(([name, content]) => [name, hashDocs(content)]));
  const manifest: DocsManifest = {
    ...{ format: docsFormat, inputs: 'sha256:a', contract: 'sha256:b', origin: own, files: hashes },
    ...changes,
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

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
  {
    request: 'GET /docs/types.gen.ts',
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="types.gen.ts"',
    },
    body: types,
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
    test(`${request} -> ${status} ${Object.keys(headers).join(', ')}`, async () => {
      const answer = await exchange(port, request);
      expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status, body });
      expect(answer.headers).toMatchObject(headers);
    });
  }

  test('sends gzip to who takes it, under a tag of its own', async () => {
    const [plain, zipped] = [
      await exchange(port, 'GET /docs'),
      await exchange(port, 'GET /docs', { 'accept-encoding': 'gzip' }),
    ];
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(zipped.body).toString()).toBe(html);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  test('keeps what the layer around it varies by', async () => {
    const headers = { origin: 'https://app.example', 'accept-encoding': 'gzip' };
    const { etag = '' } = (await exchange(port, 'GET /docs/openapi.json', headers)).headers;
    for (const more of [{}, { 'if-none-match': etag }]) {
      const answer = await exchange(port, 'GET /docs/openapi.json', { ...headers, ...more });
      expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
    }
  });

  test('answers 304 without content to who has it, in any of the ways to say so', async () => {
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

  test('sends the policy of the page as a header, and forbids to frame it', async () => {
    const policy = (await exchange(port, 'GET /docs')).headers['content-security-policy'];
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; .*frame-ancestors 'none'$/);
  });
});

describe('createDocsHandler with an origin', () => {
  const origin = 'https://api.example';
  const served: Record<string, { body: string; etag: string | undefined; policy: string }> = {};

  beforeAll(async () => {
    const handle = await createDocsHandler(await readDocs(folder), origin);
    const other = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port: otherPort } = other.address() as AddressInfo;
    for (const path of ['/docs', '/docs/openapi.yaml']) {
      const { headers, body } = await exchange(otherPort, `GET ${path}`);
      served[path] = { body: body.toString(), etag: headers.etag, policy: String(headers['content-security-policy']) };
    }
    other.close();
  });

  test('puts it where the contract has its own, also percent-encoded, and nowhere else', () => {
    expect(served['/docs/openapi.yaml']?.body).toBe(`openapi: 3.1.0
info: {title: Zürich}
servers: [{url: ${origin}/v1}]
x-texts: [${origin}, '${origin}.', ${own}0/v1, ${own}.example, 'iss=https%3A%2F%2Fapi.example%2Fauth']
`);
  });

  test('allows the scripts of the page as they are then, in the header and in the page', () => {
    const put = `<script>a("${origin}/v1")</script>`;
    expect(served['/docs']?.policy).toBe(`${contentPolicy(put)}; frame-ancestors 'none'`);
    expect(served['/docs']?.body).toBe(`<html><meta content="${contentPolicy(put)}">${put}</html>`);
  });

  test('names it with a tag of its own', async () => {
    expect(served['/docs']?.etag).not.toBe((await exchange(port, 'GET /docs')).headers.etag);
  });
});

describe('readDocs', () => {
  beforeEach(() => writeDocs());

  const refused = [
    {
      name: 'a file that is not there',
      spoil: () => rm(join(folder, 'index.html')),
      says: "index.html can't be read (ENOENT)",
    },
    {
      name: 'no folder of docs',
      spoil: () => rm(join(folder, 'manifest.json')),
      says: "manifest.json can't be read (ENOENT)",
    },
    {
      name: 'a page of another build',
      spoil: () => writeFile(join(folder, 'index.html'), '<html>'),
      says: 'is not whole: index.html',
    },
    {
      name: 'another version',
      spoil: () => writeDocs({ format: docsFormat + 1 }),
      says: 'was built by another version',
    },
    {
      name: 'a manifest that is none',
      spoil: () => writeFile(join(folder, 'manifest.json'), '{'),
      says: 'was built by another version',
    },
    {
      name: 'docs of another contract',
      spoil: () => writeDocs({ contract: 'sha256:c' }),
      says: 'was built from another contract',
    },
  ];
  test('takes a folder without types, as it is built of a contract whose types nobody has derived', async () => {
    const hashes = Object.entries({ 'index.html': html, 'openapi.yaml': yaml, 'openapi.json': json });
    await writeDocs({ files: Object.fromEntries(hashes.map(([name, content]) => [name, hashDocs(content)])) });
    expect(await readDocs(folder)).toMatchObject({ page: html, types: undefined });
  });

  for (const { name, spoil, says } of refused) {
    test(`refuses ${name}`, async () => {
      expect(await readDocs(folder, { contract: 'sha256:b' })).toMatchObject({ page: html, yaml, json });
      await spoil();
      const reading = readDocs(folder, { contract: 'sha256:b' });
      await expect(reading).rejects.toMatchObject({ name: 'DocsUnusable', message: expect.stringContaining(says) });
    });
  }
});

describe('a server of docs alone', () => {
  let alone: Server;
  beforeAll(async () => {
    alone = createServer(serveDocsAlone(await createDocsHandler(await readDocs(folder))));
    await new Promise<void>((resolve) => alone.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void alone.close());

  test.each([
    { request: 'GET /', status: 302, location: '/docs' },
    { request: 'HEAD /', status: 302, location: '/docs' },
    { request: 'GET /?from=here', status: 302, location: '/docs' },
    { request: 'GET //', status: 404, location: undefined },
    { request: 'POST /', status: 404, location: undefined },
    { request: 'GET /docs/nowhere', status: 404, location: undefined },
    { request: 'GET /docs', status: 200, location: undefined },
  ])('answers $request with $status', async ({ request, status, location }) => {
    const answer = await exchange((alone.address() as AddressInfo).port, request);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });
});
