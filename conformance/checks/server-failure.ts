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

/** Statuses that may say "not now" or "not here" where the operation documents them (RFC 9110, 15.6.2, 15.6.4). */
const mayBeDocumented = new Set([501, 503]);

/** Words of a feature that is switched off: a fact about the deployment, not a failure of it. */
const off =
  /\b(?:is|are|been|was|feature|currently) disabled\b|\bnot (?:yet |currently )?(?:supported(?! between)|enabled|configured|implemented)\b|\b(?:switched|turned) off\b/i;

/** Words of a server that misses something around it: another host, a program, a file of the installation, its own time. */
const environment = new RegExp(
  [
    // Error codes of C libraries, Node and Python.
    String.raw`\b(?:EAI_(?:AGAIN|NONAME|FAIL|NODATA)|ENOTFOUND|ESERVFAIL|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT)\b`,
    String.raw`\b(?:gaierror|UnknownHostException|NoRouteToHostException|NameResolutionError|MaxRetryError|ConnectTimeout(?:Error|Exception)?)\b`,
    // A name that nobody knows.
    String.raw`\bgetaddrinfo\b|\bname resolution\b|\bname or service not known\b|\bno such host\b|\bnodename nor servname\b|\bunknown host\b`,
    String.raw`\b(?:resolve|resolving|look ?up|find) (?:the )?(?:host|domain|server)(?: ?names?)?\b|\bno address associated with host`,
    // A host that does not answer.
    String.raw`\bconnection (?:was |has been )?(?:refused|timed out)\b|\bconnect(?:ion|ing)? (?:attempt )?(?:timed out|timeout)\b|\bactively refused\b`,
    String.raw`\b(?:host|network) (?:is )?(?:unreachable|down)\b|\bno route to host\b|\b(?:failed|unable|could not|couldn't|cannot|can't) (?:to )?(?:connect|reach)\b|\bmax retries exceeded\b`,
    // A program that is not installed.
    String.raw`\bcommand not found\b|\bexecutable file not found\b|\bcannot run program\b|\bis not (?:installed|recognized as an internal or external command)\b`,
    // Not yet.
    String.raw`\bservice (?:is )?(?:temporarily )?unavailable\b|\bnot yet (?:available|ready|initiali[sz]ed|connected|running)\b|\bnot (?:available|initiali[sz]ed) yet\b|\bnot (?:ready|connected|running|reachable)\b|\btemporarily unavailable\b|\bstill (?:starting|loading|initiali[sz]ing|warming)\b`,
  ].join('|'),
  'i',
);

/** Most of a body that still is a sentence to the client, and no account of a crash that has such words by chance. */
const mostSaid = 2_000;

function isOff(body: Buffer): boolean {
  if (body.length > mostSaid) return false;
  const text = body.toString();
  return off.test(text) && findInternals(text) === undefined;
}

/** The account of a crash may have such words by chance: there only its beginning counts, which says what happened. */
function saysAround(body: Buffer): boolean {
  return environment.test(body.subarray(0, mostSaid).toString());
}

export const serverError: TraceCheck = {
  kind: 'trace',
  name: 'server-error',
  about: 'a 500, 502, 504 or an undocumented 503 that shows again when the request is sent alone',
  plan: planWholeAnswer,
  judge: (trace, { failedLike }) =>
    originalsOf(trace).flatMap((exchange) => judgeOne(exchange, repeatOf(trace, exchange), failedLike(exchange))),
};

/** Exchanges that count: neither pauses nor repeats. */
function originalsOf(trace: Trace): readonly NumberedExchange[] {
  return trace.filter(({ isPause, isAlone }) => !isPause && isAlone !== true);
}

/** The same request, sent again when nothing else was under way. */
function repeatOf(trace: Trace, { request }: NumberedExchange): NumberedExchange | undefined {
  return trace.find((other) => other.isAlone === true && other.request === request);
}

/** @param times how many requests of this operation failed like it */
function judgeOne(exchange: NumberedExchange, repeat: NumberedExchange | undefined, times: number): TraceVerdict[] {
  const { operation, outcome, intent } = exchange;
  if (outcome.kind === 'none') return [];
  const { status } = outcome;
  const found =
    status < 500 || status > 599 || isDocumented(operation, status)
      ? undefined
      : weigh(exchange, outcome, repeat?.outcome, times);
  if (found === undefined) return [{ exchange, place: wholeAnswer, failures: [] }];
  const failure: Failure = {
    check: 'server-error',
    severity: found.severity,
    place: `response ${status}`,
    pointer: operation.pointer,
    keyword: String(status),
    clause: 'RFC 9110 15.6',
    message: `the server answered ${status} to a request that ${requests[intent.polarity]}${found.adds}`,
    causes: [[status, found.group ?? normaliseBody(outcome.body.toString(), echoesOf(exchange.seen))]],
  };
  return [{ exchange, place: wholeAnswer, failures: [failure] }];
}

