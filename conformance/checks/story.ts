// Stories: steps in the life of an object, each a request with a role. Several checks judge one story, and a failure counts only if a
// second object, with other values, shows it too.

import { isSame } from '../contract/document.ts';
import type { Exchange, NumberedExchange, Trace } from '../execute/exchange.ts';
import { headerOf, isAccepted } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { plainPath } from '../resources/slots.ts';
import type { Described, RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { comparableMembers, isUnchanged, type Member, objectIn, shownIn } from './compare-objects.ts';
import { exchangesOf, statusOf } from './parts.ts';

/** The steps with one object. */
export interface Story {
  readonly steps: Trace;
  /** @returns the last step of this role */
  readonly of: (role: string) => NumberedExchange | undefined;
  /** @returns every step of this role */
  readonly all: (role: string) => Trace;
}

/** The role of a step with the second object. */
const ofSecond = ', second object';

export function roleIn(turn: 0 | 1, role: string): string {
  return turn === 0 ? role : `${role}${ofSecond}`;
}

/** A failure that a step shows. */
export interface Deviation {
  readonly exchange: NumberedExchange;
  readonly failure: Omit<Failure, 'check'>;
  /** The value that the server may store in another usual spelling: only two values show that it does not. */
  readonly sent?: unknown;
}

/** A defect that a step shows: by default, at its operation and caused by that alone. */
export function failureAt(
  exchange: NumberedExchange,
  about: Pick<Failure, 'place' | 'keyword' | 'clause' | 'message'> & Partial<Pick<Failure, 'pointer' | 'causes'>>,
): Deviation {
  const { id, pointer } = exchange.operation;
  return { exchange, failure: { severity: 'defect', pointer, causes: [[about.keyword, id]], ...about } };
}

/** The same failure if it may have another cause. */
export function inconclusive(found: Deviation): Deviation {
  return { ...found, failure: { ...found.failure, severity: 'suspect' } };
}

/** @returns undefined if the answers do not settle it */
export type Find = (story: Story, context: RunContext) => readonly Deviation[] | undefined;

export interface StoryCheck extends TraceCheck {
  readonly find: Find;
}

type About = Omit<Described, 'plan' | 'needs'>;

/** A check of stories. */
export function storyCheck(about: About, find: Find): StoryCheck {
  return {
    ...about,
    kind: 'trace',
    plan: () => [],
    needs: (place) => `conclusive story "${place}"`,
    find,
    judge: (trace, context) => judgeStories(about.name, find, trace, context),
  };
}

function storyOf(steps: Trace, turn: 0 | 1): Story {
  const own = steps.filter((step) => step.intent.probe?.role.endsWith(ofSecond) === (turn === 1) && !isStored(step));
  const all = (role: string): Trace => own.filter(({ intent }) => intent.probe?.role === roleIn(turn, role));
  return { steps: own, all, of: (role) => all(role).at(-1) };
}

/** Whether a cache gave an answer that it had before: a write to another address need not remove it (RFC 9111, 4.4 and 5.1). */
function isStored({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && Number(headerOf(outcome, 'age') ?? 0) > 0;
}

/** The story of one object, before it is judged. */
export function storyIn(exchanges: readonly Exchange[], turn: 0 | 1): Story {
  const steps = exchanges.filter(({ isPause }) => !isPause).map((one, index) => ({ ...one, number: index + 1 }));
  return storyOf(steps, turn);
}

function judgeStories(check: string, find: Find, trace: Trace, context: RunContext): readonly TraceVerdict[] {
  const steps = exchangesOf(trace, check);
  const [exchange] = steps;
  const found = find(storyOf(steps, 0), context);
  const place = exchange?.intent.probe?.name ?? '';
  if (exchange === undefined || found === undefined) return [];
  if (found.length === 0) return [{ place, failures: [], exchange }];
  const second = storyOf(steps, 1);
  const again = find(second, context) ?? [];
  const proven = found.flatMap((one): readonly Deviation[] => {
    const other = again.find((deviation) => keyOf(deviation) === keyOf(one));
    if (other === undefined) return [];
    const isTelling = one.sent === undefined || hasOneSpelling(one.sent) || !isSame(one.sent, other.sent);
    const isSure = other.failure.severity === 'defect' && isTelling;
    return [isSure ? one : inconclusive(one)];
  });
  const created = second.of('create');
  const unjudged =
    created !== undefined && isAccepted(created)
      ? 'only one of two objects showed a failure: reads may show writes late'
      : 'a failure was seen, and the server accepted no second object that could show it too';
  if (proven.length === 0) return [{ place, failures: [], exchange, unjudged }];
  return proven.map((one) => ({ place, failures: [{ check, ...one.failure }], exchange: one.exchange }));
}

/** Whether a value has no other spelling: a truth value, or an integer that does not stand for none. */
function hasOneSpelling(value: unknown): boolean {
  return typeof value === 'boolean' || (Number.isInteger(value) && value !== 0);
}

/** Failures of two objects with one key are the same failure. */
export function keyOf({ exchange, failure }: Deviation): string {
  return `${exchange.operation.id} ${failure.keyword} ${failure.pointer} ${failure.place}`;
}

/** Statuses of an object that is not there. */
export function isMissing(exchange: NumberedExchange): boolean {
  return [404, 410].includes(statusOf(exchange));
}

/** Whether an answer means that the server has carried out a request, not that it will. */
export function isDone(exchange: NumberedExchange | undefined): exchange is NumberedExchange {
  return exchange !== undefined && isAccepted(exchange) && statusOf(exchange) !== 202;
}

/**
 * The members of the story's object that can be compared: its create sent them, reads show them, and two reads without a write between
 * them show the same.
 *
 * @param isOpen whether members count that reads show without a declaration
 */
export function membersOf({ of }: Story, context: RunContext, isOpen = false): readonly Member[] {
  const read = of('read');
  if (read === undefined || !isAccepted(read)) return [];
  const members = comparableMembers(context, read, plainPath(read.operation.path), isOpen);
  const names = [...members.keys()];
  const [first, again] = [shownIn(read, names), shownIn(of('read again'), names)];
  const sent = objectIn(of('create')?.seen.requestBody, names);
  return [...members].flatMap(([name, pointer]): Member[] => {
    const isStable = again === undefined || isUnchanged(first?.[name], again[name]);
    // The server may fill in and change any other member.
    const isOfClient = sent !== undefined && Object.hasOwn(sent, name);
    return isStable && isOfClient ? [{ name, pointer }] : [];
  });
}

/** The last read of the story's object before a step. */
export function readBefore({ steps }: Story, step: NumberedExchange): NumberedExchange | undefined {
  return readsIn(steps.slice(0, steps.indexOf(step))).at(-1);
}

/** The first read of the story's object after a step; its last repetition if it was repeated. */
export function readAfter({ steps }: Story, step: NumberedExchange): NumberedExchange | undefined {
  return firstOf(readsIn(steps.slice(steps.indexOf(step) + 1)));
}

/** The last repetition of the first step. */
function firstOf(steps: Trace): NumberedExchange | undefined {
  const [first] = steps;
  return steps.findLast(({ intent }) => intent.probe?.role === first?.intent.probe?.role);
}

/** Whether the server has accepted another write between two steps. */
export function isWrittenBetween({ steps }: Story, first: NumberedExchange, last: NumberedExchange): boolean {
  const between = steps.slice(steps.indexOf(first) + 1, steps.indexOf(last));
  return between.some((step) => step.operation.method !== 'get' && isAccepted(step));
}

/** The lists that were read last before a step and first after it. */
export function listsAround({ steps }: Story, step: NumberedExchange): readonly (NumberedExchange | undefined)[] {
  const isList = ({ intent }: NumberedExchange): boolean => /^list/.test(intent.probe?.role ?? '');
  const at = steps.indexOf(step);
  return [steps.slice(0, at).findLast(isList), firstOf(steps.slice(at + 1).filter(isList))];
}

function readsIn(steps: Trace): Trace {
  return steps.filter(({ intent: { probe } }) => /^read( again| after .*)?$/.test(roleName(probe?.role)));
}

/** A role without the object that it is about. */
export function roleName(role = ''): string {
  return role.replace(ofSecond, '');
}

/** The accepted changes of the story's object, each with the reads before and after it. */
export function changesIn(story: Story): readonly Change[] {
  return story.steps.flatMap((write): Change[] => {
    const role = roleName(write.intent.probe?.role);
    if (!/^change/.test(role) || !isDone(write)) return [];
    const [before, after] = [readBefore(story, write), readAfter(story, write)];
    return before === undefined || after === undefined ? [] : [{ role, write, before, after }];
  });
}

export interface Change {
  readonly role: string;
  readonly write: NumberedExchange;
  readonly before: NumberedExchange;
  readonly after: NumberedExchange;
}
