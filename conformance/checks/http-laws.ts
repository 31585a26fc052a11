import { type Contract, coversMediaType, essenceOf, isJson, type Operation } from '../contract/contract.ts';
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import { type Answer, headerOf, type OutgoingRequest } from '../execute/exchange.ts';
import { takesToken } from '../execute/tokens.ts';
import type { Failure } from '../failures/failure.ts';
import { answerOf } from './answered.ts';
import { type ExchangeCheck, judgeWhole, type LawDescription, planWholeAnswer } from './check.ts';

interface Law extends LawDescription {
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
    readonly schemes: Contract['schemes'];
    /** The value of the law's header; undefined if it did not come. */
    readonly field: string | undefined;
  }) => string | undefined;
}

const ownMeaning = 'Document the status for this operation: it then has the meaning of the contract.';

export const laws: Readonly<Record<string, Law>> = {
  'status-range': {
    about: 'a status outside 100 to 599',
    clause: 'RFC 9110 15',
    example: { sent: 'GET /books', answered: '999' },
    fix: 'Answer with a registered status.',
    judge: ({ answer: { status } }) => (status < 100 || status > 599 ? `${status} is outside 100 to 599` : undefined),
  },
  '401-www-authenticate': {
    about: 'a 401 without the header WWW-Authenticate, or with a malformed one',
    clause: 'RFC 9110 11.6.1',
    example: { sent: 'GET /books', answered: '401 without WWW-Authenticate' },
    fix: 'Send WWW-Authenticate with the scheme that the contract declares, as in: Bearer.',
    header: 'WWW-Authenticate',
    of: [401],
    judge: ({ field }) => {
      if (field === undefined) return 'a 401 came without WWW-Authenticate';
      const parses = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:$|[ ,])/.test(field.trim());
      return parses ? undefined : `WWW-Authenticate: ${field} does not begin with an authentication scheme`;
    },
  },
  '405-allow': {
    about: 'a 405 without the header Allow',
    clause: 'RFC 9110 15.5.6',
    example: { sent: 'GET /books/7', answered: '405 without Allow' },
    fix: 'Send Allow with the methods of the path, as in: GET, PUT.',
    header: 'Allow',
    of: [405],
    judge: ({ field }) => (field === undefined ? 'a 405 came without Allow' : undefined),
  },
  'allow-lists-refused': {
    about: 'a 405 whose header Allow lists the rejected method',
    clause: 'RFC 9110 10.2.1',
    example: { sent: 'PUT /books/7', answered: '405 with Allow: GET, PUT' },
    fix: 'Implement the method, or remove it from Allow.',
    header: 'Allow',
    of: [405],
    judge: ({ field = '', request: { method } }) => {
      const allowed = field.split(',').map((name) => name.trim());
      return allowed.includes(method) ? `${method} was answered 405, but Allow lists it` : undefined;
    },
  },
  'content-after-204': {
    about: 'a 204 with the header Content-Length',
    clause: 'RFC 9110 8.6',
    example: { sent: 'DELETE /books/7', answered: '204 with Content-Length: 2' },
    fix: 'Omit Content-Length and the content, or answer with 200.',
    header: 'Content-Length',
    of: [204],
    judge: ({ field }) => (field === undefined ? undefined : `a 204 came with Content-Length: ${field}`),
  },
  'content-coding': {
    about: 'content that is not in the coding of its header Content-Encoding',
    clause: 'RFC 9110 8.4',
    example: { sent: 'GET /books', answered: '200 with Content-Encoding: gzip and plain JSON' },
    fix: 'Compress the content, or omit Content-Encoding. A proxy may have unpacked the content.',
    header: 'Content-Encoding',
    judge: ({ answer: { undecoded } }) => (undecoded?.isFault === true ? undecoded.message : undefined),
  },
  'content-after-205': {
    about: 'a 205 with content',
    clause: 'RFC 9110 15.3.6',
    example: { sent: 'POST /form', answered: '205 {"ok":true}' },
    fix: 'Omit the content, or answer with 200.',
    of: [205],
    judge: ({ answer }) => (answer.body.length > 0 ? 'a 205 came with content' : undefined),
  },
  '304-unasked': {
    about: 'a 304 to a request without a condition',
    clause: 'RFC 9110 15.4.5',
    example: { sent: 'GET /books', answered: '304' },
    fix: 'Answer with 304 only if If-None-Match or If-Modified-Since was sent. A cache may answer for another client.',
    of: [304],
    judge: ({ request }) => (isConditional(request) ? undefined : 'a 304 came, but no condition was sent'),
  },
  '401-bearer-challenge': {
    about: 'a 401 whose WWW-Authenticate has no challenge for the bearer token that the operation requires',
    clause: 'RFC 6750 3',
    example: { sent: 'GET /books without a token', answered: '401 with WWW-Authenticate: Basic realm="books"' },
    fix: 'Send WWW-Authenticate: Bearer, in addition to other challenges.',
    header: 'WWW-Authenticate',
    of: [401],
    judge: ({ operation, schemes, field }) => {
      const closed = operation.security.filter((alternative) => Object.keys(alternative).length > 0);
      const isOther = (name: string): boolean => schemes[name]?.type === 'http' && !takesToken(schemes[name]);
      const isByToken =
        closed.length > 0 &&
        closed.every((one) => {
          const names = Object.keys(one);
          return names.some((name) => takesToken(schemes[name])) && !names.some(isOther);
        });
      if (!isByToken || field === undefined) return undefined;
      // Other schemes of tokens may replace Bearer: DPoP (RFC 9449), GNAP.
      const hasScheme = /(^|,)\s*(bearer|dpop|gnap)\b/i.test(field);
      return hasScheme ? undefined : `WWW-Authenticate: ${field} has no challenge for a bearer token`;
    },
  },
  '206-content-range': {
    about: 'a 206 without Content-Range, or with one that does not fit its content',
    clause: 'RFC 9110 15.3.7.1',
    example: { sent: 'GET /books with Range: bytes=0-0', answered: '206 without Content-Range' },
    fix: 'Send Content-Range, or ignore Range and answer 200.',
    header: 'Content-Range',
    of: [206],
    judge: ({ request, answer, field }) => {
      if (headerOf(request, 'range') === undefined) return undefined;
      const isMultipart = /^multipart\/byteranges/i.test(headerOf(answer, 'content-type') ?? '');
      if (isMultipart) return undefined;
      if (field === undefined) return 'a 206 came without Content-Range';
      const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(field) ?? [];
      const announced = from === undefined ? undefined : Number(to) - Number(from) + 1;
      const isCoded = headerOf(answer, 'content-encoding') !== undefined || answer.isCut === true;
      return announced === undefined || isCoded || announced === answer.body.length
        ? undefined
        : `Content-Range: ${field} announces ${announced} octets, but ${answer.body.length} came`;
    },
  },
  '206-unasked': {
    about: 'a 206 to a request without Range',
    clause: 'RFC 9110 15.3.7',
    example: { sent: 'GET /file', answered: '206' },
    fix: 'Answer with 200 and the whole content if no Range was sent.',
    of: [206],
    judge: ({ request }) =>
      headerOf(request, 'range') === undefined ? 'a 206 came, but no Range was sent' : undefined,
  },
  '201-to-read': {
    about: 'a 201 to GET, HEAD or DELETE',
    clause: 'RFC 9110 15.3.2',
    example: { sent: 'GET /books', answered: '201' },
    fix: 'Answer with 200.',
    of: [201],
    // A contract that lists it is wrong itself: the deployment does what the contract states.
    unlessListed: true,
    judge: ({ request: { method } }) => (/^(GET|HEAD|DELETE)$/.test(method) ? `${method} was answered 201` : undefined),
  },
  '406-though-accepted': {
    about: 'a 406 although Accept lists a type of the contract',
    clause: 'RFC 9110 15.5.7',
    example: { sent: 'GET /books with Accept: application/json', answered: '406' },
    fix: 'Compare the types of Accept, with wildcards and weights, with those of the contract.',
    of: [406],
    unlessListed: true,
    allow: ownMeaning,
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
    about: 'a 412 to a request without a condition',
    clause: 'RFC 9110 15.5.13',
    example: { sent: 'PUT /books/7', answered: '412' },
    fix: 'Answer with 428 to require a condition, or with 409 for a conflict.',
    of: [412],
    unlessListed: true,
    allow: ownMeaning,
    judge: ({ request }) => (isConditional(request) ? undefined : 'a 412 came, but no condition was sent'),
  },
  '416-without-range': {
    about: 'a 416 to a request without Range',
    clause: 'RFC 9110 15.5.17',
    example: { sent: 'GET /file', answered: '416' },
    fix: 'Answer with 400 or 422 for a wrong page or offset.',
    of: [416],
    unlessListed: true,
    allow: ownMeaning,
    judge: ({ request }) =>
      headerOf(request, 'range') === undefined ? 'a 416 came, but no Range was sent' : undefined,
  },
  'content-refused-unsent': {
    about: 'a 413 or 415 to a request without content; no 415 where the operation declares a body',
    clause: 'RFC 9110 15.5.14, 15.5.16',
    example: { sent: 'DELETE /books/7', answered: '415' },
    fix: 'Check Content-Type and length only if the request has content.',
    of: [413, 415],
    unlessListed: true,
    allow: ownMeaning,
    judge: ({ operation, request, answer: { status } }) => {
      // Without Content-Type, a server may presume a type that it does not support (RFC 9110, 8.3).
      const isPresumed = status === 415 && operation.body !== undefined;
      return request.body === undefined && !isPresumed ? `a ${status} came, but no content was sent` : undefined;
    },
  },
  '426-upgrade': {
    about: 'a 426 without the header Upgrade',
    clause: 'RFC 9110 15.5.22',
    example: { sent: 'GET /events', answered: '426 without Upgrade' },
    fix: 'Send Upgrade with the protocol to use, as in: websocket.',
    header: 'Upgrade',
    of: [426],
    judge: ({ field }) => (field === undefined ? 'a 426 came without Upgrade' : undefined),
  },
  'location-reference': {
    about: 'a header Location that is not a URI reference',
    clause: 'RFC 9110 10.2.2',
    example: { sent: 'POST /books', answered: '201 with Location: /books/a b' },
    fix: 'Encode the id in the path, as in: /books/a%20b.',
    header: 'Location',
    judge: ({ field = '' }) => {
      const isReference = /^[!#-;=?-Z_a-z~[\]%@]*$/.test(field) && URL.canParse(field, 'http://host.example/');
      return isReference ? undefined : `Location: ${field} is not a URI reference`;
    },
  },
  'retry-after-value': {
    about: 'a header Retry-After that is neither seconds nor a date',
    clause: 'RFC 9110 10.2.3',
    example: { sent: 'GET /books', answered: '429 with Retry-After: 1.5' },
    fix: 'Send whole seconds, or a date as in: Sun, 06 Nov 1994 08:49:37 GMT.',
    header: 'Retry-After',
    judge: ({ field }) =>
      field === undefined || /^\d+$/.test(field) || isHttpDate(field)
        ? undefined
        : `Retry-After: ${field} is neither a number of seconds nor a date`,
  },
  'etag-grammar': {
    about: 'a header ETag that is not a quoted tag',
    clause: 'RFC 9110 8.8.3',
    example: { sent: 'GET /books/7', answered: '200 with ETag: 7' },
    fix: 'Send the tag in quotation marks, as in: "7".',
    header: 'ETag',
    judge: ({ field }) => (field === undefined || isTag(field) ? undefined : `ETag: ${field} is not a quoted tag`),
  },
  'last-modified-date': {
    about: 'a header Last-Modified that is no date, or later than Date',
    clause: 'RFC 9110 8.8.2',
    example: { sent: 'GET /books/7', answered: '200 with Last-Modified: 2026-03-01' },
    fix: 'Send a date as in: Sun, 06 Nov 1994 08:49:37 GMT. Compare the clocks of database and server.',
    header: 'Last-Modified',
    judge: ({ field, answer }) => {
      if (field === undefined) return undefined;
      if (!isHttpDate(field)) return `Last-Modified: ${field} is not a date`;
      const date = headerOf(answer, 'date') ?? '';
      const isLater = Date.parse(field) > Date.parse(date) + skewMs;
      return isLater ? `Last-Modified: ${field} is later than Date: ${date}` : undefined;
    },
  },
  'date-value': {
    about: 'a header Date that is no date',
    clause: 'RFC 9110 6.6.1',
    example: { sent: 'GET /books/7', answered: '200 with Date: 2026-03-01T12:00:00Z' },
    fix: 'Send a date as in: Sun, 06 Nov 1994 08:49:37 GMT.',
    header: 'Date',
    judge: ({ field }) => (field === undefined || isHttpDate(field) ? undefined : `Date: ${field} is not a date`),
  },
  'age-value': {
    about: 'a header Age that is no number of seconds',
    clause: 'RFC 9111 5.1',
    example: { sent: 'GET /books', answered: '200 with Age: -1' },
    fix: 'Send whole seconds, or no Age: only a cache sends it.',
    header: 'Age',
    judge: ({ field }) =>
      field === undefined || /^\d+$/.test(field) ? undefined : `Age: ${field} is not a number of seconds`,
  },
  'json-byte-order-mark': {
    about: 'JSON that begins with a byte order mark',
    clause: 'RFC 8259 8.1',
    example: { sent: 'GET /books/7', answered: '200 EF BB BF {"title":"Emma"}' },
    fix: 'Write the content as UTF-8 without a byte order mark.',
    judge: ({ answer }) => {
      const isJsonType = isJson(headerOf(answer, 'content-type') ?? '');
      const begins = answer.body.subarray(0, 3).equals(Buffer.from('\ufeff'));
      return isJsonType && begins ? 'the JSON begins with the octets EF BB BF, a byte order mark' : undefined;
    },
  },
  'problem-members': {
    about: 'problem details with a member of the wrong type',
    clause: 'RFC 9457 3.1',
    example: { sent: 'GET /books/x', answered: '404 {"title":404} as application/problem+json' },
    fix: 'Send type, title, detail and instance as strings, and status as a number.',
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
    about: 'problem details whose status is not that of the answer',
    clause: 'RFC 9457 3.1.2',
    example: { sent: 'GET /books/x', answered: '404 {"status":400} as application/problem+json' },
    fix: 'Send the status of the answer. A proxy may have changed it.',
    judge: ({ answer }) => {
      const status = problemOf(answer)?.status;
      if (typeof status !== 'number' || status === answer.status) return undefined;
      return `the problem has status ${status}, but the answer is ${answer.status}`;
    },
  },
};

