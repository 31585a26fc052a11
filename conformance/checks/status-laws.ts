import type { Contract, Operation, ResponseObject } from '../contract/contract.ts';
import { coversMediaType } from '../contract/media-type.ts';
import type { Answer, OutgoingRequest } from '../execute/exchange.ts';
import { headerOf } from '../execute/exchange.ts';

export interface LawCase {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly request: OutgoingRequest;
  readonly answer: Answer;
  /** What the contract says about the status. */
  readonly response: ResponseObject | undefined;
}

export interface Law {
  readonly clause: string;
  /** The response header that it is about. */
  readonly header?: string;
  /** @returns how it is broken; undefined when it holds or does not apply */
  readonly judge: (given: LawCase) => string | undefined;
}

/** Statuses that only make sense after a certain request. Where the contract lists one, it has the meaning given there. */
export const statusLaws: Readonly<Record<string, Law>> = {
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
