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

/** A handler of any operation: it gets the parsed request and returns a declared response. The exchange is for layers that serve any contract. */
export type AnyHandler<Principal, Context extends Exchange<Principal>> = (
  request: ParsedRequest & { readonly principal: Principal | undefined; readonly requestId: string },
  exchange: Context,
) => Answer | Promise<Answer>;

/** An operation with the checks that the runtime prepares for it. */
export interface PlannedOperation<Principal, Context extends Exchange<Principal>> extends Placed {
  readonly operation: Operation;
  readonly authenticate: Authenticate<Principal>;
  /** Of its challenges. */
  readonly realm: string;
  readonly rules: readonly ValueRule[];
  readonly bodyLimitBytes: number;
  /** Names in a query that need no declaration as its parameters. */
  readonly foreignNames: ReadonlySet<string>;
  readonly checkRequest: CheckRequest;
  readonly handler: AnyHandler<Principal, Context>;
}

/** Further checks of a service. If a step throws a Rejection, the request is rejected. */
export interface AddedSteps<Context> {
  /** After the credentials. Whether the principal may send requests at all: not with a locked account or an expired trial. */
  readonly authenticated?: (exchange: Context) => void | Promise<void>;
  /** After the scopes. Whether the principal has a quota left: it does not count requests that earlier steps reject. */
  readonly authorized?: (exchange: Context) => void | Promise<void>;
  /** After the validation against the contract: a differential validation. */
  readonly validated?: (exchange: Context, parsed: ParsedRequest) => void | Promise<void>;
}

export interface Steps<Principal, Context extends Exchange<Principal>> {
  /** Whether the operation of a request has a body. */
  readonly takesBody: (request: IncomingMessage) => boolean;
  readonly findRoute: FindRoute<PlannedOperation<Principal, Context>>;
  readonly added: AddedSteps<Context>;
}

const defaultLimitBytes = 65_536;

/** Maximum size of an operation's request body in bytes: its own `x-body-limit`, else `usual`, by default 64 KiB. */
export function bodyLimitBytes(
  { extensions: { 'x-body-limit': own } }: Pick<Operation, 'extensions'>,
  usual: number = defaultLimitBytes,
): number {
  return typeof own === 'number' ? own : usual;
}

/** @throws Error if a schema of the operation doesn't compile, or a security scheme has no check */
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
    realm: security.realm,
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
 * Checks a request and calls its handler. The order decides which of several faults is answered: an earlier check reveals less about the
 * account, costs less, or reads less of the request.
 *
 * @throws Rejection of the first check that fails; RequestAborted if the client disconnected; any error of an added step or the handler
 */
export async function answerRequest<Principal, Context extends Exchange<Principal>>(
  { takesBody, findRoute, added }: Steps<Principal, Context>,
  exchange: Context,
): Promise<Answer> {
  const { request, requestId } = exchange;

  // 0. The message is valid HTTP: 400.
  checkMessage(request, takesBody);

  // 1. The path and the method are declared: 404, 405.
  const { path, queryText } = readTarget(request.url ?? '/');
  const query = queryText === '' ? [] : parseUrlEncoded(queryText);
  const route = findRoute(request.method ?? 'GET', path, query);
  if (route.kind === 'options') return { status: 204, headers: { Allow: route.allow } };
  const { operation, authenticate, realm, rules, bodyLimitBytes, foreignNames, checkRequest, handler } =
    route.operation;
  exchange.operation = operation;

  // 2. The credentials are valid: 401. Then whether the principal may send requests at all.
  const grants = await authenticate(request, query);
  const [first] = grants;
  if (first?.principal !== undefined) exchange.principal = first.principal;
  if (added.authenticated !== undefined) await added.authenticated(exchange);

  // 3. The credentials have the scopes of the operation: 403. Then whether a quota is left.
  const grant = checkScopes(grants, realm);
  if (grant.principal !== undefined && grant.principal !== first?.principal) {
    // The scopes select another principal than the first alternative: step 2 is repeated for that one.
    exchange.principal = grant.principal;
    if (added.authenticated !== undefined) await added.authenticated(exchange);
  }
  if (added.authorized !== undefined) await added.authorized(exchange);

  // 4. Size, type, charset and coding of the body: 413, 415.
  const { requestBody } = operation;
  const body = requestBody === null ? undefined : await readBody(request, requestBody.content, bodyLimitBytes);

  // 5. Validation of path, query, headers and body, and the rules for single values: 422, 400.
  const checked = checkRequest({
    rawPathValues: route.rawPathValues,
    query: foreignNames.size === 0 ? query : query.filter(({ name }) => !foreignNames.has(name)),
    headers: request.headersDistinct,
    body,
  });
  if (checked.kind === 'faults')
    throw new Rejection('form', { ...boundFaults(checked.first, checked.all), status: checked.first.status });
  const parsed = checked.request;
  if (added.validated !== undefined) await added.validated(exchange, parsed);

  // 6. The scopes that values require: 403.
  if (rules.length > 0)
    checkScopes(
      [grant],
      realm,
      findCases(rules, parsed).flatMap(({ scopes }) => scopes),
    );

  // 7. Checks of the handler, which knows the account's data.
  return handler({ ...parsed, principal: grant.principal, requestId }, exchange);
}

/** Query names of API keys, of pairs in the path template, and of an outer layer, without those that the operation declares. */
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
