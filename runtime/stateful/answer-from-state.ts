import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type ContractDocument, followMember, followRef, type JsonObject } from '@lockstep/json/json-pointer';
import {
  type ContractTools,
  jsonContentOf,
  type StateOperation,
  type StateResponse,
} from '@lockstep/state/contract-tools';
import {
  createState,
  type Memory,
  type MemoryOptions,
  type Role,
  type State,
  type Store,
} from '@lockstep/state/create-state';
import { prefersOther } from '../accepted-type.ts';
import type { AnyHandler } from '../answer-request.ts';
import type { Answer, Exchange, UndeclaredAnswer } from '../exchange.ts';
import { oncePerDocument } from '../once-per-document.ts';
import type { Operation, OperationTable } from '../operation.ts';
import { declaredRejection, reasonHeader } from '../rejection/declared-rejection.ts';
import { findResponse, listContents, responseKeys } from '../rejection/declared-response.ts';
import { notImplemented, Rejection } from '../rejection.ts';
import { createSchemaCompiler } from '../validation/compile-schema.ts';
import { dropUnusable } from '../validation/drop-unusable.ts';
import { createJudge } from '../validation/judge-value.ts';
import { readDirection } from '../validation/one-direction.ts';
import { isJsonType } from '../validation/parse-body.ts';
import { readXml } from '../validation/parse-xml.ts';
import { isXmlType } from '../validation/xml-shape.ts';
import { createValueMaker } from './make-value.ts';
import { unlessModified } from './not-modified.ts';
import { sampleParameter } from './sample-value.ts';
import { writeHeaders } from './write-headers.ts';

export type { Role } from '@lockstep/state/create-state';

type Handler = AnyHandler<object, Exchange<object>>;

/**
 * Answers as documented, where no value from the store is allowed.
 *
 * @param code the status; the success if it is undefined
 */
export type AnswerOtherwise = (
  operation: Operation,
  code: number | undefined,
  request: { readonly requestId: string; readonly accept: string | undefined },
) => Promise<Answer>;

export interface StatefulOptions extends MemoryOptions {
  /** Where items are kept; by default in memory. */
  readonly store?: Store | undefined;
  /** Another memory for a request. */
  readonly memoryOf?: (request: IncomingMessage) => Memory | undefined;
  /** By default such a request is rejected as not implemented, and a body of a rejection is made of its schema. */
  readonly otherwise?: AnswerOtherwise;
}

/** Handlers that answer from a store in memory. */
export interface StatefulHandlers {
  /** By operationId, without the operations of the role `none` that answer no pages. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly roles: readonly Role[];
  readonly memory: Memory;
  /** Another memory of the same contract. */
  readonly createMemory: State['createMemory'];
}

/** The role of each operation, as `lockstep mock --explain` prints them. */
export function explainRoles(contract: ContractDocument, operations: OperationTable): readonly Role[] {
  return prepare(contract, operations).state.roles;
}

/** The roles where nothing answers as documented: an operation whose success is neither JSON nor XML has none, as it could not show its change. */
export function explainStored(contract: ContractDocument, operations: OperationTable): readonly Role[] {
  const { state, tools } = prepare(contract, operations);
  return state.roles.map((role) => {
    const operation = operations[role.operationId];
    const success = operation && tools.responsesOf(operation).find(({ status }) => status < 300);
    const isShown = success === undefined || success.contents.length === 0 || jsonContentOf(success) !== undefined;
    if (role.role === 'below') return { operationId: role.operationId, role: 'none', why: role.why };
    if (role.role === 'none' || isShown) return role;
    return { operationId: role.operationId, role: 'none', why: 'its answer is neither JSON nor XML' };
  });
}

