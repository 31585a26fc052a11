import type { Contract, Operation } from '../contract/contract.ts';
import { placeAt } from '../contract/document.ts';
import { canonical, isObject } from '../contract/json.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import type { DataTools } from '../data/value-ladder.ts';
import { type Exchange, isAccepted, isSuccess } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { type Draft, seenOf } from '../execute/write-request.ts';
import { orderOperations } from '../plan/order-operations.ts';
import { type Deed, deedOf, mayRepeat, perilOf, refuseValues } from '../plan/permissions.ts';
import { enumOf, exampleTarget, findTargets, type Target } from '../resources/find-targets.ts';
import { type Lesson, type Lessons, learn } from '../resources/lessons.ts';
import { refusalOf } from '../resources/read-refusal.ts';
import { isIdName, nounOf, plainPath, slotsOf, stemOf } from '../resources/slots.ts';
import type { World } from '../run/world.ts';
import { createDrafter, type Drafter, explainGap, plainWay, type Way } from './draft-valid.ts';
import type { Domain, Scenario } from './phase.ts';

/** Most requests of one operation in one turn, and in all. */
const most = {
  turn: 6,
  all: 12,
  lessons: 8,
  failures: 3,
  forbidden: 2,
  targets: 7,
  busy: 2,
  words: 5,
  fresh: 2,
  rung: 8,
  emptyLists: 2,
} as const;

/**
 * Ranks: reads and creates by their level, changes after what they may change was read, second turns, what nobody handed an id
 * to, requests with what may be left out, actions, deletions from the deepest on, those of others after the run's own, and at the
 * very end what may take away the credentials or the deployment itself.
 */
const ranks = {
  wait: -20,
  change: -200,
  turn: -400,
  noTarget: -3_000,
  complete: -5_000,
  action: -10_000,
  remove: -100_000,
  foreign: -600_000,
  perilous: -400_000,
} as const;

/** One valid request until it is accepted, from the surest values to the boldest. */
export function planBaseline(contract: Contract, operations: readonly Operation[]): readonly Scenario[] {
  return orderOperations(operations).flatMap((level, index) =>
    level.map((operation) => baselineScenario(contract, operation, index)),
  );
}

/** How far one operation has come. It changes in its own turns alone. */
interface Progress {
  readonly sent: Set<string>;
  readonly reasons: Set<string>;
  readonly lessons: Lessons;
  /** Targets that were refused as such, and those for which all data was refused until news come. */
  readonly gone: Set<string>;
  readonly tried: Set<string>;
  turns: number;
  requests: number;
  state: 'open' | 'accepted' | 'over';
  /** Nothing is left to try, as far as the world knew then. */
  isSpent: boolean;
  revision: number;
  way: Way;
  learned: number;
  failures: number;
  /** Targets under which nothing was found. */
  missed: number;
  /** How much was created when it answered an empty list last. */
  emptyAt: number | undefined;
  lastDraft: Draft | undefined;
  /** How often it was refused in the same words. */
  readonly words: Map<string, number>;
  /** How often the deployment was too busy for it. */
  busy: number;
  isAlone: boolean;
  isCompleteSent: boolean;
}

