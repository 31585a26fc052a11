import { coversMediaType, essenceOf, type Operation } from '../contract/contract.ts';
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import { type Answer, headerOf, type OutgoingRequest } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { answerOf } from './answered.ts';
import { type ExchangeCheck, judgeWhole, planWholeAnswer } from './check.ts';

/** HTTP requires this of every server, independent of its contract: one finding per law. */
export const httpLaw: ExchangeCheck = {
  name: 'http-law',
  about: 'a law of HTTP is broken (RFC 9110, RFC 9457)',
  plan: planWholeAnswer,
  judge: (exchange) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const { operation, request } = exchange;
    const { status } = answer;
    const isListed = operation.responses.some((one) => one.status === String(status));
    const failures = Object.entries(laws).flatMap(([name, law]): Failure[] => {
      const { clause, header, of = [status], unlessListed = false } = law;
      if (!of.includes(status) || (isListed && unlessListed)) return [];
      const field = header === undefined ? undefined : headerOf(answer, header);
      const message = law.judge({ operation, request, answer, field });
      if (message === undefined) return [];
      return [
        {
          check: 'http-law',
          severity: 'defect',
          place: `response ${status}${header === undefined ? '' : ` header ${header}`}`,
          pointer: response?.pointer ?? operation.pointer,
          keyword: name,
          clause,
          message,
          causes: [[name]],
        },
      ];
    });
    return judgeWhole(...failures);
  },
};

interface Law {
  readonly clause: string;
  /** The response header that the law concerns. */
  readonly header?: string;
  /** Statuses that the law concerns; all if omitted. */
  readonly of?: readonly number[];
  /** True for statuses that only make sense after a certain request, unless the contract lists one and gives it a meaning. */
  readonly unlessListed?: true;
  /** @returns how the answer breaks the law; undefined if it does not */
  readonly judge: (given: {
    readonly operation: Operation;
    readonly request: OutgoingRequest;
    readonly answer: Answer;
    /** The value of the law's header; undefined if it did not come. */
    readonly field: string | undefined;
  }) => string | undefined;
}

