import { type ExchangeCheck, wholeAnswer } from './check.ts';

/** That nothing listens says nothing about the contract: the run ends with a word about the address. */
const notOfTheServer = new Set(['refused', 'unresolved']);

export const noAnswer: ExchangeCheck = {
  name: 'no-answer',
  about: 'no complete HTTP answer: reset, silence, a body that is cut off, malformed HTTP',
  plan: () => [wholeAnswer],
  judge: ({ operation, outcome, isPause }) => {
    // What answered when it was sent again alone was taken down by another.
    if (isPause) return [];
    if (outcome.kind === 'answer') return [{ place: wholeAnswer, failures: [] }];
    const { reason, downWith, says } = outcome;
    if (downWith === undefined && notOfTheServer.has(reason)) return [];
    const keyword = downWith === undefined ? reason : 'stopped';
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'no-answer',
            severity: 'defect',
            place: 'response',
            pattern: `response ${keyword}`,
            pointer: operation.pointer,
            keyword,
            clause: reason === 'truncated' ? 'RFC 9112 8' : 'RFC 9110 3.4',
            says:
              downWith === undefined
                ? says
                : `the deployment stopped and did not come back; under way were ${downWith.join(', ')}`,
            isShared: downWith !== undefined,
          },
        ],
      },
    ];
  },
};

export const slow: ExchangeCheck = {
  name: 'slow',
  about: 'an answer took longer than the limit given with --slow; off without it',
  plan: () => [],
  judge: ({ operation, outcome }, { slowMs }) => {
    if (slowMs === undefined || outcome.kind === 'none') return [];
    if (outcome.durationMs <= slowMs) return [{ place: wholeAnswer, failures: [] }];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'slow',
            severity: 'defect',
            place: `response ${outcome.status}`,
            pattern: 'slow',
            pointer: operation.pointer,
            keyword: 'slow',
            says: `it took ${Math.round(outcome.durationMs)} ms, the limit is ${slowMs} ms`,
            isShared: false,
          },
        ],
      },
    ];
  },
};
