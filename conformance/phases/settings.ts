// Stories of settings: objects without an id of their own, which are read and changed at one path. Each change is put back.

import { patchSpills, putMerge, putPartial } from '../checks/changed.ts';
import type { RunContext } from '../checks/check.ts';
import { comparableMembers, objectIn } from '../checks/compare-objects.ts';
import { answerDiffers, storedDiffers } from '../checks/stored.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { isOfAccess } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { pathValues } from '../resources/addresses.ts';
import { plainPath } from '../resources/slots.ts';
import { partial, withOtherValues } from './other-values.ts';
import { mayCallOften, mayProbe, type OperationProbes } from './probe.ts';
import { draftAbout, withPresentValues } from './request-objects.ts';
import { keepsNoState, readsAnyUnknown, storyProbe, type Teller } from './story.ts';

export function planSettings(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return operations
    .filter((one) => ['put', 'patch'].includes(one.method) && !plainPath(one.path).endsWith('{}'))
    .filter((one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions))
    .flatMap((change): OperationProbes[] => {
      const read = contract.operations.find(({ method, path }) => method === 'get' && path === change.path);
      if (read === undefined) return [];
      const own = change.method === 'put' ? [putPartial, putMerge] : [patchSpills];
      const checks = [storedDiffers, answerDiffers, ...own];
      const row = { worth: 3.8, mostRequests: 9, tell: (teller: Teller) => tellSettings(teller, change, read) };
      return [{ operation: change, probes: [storyProbe('life of settings', checks, change.pointer, row)] }];
    });
}

async function tellSettings(teller: Teller, change: Operation, read: Operation): Promise<string | undefined> {
  const { bench, context, turn, step } = teller;
  const { writes } = context.permissions;
  if (!bench.isOwn && writes === 'owned') return 'the run has no object of its own there';
  if (await readsAnyUnknown(teller)) return keepsNoState;
  const tools = toolsFor(context, change, 'story', 9 + turn);
  const ask = (draft: Draft) => step(draft, 'read of the present values');
  const present = await withPresentValues(context, tools, bench.draft, ask);
  if (typeof present === 'string') return present;
  const written = await step(present, 'create');
  if (written === undefined || !isAccepted(written)) return 'the server did not accept its present values';
  const asked = draftAbout(context, read, pathValues(change, seenOf(present)));
  const shown = await step(asked, 'read');
  await step(asked, 'read again');
  // Other values may change every later answer: they need the permission for any write, or an object of the run above.
  if (!bench.isOwn && (writes !== 'all' || isOfAccess(change))) return undefined;
  const other = shown && changed(context, tools, present, shown, turn);
  if (other === undefined || (await step(other, `change by ${change.method}`)) === undefined) return undefined;
  await step(asked, `read after ${change.method}`);
  await step(present, 'restore');
  return undefined;
}

/** The settings with other values; of a PATCH, one of them. */
function changed(
  context: RunContext,
  tools: Parameters<typeof withOtherValues>[1],
  present: Draft,
  shown: Exchange,
  turn: 0 | 1,
): Draft | undefined {
  if (present.operation.method === 'put') return withOtherValues(context, tools, present, 3 + turn);
  const sent = objectIn(present.body?.value) ?? {};
  return partial(context, tools, present, { sent, known: [...comparableMembers(context, shown).keys()], turn });
}
