// Properties that only the server may set: the probes send each of them, and read whether it was stored.

import type { RunContext } from '../checks/check.ts';
import {
  isSameValue,
  isStored,
  type ReadOnlyMember,
  readMember,
  readOf,
  readOnlyMembers,
  readOnlyWritten,
  schemaOfRead,
} from '../checks/read-only.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, type Pointer, readPointer, splitPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { buildFrom } from '../data/value-candidates.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { idsAmong } from '../resources/collections.ts';
import { spell } from '../resources/find-targets.ts';
import { isScalar } from '../resources/read-items.ts';
import { isIdName, plainPath, slotsOf } from '../resources/slots.ts';
import { holdsReadOnly } from '../schema/annotated-values.ts';
import { addressOfCreated } from './own-objects.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes } from './probe.ts';
import { moveTo, unlike } from './request-objects.ts';

/** Members that are sent alone if the server rejects all together. */
const mostAlone = 4;

export function planReadOnly(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return operations.flatMap((operation) => {
    const kind = kindOf(contract, operation);
    const read = readOf(contract, operation);
    const { body } = operation;
    if ((kind !== 'create' && kind !== 'change') || read === undefined || body === undefined) return [];
    if (!mayProbe(contract, operation) || !mayCallOften(contract, operation, permissions)) return [];
    const schemas = [...body.contents.map(({ schema }) => schema), schemaOfRead(read)];
    if (!schemas.some((schema) => schema !== undefined && holdsReadOnly(contract.root, schema))) return [];
    const probe = {
      ...{ name: 'read-only properties', checks: [readOnlyWritten.name], pointer: body.pointer, keyword: 'readOnly' },
      ...{ worth: 4, mostRequests: 2 * (2 + mostAlone), needsOwn: true },
      ask: (bench: Bench) => askReadOnly(bench, read),
    };
    return [{ operation, probes: [probe] }];
  });
}

/** A member with two values that it did not have. */
interface Offer {
  readonly member: ReadOnlyMember;
  readonly values: readonly unknown[];
}

async function askReadOnly(bench: Bench, read: Operation): Promise<string | undefined> {
  const { context, operation, draft, isOwn, ofOther } = bench;
  const isChange = operation.method !== 'post';
  if (isChange && !isOwn && context.permissions.writes !== 'all') return 'the run has no object of its own there';
  const reading = ofOther(read);
  if (reading === undefined) return 'the server accepted no read there';
  const known = context.resources.lastRead(read.path, seenOf(context.accepted.get(read)?.draft ?? reading).path);
  const offers = readOnlyMembers(context, draft).flatMap((member) => offerOf(bench, member, known));
  if (offers.length === 0) return 'no read-only property could be sent with two other values';
  const sent = await writeAndRead(bench, reading, offers, 0);
  const stored = [...sent.stored];
  // One member may have been the reason, and the others are still to be asked for.
  if (!sent.isRead && offers.length > 1)
    for (const offer of offers.slice(0, mostAlone))
      stored.push(...(await writeAndRead(bench, reading, [offer], 0)).stored);
  if (stored.length > 0) await writeAndRead(bench, reading, stored, 1);
  return undefined;
}

/** Sends the members of the offers with their first or second values, and reads the object. */
async function writeAndRead(bench: Bench, reading: Draft, offers: readonly Offer[], turn: 0 | 1) {
  const { draft, send } = bench;
  const none = { isRead: false, stored: [] };
  if (draft.body === undefined) return none;
  const value = offers.reduce<unknown>(
    (whole, { member, values }) => replaceAt(whole, member.at, values[turn]),
    draft.body.value,
  );
  const write = await send({ ...draft, body: { ...draft.body, value } }, 'case', { polarity: 'grey' });
  if (write === undefined || !isAccepted(write)) return none;
  const asked = draft.operation.method === 'post' ? readingOfCreated(bench, reading, write) : reading;
  const read = asked && (await send(asked, 'read'));
  if (read === undefined || !isAccepted(read)) return none;
  return { isRead: true, stored: offers.filter(({ member }) => isStored({ write, read }, member) === true) };
}

/** The read of the object that a request has created; undefined if its answer has no id. */
function readingOfCreated({ context }: Bench, reading: Draft, created: Exchange) {
  const address = addressOfCreated(context, created);
  return address?.key === plainPath(reading.operation.path) ? moveTo(reading, address.values) : undefined;
}

/**
 * @param known another object, or this one before the change: the first value differs from its member
 * @returns nothing if the request cannot have the member, or if another value of it may lead to an object of others
 */
function offerOf({ context, operation, draft }: Bench, member: ReadOnlyMember, known: unknown): readonly Offer[] {
  const { judge } = context;
  const { at, pointer } = member;
  const { value: body, content } = draft.body ?? {};
  const { schema } = content ?? {};
  const holder = at.slice(0, at.lastIndexOf('/'));
  if (schema === undefined || !isObject(readPointer(body, holder))) return [];
  const name = splitPointer(at).at(-1) ?? '';
  const slot = slotsOf(readOf(context.contract, operation)?.path ?? '').at(-1);
  const isOwnId = holder === '' && idsAmong(new Map([[name, name]]), slot).size > 0;
  // Another id may move the object or name another owner: then the run could no longer delete its object.
  if ((isIdName(name) || isOwnId) && !(isOwnId && operation.method === 'post')) return [];
  const present = readMember(known, at);
  const isFit = (value: unknown): boolean =>
    (isScalar(value) || typeof value === 'boolean') &&
    judge.accepts(pointer, 'request', value) &&
    judge.accepts(schema, 'request', replaceAt(body, at, value));
  const others = [...valuesUnlike(context, operation, { pointer, name, present, isOwnId })].filter(isFit);
  const first = others.find((value) => !isSameValue(value, present));
  const second = [...others, present].find((value) => !isSameValue(value, first) && isFit(value));
  return first === undefined || second === undefined ? [] : [{ member, values: [first, second] }];
}

interface Wanted {
  readonly pointer: Pointer;
  readonly name: string;
  readonly present: unknown;
  readonly isOwnId: boolean;
}

/** Times that no server chooses for an object of this run. */
const pastTimes = ['2001-02-03T04:05:06Z', '2002-03-04T05:06:07Z', '2001-02-03', '2002-03-04'];

/** Values of the kind of the present one, those first that the server would hardly choose. */
function* valuesUnlike(context: RunContext, operation: Operation, { pointer, name, present, isOwnId }: Wanted) {
  if (isScalar(present) && isOwnId)
    yield* unlike(String(present)).flatMap((text) => spell(context, pointer, text) ?? []);
  // An id that a schema suggests may be that of another object.
  if (isOwnId) return;
  const tools = toolsFor(context, operation, 'negative', 0);
  const built = buildFrom(tools, pointer, {}, name, { not: { enum: [present ?? null] } });
  if (typeof built === 'number') yield* [built + 17, built + 29];
  if (typeof built === 'string' && /^\d{4}-\d\d-\d\d/.test(built)) yield* pastTimes;
  yield built;
  yield buildFrom(tools, pointer, {}, name, { not: { enum: [present ?? null, built ?? null] } });
}
