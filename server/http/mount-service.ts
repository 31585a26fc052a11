import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  describeCoding,
  describeHostFault,
  readUnknownCoding,
  takeAuthority,
} from '@lockstep/runtime/message/http-message';
import { readRequestId } from '@lockstep/runtime/message/request-id';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { Refused, refuse } from '../error-catalogue.ts';
import type { Reply } from './create-reply.ts';
import type { Answer, Exchange } from './exchange.ts';
import { logRequest } from './log-request.ts';
import { answerPlain, createPlainAnswers } from './plain-answers.ts';
import { securityHeaders } from './security-headers.ts';

/** What stands beside the resource API. */
export interface Mounts {
  /** Fails when the store can't answer. */
  readonly ping: () => Promise<void>;
  /** Takes everything under `/auth`. */
  readonly authServer?: { readonly callback: (request: IncomingMessage, response: ServerResponse) => unknown };
  /** Answers a request under `/docs` and says so. */
  readonly docs?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** Where the OAuth server is. */
export const authPath = '/auth';

type Out = Response<unknown, { exchange: Exchange }>;

/** The resource API, as it stands among the mounts. */
export interface MountedApi {
  readonly answer: (exchange: Exchange) => Promise<Answer>;
  /** Whether the operation that a request names has a body to be read. */
  readonly takesBody: (request: IncomingMessage) => boolean;
  /** What lets pages of other origins in; undefined where none may. */
  readonly allowCrossOrigin: RequestHandler | undefined;
}

/** Puts the parts under one Express application. */
export function mountService(
  { ping, authServer, docs }: Mounts,
  api: MountedApi,
  reply: Reply,
  logger: Logger,
): RequestListener {
  const app = express();
  app.enable('case sensitive routing').enable('strict routing').disable('x-powered-by');
  app.use((request: Request, response: Out, next: NextFunction) => {
    const exchange: Exchange = { request, requestId: readRequestId(request) };
    response.locals.exchange = exchange;
    response.setHeader('X-Request-Id', exchange.requestId);
    logRequest(logger, response, exchange);
    next();
  });
  app.use(securityHeaders);
  if (api.allowCrossOrigin !== undefined) app.use(api.allowCrossOrigin);

  // Before anything reads a body: the OAuth server parses its own.
  if (authServer !== undefined)
    app.use(authPath, (request: Request, response: Out) => {
      response.locals.exchange.mount = 'auth';
      return authServer.callback(request, response);
    });
  // The OAuth server refuses the same in its own form.
  app.use((request: Request, response: Out, next: NextFunction) => {
    const coding = readUnknownCoding(request);
    if (coding !== undefined) response.setHeader('Connection', 'close');
    const isRefusedHere = coding !== undefined && !api.takesBody(request);
    const fault = describeHostFault(request) ?? (isRefusedHere ? describeCoding(coding) : undefined);
    if (fault === undefined) return next();
    throw new Refused(refuse('invalid_request', { text: fault }));
  });
  app.use((request: Request, response: Out, next: NextFunction) => {
    if (docs?.(request, response) === true) response.locals.exchange.mount = 'docs';
    else next();
  });

  const mounted = { ...(authServer && { auth: authPath }), ...(docs && { docs: '/docs' }) };
  for (const plain of createPlainAnswers(ping, { api: '/v1', ...mounted, health: '/healthz' }, logger))
    app.all(plain.path, (request: Request, response: Out) => {
      const { exchange } = response.locals;
      exchange.mount = plain.mount;
      return reply(exchange, response, () => answerPlain(request.method, plain));
    });
  app.use((_: Request, response: Out) => {
    const { exchange } = response.locals;
    return reply(exchange, response, () => api.answer(exchange));
  });
  app.use((error: unknown, _: Request, response: Out, next: NextFunction) =>
    response.headersSent
      ? next(error)
      : reply(response.locals.exchange, response, () => {
          throw error;
        }),
  );
  return (request, response) => {
    takeAuthority(request);
    app(request, response);
  };
}
