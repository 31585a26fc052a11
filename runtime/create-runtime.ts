import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import {
  type AddedSteps,
  type AnyHandler,
  answerRequest,
  type PlannedOperation,
  planOperation,
  type Steps,
} from './answer-request.ts';
import { createResponseCheck } from './check-response.ts';
import type { Answer, Exchange, UndeclaredAnswer } from './exchange.ts';
import { readRequestId, readTarget, readUnknownCoding, takeAuthority } from './http-message.ts';
import type { Operation, OperationTable } from './operation.ts';
import { declaredRejection } from './rejection/declared-rejection.ts';
import { exampleHeaders, findResponse, listContents } from './rejection/declared-response.ts';
import { Rejection } from './rejection.ts';
import { createReply, type Reply, type ReplyLog } from './reply.ts';
import { createRouteFinder, createRouter } from './route-request.ts';
import type { Scheme } from './security/scheme.ts';
import { createSchemaCompiler, type SchemaTools } from './validation/compile-schema.ts';
import { cutCircles, type Unchecked } from './validation/cut-circles.ts';
import { dropUnusable } from './validation/drop-unusable.ts';
import { readDirection } from './validation/one-direction.ts';
import { isJsonType } from './validation/parse-body.ts';
import { parseUrlEncoded } from './validation/parse-url-encoded.ts';
import { isXmlType } from './validation/xml-shape.ts';

/** The type of `principal` in the handlers of a contract, without undefined. */
export type PrincipalOf<Handlers> = {
  [Id in keyof Handlers]: Handlers[Id] extends (request: infer Request, ...rest: never) => unknown
    ? Request extends { readonly principal: infer Principal }
      ? NonNullable<Principal>
      : never
    : never;
}[keyof Handlers];

/** A handler of any operation, for type constraints. */
type SomeHandler = (request: never, exchange: never) => Answer | Promise<Answer>;

type KeysOf<Value> = Value extends unknown ? keyof Value : never;

/** Names of the security schemes that the operations of a table require. */
export type SchemesOf<Table extends OperationTable> = KeysOf<Table[keyof Table]['security'][number]> & string;

/** Options of `createRuntime`. Security checks must return the principal type of the generated handlers. */
export interface RuntimeOptions<
  Table extends OperationTable,
  Handlers extends object,
  Context extends Exchange<PrincipalOf<Handlers>> = Exchange<PrincipalOf<Handlers>>,
> extends AddedSteps<Context> {
  /** The bundled contract: every reference in it points into itself. */
  readonly contract: ContractDocument;
  /** The generated table of operations, or a part of it. Requests for other operations get 404 or 405. */
  readonly operations: Table;
  /** One handler for each operation, by operationId. A missing one is a type error, and an error at the start. */
  readonly handlers: Handlers & { readonly [Id in keyof Table]: SomeHandler };
  /** One check for each security scheme that an operation requires, by its name in the contract. Create it by `bearer`, `basic`, `apiKey` and so on. */
  readonly security: Readonly<Record<SchemesOf<Table>, Scheme<PrincipalOf<Handlers>>>>;
  readonly logger: ReplyLog;
  /** Creates the answer for a thrown error. By default, and for undefined: the contract's declared response, else problem details (RFC 9457). */
  readonly answerError?: (error: unknown, exchange: Context) => Answer | UndeclaredAnswer | undefined;
  /** Headers of every answer in addition to `X-Request-Id`; none by default. */
  readonly ambient?: (exchange: Context) => Readonly<Record<string, string>>;
  /** Called with each answer before it is sent. */
  readonly answered?: (exchange: Context, answer: Answer) => void;
  /** Whether each answer is validated before it is sent. An invalid one is logged as an error, and the client gets a 500. False by default. */
  readonly checkResponses?: boolean;
  /** Maximum bytes of a request body, for operations without `x-body-limit`; 65,536 by default. */
  readonly bodyLimitBytes?: number | undefined;
  /** Whether a rejection may contain optional members of the contract's examples, as in a mock. False by default. */
  readonly fillsFromExamples?: boolean;
  /** Makes the body of a rejection from its declared schema, if the contract has no example. Only for mocks: such a body states no facts. */
  readonly makeBody?: ((schema: unknown) => unknown) | undefined;
  /** Query parameters that an outer layer reads: requests may contain them although the contract does not declare them. None by default. */
  readonly foreignNames?: ReadonlySet<string>;
  /**
   * Whether the schemas of an operation are compiled at its first request, for a short start. `true` skips the checks of all schemas at the
   * start: set it only for a contract that is known to be valid. By default only with `unchecked`.
   */
  readonly compilesWhenAsked?: boolean | undefined;
  /**
   * Called at the start with each location of the contract that can't be checked: an invalid pattern, a dangling reference. The rest is
   * checked. Without this function, such a location prevents the start. Use it for contracts that you can't correct. Each operation is then
   * prepared at its first request, which reports its compile errors: all 452 operations of a large contract took up to 15 seconds.
   */
  readonly unchecked?: ((place: UncheckedPlace) => void) | undefined;
  /** Whether a path template may be suggested for a mistyped path; by default every one may. */
  readonly isTold?: (template: string) => boolean;
}

