import type { Failure } from '../failures/failure.ts';
import { answerOf } from './answer-of.ts';
import { type ExchangeCheck, type Verdict, wholeAnswer } from './check.ts';
import { headerLaws } from './http-laws/header-laws.ts';
import type { Law } from './http-laws/law.ts';
import { problemLaws } from './http-laws/problem-laws.ts';
import { statusLaws } from './http-laws/status-laws.ts';

export const laws: readonly Law[] = [...statusLaws, ...headerLaws, ...problemLaws];

/** What HTTP asks of every server, whatever its contract says: one finding per law. */
export const httpLaw: ExchangeCheck = {
  name: 'http-law',
  about: 'a law of HTTP is broken (RFC 9110, RFC 9457)',
  plan: () => [wholeAnswer],
  judge: (exchange, { contract }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const { operation, request } = exchange;
    const failures = laws.flatMap((law): Failure[] => {
      const says = law.judge({ contract, operation, request, answer, response });
      if (says === undefined) return [];
      return [
        {
          check: 'http-law',
          severity: 'defect',
          place: `response ${answer.status}${law.header === undefined ? '' : ` header ${law.header}`}`,
          pattern: law.name,
          pointer: response?.pointer ?? operation.pointer,
          keyword: law.name,
          clause: law.clause,
          says,
          isShared: true,
        },
      ];
    });
    const verdict: Verdict = { place: wholeAnswer, failures };
    return [verdict];
  },
};
