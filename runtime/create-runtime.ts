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
import { listContents } from './rejection/declared-response.ts';
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

/** The type of `principal` in the handlers of a contract, apart from undefined. */
export type PrincipalOf<Handlers> = {
  [Id in keyof Handlers]: Handlers[Id] extends (request: infer Request, ...rest: never) => unknown
    ? Request extends { readonly principal: infer Principal }
      ? NonNullable<Principal>
      : never
    : never;
}[keyof Handlers];

/** Whatever it asks for, it answers. */
type SomeHandler = (request: never, exchange: never) => Answer | Promise<Answer>;

type KeysOf<Value> = Value extends unknown ? keyof Value : never;

/** Names of the security schemes that the operations of a table ask for. */
export type SchemesOf<Table extends OperationTable> = KeysOf<Table[keyof Table]['security'][number]> & string;

/** What a contract is served with. Handlers are those of its generated interface; who they act for decides what the schemes must find. */
export interface RuntimeOptions<
  Table extends OperationTable,
  Handlers extends object,
  Context extends Exchange<PrincipalOf<Handlers>> = Exchange<PrincipalOf<Handlers>>,
> extends AddedSteps<Context> {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  /** The generated table, or the part of it that is served here. */
  readonly operations: Table;
  /** One for each operation: one that is forgotten does not compile. */
  readonly handlers: Handlers & { readonly [Id in keyof Table]: SomeHandler };
  /** One check for each security scheme that an operation asks for, by its name in the contract: `bearer`, `basic`, `apiKey`. */
  readonly security: Readonly<Record<SchemesOf<Table>, Scheme<PrincipalOf<Handlers>>>>;
  readonly logger: ReplyLog;
  /** Answers what was thrown in words of its own. Undefined, or left out: as the contract declares it, else problem details (RFC 9457). */
  readonly answerError?: (error: unknown, exchange: Context) => Answer | UndeclaredAnswer | undefined;
  /** Headers of every answer in addition to its request id; none by default. */
  readonly ambient?: (exchange: Context) => Readonly<Record<string, string>>;
  /** Called with each answer before it is sent. */
  readonly answered?: (exchange: Context, answer: Answer) => void;
  /** Whether each answer is held against the contract before it leaves; one that breaks it becomes a 500 and an error in the log. Off when left out. */
  readonly checkResponses?: boolean;
  /** Most bytes of a body where its operation has no `x-body-limit`; 64 KiB when left out. */
  readonly bodyLimitBytes?: number | undefined;
  /** `realm` of challenges (RFC 9110, 11.5); the contract's title when left out. */
  readonly realm?: string;
  /** Whether a rejection may contain optional members of the contract's examples, as in a mock. False by default. */
  readonly fillsFromExamples?: boolean;
  /** Names in a query that a layer around reads, known besides the parameters of an operation. */
  readonly foreignNames?: ReadonlySet<string>;
  /**
   * Whether the schemas of an operation are compiled when it is first asked for, each request after that taking no longer, instead of all
   * before there is a runtime: where a start has to be short and it is known that they compile, and that none holds itself without end. Off
   * when left out, on with `unchecked`.
   */
  readonly compilesWhenAsked?: boolean | undefined;
  /**
   * Called at the start with each location of the contract that can't be checked: an invalid pattern, a dangling reference. The rest is
   * checked. Without it, such a location prevents the start. It is meant for contracts that the user can't correct. Each operation is then
   * prepared at its first request, since all of a large one took up to 15 seconds (452 operations). Other compile errors are reported then.
   */
  readonly unchecked?: ((place: UncheckedPlace) => void) | undefined;
  /** Whether a template may be suggested for a mistyped path; all by default. */
  readonly isTold?: (template: string) => boolean;
}

/** A place of the contract that is not checked, and the operation where it is one operation's own. */
export interface UncheckedPlace extends Unchecked {
  readonly operationId?: string;
}

/** A contract being served. */
export interface Runtime<Context extends Exchange> {
  /** Answers any request: `createServer(runtime.listener)`. Never rejects. */
  readonly listener: RequestListener;
  /** The same within an application, which has been through `takeAuthority` and has an exchange of its own. Never rejects. */
  readonly handle: (exchange: Context, response: ServerResponse) => Promise<void>;
  /** Sends what such an application answers itself. */
  readonly reply: Reply<Context>;
  /** The operation that a request names, HEAD being that of GET; undefined for a path or method that is none. */
  readonly operationOf: (request: IncomingMessage) => Operation | undefined;
}

