import { coversMediaType, essenceOf, type HeaderObject, type Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { decodeText } from '../data/decode-text.ts';
import { type Answer, headerOf, isOrdinary, type NumberedExchange } from '../execute/exchange.ts';
import { classOf, echoesOf, type Failure, normaliseBody } from '../failures/failure.ts';
import { clauseOf } from '../schema/clauses.ts';
import type { Violation } from '../schema/create-judge.ts';
import { type Answered, declaredAnswerOf, describeSince, hasContent, listedSuccesses } from './answered.ts';
import { type CheckContext, type ExchangeCheck, judgeWhole, planWholeAnswer } from './check.ts';
import { isConditional, isHttpDate } from './http-laws.ts';

/** Statuses that a contract need not declare: any server or proxy may send them. A 408 may come because the runner's machine is busy. */
const implied = new Set([408, 413, 414, 429, 431]);

/** Statuses that HTTP defines for a probe of the phase `protocol`, by the first word of its name (RFC 9110, 15.5). */
const impliedByProbe: Readonly<Record<string, readonly number[]>> = {
  'malformed-json': [400],
  'unlisted-media-type': [400, 415],
  'media-type-parameter': [415],
  Accept: [406],
};

export const statusUndocumented: ExchangeCheck = {
  name: 'status-undocumented',
  about: 'a status that the operation does not list, by itself, as a range or as default',
  effect: 'A client that follows the contract has no case for this status.',
  clauses: ['OpenAPI, Responses Object'],
  example: { sent: 'POST /books', answered: '202; the contract lists 201 and 400' },
  fix: 'Answer with one of the listed statuses.',
  allow: 'List the status under responses, by itself, as a range (4XX), or as default.',
  plan: planWholeAnswer,
  judge: (exchange) => {
    const answered = declaredAnswerOf(exchange);
    if (answered === undefined || exchange.isPause) return [];
    const { operation } = exchange;
    const { status } = answered.answer;
    const since = status === 404 ? exchange.since : undefined;
    if (answered.response !== undefined || isImplied(exchange, status)) return judgeWhole();
    return judgeWhole({
      check: 'status-undocumented',
      severity: since === undefined && isSure(exchange, status) ? 'defect' : 'suspect',
      place: `response ${status}`,
      pointer: joinPointer(operation.pointer, 'responses'),
      keyword: 'responses',
      clause: 'OpenAPI, Responses Object',
      message: `${describeStatus(exchange, answered)}${since === undefined ? '' : `; ${describeSince(since)}`}`,
      causes: since === undefined ? causesOf(exchange, answered.answer) : [[status, 'contamination']],
    });
  },
};

/**
 * An operation whose only rejection is one status, such as the 422 of a framework, omits all others for one reason. Operations that
 * answer a status with the same text have one handler of it.
 */
function causesOf({ operation: { responses }, seen }: NumberedExchange, { status, body }: Answer): Failure['causes'] {
  const rejections = responses.filter((response) => /^4/.test(response.status)).map((response) => response.status);
  const isOther = status >= 400 && rejections.length === 1 && /^4\d\d$/.test(rejections[0] ?? '');
  const text = normaliseBody(body.toString(), echoesOf(seen));
  return [isOther ? ['other than', Number(rejections[0])] : [status], ...(text === '' ? [] : [[status, text]])];
}

function describeStatus(exchange: NumberedExchange, { answer }: Answered): string {
  const { operation, request } = exchange;
  const listed = operation.responses.map((response) => response.status).join(', ') || 'none';
  const absence = isAbsent(exchange, answer.status) ? '; the operation may not be implemented' : '';
  const message = `${answer.status} is not documented; listed: ${listed}${absence}`;
  const location = answer.status >= 300 && answer.status < 400 ? headerOf(answer, 'location') : undefined;
  if (location === undefined) return message;
  const target = URL.parse(location, `http://host.invalid${request.path}`);
  const [asked = ''] = request.path.split('?');
  const isSlash = target?.pathname.replace(/\/$/, '').endsWith(asked.replace(/\/$/, ''));
  const where = /log-?in|sign-?in|auth|sso/i.test(location) ? 'to what looks like a login' : 'elsewhere';
  const hint = isSlash ? 'to the same path in another spelling' : `${where}, so the request was not accepted`;
  return `${message}; it leads ${hint}: ${location}`;
}

/** Whether an operation declares any 4xx; if none, its contract may omit them all. */
function documentsRejections({ responses }: Operation): boolean {
  return responses.some((response) => /^(4|default)/i.test(response.status));
}

/**
 * Whether the server answers as if it did not implement the operation. A 405 states that (RFC 9110, 15.5.6). A 404 counts only for a
 * path without parameters, and may still mean that there is nothing to read yet.
 */
function isAbsent(exchange: NumberedExchange, status: number): boolean {
  const { operation } = exchange;
  if (!isOrdinary(exchange)) return false;
  return status === 405 || (status === 404 && !operation.path.includes('{'));
}

/** Rejections that are about the client, and not about the request or its object. */
const ofClient = /^(401|403|407|429)$/;

/** A contract that lists no rejection of invalid input, or of an unknown id, lacks one: the server is right to reject it. */
function isSure({ operation, intent }: NumberedExchange, status: number): boolean {
  const isOfInput = (status === 400 || status === 422) && intent.polarity === 'invalid';
  if (isOfInput && !operation.responses.some(({ status: listed }) => /^(400|422|4XX|default)$/i.test(listed)))
    return false;
  if (status !== 404) return true;
  const isOfObject = operation.path.includes('{');
  return operation.responses.some(
    ({ status: listed }) => /^(4|default)/i.test(listed) && !(isOfObject && ofClient.test(listed)),
  );
}

function isImplied(exchange: NumberedExchange, status: number): boolean {
  const { operation, intent } = exchange;
  if (implied.has(status)) return true;
  // A credential in a wrong form (RFC 6750, 3.1, invalid_request).
  if (status === 400 && intent.probe?.checks.includes('auth-invalid') === true) return true;
  if (impliedByProbe[intent.probe?.name.split(', ')[0] ?? '']?.includes(status) === true) return true;
  // A server may find no route for an invalid value in the path, or only one for other methods.
  if (status === 405 && intent.polarity === 'invalid' && intent.probe?.name.startsWith('path ') === true) return true;
  if ((status === 304 || status === 412) && isConditional(exchange.request)) return true;
  // `server-error` judges each 5xx; an operation without any 4xx gets one warning instead of one finding each.
  if (status >= 500) return true;
  if (status >= 400 && !documentsRejections(operation)) return !isAbsent(exchange, status);
  return (
    (status === 401 || status === 403) && operation.security.some((alternative) => Object.keys(alternative).length > 0)
  );
}

export const mediaType: ExchangeCheck = {
  name: 'media-type',
  about: 'content without a media type, with a malformed one, or with one that the response does not list',
  effect: 'Clients choose their parser by Content-Type, so they cannot read the content.',
  clauses: ['RFC 9110 8.3'],
  example: { sent: 'GET /books', answered: '200 with text/html; the contract lists application/json' },
  fix: 'Send the type of the content in Content-Type. The content may be a page of a proxy or framework.',
  allow: 'Add the media type to content of the response.',
  plan: ({ responses }) =>
    listedSuccesses(responses)
      .filter(({ contents }) => contents.length > 0)
      .map(({ status, pointer }) => ({ place: `response ${status}`, pointer, keyword: 'content' })),
  needs: (place) => `${place} with content`,
  judge: (exchange) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined || !hasContent(exchange) || answer.body.length === 0) return [];
    const sent = headerOf(answer, 'content-type');
    const listed = response.contents.map((content) => content.mediaType);
    const place = `response ${response.status}`;
    const wanted = listed.join(' or ');
    const fail = (kind: string, severity: Failure['severity'], message: string) => {
      const types = listed.map((type) => essenceOf(type) ?? type).sort();
      const failure: Failure = {
        check: 'media-type',
        severity,
        place: `response ${answer.status} header Content-Type`,
        pointer: joinPointer(response.pointer, 'content'),
        keyword: 'content',
        clause: 'RFC 9110 8.3',
        message,
        // If no type is declared, the type that came does not characterise the omission.
        causes: [
          kind === 'undeclared' ? [kind] : [classOf(answer.status), kind, essenceOf(sent ?? '') ?? '', ...types],
        ],
      };
      return [{ place, failures: [failure] }];
    };
    if (sent === undefined) {
      // A recipient may assume this type if none is sent (RFC 9110, 8.3).
      if (listed.some((type) => coversMediaType(type, 'application/octet-stream'))) return [{ place, failures: [] }];
      // A sender should name the type unless it does not know it (RFC 9110, 8.3).
      const severity = listed.length > 0 ? 'defect' : 'suspect';
      return fail('none', severity, `content was sent without Content-Type${wanted && `; expected ${wanted}`}`);
    }
    if (essenceOf(sent) === undefined) return fail('malformed', 'defect', `"${sent}" is not a media type`);
    // No norm forbids undeclared content, but a client needs to know the content of a success.
    if (listed.length === 0) {
      if (answer.status >= 300) return [{ place, failures: [] }];
      return fail('undeclared', 'suspect', `content of type ${sent} was sent, but the contract declares no content`);
    }
    // A malformed type in the contract has no defined meaning.
    const isListed = listed.some((type) => essenceOf(type) === undefined || coversMediaType(type, sent));
    return isListed
      ? [{ place, failures: [] }]
      : fail('unlisted', 'defect', `content was sent as ${sent}; expected ${wanted}`);
  },
};

