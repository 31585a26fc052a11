import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { AddedSteps, AnyHandler } from '@lockstep/runtime/answer-request';
import { createRuntime, type UncheckedPlace } from '@lockstep/runtime/create-runtime';
import type { Exchange } from '@lockstep/runtime/exchange';
import { parseUrlEncoded } from '@lockstep/runtime/form/parse-url-encoded';
import { readRequestId, readTarget } from '@lockstep/runtime/http-message';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { ambientHeaders } from '@lockstep/runtime/refusal/declared-response';
import { lookForCredentials } from '@lockstep/runtime/security/presence';
import type { Scheme } from '@lockstep/runtime/security/scheme';
import type { Logger } from 'pino';
import type { AnswerAsDocumented } from './answer-as-documented.ts';
import { type AuthServer, isBelow, isForAuthServer } from './auth-server.ts';
import { chooseExample, preferenceNames, readPreferences } from './choose-example.ts';

/** Who a mock's handlers act for: nobody they know anything of. */
export type AnyPrincipal = object;

type MockExchange = Exchange<AnyPrincipal>;

export interface MockOptions {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly logger: Logger;
  /** Who judges credentials, and what follows; where a scheme is left out any that are well-formed pass. */
  readonly protection?: Protection | undefined;
  /** Told of what of the contract is not checked, as `createRuntime` has it; left out: there is no start where something can't be. */
  readonly unchecked?: ((place: UncheckedPlace) => void) | undefined;
  /** As `createRuntime` has it. */
  readonly bodyLimitBytes?: number | undefined;
}

/** What stands before a mock's answers, as it does before the service's. */
export interface Protection extends Pick<AddedSteps<MockExchange>, 'authenticated'> {
  /** By the contract's names of them. */
  readonly security: Readonly<Record<string, Scheme<AnyPrincipal>>>;
  /** `realm` of challenges; the contract's title when left out. */
  readonly realm?: string;
  readonly authServer?: AuthServer;
}

/** A request listener for `node:http`. It answers everything and never throws. */
export type Mock = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes a mock of any contract: the checks of the service itself, then the documented answer.
 *
 * @throws Error when a schema of the contract is missing or does not compile
 */
export function createMock({ contract, operations, logger, protection, unchecked, bodyLimitBytes }: MockOptions): Mock {
  const { security, realm, authServer, authenticated } = protection ?? {};
  const answer = loadWhenAsked(contract);
  const presence = lookForCredentials(contract, operations);
  const table: Readonly<Record<string, Operation>> = presence.operations;
  const unrouted = ambientHeaders(contract);
  const runtime = createRuntime({
    contract,
    operations: table,
    handlers: mapValues(table, (operation) => answerAsDocumented(contract, operation, answer)),
    security: { ...presence.security, ...security },
    ...(realm !== undefined && { realm }),
    ...(authenticated !== undefined && { authenticated }),
    logger,
    unchecked,
    bodyLimitBytes,
    fillsFromExamples: true,
    foreignNames: preferenceNames,
    isTold: (template) => authServer === undefined || !isBelow(authServer.basePath, template),
    // Those of an operation are its examples.
    ambient: ({ operation }) => (operation === undefined ? unrouted : {}),
    answered: ({ request: { method }, requestId, operation }, { status }) =>
      logger.info({ requestId, method, operationId: operation?.operationId, status }, 'answered'),
  });
  if (authServer === undefined) return runtime.listener;
  return (request, response) => {
    if (!isForAuthServer(authServer, request)) return runtime.listener(request, response);
    const requestId = readRequestId(request);
    response.setHeader('X-Request-Id', requestId);
    try {
      authServer.callback(request, response);
    } catch (error) {
      logger.error({ requestId, err: error }, 'the authorization server failed');
      response.destroy();
    }
  };
}

type MockHandler = AnyHandler<AnyPrincipal, MockExchange>;

function answerAsDocumented(contract: ContractDocument, operation: Operation, answer: AnswerAsDocumented): MockHandler {
  return async (_, { request, requestId }) => {
    const { queryText } = readTarget(request.url ?? '/');
    const preferences = readPreferences(request.headersDistinct.prefer?.join(','), parseUrlEncoded(queryText));
    return answer(operation, chooseExample(contract, operation, preferences), {
      requestId,
      accept: request.headers.accept,
    });
  };
}

/** Prism takes most of a second to load, and nobody who starts a mock should wait for it. */
function loadWhenAsked(document: ContractDocument): AnswerAsDocumented {
  let loaded: Promise<AnswerAsDocumented> | undefined;
  return async (...asked) => {
    loaded ??= load();
    return (await loaded)(...asked);
  };

  async function load(): Promise<AnswerAsDocumented> {
    try {
      const { createAnswers } = await import('./answer-as-documented.ts');
      return createAnswers(document);
    } catch (error) {
      // Not kept: the next request tries again.
      loaded = undefined;
      throw error;
    }
  }
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