function baselineScenario(contract: Contract, operation: Operation, level: number): Scenario {
  const deed = deedOf(contract, operation);
  const progress: Progress = {
    sent: new Set(),
    reasons: new Set(),
    lessons: new Map(),
    gone: new Set(),
    tried: new Set(),
    turns: 0,
    requests: 0,
    state: 'open',
    isSpent: false,
    revision: -1,
    way: { ...plainWay, hasBody: operation.body?.required === true || !/^(get|head|delete)$/.test(operation.method) },
    learned: 0,
    failures: 0,
    missed: 0,
    emptyAt: undefined,
    lastDraft: undefined,
    words: new Map(),
    busy: 0,
    isAlone: false,
    isCompleteSent: !hasOptional(operation) || deed !== 'read' || operation.method === 'post',
  };
  const names = referenceNames(contract, operation);
  const first = firstRank(operation, deed, level);
  const domain = domainOf(operation, deed);
  let targets: { readonly revision: number; readonly found: readonly Target[] } | undefined;
  const hasChoice = operation.parameters.some(
    ({ in: where, schema }) => where === 'path' && enumOf(contract, schema).length > 0,
  );
  let isPromising = slotsOf(operation.path).length === 0;
  const targetsIn = (world: World): readonly Target[] => {
    const revision = world.resources.revisionFor(operation, names);
    if (targets?.revision !== revision) targets = { revision, found: allTargets(world, operation, deed) };
    return targets.found;
  };
  let drafter: Drafter | undefined;
  return {
    id: `baseline ${operation.id}`,
    operation,
    phase: 'baseline',
    get domain() {
      return progress.busy > 0 || progress.isAlone ? { ...domain, kind: 'alone' as const } : domain;
    },
    mostRequests: most.turn,
    rank: (world) => {
      const { state, requests, turns } = progress;
      if (state === 'accepted') {
        // A list that showed nothing is read again once something was created.
        if (progress.emptyAt !== undefined && world.resources.createdAt(operation.path) > progress.emptyAt)
          return first;
        return progress.isCompleteSent ? undefined : ranks.complete - level;
      }
      if (state === 'over' || requests >= most.all) return undefined;
      if (progress.isSpent && world.resources.revisionFor(operation, names) === progress.revision) return undefined;
      // Every round asks for the rank of all: who has had a target is not looked through again until its turn.
      // As long as nothing that concerns it was seen, there is nothing to look through but the contract's own lists of values.
      const mayHave = hasChoice || world.resources.revisionFor(operation, names) > 0;
      isPromising ||= mayHave && targetsIn(world).some(({ label }) => label !== 'example');
      const waits = waitsFor(world, operation, names) * ranks.wait;
      const isForeign =
        deed === 'remove' && targetsIn(world)[0]?.owned !== true ? (isOfAccess(operation) ? 1.2 : 1) : 0;
      const lacks = isPromising || deed === 'remove' ? 0 : ranks.noTarget;
      // What was made last may hang on what was made first.
      const age = deed === 'remove' ? ageOf(world, operation) : 0;
      return first + turns * ranks.turn + waits + lacks + age + isForeign * ranks.foreign;
    },
    run: async (session, world, allowance) => {
      const tools = toolsFor(world, operation, 'baseline', 0);
      drafter ??= createDrafter(tools, operation);
      const revision = world.resources.revisionFor(operation, names);
      const turn: Turning = { world, tools, drafter, operation, deed, progress, revision, targets: targetsIn(world) };
      const exchanges: Exchange[] = [];
      progress.turns += 1;
      progress.reasons.clear();
      for (const step of steps(turn)) {
        if (exchanges.filter(({ isPause }) => !isPause).length >= allowance) break;
        progress.requests += 1;
        const found = await session.send(step.draft);
        exchanges.push(...found);
        const last = found.at(-1);
        if (last === undefined) break;
        step.answered(last);
      }
      progress.revision = revision;
      return { exchanges, reasons: progress.state === 'open' ? [...progress.reasons] : [] };
    },
  };
}

interface Turning {
  readonly world: World;
  readonly tools: DataTools;
  readonly drafter: Drafter;
  readonly operation: Operation;
  readonly deed: Deed;
  readonly progress: Progress;
  readonly targets: readonly Target[];
  readonly revision: number;
}

interface Step {
  readonly draft: Draft;
  readonly answered: (exchange: Exchange) => void;
}

