// The life of an object that the run creates: create, list, read, change, delete, and a read after each.
import { patchSpills, putMerge, putPartial, putRepeat } from '../checks/changed.ts';
import type { RunContext } from '../checks/check.ts';
import { comparableMembers } from '../checks/compare-objects.ts';
import { conditional, roleWithOneTag, tagIn } from '../checks/conditional.ts';
import { deleteKept, useAfterFree } from '../checks/deleted.ts';
import { failedWriteLeftTrace, idCollides, readWrites, writeSpills } from '../checks/side-effects.ts';
import { answerDiffers, createdMissing, storedDiffers } from '../checks/stored.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import type { Permissions } from '../plan/permissions.ts';
import { listShapeOf } from '../resources/list-shape.ts';
import { largestOf, plainDraft, withValues } from './list-requests.ts';
import { membersFor, partial, replacement, withNull, withOtherValues, wrongContents } from './other-values.ts';
import type { OperationProbes, Probe } from './probe.ts';
import { draftAbout } from './request-objects.ts';
import {
  beginStory,
  createObject,
  namedResourcesOf,
  type Own,
  type Resource,
  resourcesOf,
  storyProbe,
  type Teller,
} from './story.ts';

export function planLifecycle(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return [
    ...resourcesOf(contract, operations, permissions).map((resource) => ({
      operation: resource.create,
      probes: [lifeProbe(resource), ...twoProbe(resource), ...tagProbe(resource)],
    })),
    ...namedResourcesOf(contract, operations, permissions).map((resource) => ({
      operation: resource.create,
      probes: [lifeProbe(resource)],
    })),
  ];
}

function lifeProbe(resource: Resource): Probe {
  const { changes, removal } = resource;
  const has = (method: string): boolean => changes.some((change) => change.method === method);
  const checks = [
    ...[createdMissing, storedDiffers, answerDiffers],
    ...(has('put') ? [putPartial, putMerge] : []),
    ...(has('patch') ? [patchSpills] : []),
    ...(removal === undefined ? [] : [deleteKept, useAfterFree]),
  ];
  const mostRequests = 12 + 2 * changes.length;
  const tell = (teller: Teller) => tellLife(teller, resource);
  return storyProbe('life of an object', checks, resource.create.pointer, { worth: 4.5, mostRequests, tell });
}

async function tellLife(teller: Teller, resource: Resource): Promise<string | undefined> {
  const { bench, context, step } = teller;
  const object = await beginStory(teller, resource, 0);
  if (typeof object === 'string') return object;
  const { values, deletion, read, shown } = object;
  const list = listAbove(context, resource, values);
  if (resource.changes.some(bench.isSent)) await step(list, 'early list');
  for (const change of resource.changes) {
    if (!bench.isSent(change)) continue;
    await changeObject(teller, object, change, shown);
    await step(read, `read after ${change.method}`);
  }
  const [patch] = resource.changes.filter(({ method }) => method === 'patch').filter(bench.isSent);
  const removing = patch && withNull(context, draftAbout(context, patch, values), shown);
  if ((await step(removing, 'change by null')) !== undefined) await step(read, 'read after null');
  await step(list, 'list');
  if (deletion === undefined || !bench.isSent(deletion.operation)) return undefined;
  await step(deletion, 'delete');
  await step(read, 'deleted read');
  await step(list, 'list after delete');
  return undefined;
}

/** The list that has an object, without optional filters, in pages as large as possible. */
function listAbove(context: RunContext, { list }: Resource, values: Own['values']): Draft | undefined {
  const draft = list && draftAbout(context, list, values.slice(0, -1));
  const shape = list && listShapeOf(context.contract, list);
  if (draft === undefined) return undefined;
  const plain = plainDraft(draft);
  return shape?.limit === undefined ? plain : withValues(plain, [[shape.limit.parameter, largestOf(shape)]]);
}

function twoProbe(resource: Resource): readonly Probe[] {
  if (resource.read === undefined) return [];
  const repeated = resource.changes[0]?.method === 'put' ? [putRepeat] : [];
  const checks = [idCollides, writeSpills, readWrites, failedWriteLeftTrace, ...repeated];
  const tell = (teller: Teller) => tellTwo(teller, resource);
  return [storyProbe('two objects', checks, resource.create.pointer, { worth: 3.3, mostRequests: 38, tell })];
}