export const headerSchema: ExchangeCheck = {
  name: 'header-schema',
  about: 'a required response header that is missing, or a response header whose value breaks its schema',
  effect: 'A client that needs the header, for paging or for the time of a retry, cannot use the answer.',
  clauses: ['OpenAPI', 'JSON Schema'],
  example: { sent: 'GET /books', answered: '200 without X-Total, which the contract requires' },
  fix: 'Send the header with every answer of this status, those of error handlers and proxies included.',
  allow: 'Remove required: true from the header, or change its schema.',
  plan: ({ responses }) =>
    listedSuccesses(responses).flatMap(({ status, headers }) =>
      headers.map(({ name, pointer }) => ({ place: `response ${status} header ${name}`, pointer })),
    ),
  judge: (exchange, context) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined) return [];
    return response.headers.flatMap((header) => {
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
        clause: 'OpenAPI, Header Object',
        message: `${header.name} is missing`,
        causes: [[classOf(answer.status), name, 'required']],
      };
      const place = `response ${response.status} header ${header.name}`;
      if (texts.length === 0) return [{ place, failures: [missing] }];
      if (answer.hidden?.includes(name) === true)
        return [{ place, failures: [], unjudged: 'the recording hides the value' }];
      const judged = texts.map((text) => ({ text, violations: judgeValue(header, text, context) }));
      const failures = judged.flatMap(({ text, violations = [] }) =>
        violations.map(({ pointer, keyword, message }): Failure => {
          const causes = [[classOf(answer.status), name, keyword]];
          const clause = clauseOf(context.contract.root.openapi, keyword);
          return { ...base, pointer, keyword, clause, message: `${header.name}: ${text} ${message}`, causes };
        }),
      );
      const isJudged = failures.length > 0 || judged.every(({ violations }) => violations !== undefined);
      return [isJudged ? { place, failures } : { place, failures: [], unjudged: 'the schema cannot be evaluated' }];
    });
  },
};

