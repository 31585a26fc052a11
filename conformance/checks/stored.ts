// Creates and changes: what was sent can be read, and answers agree with reads.
import type { Contract } from '../contract/contract.ts';
import { isObject, isSame, readPointer } from '../contract/document.ts';
import { excerpt } from '../contract/printable.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { idsAmong } from '../resources/collections.ts';
import { isTelling, readScalars } from '../resources/read-items.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import type { RunContext } from './check.ts';
import {
  agrees,
  isEmpty,
  isPartOf,
  isShownOtherwise,
  isUnchanged,
  type Member,
  namesState,
  objectIn,
  shownIn,
  writableIn,
} from './compare-objects.ts';
import { statusOf } from './parts.ts';
import {
  changesIn,
  type Deviation,
  failureAt,
  inconclusive,
  isDone,
  isMissing,
  isWrittenBetween,
  listsAround,
  membersOf,
  readAfter,
  type Story,
  storyCheck,
} from './story.ts';

/** The id of the object that a read or a deletion is about. */
export function idOf(exchange: NumberedExchange | undefined): string | undefined {
  const slot = exchange && slotsOf(exchange.operation.path).at(-1);
  const id = slot && exchange?.seen.path[slot.parameter];
  return id === undefined ? undefined : String(id);
}

/** The id of the story's object. */
export function idIn({ steps }: Story): string | undefined {
  return idOf(steps.find(({ intent }) => /^(read|delete)/.test(intent.probe?.role ?? '')));
}

/** The items of a list by their ids; undefined if the answer has none with an id. */
export function itemsIn(list: NumberedExchange | undefined, story: Story): ReadonlyMap<string, string> | undefined {
  if (list === undefined || !isDone(list)) return undefined;
  const item = story.steps.find(({ intent }) => /^(read|delete)/.test(intent.probe?.role ?? ''));
  const slot = item && slotsOf(item.operation.path).at(-1);
  const items = arrayIn(list.seen.responseBody);
  const byId = items?.flatMap((one): [string, string][] =>
    [...idsAmong(readScalars(one), slot).values()].map((id) => [String(id), JSON.stringify(one)]),
  );
  return byId === undefined || (byId.length === 0 && items?.length !== 0) ? undefined : new Map(byId);
}

/**
 * The number of items that a list shows after a write and did not show before it, with the texts that only this write has sent. Others may
 * create objects at the same time, and a write may bring back an object of the story.
 *
 * @returns undefined if the lists do not settle it
 */
export function addedBy(story: Story, context: RunContext, write: NumberedExchange): number | undefined {
  const [before, after] = listsAround(story, write).map((list) => itemsIn(list, story));
  if (before === undefined || after === undefined) return undefined;
  const own = new Set(story.steps.filter(({ intent }) => isOfObject(intent.probe?.role)).map(idOf));
  const members = writableIn(context, write.operation);
  const form = context.judge.forms.request;
  const earlier = story.steps.slice(0, story.steps.indexOf(write));
  const others = earlier.filter(({ seen }) => !isSame(seen.requestBody, write.seen.requestBody));
  const texts = [
    ...others.map(({ seen }) => JSON.stringify(seen.requestBody) ?? ''),
    ...[...before].filter(([id]) => !own.has(id)).map(([, text]) => text),
  ];
  const fresh = Object.entries(objectIn(write.seen.requestBody, [...members.keys()]) ?? {}).flatMap(([name, value]) => {
    const pointer = members.get(name);
    // A member of an enum is that of many objects.
    const isFree = pointer === undefined || form.common(form.at(pointer)).values === undefined;
    return isFree && isTelling(value) && !texts.some((text) => text.includes(value)) ? [value] : [];
  });
  if (fresh.length === 0) return undefined;
  const isNew = (id: string, text: string): boolean =>
    !before.has(id) && !own.has(id) && fresh.every((value) => text.includes(value));
  return [...after].filter(([id, text]) => isNew(id, text)).length;
}

