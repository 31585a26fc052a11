import { type ExchangeCheck, wholeAnswer } from './check.ts';

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
