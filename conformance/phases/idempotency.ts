// Repetitions of requests that the contract declares to be idempotent.
import { differenceOf, idempotency, roleAtOnce } from '../checks/idempotency.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { withOtherValues } from './other-values.ts';
import { withNewNames } from './own-objects.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes } from './probe.ts';

export function planIdempotency(contract: Contract, operations: readonly Operation[]): readonly OperationProbes[] {
  return operations
    .filter((one) => one.extensions.isIdempotent && !isSafe(one) && mayProbe(contract, one))
    .map((operation) => ({
      operation,
      probes: [
        {
          ...{ name: 'repeated request', checks: [idempotency.name], keyword: 'x-idempotency', worth: 3.6 },
          ...{ pointer: joinPointer(operation.pointer, 'x-idempotency'), mostRequests: 18, needsOwn: true },
          ask: askTwice,
        },
      ],
    }));
}

/** Sends two equal requests, and a second pair if the first shows a failure. */
async function askTwice(bench: Bench): Promise<string | undefined> {
  const { context, operation, draft } = bench;
  const kind = kindOf(context.contract, operation);
  if (kind === 'change' && !bench.isOwn && context.permissions.writes !== 'all')
    return 'the run has no object of its own there';
  if (kind === 'remove') return 'a second deletion finds no object';
  const { effect = 'none', idempotencyKey } = operation.extensions;
  // A new key asks for the action, or the effect, once more.
  if (idempotencyKey !== undefined && (kind === 'action' || effect !== 'none'))
    return 'a request with a new key would have its effect again';
  for (const turn of [0, 1]) {
    const tools = toolsFor(context, operation, 'story', turn);
    const named = withNewNames(tools, draft, 60 + turn);
    const fresh = kind === 'change' ? withOtherValues(context, tools, draft, turn) : kind === 'create' ? named : draft;
    const isSound = await sendPair(bench, withKey(fresh, freshOf(tools, 60 + turn)), turn);
    if (isSound === undefined) return 'the budget was spent';
    if (isSound) return await askAtOnce(bench);
  }
  return undefined;
}

/** Sends two equal creates at the same time, and a second pair if both had an effect. */
async function askAtOnce({ context, operation, draft, sendTogether, undo }: Bench): Promise<string | undefined> {
  if (kindOf(context.contract, operation) !== 'create') return undefined;
  if (!mayCallOften(context.contract, operation, context.permissions)) return undefined;
  for (const turn of [0, 1]) {
    const tools = toolsFor(context, operation, 'story', 2 + turn);
    const asked = withKey(withNewNames(tools, draft, 64 + turn), freshOf(tools, 64 + turn));
    const [first, second] = await sendTogether([asked, asked], roleAtOnce);
    if (first === undefined || second === undefined) return 'the budget was spent';
    const isTwice = isAccepted(first) && isAccepted(second) && differenceOf(first, second) !== undefined;
    for (const one of isTwice ? [first, second] : [isAccepted(first) ? first : second])
      if (isAccepted(one)) await undo(one);
    if (!isTwice) return undefined;
  }
  return undefined;
}

/** The request with a key that no earlier one had. */
function withKey(draft: Draft, mark: string): Draft {
  const name = draft.operation.extensions.idempotencyKey;
  if (name === undefined) return draft;
  const parameters = draft.parameters.filter(({ parameter }) => parameter.name.toLowerCase() !== name.toLowerCase());
  const key = { [name.toLowerCase()]: `conform-${mark}` };
  return { ...draft, parameters, edits: { ...draft.edits, headers: { ...draft.edits?.headers, ...key } } };
}

/** @returns whether the repetition had no second effect; undefined if it was not sent */
async function sendPair(bench: Bench, asked: Draft, turn: number): Promise<boolean | undefined> {
  const { context, operation, send, undo } = bench;
  const { effect = 'none', idempotencyKey } = operation.extensions;
  const first = await send(asked, 'first');
  const second = first && isAccepted(first) ? await send(asked, 'case') : undefined;
  if (first === undefined || second === undefined) return first === undefined ? undefined : true;
  const created: Exchange[] = [first];
  const isSame = isAccepted(second) && differenceOf(first, second) === undefined;
  if (!isSame && isAccepted(second)) created.push(second);
  // A careless server carries out the other request.
  const other = withOtherValues(context, toolsFor(context, operation, 'story', 5), asked, 5 + turn);
  const isOther = JSON.stringify(other.body?.value) !== JSON.stringify(asked.body?.value);
  let isRejected = true;
  if (isSame && idempotencyKey !== undefined && effect === 'none' && isOther) {
    const third = await send(other, 'other content', { polarity: 'grey' });
    isRejected = third === undefined || !isAccepted(third);
    if (third !== undefined && !isRejected && differenceOf(first, third) !== undefined) created.push(third);
  }
  if (kindOf(context.contract, operation) === 'create') for (const one of created) await undo(one);
  return isSame && isRejected;
}