export const laws: Readonly<Record<string, Law>> = {
  'status-range': {
    clause: 'RFC 9110 15',
    judge: ({ answer: { status } }) => (status < 100 || status > 599 ? `${status} is outside 100 to 599` : undefined),
  },
  '401-www-authenticate': {
    clause: 'RFC 9110 11.6.1',
    header: 'WWW-Authenticate',
    of: [401],
    judge: ({ field }) => {
      if (field === undefined) return 'a 401 came without WWW-Authenticate';
      const parses = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:$|[ ,])/.test(field.trim());
      return parses ? undefined : `WWW-Authenticate: ${field} does not begin with an authentication scheme`;
    },
  },
  '405-allow': {
    clause: 'RFC 9110 15.5.6',
    header: 'Allow',
    of: [405],
    judge: ({ field }) => (field === undefined ? 'a 405 came without Allow' : undefined),
  },
  'allow-lists-refused': {
    clause: 'RFC 9110 10.2.1',
    header: 'Allow',
    of: [405],
    judge: ({ field = '', request: { method } }) => {
      const allowed = field.split(',').map((name) => name.trim());
      return allowed.includes(method) ? `${method} was answered 405, but Allow lists it` : undefined;
    },
  },
  'content-after-204': {
    clause: 'RFC 9110 8.6',
    header: 'Content-Length',
    of: [204],
    judge: ({ field }) => (field === undefined ? undefined : `a 204 came with Content-Length: ${field}`),
  },
  'content-coding': {
    clause: 'RFC 9110 8.4',
    header: 'Content-Encoding',
    judge: ({ answer: { undecoded } }) => (undecoded?.isFault === true ? undecoded.message : undefined),
  },
  'content-after-205': {
    clause: 'RFC 9110 15.3.6',
    of: [205],
    judge: ({ answer }) => (answer.body.length > 0 ? 'a 205 came with content' : undefined),
  },
  '304-unasked': {
    clause: 'RFC 9110 15.4.5',
    of: [304],
    judge: ({ request }) => (isConditional(request) ? undefined : 'a 304 came, but no condition was sent'),
  },
  '206-unasked': {
    clause: 'RFC 9110 15.3.7',
    of: [206],
    judge: ({ request }) =>
      headerOf(request, 'range') === undefined ? 'a 206 came, but no Range was sent' : undefined,
  },
  '201-to-read': {
    clause: 'RFC 9110 15.3.2',
    of: [201],
    judge: ({ request: { method } }) => (/^(GET|HEAD|DELETE)$/.test(method) ? `${method} was answered 201` : undefined),
  },
  '406-though-accepted': {
    clause: 'RFC 9110 15.5.7',
    of: [406],
    unlessListed: true,
    judge: ({ operation, request }) => {
      const accept = headerOf(request, 'accept') ?? '*/*';
      const listed = operation.responses.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType));
      const isListed = accept.split(',').some((part) => {
        const range = part.trim();
        return range.startsWith('*/*') || listed.some((type) => coversMediaType(range, type));
      });
      return isListed ? `a 406 came, but Accept was ${accept}` : undefined;
    },
  },
  '412-without-condition': {
    clause: 'RFC 9110 15.5.13',
    of: [412],
    unlessListed: true,
    judge: ({ request }) => (isConditional(request) ? undefined : 'a 412 came, but no condition was sent'),
  },
  '416-without-range': {
    clause: 'RFC 9110 15.5.17',
    of: [416],
    unlessListed: true,
    judge: ({ request }) =>
      headerOf(request, 'range') === undefined ? 'a 416 came, but no Range was sent' : undefined,
  },
  'content-refused-unsent': {
    clause: 'RFC 9110 15.5.14, 15.5.16',
    of: [413, 415],
    unlessListed: true,
    judge: ({ request, answer: { status } }) =>
      request.body === undefined ? `a ${status} came, but no content was sent` : undefined,
  },
  '426-upgrade': {
    clause: 'RFC 9110 15.5.22',
    header: 'Upgrade',
    of: [426],
    judge: ({ field }) => (field === undefined ? 'a 426 came without Upgrade' : undefined),
  },
  'location-reference': {
    clause: 'RFC 9110 10.2.2',
    header: 'Location',
    judge: ({ field = '' }) => {
      const isReference = /^[!#-;=?-Z_a-z~[\]%@]*$/.test(field) && URL.canParse(field, 'http://host.example/');
      return isReference ? undefined : `Location: ${field} is not a URI reference`;
    },
  },
  'retry-after-value': {
    clause: 'RFC 9110 10.2.3',
    header: 'Retry-After',
    judge: ({ field }) =>
      field === undefined || /^\d+$/.test(field) || isHttpDate(field)
        ? undefined
        : `Retry-After: ${field} is neither a number of seconds nor a date`,
  },
  'etag-grammar': {
    clause: 'RFC 9110 8.8.3',
    header: 'ETag',
    judge: ({ field }) => (field === undefined || isTag(field) ? undefined : `ETag: ${field} is not a quoted tag`),
  },
  'last-modified-date': {
    clause: 'RFC 9110 8.8.2',
    header: 'Last-Modified',
    judge: ({ field, answer }) => {
      if (field === undefined) return undefined;
      if (!isHttpDate(field)) return `Last-Modified: ${field} is not a date`;
      const date = headerOf(answer, 'date') ?? '';
      const isLater = Date.parse(field) > Date.parse(date) + skewMs;
      return isLater ? `Last-Modified: ${field} is later than Date: ${date}` : undefined;
    },
  },
  'problem-members': {
    clause: 'RFC 9457 3.1',
    judge: ({ answer }) => {
      const problem = problemOf(answer) ?? {};
      const wrong = textMembers.find((name) => name in problem && typeof problem[name] !== 'string');
      if (wrong !== undefined) return `member ${wrong} of the problem is not a string`;
      return 'status' in problem && typeof problem.status !== 'number'
        ? 'member status of the problem is not a number'
        : undefined;
    },
  },
  'problem-status': {
    clause: 'RFC 9457 3.1.2',
    judge: ({ answer }) => {
      const status = problemOf(answer)?.status;
      if (typeof status !== 'number' || status === answer.status) return undefined;
      return `the problem has status ${status}, but the answer is ${answer.status}`;
    },
  },
};

/** Whether a text has the grammar of an entity tag (RFC 9110, 8.8.3). */
export function isTag(text: string | undefined): text is string {
  return text !== undefined && /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(text);
}

/** Whether a request has a precondition (RFC 9110, 13.1). */
export function isConditional({ headers }: OutgoingRequest): boolean {
  return headers.some(([name]) => /^if-/i.test(name));
}

/** The most by which the clocks of two machines may differ. */
const skewMs = 5_000;

/** The format that servers must send, and the two obsolete ones that recipients accept (RFC 9110, 5.6.7). */
const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT|\w{6,9}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

export function isHttpDate(text: string): boolean {
  return httpDate.test(text);
}

const textMembers = ['type', 'title', 'detail', 'instance'];

function problemOf(answer: Answer): JsonObject | undefined {
  if (essenceOf(headerOf(answer, 'content-type') ?? '') !== 'application/problem+json') return undefined;
  const value = parseJson(answer.body.toString());
  return isObject(value) ? value : undefined;
}
