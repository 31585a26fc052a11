import { isObject, type JsonObject } from '../../contract/json.ts';
import { essenceOf } from '../../contract/media-type.ts';
import { type Answer, headerOf } from '../../execute/exchange.ts';
import { lawsOf } from './law.ts';

const textMembers = ['type', 'title', 'detail', 'instance'];

/** Only where an answer calls itself `application/problem+json`. */
export const problemLaws = lawsOf({
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
});

function problemOf(answer: Answer): JsonObject | undefined {
  if (essenceOf(headerOf(answer, 'content-type') ?? '') !== 'application/problem+json') return undefined;
  try {
    const value: unknown = JSON.parse(answer.body.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
