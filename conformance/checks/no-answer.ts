import type { NoAnswer, NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type ExchangeCheck, planWholeAnswer, type TraceCheck, type TraceVerdict, wholeAnswer } from './check.ts';
import { originalsOf, repeatOf } from './server-error.ts';

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
