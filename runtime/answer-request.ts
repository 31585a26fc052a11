import type { IncomingMessage } from 'node:http';
import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { Answer, Exchange } from './exchange.ts';
import { checkMessage, readTarget } from './http-message.ts';
import type { Operation } from './operation.ts';
import { readBody } from './read-body.ts';
import { Rejection } from './rejection.ts';
import type { FindRoute, Placed } from './route-request.ts';
import { type Authenticate, createAuthentication, type SecurityOptions } from './security/authenticate.ts';
import { checkScopes } from './security/check-scopes.ts';
import { readScheme } from './security/scheme.ts';
import { findCases, readValueRules, type ValueRule } from './validation/by-value.ts';
import { type CheckRequest, createRequestCheck, type ParsedRequest } from './validation/check-request.ts';
import type { SchemaTools } from './validation/compile-schema.ts';
import { boundFaults } from './validation/detail.ts';
import { parseUrlEncoded } from './validation/parse-url-encoded.ts';

/** What a handler of any operation is: parsed request in, declared response out. The exchange is for layers that serve any contract. */
export type AnyHandler<Principal, Context extends Exchange<Principal>> = (
  request: ParsedRequest & { readonly principal: Principal | undefined; readonly requestId: string },
  exchange: Context,
) => Answer | Promise<Answer>;

/** An operation with all that is made of the contract for it at the start. */
export interface PlannedOperation<Principal, Context extends Exchange<Principal>> extends Placed {
  readonly operation: Operation;
  readonly authenticate: Authenticate<Principal>;
  readonly rules: readonly ValueRule[];
  readonly bodyLimitBytes: number;
  /** Names in a query that are known besides its parameters. */
  readonly foreignNames: ReadonlySet<string>;
  readonly checkRequest: CheckRequest;
  readonly handler: AnyHandler<Principal, Context>;
}

/** What a service adds to the order of checks, each in its place. */
export interface AddedSteps<Context> {
  /** It is known who asks. Whether they may at all: a trial, a locked account. */
  readonly authenticated?: (exchange: Context) => void | Promise<void>;
  /** They may ask this. Whether they still may: a quota, which does not count what was refused before. */
  readonly authorized?: (exchange: Context) => void | Promise<void>;
  /** The request matches the contract. A differential validation of it. */
  readonly formed?: (exchange: Context, parsed: ParsedRequest) => void | Promise<void>;
}

export interface Steps<Principal, Context extends Exchange<Principal>> {
  /** Whether the operation that a request names has a body to be read. */
  readonly takesBody: (request: IncomingMessage) => boolean;
  readonly findRoute: FindRoute<PlannedOperation<Principal, Context>>;
  readonly added: AddedSteps<Context>;
  readonly realm: string;
}

const defaultLimitBytes = 65_536;

/** Most bytes that the body of an operation may have: its own `x-body-limit`, else `usual`, which is 64 KiB when left out. */
export function bodyLimitBytes(
  { extensions: { 'x-body-limit': own } }: Pick<Operation, 'extensions'>,
  usual: number = defaultLimitBytes,
): number {
  return typeof own === 'number' ? own : usual;
}

/** @throws Error where a schema of the operation doesn't compile, or its security can't be kept */
export function planOperation<Principal, Context extends Exchange<Principal>>(
  tools: SchemaTools & { readonly isLazy: boolean; readonly bodyLimitBytes?: number | undefined },
  security: SecurityOptions<Principal>,
  operation: Operation,
  handler: AnyHandler<Principal, Context>,
  foreignNames: ReadonlySet<string>,
): PlannedOperation<Principal, Context> {
  const { method, basePath, path } = operation;
  return {
    method,
    basePath,
    path,
    operation,
    handler,
    authenticate: createAuthentication(security, operation),
    rules: readValueRules(operation),
    bodyLimitBytes: bodyLimitBytes(operation, tools.bodyLimitBytes),
    foreignNames: findForeignNames(tools.document, operation, foreignNames),
    checkRequest: tools.isLazy
      ? prepareWhenAsked(() => createRequestCheck(tools, operation))
      : createRequestCheck(tools, operation),
  };
}