/** A part of the contract that is not checked. `operationId` is omitted if the part does not belong to one operation. */
export interface UncheckedPlace extends Unchecked {
  readonly operationId?: string;
}

/** A served contract. */
export interface Runtime<Context extends Exchange> {
  /** Answers any request: `createServer(runtime.listener)`. Never rejects. */
  readonly listener: RequestListener;
  /** Answers a request within an application, which has called `takeAuthority` and creates the exchange. Never rejects. */
  readonly handle: (exchange: Context, response: ServerResponse) => Promise<void>;
  /** Sends an answer of such an application itself. */
  readonly reply: Reply<Context>;
  /** The operation of a request; HEAD finds that of GET. Undefined for an unknown path or method. */
  readonly operationOf: (request: IncomingMessage) => Operation | undefined;
}

/**
 * Serves a contract: finds the operation of a request, checks its credentials, validates it, calls the handler, and sends the answer.
 *
 * Schemas of requests and errors are compiled before it returns; with `checkResponses`, those of all answers. All runtimes of a process
 * that serve the same document share them: do not change the document.
 *
 * ```ts
 * const { listener } = createRuntime({
 *   contract, // contract.gen.json
 *   operations, // of operations.gen.ts; for a part of them `const { login, ...served } = operations`
 *   handlers: defineHandlers<Account>()({ getThing: ({ path, principal }) => ({ status: 200, body: … }) }),
 *   security: { oauth2: bearer(judgeToken), desk: basic(({ username, password }) => …) },
 *   logger: console,
 * });
 * createServer(listener).listen(8080);
 * ```
 *
 * @throws Unservable if an operation can't be served: it has no handler, a schema that doesn't compile, a security scheme without a check, or an extension with a dangling pointer
 * @throws Error if a schema contains itself endlessly, or one outside all operations doesn't compile
 */
export function createRuntime<
  Table extends OperationTable,
  Handlers extends object,
  Context extends Exchange<PrincipalOf<Handlers>> = Exchange<PrincipalOf<Handlers>>,
