import type { IncomingMessage } from 'node:http';
import { type ContractDocument, followMember, followRef, type JsonObject } from '@lockstep/json/json-pointer';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import type { Answer, Exchange, UndeclaredAnswer } from '@lockstep/runtime/exchange';
import { oncePerDocument } from '@lockstep/runtime/once-per-document';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { Rejection } from '@lockstep/runtime/rejection';
import { declaredRejection } from '@lockstep/runtime/rejection/declared-rejection';
import { findResponse, listContents, responseKeys } from '@lockstep/runtime/rejection/declared-response';
import { createSchemaCompiler } from '@lockstep/runtime/validation/compile-schema';
import { dropUnusable } from '@lockstep/runtime/validation/drop-unusable';
import { createJudge } from '@lockstep/runtime/validation/judge-value';
import { readDirection } from '@lockstep/runtime/validation/one-direction';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import type { ContractTools, StateOperation, StateResponse } from '@lockstep/state/contract-tools';
import { createState, type Memory, type MemoryOptions, type Role, type State } from '@lockstep/state/create-state';
import { createAnswers } from './answer-as-documented.ts';
import { createValueMaker } from './make-value.ts';
import { sampleParameter } from './sample-request.ts';
import { writeHeaders } from './write-headers.ts';

export type { Role } from '@lockstep/state/create-state';

type Handler = AnyHandler<object, Exchange<object>>;

/** Handlers that answer from a store in memory. */
export interface StatefulHandlers {
  /** By operationId, without the operations of the role `none`. */
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

/**
 * Creates handlers with a memory of their own. Answers that the contract allows no value for are the documented ones.
 *
 * @param memoryOf another memory for a request
 */
export function createStatefulHandlers(
  contract: ContractDocument,
  operations: OperationTable,
  options: MemoryOptions = { now: Date.now },
  memoryOf: (request: IncomingMessage) => Memory | undefined = () => undefined,
): StatefulHandlers {
  const { state, tools } = prepare(contract, operations);
  const memory = state.createMemory(options);
  const documented = createAnswers(contract);
  const active = state.roles.filter(({ role }) => role !== 'none');
  const handlers = active.flatMap(({ operationId }): readonly (readonly [string, Handler])[] => {
    const operation = operations[operationId];
    return operation === undefined ? [] : [[operationId, handlerOf(operation)]];
  });
  return {
    handlers: Object.fromEntries(handlers),
    roles: state.roles,
    memory,
    createMemory: state.createMemory,
  };

  function handlerOf(operation: Operation): Handler {
    const contents = tools.responsesOf(operation).find(({ status }) => status < 300)?.contents ?? [];
    const otherTypes = contents.map(({ mediaType }) => mediaType).filter((mediaType) => !isJsonType(mediaType));
    return ({ path, query, body, mediaType, requestId }, { request }) => {
      const { accept } = request.headers;
      const asDocumented = (code?: number): Promise<Answer> =>
        documented(operation, { dynamic: false, ...(code !== undefined && { code }) }, { requestId, accept });
      if (prefersOther(accept, otherTypes)) return asDocumented();
      const { answer, prefix } = memoryOf(request) ?? memory;
      const found = answer(operation.operationId, {
        path,
        query,
        body,
        mediaType,
        headers: request.headers,
        url: prefix + (request.url ?? '/'),
        origin: originOf(request),
      });
      if (found === undefined) return asDocumented();
      if (found.kind === 'full') return describeFull(found.text);
      if (found.kind === 'rejected') return reject(operation, found, requestId, asDocumented);
      const { status, headers, mediaType: type, body: shown } = found;
      const response = findResponse(tools.document, operation.pointer, status)?.node ?? {};
      return {
        status,
        headers: mergeHeaders(writeHeaders(tools, response, undefined), mapLocation(headers, prefix)),
        mediaType: type,
        body: shown,
      };
    };
  }

  /** The documented answer, with a text for this request where its body has a place for one. */
  function reject(
    { pointer }: Operation,
    { statuses, text }: { readonly statuses: readonly number[]; readonly text: string },
    requestId: string,
    asDocumented: (code: number) => Promise<Answer>,
  ): Answer | UndeclaredAnswer | Promise<Answer> {
    const { document } = tools;
    const keys = new Set(responseKeys(document, pointer));
    const isDeclared = (status: number): boolean =>
      keys.has(String(status)) || keys.has(`${Math.floor(status / 100)}XX`);
    const [usual = 404] = statuses;
    const status = statuses.find(isDeclared) ?? (keys.has('default') ? usual : (firstRejection(keys) ?? usual));
    const response = findResponse(document, pointer, status);
    const kind = status === 409 ? 'conflict' : statuses.includes(404) ? 'not_found' : 'form';
    const rejection = new Rejection(kind, { text, status });
    const compile = createSchemaCompiler(document);
    const answer = declaredRejection({ document, compile, pointer, requestId, fillsFromExamples: true }, rejection);
    return response !== undefined && 'isUndeclared' in answer ? asDocumented(status) : answer;
  }
}

/** The lowest documented 4xx that is about neither credentials nor frequency. */
function firstRejection(keys: ReadonlySet<string>): number | undefined {
  const statuses = [...keys].filter((key) => /^4\d\d$/.test(key)).map(Number);
  return statuses.filter((status) => ![401, 402, 403, 405, 406, 415, 429].includes(status)).sort((a, b) => a - b)[0];
}

/** RFC 4918, 11.5. No contract declares it, so its body is problem details. */
function describeFull(text: string): UndeclaredAnswer {
  const detail = `${text}; delete items, or reset the mock`;
  const body = { type: 'about:blank', title: 'Insufficient Storage', status: 507, detail };
  return { status: 507, mediaType: 'application/problem+json', body, isUndeclared: true };
}

/** Whether a client accepts another documented type and not JSON. RFC 9110, 12.5.1: a server may disregard `Accept` if no type fits. */
function prefersOther(accept: string | undefined, otherTypes: readonly string[]): boolean {
  if (accept === undefined || /json|\*\/\*|application\/\*/i.test(accept)) return false;
  const ranges = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return otherTypes.some((mediaType) => {
    const [essence = ''] = mediaType.toLowerCase().split(';', 1);
    return ranges.includes(essence) || ranges.includes(`${essence.split('/', 1)[0]}/*`);
  });
}

function originOf({ headers: { host } }: IncomingMessage): string {
  return `http://${host ?? 'localhost'}`;
}

/** `Location` is the path of an item, without the prefix of its memory. */
function mapLocation(headers: Readonly<Record<string, string>>, prefix: string): Readonly<Record<string, string>> {
  const place = ([name, value]: [string, string]): [string, string] =>
    name.toLowerCase() === 'location' ? [name, prefix + value] : [name, value];
  return prefix === '' ? headers : Object.fromEntries(Object.entries(headers).map(place));
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

/** Without a success, `default` describes one (OpenAPI 3.1, 4.8.16.1). A range means its first status. */
function readResponses(document: ContractDocument, pointer: string): readonly StateResponse[] {
  const keys = responseKeys(document, pointer);
  const ofDefault = keys.some((key) => /^[23]/.test(key)) ? 500 : 200;
  const statuses = keys.flatMap((key) => {
    if (key === 'default') return [ofDefault];
    return /^[1-5](?:\d\d|XX)$/i.test(key) ? [Number(key.replace(/XX$/i, '00'))] : [];
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
    examples: examples.map(({ value }) => value),
  }));
  return { status, contents, headers: resolve('headers'), links: resolve('links') };
}
