import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation, OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import { readValueRules } from '@lockstep/runtime/form/by-value';
import { createFormCheck } from '@lockstep/runtime/form/check-form';
import { createSchemaCompiler, type Validate } from '@lockstep/runtime/form/compile-schema';
import { RequestAborted } from '@lockstep/runtime/message/read-bytes';
import { readRequestId } from '@lockstep/runtime/message/request-id';
import { createRouter } from '@lockstep/runtime/route-request';
import type { Logger } from 'pino';
import { type Answer, sendAnswer } from './answer.ts';
import { answerRequest, type Exchange, type PlannedOperation, type Steps } from './answer-request.ts';
import { type AuthServer, isBelow, isForAuthServer } from './auth-server.ts';
import { type Authenticate, createPresenceCheck } from './authenticate.ts';
import { answerFault } from './fault/answer-fault.ts';
import { Fault } from './fault/fault.ts';
import { bugFault } from './fault/route-faults.ts';
import { createPrism } from './prism.ts';

export interface MockOptions {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly logger: Logger;
  /** Judges credentials; when left out any well-formed ones pass. */
  readonly authenticate?: Authenticate;
  readonly authServer?: AuthServer;
  /** Bodies beyond are 413, unless the operation has an `x-body-limit` of its own; 64 KiB when left out. */
  readonly bodyLimitBytes?: number;
}

/** A request listener for `node:http`. It answers everything and never rejects. */
export type Mock = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type Compile = (schema: unknown) => Validate;

const defaultBodyLimitBytes = 64 * 1024;

/**
 * Makes a mock of any contract.
 *
 * @throws Error when a schema of the contract is missing or does not compile
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const { contract: document, operations, logger, authServer } = options;
  const compile = createSchemaCompiler(document);
  const planned = Object.values(operations).map((operation) => planOperation(options, compile, operation));
  const router = createRouter(planned);
  const steps: Steps = {
    document,
    router,
    suggestions: router.templates.filter((path) => authServer === undefined || !isBelow(authServer.basePath, path)),
    authenticate: options.authenticate ?? createPresenceCheck(document),
    keyNames: apiKeyNames(document),
    answerByExample: await createPrism({ document, compile, logger }),
  };

  return async (request, response) => {
    const exchange: Exchange = { request, requestId: readRequestId(request) };
    try {
      if (authServer !== undefined && isForAuthServer(authServer, request)) {
        response.setHeader('X-Request-Id', exchange.requestId);
        return authServer.callback(request, response);
      }
      const answer = await answerRequest(steps, exchange).catch((error: unknown) => {
        if (!(error instanceof RequestAborted)) return answerError(exchange, error);
        logger.info({ requestId: exchange.requestId }, error.message);
        return undefined;
      });
      if (answer === undefined) return void response.destroy();
      sendAnswer(request, response, answer, logger);
      const { requestId, operation } = exchange;
      const { status } = answer;
      logger.info({ requestId, method: request.method, operationId: operation?.operationId, status }, 'answered');
    } catch (error) {
      logger.error({ err: error, requestId: exchange.requestId }, 'the answer could not be sent');
      response.destroy();
    }
  };

  function answerError({ requestId, operation }: Exchange, error: unknown): Answer {
    const fault = error instanceof Fault ? error : bugFault();
    if (error !== fault) logger.error({ err: error, requestId }, 'no answer could be made');
    return answerFault({ document, compile, pointer: operation?.pointer, requestId }, fault);
  }
}

function apiKeyNames(document: ContractDocument): ReadonlySet<string> {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const all = Object.keys(schemes).map((name) => followMember(document, schemes, name));
  const keys = all.filter(({ type, in: place }) => type === 'apiKey' && place === 'query');
  return new Set(keys.map(({ name }) => String(name)));
}

/** A schema that does not compile stops the start, not the first request that meets it. */
function planOperation(options: MockOptions, compile: Compile, operation: Operation): PlannedOperation {
  const { operationId, method, basePath, path, extensions } = operation;
  const own = extensions['x-body-limit'];
  try {
    return {
      method,
      basePath,
      path,
      operation,
      bodyLimitBytes: typeof own === 'number' ? own : (options.bodyLimitBytes ?? defaultBodyLimitBytes),
      checkForm: createFormCheck({ document: options.contract, compile }, operation),
      rules: readValueRules(operation),
    };
  } catch (cause) {
    throw new Error(`${operationId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
