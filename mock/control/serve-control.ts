import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import { createRuntime } from '@lockstep/runtime/create-runtime';
import type { Exchange } from '@lockstep/runtime/exchange';
import { isSound, readRequestId, readTarget, takeAuthority } from '@lockstep/runtime/http-message';
import type { OperationTable } from '@lockstep/runtime/operation';
import type { ReplyLog } from '@lockstep/runtime/reply';
import { createGuard, type GuardOptions } from './guard.ts';

export interface ControlOptions extends GuardOptions {
  /** The contract of the control. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Creates the handlers at the first request that needs them. */
  readonly handlers: () => Readonly<Record<string, AnyHandler<unknown, Exchange<unknown>>>>;
  /** Answers to GET outside the contract, by path. */
  readonly ownPaths: Readonly<Record<string, () => Own>>;
  readonly logger: ReplyLog;
  /** See `createRuntime`. */
  readonly checkResponses?: boolean;
}

export const basePath = '/_sandbox';

/** Whether a request is for the control rather than for the API. */
export function isForControl({ url = '/' }: IncomingMessage): boolean {
  const { path } = readTarget(url);
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** Headers that the contract declares for every answer. */
const ambient = { 'Cache-Control': 'no-store' } as const;

/** Headers of every answer, so that no page of another origin can read or embed it. There is never a CORS header. */
const closed = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
} as const;

/** An answer outside the contract. */
export interface Own {
  readonly headers: OutgoingHttpHeaders;
  readonly content: string | Uint8Array;
}

/**
 * Answers requests for a control: `/_sandbox` and paths below it. It rejects clients without permission first. The control is prepared at its
 * first request, so that tests without it do not wait.
 */
export function serveControl(options: ControlOptions): RequestListener {
  const { contract, operations, handlers, ownPaths, logger, checkResponses = false } = options;
  const guard = createGuard(options);
  let prepared: RequestListener | undefined;
  const prepare = (): RequestListener =>
    createRuntime({
      contract,
      operations,
      handlers: handlers(),
      security: {},
      logger,
      checkResponses,
      ambient: () => ambient,
    }).listener;
  return (request, response) => {
    for (const [name, value] of Object.entries(closed)) response.setHeader(name, value);
    takeAuthority(request);
    const refusal = guard(request);
    if (refusal !== undefined) {
      const { status, code, text } = refusal;
      return sendJson(request, response, status, { error: text, code });
    }
    const { path } = readTarget(request.url ?? '/');
    const own = Object.hasOwn(ownPaths, path) ? ownPaths[path] : undefined;
    if (own !== undefined && isSound(request)) return sendOwn(own, request, response);
    prepared ??= prepare();
    prepared(request, response);
  };
}

function sendOwn(read: () => Own, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    const error = `${request.method} is not allowed here, use GET or HEAD`;
    sendJson(request, response, 405, { error, code: 'method_not_allowed' });
    return;
  }
  const { headers, content } = read();
  const length = Buffer.byteLength(content);
  const requestId = readRequestId(request);
  response.writeHead(200, { ...ambient, ...headers, 'Content-Length': length, 'X-Request-Id': requestId });
  response.end(content);
}

function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: { readonly error: string; readonly code: string },
): void {
  const requestId = readRequestId(request);
  const content = Buffer.from(JSON.stringify({ ...body, requestId }));
  // An unread body would be parsed as the next request.
  response.writeHead(status, {
    ...ambient,
    'Content-Type': 'application/json',
    'Content-Length': content.length,
    'X-Request-Id': requestId,
    Connection: 'close',
  });
  response.end(content);
}
