import { type Operation, responseFor } from '../contract/contract.ts';
import type { Answer, NoAnswer, NumberedExchange, Polarity, Trace } from '../execute/exchange.ts';
import { echoesOf, type Failure, normaliseBody, type Severity } from '../failures/failure.ts';
import { isSafe } from '../plan/operation-kinds.ts';
import { describeSince } from './answered.ts';
import {
  type ExchangeCheck,
  judgeWhole,
  planWholeAnswer,
  type TraceCheck,
  type TraceVerdict,
  wholeAnswer,
} from './check.ts';
import { findInternals } from './leaks.ts';

/** Statuses that may mean "not now" or "not here" if the operation documents them (RFC 9110, 15.6.2, 15.6.4). */
const mayBeDocumented = new Set([501, 503]);

/** Phrases about a feature that is switched off: a fact about the deployment, not a failure. */
const switchedOff =
  /\b(?:is|are|been|was|feature|currently) disabled\b|\bnot (?:yet |currently )?(?:supported(?! between)|enabled|configured|implemented)\b|\b(?:switched|turned) off\b/i;

/** Phrases of a server that misses a dependency: another host, a program, a file of the installation, or time to start. */
const environment = new RegExp(
  [
    // Error codes of C libraries, Node and Python.
    String.raw`\b(?:EAI_(?:AGAIN|NONAME|FAIL|NODATA)|ENOTFOUND|ESERVFAIL|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT)\b`,
    String.raw`\b(?:gaierror|UnknownHostException|NoRouteToHostException|NameResolutionError|MaxRetryError|ConnectTimeout(?:Error|Exception)?)\b`,
    // A host name that does not resolve.
    String.raw`\bgetaddrinfo\b|\bname resolution\b|\bname or service not known\b|\bno such host\b|\bnodename nor servname\b|\bunknown host\b`,
    String.raw`\b(?:resolve|resolving|look ?up|find) (?:the )?(?:host|domain|server)(?: ?names?)?\b|\bno address associated with host`,
    // A host that does not answer.
    String.raw`\bconnection (?:was |has been )?(?:refused|timed out)\b|\bconnect(?:ion|ing)? (?:attempt )?(?:timed out|timeout)\b|\bactively refused\b`,
    String.raw`\b(?:host|network) (?:is )?(?:unreachable|down)\b|\bno route to host\b|\b(?:failed|unable|could not|couldn't|cannot|can't) (?:to )?(?:connect|reach)\b|\bmax retries exceeded\b`,
    // A program that is not installed.
    String.raw`\bcommand not found\b|\bexecutable file not found\b|\bcannot run program\b|\bis not (?:installed|recognized as an internal or external command)\b`,
    // A server that is still starting.
    String.raw`\bservice (?:is )?(?:temporarily )?unavailable\b|\bnot yet (?:available|ready|initiali[sz]ed|connected|running)\b|\bnot (?:available|initiali[sz]ed) yet\b|\bnot (?:ready|connected|running|reachable)\b|\btemporarily unavailable\b|\bstill (?:starting|loading|initiali[sz]ing|warming)\b`,
  ].join('|'),
  'i',
);

/** Bytes of a message to the client; a longer body is a crash report, which may contain such phrases by chance. */
const mostMessageBytes = 2_000;

function isSwitchedOff(body: Buffer): boolean {
  if (body.length > mostMessageBytes) return false;
  const text = body.toString();
  return switchedOff.test(text) && findInternals(text) === undefined;
}

/** Searches only the beginning: a crash report states its error there. */
function namesEnvironment(body: Buffer): boolean {
  return environment.test(body.subarray(0, mostMessageBytes).toString());
}

export const serverError: TraceCheck = {
  kind: 'trace',
  name: 'server-error',
  about: 'a 500, 502, 504 or an undocumented 503 that occurs again when the request is repeated alone',
  effect: 'The server failed, and the client cannot know whether its request took effect.',
  clauses: ['RFC 9110 15.6'],
  example: { sent: 'GET /books?limit=1', answered: '500 {"error":"limit is not a function"}' },
  fix: 'Send the curl line, read the log of the server, and correct the handler; a wrong request needs a 4xx.',
  allow: 'None for 500, 502 and 504. Document a 501 or a 503 that the server answers on purpose.',
  plan: planWholeAnswer,
  judge: (trace, { failedLike }) =>
    originalsOf(trace).flatMap((exchange) => judgeOne(exchange, repeatOf(trace, exchange), failedLike(exchange))),
};

