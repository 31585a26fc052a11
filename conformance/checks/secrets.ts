import { joinPointer } from '../contract/document.ts';
import type { Failure } from '../failures/failure.ts';
import { isSecretSchema } from '../schema/annotated-values.ts';
import { annotatedAnswer, answerOf, listedSuccesses } from './answered.ts';
import { type ExchangeCheck, wholeAnswer } from './check.ts';

export const writeOnlyExposed: ExchangeCheck = {
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

/** Shorter texts turn up by chance. */
export const leastSecretLength = 6;

export const sensitiveLeak: ExchangeCheck = {
  name: 'sensitive-leak',
  about: 'a value that one operation gives out as sensitive turns up in the answer of another',
  plan: () => [wholeAnswer],
  judge: (exchange, { contract, secretsSeen }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const text = answer.body.toString();
    const allowed = new Set(
      annotatedAnswer(contract, exchange)
        .filter(({ schema }) => isSecretSchema(schema))
        .map(({ value }) => String(value)),
    );
    const sent = `${exchange.request.path} ${exchange.request.body?.toString() ?? ''}`;
    const failures = secretsSeen
      .filter((secret) => secret.operation !== exchange.operation && !allowed.has(secret.text))
      .filter((secret) => isWholeToken(text, secret.text) && !sent.includes(secret.text))
      .map((secret): Failure => {
        return {
          check: 'sensitive-leak',
          severity: 'defect',
          place: `response ${answer.status} body`,
          pattern: `${exchange.operation.id} ${secret.pointer}`,
          pointer: secret.pointer,
          keyword: 'x-sensitive',
          says: `a secret of ${secret.operation.id} stands in this answer${response === undefined ? '' : ', where none is declared'}`,
          isShared: false,
        };
      });
    return [{ place: wholeAnswer, failures }];
  },
};

function isWholeToken(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + token.length] ?? ' '}`;
    if (!/[A-Za-z0-9]/.test(around)) return true;
  }
  return false;
}
