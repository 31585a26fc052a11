import { type ExchangeCheck, wholeAnswer } from './check.ts';

/** That nothing listens says nothing about the contract: the run ends with a word about the address. */
const notOfTheServer = new Set(['refused', 'unresolved']);

export const noAnswer: ExchangeCheck = {
  name: 'no-answer',
  about: 'no complete HTTP answer: reset, silence, a body that is cut off, malformed HTTP',
  plan: () => [wholeAnswer],
  judge: ({ operation, outcome }) => {
    if (outcome.kind === 'answer') return [{ place: wholeAnswer, failures: [] }];
    if (notOfTheServer.has(outcome.reason)) return [];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'no-answer',
            severity: 'defect',
            place: 'response',
            pattern: `response ${outcome.reason}`,
            pointer: operation.pointer,
            keyword: outcome.reason,
            clause: outcome.reason === 'truncated' ? 'RFC 9112 8' : 'RFC 9110 3.4',
            says: outcome.says,
            isShared: false,
          },
        ],
      },
    ];
  },
};
