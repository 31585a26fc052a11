import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import { memberOf } from '../contract/document.ts';
import { nameSome } from '../contract/printable.ts';
import { readJson } from '../execute/content.ts';
import { type Answer, type Draft, headerOf } from '../execute/exchange.ts';
import type { Session } from '../execute/session.ts';
import { idsAmong } from '../resources/collections.ts';
import { isTelling, readItems, type Scalars } from '../resources/read-items.ts';
import { normal, nounOf, operationAt, type Slot, slotsOf } from '../resources/slots.ts';
import {
  type Address,
  addressesOf,
  type Created,
  type Entry,
  isBeneath,
  type Ledger,
  nameOf,
  type Write,
  type WriteKind,
} from './ledger.ts';
import { hidden, isLike, rankIds, slotsByCollection } from './record-writes.ts';

/** An effect of the run that was not undone. */
export interface Left {
  /** Id in the contract. */
  readonly operation: string;
  /** `POST /readers`. */
  readonly request: string;
  /** The path of the object, if it is known: `/readers/7`. */
  readonly object: string | undefined;
  readonly why: string;
  /** Whether a later clean-up may undo it. */
  readonly isOpen: boolean;
}

/** Effects of one reason. */
export interface LeftGroup extends Pick<Left, 'operation' | 'why' | 'isOpen'> {
  readonly count: number;
  /** Paths of objects, or requests if those are not known: each once, at most `mostExamples`. */
  readonly examples: readonly string[];
}

const mostExamples = 20;

export interface CleanUp {
  /** Number of objects that were deleted or put back. */
  readonly undone: number;
  readonly left: readonly Left[];
}

