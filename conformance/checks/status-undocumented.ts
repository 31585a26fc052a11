import type { Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { answerOf } from './answered.ts';
import { type ExchangeCheck, wholeAnswer } from './check.ts';

/** Statuses that need no line in the contract: any server or proxy in between may send them. */
const implied = new Set([413, 414, 429, 431]);

export const statusUndocumented: ExchangeCheck = {
  name: 'status-undocumented',
  about: 'a status that the operation does not list, by itself, as a range or as default',
  plan: () => [wholeAnswer],
  judge: (exchange) => {
    const answered = answerOf(exchange);
    if (answered === undefined || exchange.isPause) return [];
    const { operation } = exchange;
    const { status } = answered.answer;
    if (answered.response !== undefined || isImplied(operation, status)) return [{ place: wholeAnswer, failures: [] }];
    const listed = operation.responses.map((response) => response.status).join(', ') || 'none';
    const isGeneral = status >= 400;
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'status-undocumented',
            severity: 'defect',
            place: `response ${status}`,
            pattern: `response ${status}`,
            pointer: joinPointer(operation.pointer, 'responses'),
            keyword: 'responses',
            says: `${status} is not documented; listed: ${listed}`,
            isShared: isGeneral,
          },
        ],
      },
    ];
  },
};

function isImplied(operation: Operation, status: number): boolean {
  if (implied.has(status)) return true;
  // 5xx is the business of `server-error`; an operation without any 4xx gets one warning instead of one finding each.
  if (status >= 500) return true;
  const documentsRefusals = operation.responses.some((response) => /^(4|default)/i.test(response.status));
  if (status >= 400 && !documentsRefusals) return true;
  return (
    (status === 401 || status === 403) && operation.security.some((alternative) => Object.keys(alternative).length > 0)
  );
}
