import type { HeaderObject } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { decodeText } from '../data/parameter-styles.ts';
import { type Answer, headerOf } from '../execute/exchange.ts';
import { classOf, type Failure } from '../failures/failure.ts';
import type { Violation } from '../schema/create-judge.ts';
import { declaredAnswerOf, listedSuccesses } from './answered.ts';
import type { CheckContext, ExchangeCheck } from './check.ts';
import { isHttpDate } from './header-laws.ts';

export const headerSchema: ExchangeCheck = {
  name: 'header-schema',
  about: 'a required response header that is missing, or a declared one whose value breaks its schema',
  plan: ({ responses }) =>
    listedSuccesses(responses).flatMap(({ status, headers }) =>
      headers.filter(isJudged).map(({ name, pointer }) => ({ place: `response ${status} header ${name}`, pointer })),
    ),
  judge: (exchange, context) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined) return [];
    return response.headers.filter(isJudged).flatMap((header) => {
      const texts = textsOf(answer, header.name);
      if (texts.length === 0 && !header.required) return [];
      const base = {
        check: 'header-schema',
        severity: 'defect',
        place: `response ${answer.status} header ${header.name}`,
      } as const;
      const name = header.name.toLowerCase();
      const missing: Failure = {
        ...base,
        pointer: joinPointer(header.pointer, 'required'),
        keyword: 'required',
        says: `${header.name} is missing`,
        causes: [[classOf(answer.status), name, 'required']],
      };
      const failures =
        texts.length === 0
          ? [missing]
          : texts.flatMap((text) =>
              judgeValue(header, text, context).map(({ pointer, keyword, says }): Failure => {
                const causes = [[classOf(answer.status), name, keyword]];
                return { ...base, pointer, keyword, says: `${header.name}: ${text} ${says}`, causes };
              }),
            );
      return [{ place: `response ${response.status} header ${header.name}`, failures }];
    });
  },
};

/** A header of that name says nothing: the media types of `content` do (OpenAPI 3.1, 4.8.17.1). */
function isJudged({ name }: HeaderObject): boolean {
  return name.toLowerCase() !== 'content-type';
}

/** Fields of one name are one list (RFC 9110, 5.3), but for `Set-Cookie`, which cannot be joined. */
function textsOf(answer: Answer, name: string): readonly string[] {
  if (name.toLowerCase() !== 'set-cookie') return [headerOf(answer, name)].filter((text) => text !== undefined);
  return answer.headers.filter(([known]) => known.toLowerCase() === 'set-cookie').map(([, text]) => text);
}

/** Text on the wire may be read as several JSON values: one good reading is enough, the nearest one is told. */
function judgeValue(
  { schema, explode, name }: HeaderObject,
  text: string,
  { contract, judge }: CheckContext,
): readonly Violation[] {
  if (schema === undefined) return [];
  const judgeReading = (value: unknown): readonly Violation[] => judge.judge(schema, 'response', value);
  // Most are a text or a number: what else it may mean takes a hundred times as long to find.
  if (judgeReading(text).length === 0) return [];
  if (/^-?\d{1,15}$/.test(text) && judgeReading(Number(text)).length === 0) return [];
  const readings = decodeText(contract.root, schema, text, explode).map(judgeReading);
  if (readings.some((violations) => violations.length === 0)) return [];
  const distance = (violations: readonly Violation[]): number =>
    violations.length + (violations.some(({ keyword }) => keyword === 'type') ? 100 : 0);
  const nearest = readings.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  // HTTP gives its own fields a form of their own for dates, which a contract cannot change (RFC 9110, 5.6.7, 10.2.3).
  const isOwnDate = /^(date|expires|last-modified|retry-after|sunset)$/i.test(name) && isHttpDate(text);
  return isOwnDate ? nearest.filter(({ keyword }) => keyword !== 'format' && keyword !== 'type') : nearest;
}