/** Creates handlers with a memory of their own. */
export function createStatefulHandlers(
  contract: ContractDocument,
  operations: OperationTable,
  { store, memoryOf = () => undefined, otherwise, ...options }: StatefulOptions = { now: Date.now },
): StatefulHandlers {
  const { state, tools } = prepare(contract, operations);
  const memory = state.createMemory(options);
  const own = store === undefined ? memory : { answer: state.answerFrom(store, options), prefix: '' };
  const roles = otherwise === undefined ? explainStored(contract, operations) : state.roles;
  const handlers = roles.flatMap(({ operationId, role }): readonly (readonly [string, Handler])[] => {
    const operation = operations[operationId];
    if (operation === undefined) return [];
    const isPaged = otherwise !== undefined && state.documentedPage.isPaged(operation);
    return role !== 'none' || isPaged ? [[operationId, handlerOf(operation)]] : [];
  });
  return {
    handlers: Object.fromEntries(handlers),
    roles,
    memory,
    createMemory: state.createMemory,
  };

  function handlerOf(operation: Operation): Handler {
    const contents = tools.responsesOf(operation).find(({ status }) => status < 300)?.contents ?? [];
    const otherTypes = contents
      .map(({ mediaType }) => mediaType)
      .filter((type) => !isJsonType(type) && !isXmlType(type));
    const isUnchangedDeclared = responseKeys(tools.document, operation.pointer).includes('304');
    const documentedHeaders = new Map<number, Readonly<Record<string, string>>>();
    const headersOf = (status: number): Readonly<Record<string, string>> => {
      const known = documentedHeaders.get(status);
      if (known !== undefined) return known;
      const response = findResponse(tools.document, operation.pointer, status)?.node ?? {};
      const headers = writeHeaders(tools, response, undefined);
      documentedHeaders.set(status, headers);
      return headers;
    };
    const respond: Handler = async (
      { path, query, headers: declared, body, mediaType, principal, requestId },
      exchange,
    ) => {
      // A handler of a project that calls this one has no exchange.
      const request = (exchange as typeof exchange | undefined)?.request;
      const sent: JsonObject = request?.headers ?? declared;
      const accept = typeof sent.accept === 'string' ? sent.accept : undefined;
      const asDocumented = async (code?: number): Promise<Answer> =>
        otherwise === undefined
          ? notImplemented(undefined, { operation })
          : otherwise(operation, code, { requestId, accept });
      if (otherwise !== undefined && prefersOther(accept, otherTypes)) return asDocumented();
      const { answer, prefix } = (request && memoryOf(request)) ?? own;
      const url = prefix + (request?.url ?? targetOf(operation, path, query));
      const target = { query, url, origin: `http://${sent.host ?? 'localhost'}` };
      const found = answer(operation.operationId, {
        path,
        body,
        mediaType,
        caller: principal,
        headers: sent,
        ...target,
      });
      if (found === undefined) {
        const whole = await asDocumented();
        return { ...whole, body: state.documentedPage.cut(operation, target, whole.body) };
      }
      if (found.kind === 'full') return describeProblem(507, `${found.text}; delete some items`);
      if (found.kind === 'rejected') return reject(operation, found, { requestId, accept }, asDocumented);
      const { status, headers, mediaType: type, body: shown } = found;
      const documented = headersOf(status);
      return {
        status,
        headers: mergeHeaders(documented, mapLocation(headers, documented, { prefix, origin: target.origin })),
        mediaType: type && acceptedType(tools.responsesOf(operation), status, accept, type),
        body: shown,
      };
    };
    return async (parsed, exchange) => {
      const sent: JsonObject = (exchange as typeof exchange | undefined)?.request.headers ?? parsed.headers;
      const declared = isUnchangedDeclared ? headersOf(304) : {};
      return unlessModified(operation.method, sent['if-none-match'], await respond(parsed, exchange), declared);
    };
  }

  function makeValueOf(schema: unknown): unknown {
    const made = tools.makeValue(schema);
    return made.kind === 'value' ? made.value : undefined;
  }

  /** The documented answer, with a text for this request where its body has a place for one. */
  async function reject(
    { pointer }: Operation,
    { statuses, text }: { readonly statuses: readonly number[]; readonly text: string },
    request: { readonly requestId: string; readonly accept: string | undefined },
    asDocumented: (code: number) => Promise<Answer>,
  ): Promise<Answer | UndeclaredAnswer> {
    const { document } = tools;
    const keys = new Set(responseKeys(document, pointer));
    const isDeclared = (status: number): boolean =>
      keys.has(String(status)) || keys.has(`${Math.floor(status / 100)}XX`);
    const [usual = 404] = statuses;
    // RFC 9110, 13.1.1 has no other status for it, documented or not.
    if (usual === 412 && !isDeclared(412) && !keys.has('default')) return describeProblem(412, text);
    const isUnknown = statuses.includes(404);
    const responseOf = (code: number) => findResponse(document, pointer, code);
    const isOfMissing = (code: number): boolean => /not[\s_-]?found/i.test(String(responseOf(code)?.node.description));
    const others = otherRejections(keys, isUnknown);
    const first = others.find((code) => isUnknown && isOfMissing(code)) ?? others[0];
    const status = statuses.find(isDeclared) ?? (keys.has('default') ? usual : (first ?? usual));
    const response = responseOf(status);
    const kind = status === 409 ? 'conflict' : isUnknown ? 'not_found' : 'form';
    const rejection = new Rejection(kind, { text, status });
    const compile = createSchemaCompiler(document);
    const context = { document, compile, pointer, ...request, fillsFromExamples: true, makeBody: makeValueOf };
    const answer = declaredRejection(context, rejection);
    const isUnfit = response !== undefined && 'isUndeclared' in answer;
    if (!isUnfit || otherwise === undefined) return answer;
    const documented = await asDocumented(status).catch((error: unknown): undefined => {
      // Its schema allows no value: the request would be answered 500.
      if (!(error instanceof Rejection)) throw error;
    });
    if (documented === undefined) return answer;
    return { ...documented, headers: { ...documented.headers, ...reasonHeader(rejection) }, rejection };
  }
}

/** Rejections about credentials, payment, methods, media types, sizes or frequency: for an unknown item they mislead a client. */
const misleading: ReadonlySet<number> = new Set([401, 402, 405, 406, 407, 408, 413, 414, 415, 429, 431]);

/** Rejections about an item that a client does not have: it would forget one that exists. */
const ofUnknown: ReadonlySet<number> = new Set([403, 404, 410]);

