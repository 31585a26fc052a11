// Serves the reference and the contract under /docs for any `node:http` server, from a folder that `npm run docs` has built.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from './accepts-gzip.ts';
import { contentPolicy } from './content-policy.ts';

/** Files in a folder of docs. */
export const docsFiles = { page: 'index.html', yaml: 'openapi.yaml', json: 'openapi.json' } as const;
/** Also in the folder if it was built with the TypeScript types of its contract. */
export const typesFile = 'types.gen.ts';
export const manifestFile = 'manifest.json';
/** Increased when older folders can no longer be served. */
export const docsFormat = 1;

/** The manifest of a folder of docs. */
export interface DocsManifest {
  readonly format: number;
  /** Hash of all inputs, `sha256:` and hexadecimal. */
  readonly inputs: string;
  /** Hash of the contract, as in generated files. */
  readonly contract: string;
  /** The origin in its files, without a trailing slash; null if the contract has none. */
  readonly origin: string | null;
  /** Hashes of its files, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The reason why a folder can't be served. */
export class DocsUnusable extends Error {
  override readonly name = 'DocsUnusable';
}

/** A complete folder, in memory. */
export interface Docs extends Record<keyof typeof docsFiles, string> {
  readonly origin: string | null;
  readonly types: string | undefined;
}

/**
 * Reads a folder of docs.
 *
 * @param contract required hash of the contract, `sha256:` and hexadecimal; any by default
 * @throws DocsUnusable if it doesn't exist, is incomplete, or belongs to another version or contract
 */
export async function readDocs(folder: string, { contract }: { readonly contract?: string } = {}): Promise<Docs> {
  const refuse = (reason: string): DocsUnusable => new DocsUnusable(`${folder} ${reason}.`);
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

/** The hash of a file in a manifest. */
export function hashDocs(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Answers a request under `/docs` and returns `true`. For any other it does nothing and returns `false`. */
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
  // Appended, since an outer layer varies by the origin.
  response.appendHeader('Vary', 'Accept-Encoding');
  const zip = acceptsGzip(request.headers['accept-encoding']);
  const body = zip ? zipped : plain;
  // Another encoding is another representation with its own tag (RFC 9110, 8.8.3.3).
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
 * Replaces the origin of the docs, plain and percent-encoded. Text that only begins with the origin stays:
 * `http://localhost:80801`, or `https://api.example.org` for `https://api.example`.
 */
function putOrigin(text: string, from: string | null, to: string): string {
  if (from === null || from === to) return text;
  return [(origin: string) => origin, encodeURIComponent].reduce(
    (put, spell) => put.replaceAll(new RegExp(`${RegExp.escape(spell(from))}(?![\\w-]|\\.\\w)`, 'g'), () => spell(to)),
    text,
  );
}

/** The page also contains its policy, for readers who open it as a file. A changed script needs a new hash. */
function putOriginInPage(page: string, from: string | null, to: string): { html: string; policy: string } {
  const put = putOrigin(page, from, to);
  const policy = contentPolicy(put);
  return { html: put.replace(contentPolicy(page), () => policy), policy: `${policy}; frame-ancestors 'none'` };
}

/**
 * Inserts the origin, compresses everything once, and answers from memory: the page at `/docs`, the contract at
 * `/docs/openapi.yaml` and `/docs/openapi.json`, its types at `/docs/types.gen.ts`.
 *
 * Methods other than GET and HEAD get 405, and `/docs/` redirects to `/docs`. The handler leaves every other path to
 * its caller.
 *
 * @param origin that clients use, without a trailing slash; by default that of the contract
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

/** Serves only docs: `/` redirects to them, and any other path gets a 404 with their path. */
export function serveDocsAlone(answer: DocsHandler): RequestListener {
  return (request, response) => {
    if (answer(request, response)) return;
    const isRoot = /^\/(?:\?|$)/.test(request.url ?? '') && (request.method === 'GET' || request.method === 'HEAD');
    response
      // Browsers cache a 301, but another server of this origin may have a page at /.
      .writeHead(isRoot ? 302 : 404, {
        'Content-Type': 'text/plain; charset=utf-8',
        ...(isRoot && { Location: '/docs' }),
      })
      .end('The reference is at /docs.\n');
  };
}