/** What is tried one after the other. Each answer says where to go on: with other data, another target, or not at all. */
function* steps(turn: Turning): Generator<Step> {
  const { world, drafter, operation, progress, targets } = turn;
  if (progress.state === 'accepted') {
    if (progress.emptyAt !== undefined && world.resources.createdAt(operation.path) > progress.emptyAt) {
      yield* againStep(turn);
    } else yield* completeStep(turn);
    return;
  }
  progress.isSpent = false;
  if (progress.revision !== turn.revision) {
    progress.tried.clear();
    progress.way = { ...progress.way, rung: 0 };
  }
  let at = 0;
  let empty = 0;
  let forbidden = 0;
  const advance = (what: 'data' | 'target'): void => {
    const next = { ...progress.way, rung: progress.way.rung + 1 };
    const stays = what === 'data' && next.rung <= most.rung && drafter.hasRung(next);
    // What was refused for the object alone may have been good data.
    progress.way = stays ? next : { ...progress.way, rung: what === 'target' ? progress.way.rung : 0 };
    if (stays) return;
    if (what === 'target') progress.missed += 1;
    (what === 'target' ? progress.gone : progress.tried).add(keyOf(targets[at]));
    at += 1;
  };
  shareLessons(turn);
  while (at < targets.length && progress.requests < most.all) {
    const target = targets[at];
    if (target === undefined) break;
    if (progress.gone.has(keyOf(target)) || progress.tried.has(keyOf(target))) {
      at += 1;
      continue;
    }
    const draft = drafter.draft(target, progress.way, world.resources, progress.lessons);
    const prepared = draft === undefined ? explainGap(operation) : prepare(turn, draft, target);
    if (typeof prepared === 'string') {
      progress.reasons.add(prepared);
      advance('data');
      continue;
    }
    // What was accepted elsewhere meanwhile is worth the same request again.
    const key = `${canonical(seenOf(prepared))}${target.proven === true ? ' proven' : ''}`;
    if (progress.sent.has(key)) {
      advance('data');
      continue;
    }
    progress.sent.add(key);
    let answer: Exchange | undefined;
    yield { draft: prepared, answered: (exchange) => (answer = exchange) };
    if (answer === undefined) return;
    if (isSuccess(answer.outcome)) {
      progress.state = isAccepted(answer) ? 'accepted' : 'over';
      progress.lastDraft = prepared;
      if (isEmptyList(turn, answer)) progress.emptyAt ??= world.resources.createdAt(operation.path);
      // An empty list hands out no id: another parent may have more.
      const isBare = progress.emptyAt !== undefined && slotsOf(operation.path).length > 0 && empty < most.emptyLists;
      if (!isBare || targets[at + 1] === undefined) return;
      empty += 1;
      at += 1;
      continue;
    }
    const next = judge(turn, answer, target);
    if (progress.state === 'accepted') return;
    if (next === 'forbidden') forbidden += 1;
    if (next === 'over' || forbidden > most.forbidden) {
      progress.state = 'over';
      return;
    }
    // The same request once more in a turn of its own: a pool or a database may have been taken by others.
    if (next === 'later') {
      progress.sent.delete(key);
      return;
    }
    // What may not be repeated is followed by another case of it, with data of its own and nothing else under way.
    if (next === 'alone') {
      progress.isAlone = true;
      progress.way = { ...progress.way, fresh: progress.way.fresh + 1 };
      return;
    }
    if (next === 'again') continue;
    advance(next === 'forbidden' ? 'target' : next);
    if (progress.missed >= most.targets && !targets.slice(at).some(({ proven }) => proven === true)) break;
  }
  progress.isSpent = true;
}