/** HTTP requires this of every server, independent of its contract: one finding per law. */
export const httpLaw: ExchangeCheck = {
  name: 'http-law',
  about: 'a law of HTTP is broken (RFC 9110, RFC 9111, RFC 8259, RFC 6750, RFC 9457)',
  effect: 'Clients, caches and proxies rely on HTTP, whatever the contract declares.',
  clauses: ['RFC 9110', 'RFC 6750', 'RFC 9457'],
  example: { sent: 'GET /books', answered: '401 without WWW-Authenticate' },
  fix: 'Correct the server, framework or proxy that answers: the law is the keyword of the finding.',
  allow: 'None: a contract cannot change HTTP.',
  laws,
  plan: planWholeAnswer,
  judge: (exchange, { contract: { schemes } }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined) return [];
    const { operation, request } = exchange;
    const { status } = answer;
    const isListed = operation.responses.some((one) => one.status === String(status));
    const failures = Object.entries(laws).flatMap(([name, law]): Failure[] => {
      const { clause, header, of = [status], unlessListed = false } = law;
      if (!of.includes(status) || (isListed && unlessListed)) return [];
      if (header !== undefined && answer.hidden?.includes(header.toLowerCase()) === true) return [];
      const field = header === undefined ? undefined : headerOf(answer, header);
      const message = law.judge({ operation, request, answer, schemes, field });
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
