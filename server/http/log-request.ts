import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Exchange } from './exchange.ts';

/**
 * Writes one line when a request is over. Only what the contract or a verified token names goes in: no target, no query, no
 * header and no body, so no secret and nothing that a caller could forge a line with.
 */
export function logRequest(logger: Logger, response: ServerResponse, exchange: Exchange): void {
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
