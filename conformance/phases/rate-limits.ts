// Calls up to the quota that the contract declares, and one more; and calls after the pause that a 429 has asked for.
import { readDuration } from '@lockstep/values/instant';
import { callRoles, quotaEarly, quotaUnenforced, retryAfterLie } from '../checks/rate-limits.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import type { Quota } from '../contract/extensions.ts';
import { type Draft, type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { refuseValues } from '../plan/permissions.ts';
import { withNewKey, withNewNames } from './own-objects.ts';
import { mayProbe, type OperationProbes, type Probe } from './probe.ts';
import { keepsNoState, readsAnyUnknown, storyProbe, type Teller } from './story.ts';

/** The longest series of calls: of reads, and of writes. */
const most = { reads: 60, writes: 10 } as const;

/** The effects of which a series does no harm. */
const harmless = ['none', 'remote'];

export function planRateLimits(contract: Contract, operations: readonly Operation[]): readonly OperationProbes[] {
  return operations
    .filter((one) => mayProbe(contract, one))
    .flatMap((operation): OperationProbes[] => {
      const { quota, effect = 'none' } = operation.extensions;
      if (quota !== undefined && harmless.includes(effect))
        return [{ operation, probes: [quotaProbe(operation, quota)] }];
      return isSafe(operation) ? [{ operation, probes: [pauseProbe(operation)] }] : [];
    });
}

function quotaProbe(operation: Operation, quota: Quota): Probe {
  const checks = [quotaUnenforced, quotaEarly, retryAfterLie];
  const tell = (teller: Teller) => tellQuota(teller, quota);
  const row = { worth: 0.3, mostRequests: quota.limit + 4, tell };
  return {
    ...storyProbe('calls up to the quota', checks, joinPointer(operation.pointer, 'x-quota'), row),
    isAlone: true,
  };
}

/** A pause is judged where the run has met one: no limit is provoked. */
function pauseProbe(operation: Operation): Probe {
  const row = { worth: 0.4, mostRequests: 3, tell: (teller: Teller) => tellPauses(teller, [teller.bench.draft]) };
  const probe = storyProbe('call after a 429', [retryAfterLie], operation.pointer, row);
  return { ...probe, isAlone: true, isDue: ({ limited }) => limited.has(operation) };
}

async function tellQuota(teller: Teller, quota: Quota): Promise<string | undefined> {
  const { bench, context, turn } = teller;
  const { operation, draft } = bench;
  const kind = kindOf(context.contract, operation);
  if (kind === 'remove' || (kind === 'change' && !bench.isOwn)) return 'the run has no object of its own there';
  const refusal = refuseValues(operation, seenOf(draft), { ...context.permissions, effects: harmless });
  if (refusal !== undefined) return 'each call has an effect';
  if (quota.limit >= (isSafe(operation) ? most.reads : most.writes))
    return 'the quota allows too many calls to use it up';
  const isOfOneValue = operation.parameters.some(({ name, in: place }) => name === quota.per && place !== 'header');
  if (![undefined, 'account', 'client'].includes(quota.per) && !isOfOneValue)
    return 'each call might count for another value';
  const { isIdempotent, idempotencyKey } = operation.extensions;
  if (!isSafe(operation) && isIdempotent && idempotencyKey === undefined && kind !== 'change')
    return 'a repeated request may not count';
  if (await readsAnyUnknown(teller)) return keepsNoState;
  const tools = toolsFor(context, operation, 'story', 8);
  const calls = Array.from({ length: quota.limit + 3 }, (_, index) => {
    const number = 300 + turn * (most.writes + 3) + index;
    return kind === 'create' ? withNewNames(tools, draft, number) : withNewKey(tools, draft, number);
  });
  return await tellPauses(teller, calls, quota);
}

/** Sends calls at once until one is rejected, and two more, each after the pause that the last answer asks for. */
async function tellPauses(teller: Teller, calls: readonly Draft[], quota?: Quota): Promise<string | undefined> {
  const { bench, context, step } = teller;
  const windowMs = readDuration(quota?.window ?? '') ?? Number.POSITIVE_INFINITY;
  const isQuiet = windowMs <= context.maxWaitMs;
  const sent: Exchange[] = [];
  const send = async (role: string, afterMs = 0): Promise<Exchange | undefined> => {
    const draft = calls[Math.min(sent.length, calls.length - 1)];
    const exchange = await step(draft && { ...draft, timing: { isOnce: true, afterMs } }, role);
    if (exchange !== undefined) sent.push(exchange);
    return exchange;
  };
  for (let index = 0; index < (quota === undefined ? 1 : quota.limit + 1); index += 1) {
    const exchange = await send(isQuiet ? callRoles.quiet : callRoles.call, isQuiet && index === 0 ? windowMs : 0);
    if (exchange === undefined) return 'the budget was spent';
    if (!isAccepted(exchange)) break;
  }
  for (let count = 0; count < 2; count += 1) {
    const pause = pauseAfter(sent.at(-1));
    if (pause === undefined || pause > context.maxWaitMs) break;
    await send(callRoles.again, pause + roundingMs);
  }
  for (const created of sent.filter(isAccepted)) await bench.undo(created);
  return undefined;
}

/** A server may round the seconds down. */
const roundingMs = 1_000;

/** The pause of a 429 in milliseconds; one until a date depends on two clocks. */
function pauseAfter(exchange: Exchange | undefined): number | undefined {
  const outcome = exchange?.outcome;
  if (outcome?.kind !== 'answer' || outcome.status !== 429) return undefined;
  const seconds = headerOf(outcome, 'retry-after') ?? '';
  return /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