const requests: Readonly<Record<Polarity, string>> = {
  valid: 'the contract allows',
  invalid: 'it had to refuse with a 4xx',
  grey: 'it may take or refuse, but not fail on',
};

function isDocumented(operation: Operation, status: number): boolean {
  if (!mayBeDocumented.has(status)) return false;
  const isExact = operation.responses.some((response) => response.status === String(status));
  return isExact || (status === 503 && responseFor(operation, status) !== undefined);
}

/**
 * How much a 5xx weighs: by what came when the request was sent again alone, and where it may not be repeated, by another request
 * of the same operation that failed alike when the whole run had nothing else under way.
 */
function weigh(
  { operation, isUndisturbed, since }: NumberedExchange,
  { status, body }: Answer,
  repeat: Answer | NoAnswer | undefined,
  times: number,
): { readonly severity: Severity; readonly adds: string; readonly group?: string } | undefined {
  if (status === 501 || isOff(body)) {
    return { severity: 'warning', adds: '; it says itself that this is not to be had here' };
  }
  if (saysAround(body) && (repeat?.kind !== 'answer' || repeat.status >= 500)) {
    return { severity: 'suspect', adds: '; it says that something around it is missing', group: 'around' };
  }
  if (since !== undefined) return { severity: 'suspect', adds: `; ${describeSince(since)}`, group: 'aftermath' };
  if (repeat === undefined) {
    return isUndisturbed === true && times > 1
      ? { severity: 'defect', adds: '; so it was with other data, when nothing else was under way' }
      : { severity: 'suspect', adds: '; it was not sent again, and may pass' };
  }
  if (repeat.kind === 'none') return { severity: 'defect', adds: `; sent again alone, ${repeat.message}` };
  if (repeat.status >= 500) return { severity: 'defect', adds: '' };
  // Away for a moment, as 503 means to say.
  if (status === 503) return undefined;
  return {
    severity: 'suspect',
    adds: `; sent again alone it was answered ${repeat.status}: ${isSafe(operation) ? 'only under load, or by chance' : 'by chance, or because the first had done it all the same'}`,
  };
}

/** That nothing listens says nothing about the contract: the run ends with a word about the address. Nor does what never left. */
const notOfTheServer = new Set<NoAnswer['reason']>(['unsent', 'refused', 'unresolved']);

export const noAnswer: TraceCheck = {
  kind: 'trace',
  name: 'no-answer',
  about: 'no complete HTTP answer: reset, silence, a body that is cut off, malformed HTTP; or the server stopped',
  plan: planWholeAnswer,
  judge: (trace, context) =>
    originalsOf(trace).flatMap((exchange): TraceVerdict[] => {
      const { outcome, outage } = exchange;
      if (outcome.kind === 'answer') return [{ exchange, place: wholeAnswer, failures: [] }];
      // The request that stopped the deployment shows by what comes of all that were under way: it is told at the end.
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
  const { isSure, adds } = weighSilence(reason, repeat, times);
  return {
    check: 'no-answer',
    place: 'response',
    pointer: operation.pointer,
    severity: isSure ? 'defect' : 'suspect',
    keyword: reason,
    clause: clauses[reason] ?? 'RFC 9110 3.4',
    message: `${message}${adds}`,
    causes: [[reason]],
  };
}

/** A request that is not sent again may have been broken off by chance, until another of the same operation ends alike. */
function weighSilence(
  reason: NoAnswer['reason'],
  repeat: NumberedExchange | undefined,
  times: number,
): { readonly isSure: boolean; readonly adds: string } {
  if (repeat?.outcome.kind === 'answer')
    return { isSure: false, adds: `; sent again alone it was answered ${repeat.outcome.status}` };
  if (repeat !== undefined) return { isSure: true, adds: '' };
  // Our own patience is no law: an action may wait for something far away.
  if (reason === 'timeout') return { isSure: false, adds: '; it was not sent again' };
  if (times > 1) return { isSure: true, adds: '; so it was with another request of this operation' };
  return { isSure: false, adds: '; it was not sent again, and may pass' };
}

export const slow: ExchangeCheck = {
  name: 'slow',
  about: 'an answer took longer than the limit given with --slow; off without it',
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
      message: `it took ${Math.round(outcome.durationMs)} ms, the limit is ${slowMs} ms`,
      causes: [['slow']],
    });
  },
};
