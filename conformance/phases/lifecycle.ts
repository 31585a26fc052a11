// The life of an object that the run creates: create, list, read, change, delete, and a read after each.
import { patchSpills, putMerge, putPartial, putRepeat } from '../checks/changed.ts';
import type { RunContext } from '../checks/check.ts';
import { comparableMembers } from '../checks/compare-objects.ts';
import { conditional, roleWithOneTag, tagIn } from '../checks/conditional.ts';
import { deleteKept, lateRoles, selectedRoles, useAfterFree } from '../checks/deleted.ts';
import { readMember } from '../checks/read-only.ts';
import { failedWriteLeftTrace, idCollides, readWrites, writeSpills } from '../checks/side-effects.ts';
import { answerDiffers, createdMissing, storedDiffers } from '../checks/stored.ts';
import type { StoryCheck } from '../checks/story.ts';
import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import { type Draft, type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import type { Permissions } from '../plan/permissions.ts';
import { listShapeOf } from '../resources/list-shape.ts';
import { isScalar } from '../resources/read-items.ts';
import { largestOf, plainDraft, withValues } from './list-requests.ts';
import {
  membersFor,
  partial,
  replacement,
  type Style,
  withNull,
  withOtherValues,
  wrongContents,
} from './other-values.ts';
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
    ...(changes.length === 0 ? [] : [conditional]),
    ...(removal === undefined ? [] : [deleteKept, useAfterFree]),
  ];
  const mostRequests = 15 + 2 * changes.length;
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
  let put: Draft | undefined;
  const hasPatch = resource.changes.some((change) => change.method === 'patch' && bench.isSent(change));
  for (const change of resource.changes) {
    if (!bench.isSent(change)) continue;
    const style: Style = { hasMost: true, end: change.method === 'put' && hasPatch ? 'large' : 'small' };
    const changed = await changeObject(teller, object, { change, shown, style });
    if (change.method === 'put' && changed !== undefined && isAccepted(changed)) put = changed.draft;
    await step(read, `read after ${change.method}`);
  }
  const [patch] = resource.changes.filter(({ method }) => method === 'patch').filter(bench.isSent);
  const removing = patch && withNull(context, draftAbout(context, patch, values), shown);
  if ((await step(removing, 'change by null')) !== undefined) await step(read, 'read after null');
  await step(list, 'list');
  if (deletion === undefined || !bench.isSent(deletion.operation)) return undefined;
  await step(deletion, 'delete');
  const gone = await step(read, 'deleted read');
  const isGone = gone?.outcome.kind === 'answer' && [404, 410].includes(gone.outcome.status);
  const isNamed = resource.create.method === 'put';
  // Right after a read without the object: its id may belong to another one later.
  const isFree = isNamed || context.permissions.writes === 'all' || String(values.at(-1)).length >= leastUnique;
  const late = isGone && isFree ? await step(put, lateRoles.put, { polarity: 'grey' }) : undefined;
  const isBack = late !== undefined && isAccepted(late);
  if (isBack) await step(read, lateRoles.read);
  if (isBack) await step(deletion, 'undo');
  await step(list, 'list after delete');
  return undefined;
}

/** A server may give a shorter id to a new object of others. */
const leastUnique = 16;

/** The checks of a change with the reads before and after it. */
export function ofChanges({ changes }: Resource): readonly StoryCheck[] {
  const has = (method: string): boolean => changes.some((change) => change.method === method);
  return [
    ...(changes.length === 0 ? [] : [storedDiffers, answerDiffers]),
    ...(has('put') ? [putPartial] : []),
    ...(has('patch') ? [patchSpills] : []),
  ];
}

/** The list that has an object, without optional filters, in pages as large as possible. */
function listAbove(context: RunContext, { list }: Resource, values: Own['values']): Draft | undefined {
  const draft = list && draftAbout(context, list, values.slice(0, -1));
  const shape = list && listShapeOf(context.contract, list);
  if (draft === undefined) return undefined;
  const plain = plainDraft(draft);
  return shape?.limit === undefined ? plain : withValues(plain, [[shape.limit.parameter, largestOf(shape)]]);
}

/** Wrong requests of one operation, before a read or a list that shows the effect of any. */
const most = { changes: 4, creates: 3 } as const;

/** Values of a parameter that may select what is deleted. */
const ofTrash = /all|any|delet|remov|trash|archiv|hist|hidden|inactive/i;

/** Names of parameters that choose how the items are shown. */
const ofViews = /^(view|include|expand|embed|fields)$/i;