function isOfObject(role = ''): boolean {
  return /^(early |late )?(other )?(read|delete)/.test(role);
}

/** Levels of objects around a list. */
const deepest = 3;

/** The outermost array of an answer, by preference one of objects. */
function arrayIn(body: unknown): readonly unknown[] | undefined {
  let level = [body];
  for (let depth = 0; depth <= deepest; depth += 1) {
    const arrays = level.filter(Array.isArray);
    const ofObjects = arrays.filter((one) => one.some(isObject));
    // Several lists of objects: none is certainly the one.
    if (arrays.length > 0) return ofObjects.length > 1 ? undefined : (ofObjects[0] ?? arrays[0]);
    level = level.flatMap((part) => (isObject(part) ? Object.values(part) : []));
  }
  return undefined;
}

/** Whether a list has an object: the id in the path may be a member that the runner does not take for one, such as its name. */
export function isListed(items: ReadonlyMap<string, string>, id: string): boolean {
  const shows = (text: string): boolean => [...readScalars(JSON.parse(text)).values()].some((value) => value === id);
  return items.has(id) || (isTelling(id) && [...items.values()].some(shows));
}

/** Whether an object has this key: a list may be a map from ids to objects. */
export function isKeyOf(body: unknown, id: string, depth = 0): boolean {
  if (!isObject(body) || depth > deepest) return false;
  return Object.hasOwn(body, id) || Object.values(body).some((part) => isKeyOf(part, id, depth + 1));
}

/** Names by which lists are divided into pages. */
const ofPages =
  /^(page|per_?page|page_?(no|size|number|token|index)|page\[.*\]|rows|limit|offset|cursor|\$?skip|take|\$?top|size|count|first|last|after|before|start(ing)?_?(after|at|index)?|max_?results|marker|next_?token|continuation_?token)$/i;

/** Names of a number of all items next to the list. */
const ofTotals = /^(x_)?(count|total)(_?(count|items|results|elements|records))?$/i;

/** Whether an answer has all items of its list. */
export function isWhole({ operation, outcome, seen }: NumberedExchange): boolean {
  if (outcome.kind === 'none' || outcome.headers.some(([name, value]) => name === 'link' && /next/.test(value)))
    return false;
  const body = seen.responseBody;
  const count = arrayIn(body)?.length ?? 0;
  const totals = isObject(body) ? Object.entries(body).filter(([name]) => ofTotals.test(name)) : [];
  if (totals.some(([, total]) => typeof total === 'number' && total > count)) return false;
  const asked = operation.parameters.filter(({ in: where }) => where === 'query');
  // A required parameter may be a filter.
  if (asked.some(({ required }) => required)) return false;
  if (!asked.some(({ name }) => ofPages.test(name))) return true;
  const text = JSON.stringify(seen.responseBody) ?? '';
  return /"(has_?more|has_?next(_?page)?)":false|"next(_?(cursor|page(_?token)?|token|link|url))?":(null|"")/i.test(
    text,
  );
}

