import type { ServerResponse } from 'node:http';
import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { CheckResponse } from './check-response.ts';
import type { Answer, Exchange, Outgoing, UndeclaredAnswer } from './exchange.ts';
import type { Operation } from './operation.ts';
import { RequestAborted } from './read-bytes.ts';
import { listContents } from './rejection/declared-response.ts';
import { findFaultMembers } from './rejection/fault-members.ts';
import { typeOf } from './validation/coerce-text.ts';
import { isJsonType } from './validation/parse-body.ts';
import { nameType } from './validation/sentence.ts';
import { writeXml } from './validation/write-xml.ts';
import { isXmlType } from './validation/xml-shape.ts';

export interface ReplyLog {
  error(context: object, text: string): void;
}

interface ReplyOptions<Context> {
  readonly document: ContractDocument;
  readonly operations: readonly Operation[];
  /** Headers of every answer in addition to its request id. */
  readonly ambient: (exchange: Context) => Readonly<Record<string, string>>;
  /** Undefined if answers are not checked. */
  readonly checkResponse: CheckResponse | undefined;
  /** Creates the answer for a thrown error; for an invalid answer the error is undefined. Never throws. */
  readonly answerError: (error: unknown, exchange: Context) => Answer | UndeclaredAnswer;
  /** Called once for each request, with its answer before it is sent. */
  readonly answered: ((exchange: Context, answer: Answer) => void) | undefined;
  readonly logger: ReplyLog;
}

/** Sends an answer; if its promise rejects, the answer for that error. Never rejects. */
export type Reply<Context> = (
  exchange: Context,
  response: ServerResponse,
  answer: Answer | Promise<Answer>,
) => Promise<void>;

export function createReply<Context extends Exchange>(options: ReplyOptions<Context>): Reply<Context> {
  const { ambient, checkResponse, answerError, answered, logger } = options;
  const findDeclared = createBodyLookup(options.document, options.operations);

  return async (exchange, response, given) => {
    try {
      const { answer, outgoing } = check(exchange, await prepareGiven(exchange, given));
      answered?.(exchange, answer);
      write(response, outgoing, exchange);
    } catch (error) {
      // The client disconnected, or the answer can't be written as HTTP.
      if (!(error instanceof RequestAborted))
        logger.error({ requestId: exchange.requestId, err: error }, 'no answer can be written');
      response.destroy();
    }
  };

  async function prepareGiven(exchange: Context, given: Answer | Promise<Answer>): Promise<Prepared> {
    try {
      const answer: unknown = await given;
      const reason = findNoAnswer(answer);
      if (reason === undefined) return prepare(exchange, answer as Answer);
      const { requestId, operation } = exchange;
      logger.error({ requestId, operationId: operation?.operationId, reason }, brokenAnswer);
    } catch (error) {
      if (error instanceof RequestAborted) throw error;
      return prepare(exchange, answerError(error, exchange));
    }
    return prepare(exchange, answerError(undefined, exchange));
  }

  function prepare(exchange: Context, answer: Answer | UndeclaredAnswer): Prepared {
    const { requestId, operation } = exchange;
    const { status, body } = answer;
    const { idNames, mediaType, schemaOf } = findDeclared(operation, status) ?? undeclaredBody;
    const isMarked = status >= 400 && idNames.length > 0 && isObject(body) && !(body instanceof Uint8Array);
    const whole = isMarked ? { ...body, ...fill(idNames, requestId) } : body;
    const headers: Record<string, string> = { ...ambient(exchange) };
    for (const name in answer.headers) {
      const value = answer.headers[name];
      if (value !== undefined) headers[name] = String(value);
    }
    // Set last, since examples of a contract may contain an id too.
    headers['X-Request-Id'] = requestId;
    if (whole === undefined) return { answer, outgoing: { status, headers, mediaType: undefined, content: undefined } };
    const type = answer.mediaType ?? mediaType;
    headers['Content-Type'] = type;
    const isWritten = typeof whole === 'string' || whole instanceof Uint8Array;
    const written = !isWritten && isXmlType(type) ? writeXml(options.document, schemaOf(type), whole) : whole;
    return { answer, outgoing: { status, headers, mediaType: type, content: serialize(written, type) } };
  }

  /** Replaces an invalid answer. The replacement is not checked, since it might be invalid too, without end. */
  function check(exchange: Context, prepared: Prepared): Prepared {
    const { answer, outgoing } = prepared;
    const fault = 'isUndeclared' in answer ? undefined : checkResponse?.(exchange.operation, outgoing);
    if (fault === undefined) return prepared;
    const { requestId, operation } = exchange;
    const context = { requestId, operationId: operation?.operationId, status: outgoing.status, ...fault };
    logger.error(context, brokenAnswer);
    return prepare(exchange, answerError(undefined, exchange));
  }

  /**
   * Writes an answer. For HEAD, Node omits the content and keeps its length. An operation that is declared for HEAD has no content, and a
   * length of 0 would claim that GET has none (RFC 9110, 8.6). A header with a value that HTTP does not allow is dropped and logged, so
   * that the client still gets the answer.
   */
  function write(
    response: ServerResponse,
    { status, headers, content }: Outgoing,
    { request, requestId }: Context,
  ): void {
    response.statusCode = status;
    for (const name in headers) {
      try {
        response.setHeader(name, headers[name] ?? '');
      } catch (error) {
        logger.error({ requestId, header: name, err: error }, 'a header is dropped: HTTP does not allow its value');
      }
    }
    const isLengthUnknown = content === undefined && request.method === 'HEAD';
    if (status === 204 || status === 304 || isLengthUnknown) return void response.end();
    response.setHeader('Content-Length', content === undefined ? 0 : Buffer.byteLength(content));
    response.end(content);
  }
}