/** The list with the filters that select an object, and in another view: careless code forgets a rule in one of its queries. */
function selectedList(
  { contract, judge }: RunContext,
  { list: operation }: Resource,
  list: Draft | undefined,
  read: Exchange,
): Draft | undefined {
  const shape = operation && listShapeOf(contract, operation);
  if (list === undefined || shape === undefined) return undefined;
  const filters = shape.filters.flatMap(({ parameter, field, is, isList }): [Parameter, unknown][] => {
    const value = readMember(read.seen.responseBody, field);
    const sent = isList ? [value] : value;
    const isFit = is === 'equal' && (isScalar(value) || typeof value === 'boolean') && !ofTrash.test(String(value));
    const isValid = parameter.schema === undefined || judge.accepts(parameter.schema, 'request', sent);
    return isFit && isValid ? [[parameter, sent]] : [];
  });
  const views = shape.operation.parameters.flatMap((parameter): [Parameter, unknown][] => {
    const isView = parameter.in === 'query' && ofViews.test(parameter.name) && parameter.schema !== undefined;
    const form = judge.forms.request;
    const { values = [] } = isView ? form.common(form.at(parameter.schema)) : {};
    const value = values.findLast((one) => typeof one === 'string' && !ofTrash.test(one));
    return value === undefined ? [] : [[parameter, value]];
  });
  const chosen = [...filters, ...views];
  return chosen.length === 0 ? undefined : withValues(list, chosen);
}

function twoProbe(resource: Resource): readonly Probe[] {
  if (resource.read === undefined) return [];
  const checks = [
    ...[idCollides, writeSpills, readWrites, failedWriteLeftTrace],
    ...(resource.changes.length === 0 ? [] : [conditional]),
    ...(resource.changes.some(({ method }) => method === 'put') ? [putRepeat] : []),
    ...ofChanges(resource),
    ...(resource.removal === undefined || resource.list === undefined ? [] : [deleteKept]),
  ];
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
  let latest = await step(read, 'read again');
  await step(other, 'other read');
  let isListed = false;
  // A PATCH of one object comes while both share all values but their texts.
  const changes = resource.changes.toSorted((a, b) => Number(a.method === 'put') - Number(b.method === 'put'));
  for (const change of changes.filter(bench.isSent)) {
    const style: Style = { end: 'large', isOtherType: true, isWhole: true };
    const changed = await changeObject(teller, object, { change, shown, style });
    latest = await step(read, `read after ${change.method}`);
    if (change.method === 'put' && changed?.draft !== undefined && isAccepted(changed)) {
      await step(list, 'list before repeat');
      isListed = true;
      await step(changed.draft, 'repeat put');
      await step(read, 'read after repeat');
      await step(list, 'list after repeat');
    }
    const known = draftAbout(context, change, values);
    const wrongs = wrongContents(context, toolsFor(context, change, 'story', 1), known, { turn, most: most.changes });
    for (const [index, wrong] of wrongs.entries()) {
      const sent = await step(wrong, numbered(`rejected change by ${change.method}`, index), { polarity: 'invalid' });
      // The object is another one then.
      if (sent !== undefined && isAccepted(sent)) await step(read, `read after accepted change by ${change.method}`);
    }
    if (wrongs.length > 0) latest = await step(read, `read after rejected change by ${change.method}`);
  }
  const tools = toolsFor(context, resource.create, 'story', 1);
  const wrongs = list ? wrongContents(context, tools, bench.draft, { turn, most: most.creates, keepsNames: true }) : [];
  if (wrongs.length > 0 && !isListed) await step(list, 'list');
  for (const [index, wrong] of wrongs.entries()) {
    const sent = await step(wrong, numbered('rejected create', index), { polarity: 'invalid' });
    if (sent !== undefined && isAccepted(sent)) await bench.undo(sent);
  }
  if (wrongs.length > 0) await step(list, 'list after rejected');
  await step(other, 'late other read');
  const { deletion } = object;
  if (deletion === undefined || !bench.isSent(deletion.operation)) return undefined;
  const selected = latest && selectedList(context, resource, list, latest);
  await step(selected, selectedRoles.before);
  await step(deletion, 'delete');
  await step(selected, selectedRoles.after);
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
    storyProbe('tags of an object', [conditional, ...ofChanges(resource)], resource.create.pointer, {
      ...{ worth: 3.4, mostRequests: 12, tell },
    }),
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
  const changed = await changeObject(teller, object, { change, shown, style: { keepsTexts: true, isWhole: true } });
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

/** Further attempts at a change after a rejection. */
const mostTries = 2;

interface Changing {
  readonly change: Operation;
  /** The object as a read shows it. */
  readonly shown: Exchange | undefined;
  readonly style: Style;
}

/** Changes the object in a style, or else by an ordinary change or the accepted request. */
async function changeObject(
  { context, turn, step }: Teller,
  { values, created }: Own,
  { change, shown, style }: Changing,
) {
  const tools = toolsFor(context, change, 'story', 0);
  const accepted = draftAbout(context, change, values);
  if (accepted === undefined) return undefined;
  const sent = membersFor(context, change, created);
  const known = shown === undefined ? [] : [...comparableMembers(context, shown).keys()];
  const choose = change.method === 'put' ? replacement : partial;
  const [own, plain] = [style, {}].map((one) => choose(context, tools, accepted, { sent, known, turn, style: one }));
  const tried = new Set<string>();
  for (const draft of [own, plain, withOtherValues(context, tools, accepted, 3 + turn), accepted]) {
    const content = JSON.stringify(draft?.body?.value) ?? '';
    if (draft === undefined || tried.has(content)) continue;
    tried.add(content);
    const sent = await step(draft, `change by ${change.method}`);
    if (sent === undefined || isAccepted(sent)) return sent;
    if (tried.size > mostTries) break;
  }
  return undefined;
}