interface Given {
  readonly contract: Contract;
  readonly ledger: Ledger;
  readonly session: Pick<Session, 'send'>;
  readonly tag: string;
  /** Why an operation must not be called; undefined if it may be called. */
  readonly refuse: (operation: Operation) => string | undefined;
  /** Aborted when nothing more is to be sent, with the reason. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** One group for each reason. An object that several writes name is left once. */
export function groupLeft(left: readonly Left[]): readonly LeftGroup[] {
  const groups = Map.groupBy(left, ({ operation, why }) => JSON.stringify([operation, why]));
  return [...groups.values()].flatMap((found): LeftGroup[] => {
    const [first] = found;
    const objects = new Set(found.flatMap(({ object }) => object ?? []));
    const unnamed = found.filter(({ object }) => object === undefined);
    const names = [...objects, ...new Set(unnamed.map(({ request }) => request))];
    const isOpen = found.some((one) => one.isOpen);
    if (first === undefined) return [];
    const { operation, why } = first;
    return [{ operation, why, isOpen, count: objects.size + unnamed.length, examples: names.slice(0, mostExamples) }];
  });
}

/** One line for each reason, with some of the objects. */
export function nameLeft(groups: readonly LeftGroup[]): readonly { readonly text: string; readonly isOpen: boolean }[] {
  return groups.map(({ operation, why, count, examples, isOpen }) => {
    return { text: `${operation}: ${why} (${nameSome(examples, undefined, count)})`, isOpen };
  });
}

/** An effect that stays. `at`: the first address that the object may have. */
interface LeftResult {
  readonly kind: 'left';
  readonly why: string;
  readonly isOpen: boolean;
  readonly at: Address | undefined;
}

type Result = { readonly kind: 'undone'; readonly at?: Address } | { readonly kind: 'nothing' } | LeftResult;

const nothing: Result = { kind: 'nothing' };

/** A failure that another clean-up may not meet. */
const leftOpen = (why: string, at?: Address): LeftResult => ({ kind: 'left', why, isOpen: true, at });
const leftForGood = (why: string, at?: Address): LeftResult => ({ kind: 'left', why, isOpen: false, at });

/** A clean-up under way. */
interface Running extends Given {
  /** Results of the deletions, by address. */
  readonly deletions: Map<string, LeftResult | 'deleted'>;
}

/**
 * The last write first, and all writes of one address in the place of the first: a server may replace an object whose id a create
 * repeats, and may not delete it before the objects that later creates have put below it.
 */
function orderEntries(entries: readonly Entry[]): readonly Entry[] {
  const firsts = new Map<string, number>();
  const placed = entries.map((entry, index) => {
    const [address] = (entry.outcome?.created ?? []).flatMap(addressesOf);
    const name = address === undefined ? String(index) : nameOf(address);
    const place = firsts.get(name) ?? index;
    firsts.set(name, place);
    return { entry, place };
  });
  return placed
    .toReversed()
    .sort((a, b) => b.place - a.place)
    .map(({ entry }) => entry);
}

/** Undoes the open writes of a ledger. */
export async function cleanUp(given: Given): Promise<CleanUp> {
  const { contract, ledger, signal, onProgress } = given;
  const entries = orderEntries(ledger.entries());
  const removed: Address[] = [];
  const running: Running = { ...given, deletions: new Map() };
  const kept: { readonly write: Write; readonly result: LeftResult }[] = [];
  let undone = 0;
  for (const [index, entry] of entries.entries()) {
    onProgress?.(index, entries.length);
    const { write } = entry;
    const result = signal.aborted ? leftOpen(`not undone: ${signal.reason}`) : await undo(running, entry);
    if (result.kind === 'left') kept.push({ write, result });
    else ledger.append({ undone: write.write });
    if (result.kind !== 'undone') continue;
    undone += 1;
    if (result.at !== undefined) removed.push(result.at);
  }
  // An object is gone with the one above it.
  const isGone = ({ write }: { readonly write: Write }): boolean => removed.some((above) => isBeneath(write, above));
  for (const { write } of kept.filter(isGone)) ledger.append({ undone: write.write });
  const remaining = kept.filter((one) => !isGone(one)).toReversed();
  return { undone, left: remaining.map(({ write, result }) => describeLeft(contract, write, result)) };
}

async function undo(given: Running, entry: Entry): Promise<Result> {
  const { write, outcome } = entry;
  if (write.values.includes(hidden)) return leftForGood('its path has a secret, which the ledger omits');
  return await undoing[outcome?.created === undefined ? write.kind : 'create'](given, entry);
}

const undoing: Readonly<Record<WriteKind, (given: Running, entry: Entry) => Promise<Result>>> = {
  create: undoCreate,
  change: putBack,
  remove: async ({ ledger }, { write, outcome }) => {
    // The entry of the create decides about an own object.
    if (ledger.isOwn(write)) return nothing;
    return leftForGood(outcome === undefined ? 'deleted, if the server executed the request' : 'deleted');
  },
  action: async (_, { outcome }) =>
    leftForGood(outcome === undefined ? 'an action, if the server executed it' : 'an action'),
};

async function putBack(given: Given, { write }: Entry): Promise<Result> {
  if (write.before === null) return nothing;
  const operation = given.contract.operations.find(({ id }) => id === write.operation);
  const content = operation?.body?.contents[0];
  if (write.before === undefined || operation?.method !== write.method || content === undefined)
    return leftForGood('changed, and the previous value is not known');
  const answer = await send(given, write, operation, write, { body: { content, value: write.before } });
  if (isDone(answer)) return { kind: 'undone' };
  return leftOpen(`changed, and the request that would put the previous value back ${describe(answer)}`);
}

async function undoCreate(given: Running, { write, outcome }: Entry): Promise<Result> {
  const itself = write.values.at(-1);
  if (write.method !== 'post' && itself !== undefined) {
    const named: Created = { key: write.key, parents: write.values.slice(0, -1), ids: [['@sent', itself]] };
    return await remove(given, write, outcome?.created?.[0] ?? named);
  }
  const slot = slotsByCollection(given.contract).get(write.key);
  if (slot === undefined && outcome?.created?.length !== 1)
    return leftForGood('created, and the contract has no path of it');
  const found = outcome?.created === undefined && slot !== undefined ? await find(given, write, slot) : undefined;
  if (found?.kind === 'left') return found;
  let result = nothing;
  for (const created of found?.created ?? outcome?.created ?? []) {
    const own = await remove(given, write, created);
    if (result.kind !== 'left' && own.kind !== 'nothing') result = own;
  }
  return result;
}

/** Deletes an object at the first of its addresses that exists. */
async function remove(given: Running, write: Write, created: Created): Promise<Result> {
  const operation = operationAt(given.contract, 'delete', created.key);
  const addresses = addressesOf(created);
  if (operation === undefined) return leftForGood('created, and the contract declares no DELETE of it', addresses[0]);
  if (addresses.length === 0) return leftForGood('created, and no answer contained its id');
  for (const [index, at] of addresses.entries()) {
    const known = given.deletions.get(nameOf(at));
    if (known === 'deleted') continue;
    if (known !== undefined) return known;
    // Another object may have the value of this member as its id.
    if (!isCertain(created, index, operation) && !(await isThere(given, write, created, at))) continue;
    const answer = await send(given, write, operation, at);
    if (typeof answer !== 'string' && (answer.status === 404 || answer.status === 410)) continue;
    const left = isDone(answer) ? undefined : leftOpen(`created, and its DELETE ${describe(answer)}`, at);
    // An object may have its second address when later writes are undone.
    if (index === 0 || left === undefined) given.deletions.set(nameOf(at), left ?? 'deleted');
    return left ?? { kind: 'undone', at };
  }
  return nothing;
}

/** Whether the server named the value as an id: it may have replaced an id that was sent. */
function isCertain({ ids }: Created, index: number, { path }: Operation): boolean {
  const [member = ''] = ids[index] ?? [];
  return !member.startsWith('@given.') && idsAmong(new Map(ids.slice(index, index + 1)), slotsOf(path).at(-1)).size > 0;
}

/** Whether a GET of an address shows the created object. */
async function isThere(given: Given, write: Write, created: Created, at: Address): Promise<boolean> {
  const operation = operationAt(given.contract, 'get', at.key);
  if (operation === undefined) return false;
  const { whole } = readItems(bodyOf(await send(given, write, operation, at)), nounOf(at.key));
  if (whole === undefined) return false;
  const ids = new Map(
    [...idsAmong(new Map(created.ids), slotsOf(operation.path).at(-1))].filter(([name]) => whole.has(name)),
  );
  if (ids.size > 0) return isLike(whole, ids);
  const sent = new Map(Object.entries(write.sent));
  // A change may have sent little: an object of others could have the same.
  const isTold = write.kind !== 'change' || [...sent].some(([name, value]) => isTelling(value) && whole.has(name));
  return isTold && isLike(whole, sent);
}

/** A shorter list is presumed to be complete: common default sizes of pages begin at 20. */
const shortestPage = 20;

/**
 * Looks in the list of a collection for an object whose create got no answer. The run created an object that has what was sent, and
 * either the run's tag, or is new in a list that still has everything that it had before.
 */
async function find(
  given: Given,
  write: Write,
  slot: Slot,
): Promise<LeftResult | { readonly kind: 'found'; readonly created: readonly Created[] }> {
  const operation = operationAt(given.contract, 'get', write.key);
  if (operation === undefined) return leftForGood('possibly created, and the contract declares no list');
  const { query = {}, ids: before } = write.listed ?? {};
  const answer = await send(given, write, operation, write, { query });
  // The collection is gone with the object above it.
  if (typeof answer !== 'string' && answer.status === 404) return { kind: 'found', created: [] };
  if (!isDone(answer)) return leftOpen(`possibly created, and ${operation.id} ${describe(answer)}`);
  const { list } = readItems(bodyOf(answer), slot.noun);
  const sent = new Map(Object.entries(write.sent));
  const idsOf = (scalars: Scalars): readonly string[] => [...idsAmong(scalars, slot).values()].map(String);
  const listed = new Set(list.flatMap(idsOf));
  const isGrown = before?.every((id) => listed.has(id)) === true;
  // Other writes of the run may have created objects whose own entries are still open.
  const isOther = (id: string): boolean => given.ledger.isOwn({ key: slot.key, values: [...write.values, id] });
  const added = list.filter((one) => !idsOf(one).some((id) => before?.includes(id) || isOther(id)));
  const own = added.filter((one) => isLike(one, sent) && (isGrown || isTagged(one, sent, given.tag)));
  const mayBe = added.some((one) => isLike(one, sent) || ![...sent.keys()].some((member) => one.has(member)));
  const isWhole = list.length < shortestPage && Object.keys(query).length === 0;
  if (own.length === 0 && mayBe) return leftForGood(`possibly created; an object that ${operation.id} lists may be it`);
  if (own.length === 0 && !isWhole) return leftForGood(`possibly created, and ${operation.id} may list only a part`);
  const created = own.map((one) => ({ key: slot.key, parents: write.values, ids: rankIds(one, slot) }));
  return { kind: 'found', created };
}

/** Whether a member has the run's tag, with or without its hyphen. */
function isTagged(scalars: Scalars, sent: Scalars, tag: string): boolean {
  return [...sent].some(([member, value]) => scalars.has(member) && normal(String(value)).includes(normal(tag)));
}

/** @returns the last answer, or why there is none */
async function send(
  { session, refuse, signal }: Given,
  { account }: Write,
  operation: Operation,
  { values }: Pick<Address, 'values'>,
  { query = {}, body }: { readonly query?: Readonly<Record<string, unknown>>; readonly body?: Draft['body'] } = {},
): Promise<Answer | string> {
  const refusal = refuse(operation);
  if (refusal !== undefined) return `was not sent: ${refusal}`;
  const inPath = new Map(slotsOf(operation.path).map(({ parameter }, index) => [parameter, values[index]]));
  const given = operation.parameters.map((parameter) => {
    const { name, required, examples } = parameter;
    const otherwise = required ? examples[0] : undefined;
    return { parameter, value: parameter.in === 'path' ? inPath.get(name) : (memberOf(query, name) ?? otherwise) };
  });
  const missing = given.find(({ parameter, value }) => parameter.required && value === undefined);
  if (missing !== undefined) return `needs a value for ${missing.parameter.name}`;
  const parameters = given.filter(({ value }) => value !== undefined);
  const exchanges = await session.send({ operation, parameters, body, label: 'clean-up', identity: account });
  const outcome = exchanges.at(-1)?.outcome;
  if (outcome === undefined) return signal.aborted ? 'was cut short' : 'needs the second account';
  return outcome.kind === 'answer' ? outcome : `was not answered: ${outcome.message}`;
}

function isDone(answer: Answer | string): boolean {
  return typeof answer !== 'string' && answer.status < 300;
}

function describe(answer: Answer | string): string {
  return typeof answer === 'string' ? answer : `was answered ${answer.status}`;
}

function bodyOf(answer: Answer | string): unknown {
  if (typeof answer === 'string' || !isDone(answer) || !isJson(headerOf(answer, 'content-type') ?? ''))
    return undefined;
  return memberOf(readJson(answer.body), 'value');
}

function describeLeft({ operations }: Contract, write: Write, { why, isOpen, at }: LeftResult): Left {
  const { path } = operations.find(({ id }) => id === write.operation) ?? { path: write.key };
  const request = `${write.method.toUpperCase()} ${fill(path, write)}`;
  return { operation: write.operation, request, object: at && fill(at.key, at), why, isOpen };
}

function fill(path: string, { values }: Pick<Address, 'values'>): string {
  let index = -1;
  return path.replaceAll(/\{[^}]*\}/g, (parameter) => {
    index += 1;
    return encodeURIComponent(String(values[index] ?? parameter));
  });
}