/** Where a refusal leads. */
function judge(
  turn: Turning,
  exchange: Exchange,
  target: Target,
): 'again' | 'alone' | 'later' | 'data' | 'target' | 'forbidden' | 'over' {
  const { outcome, seen } = exchange;
  const { operation, progress, drafter, tools } = turn;
  const isRepeated = mayRepeat(operation, exchange.request.method);
  if (outcome.kind === 'none') {
    progress.failures += 1;
    return isRepeated || progress.failures >= most.failures ? 'over' : 'alone';
  }
  const { status } = outcome;
  if (status === 403) return Object.keys(target.values).length > 0 ? 'forbidden' : 'over';
  if (status < 400 || [401, 402, 405, 406, 429, 501].includes(status)) return 'over';
  // What a gateway gave up on may have been done all the same.
  if (status === 502 || status === 504) return 'over';
  if (status === 503) {
    progress.busy += 1;
    return progress.busy <= most.busy ? 'later' : 'over';
  }
  if (status >= 500) {
    progress.failures += 1;
    if (!isRepeated && progress.failures < most.failures) return 'alone';
    return progress.failures >= most.failures ? 'over' : progress.failures === 1 ? 'data' : 'target';
  }
  if (status === 415 && progress.way.content + 1 < drafter.contents) {
    progress.way = { ...progress.way, content: progress.way.content + 1, rung: 0 };
    return 'again';
  }
  const refusal = refusalOf(exchange);
  // The same words again and again are about something that no value of ours changes.
  const words = `${status} ${normaliseWords(refusal)}`;
  const times = (progress.words.get(words) ?? 0) + 1;
  progress.words.set(words, times);
  if (times > most.words) return 'over';
  const came = refusal === undefined ? 'nothing' : learn(tools.contract, operation, seen, refusal, progress.lessons);
  if (came === 'new' && progress.learned < most.lessons) {
    progress.learned += 1;
    return 'again';
  }
  if (status === 409 && progress.way.hasBody && progress.way.fresh < most.fresh) {
    progress.way = { ...progress.way, fresh: progress.way.fresh + 1 };
    return 'again';
  }
  const isAboutTarget = came === 'path' || status === 404 || status === 410 || status === 409;
  return isAboutTarget && operation.path.includes('{') ? 'target' : 'data';
}

/** The same request again, as often as it shows nothing though something was made. */
function* againStep(turn: Turning): Generator<Step> {
  const { progress, world, operation } = turn;
  const before = progress.emptyAt;
  progress.emptyAt = undefined;
  if (progress.lastDraft === undefined || progress.requests >= most.all) return;
  let answer: Exchange | undefined;
  yield { draft: progress.lastDraft, answered: (exchange) => (answer = exchange) };
  if (answer !== undefined && isEmptyList(turn, answer) && before === 0) {
    progress.emptyAt = world.resources.createdAt(operation.path);
  }
}

/** Once more with what may be left out, so that it is met as well; a refusal of it takes nothing back. */
function* completeStep({ world, drafter, operation, progress, targets }: Turning): Generator<Step> {
  progress.isCompleteSent = true;
  for (const target of targets) {
    const way = { ...progress.way, isComplete: true };
    const draft = drafter.draft(target, way, world.resources, progress.lessons);
    if (draft === undefined || progress.sent.has(canonical(seenOf(draft)))) continue;
    if (refuseValues(operation, seenOf(draft), world.permissions) !== undefined) continue;
    yield { draft, answered: () => undefined };
    return;
  }
}

/** What other operations learned about schemas that this one uses too. */
function shareLessons({ world, operation, progress, tools }: Turning): void {
  if (progress.turns > 1) return;
  const schema = operation.body?.contents.find((content) => content.schema !== undefined)?.schema;
  if (schema === undefined) return;
  const { properties } = flattenSchema(tools.contract.root, placeAt(tools.contract.root, schema), 0);
  for (const [name, place] of properties) {
    const known = world.lessons.about(place.pointer);
    if (known === undefined) continue;
    const lesson: Lesson = {
      ...known,
      about: { kind: 'body', tokens: [name], schema: place.pointer },
      unique: 0,
      wrong: 0,
    };
    progress.lessons.set(`body /${name}`, { ...lesson, forbidden: false });
  }
}

