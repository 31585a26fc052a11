import { type Operation, responseFor } from '../contract/contract.ts';
import type { Answer, NoAnswer, NumberedExchange, Polarity, Trace } from '../execute/exchange.ts';
import { type Failure, normaliseBody, type Severity } from '../failures/failure.ts';
import { type ExchangeCheck, planWholeAnswer, type TraceCheck, type TraceVerdict, wholeAnswer } from './check.ts';
import { findInternals } from './leaks.ts';

/** Statuses that may say "not now" or "not here" where the operation documents them (RFC 9110, 15.6.2, 15.6.4). */
const mayBeDocumented = new Set([501, 503]);

/** Words of a feature that is switched off: a fact about the deployment, not a failure of it. */
const off =
  /\b(?:is|are|been|was|feature|currently) disabled\b|\bnot (?:yet |currently )?(?:supported(?! between)|enabled|configured|implemented)\b|\b(?:switched|turned) off\b/i;

/** Names of what a server misses around it: another host, a program, a file of the installation. */
const environment =
  /\b(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)\b|\bservice (?:is )?unavailable\b|\b(?:name resolution|connection refused|no route to host|resolve (?:the )?host(?: ?name)?)\b/i;

/** Most of a body that still is a sentence to the client, and no account of a crash that has such words by chance. */
const mostSaid = 2_000;

function isOff(body: Buffer): boolean {
  if (body.length > mostSaid) return false;
  const text = body.toString();
  return off.test(text) && findInternals(text) === undefined;
}

export const serverError: TraceCheck = {
  kind: 'trace',
  name: 'server-error',
  about: 'a 500, 502, 504 or an undocumented 503 that shows again when the request is sent alone',
  plan: planWholeAnswer,
  judge: (trace) => originalsOf(trace).flatMap((exchange) => judgeOne(exchange, repeatOf(trace, exchange))),
};

/** Exchanges that count: neither pauses nor repeats. */
function originalsOf(trace: Trace): readonly NumberedExchange[] {
  return trace.filter(({ isPause, isAlone }) => !isPause && isAlone !== true);
}

/** The same request, sent again when nothing else was under way. */
function repeatOf(trace: Trace, { request }: NumberedExchange): NumberedExchange | undefined {
  return trace.find((other) => other.isAlone === true && other.request === request);
}

function judgeOne(exchange: NumberedExchange, repeat: NumberedExchange | undefined): TraceVerdict[] {
  const { operation, outcome, intent } = exchange;
  if (outcome.kind === 'none') return [];
  const { status } = outcome;
  const found =
    status < 500 || status > 599 || isDocumented(operation, status) ? undefined : weigh(outcome, repeat?.outcome);
  if (found === undefined) return [{ exchange, place: wholeAnswer, failures: [] }];
  const failure: Failure = {
    check: 'server-error',
    severity: found.severity,
    place: `response ${status}`,
    pointer: operation.pointer,
    keyword: String(status),
    clause: 'RFC 9110 15.6',
    says: `the server answered ${status} to a request that ${requests[intent.polarity]}${found.adds}`,
    causes: [[status, found.group ?? normaliseBody(outcome.body.toString())]],
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

/** How much a 5xx weighs, by what came when the request was sent again alone. */
function weigh(
  { status, body }: Answer,
  repeat: Answer | NoAnswer | undefined,
): { readonly severity: Severity; readonly adds: string; readonly group?: string } | undefined {
  if (status === 501 || isOff(body)) {
    return { severity: 'warning', adds: '; it says itself that this is not to be had here' };
  }
  if (repeat === undefined) return { severity: 'suspect', adds: '; it was not sent again, and may pass' };
  if (repeat.kind === 'none') return { severity: 'defect', adds: `; sent again alone, ${repeat.says}` };
  if (repeat.status >= 500) {
    const isAround = environment.test(body.subarray(0, mostSaid).toString());
    if (isAround)
      return { severity: 'suspect', adds: '; it says that something around it is missing', group: 'around' };
    return { severity: 'defect', adds: '' };
  }
  // Away for a moment, as 503 means to say.
  if (status === 503) return undefined;
  return {
    severity: 'suspect',
    adds: `; sent again alone it was answered ${repeat.status}: only under load, or by chance`,
  };
}

/** That nothing listens says nothing about the contract: the run ends with a word about the address. */
const notOfTheServer = new Set(['refused', 'unresolved']);

/** RFC 9110, 9.2.2. */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export const noAnswer: TraceCheck = {
  kind: 'trace',
  name: 'no-answer',
  about: 'no complete HTTP answer: reset, silence, a body that is cut off, malformed HTTP; or the server stopped',
  plan: planWholeAnswer,
  judge: (trace) =>
    originalsOf(trace).flatMap((exchange): TraceVerdict[] => {
      const { outcome } = exchange;
      if (outcome.kind === 'answer') return [{ exchange, place: wholeAnswer, failures: [] }];
      const failure = judgeSilence(exchange, outcome, repeatOf(trace, exchange));
      return failure === undefined ? [] : [{ exchange, place: wholeAnswer, failures: [failure] }];
    }),
};

function judgeSilence(
  { operation, request }: NumberedExchange,
  { reason, says, downWith = [] }: NoAnswer,
  repeat: NumberedExchange | undefined,
): Failure | undefined {
  const failure = { check: 'no-answer', place: 'response', pointer: operation.pointer } as const;
  if (downWith.length > 0) {
    const names = downWith.join(', ');
    return {
      ...failure,
      severity: 'defect',
      keyword: 'stopped',
      says: `the server stopped and did not come back; under way were: ${names}`,
      causes: [['stopped']],
    };
  }
  if (notOfTheServer.has(reason)) return undefined;
  const passed = repeat?.outcome.kind === 'answer' ? repeat.outcome.status : undefined;
  // Our own patience is no law: an action may wait for something far away.
  const isPatience = reason === 'timeout' && !(repeat !== undefined && idempotent.has(request.method));
  return {
    ...failure,
    severity: passed === undefined && !isPatience ? 'defect' : 'suspect',
    keyword: reason,
    clause: reason === 'truncated' ? 'RFC 9112 8' : 'RFC 9110 3.4',
    says: passed === undefined ? says : `${says}; sent again alone it was answered ${passed}`,
    causes: [[reason]],
  };
}

export const slow: ExchangeCheck = {
  name: 'slow',
  about: 'an answer took longer than the limit given with --slow; off without it',
  plan: () => [],
  judge: ({ operation, outcome }, { slowMs }) => {
    if (slowMs === undefined || outcome.kind === 'none') return [];
    if (outcome.durationMs <= slowMs) return [{ place: wholeAnswer, failures: [] }];
    const failure: Failure = {
      check: 'slow',
      severity: 'defect',
      place: `response ${outcome.status}`,
      pointer: operation.pointer,
      keyword: 'slow',
      says: `it took ${Math.round(outcome.durationMs)} ms, the limit is ${slowMs} ms`,
      causes: [['slow']],
    };
    return [{ place: wholeAnswer, failures: [failure] }];
  },
};
