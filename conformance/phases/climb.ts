import type { World } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import { canonical, isObject, placeAt } from '../contract/document.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import type { DataTools } from '../data/value-ladder.ts';
import { type Exchange, isAccepted, isSuccess } from '../execute/exchange.ts';
import { asksAgain } from '../execute/limits.ts';
import { type Draft, seenOf } from '../execute/write-request.ts';
import { type Deed, mayRepeat, refuseValues } from '../plan/permissions.ts';
import type { Target } from '../resources/find-targets.ts';
import type { Lesson } from '../resources/lesson.ts';
import { learn } from '../resources/lessons.ts';
import { learnMentioned } from '../resources/mentioned.ts';
import { refusalOf } from '../resources/read-refusal.ts';
import { hasShape, readRefusedAddress } from '../resources/refused-address.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import { prepare } from './choose-targets.ts';
import { type Drafter, explainGap } from './draft-valid.ts';
import { most, type Progress } from './progress.ts';

export interface Turning {
  readonly world: World;
  readonly tools: DataTools;
  readonly drafter: Drafter;
  readonly operation: Operation;
  readonly deed: Deed;
  readonly progress: Progress;
  readonly targets: readonly Target[];
  readonly revision: number;
}

export interface Step {
  readonly draft: Draft;
  readonly answered: (exchange: Exchange) => void;
}