const brokenAnswer = 'the answer breaks the contract';

/** @returns the reason why a result is no answer, undefined if it is one. TypeScript rejects such a handler, but JavaScript runs it */
function findNoAnswer(given: unknown): string | undefined {
  if (!isObject(given)) {
    const kind = given === undefined ? 'nothing' : nameType(typeOf(given));
    return `the handler returned ${kind}: return { status, body }`;
  }
  const status = Number.isInteger(given.status) ? Number(given.status) : 0;
  return status >= 100 && status < 600
    ? undefined
    : 'the handler returned no valid status: return a number from 100 to 599';
}

interface Prepared {
  readonly answer: Answer | UndeclaredAnswer;
  readonly outgoing: Outgoing;
}

/** JSON unless the type is something else and the value is text or bytes. */
function serialize(value: unknown, mediaType: string): string | Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' && !isJsonType(mediaType) ? value : writeJson(value);
}

// TypeScript has no type of it yet.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Whole numbers have digits only: many clients, and JSON Schema up to draft 4, take `1e+21` for no integer. */
function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text?.includes('e+')) return text;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && Number.isInteger(part) && Math.abs(part) >= 1e21 ? rawJSON(String(BigInt(part))) : part,
  );
}

/** The contract's declaration of an answer's body. */
interface DeclaredBody {
  /** Members that `x-fault` marks for the request id: the runtime sets them, not the handler. */
  readonly idNames: readonly string[];
  /** Used if an answer names none: the only type of its response, else JSON. */
  readonly mediaType: string;
  /** The schema of a media type. */
  readonly schemaOf: (mediaType: string) => unknown;
}

const undeclaredBody: DeclaredBody = { idNames: [], mediaType: 'application/json', schemaOf: () => undefined };

type FindDeclaredBody = (operation: Operation | undefined, status: number) => DeclaredBody | undefined;

function createBodyLookup(document: ContractDocument, operations: readonly Operation[]): FindDeclaredBody {
  const unrouted = readBodies(document, '#/x-unrouted');
  const bodies = new Map(operations.map(({ pointer }) => [pointer, readBodies(document, `${pointer}/responses`)]));
  return (operation, status) => {
    const declared = operation === undefined ? unrouted : bodies.get(operation.pointer);
    const text = String(status);
    return declared?.get(text) ?? declared?.get(`${text.charAt(0)}XX`) ?? declared?.get('default');
  };
}

function readBodies(document: ContractDocument, place: string): ReadonlyMap<string, DeclaredBody> {
  const responses = readPointer(document, place);
  const all = isObject(responses) ? responses : {};
  return new Map(
    Object.keys(all).map((status) => {
      const contents = listContents(document, followMember(document, all, status));
      const members = contents.flatMap(({ schema }) => findFaultMembers(document, schema));
      const idNames = members.filter(({ role }) => role === 'request-id').map(({ name }) => name);
      const [only, ...others] = contents.map(({ mediaType }) => mediaType);
      const isOne = only !== undefined && others.length === 0 && !only.includes('*');
      const schemaOf = (type: string): unknown => contents.find((content) => content.mediaType === type)?.schema;
      return [status, { idNames, mediaType: isOne ? only : undeclaredBody.mediaType, schemaOf }];
    }),
  );
}

function fill(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