>(options: RuntimeOptions<Table, Handlers, Context>): Runtime<Context> {
  type Principal = PrincipalOf<Handlers>;
  const { contract, logger, answerError } = options;
  const operations: readonly Operation[] = Object.values(options.operations);
  const { unchecked } = options;
  const isLazy = options.compilesWhenAsked ?? unchecked !== undefined;
  const { requests, answers } = readContract(contract, unchecked, options.compilesWhenAsked === true);
  if (answerError === undefined && options.compilesWhenAsked !== true) compileErrors(answers, undefined);
  requireHandlers(options.handlers, operations);
  const planned = operations.map(
    (operation): PlannedOperation<Principal, Context> =>
      withOperationId(operation, () => {
        const { document, compileFor } = requests;
        const tools = {
          document,
          compile: compileFor(operation),
          isLazy,
          bodyLimitBytes: options.bodyLimitBytes,
        };
        if (answerError === undefined && !isLazy) compileErrors(answers, operation);
        const handler = findHandler(options.handlers, operation.operationId) as AnyHandler<Principal, Context>;
        const security = { document: contract, schemes: options.security, realm: realmOf(contract, operation) };
        return planOperation(tools, security, operation, handler, options.foreignNames ?? new Set());
      }),
  );
  const router = createRouter(planned);
  for (const { operation } of router.unreachable) {
    const { operationId, pointer, method, path } = operation;
    const why = `another operation has ${method.toUpperCase()} ${path} too, apart from parameter names: no request reaches this one`;
    unchecked?.({ operationId, pointer, why });
  }
  const findOperation = ({ method = '', url = '/' }: IncomingMessage, name: string): Operation | undefined => {
    const { path, queryText } = readTarget(url);
    return router.match(path, method, parseUrlEncoded(queryText))?.route.operations.get(name)?.operation;
  };
  const steps: Steps<Principal, Context> = {
    takesBody: (request) => {
      const found = findOperation(request, request.method?.toLowerCase() ?? '');
      return found !== undefined && found.requestBody !== null;
    },
    findRoute: createRouteFinder(router, options.isTold),
    added: options,
  };
  const reply = createReply<Context>({
    document: contract,
    operations,
    ambient: options.ambient ?? (() => ({})),
    checkResponse:
      options.checkResponses === true
        ? createResponseCheck(answers.document, operations, {
            isLazy,
            tolerate: unchecked && ((compile) => tolerate(compile, unchecked)),
          })
        : undefined,
    answered: options.answered,
    logger,
    answerError: (error, exchange) => answerError?.(error, exchange) ?? answerAsDeclared(error, exchange),
  });
  const handle = (exchange: Context, response: ServerResponse): Promise<void> => {
    // The length of a body with an unknown coding is unknown.
    if (readUnknownCoding(exchange.request) !== undefined) response.setHeader('Connection', 'close');
    return reply(exchange, response, answerRequest(steps, exchange));
  };
  return {
    handle,
    reply,
    operationOf: (request) => {
      const name = request.method?.toLowerCase() ?? '';
      return findOperation(request, name) ?? (name === 'head' ? findOperation(request, 'get') : undefined);
    },
    listener: (request, response) => {
      takeAuthority(request);
      // Without an outer layer, the exchange has no further members.
      void handle({ request, requestId: readRequestId(request) } as Context, response);
    },
  };

  /** Any error but a Rejection is a bug: it is logged and not sent. For an invalid answer `error` is undefined, since `reply` has logged it. */
  function answerAsDeclared(error: unknown, { request, requestId, operation }: Context): Answer | UndeclaredAnswer {
    const rejection = error instanceof Rejection ? error : new Rejection('internal', { text: 'Internal error' });
    if (rejection !== error && error !== undefined)
      logger.error({ requestId, operationId: operation?.operationId, err: error }, 'internal error');
    const fillsFromExamples = options.fillsFromExamples ?? false;
    return declaredRejection(
      {
        document: answers.document,
        compile: answers.compileFor(operation),
        pointer: operation?.pointer,
        requestId,
        accept: request.headers.accept,
        fillsFromExamples,
        makeBody: options.makeBody,
      },
      rejection,
    );
  }
}

/** The contract for one direction, with its schema compiler. Compile errors are reported with their operation. */
interface Reading {
  readonly document: ContractDocument;
  readonly compileFor: (operation: Operation | undefined) => SchemaTools['compile'];
}