/** The exchanges of a trace without pauses, repeats, and failures that a smaller request shows. */
function originalsOf(trace: Trace): readonly NumberedExchange[] {
  return trace.filter(({ isPause, isAlone, isSuperseded }) => !isPause && isAlone !== true && isSuperseded !== true);
}

/** The same request, repeated while no other request was in flight. */
function repeatOf(trace: Trace, { request }: NumberedExchange): NumberedExchange | undefined {
  return trace.find((other) => other.isAlone === true && other.request === request);
}

/** @param times number of requests of this operation that failed like it */
function judgeOne(exchange: NumberedExchange, repeat: NumberedExchange | undefined, times: number): TraceVerdict[] {
  const { operation, outcome, intent } = exchange;
  if (outcome.kind === 'none') return [];
  const { status } = outcome;
  const found =
    status < 500 || status > 599 || isDocumented(operation, status)
      ? undefined
      : weigh(exchange, outcome, repeat?.outcome, times);
  if (found === undefined) return [{ exchange, place: wholeAnswer, failures: [] }];
  const text = outcome.body.toString();
  const failure: Failure = {
    check: 'server-error',
    severity: found.severity,
    place: `response ${status}`,
    pointer: operation.pointer,
    keyword: String(status),
    clause: 'RFC 9110 15.6',
    message: `the server answered ${status} to a request that ${requests[intent.polarity]}${found.suffix}`,
    causes: [
      [status, found.group ?? normaliseBody(text, echoesOf(exchange.seen))],
      // A word of the request may be in the page of every failure by chance.
      ...(found.group === undefined && text !== '' ? [[status, normaliseBody(text)]] : []),
      ...(intent.probe?.groups ?? []).map((group) => [status, operation.id, group]),
    ],
  };
  return [{ exchange, place: wholeAnswer, failures: [failure] }];
}

const requests: Readonly<Record<Polarity, string>> = {
  valid: 'the contract allows',
  invalid: 'it had to reject with a 4xx',
  grey: 'it may accept or reject, but not fail on',
};

function isDocumented(operation: Operation, status: number): boolean {
  if (!mayBeDocumented.has(status)) return false;
  const isExact = operation.responses.some((response) => response.status === String(status));
  return isExact || (status === 503 && responseFor(operation, status) !== undefined);
}

/**
 * Weighs a 5xx by the answer to the same request repeated alone. If it may not be repeated, another request of the same operation
 * counts that failed alike while the whole run had no other request in flight.
 */
function weigh(
  { operation, isUndisturbed, since }: NumberedExchange,
  { status, body }: Answer,
  repeat: Answer | NoAnswer | undefined,
  times: number,
): { readonly severity: Severity; readonly suffix: string; readonly group?: string } | undefined {
  if (status === 501 || isSwitchedOff(body)) {
    return { severity: 'warning', suffix: '; the body states that the feature is not available in this deployment' };
  }
  if (namesEnvironment(body) && (repeat?.kind !== 'answer' || repeat.status >= 500)) {
    return { severity: 'suspect', suffix: '; the body states that a dependency is missing', group: 'environment' };
  }
  if (since !== undefined) return { severity: 'suspect', suffix: `; ${describeSince(since)}`, group: 'contamination' };
  if (repeat === undefined) {
    if (times <= 1) return { severity: 'suspect', suffix: '; it was not repeated, and the failure may be temporary' };
    return isUndisturbed === true
      ? { severity: 'defect', suffix: '; other data failed alike while no other request was in flight' }
      : { severity: 'suspect', suffix: '; other data failed alike, but each time other requests were in flight' };
  }
  if (repeat.kind === 'none') return { severity: 'defect', suffix: `; when it was repeated alone, ${repeat.message}` };
  if (repeat.status >= 500) return { severity: 'defect', suffix: '' };
  // A 503 means a temporary condition.
  if (status === 503) return undefined;
  return {
    severity: 'suspect',
    suffix: `; when it was repeated alone, it was answered ${repeat.status}: the cause may be ${isSafe(operation) ? 'load or chance' : 'chance, or that the first request took effect'}`,
  };
}