export const createdMissing = storyCheck(
  {
    name: 'created-missing',
    about: 'an object whose create was accepted cannot be read, or its list does not have it',
    effect: 'Clients lose what they have just created, or create it again.',
    clauses: ['RFC 9110'],
    example: { sent: 'POST /books {"title":"Emma"}, answered 201; then GET /books/8', answered: '404' },
    fix: 'Answer a create with 2xx only when reads show the object; answer 202 if it follows later.',
    allow: 'Declare 202 for the create, or the time after which reads show it by x-consistency.',
  },
  (story, context) => {
    const [create, read, list] = [story.of('create'), story.of('read'), story.of('list')];
    if (!isDone(create)) return undefined;
    const about = { place: 'created object', clause: 'RFC 9110 15.3.2' };
    if (read !== undefined && isMissing(read)) {
      const message = `${create.operation.id} created it, and a read of it is answered ${statusOf(read)}`;
      const found = failureAt(read, { ...about, keyword: 'read', message, causes: [['read']] });
      // A server that answers no read of any object may hide them all from this account.
      return [context.accepted.has(read.operation) ? found : inconclusive(found)];
    }
    const [id, items] = [idIn(story), itemsIn(list, story)];
    if (list === undefined || items === undefined || id === undefined || !isWhole(list))
      return read && isDone(read) ? [] : undefined;
    // A change may have moved it to the address of its new name.
    const ids = [id, ...changesIn(story).flatMap(({ write }) => idsShown(write))];
    if (ids.some((one) => isListed(items, one) || isKeyOf(list.seen.responseBody, one))) return [];
    const message = `${create.operation.id} created an object, and the list does not have it`;
    const found = failureAt(list, { ...about, keyword: 'list', message, causes: [['list']] });
    // The list may show the objects of another place, or only those in a certain state.
    return [showsOwn(list, items, context) ? found : inconclusive(found)];
  },
);

/** Whether a list shows another object that the run has created. */
function showsOwn(
  { operation }: NumberedExchange,
  items: ReadonlyMap<string, string>,
  { resources }: RunContext,
): boolean {
  const known = resources.collections.get(plainPath(operation.path))?.items ?? [];
  return known.some(
    ({ owned, scalars }) => owned && [...idsAmong(scalars).values()].some((id) => items.has(String(id))),
  );
}

const shownCharacters = 60;

export function spelled(value: unknown): string {
  return value === undefined ? 'nothing' : excerpt(JSON.stringify(value), shownCharacters);
}

/** A write of the story with the read that follows it, and the read before it if it is a change. */
interface Written {
  readonly write: NumberedExchange;
  readonly before: NumberedExchange | undefined;
  readonly after: NumberedExchange;
}

function writesIn(story: Story): readonly Written[] {
  const create = story.of('create');
  const after = create && readAfter(story, create);
  // A second create may have changed the object: `write-spills` and `id-collides` judge it.
  const isNext = create !== undefined && after !== undefined && !isWrittenBetween(story, create, after);
  const first = isDone(create) && isNext ? [{ write: create, before: undefined, after }] : [];
  return [...first, ...changesIn(story)];
}

/** A failure at a member of an object. The pointer is that of the write, if its schema has the member. */
export function failureOf(
  context: RunContext,
  { operation }: NumberedExchange,
  member: Member,
  { keyword, clause, message }: { readonly keyword: string; readonly clause: string; readonly message: string },
): Deviation['failure'] {
  const { name } = member;
  const pointer = writableIn(context, operation).get(name) ?? member.pointer;
  return {
    ...{ severity: 'defect', place: `request body /${name}`, pointer, keyword, clause, message },
    // An operation that stores one member wrongly may store all so.
    causes: [
      [keyword, pointer],
      [keyword, operation.id],
    ],
  };
}

