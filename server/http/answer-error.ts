import { type ContractDocument, followMember, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { Answer, UndeclaredAnswer } from '@lockstep/runtime/exchange';
import type { Operation } from '@lockstep/runtime/operation';
import { Rejection, type RejectionName } from '@lockstep/runtime/rejection';
import type { Logger } from 'pino';
import { type ErrorCode, errorCatalogue, RequestRejected, reject } from '../error-catalogue.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { ServiceExchange } from './exchange.ts';

/** The code of each rejection of the runtime. Steps of this service that reject a request name their code themselves. */
const codes = {
  route_unknown: 'route_not_found',
  method_not_allowed: 'method_not_allowed',
  credentials_missing: 'token_missing',
  credentials_invalid: 'token_invalid',
  credentials_expired: 'token_expired',
  credentials_revoked: 'token_revoked',
  payment_required: 'trial_ended',
  scope_missing: 'insufficient_scope',
  too_many_requests: 'account_quota',
  body_too_large: 'too_large',
  body_type: 'unsupported_media_type',
  form: 'invalid_request',
  // Handlers of this service name these codes themselves.
  not_found: 'internal',
  conflict: 'internal',
  unavailable: 'unavailable',
  // Every operation has a handler, so this is a bug.
  unimplemented: 'internal',
  internal: 'internal',
} as const satisfies Readonly<Record<RejectionName, ErrorCode>>;

/** `Retry-After` when the store is busy: its transactions take milliseconds. */
const retryAfterSeconds = 1;

type AnswerError = (error: unknown, exchange: ServiceExchange) => Answer | UndeclaredAnswer;

/**
 * Creates the function that answers a thrown error. Anything but a rejection or a busy store is a bug: it is logged once, and the answer
 * contains nothing of it.
 *
 * @throws Error when a parameter has its own status (`x-invalid-status`) and the operation declares no code of the catalogue for that status
 */
export function createErrorAnswers(
  document: ContractDocument,
  operations: readonly Operation[],
  logger: Logger,
): AnswerError {
  const ownCodes = new Map(operations.map((operation) => [operation.pointer, readOwnCodes(document, operation)]));
  return (error, exchange) => {
    const answer = answerThrown(error, exchange);
    // The contract declares no answers outside the resource API.
    return exchange.mount === undefined
      ? answer
      : { ...answer, body: { ...(answer.body as object), requestId: exchange.requestId }, isUndeclared: true };
  };

  function answerThrown(error: unknown, { requestId, operation }: ServiceExchange): Answer {
    if (error instanceof RequestRejected) return error.response;
    if (error instanceof Rejection) {
      const own = error.status === undefined ? undefined : ownCodes.get(operation?.pointer ?? '')?.get(error.status);
      return rejectAs(own ?? codes[error.kind], error);
    }
    const context = { requestId, operationId: operation?.operationId, err: error };
    if (error instanceof StoreUnavailable) {
      logger.warn(context, 'the store is unavailable');
      return reject('unavailable', { headers: { 'Retry-After': retryAfterSeconds } });
    }
    // `error` is undefined for an answer that violates the contract, which the runtime has logged.
    if (error !== undefined) logger.error(context, 'internal error');
    return reject('internal');
  }
}

function rejectAs(code: ErrorCode, { message: text, details, headers, challenge }: Rejection): Answer {
  const challenged = challenge === undefined ? headers : { 'WWW-Authenticate': challenge, ...headers };
  const isDetailed = errorCatalogue[code].status === 400;
  const hasHeaders = Object.keys(challenged).length > 0;
  // The catalogue lists the options of each code, and a rejection of that kind has them.
  const make = reject as (code: ErrorCode, options: object) => Answer;
  return make(code, { text, ...(isDetailed ? { details } : {}), ...(hasHeaders ? { headers: challenged } : {}) });
}

/** Codes by `x-invalid-status` of the operation's parameters. */
function readOwnCodes(document: ContractDocument, operation: Operation): ReadonlyMap<number, ErrorCode> {
  const statuses = operation.parameters.flatMap(({ invalidStatus }) => invalidStatus ?? []);
  return new Map(statuses.map((status) => [status, findCode(document, operation, status)]));
}

function findCode(document: ContractDocument, { operationId, pointer }: Operation, status: number): ErrorCode {
  const responses = readPointer(document, `${pointer}/responses`);
  const declared = followMember(document, isObject(responses) ? responses : {}, String(status))['x-error-codes'];
  const code = (Array.isArray(declared) ? declared : []).find(isErrorCode);
  if (code !== undefined && errorCatalogue[code].status === status) return code;
  throw new Error(`${operationId}: no error code for a parameter's x-invalid-status ${status}`);
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}
