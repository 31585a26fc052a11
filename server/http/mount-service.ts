import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Reply } from './create-reply.ts';
import type { Answer, Exchange } from './exchange.ts';
import { logRequest } from './log-request.ts';
import { answerPlain, createPlainAnswers } from './plain-answers.ts';
import { readRequestId } from './request-id.ts';
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

/** Puts the parts under one Express application. */
export function mountService(
  { ping, authServer, docs }: Mounts,
  answerApi: (exchange: Exchange) => Promise<Answer>,
  reply: Reply,
  logger: Logger,
): Express {
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

  // Before anything reads a body: the OAuth server parses its own.
  if (authServer !== undefined)
    app.use(authPath, (request: Request, response: Out) => {
      response.locals.exchange.mount = 'auth';
      return authServer.callback(request, response);
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
    return reply(exchange, response, () => answerApi(exchange));
  });
  app.use((error: unknown, _: Request, response: Out, next: NextFunction) =>
    response.headersSent
      ? next(error)
      : reply(response.locals.exchange, response, () => {
          throw error;
        }),
  );
  return app;
}