function prepareWhenAsked(prepare: () => CheckRequest): CheckRequest {
  let prepared: CheckRequest | undefined;
  return (parts) => {
    prepared ??= prepare();
    return prepared(parts);
  };
}

/**
 * Takes a request through its checks. The order decides which of several faults is answered: an earlier check reveals less about the
 * account, costs less, or reads less of the request.
 *
 * @throws Rejection from the first check that fails; RequestAborted when the caller is gone; what an added step or the handler throws
 */
export async function answerRequest<Principal, Context extends Exchange<Principal>>(
  { takesBody, findRoute, added, realm }: Steps<Principal, Context>,
  exchange: Context,
): Promise<Answer> {
  const { request, requestId } = exchange;

  // 0. The message is good HTTP: 400.
  checkMessage(request, takesBody);

  // 1. The path is known, the method declared: 404, 405.
  const { path, queryText } = readTarget(request.url ?? '/');
  const query = queryText === '' ? [] : parseUrlEncoded(queryText);
  const route = findRoute(request.method ?? 'GET', path, query);
  if (route.kind === 'options') return { status: 204, headers: { Allow: route.allow } };
  const { operation, authenticate, rules, bodyLimitBytes, foreignNames, checkRequest, handler } = route.operation;
  exchange.operation = operation;

  // 2. The credentials are good: 401. Then whether the principal may send requests at all.
  const grants = await authenticate(request, query);
  const [first] = grants;
  if (first?.principal !== undefined) exchange.principal = first.principal;
  if (added.authenticated !== undefined) await added.authenticated(exchange);

  // 3. They have the scopes of the operation: 403. Then whether there is a quota left.
  const grant = checkScopes(grants, realm);
  if (grant.principal !== undefined && grant.principal !== first?.principal) {
    // The request acts for another than the first alternative found: whether that one may is asked too.
    exchange.principal = grant.principal;
    if (added.authenticated !== undefined) await added.authenticated(exchange);
  }
  if (added.authorized !== undefined) await added.authorized(exchange);

  // 4. Size, type, charset and coding of the body: 413, 415.
  const { requestBody } = operation;
  const body = requestBody === null ? undefined : await readBody(request, requestBody.content, bodyLimitBytes);

  // 5. The form: path, query and headers, body, and what its values ask for: 422, 400.
  const checked = checkRequest({
    rawPathValues: route.rawPathValues,
    query: foreignNames.size === 0 ? query : query.filter(({ name }) => !foreignNames.has(name)),
    headers: request.headersDistinct,
    body,
  });
  if (checked.kind === 'faults')
    throw new Rejection('form', { ...boundFaults(checked.first, checked.all), status: checked.first.status });
  const parsed = checked.request;
  if (added.formed !== undefined) await added.formed(exchange, parsed);

  // 6. The scopes that a value asks for: 403.
  if (rules.length > 0)
    checkScopes(
      [grant],
      realm,
      findCases(rules, parsed).flatMap(({ scopes }) => scopes),
    );

  // 7 and on: what the handler knows.
  return handler({ ...parsed, principal: grant.principal, requestId }, exchange);
}

/** The parameters that carry keys of this operation, pairs that its path is written with, and names of a layer around: none that the operation declares as its own. */
function findForeignNames(
  document: ContractDocument,
  { path, security, parameters }: Operation,
  around: ReadonlySet<string>,
): ReadonlySet<string> {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  const keys = security
    .flatMap((alternative) => Object.keys(alternative))
    .flatMap((name) => readScheme(followMember(document, schemes, name))?.queryName ?? []);
  const [, ...written] = path.split(/[?#]/);
  const fixed = written.flatMap((text) => parseUrlEncoded(text).map(({ name }) => name));
  const own = new Set(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name));
  return new Set([...keys, ...fixed, ...around]).difference(own);
}
