// Further valid content for an object: other values of its members, and members that it lacks.
import { namesFormat } from '@lockstep/values/build-scalar';
import type { Random } from '@lockstep/values/random';
import { type SchemaNode, type Shape, saidTypes } from '@lockstep/values/shape';
import type { RunContext } from '../checks/check.ts';
import { comparableMembers, isEmpty, namesState, objectIn, shownIn, writableIn } from '../checks/compare-objects.ts';
import { isJson, type Operation } from '../contract/contract.ts';
import { isObject, isSame, type JsonObject } from '../contract/document.ts';
import { moveByDays } from '../data/time.ts';
import { buildNode, type DataTools } from '../data/value-candidates.ts';
import { validityOf } from '../data/wire-validity.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import { isScalar } from '../resources/read-items.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { isUniqueName } from '../search/build-request.ts';
import { type Fault, faultsOf } from './negative.ts';
import { withNewNames } from './own-objects.ts';
import { isGivenAt, isSendable } from './text-places.ts';

/** Whether any valid value may be sent for a member: none that has to exist elsewhere, or that the server chooses. */
function isFree(context: RunContext, { operation }: Draft, ...tokens: readonly string[]): boolean {
  return !namesState.test(tokens.at(-1) ?? '') && !isGivenAt(context, tokens, operation.path);
}

/** Keeps each change of the content that the contract allows. */
function withEach(
  context: RunContext,
  draft: Draft,
  names: readonly string[],
  choose: (name: string, value: unknown) => unknown,
): Draft {
  const { body } = draft;
  if (body === undefined || !isObject(body.value)) return draft;
  const { schema } = body.content;
  let own: JsonObject = body.value;
  for (const name of names) {
    const value = choose(name, own[name]);
    const changed = { ...own, [name]: value };
    const isValid = schema === undefined || context.judge.accepts(schema, 'request', changed);
    if (value !== undefined && isValid && isSendable(context, { ...draft, body: { ...body, value: changed } }))
      own = changed;
  }
  return { ...draft, body: { ...body, value: own } };
}

/** Which of the other values of a member: one nearby, or one at an end of its schema, where careless code loses values. */
export type End = 'none' | 'large' | 'small';

/** The request with other values of its members, as far as any value may be sent. @param turn different in each request */
export function withOtherValues(
  context: RunContext,
  tools: DataTools,
  draft: Draft,
  turn: number,
  end: End = 'none',
): Draft {
  const value = draft.body?.value;
  const names = isObject(value) ? Object.keys(value).filter((name) => isFree(context, draft, name)) : [];
  return withEach(context, draft, names, (name, now) => {
    const isOpen = (within: string): boolean => isFree(context, draft, name, within);
    return otherValue(tools, draft, { name, now, turn, end, isOpen });
  });
}

/** The request with a text of its own in each member that may be any text: by it, reads show whose object they show. */
export function withFreshTexts(context: RunContext, tools: DataTools, draft: Draft, turn: number): Draft {
  const value = draft.body?.value;
  const texts = isObject(value) ? Object.keys(value).filter((name) => typeof value[name] === 'string') : [];
  const names = texts.filter((name) => isFree(context, draft, name));
  return withEach(context, draft, names, (name, now) => {
    const other = otherValue(tools, draft, { name, now, turn });
    return String(other).includes(freshOf(tools, turn + firstFresh)) ? other : undefined;
  });
}

/** Above the numbers of names. */
const firstFresh = 500;

/** The request with its times a day later. */
export function withNextDays(context: RunContext, draft: Draft): Draft {
  const value = draft.body?.value;
  return withEach(context, draft, isObject(value) ? Object.keys(value) : [], (_, now) => moveByDays(now, 1));
}

interface Changed {
  readonly name: string;
  readonly now: unknown;
  readonly turn: number;
  readonly end?: End;
  /** Whether any valid value may be sent for a member within. */
  readonly isOpen?: (name: string) => boolean;
}

function otherValue(tools: DataTools, { body }: Draft, changed: Changed): unknown {
  const form = tools.judge.forms.request;
  const { schema } = body?.content ?? {};
  if (schema === undefined) return undefined;
  return otherAt(tools, form.property(form.branch(form.at(schema)), changed.name), changed);
}