export const storedDiffers = storyCheck(
  {
    name: 'stored-differs',
    about: 'a property that was sent and accepted is read with another value, or not at all',
    effect: 'Data of clients is lost or changed, and the client has no error to act on.',
    clauses: ['OpenAPI', 'RFC 9110', 'RFC 5789'],
    example: {
      sent: 'POST /books {"title":"Emma","pages":474}, then GET /books/8',
      answered: '200 {"title":"Emma","pages":0}',
    },
    fix: 'Store every property of the request that the contract declares, or reject the request.',
    allow:
      'Declare the property readOnly if the server chooses it, writeOnly if no read shows it, or x-volatile if it varies.',
  },
  (story, context) => {
    const members = membersOf(story, context);
    const gone = goneIn(story);
    if (members.length === 0) return gone.length > 0 ? gone : undefined;
    const names = members.map(({ name }) => name);
    const seen = story.steps.map((step) => (step.operation.method === 'get' ? shownIn(step, names) : undefined));
    const stored = writesIn(story).flatMap(({ write, before, after }) => {
      const [sent, read, old] = [
        objectIn(write.seen.requestBody, names),
        shownIn(after, names),
        shownIn(before, names),
      ];
      if (sent === undefined || read === undefined) return [];
      return members.flatMap((member): Deviation[] => {
        const { name } = member;
        const [from, to] = [sent[name], read[name]];
        if (isEmpty(from) || agrees(from, to) || isShownOtherwise(context, after, names, name, from)) return [];
        // `put-partial` judges a PUT that changes nothing there.
        if (write.operation.method === 'put' && old !== undefined && isUnchanged(old[name], to)) return [];
        const message = `${name} was sent as ${spelled(from)} and accepted, and a read shows ${spelled(to)}`;
        const failure = failureOf(context, write, member, { keyword: 'stored', clause: clauseFor(write), message });
        // Some reads show only a part of the object.
        const isShown = Object.hasOwn(read, name) || seen.some((other) => !isEmpty(other?.[name]));
        const isKept = old !== undefined && isUnchanged(old[name], to);
        const found = { exchange: write, failure, ...(!isKept && { sent: from }) };
        return [isShown && !isChosen(story, context, member) ? found : inconclusive(found)];
      });
    });
    return [...gone, ...stored, ...(stored.length === 0 ? listedOtherwise(story, context, members) : [])];
  },
);

/** Accepted changes after which the object cannot be read. */
function goneIn(story: Story): readonly Deviation[] {
  return changesIn(story).flatMap(({ role, write, before, after }): Deviation[] => {
    if (!isDone(before) || !isMissing(after)) return [];
    const message = `${write.operation.id} was answered ${statusOf(write)}, and a read of the object is answered ${statusOf(after)}`;
    const found = failureAt(write, { place: 'changed object', keyword: 'gone', clause: clauseFor(write), message });
    // The object may have moved to an address of its new name; a quantity of 0 may remove it.
    const sent = new Set([...readScalars(write.seen.requestBody).values()].map(String));
    const isMoved = idsShown(write).some((id) => id !== idOf(after) && (sent.has(id) || !isIssued.test(id)));
    return [isMoved || /^change \d/.test(role) ? inconclusive(found) : found];
  });
}

/** Ids that a server counts or draws, and that no name leads to. */
const isIssued = /^(\d+|[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})$/i;

/** The ids of the object that an answer shows. */
function idsShown(exchange: NumberedExchange): readonly string[] {
  const slot = slotsOf(exchange.operation.path).at(-1);
  const shown = shownIn(exchange, Object.keys(objectIn(exchange.seen.requestBody) ?? {}));
  return shown === undefined ? [] : [...idsAmong(readScalars(shown), slot).values()].map(String);
}

/** Members that the client has sent and the last read shows, and that the list shows with another value. */
function listedOtherwise(story: Story, context: RunContext, members: readonly Member[]): readonly Deviation[] {
  const names = members.map(({ name }) => name);
  const list = story.of('list');
  const writes = writesIn(story).filter(({ write }) => list !== undefined && write.number < list.number);
  const text = itemsIn(list, story)?.get(idIn(story) ?? '');
  const item = text === undefined ? undefined : objectIn(JSON.parse(text), names);
  const read = shownIn(writes.at(-1)?.after, names);
  if (list === undefined || item === undefined || read === undefined) return [];
  return members.flatMap((member): Deviation[] => {
    const { name } = member;
    const sentIn = ({ write }: Written) => objectIn(write.seen.requestBody, names) ?? {};
    const last = writes.findLast((one) => Object.hasOwn(sentIn(one), name));
    if (last === undefined) return [];
    const [from, shown, listed] = [sentIn(last)[name], read[name], item[name]];
    if (isEmpty(from) || isEmpty(listed) || !agrees(from, shown) || isPartOf(from, listed)) return [];
    const message = `${name} was sent as ${spelled(from)} and a read shows it, and the list shows ${spelled(listed)}`;
    const about = { keyword: 'listed', clause: clauseFor(last.write), message };
    // A value that an earlier read has shown is an old one, and no other spelling.
    const isOld = writes.some(({ before }) => isUnchanged(shownIn(before, names)?.[name], listed));
    const found = {
      ...{ exchange: list, failure: failureOf(context, last.write, member, about) },
      ...(!isOld && { sent: from }),
    };
    // A list may show the beginning of a text, or a summary.
    const isSure = typeof listed === typeof shown && typeof listed !== 'object' && !isBeginning(listed, from);
    return [isSure && !isChosen(story, context, member) ? found : inconclusive(found)];
  });
}