async function tellTwo(teller: Teller, resource: Resource): Promise<string | undefined> {
  const { bench, context, turn, step } = teller;
  const object = await beginStory(teller, resource, 20, 'early read');
  if (typeof object === 'string') return object;
  const { values, created, read } = object;
  const list = listAbove(context, resource, values);
  const second = await createObject(teller, resource.create, 'second create', 30, created.draft);
  if (typeof second === 'string') return second;
  const other = resource.read && draftAbout(context, resource.read, second.values);
  const shown = await step(read, 'read');
  await step(read, 'read again');
  await step(other, 'other read');
  let isListed = false;
  for (const change of resource.changes.filter(bench.isSent)) {
    const changed = await changeObject(teller, object, change, shown);
    await step(read, `read after ${change.method}`);
    if (change.method === 'put' && changed?.draft !== undefined && isAccepted(changed)) {
      await step(list, 'list before repeat');
      isListed = true;
      await step(changed.draft, 'repeat put');
      await step(read, 'read after repeat');
      await step(list, 'list after repeat');
    }
    const known = draftAbout(context, change, values);
    const wrongs = wrongContents(context, toolsFor(context, change, 'story', 1), known, { turn, most: 3 });
    for (const [index, wrong] of wrongs.entries()) {
      const role = numbered(`rejected change by ${change.method}`, index);
      if ((await step(wrong, role, { polarity: 'invalid' })) === undefined) break;
      await step(read, `read after ${role}`);
    }
  }
  const tools = toolsFor(context, resource.create, 'story', 1);
  const wrongs = list ? wrongContents(context, tools, bench.draft, { turn, most: 2, keepsNames: true }) : [];
  if (wrongs.length > 0 && !isListed) await step(list, 'list');
  for (const [index, wrong] of wrongs.entries()) {
    const sent = await step(wrong, numbered('rejected create', index), { polarity: 'invalid' });
    if (sent !== undefined) await step(list, numbered('list after rejected', index));
    if (sent !== undefined && isAccepted(sent)) await bench.undo(sent);
  }
  await step(other, 'late other read');
  if (object.deletion === undefined || !bench.isSent(object.deletion.operation)) return undefined;
  await step(object.deletion, 'delete');
  await step(other, 'other read after delete');
  await bench.undo(second.created);
  return undefined;
}

/** `read`, `read 2`. */
function numbered(role: string, index: number): string {
  return index === 0 ? role : `${role} ${index + 1}`;
}

function tagProbe(resource: Resource): readonly Probe[] {
  if (resource.read === undefined || resource.changes.length === 0) return [];
  const tell = (teller: Teller) => tellTags(teller, resource);
  return [
    storyProbe('tags of an object', [conditional], resource.create.pointer, { worth: 3.4, mostRequests: 11, tell }),
  ];
}

async function tellTags(teller: Teller, resource: Resource): Promise<string | undefined> {
  const { bench, context, step, stepTogether } = teller;
  const [change] = resource.changes.filter(bench.isSent);
  const known = resource.read && context.accepted.get(resource.read);
  if (known !== undefined && headerOf(known, 'etag') === undefined) return 'no answer of the object had an ETag';
  if (change === undefined || resource.read === undefined) return 'no change of the object may be sent';
  const object = await beginStory(teller, resource, 12);
  if (typeof object === 'string') return object;
  const { read, shown } = object;
  const old = shown && tagIn(shown);
  const changed = await changeObject(teller, object, change, shown);
  await step(read, `read after ${change.method}`);
  if (read !== undefined && old !== undefined && changed?.draft !== undefined) {
    const { draft } = changed;
    const tagged = (tag: string, turn = 8): Draft => ({
      ...withOtherValues(context, toolsFor(context, change, 'story', 2), draft, turn),
      edits: { headers: { 'if-match': tag } },
    });
    await step({ ...read, edits: { headers: { 'if-none-match': old } } }, 'cached read', { polarity: 'grey' });
    const rejected = await step(tagged('"conform-stale"'), 'write with an unknown tag', { polarity: 'grey' });
    if (rejected?.outcome.kind === 'answer' && rejected.outcome.status === 412) {
      const late = await step(tagged(old), 'write with an old tag', { polarity: 'grey' });
      const current = await step(read, 'read after old tag');
      const tag = current && tagIn(current);
      const isCompared = late?.outcome.kind === 'answer' && late.outcome.status === 412;
      if (tag !== undefined && isCompared) await stepTogether([tagged(tag, 9), tagged(tag, 10)], roleWithOneTag);
    }
  }
  await bench.undo(object.created);
  return undefined;
}

/** Changes the object: as many members as possible, or else by the accepted request. @param shown the object as a read shows it */
async function changeObject(
  { context, turn, step }: Teller,
  { values, created }: Own,
  change: Operation,
  shown: Exchange | undefined,
) {
  const tools = toolsFor(context, change, 'story', 0);
  const accepted = draftAbout(context, change, values);
  if (accepted === undefined) return undefined;
  const sent = membersFor(context, change, created);
  const known = shown === undefined ? [] : [...comparableMembers(context, shown).keys()];
  const own =
    change.method === 'put'
      ? replacement(context, tools, accepted, { sent, known, turn })
      : partial(context, tools, accepted, { sent, known, turn });
  for (const draft of [own, withOtherValues(context, tools, accepted, 3 + turn), accepted]) {
    const sent = await step(draft, `change by ${change.method}`);
    if (sent === undefined || isAccepted(sent)) return sent;
  }
  return undefined;
}
