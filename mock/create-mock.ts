import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import { createRuntime, type RuntimeOptions, type UncheckedPlace } from '@lockstep/runtime/create-runtime';
import type { Exchange, UndeclaredAnswer } from '@lockstep/runtime/exchange';
import { readRequestId, readTarget } from '@lockstep/runtime/http-message';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { ambientHeaders, findResponse } from '@lockstep/runtime/rejection/declared-response';
import { lookForCredentials } from '@lockstep/runtime/security/presence';
import type { Scheme } from '@lockstep/runtime/security/scheme';
import { createValueMaker, type MakeValue } from '@lockstep/runtime/stateful/make-value';
import { unlessModified } from '@lockstep/runtime/stateful/not-modified';
import { dropUnusable } from '@lockstep/runtime/validation/drop-unusable';
import { createJudge } from '@lockstep/runtime/validation/judge-value';
import { readDirection } from '@lockstep/runtime/validation/one-direction';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import type { Logger } from 'pino';
import type { AnswerAsDocumented } from './answer-as-documented.ts';
import { type AuthServer, isBelow, isForAuthServer } from './auth-server.ts';
import { type Choice, chooseExample, preferenceNames, readPreferences } from './choose-example.ts';

/** The principal for a mock's handlers, which is unknown. */
export type AnyPrincipal = object;

type AnyExchange = Exchange<AnyPrincipal>;

export interface MockOptions<Context extends AnyExchange = AnyExchange> {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly logger: Logger;
  /** The service behind the mock. Without one, the mock accepts any well-formed credentials, and every answer is the documented one. */
  readonly service?: MockedService<Context> | undefined;
  /** The only tokens, keys and `name:password` pairs that schemes without a check accept. By default they accept any. */
  readonly tokens?: readonly string[] | undefined;
  /** Reports parts of the contract that can't be checked; see `createRuntime`. When omitted, such a part prevents the start. */
  readonly unchecked?: ((place: UncheckedPlace) => void) | undefined;
  /** See `createRuntime`. */
  readonly compilesWhenAsked?: boolean | undefined;
  /** See `createRuntime`. */
  readonly bodyLimitBytes?: number | undefined;
}

type ServiceParts = 'ambient' | 'answered' | 'answerError' | 'authenticated' | 'authorized' | 'checkResponses';

/** A service behind a mock: its security, its steps before an answer, and its answers if no documented one is requested. */
export interface MockedService<Context extends AnyExchange = AnyExchange>
  extends Pick<RuntimeOptions<OperationTable, Handlers<Context>, Context>, ServiceParts> {
  /** By the names of the contract. Credentials of an omitted scheme need only be well-formed. */
  readonly security: Readonly<Record<string, Scheme<AnyPrincipal>>>;
  /** By operationId. An operation without a handler answers as documented. */
  readonly handlers?: Handlers<Context>;
  readonly authServer?: AuthServer;
  /** Called when a request gets the documented answer that it prefers. */
  readonly preferred?: (exchange: Context) => void;
}

type Handlers<Context extends AnyExchange> = Readonly<Record<string, AnyHandler<AnyPrincipal, Context>>>;

export interface Mock {
  /** Answers everything and never throws. */
  readonly listener: RequestListener;
  /** The operation of a request, including those of the authorization server. */
  readonly operationOf: (request: IncomingMessage) => Operation | undefined;
  /** Answers an operation as documented, without any check of the request. The answer has no body if the status is not declared. */
  readonly replyAsDocumented: (
    request: IncomingMessage,
    response: ServerResponse,
    operation: Operation,
    choice: Choice,
  ) => Promise<void>;
}

/**
 * Creates a mock of any contract. After the checks of the runtime, the service behind it answers. Without a service, or if `Prefer` asks
 * for it, the answer is the documented one.
 *
 * @throws Error when a schema of the contract is missing or does not compile
 */
