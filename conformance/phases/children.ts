// Objects beneath an object that the run has just created.
import { childOrphaned } from '../checks/children.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { pathValues } from '../resources/addresses.ts';
import { operationAt, plainPath, slotsOf } from '../resources/slots.ts';
import { addressOfCreated, withNewNames } from './own-objects.ts';
import { mayCallOften, mayProbe, type OperationProbes } from './probe.ts';
import { draftAbout } from './request-objects.ts';
import { beginStory, storyProbe, type Teller } from './story.ts';

/** Creates of an object and of one beneath it, with their reads. */
interface Family {
  readonly create: Operation;
  readonly read: Operation;
  readonly child: Operation;
  readonly readChild: Operation | undefined;
}

export function planChildren(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  const creates = operations.filter(
    (one) => one.method === 'post' && kindOf(contract, one) === 'create' && mayProbe(contract, one),
  );
  const often = creates.filter((one) => mayCallOften(contract, one, permissions));
  return often.flatMap((create) => {
    const own = `${plainPath(create.path)}/{}`;
    const read = operationAt(contract, 'get', own);
    const isBeneath = (path: string): boolean => path.startsWith(`${own}/`) && !path.slice(own.length).includes('{');
    if (read === undefined) return [];
    const nameOf = (path: string): string | undefined => slotsOf(path).at(-1)?.parameter;
    return (
      often
        .filter(({ path }) => isBeneath(plainPath(path)))
        // One path may name the parent by its id, and another by its slug.
        .filter(({ path }) => nameOf(path) === nameOf(read.path))
        .map((child): OperationProbes => {
          const readChild = operationAt(contract, 'get', `${plainPath(child.path)}/{}`);
          const family = { create, read, child, readChild };
          const row = { worth: 3.2, mostRequests: 14, tell: (teller: Teller) => tellFamily(teller, family) };
          const probe = storyProbe(`object of ${child.id} in a new one`, [childOrphaned], child.pointer, row);
          return { operation: create, probes: [probe] };
        })
    );
  });
}

/** Some deployments prepare a new object for those beneath it. */
const preparedMs = 3_000;

async function tellFamily(teller: Teller, family: Family): Promise<string | undefined> {
  const { bench, turn, step } = teller;
  if (!bench.isSent(family.child)) return 'the options allow no object beneath it';
  const parent = await beginStory(teller, family, 120);
  if (typeof parent === 'string') return parent;
  const own = await createChild(teller, family, parent.values);
  if (typeof own === 'object' && isAccepted(own)) {
    const shown = await step(readOf(teller, family, own), 'child read');
    if (shown !== undefined && !isAccepted(shown)) await createElsewhere(teller, family, 125 + turn);
    await bench.undo(own);
  } else if (typeof own === 'object') {
    await step(parent.read, 'read again');
    await createElsewhere(teller, family, 125 + turn);
  }
  await bench.undo(parent.created);
  return typeof own === 'string' ? own : undefined;
}

async function createChild(
  { context, turn, settle, step }: Teller,
  { child }: Family,
  values: Parameters<typeof draftAbout>[2],
): Promise<Exchange | string> {
  const draft = draftAbout(context, child, values);
  if (draft === undefined) return 'no valid request could be built for the object beneath it';
  await settle();
  const named = withNewNames(toolsFor(context, child, 'story', 7), draft, 130 + turn);
  const asked = turn === 0 ? named : { ...named, timing: { afterMs: preparedMs } };
  return (await step(asked, 'child create')) ?? 'the budget was spent';
}

function readOf({ context }: Teller, { readChild }: Family, created: Exchange): Draft | undefined {
  const address = addressOfCreated(context, created);
  return readChild && address && draftAbout(context, readChild, address.values);
}

/** Creates an object of the same kind in another place, where an earlier one was accepted, and reads that place. */
async function createElsewhere(teller: Teller, family: Family, number: number): Promise<void> {
  const { bench, context, step } = teller;
  const { child, read } = family;
  const known = context.accepted.get(child)?.draft;
  if (known === undefined) return;
  const created = await step(withNewNames(toolsFor(context, child, 'story', 7), known, number), 'child elsewhere');
  if (created === undefined) return;
  await step(draftAbout(context, read, pathValues(child, created.seen)), 'read elsewhere');
  if (!isAccepted(created)) return;
  await step(readOf(teller, family, created), 'child read elsewhere');
  await bench.undo(created);
}
