import { isObject } from '../contract/document.ts';
import type { Exchange, NumberedExchange, Trace } from '../execute/exchange.ts';

/** The answers to one probe by their roles. */
export interface Parts {
  readonly name: string;
  readonly case: NumberedExchange;
  /** The case, or a request of the operation that the probe is about if the case is one of another operation. */
  readonly shown: NumberedExchange;
  /** @returns the last exchange of this role */
  readonly of: (role: string) => NumberedExchange | undefined;
}

/** The ending of a role in a second series of requests, by which a check confirms a failure of the first. */
export const ofRepetition = ', again';

/** Statuses that say nothing about a request's access or form: the account's bill, the rate, and the server's own state. */
const silent = new Set([402, 429]);

/** @returns undefined if the trace is none of this check, or if its case was not answered conclusively */
export function readParts(trace: Trace, check: string): Parts | undefined {
  const own = exchangesOf(trace, check);
  const of = (role: string) => own.findLast(({ intent }) => intent.probe?.role === role);
  const sent = of('case');
  if (sent === undefined || isSilent(sent)) return undefined;
  const { name = '', operation } = sent.intent.probe ?? {};
  const shown = own.findLast((exchange) => exchange.operation.id === operation) ?? sent;
  return { name, case: sent, shown: sent.operation.id === operation ? sent : shown, of };
}

/** The requests of a probe that a check judges, without pauses and repeats. */
export function exchangesOf(trace: Trace, check: string): Trace {
  return trace.filter(
    ({ intent, isPause, isAlone }) => intent.probe?.checks.includes(check) === true && !isPause && isAlone !== true,
  );
}

function isSilent(exchange: NumberedExchange): boolean {
  const status = statusOf(exchange);
  return status === 0 || status >= 500 || silent.has(status);
}

/** The status; 0 if no answer came. */
export function statusOf({ outcome }: Pick<Exchange, 'outcome'>): number {
  return outcome.kind === 'answer' ? outcome.status : 0;
}

/** Whether a success status comes with a body that states a failure, as in `{"ok":false,"error":"not_authed"}`. */
export function statesFailure({ seen: { responseBody } }: NumberedExchange): boolean {
  if (!isObject(responseBody)) return false;
  const { ok, success, error, errors } = responseBody;
  const isFilled = Array.isArray(errors) ? errors.length > 0 : false;
  return ok === false || success === false || isFilled || (error !== undefined && error !== null && error !== false);
}
