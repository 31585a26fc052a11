import {
  type Contract,
  coversMediaType,
  essenceOf,
  type Operation,
  type ResponseObject,
} from '../contract/contract.ts';
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import { type Answer, headerOf, type OutgoingRequest } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { answerOf } from './answered.ts';
import { type ExchangeCheck, planWholeAnswer, type Verdict, wholeAnswer } from './check.ts';

/** What HTTP asks of every server, whatever its contract says: one finding per law. */
export const httpLaw: ExchangeCheck = {
  name: 'http-law',
  about: 'a law of HTTP is broken (RFC 9110, RFC 9457)',
  plan: planWholeAnswer,
  judge: (exchange, { contract }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const { operation, request } = exchange;
    const failures = Object.entries(laws).flatMap(([name, law]): Failure[] => {
      const says = law.judge({ contract, operation, request, answer, response });
      if (says === undefined) return [];
      return [
        {
          check: 'http-law',
          severity: 'defect',
          place: `response ${answer.status}${law.header === undefined ? '' : ` header ${law.header}`}`,
          pointer: response?.pointer ?? operation.pointer,
          keyword: name,
          clause: law.clause,
          says,
          causes: [[name]],
        },
      ];
    });
    const verdict: Verdict = { place: wholeAnswer, failures };
    return [verdict];
  },
};

interface LawCase {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly request: OutgoingRequest;
  readonly answer: Answer;
  /** What the contract says about the status. */
  readonly response: ResponseObject | undefined;
}

interface Law {
  readonly clause: string;
  /** The response header that it is about. */
  readonly header?: string;
  /** @returns how it is broken; undefined when it holds or does not apply */
  readonly judge: (given: LawCase) => string | undefined;
}

/** Statuses that only make sense after a certain request. Where the contract lists one, it has the meaning given there. */
const statusLaws: Readonly<Record<string, Law>> = {
  'status-range': {
    clause: 'RFC 9110 15',
    judge: ({ answer }) =>
      answer.status < 100 || answer.status > 599 ? `${answer.status} is outside 100 to 599` : undefined,
  },
  '401-www-authenticate': {
    clause: 'RFC 9110 11.6.1',
    header: 'WWW-Authenticate',
    judge: ({ answer }) => {
      if (answer.status !== 401) return undefined;
      const challenge = headerOf(answer, 'www-authenticate');
      if (challenge === undefined) return 'a 401 came without WWW-Authenticate';
      const parses = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:$|[ ,])/.test(challenge.trim());
      return parses ? undefined : `WWW-Authenticate: ${challenge} names no scheme`;
    },
  },
  '405-allow': {
    clause: 'RFC 9110 15.5.6',
    header: 'Allow',
    judge: ({ answer }) =>
      answer.status === 405 && headerOf(answer, 'allow') === undefined ? 'a 405 came without Allow' : undefined,
  },
  'allow-lists-refused': {
    clause: 'RFC 9110 10.2.1',
    header: 'Allow',
    judge: ({ answer, request }) => {
      const allowed = (headerOf(answer, 'allow') ?? '').split(',').map((method) => method.trim());
      const isRefused = answer.status === 405 && allowed.includes(request.method);
      return isRefused ? `${request.method} was refused with 405, and Allow lists it` : undefined;
    },
  },
  'content-after-204': {
    clause: 'RFC 9110 8.6',
    header: 'Content-Length',
    judge: ({ answer }) =>
      answer.status === 204 && headerOf(answer, 'content-length') !== undefined
        ? `a 204 came with Content-Length: ${headerOf(answer, 'content-length')}`
        : undefined,
  },
  'content-coding': {
    clause: 'RFC 9110 8.4',
    header: 'Content-Encoding',
    judge: ({ answer }) => (answer.undecoded?.isFault === true ? answer.undecoded.says : undefined),
  },
  'content-after-205': {
    clause: 'RFC 9110 15.3.6',
    judge: ({ answer }) => (answer.status === 205 && answer.body.length > 0 ? 'a 205 came with content' : undefined),
  },
  '304-unasked': {
    clause: 'RFC 9110 15.4.5',
    judge: (given) =>
      given.answer.status === 304 && !isConditional(given) ? 'a 304 came, and no condition was sent' : undefined,
  },
  '206-unasked': {
    clause: 'RFC 9110 15.3.7',
    judge: ({ answer, request }) =>
      answer.status === 206 && !has(request, 'range') ? 'a 206 came, and no Range was sent' : undefined,
  },
  '201-to-read': {
    clause: 'RFC 9110 15.3.2',
    judge: ({ answer, request }) =>
      answer.status === 201 && ['GET', 'HEAD', 'DELETE'].includes(request.method)
        ? `a 201 came to ${request.method}`
        : undefined,
  },
  '406-though-accepted': {
    clause: 'RFC 9110 15.5.7',
    judge: (given) => {
      if (given.answer.status !== 406 || isOwnMeaning(given)) return undefined;
      const accept = given.request.headers.find(([name]) => name === 'accept')?.[1] ?? '*/*';
      const listed = given.operation.responses.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType));
      const wanted = accept.split(',').map((part) => part.trim());
      const isListed = wanted.some(
        (range) => range.startsWith('*/*') || listed.some((type) => coversMediaType(range, type)),
      );
      return isListed ? `a 406 came, and Accept was ${accept}` : undefined;
    },
  },
  '412-without-condition': {
    clause: 'RFC 9110 15.5.13',
    judge: (given) =>
      given.answer.status === 412 && !isOwnMeaning(given) && !isConditional(given)
        ? 'a 412 came, and no condition was sent'
        : undefined,
  },
  '416-without-range': {
    clause: 'RFC 9110 15.5.17',
    judge: (given) =>
      given.answer.status === 416 && !isOwnMeaning(given) && !has(given.request, 'range')
        ? 'a 416 came, and no Range was sent'
        : undefined,
  },
  'content-refused-unsent': {
    clause: 'RFC 9110 15.5.14, 15.5.16',
    judge: (given) =>
      [413, 415].includes(given.answer.status) && !isOwnMeaning(given) && given.request.body === undefined
        ? `a ${given.answer.status} came, and no content was sent`
        : undefined,
  },
  '426-upgrade': {
    clause: 'RFC 9110 15.5.22',
    header: 'Upgrade',
    judge: ({ answer }) =>
      answer.status === 426 && headerOf(answer, 'upgrade') === undefined ? 'a 426 came without Upgrade' : undefined,
  },
};

