import type { Operation } from '@lockstep/contract/operations';
import { readValueRules, type ValueRule } from '@lockstep/runtime/form/by-value';
import { type CheckForm, createFormCheck, type ParsedRequest } from '@lockstep/runtime/form/check-form';
import type { FormTools } from '@lockstep/runtime/form/form-tools';
import { parseUrlEncoded } from '@lockstep/runtime/form/parse-url-encoded';
import { readTarget } from '@lockstep/runtime/message/read-target';
import type { Placed } from '@lockstep/runtime/route-request';
import type { Clock } from '../clock.ts';
import { type CountRequest, checkQuota } from './account-quota.ts';
import type { AskValidator } from './ask-validator.ts';
import type { Authenticate } from './authenticate.ts';
import { bodyLimitBytes } from './body-limit.ts';
import { checkScopes, checkValueScopes } from './check-scopes.ts';
import { checkTrial } from './check-trial.ts';
import type { Answer, Exchange } from './exchange.ts';
import type { FindRoute } from './find-route.ts';
import { readBody } from './read-body.ts';
import { createFormRefusal, type RefuseForm } from './refuse-form.ts';

/** What a handler of any operation is: parsed request in, declared response out. */
export type AnyHandler = (
  request: ParsedRequest & { readonly principal: unknown; readonly requestId: string },
) => Answer | Promise<Answer>;

/** An operation with all that is made of the contract for it at the start. */
export interface PlannedOperation extends Placed {
  readonly operation: Operation;
  readonly rules: readonly ValueRule[];
  readonly checkForm: CheckForm;
  readonly refuseForm: RefuseForm;
  readonly handler: AnyHandler;
}

export interface Steps {
  readonly clock: Clock;
  readonly findRoute: FindRoute<PlannedOperation>;
  readonly authenticate: Authenticate;
  readonly countRequest: CountRequest;
  readonly askValidator: AskValidator;
}

/** @throws Error where a schema of the operation doesn't compile */
export function planOperation(tools: FormTools, operation: Operation, handler: AnyHandler): PlannedOperation {
  const { method, basePath, path } = operation;
  return {
    method,
    basePath,
    path,
    operation,
    handler,
    rules: readValueRules(operation),
    checkForm: createFormCheck(tools, operation),
    refuseForm: createFormRefusal(tools.document, operation),
  };
}

/**
 * Takes a request through its checks. The order decides which of several faults is answered, and is the contract's: what
 * stands further up tells less about the account, costs less, or reads less of the request.
 *
 * @throws Refused from the first check that fails; RequestAborted when the caller is gone
 */
export async function answerRequest(steps: Steps, exchange: Exchange): Promise<Answer> {
  const { request } = exchange;
  const { path: rawPath, queryText } = readTarget(request.url ?? '/');

  // 1. The path is known, the method declared: 404, 405.
  const route = steps.findRoute(request.method ?? 'GET', rawPath);
  if (route.kind === 'options') return { status: 204, headers: { Allow: route.allow } };
  const { operation, rules, checkForm, refuseForm, handler } = route.operation;
  exchange.operation = operation;

  // 2. The token is valid: 401.
  const principal = await steps.authenticate(request);
  exchange.principal = principal;

  // 3. The trial runs, or the account is subscribed: 402.
  checkTrial(principal, steps.clock);

  // 4. The token has the scope of the operation: 403.
  checkScopes(operation, principal);

  // 5. The account's quota: 429. What was refused up to here does not count; what is refused from here on does.
  exchange.quota = await steps.countRequest(principal);
  checkQuota(exchange.quota);

  // 6. Size, type, charset and coding of the body: 413, 415.
  const { requestBody } = operation;
  const types = Object.keys(requestBody?.content ?? {});
  const body = requestBody === null ? undefined : await readBody(request, types, bodyLimitBytes(operation));

  // 7. The form: path, query and headers, body, and what its values ask for: 422, 400. Then the second opinion.
  const query = parseUrlEncoded(queryText);
  const form = checkForm({ rawPathValues: route.rawPathValues, query, headers: request.headersDistinct, body });
  if (form.kind === 'faults') throw refuseForm(form.first, form.all);
  const parsed = form.request;
  const target = `${rawPath}${queryText === '' ? '' : `?${queryText}`}`;
  const objections = await steps.askValidator(operation, { target, headers: request.headers, query, parsed });
  const [objection] = objections;
  if (objection !== undefined) throw refuseForm(objection, objections);

  // 8. The scopes that a value asks for: 403.
  checkValueScopes(rules, parsed, principal);

  // 9 and on: what the store knows. The handler's.
  return handler({ ...parsed, principal, requestId: exchange.requestId });
}