/** Fields of one name are one list (RFC 9110, 5.3), except `Set-Cookie`, which cannot be joined. */
function textsOf(answer: Answer, name: string): readonly string[] {
  if (name.toLowerCase() !== 'set-cookie') return [headerOf(answer, name)].filter((text) => text !== undefined);
  return answer.headers.filter(([known]) => known.toLowerCase() === 'set-cookie').map(([, text]) => text);
}

/**
 * Judges each JSON value that the text may stand for: one valid reading is enough, otherwise the nearest one is reported.
 *
 * @returns undefined if the text cannot be judged
 */
function judgeValue(
  { schema, hasContent, explode, name }: HeaderObject,
  text: string,
  { judge }: CheckContext,
): readonly Violation[] | undefined {
  if (schema === undefined) return hasContent ? undefined : [];
  const judgeReading = (value: unknown) => judge.judge(schema, 'response', value);
  // Most values are a text or a number: decoding all other readings takes a hundred times as long.
  const plain = judgeReading(text);
  if (plain === undefined || plain.length === 0) return plain;
  if (/^-?\d{1,15}$/.test(text) && judgeReading(Number(text))?.length === 0) return [];
  const readings = decodeText(judge.forms.response, schema, text, explode).map((value) => judgeReading(value) ?? []);
  if (readings.some((violations) => violations.length === 0)) return [];
  const distance = (violations: readonly Violation[]): number =>
    violations.length + (violations.some(({ keyword }) => keyword === 'type') ? 100 : 0);
  const nearest = readings.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  // HTTP defines the date format of its own fields, which a contract cannot change (RFC 9110, 5.6.7, 10.2.3).
  const isOwnDate = /^(date|expires|last-modified|retry-after|sunset)$/i.test(name) && isHttpDate(text);
  return isOwnDate ? nearest.filter(({ keyword }) => keyword !== 'format' && keyword !== 'type') : nearest;
}