/** What is tried one after the other. Each answer says where to go on: with other data, another target, or not at all. */
export function* steps(turn: Turning): Generator<Step> {
  const { world, drafter, operation, progress } = turn;
  if (progress.state === 'accepted') {
    const isNews = progress.emptyAt !== undefined && world.resources.createdAt(operation.path) > progress.emptyAt;
    const isLate = !isNews && progress.emptyAt !== undefined && progress.isCompleteSent;
    if (isLate) progress.isAskedLate = true;
    if (isNews || isLate) yield* againStep(turn);
    else yield* completeStep(turn);
    return;
  }
  if (progress.isDrawing) {
    if (progress.draws === 0) yield* drawSteps(turn);
    progress.isDrawing = false;
    progress.isSpent = true;
    return;
  }
  progress.isSpent = false;
  const { targets } = turn;
  if (progress.revision !== turn.revision) {
    progress.tried.clear();
    progress.barred.clear();
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
  while (at < targets.length && progress.requests < progress.most) {
    const target = targets[at];
    if (target === undefined) break;
    if (progress.gone.has(keyOf(target)) || progress.tried.has(keyOf(target)) || isBarred(turn, target)) {
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
    const answer = yield* ask(prepared);
    if (answer === undefined) return;
    if (isSuccess(answer.outcome)) {
      succeed(progress, answer, prepared, target);
      if (isEmptyList(turn, answer)) progress.emptyAt ??= world.resources.createdAt(operation.path);
      // An empty list hands out no id: another parent may have more.
      const isBare = progress.emptyAt !== undefined && slotsOf(operation.path).length > 0 && empty < most.emptyLists;
      if (!isBare || targets[at + 1] === undefined) return;
      empty += 1;
      at += 1;
      continue;
    }
    const next = judge(turn, answer, target);
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
      // Nor is it sent again when its target has proven itself meanwhile.
      for (const mark of ['', ' proven']) progress.sent.add(`${canonical(seenOf(prepared))}${mark}`);
      progress.way = { ...progress.way, fresh: progress.way.fresh + 1 };
      return;
    }
    if (next === 'again') continue;
    advance(next === 'forbidden' ? 'target' : next);
    if (progress.missed >= most.targets && !targets.slice(at).some(({ proven }) => proven === true)) break;
  }
  progress.isSpent = true;
  progress.spentAt = world.resources.createdAt('');
}

/** Bodies drawn by lot, for the best of what it may be about. */
function* drawSteps(turn: Turning): Generator<Step> {
  const { drafter, operation, progress, world, targets } = turn;
  progress.draws = 1;
  const target = targets.find((one) => !isBarred(turn, one) && !progress.gone.has(keyOf(one))) ?? targets.at(-1);
  if (target === undefined) return;
  for (; progress.draws <= most.draws; progress.draws += 1) {
    const way = { ...progress.way, draw: progress.draws };
    const draft = drafter.draft(target, way, world.resources, progress.lessons);
    const prepared = draft === undefined ? explainGap(operation) : prepare(turn, draft, target);
    if (typeof prepared === 'string' || progress.sent.has(canonical(seenOf(prepared)))) continue;
    progress.sent.add(canonical(seenOf(prepared)));
    const answer = yield* ask(prepared);
    if (answer === undefined) return;
    if (isSuccess(answer.outcome)) {
      succeed(progress, answer, prepared, target);
      return;
    }
    const refusal = refusalOf(answer);
    if (refusal === undefined) return;
    learn(turn.tools.contract, operation, answer.seen, refusal, progress.lessons);
  }
}

/** @returns undefined where nothing came back: the run has ended */
function* ask(draft: Draft): Generator<Step, Exchange | undefined> {
  let answer: Exchange | undefined;
  yield { draft, answered: (exchange) => (answer = exchange) };
  return answer;
}

function succeed(progress: Progress, answer: Exchange, draft: Draft, target: Target): void {
  progress.state = isAccepted(answer) ? 'accepted' : 'over';
  progress.lastDraft = draft;
  progress.acceptedTarget = target;
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
    // What only takes longer than anybody waits shows nothing new in a second wait.
    const isSlow = outcome.reason === 'timeout';
    return isRepeated || isSlow || progress.failures >= most.failures ? 'over' : 'alone';
  }
  const { status } = outcome;
  if (status === 403) {
    if (Object.keys(target.values).length > 0) return 'forbidden';
    // What a body speaks of may be another's.
    progress.forbidden += 1;
    return progress.way.hasBody && progress.forbidden <= most.forbiddenData ? 'data' : 'over';
  }
  if (status < 400 || [401, 402, 405, 406, 429].includes(status)) return 'over';
  if (status === 501) return isWorthAnother(turn, exchange) ? 'again' : 'over';
  // What a gateway gave up on may have been done all the same.
  if (status === 502 || status === 504) return 'over';
  if (status === 503) {
    progress.busy += 1;
    if (progress.busy > most.busy) return 'over';
    return isRepeated || asksAgain(outcome) ? 'later' : 'alone';
  }
  // A body that may be left out may be wanted all the same.
  if (
    !progress.way.hasBody &&
    drafter.contents > 0 &&
    (status === 400 || status === 411 || status === 422 || status === 500)
  ) {
    progress.way = { ...progress.way, hasBody: true, rung: 0 };
    return 'again';
  }
  if (status >= 500) {
    progress.failures += 1;
    if (progress.failures < most.failures && isWorthAnother(turn, exchange)) return 'again';
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
  const address = readRefusedAddress(operation, seen, refusal);
  if (address !== undefined) {
    if (address.shape !== undefined) progress.shapes.set(address.parameter, address.shape);
    progress.barred.add(addressOf(operation, target, address.parameter));
  }
  if (status === 409 && progress.way.hasBody && progress.way.fresh < most.fresh) {
    progress.way = { ...progress.way, fresh: progress.way.fresh + 1 };
    return 'again';
  }
  const isAboutTarget = came === 'path' || address !== undefined || status === 404 || status === 410 || status === 409;
  return isAboutTarget && operation.path.includes('{') ? 'target' : 'data';
}

/** What a 501 names may be left out, or be another value of the contract's list. */
function isWorthAnother({ operation, progress, tools }: Turning, { outcome, seen }: Exchange): boolean {
  if (outcome.kind !== 'answer' || progress.learned >= most.lessons) return false;
  progress.learned += 1;
  const says = [outcome.body.subarray(0, 2_000).toString()];
  return learnMentioned({ contract: tools.contract, operation, seen, says, lessons: progress.lessons });
}

/** The values of a path up to one of its parameters. */
function addressOf({ path }: Operation, { values }: Target, parameter: string): string {
  const names = slotsOf(path).map((slot) => slot.parameter);
  return canonical(names.slice(0, names.indexOf(parameter) + 1).map((name) => String(values[name])));
}

/** Refused before, by what its path begins with or by the shape of one of its values. */
function isBarred({ operation, progress }: Turning, target: Target): boolean {
  if (target.label === 'example') return false;
  const last = slotsOf(operation.path).at(-1)?.parameter ?? '';
  if (target.refused === true && !progress.shapes.has(last)) return true;
  return slotsOf(operation.path).some(({ parameter }) => {
    const shape = progress.shapes.get(parameter);
    const value = target.values[parameter];
    if (value !== undefined && shape !== undefined && !hasShape(shape, value)) return true;
    return progress.barred.has(addressOf(operation, target, parameter));
  });
}

/** The same request again, as often as it shows nothing though something was made. */
function* againStep(turn: Turning): Generator<Step> {
  const { progress, world, operation } = turn;
  const before = progress.emptyAt;
  progress.emptyAt = undefined;
  if (progress.lastDraft === undefined || progress.requests >= most.all + most.late) return;
  const answer = yield* ask(progress.lastDraft);
  if (answer !== undefined && isEmptyList(turn, answer) && before === 0) {
    progress.emptyAt = world.resources.createdAt(operation.path);
  }
}

/** Once more with what may be left out, so that it is met as well; a refusal of it takes nothing back. */
function* completeStep({ world, drafter, operation, progress }: Turning): Generator<Step> {
  progress.isCompleteSent = true;
  if (progress.acceptedTarget === undefined) return;
  const way = { ...progress.way, isComplete: true };
  const draft = drafter.draft(progress.acceptedTarget, way, world.resources, progress.lessons);
  if (draft === undefined || progress.sent.has(canonical(seenOf(draft)))) return;
  if (refuseValues(operation, seenOf(draft), world.permissions) !== undefined) return;
  yield { draft, answered: () => undefined };
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

/** A list that was accepted and showed nothing, though there are paths that need one of its items. */
function isEmptyList({ world, operation }: Turning, { seen }: Exchange): boolean {
  if (operation.method !== 'get') return false;
  const path = plainPath(operation.path);
  if (!world.resources.isWanted(path) || world.resources.collections.get(path)?.items.length) return false;
  const body = seen.responseBody;
  const lists = Array.isArray(body) ? [body] : isObject(body) ? Object.values(body).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

function keyOf(target: Target | undefined): string {
  return `${canonical(target?.values ?? {})}${target?.proven === true ? ' proven' : ''}`;
}