function otherAt(tools: DataTools, node: SchemaNode, changed: Changed): unknown {
  const { name, now, turn, end = 'none', isOpen } = changed;
  const form = tools.judge.forms.request;
  const shape = form.branch(node);
  if (isObject(now) && end !== 'none') {
    const entries = Object.entries(now).map(([member, value]): [string, unknown] => {
      const other =
        isOpen?.(member) === true
          ? otherAt(tools, form.property(shape, member), { ...changed, name: member, now: value })
          : undefined;
      return [member, other ?? value];
    });
    const whole = Object.fromEntries(entries);
    return isSame(whole, now) ? undefined : whole;
  }
  if (Array.isArray(now)) return end === 'large' ? longerList(tools, shape, now, changed) : undefined;
  if (shape.values !== undefined) {
    const others = shape.values.filter((member) => member !== now && typeof member === typeof now);
    return others[turn % Math.max(1, others.length)];
  }
  if (typeof now === 'boolean') return !now;
  if (typeof now === 'number') {
    const step = shape.multipleOf ?? 1;
    const ends = endsOf(shape, end).map((other) => Math.floor(other / step) * step);
    const far = ends.flatMap((other) => (end === 'large' ? [other - step * turn, other] : [other, other + step]));
    const steps = [...far, now + step * (turn + 1), now - step * (turn + 1), now + step, now - step];
    return steps.find((other) => other !== now && isWithin(shape, other));
  }
  const isPlain = shape.patterns.size === 0 && shape.format === undefined && !namesFormat(name);
  if (typeof now === 'string' && !isPlain && end !== 'none') return otherThan(now, moveByDays(now, 1));
  if (typeof now !== 'string' || !isPlain) return undefined;
  const fresh = freshOf(tools, turn + firstFresh);
  const text = shape.maxLength < fresh.length + 6 ? fresh : `other ${fresh}`;
  return text.slice(0, Math.min(text.length, shape.maxLength)).padEnd(Math.min(shape.minLength, 200), 'x');
}

function otherThan(now: unknown, other: unknown): unknown {
  return other === now ? undefined : other;
}

const longest = 3;

/** The list with further items; undefined if it has none that another is like. */
function longerList(
  tools: DataTools,
  shape: Shape,
  now: readonly unknown[],
  changed: Changed,
): readonly unknown[] | undefined {
  const form = tools.judge.forms.request;
  const others = [1, 2].map((index) =>
    otherAt(tools, form.item(shape, now.length + index - 1), {
      ...{ ...changed, now: now[0], turn: changed.turn + index },
      end: isObject(now[0]) ? 'large' : 'none',
    }),
  );
  const distinct = new Map(
    [...now, ...others].flatMap((item) => (item === undefined ? [] : [[JSON.stringify(item), item]])),
  );
  const longer = [...distinct.values()].slice(0, longest);
  return longer.length > now.length ? longer : undefined;
}

/** More than a field of 16 bits stores. */
const large = 70_000;

function endsOf({ minimum, maximum }: Shape, end: End): readonly number[] {
  if (end === 'none') return [];
  if (end === 'small') return [Number.isFinite(minimum) ? minimum : 0];
  return [Number.isFinite(maximum) ? maximum : large];
}

function isWithin({ minimum, maximum, isMinimumOpen, isMaximumOpen }: Shape, value: number): boolean {
  const isAbove = isMinimumOpen ? value > minimum : value >= minimum;
  return isAbove && (isMaximumOpen ? value < maximum : value <= maximum);
}

/** Values that careless code takes for absent, or stores in a field that is too small. */
const edges: readonly unknown[] = [0, false, '', 70_000, true, '0070', 1_000_000_007, 0.5, '0', 300, -1];

/** The request with values in some of its members that are falsy, large, or at a bound. */
export function withEdgeValues(
  context: RunContext,
  tools: DataTools,
  draft: Draft,
  { random, index }: { readonly random: Random; readonly index: number },
): Draft {
  const value = draft.body?.value;
  const { schema } = draft.body?.content ?? {};
  if (!isObject(value) || schema === undefined) return draft;
  const form = tools.judge.forms.request;
  const names = Object.keys(value).filter((name) => isFree(context, draft, name) && random(2) === 0);
  return withEach(context, draft, names, (name, now) => {
    const { minimum, maximum, values } = form.branch(form.property(form.branch(form.at(schema)), name));
    // A schema without a bound has an infinite one.
    const all = [...edges, ...[minimum, maximum].filter(Number.isFinite)];
    const fit = all.filter((one) => typeof one === typeof now && one !== now);
    const valid = fit.filter((one) => context.judge.accepts(schema, 'request', { ...value, [name]: one }));
    return values === undefined ? valid[index % Math.max(1, valid.length)] : undefined;
  });
}

