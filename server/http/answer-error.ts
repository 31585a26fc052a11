import type { Logger } from 'pino';
import { Refused, refuse } from '../error-catalogue.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Answer, Exchange } from './exchange.ts';

/** Seconds to wait when the store is busy: its transactions take milliseconds. */
const retryAfterSeconds = 1;

/** The answer to whatever was thrown. What is neither a refusal nor a busy store is a bug: logged once, nothing of it sent. */
export function answerError(error: unknown, { requestId, operation }: Exchange, logger: Logger): Answer {
  if (error instanceof Refused) return error.response;
  const context = { requestId, operationId: operation?.operationId, err: error };
  if (error instanceof StoreUnavailable) {
    logger.warn(context, 'the store is unavailable');
    return refuse('unavailable', { headers: { 'Retry-After': retryAfterSeconds } });
  }
  logger.error(context, 'internal error');
  return refuse('internal');
}
