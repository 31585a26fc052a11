import type { Failure } from '../failures/failure.ts';
import { answerOf } from './answered.ts';
import { type ExchangeCheck, planWholeAnswer, type Verdict, wholeAnswer } from './check.ts';
import { headerLaws } from './header-laws.ts';
import { type Law, statusLaws } from './status-laws.ts';

export const laws: Readonly<Record<string, Law>> = { ...statusLaws, ...headerLaws };

/** What HTTP asks of every server, whatever its contract says: one finding per law. */
export const httpLaw: ExchangeCheck = {
  name: 'http-law',
  about: 'a law of HTTP is broken (RFC 9110, RFC 9457)',
  plan: planWholeAnswer,
  judge: (exchange, { contract }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const { operation, request } = exchange;
    const failures = Object.entries(laws).flatMap(([name, law]): Failure[] => {
      const says = law.judge({ contract, operation, request, answer, response });
      if (says === undefined) return [];
      return [
        {
          check: 'http-law',
          severity: 'defect',
          place: `response ${answer.status}${law.header === undefined ? '' : ` header ${law.header}`}`,
          pointer: response?.pointer ?? operation.pointer,
          keyword: name,
          clause: law.clause,
          says,
          causes: [[name]],
        },
      ];
    });
    const verdict: Verdict = { place: wholeAnswer, failures };
    return [verdict];
  },
};