/** The request with other lists, and other texts of a format or pattern. A server may know only the values that it was accepted with. */
export function withOtherFormatted(context: RunContext, tools: DataTools, draft: Draft): Draft {
  const { schema } = draft.body?.content ?? {};
  const value = draft.body?.value;
  if (schema === undefined || !isObject(value)) return draft;
  const form = tools.judge.forms.request;
  const names = Object.keys(value).filter((name) => isFree(context, draft, name));
  return withEach(context, draft, names, (name, now) => {
    const node = form.property(form.branch(form.at(schema)), name);
    const { patterns, format } = form.branch(node);
    const isFormatted = typeof now === 'string' && (patterns.size > 0 || format !== undefined);
    if (!isFormatted && !Array.isArray(now)) return undefined;
    const built = [1, 2, 3].map((turn) => buildNode(tools, node, { seed: tools.seed + turn, variant: turn }, name));
    return [moveByDays(now, 1), ...built].find(
      (other) => other !== undefined && !isEmpty(other) && !isSame(other, now),
    );
  });
}

/** The request with the optional members that it lacks, as far as any value may be sent. */
export function withOptional(context: RunContext, tools: DataTools, draft: Draft): Draft {
  const { schema } = draft.body?.content ?? {};
  if (schema === undefined) return draft;
  const form = context.judge.forms.request;
  const shape = form.branch(form.at(schema));
  const has = (name: string): boolean => isObject(draft.body?.value) && Object.hasOwn(draft.body.value, name);
  const isSent = (name: string): boolean => !form.common(form.property(shape, name)).isLeftOut;
  const absent = [...form.declared(shape).keys()].filter(
    (name) => !has(name) && isSent(name) && isFree(context, draft, name),
  );
  return withEach(context, draft, absent, (name) => {
    const node = form.property(shape, name);
    const isNull = [...saidTypes(form.common(node))].every((type) => type === 'null');
    return isNull ? undefined : buildNode(tools, node, {}, name);
  });
}

/** The members of a created object that a change declares. */
export function membersFor(context: RunContext, change: Operation, created: Exchange): JsonObject {
  const known = writableIn(context, change);
  const sent = objectIn(created.seen.requestBody, [...known.keys()]) ?? {};
  return Object.fromEntries(Object.entries(sent).filter(([name]) => known.has(name)));
}

interface Given {
  /** Members of the object that its create was sent, and that the change declares. */
  readonly sent: JsonObject;
  /** Members that reads show. */
  readonly known: readonly string[];
  readonly turn: number;
  readonly style?: Style;
}

/** The values and members of a change. */
export interface Style {
  readonly end?: End;
  /** Whether a PUT has every member that the create had. */
  readonly isWhole?: boolean;
  /** Whether a PUT keeps the texts of the object: a server may take an equal name for no change. */
  readonly keepsTexts?: boolean;
  /** Whether a PUT has another media type for JSON than the accepted request, if the contract lists one. */
  readonly isOtherType?: boolean;
  /** Whether a PATCH has all members but the first, or one that is no text if there is one. */
  readonly hasMost?: boolean;
}

/** A PUT of the whole object with other values, and without one optional member unless its style is whole. */
export function replacement(context: RunContext, tools: DataTools, accepted: Draft, given: Given): Draft | undefined {
  const { sent, known, turn, style = {} } = given;
  const body = style.isOtherType ? withOtherType(accepted) : accepted.body;
  if (body === undefined || !isObject(body.value) || !isJson(body.content.mediaType)) return undefined;
  const { schema } = body.content;
  const whole = { ...body.value, ...sent };
  const isValid = (value: JsonObject): boolean =>
    schema === undefined || context.judge.accepts(schema, 'request', value);
  if (!isValid(whole)) return undefined;
  const other = withOtherValues(context, tools, { ...accepted, body: { ...body, value: whole } }, 3 + turn, style.end);
  const changed = style.keepsTexts ? withTextsOf(whole, other) : other;
  const value = changed.body?.value;
  if (!isObject(value)) return changed;
  if (style.isWhole) return changed;
  const less = Object.keys(value)
    .filter((name) => known.includes(name) && Object.hasOwn(sent, name))
    .reverse()
    .map((name) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)))
    .find((other) => Object.keys(other).length > 0 && isValid(other));
  return less === undefined ? changed : { ...changed, body: { ...body, value: less } };
}

/** The content in another media type for JSON with the same schema; that of the accepted request if there is none. */
function withOtherType({ operation, body }: Draft): Draft['body'] {
  const other = operation.body?.contents.find(
    ({ mediaType }) => mediaType !== body?.content.mediaType && isJson(mediaType) && !/patch/i.test(mediaType),
  );
  return body && other ? { ...body, content: other } : body;
}

