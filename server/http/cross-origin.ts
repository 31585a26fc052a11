import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { isSound, readTarget } from '@lockstep/runtime/http-message';
import cors from 'cors';
import { authPath } from './plan-api.ts';

interface CrossOriginOptions {
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Exact origins, as a browser sends them: `https://app.example`; `any` for a server without secrets. */
  readonly origins: readonly string[] | 'any';
  /** Request headers that a page may send in addition to those of the contract; default none. */
  readonly headers?: readonly string[];
}

/** Allows cross-origin requests and answers preflights; works as Express middleware and in a plain listener. */
export type LetIn = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Paths of the published contract. */
const contractPaths: readonly string[] = ['/docs/openapi.json', '/docs/openapi.yaml'];

/** RFC 8615: discovery and keys, which contain no secret. */
const wellKnown = `${authPath}/.well-known/`;

/** Response headers that a script may always read (Fetch Standard, "CORS-safelisted response-header name"). */
const safelisted: ReadonlySet<string> = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);

/** `Access-Control-Max-Age`: for so many seconds a browser may still call from an origin that was removed. */
const preflightSeconds = 600;

/**
 * Allows pages of other origins to call the endpoints that need a token or nothing: the resource API, discovery, keys and the published
 * contract. The login, token and revocation endpoints stay closed: a client secret in a page is public.
 *
 * Such calls carry no cookies. The contract lists the methods and headers. Errors have the CORS headers too, so a page can read a 401.
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
    // With `any` the answer does not depend on `Origin`, so a request without it needs no CORS headers.
    if (origins === 'any' && request.headers.origin === undefined) return next();
    if (origins !== 'any' && !origins.includes(request.headers.origin ?? '')) {
      // A cache must keep the answers for listed and other origins apart.
      response.appendHeader('Vary', 'Origin');
      return next();
    }
    addHeaders(request, response, (error?: unknown) => {
      // On unknown paths too: a page can read the 404 only after a successful preflight.
      if (error === undefined && isPreflight(request)) return void response.writeHead(204).end();
      next(error);
    });
  };
}

/** Whether a request is a preflight. An invalid HTTP message is none: the runtime rejects it later. */
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
