import { isObject, type JsonObject } from '../contract/json.ts';
import { essenceOf } from '../contract/media-type.ts';
import { type Answer, headerOf } from '../execute/exchange.ts';
import type { Law } from './status-laws.ts';

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
export const headerLaws: Readonly<Record<string, Law>> = {
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

function problemOf(answer: Answer): JsonObject | undefined {
  if (essenceOf(headerOf(answer, 'content-type') ?? '') !== 'application/problem+json') return undefined;
  try {
    const value: unknown = JSON.parse(answer.body.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