/** The request with the texts of an object, if it changes another member too. */
function withTextsOf(whole: JsonObject, draft: Draft): Draft {
  const { body } = draft;
  if (body === undefined || !isObject(body.value)) return draft;
  const entries = Object.entries(body.value).map(([name, value]): [string, unknown] => [
    name,
    typeof whole[name] === 'string' ? whole[name] : value,
  ]);
  const value = Object.fromEntries(entries);
  return isSame(value, whole) ? draft : { ...draft, body: { ...body, value } };
}

/** A PATCH of one member or of several. */
export function partial(context: RunContext, tools: DataTools, accepted: Draft, given: Given): Draft | undefined {
  const { sent, known, turn, style = {} } = given;
  const { body } = accepted;
  if (body === undefined || !isObject(body.value)) return undefined;
  const { schema } = body.content;
  const members = Object.entries(sent).filter(
    ([name, value]) => known.includes(name) && (isScalar(value) || typeof value === 'boolean' || style.hasMost),
  );
  const sorted = style.end === 'large' ? members.toSorted(([, a], [, b]) => rankOf(a) - rankOf(b)) : members;
  // Of two members the first: a patch that removes the other one may follow.
  const several = members.length > 2 ? members.slice(1) : members.slice(0, 1);
  const groups = style.hasMost && members.length > 0 ? [several] : sorted.map((one) => [one]);
  for (const group of groups) {
    const draft = { ...accepted, body: { ...body, value: Object.fromEntries(group) } };
    // Other values than those of a PUT of the same object.
    const other = withOtherValues(context, tools, draft, 5 + turn, style.end);
    const own = other.body?.value;
    const changed = group.flatMap(([name, value]) =>
      isObject(own) && !isSame(own[name], value) ? [[name, own[name]]] : [],
    );
    const value = Object.fromEntries(changed);
    const isValid = schema === undefined || context.judge.accepts(schema, 'request', value);
    if (changed.length > 0 && isValid) return { ...other, body: { ...body, value } };
  }
  return undefined;
}

/** Numbers and booleans first: objects that are alike but for their texts share them. */
function rankOf(value: unknown): number {
  return typeof value === 'string' ? 1 : 0;
}

/** A merge patch that removes a member which a read shows; undefined if the contract allows no null there. */
export function withNull(
  context: RunContext,
  accepted: Draft | undefined,
  read: Exchange | undefined,
): Draft | undefined {
  const body = accepted?.body;
  if (accepted === undefined || body === undefined || read === undefined) return undefined;
  const { schema, mediaType } = body.content;
  const names = [...comparableMembers(context, read).keys()];
  const shown = shownIn(read, names);
  if (schema === undefined || !mediaType.startsWith('application/merge-patch+json')) return undefined;
  const name = names.find((one) => !isEmpty(shown?.[one]) && context.judge.accepts(schema, 'request', { [one]: null }));
  return name === undefined ? undefined : { ...accepted, body: { ...body, value: { [name]: null } } };
}

/**
 * The request with other values and one fault in its content, each time in another member: a careless server stores the values before it
 * finds the fault.
 *
 * @param keepsNames whether the fault is in none of the names, by which a new object is recognised
 */
export function wrongContents(
  context: RunContext,
  tools: DataTools,
  draft: Draft | undefined,
  { turn, most, keepsNames = false }: { readonly turn: number; readonly most: number; readonly keepsNames?: boolean },
): readonly Draft[] {
  if (draft?.body === undefined) return [];
  const found = new Map<string, Draft>();
  // Each has texts of its own, by which a list shows it.
  const variant = (index: number): Draft =>
    withOtherValues(context, tools, withNewNames(tools, draft, 39 + turn + 2 * index), 7 + turn + 2 * index);
  const first: Fault[] = [];
  for (const fault of faultsOf(tools, variant(0))) {
    if (fault.turn > 0) break;
    first.push(fault);
  }
  // The members that are declared are valid then.
  const isExtra = ({ keyword, at }: Fault): boolean =>
    at === '' && /^(additional|unevaluated)Properties$/.test(keyword);
  for (const fault of first.toSorted((a, b) => Number(isExtra(b)) - Number(isExtra(a)))) {
    if (found.size >= most) break;
    const { part, at, apply } = fault;
    const wrong = apply(variant(found.size));
    const isOfName = keepsNames && isUniqueName(at.slice(at.lastIndexOf('/') + 1));
    const isFit = part === 'body' && (at !== '' || isExtra(fault)) && !isOfName && isSendable(context, wrong);
    const member = at.split('/')[1] ?? '';
    const isNew = isFit && !found.has(member);
    if (isNew && validityOf(context.judge, wrong, context.contract) === 'invalid') found.set(member, wrong);
  }
  return [...found.values()];
}
