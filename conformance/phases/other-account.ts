// Questions about objects of others: a second account, a parent of another object, and whether an object is there after a rejection.
import type { RunContext } from '../checks/check.ts';
import type { Parameter } from '../contract/contract.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { readItems } from '../resources/read-items.ts';
import { operationAt, plainPath, slotsOf } from '../resources/slots.ts';
import { withValues } from './list-requests.ts';
import type { Bench, Probe } from './probe.ts';
import { withPath, withUnknownId } from './request-objects.ts';

/** Reads the object that a deletion names before and after it: the answer to a deletion does not show whether it had an effect. */
export async function aroundDeletion(
  { context, operation, isOwn, ofOther, send }: Bench,
  ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const read = context.contract.operations.find(({ method, path }) => method === 'get' && path === operation.path);
  const draft = read === undefined || operation.method !== 'delete' || !isOwn ? undefined : ofOther(read);
  if (draft !== undefined) await send(draft, 'read before');
  const reason = await ask();
  if (draft !== undefined) await send(draft, 'read after');
  return reason;
}

const noSecond = 'the second account could not log in';

/** The collection of the object that a path names, as each account sees it; undefined if no operation lists it for both. */
async function readLists(
  { context: { contract }, draft, ofOther, send }: Bench,
  path: string,
): Promise<{ readonly own: Exchange; readonly second: Exchange } | undefined> {
  const collection = slotsOf(path).at(-1)?.collection;
  const list = operationAt(contract, 'get', collection);
  const asked = list === undefined || list.extensions.isShared ? undefined : ofOther(list);
  if (asked === undefined || draft.operation === list) return undefined;
  const own = await send(asked, 'own list');
  const second = await send({ ...asked, identity: 'second' }, 'second list');
  return own === undefined || second === undefined ? undefined : { own, second };
}

export async function askForForeign(bench: Bench): Promise<string | undefined> {
  const { context, draft, send } = bench;
  const sent = await send({ ...draft, identity: 'second' }, 'case');
  if (sent === undefined) return noSecond;
  if (!isAccepted(sent)) return undefined;
  const unknown = withUnknownId(context, draft);
  if (unknown !== undefined) await send({ ...unknown, identity: 'second' }, 'unknown id');
  await readLists(bench, draft.operation.path);
  await send(draft, 'control');
  return undefined;
}

/**
 * The second account asks for its list with one optional parameter more. If an object of the first account is in it, both lists without the
 * parameter follow, and reads of that object by both accounts.
 */
export function askWithOption(parameter: Parameter, value: unknown): Probe['ask'] {
  return async ({ context: { contract }, operation, draft, ofOther, send }) => {
    const path = `${plainPath(operation.path)}/{}`;
    const item = contract.operations.find((one) => one.method === 'get' && plainPath(one.path) === path);
    const read = item && ofOther(item);
    const slot = item && slotsOf(item.path).at(-1);
    if (read === undefined || slot === undefined) return 'no read shows the objects of the list';
    const sent = await send({ ...withValues(draft, [[parameter, value]]), identity: 'second' }, 'case');
    if (sent === undefined) return noSecond;
    const itemsIn = (one: Exchange | undefined) =>
      one !== undefined && isAccepted(one) ? readItems(one.seen.responseBody, slot.noun).list : [];
    if (itemsIn(sent).length === 0) return undefined;
    const own = await send(draft, 'own list');
    await send({ ...draft, identity: 'second' }, 'second list');
    const known = read.parameters.find((one) => one.parameter.name === slot.parameter)?.value;
    const members = itemsIn(own).flatMap((one) =>
      [...one].filter(([, scalar]) => String(scalar) === String(known)).map(([name]) => name),
    );
    const ids = members.flatMap((name) => itemsIn(own).flatMap((one) => one.get(name) ?? []));
    const shown = itemsIn(sent).flatMap((one) => members.flatMap((name) => one.get(name) ?? []));
    const leaked = shown.find((id) => ids.includes(id));
    if (leaked === undefined) return undefined;
    const object = withPath(read, { [slot.parameter]: leaked });
    await send({ ...object, identity: 'second' }, 'object');
    await send(object, 'control');
    return undefined;
  };
}

export async function changeForeign(bench: Bench): Promise<string | undefined> {
  const { draft, isOwn, send } = bench;
  if (!isOwn) return 'the run has no object of its own there';
  // A deletion would remove the object from both lists.
  if ((await readLists(bench, draft.operation.path)) === undefined)
    return 'no list shows which account an object belongs to';
  return await aroundDeletion(bench, async () => {
    const sent = await send({ ...draft, identity: 'second' }, 'case');
    return sent === undefined ? noSecond : undefined;
  });
}

/** The second account creates an object beneath a parent of the first. */
export async function createUnderForeign(bench: Bench): Promise<string | undefined> {
  const { context, draft, send } = bench;
  const parent = slotsOf(draft.operation.path).at(-1)?.key;
  const read = context.contract.operations.find(({ path }) => plainPath(path) === parent);
  if (read === undefined || (await readLists(bench, read.path)) === undefined)
    return 'no list shows which account the parent belongs to';
  const sent = await send({ ...draft, identity: 'second' }, 'case');
  return sent === undefined ? noSecond : undefined;
}

/** The first parent of a path, with its own read. */
function parentOf({ contract }: RunContext, { operation, parameters }: Draft) {
  const [first] = slotsOf(operation.path);
  const read = operationAt(contract, 'get', first?.key);
  const value = parameters.find(({ parameter }) => parameter.name === first?.parameter)?.value;
  return first === undefined || read === undefined
    ? undefined
    : { name: first.parameter, noun: first.noun, read, value };
}

export async function askUnderUnknownParent({ context, draft, ofOther, send }: Bench): Promise<string | undefined> {
  const parent = parentOf(context, draft);
  const moved = parent && withUnknownId(context, draft, parent.name);
  const asked = parent && ofOther(parent.read);
  if (moved === undefined || asked === undefined) return 'its parent cannot be read alone';
  const sent = await send(moved, 'case');
  if (sent === undefined || !isAccepted(sent)) return undefined;
  const unknown = withUnknownId(context, asked);
  if (unknown !== undefined) await send(unknown, 'unknown parent');
  await send(draft, 'control');
  return undefined;
}

/** The second account asks for the object beneath a parent of its own. */
export async function askUnderOwnParent(bench: Bench): Promise<string | undefined> {
  const { context, draft, send } = bench;
  const parent = parentOf(context, draft);
  const lists = parent && (await readLists(bench, parent.read.path));
  if (parent === undefined || lists === undefined) return 'no list shows the parents of the second account';
  const [mine, theirs] = [lists.own, lists.second].map(({ seen }) => readItems(seen.responseBody, parent.noun).list);
  const isParent = (scalar: unknown): boolean => String(scalar) === String(parent.value);
  const member = mine?.flatMap((item) => [...item].filter(([, scalar]) => isParent(scalar)).map(([name]) => name))[0];
  const values = theirs?.flatMap((item) => item.get(member ?? '') ?? []) ?? [];
  const other = values.find((value) => !mine?.some((item) => item.get(member ?? '') === value));
  if (other === undefined) return 'the second account has no such parent';
  const parameters = draft.parameters.map((one) =>
    one.parameter.name === parent.name ? { ...one, value: other } : one,
  );
  await send({ ...draft, parameters, identity: 'second' }, 'case');
  return undefined;
}