/**
 * Serves a contract: finds the operation of a request, judges credentials and form, asks its handler, and writes the answer. Schemas of
 * requests and of errors are compiled before it returns, those of all answers too where these are checked, and each once for all runtimes
 * of a process that serve the same document: it must not change.
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
 * @throws Unservable where the contract can't be kept: a schema that doesn't compile, or holds itself without end, a security scheme without a check, an operation without a
 * handler, an extension that points nowhere
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
  const realm = cleanRealm(options.realm ?? String(followMember(contract, contract, 'info').title ?? ''));
  if (answerError === undefined && options.compilesWhenAsked !== true) compileErrors(answers, undefined);
  const security = { document: contract, schemes: options.security, realm };
  requireHandlers(options.handlers, operations);
  const planned = operations.map(
    (operation): PlannedOperation<Principal, Context> =>
      sayWhichOperation(operation, () => {
        const { document, compileFor } = requests;
        const tools = {
          document,
          compile: compileFor(operation),
          isLazy,
          bodyLimitBytes: options.bodyLimitBytes,
        };
        if (answerError === undefined && !isLazy) compileErrors(answers, operation);
        const handler = findHandler(options.handlers, operation.operationId) as AnyHandler<Principal, Context>;
        return planOperation(tools, security, operation, handler, options.foreignNames ?? new Set());
      }),
  );
  const router = createRouter(planned);
  for (const { operation } of router.unreachable) {
    const { operationId, pointer, method, path } = operation;
    const why = `another operation has ${method.toUpperCase()} ${path}, but for the names of its values: this one is never reached`;
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
    realm,
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
    // The length of its body is unknown.
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
      // No layer has added anything to the exchange.
      void handle({ request, requestId: readRequestId(request) } as Context, response);
    },
  };

  /** What is no rejection is a bug: logged once, nothing of it sent. An answer that breaks the contract has been logged before. */
  function answerAsDeclared(error: unknown, { requestId, operation }: Context): Answer | UndeclaredAnswer {
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
        fillsFromExamples,
      },
      rejection,
    );
  }
}

/** The contract as it is for one direction, with the compiler of its schemas; compile errors are reported with their operation. */
interface Reading {
  readonly document: ContractDocument;
  readonly compileFor: (operation: Operation | undefined) => SchemaTools['compile'];
}

/** One for each direction; one for both where the contract makes no difference. */
function readContract(
  contract: ContractDocument,
  unchecked: ((place: UncheckedPlace) => void) | undefined,
  isTrusted: boolean,
): { readonly requests: Reading; readonly answers: Reading } {
  const usable = unchecked === undefined ? undefined : dropUnusable(contract);
  for (const place of usable?.unchecked ?? []) unchecked?.(place);
  // It would compile, and fill the stack with the first request.
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

/** A schema that doesn't compile accepts any value. Each is reported once. */
function tolerate(compile: SchemaTools['compile'], unchecked: (place: UncheckedPlace) => void): Reading['compileFor'] {
  const told = new Set<string>();
  return (operation) => (schema) => {
    try {
      return compile(schema);
    } catch (error) {
      const $ref = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;
      const pointer = $ref ?? operation?.pointer ?? '#';
      const why = error instanceof Error ? error.message : String(error);
      if (!told.has(`${pointer} ${why}`))
        unchecked({ ...(operation && { operationId: operation.operationId }), pointer, why });
      told.add(`${pointer} ${why}`);
      return () => undefined;
    }
  };
}

/** A fault of contract, handlers or checks that prevents serving. The message names the fix. */
export class Unservable extends Error {
  override readonly name = 'Unservable';
}

/** Names all that are missing at once. */
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

/** Each handler asks for the request of its own operation, and is only ever given that. */
function findHandler(handlers: object, operationId: string): unknown {
  return Object.hasOwn(handlers, operationId)
    ? (handlers as Readonly<Record<string, unknown>>)[operationId]
    : undefined;
}

/** What a quoted string of a header may hold without an escape (RFC 9110, 5.6.4), of ASCII. */
function cleanRealm(text: string): string {
  return text.replaceAll(/[^ !#-[\]-~]/g, '') || 'api';
}

/** The schemas that refusals are filled by: the first caller who is refused must not be the one to find that there is none. */
function compileErrors({ document, compileFor }: Reading, operation: Operation | undefined): void {
  const compile = compileFor(operation);
  const responses = readPointer(document, operation === undefined ? '#/x-unrouted' : `${operation.pointer}/responses`);
  const all = isObject(responses) ? responses : {};
  for (const status of Object.keys(all).filter((key) => !/^[123]/.test(key)))
    for (const { mediaType, schema } of listContents(document, followMember(document, all, status)))
      if (isJsonType(mediaType)) compile(schema ?? true);
}

/** Adds the name of the operation that could not be prepared. */
function sayWhichOperation<Made>({ operationId }: Operation, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    throw new Unservable(`${operationId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