/** The other 4xx that are documented, by ascending status. 403 is the last one. */
function otherRejections(keys: ReadonlySet<string>, isUnknown: boolean): readonly number[] {
  const statuses = [...keys].filter((key) => /^4\d\d$/.test(key)).map(Number);
  const rank = (status: number): number => (status === 403 ? 500 : status);
  return statuses
    .filter((status) => !misleading.has(status) && (isUnknown || !ofUnknown.has(status)))
    .sort((a, b) => rank(a) - rank(b));
}

/** Problem details (RFC 9457) with a status that no contract declares, such as 507 (RFC 4918, 11.5). */
function describeProblem(status: number, detail: string): UndeclaredAnswer {
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
  return { status, mediaType: 'application/problem+json', body, isUndeclared: true };
}

/** The documented XML where a client accepts that and not JSON, else the usual type. */
function acceptedType(
  responses: readonly StateResponse[],
  status: number,
  accept: string | undefined,
  usual: string,
): string {
  const contents = responses.find((response) => response.status === status)?.contents ?? [];
  const other = contents.find(({ mediaType }) => isXmlType(mediaType) && prefersOther(accept, [mediaType]));
  return other?.mediaType ?? usual;
}

/** Path and query of a request. */
function targetOf({ basePath, path }: Operation, values: JsonObject, query: JsonObject): string {
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return `${basePath}${filled}?${new URLSearchParams(pairs)}`;
}

/**
 * `Location` is the path of an item, without the prefix of its memory. It gets an origin where the documented one has one: its format may
 * be `uri`.
 */
function mapLocation(
  headers: Readonly<Record<string, string>>,
  documented: Readonly<Record<string, string>>,
  { prefix, origin }: { readonly prefix: string; readonly origin: string },
): Readonly<Record<string, string>> {
  const isAbsolute = (name: string): boolean => /^https?:/i.test(documented[name] ?? '');
  const place = ([name, value]: [string, string]): [string, string] =>
    name.toLowerCase() === 'location' ? [name, (isAbsolute(name) ? origin : '') + prefix + value] : [name, value];
  return Object.fromEntries(Object.entries(headers).map(place));
}

/** Names differ in case only. */
function mergeHeaders(
  documented: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const others = Object.entries(documented).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(others), ...own };
}

interface Prepared {
  readonly state: State;
  readonly tools: ContractTools & Parameters<typeof writeHeaders>[0];
}

const prepared = oncePerDocument(() => new WeakMap<OperationTable, Prepared>());

/** The inference depends only on the contract: all mocks of a process share it. */
function prepare(contract: ContractDocument, operations: OperationTable): Prepared {
  const known = prepared(contract).get(operations) ?? read(contract, operations);
  prepared(contract).set(operations, known);
  return known;
}

function read(contract: ContractDocument, operations: OperationTable): Prepared {
  const document = readDirection(dropUnusable(contract).document, 'response');
  const judge = createJudge(document);
  const makeValue = createValueMaker(document, judge, 'response');
  const responses = new Map<string, readonly StateResponse[]>();
  const tools = {
    document,
    operations: Object.values(operations),
    judge,
    makeValue,
    responsesOf: ({ pointer }: StateOperation): readonly StateResponse[] => {
      const found = responses.get(pointer) ?? readResponses(document, pointer);
      responses.set(pointer, found);
      return found;
    },
    sampleParameter: (operation: StateOperation, name: string): unknown => {
      const own = operations[operation.operationId]?.parameters;
      const parameter = own?.find((one) => one.in === 'path' && one.name === name);
      return parameter === undefined ? undefined : sampleParameter(contract, parameter);
    },
  };
  return { state: createState(tools), tools };
}

/**
 * Without a success, `default` describes one (OpenAPI 3.1, 4.8.16.1). A range means its first status. 1xx is no final answer (RFC 9110,
 * 15.2): a client waits for another one.
 */
function readResponses(document: ContractDocument, pointer: string): readonly StateResponse[] {
  const keys = responseKeys(document, pointer);
  const ofDefault = keys.some((key) => /^[23]/.test(key)) ? 500 : 200;
  const statuses = keys.flatMap((key) => {
    if (key === 'default') return [ofDefault];
    return /^[2-5](?:\d\d|XX)$/i.test(key) ? [Number(key.replace(/XX$/i, '00'))] : [];
  });
  return [...new Set(statuses)]
    .sort((a, b) => a - b)
    .flatMap((status) => {
      const node = findResponse(document, pointer, status)?.node;
      return node === undefined ? [] : [describeResponse(document, status, node)];
    });
}

function describeResponse(document: ContractDocument, status: number, node: JsonObject): StateResponse {
  const resolve = (member: string): Readonly<Record<string, JsonObject>> =>
    Object.fromEntries(
      Object.entries(followMember(document, node, member)).map(([name, one]) => [name, followRef(document, one)]),
    );
  const contents = listContents(document, node).map(({ examples, ...content }) => ({
    ...content,
    examples: examples.map(({ value }) =>
      isXmlType(content.mediaType) ? readXml(document, content.schema, value) : value,
    ),
  }));
  return { status, contents, headers: resolve('headers'), links: resolve('links') };
}
