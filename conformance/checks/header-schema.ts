import type { HeaderObject } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { decodeText } from '../data/decode-text.ts';
import { headerOf } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import type { Violation } from '../schema/violation.ts';
import { answerOf, listedSuccesses } from './answered.ts';
import type { CheckContext, ExchangeCheck } from './check.ts';

export const headerSchema: ExchangeCheck = {
  name: 'header-schema',
  about: 'a required response header that is missing, or a declared one whose value breaks its schema',
  plan: ({ responses }) =>
    listedSuccesses(responses).flatMap(({ status, headers }) =>
      headers.map(({ name }) => `response ${status} header ${name}`),
    ),
  judge: (exchange, context) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined || response === undefined) return [];
    return response.headers.flatMap((header) => {
      const text = headerOf(answer, header.name);
      if (text === undefined && !header.required) return [];
      const base = {
        check: 'header-schema',
        severity: 'defect',
        place: `response ${answer.status} header ${header.name}`,
        isShared: true,
      } as const;
      const failures: Failure[] =
        text === undefined
          ? [
              {
                ...base,
                pattern: `missing ${header.pointer}`,
                pointer: joinPointer(header.pointer, 'required'),
                keyword: 'required',
                says: `${header.name} is missing`,
              },
            ]
          : judgeValue(header, text, context).map(({ pointer, keyword, says }) => {
              return { ...base, pattern: pointer, pointer, keyword, says: `${header.name}: ${text} ${says}` };
            });
      return [{ place: `response ${response.status} header ${header.name}`, failures }];
    });
  },
};

/** Text on the wire may be read as several JSON values: one good reading is enough, the nearest one is told. */
function judgeValue(
  { schema, explode }: HeaderObject,
  text: string,
  { contract, judge }: CheckContext,
): readonly Violation[] {
  if (schema === undefined) return [];
  const readings = decodeText(contract.root, schema, text, explode).map((value) =>
    judge.judge(schema, 'response', value),
  );
  if (readings.some((violations) => violations.length === 0)) return [];
  const distance = (violations: readonly Violation[]): number =>
    violations.length + (violations.some(({ keyword }) => keyword === 'type') ? 100 : 0);
  return readings.reduce((best, next) => (distance(next) < distance(best) ? next : best));
}
