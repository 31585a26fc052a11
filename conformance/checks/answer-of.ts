import { type ResponseObject, responseFor } from '../contract/contract.ts';
import type { Answer, NumberedExchange } from '../execute/exchange.ts';

export interface Answered {
  readonly answer: Answer;
  /** What the contract says about this status; undefined where it says nothing. */
  readonly response: ResponseObject | undefined;
}

const gatewayStatuses = new Set([413, 414, 429, 431, 502, 503, 504]);

/** The answer of an exchange that has one, with its place in the contract. */
export function answerOf({ outcome, operation }: NumberedExchange): Answered | undefined {
  if (outcome.kind === 'none') return undefined;
  const response = responseFor(operation, outcome.status);
  // A range or `default` speaks for the server; these may come from whatever stands in front of it.
  const isGateways = gatewayStatuses.has(outcome.status) && response?.status !== String(outcome.status);
  return { answer: outcome, response: isGateways ? undefined : response };
}

/** HEAD, 1xx, 204, 205 and 304 have no content, whatever is declared (RFC 9110, 6.4.1). */
export function hasContent({ request, outcome }: NumberedExchange): boolean {
  if (outcome.kind === 'none' || request.method === 'HEAD') return false;
  return !(outcome.status < 200 || [204, 205, 304].includes(outcome.status));
}

/** Success responses that the contract lists, as obligations name them. */
export function listedSuccesses(responses: readonly ResponseObject[]): readonly ResponseObject[] {
  return responses.filter(({ status }) => /^[23]/.test(status));
}
