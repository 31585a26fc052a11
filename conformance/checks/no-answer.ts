import type { NoAnswer, NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type ExchangeCheck, planWholeAnswer, type TraceCheck, type TraceVerdict, wholeAnswer } from './check.ts';
import { originalsOf, repeatOf } from './server-error.ts';

/** That nothing listens says nothing about the contract: the run ends with a word about the address. */
const notOfTheServer = new Set(['refused', 'unresolved']);

export const noAnswer: TraceCheck = {
  kind: 'trace',
  name: 'no-answer',
  about: 'no complete HTTP answer: reset, silence, a body that is cut off, malformed HTTP; or the server stopped',
  plan: planWholeAnswer,
  judge: (trace, world) =>
    originalsOf(trace).flatMap((exchange): TraceVerdict[] => {
      const { outcome, outage } = exchange;
      if (outcome.kind === 'answer') return [{ exchange, place: wholeAnswer, failures: [] }];
      // Who stopped the deployment shows by what comes of all that were under way: it is told at the end.
      if (outage !== undefined || notOfTheServer.has(outcome.reason)) return [];
      const repeat = repeatOf(trace, exchange);
      const failure = judgeSilence(exchange, outcome, repeat, world.failedLike(exchange));
      return [{ exchange, place: wholeAnswer, failures: [failure] }];
    }),
};

function judgeSilence(
  { operation }: NumberedExchange,
  { reason, says }: NoAnswer,
  repeat: NumberedExchange | undefined,
  times: number,
): Failure {
  const { isSure, adds } = weigh(reason, repeat, times);
  return {
    check: 'no-answer',
    place: 'response',
    pointer: operation.pointer,
    severity: isSure ? 'defect' : 'suspect',
    keyword: reason,
    clause: reason === 'truncated' ? 'RFC 9112 8' : 'RFC 9110 3.4',
    says: `${says}${adds}`,
    causes: [[reason]],
  };
}

/** What is not sent again may have been broken off by chance, until another request of the same operation ends alike. */
function weigh(
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
