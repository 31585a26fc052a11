import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Runtime } from '@lockstep/runtime/create-runtime';
import type { Answer, UndeclaredAnswer } from '@lockstep/runtime/exchange';
import { isSound, readRequestId, takeAuthority } from '@lockstep/runtime/http-message';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { reject } from '../error-catalogue.ts';
import { asRequest } from '../store/patience.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { LetIn } from './cross-origin.ts';
import type { ServiceExchange } from './exchange.ts';
import { authPath } from './plan-api.ts';

/** The parts next to the resource API. */
export interface Mounts {
  /** Fails when the store can't answer or be written to. */
  readonly ping: () => Promise<void>;
  /** Answers all requests under `/auth`. */
  readonly authServer?: { readonly callback: (request: IncomingMessage, response: ServerResponse) => unknown };
  /** Answers requests under `/docs`. @returns whether it has answered */
  readonly docs?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

type Out = Response<unknown, { exchange: ServiceExchange }>;

/**
 * Security headers of every answer, errors too. API answers are data, so a browser may load and frame nothing from them. Pages (docs,
 * login) replace this policy with their own. The default has no `form-action`: it would also block the redirect from the login form to a
 * partner's callback.
 */
const securityHeaders = readHeaders(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
  }),
);

/** The headers that helmet sets on every response, read once: its middlewares cost 7 of the 102 µs of a request without its socket. */
function readHeaders(setAll: ReturnType<typeof helmet>): Map<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => undefined,
  };
  setAll({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}

/**
 * Mounts the parts in one Express application.
 *
 * @param letIn allows pages of other origins; undefined to allow none
 */
export function mountService(
  { ping, authServer, docs }: Mounts,
  { handle, reply }: Runtime<ServiceExchange>,
  letIn: LetIn | undefined,
  logger: Logger,
): RequestListener {
  const app = express();
  app.enable('case sensitive routing').enable('strict routing').disable('x-powered-by');
  app.use((request: Request, response: Out, next: NextFunction) => {
    const exchange: ServiceExchange = { request, requestId: readRequestId(request) };
    response.locals.exchange = exchange;
    response.setHeader('X-Request-Id', exchange.requestId);
    logRequest(logger, response, exchange);
    response.setHeaders(securityHeaders);
    response.once('close', asRequest(next));
  });
  if (letIn !== undefined) app.use(letIn);

  // Mounted before anything reads a body: the OAuth server parses its own.
  if (authServer !== undefined)
    app.use(authPath, (request: Request, response: Out) => {
      response.locals.exchange.mount = 'auth';
      return authServer.callback(request, response);
    });

  const mounted = { ...(authServer && { auth: authPath }), ...(docs && { docs: '/docs' }) };
  const plain = createPlainAnswers(ping, { api: '/v1', ...mounted, health: '/healthz', ready: '/readyz' }, logger);
  app.use((request: Request, response: Out) => {
    const { exchange } = response.locals;
    // The runtime rejects unsound HTTP messages on any path.
    if (!isSound(request)) return handle(exchange, response);
    if (docs?.(request, response) === true) {
      exchange.mount = 'docs';
      return;
    }
    const plainAnswer = plain.get(request.path);
    if (plainAnswer === undefined) return handle(exchange, response);
    exchange.mount = plainAnswer.mount;
    return reply(exchange, response, answerPlain(request.method, plainAnswer, exchange));
  });
  app.use((error: unknown, _: Request, response: Out, next: NextFunction) =>
    response.headersSent ? next(error) : reply(response.locals.exchange, response, Promise.reject(error)),
  );
  return (request, response) => {
    takeAuthority(request);
    app(request, response);
  };
}

/** A small JSON answer at an address outside the contract. */
interface PlainAnswer {
  /** Name in the log. */
  readonly mount: string;
  readonly answer: (exchange: ServiceExchange) => Answer | Promise<Answer>;
}

/**
 * By path: `/healthz` for a monitor that restarts the process, `/readyz` for one that sends requests elsewhere, and `/` for an operator's
 * browser. A restart helps no database, so that `/healthz` does not ask it.
 */
function createPlainAnswers(
  ping: Mounts['ping'],
  addresses: Readonly<Record<string, string>>,
  logger: Logger,
): ReadonlyMap<string, PlainAnswer> {
  const pingShared = shareForASecond(ping);
  return new Map<string, PlainAnswer>([
    ['/', { mount: 'root', answer: () => ({ status: 200, body: addresses }) }],
    ['/healthz', { mount: 'health', answer: () => ({ status: 200, body: { status: 'ok' } }) }],
    ['/readyz', { mount: 'ready', answer: ({ requestId }) => answerReadiness(pingShared, logger, requestId) }],
  ]);
}

/** Anybody may ask, and each ping writes. */
function shareForASecond(ping: Mounts['ping']): Mounts['ping'] {
  let last: { readonly pinged: Promise<void>; readonly at: number } | undefined;
  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at >= 1000) last = { pinged: ping(), at };
    return last.pinged;
  };
}

const plainMethods = ['GET', 'HEAD'];

/** Answers GET and HEAD; 405 for other methods. */
function answerPlain(method: string, { answer }: PlainAnswer, exchange: ServiceExchange): Answer | Promise<Answer> {
  if (plainMethods.includes(method)) return answer(exchange);
  const text = `${method} is not allowed here, use ${plainMethods.join(' or ')}`;
  return reject('method_not_allowed', { text, headers: { Allow: plainMethods.join(', ') } });
}

async function answerReadiness(
  ping: Mounts['ping'],
  logger: Logger,
  requestId: string,
): Promise<Answer | UndeclaredAnswer> {
  try {
    await ping();
    return { status: 200, body: { status: 'ok' } };
  } catch (error) {
    logger.warn({ requestId, err: error }, 'not ready');
    const reason = error instanceof StoreUnavailable ? error.reason : 'internal';
    return { status: 503, body: { status: 'unavailable', reason, requestId }, isUndeclared: true };
  }
}

/**
 * Logs one line when a request is over. The line contains only names from the contract and from a verified token: no target, query,
 * header or body, so it leaks no secret and a caller can't forge lines.
 */
function logRequest(logger: Logger, response: ServerResponse, exchange: ServiceExchange): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const { request, requestId, operation, mount, principal, code } = exchange;
    const line = {
      requestId,
      method: request.method,
      route: operation?.operationId ?? mount ?? null,
      status: response.headersSent ? response.statusCode : null,
      code,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      account: principal?.accountId,
      client: principal?.clientId,
    };
    logger.info(response.writableFinished ? line : { ...line, aborted: true }, 'request');
  });
}
