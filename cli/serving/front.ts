import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readRequestId, readTarget } from '@lockstep/runtime/http-message';
import type { OperationTable } from '@lockstep/runtime/operation';
import { createRouter } from '@lockstep/runtime/route-request';
import { startPagePolicy } from '@lockstep/runtime/start-page';
import type { Logger } from 'pino';

interface FrontOptions {
  readonly operations: OperationTable;
  /** Called at the first request. */
  readonly page: () => string;
  /** Whether pages of any origin may call: for a mock, which has no data to protect. */
  readonly isOpen: boolean;
  /** Whether no page of another origin may send this request, even if the others are open. */
  readonly isClosed?: ((request: IncomingMessage) => boolean) | undefined;
  /** Whether the same pages are below `/w/NAME`. */
  readonly hasWorlds?: boolean | undefined;
  readonly logger: Pick<Logger, 'error'>;
}

/** Seconds for which a browser may cache the answer of a preflight. */
const preflightSeconds = 600;

interface Own {
  readonly type: string;
  readonly text: (page: () => string) => string;
}

const startPage: Own = { type: 'text/html; charset=utf-8', text: (page) => page() };

/** `/_start` is for a contract with a path `/`. */
const plain: Readonly<Record<string, Own>> = {
  '/': startPage,
  '/_start': startPage,
  '/healthz': { type: 'application/json', text: () => '{"status":"ok"}' },
};

/** Paths of this front that the contract has too. The operations of the contract answer there. */
export function findShadowed(operations: OperationTable): ReadonlyMap<string, string> {
  const router = createRouter(Object.values(operations));
  return new Map(
    Object.keys(plain).flatMap((path) => {
      const found = router.match(path);
      return found === undefined ? [] : [[path, found.route.template]];
    }),
  );
}

/** Adds to a served contract the start page, `/healthz`, and in a mock the permission for any origin (Fetch, 3.2: CORS). */
export function createFront(
  listener: RequestListener,
  { operations, page, isOpen, isClosed, hasWorlds = false, logger }: FrontOptions,
): RequestListener {
  const shadowed = findShadowed(operations);
  return (request, response) => {
    if (isOpen && !isClosed?.(request) && answerCors(request, response)) return;
    const target = readTarget(request.url ?? '/').path;
    const path = hasWorlds ? target.replace(/^\/w\/[^/]+(?=\/)/, '') : target;
    const own = shadowed.has(path) || !Object.hasOwn(plain, path) ? undefined : plain[path];
    if (own === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return listener(request, response);
    const { status, type, text } = make(own);
    const content = Buffer.from(text);
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': content.length,
      'Content-Security-Policy': startPagePolicy,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'X-Request-Id': readRequestId(request),
    });
    response.end(content);
  };

  /** Catches errors: a contract may break the start page, and an error in a request listener would stop the process. */
  function make({ type, text }: Own): { readonly status: number; readonly type: string; readonly text: string } {
    try {
      return { status: 200, type, text: text(page) };
    } catch (err) {
      logger.error({ err }, 'no start page');
      return {
        status: 500,
        type: 'text/plain; charset=utf-8',
        text: 'The start page cannot be created: see the log.\n',
      };
    }
  }
}

/** Answers a preflight. @returns whether the request was one */
function answerCors({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.origin === undefined) return false;
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', '*');
  const asked = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || asked === undefined) return false;
  const names = headers['access-control-request-headers'];
  response.writeHead(204, {
    'Access-Control-Allow-Methods': asked,
    // Lists the names, since `*` does not include Authorization.
    ...(names !== undefined && { 'Access-Control-Allow-Headers': names }),
    'Access-Control-Max-Age': preflightSeconds,
  });
  response.end();
  return true;
}
