// Serves the finished reference and the contract itself under /docs, for any `node:http` server.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parse } from 'yaml';
import { acceptsGzip } from './accepts-gzip.ts';
import { contentPolicy } from './reference/content-policy.ts';

export interface DocsFiles {
  /** The page that `buildReference` made. */
  readonly page: string;
  /** The contract, as YAML. */
  readonly contract: string;
}

/** Answers a request under `/docs` and says `true`; leaves any other untouched and says `false`. */
export type DocsHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Resource {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  readonly headers: OutgoingHttpHeaders;
}

const everywhere = {
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
};

async function createResource(content: string, headers: OutgoingHttpHeaders): Promise<Resource> {
  const plain = Buffer.from(content);
  const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { plain, zipped: await promisify(gzip)(plain, { level: 9 }), etag, headers: { ...everywhere, ...headers } };
}

function download(type: string, filename: string): OutgoingHttpHeaders {
  return {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${filename}"`,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  };
}

/** RFC 9110, 13.1.2: weak comparison, a list or `*`. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}

function send({ plain, zipped, etag, headers }: Resource, request: IncomingMessage, response: ServerResponse): void {
  const zip = acceptsGzip(request.headers['accept-encoding']);
  const body = zip ? zipped : plain;
  // Another encoding is another representation, so it has a tag of its own (RFC 9110, 8.8.3.3).
  const tag = `"${etag}${zip ? '-gzip' : ''}"`;
  if (matches(request.headers['if-none-match'], tag)) {
    const { 'Cache-Control': cache, Vary: vary, 'Content-Security-Policy': policy } = headers;
    response.writeHead(304, { 'Cache-Control': cache, Vary: vary, 'Content-Security-Policy': policy, ETag: tag }).end();
    return;
  }
  const encoding = zip ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(200, { ...headers, ...encoding, ETag: tag, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Reads and compresses everything once, and answers from memory: the page at `/docs`, the contract at
 * `/docs/openapi.yaml` and `/docs/openapi.json`.
 *
 * Other methods than GET and HEAD get 405, `/docs/` leads to `/docs`, and what else lies under `/docs/` is left to
 * the caller, as everything outside is.
 *
 * @throws Error when a file can't be read or the contract isn't YAML
 */
export async function createDocsHandler({ page, contract }: DocsFiles): Promise<DocsHandler> {
  const [html, yaml] = await Promise.all([readFile(page, 'utf8'), readFile(contract, 'utf8')]);
  const policy = `${contentPolicy(html)}; frame-ancestors 'none'`;
  const json = `${JSON.stringify(parse(yaml, { merge: true }), null, 2)}\n`;
  const resources = new Map([
    [
      '/docs',
      await createResource(html, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }),
    ],
    ['/docs/openapi.yaml', await createResource(yaml, download('application/yaml', 'openapi.yaml'))],
    ['/docs/openapi.json', await createResource(json, download('application/json', 'openapi.json'))],
  ]);
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const resource = resources.get(path);
    if (!resource && path !== '/docs/') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0 }).end();
    } else if (resource) {
      send(resource, request, response);
    } else {
      response.writeHead(308, { Location: '/docs', 'Content-Length': 0 }).end();
    }
    return true;
  };
}
