import type { MediaContent, ResponseObject } from '../contract/contract.ts';
import { coversMediaType, essenceOf, isJson } from '../contract/media-type.ts';
import { type Answer, headerOf } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { answerOf, hasContent, listedSuccesses, readText } from './answered.ts';
import type { CheckContext, ExchangeCheck } from './check.ts';

export const bodySchema: ExchangeCheck = {
  name: 'body-schema',
  about: 'content that is not what its media type says, or that breaks the schema of the response',
  plan: ({ responses }) =>
    listedSuccesses(responses).flatMap(({ status, contents }) =>
      contents.map((content) => `response ${status} ${content.mediaType}`),
    ),
  judge: (exchange, context) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined || response === undefined || !hasContent(exchange)) return [];
    const sent = headerOf(answer, 'content-type');
    if (sent === undefined) return judgeSilence(answer, response);
    // The exact type first, then ranges such as text/*.
    const fitting = response.contents.filter((content) => coversMediaType(content.mediaType, sent));
    const content = fitting.find((candidate) => essenceOf(candidate.mediaType) === essenceOf(sent)) ?? fitting[0];
    if (content === undefined) return [];
    return [
      {
        place: `response ${response.status} ${content.mediaType}`,
        failures: judgeContent(answer, response, content, sent, context),
      },
    ];
  },
};

/** XML and CSV are texts too, but what their schema describes is what the text stands for, and nothing here reads that. */
function isJudged(mediaType: string): boolean {
  const essence = essenceOf(mediaType) ?? '';
  return isJson(mediaType) || (essence.startsWith('text/') && !/^text\/(csv|.*xml)$/.test(essence));
}

function judgeContent(
  answer: Answer,
  response: ResponseObject,
  content: MediaContent,
  sent: string,
  { judge }: CheckContext,
): Failure[] {
  const read = readText(answer.body, sent);
  const failure = { check: 'body-schema', severity: 'defect', isShared: true } as const;
  if ('broken' in read) {
    const place = `response ${answer.status} body`;
    const pattern = `response ${response.status} ${content.mediaType} ${read.broken}`;
    return [
      {
        ...failure,
        place,
        pattern,
        pointer: content.pointer,
        keyword: read.broken,
        clause: read.clause,
        says: read.says,
      },
    ];
  }
  if (content.schema === undefined || !isJudged(sent)) return [];
  const violations = judge.judge(content.schema, 'response', read.value);
  const bySentence = Map.groupBy(violations, ({ pointer, detail }) => `${pointer} ${detail}`);
  return [...bySentence].flatMap(([sentence, [first, ...more]]): Failure[] => {
    if (first === undefined) return [];
    const others = more.length === 0 ? '' : `, and so at ${more.length} more ${more.length === 1 ? 'place' : 'places'}`;
    return [
      {
        ...failure,
        place: `response ${answer.status} body ${first.at || '(the whole)'}`,
        pattern: sentence,
        pointer: first.pointer,
        keyword: first.keyword,
        says: `${first.says}${others}`,
      },
    ];
  });
}

/** No Content-Type and no content, where the contract promises some: not forbidden in so many words. */
function judgeSilence(answer: Answer, response: ResponseObject): ReturnType<ExchangeCheck['judge']> {
  const [content] = response.contents;
  if (answer.body.length > 0 || content?.schema === undefined || answer.status >= 300) return [];
  const place = `response ${response.status} ${content.mediaType}`;
  const says = `no content came, where ${content.mediaType} with a schema is declared`;
  const failure: Failure = {
    check: 'body-schema',
    severity: 'suspect',
    place: `response ${answer.status} body`,
    pattern: `response ${response.status} empty`,
    pointer: content.pointer,
    keyword: 'content',
    says,
    isShared: true,
  };
  return [{ place, failures: [failure] }];
}