function isConditional({ request }: LawCase): boolean {
  return request.headers.some(([name]) => /^if-/i.test(name));
}

function has({ headers }: LawCase['request'], wanted: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === wanted);
}

/** The contract lists this very status: it may have its own meaning there. */
function isOwnMeaning({ operation, answer }: LawCase): boolean {
  return operation.responses.some(({ status }) => status === String(answer.status));
}

/** Clocks of two machines may differ by so much. */
const skewMs = 5_000;

/** The fixed form that servers send (RFC 9110, 5.6.7); the two older ones are still read. */
const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT|\w{6,9}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

export function isHttpDate(text: string): boolean {
  return httpDate.test(text);
}

const textMembers = ['type', 'title', 'detail', 'instance'];

/** Fields of an answer whose grammar HTTP itself gives, and problem details. */
const headerLaws: Readonly<Record<string, Law>> = {
  'location-reference': {
    clause: 'RFC 9110 10.2.2',
    header: 'Location',
    judge: ({ answer }) => {
      const location = headerOf(answer, 'location');
      if (location === undefined) return undefined;
      const isReference = /^[!#-;=?-Z_a-z~[\]%@]*$/.test(location) && URL.canParse(location, 'http://host.example/');
      return isReference ? undefined : `Location: ${location} is no URI reference`;
    },
  },
  'retry-after-value': {
    clause: 'RFC 9110 10.2.3',
    header: 'Retry-After',
    judge: ({ answer }) => {
      const value = headerOf(answer, 'retry-after');
      if (value === undefined || /^\d+$/.test(value) || isHttpDate(value)) return undefined;
      return `Retry-After: ${value} is neither seconds nor a date`;
    },
  },
  'etag-grammar': {
    clause: 'RFC 9110 8.8.3',
    header: 'ETag',
    judge: ({ answer }) => {
      const tag = headerOf(answer, 'etag');
      return tag === undefined || /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag)
        ? undefined
        : `ETag: ${tag} is not a quoted tag`;
    },
  },
  'last-modified-date': {
    clause: 'RFC 9110 8.8.2',
    header: 'Last-Modified',
    judge: ({ answer }) => {
      const modified = headerOf(answer, 'last-modified');
      if (modified === undefined) return undefined;
      if (!isHttpDate(modified)) return `Last-Modified: ${modified} is no date`;
      const sent = Date.parse(headerOf(answer, 'date') ?? '');
      const isLater = Date.parse(modified) > sent + skewMs;
      return isLater ? `Last-Modified: ${modified} is later than Date: ${headerOf(answer, 'date')}` : undefined;
    },
  },
  // Only where an answer calls itself `application/problem+json`.
  'problem-members': {
    clause: 'RFC 9457 3.1',
    judge: ({ answer }) => {
      const problem = problemOf(answer);
      if (problem === undefined) return undefined;
      const wrong = textMembers.find((name) => name in problem && typeof problem[name] !== 'string');
      if (wrong !== undefined) return `member ${wrong} of the problem is not text`;
      return 'status' in problem && typeof problem.status !== 'number'
        ? 'member status of the problem is no number'
        : undefined;
    },
  },
  'problem-status': {
    clause: 'RFC 9457 3.1.2',
    judge: ({ answer }) => {
      const status = problemOf(answer)?.status;
      if (typeof status !== 'number' || status === answer.status) return undefined;
      return `the problem says status ${status}, the answer is ${answer.status}`;
    },
  },
};

export const laws: Readonly<Record<string, Law>> = { ...statusLaws, ...headerLaws };

function problemOf(answer: Answer): JsonObject | undefined {
  if (essenceOf(headerOf(answer, 'content-type') ?? '') !== 'application/problem+json') return undefined;
  const value = parseJson(answer.body.toString());
  return isObject(value) ? value : undefined;
}