/** Without what differs from request to request: values in quotes, numbers, ids. */
function normaliseWords(refusal: unknown): string {
  const text = typeof refusal === 'string' ? refusal : (JSON.stringify(refusal) ?? '');
  return text
    .slice(0, 2_000)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{20,}|\d+/gi, '0')
    .replaceAll(/\\?["'`][^"'`]{0,80}["'`]/g, (quoted) => (/[:\s]/.test(quoted) ? quoted : '""'));
}

/** Everything that the operation may be about, the contract's example at the end. */
function allTargets(world: World, operation: Operation, deed: Deed): readonly Target[] {
  const { permissions, resources } = world;
  const found = findTargets(world, resources, operation);
  const isChange = deed === 'change' || deed === 'remove';
  // A change never guesses: what is wrongly guessed may be somebody's.
  const sure = isChange
    ? found.filter(
        (target) => target.owned || (target.sure && !(deed === 'remove' && isOfSystem(world, operation, target))),
      )
    : found;
  const made = madeUp(world, operation);
  return permissions.writes === 'all' || !isChange || slotsOf(operation.path).length === 0
    ? [...sure, ...made, exampleTarget]
    : [...sure, ...made];
}

/** Its items are those by which a run is let in: to delete one of others may end it. */
function isOfAccess({ path }: Operation): boolean {
  const own =
    /^(user|account|member|membership|token|apikey|key|session|role|organi[sz]ation|tenant|team|group|admin|client|credential)$/;
  return own.test(nounOf(path)) || own.test(slotsOf(path).at(-1)?.noun ?? '');
}

/** Named as a part of the deployment itself. */
function isOfSystem({ resources }: World, operation: Operation, { values }: Target): boolean {
  if (resources.isOfSystem(operation, values)) return true;
  const named =
    /(^|[^a-z])(system|default|admin|administrator|administrators|root|internal|superuser|owner|public|master|main)([^a-z]|$)/i;
  return Object.values(values).some((value) => typeof value === 'string' && named.test(value));
}

/** Where the contract says that a PUT creates (201), an id that carries the tag is of nothing that exists. */
function madeUp(world: World, operation: Operation): Target[] {
  const last = slotsOf(operation.path).at(-1);
  const creates = operation.method === 'put' && operation.responses.some(({ status }) => status === '201');
  if (!creates || last === undefined || !plainPath(operation.path).endsWith('/{}')) return [];
  const above = { ...operation, path: operation.path.slice(0, operation.path.lastIndexOf('/{')) };
  const parents = slotsOf(above.path).length === 0 ? [exampleTarget] : findTargets(world, world.resources, above);
  const { schema } = operation.parameters.find(({ name }) => name === last.parameter) ?? {};
  const isFit = schema === undefined || world.judge.accepts(schema, 'request', world.tag);
  const [parent] = parents;
  if (!isFit || parent === undefined) return [];
  return [{ label: 'made up', values: { ...parent.values, [last.parameter]: world.tag }, owned: true, sure: true }];
}

/** The draft as it may be sent, or why it must not be. */
function prepare({ world, tools, operation, deed }: Turning, draft: Draft, target: Target): Draft | string {
  const { permissions } = world;
  const check = (checked: Draft): Draft | string => refuseValues(operation, seenOf(checked), permissions) ?? checked;
  const isForeign = (deed === 'change' || deed === 'remove') && !target.owned && permissions.writes !== 'all';
  if (!isForeign) return check(draft);
  const hint = 'pass --writes all to try it on others';
  if (deed === 'remove') return `this run has made nothing that it could delete: ${hint}`;
  const body = permissions.writes === 'restore' ? restoreBody(world, tools, draft) : undefined;
  if (body === undefined) return `what it would change could not be put back: ${hint}`;
  return check({ ...draft, label: `${target.label}, as it was read`, body });
}

/** A body that writes back what was read of the same object, so that a write to something of others changes nothing. */
function restoreBody({ resources }: World, tools: DataTools, { operation, body, parameters }: Draft): Draft['body'] {
  const path = seenOf({ operation, parameters, body: undefined, label: '' }).path;
  const read = resources.lastRead(operation.path, path);
  if (!isObject(read) || body?.content.schema === undefined) return undefined;
  const { root } = tools.contract;
  const { schema } = body.content;
  const { properties } = flattenSchema(root, placeAt(root, schema), 0);
  const [only] = Object.values(read);
  const whole = Object.keys(read).length === 1 && isObject(only) ? only : read;
  const entries = [...properties].flatMap(([name, place]): [string, unknown][] => {
    if (!Object.hasOwn(whole, name) || (isObject(place.value) && place.value.readOnly === true)) return [];
    const value = whole[name];
    const spelled = [value, ...(typeof value === 'number' ? [String(value)] : [])];
    return [[name, spelled.find((one) => tools.judge.accepts(place.pointer, 'request', one))]];
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  if (entries.length === 0 && operation.method !== 'patch') return undefined;
  const value = Object.fromEntries(entries);
  return tools.judge.accepts(schema, 'request', value) ? { ...body, value } : undefined;
}

/** A list that was accepted and showed nothing, though there are paths that need one of its items. */
function isEmptyList({ world, operation }: Turning, { seen }: Exchange): boolean {
  if (operation.method !== 'get') return false;
  const path = plainPath(operation.path);
  if (!world.resources.isWanted(path) || world.resources.collections.get(path)?.items.length) return false;
  const body = seen.responseBody;
  const lists = Array.isArray(body) ? [body] : isObject(body) ? Object.values(body).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

function firstRank(operation: Operation, deed: Deed, level: number): number {
  const { path } = operation;
  const peril = perilOf(operation, deed);
  if (peril > 0) return ranks.perilous * peril - level;
  // A child is deleted before its parent.
  if (deed === 'remove') return ranks.remove + path.split('/').length * 2_000;
  if (deed === 'action') return ranks.action - level;
  return (deed === 'change' ? ranks.change : 0) - level;
}

function domainOf(operation: Operation, deed: Deed): Domain {
  const { path } = operation;
  const kind =
    perilOf(operation, deed) > 0 ? 'alone' : deed === 'read' ? 'reads' : deed === 'action' ? 'alone' : 'writes';
  return { path: path.replace(/\/?\{.*$/s, ''), kind };
}

function hasOptional({ parameters }: Operation): boolean {
  return parameters.some(({ in: where, required }) => where === 'query' && !required);
}

/** Place of its collection among those seen, the first 0. */
function ageOf({ resources }: World, { path }: Operation): number {
  const collection = slotsOf(path).at(-1)?.collection ?? '';
  return Math.min(399, resources.collections.get(collection)?.age ?? 0);
}

/** How many are still to be found of the ids that it needs: others come first, who may show them or try them at less cost. */
function waitsFor({ resources }: World, { path }: Operation, names: readonly string[]): number {
  const own = plainPath(path);
  const untried = slotsOf(path).filter(({ key }) => {
    const state = resources.slots.get(key);
    return state?.isReadable === true && state.proven.length === 0 && key !== own;
  });
  const unknown = names.filter((name) => !resources.knows(name) && resources.mayKnow(name));
  return Math.min(5, untried.length + unknown.length);
}

/** Plain names of what the operation speaks of outside of its path: news of these may help it. */
function referenceNames(contract: Contract, operation: Operation): string[] {
  const { root } = contract;
  const names = operation.parameters.filter(({ in: where, required }) => required && where !== 'path');
  const schema = operation.body?.contents.find((content) => content.schema !== undefined)?.schema;
  const properties = schema === undefined ? [] : [...flattenSchema(root, placeAt(root, schema), 0).properties.keys()];
  const all = [...names.map(({ name }) => name), ...properties.slice(0, 60)];
  const known = nounsOf(contract);
  const own = nounOf(operation.path);
  return [...new Set(all.filter((name) => isIdName(name) || known.has(stemOf(name))).map(stemOf))].filter(
    (stem) => stem !== '' && stem !== own,
  );
}

function nounsOf(contract: Contract): ReadonlySet<string> {
  const known = nouns.get(contract) ?? new Set(contract.operations.map(({ path }) => nounOf(path)));
  nouns.set(contract, known);
  return known;
}

const nouns = new WeakMap<Contract, ReadonlySet<string>>();

function keyOf(target: Target | undefined): string {
  return `${canonical(target?.values ?? {})}${target?.proven === true ? ' proven' : ''}`;
}
