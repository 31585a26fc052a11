import { contentFor, essenceOf, isJson, type MediaContent, type ResponseObject } from '../contract/contract.ts';
import { follow, isObject, type JsonObject, type Pointer, parseJson, placeAt } from '../contract/document.ts';
import { type Answer, headerOf, type NumberedExchange } from '../execute/exchange.ts';
import { classOf, type Failure } from '../failures/failure.ts';
import { clauseOf } from '../schema/clauses.ts';
import type { Violation } from '../schema/create-judge.ts';
import { contentOf, declaredAnswerOf, hasContent, listedSuccesses } from './answered.ts';
import { type Fault, findFaults } from './body-faults.ts';
import type { CheckContext, ExchangeCheck, Verdict } from './check.ts';

export const bodySchema: ExchangeCheck = {
  name: 'body-schema',
  about: 'content that does not match its media type, or that breaks the schema of the response',
  effect: 'A client that follows the contract fails on the content, or reads a wrong value.',
  clauses: ['JSON Schema', 'OpenAPI', 'RFC 8259', 'RFC 9110 8.3.2'],
  example: { sent: 'GET /books/7', answered: '200 {"pages":"474"}; the schema declares an integer' },
  fix: 'Send the value that the schema at the pointer of the finding describes.',
  allow: 'Change that schema: add the type null (3.0: nullable), a value of the enum, or x-open-enum.',
  plan: ({ responses }) =>
    listedSuccesses(responses).flatMap(({ status, contents }) =>
      contents.map(({ mediaType, pointer }) => ({ place: `response ${status} ${mediaType}`, pointer })),
    ),
  judge: (exchange, context) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined || !hasContent(exchange)) return [];
    if (answer.body.length === 0 && answer.isCut !== true) return judgeSilence(answer, response);
    const sent = headerOf(answer, 'content-type');
    if (sent === undefined) return [];
    const content = contentFor(response.contents, sent);
    if (content === undefined) return [];
    const place = `response ${response.status} ${content.mediaType}`;
    const cut = answer.undecoded?.message ?? 'only the beginning of the content was read';
    if (answer.isCut === true) return [{ place, failures: [], unjudged: cut }];
    const judged = judgeContent(exchange, answer, content, sent, context);
    return [typeof judged === 'string' ? { place, failures: [], unjudged: judged } : { place, failures: judged }];
  },
};

const unread = 'a part of the schema cannot be evaluated (see the warnings), or the body is nested too deeply';

/** @returns the failures, or the reason why the content could not be judged */
function judgeContent(
  exchange: NumberedExchange,
  answer: Answer,
  content: MediaContent,
  sent: string,
  { contract, judge }: CheckContext,
): Failure[] | string {
  const read = contentOf(exchange, sent);
  const failure = { check: 'body-schema', severity: 'defect' } as const;
  const place = `response ${answer.status} body`;
  const range = classOf(answer.status);
  if (read.kind === 'unread') return read.message;
  if (read.kind === 'broken') {
    const { keyword, clause, message } = read;
    return [{ ...failure, place, pointer: content.pointer, keyword, clause, message, causes: [[range, keyword]] }];
  }
  const { schema } = content;
  if (schema === undefined || isFile(contract.root, schema)) return [];
  if (!isJson(sent)) {
    const essence = essenceOf(sent);
    const violations = judgeText(String(read.value), (value) => judge.judge(schema, 'response', value));
    if (violations === undefined) return unread;
    if (violations.length > 0 && essence !== 'text/plain') return `the runner has no parser for ${essence}`;
    return violations.map(({ pointer, keyword, message }) => {
      const clause = clauseOf(contract.root.openapi, keyword);
      return { ...failure, place, pointer, keyword, clause, message, causes: [[range, pointer]] };
    });
  }
  const violations = judge.judge(schema, 'response', read.value);
  if (violations === undefined) return unread;
  const { overflow } = read;
  const beyond = overflow === undefined ? undefined : `the number at ${overflow || 'the root'} is too large to be read`;
  if (violations.length === 0) return beyond ?? [];
  const faults = findFaults(contract.root, violations, read.value, range);
  if (faults.length === 0) return beyond ?? 'a number in the content has more digits than the runner can compare';
  return faults.map(({ first: { at, pointer, keyword }, message, causes, isSure }: Fault): Failure => {
    const severity = isSure ? 'defect' : 'suspect';
    const clause = clauseOf(contract.root.openapi, keyword);
    return {
      ...failure,
      severity,
      place: `${place} ${at || '(the whole)'}`,
      pointer,
      keyword,
      clause,
      message,
      causes,
    };
  });
}

/** `{type: string, format: binary}` describes a file of any octets (OpenAPI 3.0, Considerations for File Uploads). */
function isFile(root: JsonObject, schema: Pointer): boolean {
  const value = follow(root, placeAt(root, schema))?.value;
  return isObject(value) && value.type === 'string' && value.format === 'binary';
}

/**
 * The schema of plain text describes the text itself, or the JSON value that is written in it. For CSV, XML and event streams a
 * schema describes the decoded values, and the runner has no parser for these.
 */
function judgeText(text: string, judge: Judge): ReturnType<Judge> {
  const violations = judge(text);
  if (violations === undefined || violations.length === 0) return violations;
  const written = parseJson(text);
  return written !== undefined && judge(written)?.length === 0 ? [] : violations;
}

type Judge = (value: unknown) => readonly Violation[] | undefined;

/** Reports missing content of a success: no norm forbids that, and a client does not need the content of a rejection. */
function judgeSilence(answer: Answer, response: ResponseObject): Verdict[] {
  const [content] = response.contents;
  if (content?.schema === undefined || answer.status >= 300) return [];
  const failure: Failure = {
    check: 'body-schema',
    severity: 'suspect',
    place: `response ${answer.status} body`,
    pointer: content.pointer,
    keyword: 'content',
    clause: 'OpenAPI, Response Object',
    message: `no content was sent, but the contract declares ${content.mediaType} with a schema`,
    causes: [[classOf(answer.status), 'empty']],
  };
  return [{ place: `response ${response.status} ${content.mediaType}`, failures: [failure] }];
}
