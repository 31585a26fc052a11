import type { ServerResponse } from 'node:http';
import { isObject } from '@lockstep/json/json-pointer';
import { RequestAborted } from '@lockstep/runtime/message/read-bytes';
import type { Logger } from 'pino';
import { refuse } from '../error-catalogue.ts';
import { answerError } from './answer-error.ts';
import type { CheckResponse } from './check-response.ts';
import type { Answer, Exchange } from './exchange.ts';
import { type Ambient, type Outgoing, prepareResponse, writeResponse } from './write-response.ts';

export interface ReplyOptions {
  /** Headers of the exchange beyond its id. */
  readonly ambient: (exchange: Exchange) => Omit<Ambient, 'requestId'>;
  /** Undefined where answers are trusted. */
  readonly checkResponse: CheckResponse | undefined;
  readonly logger: Logger;
}

/** Makes an answer and sends it, or the answer to what was thrown instead. Never rejects: one way out for all. */
export type Reply = (
  exchange: Exchange,
  response: ServerResponse,
  make: () => Answer | Promise<Answer>,
) => Promise<void>;

export function createReply({ ambient, checkResponse, logger }: ReplyOptions): Reply {
  return async (exchange, response, make) => {
    try {
      writeResponse(response, check(exchange, await prepareMade(exchange, make)));
    } catch (error) {
      // The caller is gone, or what it would get can't be written as HTTP.
      if (!(error instanceof RequestAborted)) answerError(error, exchange, logger);
      response.destroy();
    }
  };

  async function prepareMade(exchange: Exchange, make: () => Answer | Promise<Answer>): Promise<Outgoing> {
    try {
      return prepare(exchange, await make());
    } catch (error) {
      if (error instanceof RequestAborted) throw error;
      return prepare(exchange, answerError(error, exchange, logger));
    }
  }

  function prepare(exchange: Exchange, answer: Answer): Outgoing {
    const { code } = isObject(answer.body) ? answer.body : {};
    if (answer.status >= 400 && typeof code === 'string') exchange.code = code;
    return prepareResponse(answer, { requestId: exchange.requestId, ...ambient(exchange) });
  }

  /** What takes the place of a bad answer is not checked again, or there would be no end. */
  function check(exchange: Exchange, outgoing: Outgoing): Outgoing {
    const fault = checkResponse?.(exchange, outgoing);
    if (fault === undefined) return outgoing;
    const { requestId, operation } = exchange;
    const context = { requestId, operationId: operation?.operationId, status: outgoing.status, ...fault };
    logger.error(context, 'the answer breaks the contract');
    return prepare(exchange, refuse('internal'));
  }
}
