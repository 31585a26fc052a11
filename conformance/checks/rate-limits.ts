// Rate limits: quotas that the contract declares, and pauses that answers ask for.
import { readDuration } from '@lockstep/values/instant';
import { responseFor } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import type { Quota } from '../contract/extensions.ts';
import { headerOf, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { readScalars } from '../resources/read-items.ts';
import { slotsOf } from '../resources/slots.ts';
import type { RunContext } from './check.ts';
import { statusOf } from './parts.ts';
import { type Deviation, failureAt, inconclusive, type Story, storyCheck } from './story.ts';

/** Roles of calls at once, of calls at once after a window without any, and of calls after the pause that a 429 asked for. */
export const callRoles = {
  call: 'call',
  quiet: 'call after a window without any',
  again: 'call after the pause',
} as const;

/** Whether a call was rejected by a quota, and not by another limit. */
function isLimited(exchange: NumberedExchange, quota: Quota | undefined): boolean {
  if (statusOf(exchange) !== 429) return false;
  return quota?.code === undefined || [...readScalars(exchange.seen.responseBody).values()].includes(quota.code);
}

interface Calls {
  readonly operation: NumberedExchange['operation'];
  readonly quota: Quota | undefined;
  readonly all: Trace;
  readonly accepted: number;
  readonly last: NumberedExchange;
}

function callsIn({ all }: Story, roles: readonly string[]): Calls | undefined {
  const calls = roles.flatMap(all);
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const { operation } = last;
  return { operation, quota: operation.extensions.quota, all: calls, accepted: calls.filter(isAccepted).length, last };
}

function failureOf(exchange: NumberedExchange, keyword: string, message: string): Deviation {
  const pointer = joinPointer(exchange.operation.pointer, 'x-quota');
  return failureAt(exchange, { place: 'x-quota', pointer, keyword, clause: 'x-quota', message });
}

export const quotaUnenforced = storyCheck(
  {
    name: 'quota-unenforced',
    about: 'more calls are accepted within the window of x-quota than it allows',
    effect: 'One client can use up devices, money, or the service of all others.',
    clauses: ['x-quota'],
    example: {
      sent: 'POST /exports four times within a second; x-quota: limit 3, window PT60S',
      answered: '202 to each',
    },
    fix: 'Count the calls where all instances of the service see the count, and answer a further one with 429.',
    allow: 'Correct limit and window of x-quota.',
  },
  (story) => {
    const { quota, all, accepted, last } = callsIn(story, [callRoles.call, callRoles.quiet]) ?? {};
    if (quota === undefined || all === undefined || last === undefined) return undefined;
    if (isLimited(last, quota)) return [];
    const [first] = all;
    const windowMs = readDuration(quota.window) ?? 0;
    if (first === undefined || accepted !== all.length || accepted <= quota.limit) return undefined;
    const started = first.atMs - first.outcome.durationMs;
    // Slow calls may cross the edge of a fixed window.
    if (last.atMs - started >= windowMs / 10) return undefined;
    const message = `${accepted} calls were accepted within ${quota.window}, and ${quota.limit} are allowed`;
    return [failureOf(last, 'limit', message)];
  },
);

export const quotaEarly = storyCheck(
  {
    name: 'quota-early',
    about: 'a call is answered 429 although fewer calls than x-quota allows were made within its window',
    effect: 'Clients that keep to the documented limit are rejected.',
    clauses: ['x-quota'],
    example: { sent: 'POST /exports twice within a minute; x-quota: limit 3, window PT60S', answered: '202, then 429' },
    fix: 'Count only calls within the window, for each account or object that per names.',
    allow: 'Correct limit and window of x-quota.',
  },
  (story, context) => {
    const { quota, accepted = 0, last } = callsIn(story, [callRoles.quiet]) ?? {};
    if (quota === undefined || last === undefined) return undefined;
    if (isAccepted(last) || accepted >= quota.limit) return [];
    if (!isLimited(last, quota)) return undefined;
    const message = `a call was answered 429 after ${accepted} within ${quota.window}, and ${quota.limit} are allowed`;
    const found = failureOf(last, 'early', message);
    // Other clients may use the same quota, unless it belongs to an object of the run.
    return [isOfOwnObject(last, quota, context) ? found : inconclusive(found)];
  },
);

function isOfOwnObject({ operation, seen }: NumberedExchange, { per }: Quota, { resources }: RunContext): boolean {
  return slotsOf(operation.path).at(-1)?.parameter === per && resources.isOwned(operation, seen);
}

export const retryAfterLie = storyCheck(
  {
    name: 'retry-after-lie',
    about: 'a call is answered 429 again, twice, each time after the pause that Retry-After asked for',
    effect: 'Clients that wait as the header asks still fail, and those that ignore it lose nothing.',
    clauses: ['RFC 9110'],
    example: { sent: 'GET /books, again after 2 s, and again after 3 s', answered: '429 with Retry-After: 1 to each' },
    fix: 'Compute Retry-After from the time at which the limit allows the next call, and round it up.',
    allow: 'Leave out Retry-After where the time is not known.',
  },
  (story) => {
    const calls = callsIn(story, [callRoles.call, callRoles.quiet]);
    const again = story.all(callRoles.again);
    if (calls === undefined || again.length === 0) return undefined;
    const { operation, quota, accepted } = calls;
    if (again.some((one) => statusOf(one) !== 429)) return [];
    const last = again.at(-1);
    if (last === undefined || again.length < 2 || ![calls.last, ...again].every((one) => isLimited(one, quota)))
      return undefined;
    const message = `two calls were answered 429 after the pause that Retry-After had asked for: ${pausesIn([calls.last, ...again])}`;
    const { pointer } = responseFor(operation, 429) ?? operation;
    const about = { place: 'response 429 header Retry-After', pointer, keyword: 'retry-after', message };
    const found = failureAt(last, { ...about, clause: 'RFC 9110 10.2.3', causes: [['retry-after']] });
    // The quota has just allowed all its calls to this run: no other client uses it.
    return [quota !== undefined && accepted === quota.limit ? found : inconclusive(found)];
  },
);

function pausesIn(exchanges: Trace): string {
  const pauses = exchanges
    .slice(0, -1)
    .map(({ outcome }) => outcome.kind === 'answer' && headerOf(outcome, 'retry-after'));
  return pauses.map((pause) => `${pause} s`).join(', ');
}