/** A missing listener is no fault against the contract: the run stops with a message about the address. `unsent` never left the run. */
const notOfTheServer = new Set<NoAnswer['reason']>(['unsent', 'refused', 'unresolved']);

export const noAnswer: TraceCheck = {
  kind: 'trace',
  name: 'no-answer',
  about: 'no complete HTTP answer: a reset, a timeout, a truncated body, malformed HTTP; or the server stopped',
  effect: 'The client gets no answer, and cannot know whether its request took effect.',
  clauses: ['RFC 9110 3.4', 'RFC 9110 6.1', 'RFC 9112 2.1', 'RFC 9112 8'],
  example: { sent: 'GET /books', answered: 'the connection was reset before the header' },
  fix: 'Read the logs of the server and of each proxy: a crash, a limit of time or size, or a wrong Content-Length.',
  allow: 'None: every request needs an answer. For an operation that answers late, raise --timeout.',
  plan: planWholeAnswer,
  judge: (trace, context) =>
    originalsOf(trace).flatMap((exchange): TraceVerdict[] => {
      const { outcome, outage } = exchange;
      if (outcome.kind === 'answer') return [{ exchange, place: wholeAnswer, failures: [] }];
      // An outage is reported at the end of the run, when repeats show which request in flight caused it.
      if (outage !== undefined || notOfTheServer.has(outcome.reason)) return [];
      const repeat = repeatOf(trace, exchange);
      const failure = judgeSilence(exchange, outcome, repeat, context.failedLike(exchange));
      return [{ exchange, place: wholeAnswer, failures: [failure] }];
    }),
};

const clauses: Readonly<Partial<Record<NoAnswer['reason'], string>>> = {
  truncated: 'RFC 9112 8',
  unfinished: 'RFC 9110 6.1',
  malformed: 'RFC 9112 2.1',
};

function judgeSilence(
  { operation }: NumberedExchange,
  { reason, message }: NoAnswer,
  repeat: NumberedExchange | undefined,
  times: number,
): Failure {
  const { isSure, suffix } = weighSilence(reason, repeat, times);
  return {
    check: 'no-answer',
    place: 'response',
    pointer: operation.pointer,
    severity: isSure ? 'defect' : 'suspect',
    keyword: reason,
    clause: clauses[reason] ?? 'RFC 9110 3.4',
    message: `${message}${suffix}`,
    causes: [[reason]],
  };
}

/** A request without a repeat may have failed by chance, until another one of the same operation fails alike. */
function weighSilence(
  reason: NoAnswer['reason'],
  repeat: NumberedExchange | undefined,
  times: number,
): { readonly isSure: boolean; readonly suffix: string } {
  if (repeat?.outcome.kind === 'answer')
    return { isSure: false, suffix: `; when it was repeated alone, it was answered ${repeat.outcome.status}` };
  if (repeat !== undefined) return { isSure: true, suffix: '' };
  // No norm limits the time of an answer: an action may wait for a remote device.
  if (reason === 'timeout') return { isSure: false, suffix: '; it was not repeated' };
  if (times > 1) return { isSure: true, suffix: '; another request of this operation failed alike' };
  return { isSure: false, suffix: '; it was not repeated, and the failure may be temporary' };
}

export const slow: ExchangeCheck = {
  name: 'slow',
  about: 'an answer that took longer than the limit of --slow; without --slow, nothing is checked',
  effect: 'The operation misses the limit that you set.',
  clauses: ['--slow'],
  example: { sent: 'GET /books', answered: '200 after 2300 ms, with --slow 1000' },
  fix: 'Measure the request alone (--workers 1), then correct the slow part of the server.',
  allow: 'None: raise --slow, or omit it.',
  plan: () => [],
  judge: ({ operation, outcome }, { slowMs }) => {
    if (slowMs === undefined || outcome.kind === 'none') return [];
    if (outcome.durationMs <= slowMs) return judgeWhole();
    return judgeWhole({
      check: 'slow',
      severity: 'defect',
      place: `response ${outcome.status}`,
      pointer: operation.pointer,
      keyword: 'slow',
      clause: '--slow',
      message: `the answer took ${Math.round(outcome.durationMs)} ms; the limit is ${slowMs} ms`,
      causes: [['slow']],
    });
  },
};
