import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { isSound, readTarget } from '@lockstep/runtime/http-message';
import cors from 'cors';
import { authPath } from './plan-api.ts';

interface CrossOriginOptions {
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Exact origins, as a browser sends them: `https://app.example`; or every one, where there is nothing that a page could take. */
  readonly origins: readonly string[] | 'any';
  /** Request headers that a page may send besides those of the contract; none when left out. */
  readonly headers?: readonly string[];
}

/** Lets a request of another origin in, and answers what a browser asks before; an Express middleware, and any listener's. */
export type LetIn = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Paths of the published contract, which any tool may read. */
const contractPaths: readonly string[] = ['/docs/openapi.json', '/docs/openapi.yaml'];

/** RFC 8615: discovery and keys, which hold no secret. */
const wellKnown = `${authPath}/.well-known/`;

/** Response headers that a script reads without being told of (Fetch Standard, "CORS-safelisted response-header name"). */
const safelisted: ReadonlySet<string> = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);

/** How long a browser may keep what a preflight said, in seconds: so long a removed origin may still ask. */
const preflightSeconds = 600;

/**
 * Lets pages of other origins call what needs no secret but a token: the resource API, discovery, keys and the published contract. The
 * login, token and revocation endpoints stay closed: a page that held a client secret would have published it.
 *
 * No credentials of the browser's own (cookies) go with such a call. Methods and headers are the contract's. Errors carry the headers too,
 * so that a page sees a 401 as one.
 *
 * @see Fetch Standard, 3.2 (CORS protocol)
 */
export function allowCrossOrigin({ contract, operations, origins, headers = [] }: CrossOriginOptions): LetIn {
  const all = Object.values(operations);
  const resources = all.filter(({ basePath }) => basePath !== authPath);
  const addresses = all.map(({ basePath, path }) => basePath + path);
  const single = new Set([...contractPaths, ...addresses.filter((path) => path.startsWith(wellKnown))]);
  const basePaths = [...new Set(resources.map(({ basePath }) => basePath))];
  const isOpen = (path: string): boolean =>
    single.has(path) || basePaths.some((basePath) => path === basePath || path.startsWith(`${basePath}/`));
  const parameters = resources.flatMap((operation) => operation.parameters);
  const exposed = [...resources.map(({ pointer }) => `${pointer}/responses`), '#/x-unrouted'].flatMap((pointer) =>
    listHeaders(contract, readPointer(contract, pointer)),
  );
  const addHeaders = cors({
    origin: origins === 'any' ? '*' : [...origins],
    methods: [...new Set(resources.map(({ method }) => method.toUpperCase()))],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'X-Request-Id',
      ...new Set(parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)),
      ...headers,
    ],
    exposedHeaders: [...new Set(exposed)].filter((name) => !safelisted.has(name.toLowerCase())),
    maxAge: preflightSeconds,
    preflightContinue: true,
  });
  return (request, response, next) => {
    if (!isOpen(readTarget(request.url ?? '/').path)) return next();
    // Of every origin the answer is the same, so that nothing has to be said to who has none.
    if (origins === 'any' && request.headers.origin === undefined) return next();
    if (origins !== 'any' && !origins.includes(request.headers.origin ?? '')) {
      // What is listed and what is not are two answers to a cache in between.
      response.appendHeader('Vary', 'Origin');
      return next();
    }
    addHeaders(request, response, (error?: unknown) => {
      // Whatever the path: a page is to see a 404 as such, which it does only behind a preflight that went well.
      if (error === undefined && isPreflight(request)) return void response.writeHead(204).end();
      next(error);
    });
  };
}

/** A message that is no good HTTP is refused further down, as any other. */
function isPreflight(request: IncomingMessage): boolean {
  const { method, headers } = request;
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && isSound(request);
}

/** Names of all headers that a map of responses declares. */
function listHeaders(contract: ContractDocument, responses: unknown): string[] {
  return Object.values(isObject(responses) ? responses : {}).flatMap((response) =>
    Object.keys(followMember(contract, followRef(contract, response), 'headers')),
  );
}
