import type { IncomingMessage } from 'node:http';
import type { Operation } from '@lockstep/contract/operations';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import { findCases, type ValueRule } from '@lockstep/runtime/form/by-value';
import type { CheckForm } from '@lockstep/runtime/form/check-form';
import { parseUrlEncoded } from '@lockstep/runtime/form/parse-url-encoded';
import { readTarget } from '@lockstep/runtime/message/read-target';
import { allowedMethods, type Placed, type Router } from '@lockstep/runtime/route-request';
import type { Answer } from './answer.ts';
import type { Authenticate } from './authenticate.ts';
import { chooseExample, preferenceNames, readPreferences } from './choose-example.ts';
import { ambientHeaders } from './contract/declared-response.ts';
import { formFault } from './fault/form-fault.ts';
import { methodFault, routeFault } from './fault/route-faults.ts';
import type { AnswerByExample } from './prism.ts';
import { readBody } from './request/read-body.ts';
import { requireScopes } from './require-scopes.ts';

/** An operation with all that is made of the contract for it at the start. */
export interface PlannedOperation extends Placed {
  readonly operation: Operation;
  readonly bodyLimitBytes: number;
  readonly checkForm: CheckForm;
  readonly rules: readonly ValueRule[];
}

/** The steps a request passes, each replaceable. */
export interface Steps {
  readonly document: ContractDocument;
  readonly router: Router<PlannedOperation>;
  /** Paths that a mistyped one is compared with. */
  readonly suggestions: readonly string[];
  readonly authenticate: Authenticate;
  /** Query names of API keys, known besides an operation's parameters. */
  readonly keyNames: ReadonlySet<string>;
  readonly answerByExample: AnswerByExample;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Set as soon as it is known: a fault after that is answered as this operation declares it. */
  operation?: Operation;
}

/**
 * Takes a request through the checks, in the order that decides which of several faults is answered: path, method,
 * credentials, scopes, body size and type, form, scopes that a value asks for; then the documented answer.
 *
 * @throws Fault from the first check that fails; RequestAborted when the caller is gone
 */
export async function answerRequest(steps: Steps, exchange: Exchange): Promise<Answer> {
  const { request, requestId } = exchange;
  const { path, queryText } = readTarget(request.url ?? '/');
  const method = request.method ?? 'GET';
  const match = steps.router.match(path);
  if (match === undefined) throw routeFault(method, path, steps.suggestions);

  const { operations } = match.route;
  const planned = operations.get(method.toLowerCase()) ?? (method === 'HEAD' ? operations.get('get') : undefined);
  if (planned === undefined) {
    const allowed = allowedMethods(match.route);
    if (method === 'OPTIONS') return answerOptions(steps.document, allowed, requestId);
    throw methodFault(method, allowed);
  }
  const { operation, rules, checkForm, bodyLimitBytes } = planned;
  exchange.operation = operation;

  const pairs = parseUrlEncoded(queryText);
  const query = pairs.filter(({ name }) => !preferenceNames.has(name));
  const { security } = operation;
  const grant = needsCredentials(operation)
    ? await steps.authenticate({ request, query, alternatives: security })
    : undefined;
  if (grant !== undefined) {
    const alternatives = security.map((alternative) => Object.values(alternative).flat());
    requireScopes(alternatives, grant);
  }

  const content = operation.requestBody?.content;
  const form = checkForm({
    rawPathValues: match.rawPathValues,
    body: content && (await readBody(request, content, bodyLimitBytes)),
    query: query.filter(({ name }) => !steps.keyNames.has(name)),
    headers: request.headersDistinct,
  });
  if (form.kind === 'faults') throw formFault(form.first, form.all);
  if (grant !== undefined) requireScopes([findCases(rules, form.request).flatMap(({ scopes }) => scopes)], grant);

  const preferences = readPreferences(request.headersDistinct.prefer?.join(','), pairs);
  return steps.answerByExample(operation, chooseExample(steps.document, operation, preferences), requestId);
}

/** No contract declares it: it carries what every answer outside an operation does. */
function answerOptions(document: ContractDocument, allowed: readonly string[], requestId: string): Answer {
  const headers = [
    ...Object.entries(ambientHeaders(document)),
    ['Allow', allowed.join(', ')],
    ['X-Request-Id', requestId],
  ] as const;
  return { status: 204, headers, body: null };
}

/** An alternative without schemes lets anyone in. */
function needsCredentials({ security }: Operation): boolean {
  return security.length > 0 && security.every((alternative) => Object.keys(alternative).length > 0);
}
