import type { ServerResponse } from 'node:http';
import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { CheckResponse } from './check-response.ts';
import type { Answer, Exchange, Outgoing, UndeclaredAnswer } from './exchange.ts';
import { isJsonType } from './form/parse-body.ts';
import type { Operation } from './operation.ts';
import { RequestAborted } from './read-bytes.ts';
import { listContents } from './refusal/declared-response.ts';
import { findFaultMembers } from './refusal/fault-members.ts';

export interface ReplyLog {
  error(context: object, text: string): void;
}

export interface ReplyOptions<Context> {
  readonly document: ContractDocument;
  readonly operations: readonly Operation[];
  /** Headers that every answer carries beside the id of its request. */
  readonly ambient: (exchange: Context) => Readonly<Record<string, string>>;
  /** Undefined where answers are trusted. */
  readonly checkResponse: CheckResponse | undefined;
  /** The answer to whatever was thrown. Never throws. */
  readonly answerError: (error: unknown, exchange: Context) => Answer | UndeclaredAnswer;
  /** Told of each answer before it leaves. */
  readonly answered: ((exchange: Context, answer: Answer) => void) | undefined;
  readonly logger: ReplyLog;
}

/** Makes an answer and sends it, or the answer to what was thrown instead. Never rejects: one way out for all. */
export type Reply<Context> = (
  exchange: Context,
  response: ServerResponse,
  make: () => Answer | Promise<Answer>,
) => Promise<void>;

export function createReply<Context extends Exchange>(options: ReplyOptions<Context>): Reply<Context> {
  const { ambient, checkResponse, answerError, answered, logger } = options;
  const nameRequestId = createIdLookup(options.document, options.operations);

  return async (exchange, response, make) => {
    try {
      write(response, check(exchange, await prepareMade(exchange, make)), exchange);
    } catch (error) {
      // The caller is gone, or what it would get can't be written as HTTP.
      if (!(error instanceof RequestAborted)) answerError(error, exchange);
      response.destroy();
    }
  };

  async function prepareMade(exchange: Context, make: () => Answer | Promise<Answer>): Promise<Prepared> {
    try {
      return prepare(exchange, await make());
    } catch (error) {
      if (error instanceof RequestAborted) throw error;
      return prepare(exchange, answerError(error, exchange));
    }
  }

  function prepare(exchange: Context, answer: Answer | UndeclaredAnswer): Prepared {
    answered?.(exchange, answer);
    const { requestId, operation } = exchange;
    const { status, mediaType, body } = answer;
    const idNames = status >= 400 ? nameRequestId(operation, status) : undefined;
    const whole = idNames === undefined || !isObject(body) ? body : { ...body, ...fill(idNames, requestId) };
    const headers: Record<string, string> = { ...ambient(exchange) };
    for (const name in answer.headers) {
      const value = answer.headers[name];
      if (value !== undefined) headers[name] = String(value);
    }
    // Last: the examples of a contract have an id too.
    headers['X-Request-Id'] = requestId;
    if (whole === undefined) return { answer, outgoing: { status, headers, mediaType: undefined, content: undefined } };
    const type = mediaType ?? 'application/json';
    headers['Content-Type'] = type;
    return { answer, outgoing: { status, headers, mediaType: type, content: serialize(whole, type) } };
  }

  /** What takes the place of a bad answer is not checked again, or there would be no end. */
  function check(exchange: Context, { answer, outgoing }: Prepared): Outgoing {
    const fault = 'isUndeclared' in answer ? undefined : checkResponse?.(exchange.operation, outgoing);
    if (fault === undefined) return outgoing;
    const { requestId, operation } = exchange;
    const context = { requestId, operationId: operation?.operationId, status: outgoing.status, ...fault };
    logger.error(context, 'the answer breaks the contract');
    return prepare(exchange, answerError(undefined, exchange)).outgoing;
  }

  /**
   * Writes an answer, the one place that does so. For HEAD Node leaves the content out and keeps its length. A header that HTTP can't
   * carry is left out and logged: it must not cost the caller the answer.
   */
  function write(response: ServerResponse, { status, headers, content }: Outgoing, { requestId }: Context): void {
    response.statusCode = status;
    for (const name in headers) {
      try {
        response.setHeader(name, headers[name] ?? '');
      } catch (error) {
        logger.error({ requestId, header: name, err: error }, 'a header is left out: HTTP cannot carry its value');
      }
    }
    if (status === 204 || status === 304) return void response.end();
    response.setHeader('Content-Length', content === undefined ? 0 : Buffer.byteLength(content));
    response.end(content);
  }
}

interface Prepared {
  readonly answer: Answer | UndeclaredAnswer;
  readonly outgoing: Outgoing;
}

/** JSON unless the type is something else and the value is text or bytes. */
function serialize(value: unknown, mediaType: string): string | Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'string' && !isJsonType(mediaType) ? value : JSON.stringify(value);
}

type NameRequestId = (operation: Operation | undefined, status: number) => readonly string[] | undefined;

/** Finds the members of an error that its contract marks for the id of the request (`x-fault`): handlers leave them out. */
function createIdLookup(document: ContractDocument, operations: readonly Operation[]): NameRequestId {
  const places = ['#/x-unrouted', ...operations.map(({ pointer }) => `${pointer}/responses`)];
  const names = new Map(places.map((place) => [place, readIdNames(document, place)]));
  return (operation, status) =>
    names.get(operation === undefined ? '#/x-unrouted' : `${operation.pointer}/responses`)?.get(String(status));
}

function readIdNames(document: ContractDocument, place: string): ReadonlyMap<string, readonly string[]> {
  const responses = readPointer(document, place);
  const all = isObject(responses) ? responses : {};
  const marked = Object.keys(all).map((status): [string, readonly string[]] => {
    const contents = listContents(document, followMember(document, all, status));
    const members = contents.flatMap(({ schema }) => findFaultMembers(document, schema));
    return [status, members.filter(({ role }) => role === 'request-id').map(({ name }) => name)];
  });
  return new Map(marked.filter(([, names]) => names.length > 0));
}

function fill(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