export function createMock<Context extends AnyExchange>(options: MockOptions<Context>): Mock {
  const { contract, operations, logger, service, tokens, unchecked, compilesWhenAsked, bodyLimitBytes } = options;
  const { authServer, ...parts }: Partial<MockedService<Context>> = service ?? {};
  const isAuthServers = ({ basePath, path }: Pick<Operation, 'basePath' | 'path'>): boolean =>
    authServer !== undefined && isBelow(authServer.basePath, basePath + path);
  const isServices = (operation: Operation | undefined): boolean =>
    operation === undefined || !isAuthServers(operation);
  const answer = loadWhenAsked(contract);
  const presence = lookForCredentials(contract, operations, tokens);
  const table: Readonly<Record<string, Operation>> = presence.operations;
  const unrouted = ambientHeaders(contract);
  const runtime = createRuntime<typeof table, Handlers<Context>, Context>({
    contract,
    operations: table,
    handlers: mapValues(table, (operation) => preferDocumented(contract, operation, answer, parts)),
    security: { ...presence.security, ...parts.security },
    ...(parts.authenticated && { authenticated: parts.authenticated }),
    ...(parts.authorized && { authorized: parts.authorized }),
    checkResponses: parts.checkResponses ?? false,
    logger,
    unchecked,
    ...(compilesWhenAsked !== undefined && { compilesWhenAsked }),
    bodyLimitBytes,
    fillsFromExamples: true,
    makeBody: makeWhenAsked(contract),
    foreignNames: preferenceNames,
    isTold: (template) => authServer === undefined || !isBelow(authServer.basePath, template),
    // Without a service, the header values are the documented examples.
    ambient: (exchange) => {
      if (parts.ambient !== undefined && isServices(exchange.operation)) return parts.ambient(exchange);
      return exchange.operation === undefined ? unrouted : {};
    },
    answerError: (error, exchange) =>
      isServices(exchange.operation) ? parts.answerError?.(error, exchange) : undefined,
    answered: (exchange, answered) => {
      const { request, requestId, operation } = exchange;
      parts.answered?.(exchange, answered);
      const { status } = answered;
      logger.info({ requestId, method: request.method, operationId: operation?.operationId, status }, 'answered');
    },
  });
  return {
    operationOf: runtime.operationOf,
    replyAsDocumented: (request, response, operation, choice) => {
      const exchange = { request, requestId: readRequestId(request), operation } as Context;
      const { requestId } = exchange;
      const { code } = choice;
      const isDeclared = code === undefined || findResponse(contract, operation.pointer, code) !== undefined;
      const documented = answer(operation, choice, { requestId, accept: request.headers.accept });
      const undeclared = () => documented.then((one): UndeclaredAnswer => ({ ...one, isUndeclared: true }));
      return runtime.reply(exchange, response, isDeclared ? documented : undeclared());
    },
    listener: (request, response) => {
      if (authServer === undefined || !isForAuthServer(authServer, request)) return runtime.listener(request, response);
      const requestId = readRequestId(request);
      response.setHeader('X-Request-Id', requestId);
      try {
        authServer.callback(request, response);
      } catch (error) {
        logger.error({ requestId, err: error }, 'the authorization server failed');
        response.destroy();
      }
    },
  };
}

/** Two underscores, plain or percent-encoded: most queries have none and need not be parsed. */
const mayPrefer = /(?:_|%5f){2}/i;

/** Gives the documented answer if `Prefer` asks for it, or if the operation has no handler. */
function preferDocumented<Context extends AnyExchange>(
  contract: ContractDocument,
  operation: Operation,
  answer: AnswerAsDocumented,
  { handlers = {}, preferred }: Pick<Partial<MockedService<Context>>, 'handlers' | 'preferred'>,
): AnyHandler<AnyPrincipal, Context> {
  const handler = Object.hasOwn(handlers, operation.operationId) ? handlers[operation.operationId] : undefined;
  return async (parsed, exchange) => {
    const { request, requestId } = exchange;
    const { queryText } = readTarget(request.url ?? '/');
    const query = mayPrefer.test(queryText) ? parseUrlEncoded(queryText) : [];
    const preferences = readPreferences(request.headersDistinct.prefer?.join(','), query);
    if (handler !== undefined && Object.keys(preferences).length === 0) return handler(parsed, exchange);
    const choice = chooseExample(contract, operation, preferences);
    const asked = { requestId, accept: request.headers.accept };
    if (Object.keys(preferences).length === 0)
      return unlessModified(operation.method, request.headers['if-none-match'], await answer(operation, choice, asked));
    preferred?.(exchange);
    return answer(operation, choice, asked);
  };
}

/** Makes bodies of rejections that have no example. */
function makeWhenAsked(contract: ContractDocument): (schema: unknown) => unknown {
  let make: MakeValue | undefined;
  return (schema) => {
    if (make === undefined) {
      const document = readDirection(dropUnusable(contract).document, 'response');
      make = createValueMaker(document, createJudge(document), 'response');
    }
    const made = make(schema);
    return made.kind === 'value' ? made.value : undefined;
  };
}

/** Documented answers take a while to load: a start does not wait for them. */
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
      // The failure is not cached: the next request tries again.
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
