import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';
import type { Authenticate } from './authenticate.ts';
import { chooseExample, preferenceNames, readPreferences } from './choose-example.ts';
import type { Operation } from './contract/operation.ts';
import type { ContractDocument } from './contract/read-pointer.ts';
import { methodFault, routeFault } from './fault/route-faults.ts';
import type { AnswerByExample } from './prism.ts';
import { parseUrlEncoded } from './request/parse-url-encoded.ts';
import { readBody } from './request/read-body.ts';
import { readTarget } from './request/read-target.ts';
import { allowedMethods, type Router } from './request/route-request.ts';
import type { ValidateRequest } from './request/validate-request.ts';

/** The steps a request passes, each replaceable. */
export interface Steps {
  readonly document: ContractDocument;
  readonly router: Router;
  readonly authenticate: Authenticate;
  readonly validate: ValidateRequest;
  readonly answerByExample: AnswerByExample;
  readonly bodyLimitBytes: (operation: Operation) => number;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Set as soon as it is known: a fault after that is answered as this operation declares it. */
  operation?: Operation;
}

/**
 * Takes a request through the checks, in the order that decides which of several faults is answered: path, method,
 * credentials, body size and type, form; then the documented answer.
 *
 * @throws Fault from the first check that fails; RequestAborted when the caller is gone
 */
export async function answerRequest(steps: Steps, exchange: Exchange): Promise<Answer> {
  const { request, requestId } = exchange;
  const { path, queryText } = readTarget(request.url ?? '/');
  const method = request.method ?? 'GET';
  const match = steps.router.match(path);
  if (match === undefined) throw routeFault(method, path, steps.router.templates);

  const { operations } = match.route;
  const declared = operations.get(method.toLowerCase());
  const operation = declared ?? (method === 'HEAD' ? operations.get('get') : undefined);
  if (operation === undefined) {
    const allowed = allowedMethods(match.route);
    if (method === 'OPTIONS') return answerOptions(allowed, requestId);
    throw methodFault(method, allowed);
  }
  exchange.operation = operation;

  const pairs = parseUrlEncoded(queryText);
  const query = pairs.filter(({ name }) => !preferenceNames.has(name));
  if (needsCredentials(operation)) await steps.authenticate({ request, query, alternatives: operation.security });

  const content = operation.requestBody?.content;
  const body = content && (await readBody(request, content, steps.bodyLimitBytes(operation)));
  steps.validate(operation, { request, rawPathValues: match.rawPathValues, query, body });

  const preferences = readPreferences(request.headersDistinct.prefer?.join(','), pairs);
  return steps.answerByExample(operation, chooseExample(steps.document, operation, preferences), requestId);
}

function answerOptions(allowed: readonly string[], requestId: string): Answer {
  const headers = [
    ['Allow', allowed.join(', ')],
    ['X-Request-Id', requestId],
  ] as const;
  return { status: 204, headers, body: null };
}

/** An alternative without schemes lets anyone in. */
function needsCredentials({ security }: Operation): boolean {
  return security.length > 0 && security.every((alternative) => Object.keys(alternative).length > 0);
}
