import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type Answer, sendAnswer } from './answer.ts';
import { answerRequest, type Exchange, type Steps } from './answer-request.ts';
import { type Authenticate, createPresenceCheck } from './authenticate.ts';
import { createSchemaCompiler, type Validate } from './contract/compile-schema.ts';
import type { OperationTable } from './contract/operation.ts';
import { type ContractDocument, followMember, readPointer } from './contract/read-pointer.ts';
import { answerFault } from './fault/answer-fault.ts';
import { Fault } from './fault/fault.ts';
import { bugFault } from './fault/route-faults.ts';
import { createPrism } from './prism.ts';
import { listDependentSchemas } from './request/check-by-value.ts';
import { RequestAborted } from './request/read-body.ts';
import { createRouter } from './request/route-request.ts';
import { createRequestValidator } from './request/validate-request.ts';

export interface MockOptions {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly logger: Logger;
  /** Judges credentials; when left out any well-formed ones pass. */
  readonly authenticate?: Authenticate;
  /** Bodies beyond are 413, unless the operation has an `x-body-limit` of its own; 64 KiB when left out. */
  readonly bodyLimitBytes?: number;
}

/** A request listener for `node:http`. It answers everything and never rejects. */
export type Mock = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type Compile = (schema: unknown) => Validate;

const defaultBodyLimitBytes = 64 * 1024;
const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Makes a mock of any contract.
 *
 * @throws Error when a schema of the contract is missing or does not compile
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const { contract: document, operations, logger } = options;
  const compile = createSchemaCompiler(document);
  compileAll(document, operations, compile);
  const steps: Steps = {
    document,
    router: createRouter(operations),
    authenticate: options.authenticate ?? createPresenceCheck(document),
    validate: createRequestValidator({ document, compile, keyNames: apiKeyNames(document) }),
    answerByExample: await createPrism({ document, compile, logger }),
    bodyLimitBytes: ({ extensions: { 'x-body-limit': own } }) =>
      typeof own === 'number' ? own : (options.bodyLimitBytes ?? defaultBodyLimitBytes),
  };

  return async (request, response) => {
    const exchange: Exchange = { request, requestId: readRequestId(request) };
    try {
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

/** The caller's own id where it has a form that no log or header can be harmed by. */
function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomUUID();
}

function apiKeyNames(document: ContractDocument): string[] {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const all = Object.keys(schemes).map((name) => followMember(document, schemes, name));
  return all.filter(({ type, in: place }) => type === 'apiKey' && place === 'query').map(({ name }) => String(name));
}

/** A schema that does not compile stops the start, not the first request that meets it. */
function compileAll(document: ContractDocument, operations: OperationTable, compile: Compile): void {
  for (const operation of Object.values(operations)) {
    const { operationId, parameters, requestBody } = operation;
    const own = [...parameters.map(({ schema }) => schema), ...Object.values(requestBody?.content ?? {})];
    for (const pointer of [...own, ...listDependentSchemas(operation)]) {
      if (readPointer(document, pointer) === undefined) throw new Error(`${operationId}: no schema at ${pointer}`);
      compile({ $ref: pointer });
    }
  }
}
