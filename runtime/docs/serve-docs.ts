// Serves the reference and the contract under /docs, for any `node:http` server, from a folder that `npm run docs` has built.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from './accepts-gzip.ts';
import { contentPolicy } from './content-policy.ts';

/** Names in a folder of docs. */
export const docsFiles = { page: 'index.html', yaml: 'openapi.yaml', json: 'openapi.json' } as const;
/** Beside them, in a folder that was built with the types of its contract in TypeScript. */
export const typesFile = 'types.gen.ts';
export const manifestFile = 'manifest.json';
/** Goes up when a folder that was built before can no longer be served. */
export const docsFormat = 1;

/** What a folder says of itself. */
export interface DocsManifest {
  readonly format: number;
  /** Of all that it was made from, `sha256:` and hexadecimal. */
  readonly inputs: string;
  /** Of the contract, as in what is generated from it. */
  readonly contract: string;
  /** The one that stands in its files, without a trailing slash; null where the contract names none. */
  readonly origin: string | null;
  /** Hashes of its files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** A folder that can't be served from, with the reason. */
export class DocsUnusable extends Error {
  override readonly name = 'DocsUnusable';
}

/** A folder that is whole, in memory. */
export interface Docs extends Record<keyof typeof docsFiles, string> {
  readonly origin: string | null;
  readonly types: string | undefined;
}

/**
 * Reads a folder of docs.
 *
 * @param contract what the docs must be of: `sha256:` and hexadecimal; left out: any
 * @throws DocsUnusable when it isn't there, isn't whole, or is of another version or another contract
 */
export async function readDocs(folder: string, { contract }: { readonly contract?: string } = {}): Promise<Docs> {
  const refuse = (says: string): DocsUnusable => new DocsUnusable(`${folder} ${says}.`);
  const read = (name: string): Promise<Buffer> =>
    readFile(join(folder, name)).catch(({ code }: NodeJS.ErrnoException) => {
      throw refuse(`is no folder of docs: ${name} can't be read (${code})`);
    });
  const manifest = parseManifest(await read(manifestFile));
  if (manifest?.format !== docsFormat) throw refuse('was built by another version');
  if (contract !== undefined && manifest.contract !== contract)
    throw refuse('was built from another contract than the one that is served');
  const readWhole = async (name: string): Promise<string> => {
    const bytes = await read(name);
    if (manifest.files[name] !== hashDocs(bytes)) throw refuse(`is not whole: ${name} is not as it was built`);
    return bytes.toString('utf8');
  };
  return {
    page: await readWhole(docsFiles.page),
    yaml: await readWhole(docsFiles.yaml),
    json: await readWhole(docsFiles.json),
    origin: manifest.origin,
    types: Object.hasOwn(manifest.files, typesFile) ? await readWhole(typesFile) : undefined,
  };
}

function parseManifest(bytes: Buffer): DocsManifest | undefined {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** As a manifest names its files. */
export function hashDocs(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
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
  // Beside what a layer around this one varies by: the origin that may read it.
  response.appendHeader('Vary', 'Accept-Encoding');
  const zip = acceptsGzip(request.headers['accept-encoding']);
  const body = zip ? zipped : plain;
  // Another encoding is another representation, so it has a tag of its own (RFC 9110, 8.8.3.3).
  const tag = `"${etag}${zip ? '-gzip' : ''}"`;
  if (matches(request.headers['if-none-match'], tag)) {
    const { 'Cache-Control': cache, 'Content-Security-Policy': policy } = headers;
    response.writeHead(304, { 'Cache-Control': cache, 'Content-Security-Policy': policy, ETag: tag }).end();
    return;
  }
  const encoding = zip ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(200, { ...headers, ...encoding, ETag: tag, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Puts an origin where the docs have theirs, as an address and percent-encoded within one. What only begins like it stays:
 * `http://localhost:80801`, `https://api.example.org` beside `https://api.example`.
 */
function putOrigin(text: string, from: string | null, to: string): string {
  if (from === null || from === to) return text;
  return [(origin: string) => origin, encodeURIComponent].reduce(
    (put, spell) => put.replaceAll(new RegExp(`${RegExp.escape(spell(from))}(?![\\w-]|\\.\\w)`, 'g'), () => spell(to)),
    text,
  );
}

/** The page carries its policy itself too, for who reads it as a file. Other words in its script have another hash. */
function putOriginInPage(page: string, from: string | null, to: string): { html: string; policy: string } {
  const put = putOrigin(page, from, to);
  const policy = contentPolicy(put);
  return { html: put.replace(contentPolicy(page), () => policy), policy: `${policy}; frame-ancestors 'none'` };
}

/**
 * Puts the origin in, compresses everything once, and answers from memory: the page at `/docs`, the contract at
 * `/docs/openapi.yaml` and `/docs/openapi.json`, its types at `/docs/types.gen.ts`.
 *
 * Other methods than GET and HEAD get 405, `/docs/` leads to `/docs`, and what else lies under `/docs/` is left to
 * the caller, as everything outside is.
 *
 * @param origin that clients use, without a trailing slash; left out: the contract's own
 */
export async function createDocsHandler(docs: Docs, origin = docs.origin ?? ''): Promise<DocsHandler> {
  const { html, policy } = putOriginInPage(docs.page, docs.origin, origin);
  const put = (text: string) => putOrigin(text, docs.origin, origin);
  const resources = new Map([
    [
      '/docs',
      await createResource(html, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }),
    ],
    ['/docs/openapi.yaml', await createResource(put(docs.yaml), download('application/yaml', docsFiles.yaml))],
    ['/docs/openapi.json', await createResource(put(docs.json), download('application/json', docsFiles.json))],
  ]);
  if (docs.types !== undefined)
    resources.set(
      `/docs/${typesFile}`,
      await createResource(put(docs.types), download('text/plain; charset=utf-8', typesFile)),
    );
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

/** A server of docs and nothing else: `/` leads to them, and any other path is 404 with where they are. */
export function serveDocsAlone(answer: DocsHandler): RequestListener {
  return (request, response) => {
    if (answer(request, response)) return;
    const isRoot = /^\/(?:\?|$)/.test(request.url ?? '') && (request.method === 'GET' || request.method === 'HEAD');
    response
      // Not 301, which browsers keep: another server of this origin may have a page at /.
      .writeHead(isRoot ? 302 : 404, {
        'Content-Type': 'text/plain; charset=utf-8',
        ...(isRoot && { Location: '/docs' }),
      })
      .end('The reference is at /docs.\n');
  };
}
