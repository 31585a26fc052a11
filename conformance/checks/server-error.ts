import { responseFor } from '../contract/contract.ts';
import { type ExchangeCheck, wholeAnswer } from './check.ts';

/** Always a defect, documented or not: the server says itself that it failed (RFC 9110, 15.6). */
const always = new Set([500, 502, 504]);

export const serverError: ExchangeCheck = {
  name: 'server-error',
  about: 'a 500, 502 or 504, or a 501 or 503 that the operation does not document',
  plan: () => [wholeAnswer],
  judge: ({ operation, outcome, isPause }) => {
    if (outcome.kind === 'none' || isPause) return [];
    const { status } = outcome;
    const exact = operation.responses.some((response) => response.status === String(status));
    const isDocumented = exact || (responseFor(operation, status) !== undefined && status === 503);
    if (!always.has(status) && (status < 500 || isDocumented)) return [{ place: wholeAnswer, failures: [] }];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'server-error',
            severity: 'defect',
            place: `response ${status}`,
            pattern: `response ${status}`,
            pointer: operation.pointer,
            keyword: String(status),
            clause: 'RFC 9110 15.6',
            says: `the server answered ${status} to a request that the contract allows`,
            isShared: false,
          },
        ],
      },
    ];
  },
};
