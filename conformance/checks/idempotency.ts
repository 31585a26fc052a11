// Declared idempotency: a repeated request has no second effect, and gets the same answer.
import { joinPointer } from '../contract/document.ts';
import { type Exchange, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { idsAmong } from '../resources/collections.ts';
import { readScalars } from '../resources/read-items.ts';
import type { TraceCheck } from './check.ts';
import { isUnchanged, objectIn } from './compare-objects.ts';
import { exchangesOf, statusOf } from './parts.ts';

/** Whether an answer is about the repetition itself: not about the account, the rate or the state of the server. */
function isSettled(exchange: NumberedExchange | undefined): exchange is NumberedExchange {
  if (exchange === undefined) return false;
  const status = statusOf(exchange);
  return status !== 0 && status < 500 && ![401, 402, 429].includes(status);
}

/** The id of another object, or a sent member with another value, in the answer to the same request; undefined if there is none. */
export function differenceOf(first: Exchange, second: Exchange): string | undefined {
  const sent = Object.keys(objectIn(first.seen.requestBody) ?? {});
  const [a, b] = [first, second].map(({ seen }) => objectIn(seen.responseBody, sent) ?? {});
  const ids = idsAmong(readScalars(a));
  const own = Object.keys(a ?? {}).filter((name) => ids.has(name) || sent.includes(name));
  return own.find((name) => !isUnchanged(a?.[name], b?.[name]));
}

/** The role of two equal requests in flight at the same time. */
export const roleAtOnce = 'at once';

export const idempotency: TraceCheck = {
  kind: 'trace',
  name: 'idempotency',
  about: 'a repeated request has a second effect or gets another answer, although the contract declares x-idempotency',
  effect: 'A client that repeats a request whose answer was lost creates something twice, or is rejected.',
  clauses: ['x-idempotency'],
  example: { sent: 'POST /orders with Idempotency-Key: a1, twice', answered: '201 {"id":7}, then 201 {"id":8}' },
  fix: 'Store each key with its request and answer, and answer a repetition from there. Reject another request under the key.',
  allow: 'Remove x-idempotency from the operation.',
  plan: () => [],
  needs: () => 'accepted request and its repetition',
  judge: (trace) => {
    const own = exchangesOf(trace, idempotency.name);
    const rolesOf = (role: string): readonly NumberedExchange[] =>
      own.filter(({ intent }) => intent.probe?.role === role);
    const pairs = rolesOf('first').map((first, index) => {
      const [second, other] = [rolesOf('case')[index], rolesOf('other content')[index]];
      return { first, second, other };
    });
    const [pair, again] = pairs;
    const { first, second, other } = pair ?? {};
    if (first === undefined || !isAccepted(first) || !isSettled(second)) return [];
    const place = first.intent.probe?.name ?? '';
    const found = problemOf(first, second, other);
    const proof = again && isSettled(again.second) ? problemOf(again.first, again.second, again.other) : undefined;
    const atOnce = rolesOf(roleAtOnce);
    const shown = found === undefined ? problemAtOnce(atOnce) : proof?.keyword === found.keyword ? found : undefined;
    const unjudged = showsNoEffect(second)
      ? 'each request was answered 202 without an id, so there may be two effects'
      : undefined;
    if (shown === undefined) return [{ place, failures: [], exchange: second, ...(unjudged && { unjudged }) }];
    const { operation } = second;
    const { keyword, message, isSure = true } = shown;
    const failure: Failure = {
      ...{ check: idempotency.name, severity: isSure ? 'defect' : 'suspect', place: 'answer', clause: 'x-idempotency' },
      ...{ pointer: joinPointer(operation.pointer, 'x-idempotency'), keyword, message },
      causes: [[keyword, operation.id]],
    };
    const exchange = { 'other content': other, 'at once': atOnce[1] }[keyword] ?? second;
    return [{ place, failures: [failure], exchange }];
  },
};

/** Whether an answer leaves open what the server does later. */
function showsNoEffect(exchange: NumberedExchange): boolean {
  return statusOf(exchange) === 202 && idsAmong(readScalars(objectIn(exchange.seen.responseBody) ?? {})).size === 0;
}

interface Problem {
  readonly keyword: string;
  readonly message: string;
  readonly isSure?: boolean;
}

/** Two effects of equal requests in flight at the same time, if a second pair of them shows it too. */
function problemAtOnce(pairs: readonly NumberedExchange[]): Problem | undefined {
  const [name, again] = [pairs.slice(0, 2), pairs.slice(2, 4)].map(([first, second]) =>
    first !== undefined &&
    second !== undefined &&
    [first, second].every((one) => isAccepted(one) && statusOf(one) === statusOf(first) && statusOf(one) !== 202)
      ? differenceOf(first, second)
      : undefined,
  );
  if (name === undefined || again === undefined) return undefined;
  const message = `two equal requests were in flight at the same time, and were answered each with another "${name}"`;
  return { keyword: 'at once', message };
}

function problemOf(
  first: NumberedExchange,
  second: NumberedExchange,
  other: NumberedExchange | undefined,
): Problem | undefined {
  const [before, after] = [first, second].map(statusOf);
  if (!isAccepted(second))
    return { keyword: 'rejected', message: `the same request was answered ${before}, and its repetition ${after}` };
  const name = differenceOf(first, second);
  if (name !== undefined)
    return {
      keyword: 'other answer',
      message: `the same request was answered twice, each time with another "${name}"`,
    };
  if (other === undefined || !isAccepted(other)) return undefined;
  // A server need not compare the content: it may give the first answer again, without a second effect.
  const isReplay = differenceOf(first, other) === undefined && statusOf(first) === statusOf(other);
  const message = `other content under the same key was answered ${statusOf(other)}${isReplay ? ', as the first was' : ''}`;
  return { keyword: 'other content', message, isSure: !isReplay };
}
