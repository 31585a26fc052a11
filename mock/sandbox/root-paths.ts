import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSound, readRequestId, readTarget } from '@lockstep/runtime/http-message';
import { startPagePolicy } from '@lockstep/runtime/start-page';
import type { Logger } from 'pino';

interface RootPathsOptions {
  /** The start page for a browser. */
  readonly page: () => string;
  /** The paths that `/` lists for programs. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly ping: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Plain {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const paths = ['/', '/healthz', '/readyz'] as const;
type RootPath = (typeof paths)[number];

/** Answers the paths outside the contract as the service does. A browser gets a page at `/`. */
export function createRootPaths({ page, addresses, ping, logger }: RootPathsOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const target = readTarget(request.url ?? '/');
    const path = paths.find((known) => known === target.path);
    if (path === undefined || !isSound(request)) return false;
    void answer(path, request).then((plain) => write(request, response, plain));
    return true;
  };

  async function answer(path: RootPath, request: IncomingMessage): Promise<Plain> {
    const requestId = readRequestId(request);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const message = `${request.method} is not allowed here, use GET or HEAD`;
      return { ...json(405, { message, code: 'method_not_allowed', requestId }), headers: { Allow: 'GET, HEAD' } };
    }
    if (path === '/healthz') return json(200, { status: 'ok' });
    if (path === '/readyz') return checkReadiness(requestId);
    const isForPeople = /\btext\/html\b/.test(request.headers.accept ?? '');
    return isForPeople ? { status: 200, type: 'text/html; charset=utf-8', text: page() } : json(200, addresses);
  }

  async function checkReadiness(requestId: string): Promise<Plain> {
    try {
      await ping();
      return json(200, { status: 'ok' });
    } catch (err) {
      logger.warn({ requestId, err }, 'not ready');
      return json(503, { status: 'unavailable', requestId });
    }
  }
}

function json(status: number, body: object): Plain {
  return { status, type: 'application/json; charset=utf-8', text: JSON.stringify(body) };
}

function write(request: IncomingMessage, response: ServerResponse, { status, type, text, headers }: Plain): void {
  const content = Buffer.from(text);
  response.writeHead(status, {
    ...headers,
    'Content-Type': type,
    'Content-Length': content.length,
    'Content-Security-Policy': startPagePolicy,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    'X-Request-Id': readRequestId(request),
  });
  response.end(content);
}