/** One reading for each direction; the same for both if the contract does not distinguish them. */
function readContract(
  contract: ContractDocument,
  unchecked: ((place: UncheckedPlace) => void) | undefined,
  isTrusted: boolean,
): { readonly requests: Reading; readonly answers: Reading } {
  const usable = unchecked === undefined ? undefined : dropUnusable(contract);
  for (const place of usable?.unchecked ?? []) unchecked?.(place);
  // Such a schema compiles, but overflows the stack at the first request.
  const [circle] = unchecked === undefined && !isTrusted ? cutCircles(contract).unchecked : [];
  if (circle !== undefined) throw new Error(`${circle.pointer}: ${circle.why}`);
  const whole = usable?.document ?? contract;
  const [ofRequests, ofAnswers] = [readDirection(whole, 'request'), readDirection(whole, 'response')];
  const requests = read(ofRequests);
  return { requests, answers: ofAnswers === ofRequests ? requests : read(ofAnswers) };

  function read(document: ContractDocument): Reading {
    const compile = createSchemaCompiler(document);
    return { document, compileFor: unchecked === undefined ? () => compile : tolerate(compile, unchecked) };
  }
}

/** A schema that doesn't compile accepts any value, and is reported once. */
function tolerate(compile: SchemaTools['compile'], unchecked: (place: UncheckedPlace) => void): Reading['compileFor'] {
  const reported = new Set<string>();
  return (operation) => (schema) => {
    try {
      return compile(schema);
    } catch (error) {
      const $ref = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;
      const pointer = $ref ?? operation?.pointer ?? '#';
      const why = error instanceof Error ? error.message : String(error);
      if (!reported.has(`${pointer} ${why}`))
        unchecked({ ...(operation && { operationId: operation.operationId }), pointer, why });
      reported.add(`${pointer} ${why}`);
      return () => undefined;
    }
  };
}

/** A fault of contract, handlers or checks that prevents serving. The message names the fix. */
export class Unservable extends Error {
  override readonly name = 'Unservable';
}

/** @throws Unservable with the names of all missing handlers */
function requireHandlers(handlers: object, operations: readonly Operation[]): void {
  const missing = operations.flatMap(({ operationId }) =>
    typeof findHandler(handlers, operationId) === 'function' ? [] : [operationId],
  );
  if (missing.length === 0) return;
  const more = missing.length - mostNamed;
  const names = [...missing.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])];
  throw new Unservable(
    `${names.join(', ')}: there is no handler. Write one by the name of the operation, or notImplemented for the time being`,
  );
}

const mostNamed = 10;

function findHandler(handlers: object, operationId: string): unknown {
  return Object.hasOwn(handlers, operationId)
    ? (handlers as Readonly<Record<string, unknown>>)[operationId]
    : undefined;
}

/**
 * The realm of an operation's challenges (RFC 9110, 11.5): that of the declared example, as its schema may allow no other; else the
 * contract's title.
 */
function realmOf(contract: ContractDocument, { pointer }: Operation): string {
  const response = findResponse(contract, pointer, 401)?.node ?? {};
  const headers = Object.entries(exampleHeaders(contract, response, undefined));
  const challenge = headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1] ?? '';
  const declared = /realm="([^"]+)"/.exec(challenge)?.[1];
  const realm = declared ?? String(followMember(contract, contract, 'info').title ?? '');
  // Without an escape, the quoted string of a header has these ASCII characters (RFC 9110, 5.6.4).
  return realm.replaceAll(/[^ !#-[\]-~]/g, '') || 'api';
}

/** Compiles the schemas of error bodies, so that a faulty one is found at the start, not by the first rejected request. */
function compileErrors({ document, compileFor }: Reading, operation: Operation | undefined): void {
  const compile = compileFor(operation);
  const responses = readPointer(document, operation === undefined ? '#/x-unrouted' : `${operation.pointer}/responses`);
  const all = isObject(responses) ? responses : {};
  for (const status of Object.keys(all).filter((key) => !/^[123]/.test(key)))
    for (const { mediaType, schema } of listContents(document, followMember(document, all, status)))
      if (isJsonType(mediaType) || isXmlType(mediaType)) compile(schema ?? true);
}

function withOperationId<Result>({ operationId }: Operation, prepare: () => Result): Result {
  try {
    return prepare();
  } catch (cause) {
    throw new Unservable(`${operationId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
