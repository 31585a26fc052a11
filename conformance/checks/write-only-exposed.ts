import { joinPointer } from '../contract/document.ts';
import type { Failure } from '../failures/failure.ts';
import { listedSuccesses } from './answer-of.ts';
import type { Check } from './check.ts';
import { annotatedAnswer } from './secrets-in-answers.ts';

export const writeOnlyExposed: Check = {
  name: 'write-only-exposed',
  about: 'a property that is declared writeOnly stands in an answer',
  plan: ({ responses }) =>
    listedSuccesses(responses)
      .filter(({ contents }) => contents.some(({ schema }) => schema !== undefined))
      .map(({ status }) => `response ${status}`),
  needs: (place) => `${place} with JSON and a schema`,
  judge: (exchange, { contract }) => {
    const parts = annotatedAnswer(contract, exchange);
    if (parts.length === 0) return [];
    const exposed = parts.filter(({ sure, schema, value }) => sure && schema.writeOnly === true && value !== null);
    const status = exchange.outcome.kind === 'answer' ? exchange.outcome.status : 0;
    const bySentence = Map.groupBy(exposed, ({ pointer }) => pointer);
    const failures = [...bySentence].map(([pointer, [first]]): Failure => {
      const at = first?.at ?? '';
      return {
        check: 'write-only-exposed',
        severity: 'defect',
        place: `response ${status} body ${at}`,
        pattern: pointer,
        pointer: joinPointer(pointer, 'writeOnly'),
        keyword: 'writeOnly',
        says: `${at} is declared writeOnly and was sent`,
        isShared: true,
      };
    });
    return [{ place: `response ${status}`, failures }];
  },
};
