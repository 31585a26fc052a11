// Stories: each is a probe of several steps with one object of the run, and a second time with another object if a check finds a failure.
import { readDuration } from '@lockstep/values/instant';
import { keyOf, roleIn, type StoryCheck, storyIn } from '../checks/story.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, isSame, type Pointer } from '../contract/document.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import type { Address } from '../ledger/ledger.ts';
import { isOfAccess, kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { pathValues } from '../resources/addresses.ts';
import { isTelling, readScalars, type Scalar } from '../resources/read-items.ts';
import { operationAt, plainPath, slotsOf } from '../resources/slots.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { withFreshTexts, withOptional, withOtherFormatted, withOtherValues } from './other-values.ts';
import { addressOfCreated, deletionOf, withNewNames } from './own-objects.ts';
import { type Bench, mayCallOften, mayProbe, type Probe } from './probe.ts';
import { draftAbout, moveTo, withUnknownId } from './request-objects.ts';

/** The operations on the objects of a collection. */
export interface Resource {
  /** A POST to the collection, or a PUT to an object. */
  readonly create: Operation;
  readonly read: Operation | undefined;
  readonly list: Operation | undefined;
  readonly changes: readonly Operation[];
  readonly removal: Operation | undefined;
}

/** The resources whose objects a run may create often, and read. */
export function resourcesOf(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly Resource[] {
  return operations
    .filter((one) => one.method === 'post' && kindOf(contract, one) === 'create')
    .filter((one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions))
    .map((create) => resourceOf(contract, create, permissions))
    .filter(({ read, list }) => read !== undefined || list !== undefined);
}

/** Those whose objects only a PUT creates, under a name that the client chooses. */
export function namedResourcesOf(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly Resource[] {
  const created = new Set(
    resourcesOf(contract, operations, permissions).map(({ create }) => `${plainPath(create.path)}/{}`),
  );
  return (
    operations
      .filter(({ method, path, responses }) => {
        const creates = method === 'put' && responses.some(({ status }) => status === '201');
        return creates && plainPath(path).endsWith('/{}') && !created.has(plainPath(path));
      })
      .filter((one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions) && !isOfAccess(one))
      // The object above it may be one of others.
      .filter(({ path }) => slotsOf(path).length === 1 || permissions.writes === 'all')
      .map((create) => resourceOf(contract, create, permissions))
      .filter(({ read }) => read !== undefined)
  );
}

function resourceOf(contract: Contract, create: Operation, permissions: Permissions): Resource {
  const path = plainPath(create.path);
  const [own, key] = create.method === 'put' ? [path.replace(/\/[^/]*$/, ''), path] : [path, `${path}/{}`];
  const at = (place: string, ...methods: string[]): readonly Operation[] =>
    contract.operations.filter((one) => methods.includes(one.method) && plainPath(one.path) === place);
  const changes = at(key, 'put', 'patch').filter(
    (one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions),
  );
  return { create, read: at(key, 'get')[0], list: at(own, 'get')[0], changes, removal: at(key, 'delete')[0] };
}

/** A story with its checks. @param pointer of the operation to which it belongs */
export function storyProbe(
  name: string,
  checks: readonly StoryCheck[],
  pointer: Pointer,
  row: Pick<Probe, 'worth' | 'mostRequests' | 'isDue'> & {
    readonly tell: (teller: Teller) => Promise<string | undefined>;
  },
): Probe {
  return {
    ...{ name, checks: checks.map((check) => check.name), pointer },
    ...{ worth: row.worth, mostRequests: 2 * row.mostRequests + 2 * pausesMs.length, needsOwn: true },
    ...(row.isDue && { isDue: row.isDue }),
    ask: (bench) => askStory(bench, checks, row.tell),
  };
}

/** Sends a story, and once more with another object if a check finds a failure in it. */
async function askStory(
  bench: Bench,
  checks: readonly StoryCheck[],
  tell: (teller: Teller) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (bench.facts.has(keepsNoState)) return keepsNoState;
  const waits = bench.context.contract.operations.map(
    ({ extensions }) => readDuration(extensions.consistency ?? '') ?? 0,
  );
  if (Math.max(0, ...waits) > mostWaitMs) return 'by x-consistency, reads may show a write later than the run waits';
  const failuresIn = (exchanges: readonly Exchange[], turn: 0 | 1): ReadonlySet<string> =>
    new Set(checks.flatMap(({ find }) => find(storyIn(exchanges, turn), bench.context)?.map(keyOf) ?? []));
  const first = createTeller(bench, 0, () => false);
  const reason = await tell(first);
  const found = failuresIn(first.exchanges, 0);
  if (found.size === 0 || bench.facts.has(keepsNoState)) return reason;
  const proven = new Set<string>();
  /** Whether the last read shows one of these failures that no earlier read has shown for long. */
  const isLate = (exchanges: readonly Exchange[], isLast: boolean): boolean => {
    const shown = [...failuresIn(exchanges, 1)].filter((key) => found.has(key) && !proven.has(key));
    if (isLast) for (const key of shown) proven.add(key);
    return shown.length > 0;
  };
  return await tell(createTeller(bench, 1, isLate));
}

/** Why no story of a collection is sent. */
export const keepsNoState = 'the server accepts a read of an id that was never given: reads do not show what is stored';

const keepsState = 'an object that does not exist cannot be read';

/** Longest time that a run waits for a read to show a write. */
const mostWaitMs = 10_000;

/** Before a read that shows a failure is sent again: within 5 s, the reads of most replicas and search indexes show a write. */
const pausesMs = [250, 750, 1_500, 2_500];

export type Teller = ReturnType<typeof createTeller>;

/** @param isLate whether a read may show a write late; `isLast` if it is not sent again */
function createTeller(bench: Bench, turn: 0 | 1, isLate: (exchanges: readonly Exchange[], isLast: boolean) => boolean) {
  const { context, send } = bench;
  const exchanges: Exchange[] = [];
  let written: Operation | undefined;
  /** Waits until the deployment shows the last write. */
  const settle = async (): Promise<void> => {
    const waitMs = readDuration(written?.extensions.consistency ?? '') ?? 0;
    if (waitMs > 0) await context.wait(waitMs);
    written = undefined;
  };
  const step = async (draft: Draft | undefined, role: string, aim?: Parameters<Bench['send']>[2]) => {
    if (draft === undefined) return undefined;
    const isRead = draft.operation.method === 'get';
    if (isRead) await settle();
    else written = draft.operation;
    let sent = await send(draft, roleIn(turn, role), aim);
    if (sent !== undefined) exchanges.push(sent);
    const { timing, ...now } = draft;
    const inVain = `waiting for ${draft.operation.id} was in vain`;
    const pauses = pausesMs.slice(0, bench.facts.has(inVain) ? 1 : undefined);
    let waits = 0;
    for (const pauseMs of isRead && timing?.isOnce !== true ? pauses : []) {
      if (!isLate(exchanges, false)) break;
      await context.wait(pauseMs);
      const again = await send(now, roleIn(turn, role), aim);
      if (again === undefined) break;
      exchanges.push(again);
      sent = again;
      waits += 1;
    }
    // Where reads lag, they have shown it by now.
    if (isRead && isLate(exchanges, true) && waits === pausesMs.length) bench.facts.add(inVain);
    return sent;
  };
  const stepTogether = async (drafts: readonly Draft[], role: string): Promise<void> => {
    exchanges.push(...(await bench.sendTogether(drafts, roleIn(turn, role))));
    written = drafts[0]?.operation;
  };
  return { bench, context, turn, exchanges, settle, step, stepTogether };
}

/** Whether a read of an object that nobody created is accepted. The answer is a fact for later probes of the operation. */
export async function acceptsUnknown(
  { context, facts }: Pick<Bench, 'context' | 'facts'>,
  read: Draft | undefined,
  ask: (unknown: Draft) => Promise<Exchange | undefined>,
): Promise<boolean> {
  const unknown = read && withUnknownId(context, read);
  if (unknown !== undefined && !facts.has(keepsNoState) && !facts.has(keepsState)) {
    const sent = await ask(unknown);
    facts.add(sent !== undefined && isAccepted(sent) ? keepsNoState : keepsState);
  }
  return facts.has(keepsNoState);
}

export async function readsUnknown({ bench, turn, step }: Teller, read: Draft | undefined): Promise<boolean> {
  return turn === 0 && (await acceptsUnknown(bench, read, (unknown) => step(unknown, 'unknown id')));
}

/** The same about any object of the deployment: settings and lists have no id. */
export async function readsAnyUnknown(teller: Teller): Promise<boolean> {
  const { contract, accepted } = teller.context;
  const read = contract.operations.find(
    (one) => one.method === 'get' && plainPath(one.path).endsWith('/{}') && accepted.has(one),
  );
  return await readsUnknown(teller, read && accepted.get(read)?.draft);
}

/** An object that a story has created. */
export interface Own {
  readonly created: Exchange;
  /** Of the parameters of its path. */
  readonly values: readonly Scalar[];
  readonly deletion: Draft | undefined;
}

/** Objects of one story: each gets names of its own. */
const namesPerStory = 40;

/** Creates an object with all optional members, or else by the accepted request. @returns why there is none */
export async function createObject(
  teller: Teller,
  create: Operation,
  role: string,
  number: number,
  like?: Draft,
): Promise<Own | string> {
  if (create.method === 'put') return await createNamed(teller, create);
  const { bench, context, turn, step } = teller;
  const tools = toolsFor(context, create, 'story', 0);
  const serial = 1 + number + turn * namesPerStory;
  const plain = withNewNames(tools, like ?? bench.draft, serial);
  const isFirst = turn === 0 && role === 'create';
  const fresh = withFreshTexts(context, tools, plain, serial);
  // An object like another one differs from it in its texts: a write may spill to all that share a value.
  const isAlike = isFirst || (like !== undefined && !isSame(fresh.body?.value, like.body?.value));
  const other = isAlike ? fresh : withOtherValues(context, tools, plain, serial);
  const whole = withOptional(context, tools, other);
  // A failure counts if it shows with another value too.
  const formatted = turn === 0 || like !== undefined ? [] : [withOtherFormatted(context, tools, whole)];
  const tried = new Set<string>();
  let last: Exchange | undefined;
  for (const [index, draft] of [...formatted, whole, whole, other, plain].entries()) {
    const fit = last === undefined ? draft : withoutNamed(draft, other, last);
    const content = JSON.stringify(fit.body?.value) ?? '';
    if (tried.has(content)) continue;
    tried.add(content);
    const created = await step(withNewNames(tools, fit, serial + index * 7), role);
    if (created === undefined) return 'the budget was spent';
    last = created;
    if (isAccepted(created)) return await ownOf(teller, created);
  }
  return 'the server accepted no further create';
}

/** The object of an accepted create. @returns why it is none of the run */
export async function ownOf(teller: Teller, created: Exchange): Promise<Own | string> {
  const { context, bench } = teller;
  const address = addressOfCreated(context, created);
  if (address === undefined) return 'the answer to the create has no id';
  if (!isNew(created, bench.draft) && !(await readsNew(teller, created, address)))
    return 'the answer to the create may show an object that was there before';
  return { created, values: address.values, deletion: deletionOf(context, created) };
}

/** An object with its first read. */
interface Begun extends Own {
  readonly read: Draft | undefined;
  readonly shown: Exchange | undefined;
}

/** Creates an object and reads it. @returns why the story cannot go on */
export async function beginStory(
  teller: Teller,
  { create, read: operation }: Pick<Resource, 'create' | 'read'>,
  number: number,
  role = 'read',
): Promise<Begun | string> {
  const object = await createObject(teller, create, 'create', number);
  if (typeof object === 'string') return object;
  const read = operation && draftAbout(teller.context, operation, object.values);
  const shown = await teller.step(read, role);
  return (await readsUnknown(teller, read)) ? keepsNoState : { ...object, read, shown };
}

/** Creates an object by a PUT, under a name with the mark of the run that no object has yet. @returns why there is none */
async function createNamed({ bench, context, turn, step }: Teller, create: Operation): Promise<Own | string> {
  const tools = toolsFor(context, create, 'story', 0);
  const above = pathValues(create, seenOf(bench.draft)).slice(0, -1);
  const last = slotsOf(create.path).at(-1)?.parameter;
  const schema = create.parameters.find(({ in: place, name }) => place === 'path' && name === last)?.schema;
  const marked = `${context.tag}-${freshOf(tools, 1 + turn)}`;
  const spelled = [marked, marked.replaceAll('-', '_'), marked.replaceAll('-', ''), marked.toUpperCase()];
  const name = spelled.find((text) => schema === undefined || context.judge.accepts(schema, 'request', text));
  if (name === undefined) return 'the contract allows no name with the mark of the run';
  const values = [...above, name];
  const about = (method: Operation['method']): Draft | undefined => {
    const operation = operationAt(context.contract, method, plainPath(create.path));
    return operation && draftAbout(context, operation, values);
  };
  const shown = await step(about('get'), 'read of a free name');
  if (shown !== undefined && isAccepted(shown)) return keepsNoState;
  if (shown?.outcome.kind !== 'answer' || ![404, 410].includes(shown.outcome.status))
    return 'no read shows that the name is free';
  const old = pathValues(create, seenOf(bench.draft)).at(-1);
  const plain = renamed(moveTo(bench.draft, values), [old, 'id', last], name);
  const { content, value } = plain.body ?? {};
  if (content?.schema !== undefined && !context.judge.accepts(content.schema, 'request', value))
    return 'the content names an object that was there';
  for (const draft of [withOptional(context, tools, plain), plain]) {
    const created = await step(draft, 'create');
    if (created === undefined) return 'the budget was spent';
    if (!isAccepted(created)) continue;
    const isNew = created.outcome.kind === 'answer' && created.outcome.status === 201;
    return isNew ? { created, values, deletion: about('delete') } : 'the answer does not show that the object is new';
  }
  return 'the server accepted no further create';
}

/** The content with another name wherever it names the object of its path: a server may store by the content. */
function renamed(draft: Draft, [old, ...members]: readonly unknown[], name: string): Draft {
  const { body } = draft;
  if (body === undefined || !isObject(body.value)) return draft;
  const entries = Object.entries(body.value).map(([member, value]): [string, unknown] => {
    const isName = members.includes(member) || String(value) === String(old);
    return [member, isName ? name : value];
  });
  return { ...draft, body: { ...body, value: Object.fromEntries(entries) } };
}

/** Whether an answer shows a new object: by its status, or by a text that no earlier request had. */
function isNew({ outcome, seen }: Exchange, known: Draft): boolean {
  return (outcome.kind === 'answer' && outcome.status === 201) || showsNew(seen, seen.responseBody, known);
}

function showsNew({ requestBody }: Exchange['seen'], content: unknown, known: Draft): boolean {
  const [sent, before] = [requestBody, known.body?.value].map((body) => new Set(readScalars(body).values()));
  const shown = new Set(readScalars(content).values());
  return [...(sent ?? [])].some((value) => isTelling(value) && before?.has(value) !== true && shown.has(value));
}

/** Whether a read shows the text of a create whose answer has only an id. */
async function readsNew({ bench, context, step }: Teller, created: Exchange, { key, values }: Address) {
  const read = operationAt(context.contract, 'get', key);
  const shown = await step(read && draftAbout(context, read, values), 'look');
  return shown !== undefined && isAccepted(shown) && showsNew(created.seen, shown.seen.responseBody, bench.draft);
}

/** Content without the optional members that a rejection names: `Passwords do not match`. */
function withoutNamed(draft: Draft, plain: Draft, { outcome }: Exchange): Draft {
  const { body } = draft;
  const text = outcome.kind === 'answer' ? outcome.body.subarray(0, 2_000).toString().toLowerCase() : '';
  const own = plain.body?.value;
  if (body === undefined || !isObject(body.value) || !isObject(own)) return draft;
  const isNamed = (name: string): boolean =>
    !Object.hasOwn(own, name) &&
    name.split(/[^A-Za-z]|(?=[A-Z])/).some((word) => word.length > 4 && text.includes(word.toLowerCase()));
  return {
    ...draft,
    body: { ...body, value: Object.fromEntries(Object.entries(body.value).filter(([name]) => !isNamed(name))) },
  };
}