function isBeginning(short: unknown, long: unknown): boolean {
  return typeof short === 'string' && String(long).startsWith(short.replace(/(\.\.\.|…)$/, ''));
}

/** Names of a place among other objects: a server may move an object to the next one that is free. */
const namesPlace = /^(sort_?)?(order|rank|position|index|sequence|place|priority|ordinal)$/i;

/**
 * Whether the server may choose the value of a member that the client sends: states and places follow rules of the application, and a member
 * that the server fills in without a declared default may be computed from others.
 */
export function isChosen(story: Story, { accepted, contract }: RunContext, { name, pointer }: Member): boolean {
  const create = story.of('create');
  // An answer to a change shows members that were there before.
  const isCreate = create?.operation.method === 'post';
  const isFilledIn = isCreate && accepted.get(create.operation)?.filledIn.has(name) === true;
  return namesState.test(name) || namesPlace.test(name) || (isFilledIn && !hasDefault(contract, pointer));
}

export function hasDefault({ root }: Contract, pointer: string): boolean {
  const schema = readPointer(root, pointer);
  return isObject(schema) && Object.hasOwn(schema, 'default');
}

const clauses: Readonly<Record<string, string>> = { put: 'RFC 9110 9.3.4', patch: 'RFC 5789 2' };

function clauseFor({ operation }: NumberedExchange): string {
  return clauses[operation.method] ?? 'OpenAPI: request and read declare the property, and neither as readOnly';
}

export const answerDiffers = storyCheck(
  {
    name: 'answer-differs',
    about: 'the answer to a create or a change shows another value than the next read',
    effect: 'Clients that rely on the answer work with data that the server does not have.',
    clauses: ['RFC 9110'],
    example: {
      sent: 'PUT /books/7 {"title":"Emma","pages":474}',
      answered: '200 {"pages":470}; GET /books/7 has "pages":474',
    },
    fix: 'Answer with the stored object, read after the write.',
    allow: 'Declare the property x-volatile if it varies, or answer without the object.',
  },
  (story, context) => {
    const members = membersOf(story, context);
    const names = members.map(({ name }) => name);
    const judged = writesIn(story).flatMap(({ write, after }) => {
      const [sent = {}, answered, read] = [
        objectIn(write.seen.requestBody, names),
        shownIn(write, names),
        shownIn(after, names),
      ];
      return answered === undefined || read === undefined ? [] : [{ write, sent, answered, read }];
    });
    if (members.length === 0 || judged.length === 0) return undefined;
    return judged.flatMap(({ write, sent, answered, read }) =>
      members.flatMap((member): Deviation[] => {
        const { name } = member;
        if (!Object.hasOwn(answered, name) || agrees(answered[name], read[name])) return [];
        // `stored-differs` judges a read that does not show what was sent.
        if (!isEmpty(sent[name]) && !agrees(sent[name], read[name])) return [];
        const message = `the answer shows ${name} as ${spelled(answered[name])}, and the next read as ${spelled(read[name])}`;
        const clause = write.operation.method === 'post' ? 'RFC 9110 15.3.2' : 'RFC 9110 15.3.1';
        return [
          { exchange: write, failure: failureOf(context, write, member, { keyword: 'answer', clause, message }) },
        ];
      }),
    );
  },
);
