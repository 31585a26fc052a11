// Writes of other phases whose answers show other values than were sent: each is sent to two objects of its own, and read.
import type { RunContext } from '../checks/check.ts';
import { answerDiffers, storedDiffers } from '../checks/stored.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import type { Permissions } from '../plan/permissions.ts';
import { ofChanges } from './lifecycle.ts';
import { withFreshTexts, withNextDays } from './other-values.ts';
import { withNewNames } from './own-objects.ts';
import type { OperationProbes } from './probe.ts';
import { draftAbout, moveTo } from './request-objects.ts';
import {
  createObject,
  keepsNoState,
  ownOf,
  type Resource,
  readsUnknown,
  resourcesOf,
  storyProbe,
  type Teller,
} from './story.ts';

const unusual = /[^\x20-\x7e]/;

/** Doubted writes of one resource that are sent again. */
const mostWrites = 4;

export function planDoubtedWrites(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return resourcesOf(contract, operations, permissions)
    .filter(({ read }) => read !== undefined)
    .map((resource) => ({
      operation: resource.create,
      probes: Array.from({ length: mostWrites }, (_, number) =>
        storyProbe(
          `doubted value ${number + 1}`,
          [...new Set([storedDiffers, answerDiffers, ...ofChanges(resource)])],
          resource.create.pointer,
          {
            ...{ worth: 4.5, mostRequests: 8, isDue: (context) => doubtsOf(context, resource).length > number },
            tell: (teller) => tellAgain(teller, resource, number),
          },
        ),
      ),
    }));
}

function doubtsOf({ doubts }: RunContext, { create, changes }: Resource): readonly Draft[] {
  return [create, ...changes].flatMap((operation) => doubts.get(operation) ?? []);
}

async function tellAgain(teller: Teller, resource: Resource, number: number): Promise<string | undefined> {
  const { bench, context, turn, step } = teller;
  const doubted = doubtsOf(context, resource)[number];
  if (doubted === undefined) return 'no answer showed another value than was sent';
  const { operation } = doubted;
  const tools = toolsFor(context, operation, 'story', 40 + number);
  // The fault may be that of one number; a time has several spellings, and two of them show that none is meant.
  const fresh = withFreshTexts(context, tools, turn === 0 ? doubted : withNextDays(context, doubted), 1 + turn);
  const again = withNewNames(tools, fresh, 1 + turn);
  if (unusual.test(JSON.stringify(again.body?.value) ?? '')) return 'its text may be stored otherwise on purpose';
  const isCreate = operation === resource.create;
  const created = isCreate ? await step(again, 'create') : undefined;
  if (isCreate && (created === undefined || !isAccepted(created))) return 'the server accepted no further create';
  const object = created
    ? await ownOf(teller, created)
    : await createObject(teller, resource.create, 'create', 14 + 2 * number);
  if (typeof object === 'string') return object;
  const read = resource.read && draftAbout(context, resource.read, object.values);
  await step(read, 'read');
  if (await readsUnknown(teller, read)) return keepsNoState;
  if (!isCreate && bench.isSent(operation)) {
    await step(moveTo(again, object.values), `change by ${operation.method}`);
    await step(read, `read after ${operation.method}`);
  }
  await bench.undo(object.created);
  return undefined;
}
