// The faults that `prove` injects. A family is one kind of fault, as the deployment would show it, with the one check that has to report it.
import { listedSuccesses } from '../checks/answered.ts';
import type { RunContext } from '../checks/check.ts';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import { type Answer, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { completeSeen } from '../execute/session.ts';
import { dangerOf, isLogIn, isTokenEndpoint, kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';

/** The exchanges of one turn, into which a change is injected. */
export interface Injecting {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly trace: Trace;
  readonly context: RunContext;
  /** The last answer that accepted a request of the operation. */
  readonly accepted: NumberedExchange | undefined;
}

/** A trace with one change, and the same trace as it is written without the change. */
export interface Injected {
  readonly changed: Trace;
  readonly unchanged: Trace;
  /** `without /id in the answer 200`. */
  readonly what: string;
}

export interface Family {
  /** Heading of its column. */
  readonly name: string;
  /** The fault that it injects. */
  readonly about: string;
  /** The check that has to report it. */
  readonly check: string | ((operation: Operation, contract: Contract) => string);
  /** @returns the part of the contract because of which no fault of this kind exists; undefined if one does */
  readonly excludes: (operation: Operation, contract: Contract, permissions: Permissions) => string | undefined;
  /** @returns why the contract lets every answer lack the part that the fault is about; undefined if it does not */
  readonly mayLack?: (operation: Operation, contract: Contract) => string | undefined;
  /** Whether it injects the accepted answer of the operation, which may come after the trace. */
  readonly needsAccepted?: true;
  /** @returns undefined if no exchange of the trace can have the change */
  readonly inject: (injecting: Injecting) => Injected | undefined;
}

/** A change of one answer. Members that are left out stay. */
export interface Change extends Partial<Pick<Answer, 'status' | 'headers'>> {
  readonly what: string;
  readonly content?: unknown;
}

/** The exchange with another answer. The content is always written anew, so that only the change differs from an unchanged copy. */
export function answerWith(exchange: NumberedExchange, change: Partial<Change>): NumberedExchange {
  const { outcome, seen } = exchange;
  if (outcome.kind === 'none') return exchange;
  const { status = outcome.status, headers = outcome.headers } = change;
  const content = Object.hasOwn(change, 'content') ? change.content : seen.responseBody;
  const body = content === undefined ? outcome.body : Buffer.from(JSON.stringify(content));
  return answeredBy(exchange, { ...outcome, status, headers, body });
}

/** The exchange with the answer of another one. */
export function answeredBy(exchange: NumberedExchange, outcome: Answer): NumberedExchange {
  const asked: Seen = exchange.seen;
  // A copy: readings of contents are kept by answer.
  const answer = { ...outcome };
  return { ...exchange, outcome: answer, seen: completeSeen(asked, answer) };
}

export function replaceIn(trace: Trace, changes: ReadonlyMap<NumberedExchange, NumberedExchange>): Trace {
  return trace.map((exchange) => changes.get(exchange) ?? exchange);
}

/** Whether an exchange is a valid request of the operation with the run's own credentials, and was accepted. */
export function isPlainSuccess(exchange: NumberedExchange, operation: Operation): boolean {
  const { intent, request, isPause } = exchange;
  const isOwn = exchange.operation === operation && request.method === operation.method.toUpperCase();
  return isOwn && !isPause && intent.polarity === 'valid' && intent.identity === 'own' && isAccepted(exchange);
}

/** Injects a change into the first answer of the operation that can have it. */
export function intoAnswer(
  change: (exchange: NumberedExchange, injecting: Injecting) => Change | undefined,
): Family['inject'] {
  return (injecting) => {
    const { trace, operation } = injecting;
    for (const exchange of trace) {
      if (!isPlainSuccess(exchange, operation)) continue;
      const made = change(exchange, injecting);
      if (made === undefined) continue;
      const status = exchange.outcome.kind === 'answer' ? exchange.outcome.status : 0;
      return {
        what: `${made.what} in the answer ${status}`,
        changed: replaceIn(trace, new Map([[exchange, answerWith(exchange, made)]])),
        unchanged: replaceIn(trace, new Map([[exchange, answerWith(exchange, {})]])),
      };
    }
    return undefined;
  };
}

/** The documented responses of 2xx and 3xx. */
export function successesOf({ responses }: Operation): Operation['responses'] {
  return listedSuccesses(responses);
}

/** The JSON schemas of the documented successes. */
export function schemasOfSuccess(operation: Operation): readonly string[] {
  return successesOf(operation).flatMap(({ contents }) =>
    contents.flatMap(({ mediaType, schema }) => (isJson(mediaType) && schema !== undefined ? [schema] : [])),
  );
}

/** Why the runner sends an operation no wrong request; undefined if it does. */
export function refuseWrongRequests(contract: Contract, operation: Operation): string | undefined {
  if (dangerOf(operation, kindOf(contract, operation)) > 0) return 'by its name, a wrong request might end the run';
  const isLock = isLogIn(contract, operation) && !isTokenEndpoint(contract, operation);
  return isLock ? 'a log-in: wrong requests might lock the account' : undefined;
}

/** A 202 promises nothing: the request may still be rejected (RFC 9110, 15.3.3). */
export function excludeLateRejection(operation: Operation): string | undefined {
  const listed = successesOf(operation).map(({ status }) => status);
  const isLate = listed.length > 0 && listed.every((status) => status === '202');
  return isLate ? 'its only success is 202, which lets the server reject the request later' : undefined;
}
