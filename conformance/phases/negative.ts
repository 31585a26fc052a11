// Invalid input: requests in which one value breaks one keyword of the contract.
import type { RunContext } from '../checks/check.ts';
import { inputCheck, redirectsWithError } from '../checks/invalid-input.ts';
import { type Contract, isJson, type MediaContent, type Operation, type Parameter } from '../contract/contract.ts';
import { isObject, isSame, joinPointer, type Pointer, readPointer } from '../contract/document.ts';
import { hasValues } from '../data/encode-body.ts';
import { applyChange } from '../data/request-parts.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { type Violating, violationsOf } from '../data/violations.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, isAccepted, isRejectedByState } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { isLogIn, isOfAccess, isTokenEndpoint, kindOf, type OperationKind } from '../plan/operation-kinds.ts';
import { mayRepeat, type Permissions, refuseValues } from '../plan/permissions.ts';
import { withNewNames } from './own-objects.ts';
import { type Bench, type More, mayCallOften, mayProbe, type OperationProbes, type Probe } from './probe.ts';
import { withOtherReferences } from './request-objects.ts';

/** One change of a valid request that makes it invalid. */
export interface Fault {
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `body`, or a parameter: `query limit`; in another media type `body as application/x-www-form-urlencoded`. */
  readonly part: string;
  /** The place in the part's value, `/items/0`; '' for the whole. */
  readonly at: string;
  /** How it breaks the keyword: `one above the maximum`. */
  readonly how: string;
  /** 0: the first way to break this keyword at this place. */
  readonly turn: number;
  /** Whether many servers that reject the first way accept this later one. */
  readonly isLikely: boolean;
  /** Whether the value at the place is an empty text. */
  readonly isEmpty: boolean;
  /** Changes an accepted request. */
  readonly apply: (draft: Draft) => Draft;
}

/** Invalid requests of the run so far: they tell what the next one may still find. */
export class Met {
  /** By the broken place and the way: the operation that came there first. Another that shares the component is worth less. */
  readonly #first = new Map<string, Operation>();
  /** Number of requests by keyword, and by keyword and operation. */
  readonly #asked = new Map<string, number>();

  plan(key: string, operation: Operation): void {
    if (!this.#first.has(key)) this.#first.set(key, operation);
  }

  add(keyword: string, { id }: Operation): void {
    for (const name of [keyword, `${keyword} ${id}`]) this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1);
  }

  /** Faults are spread over keywords: each request with a keyword leaves less to be found by the next one. */
  discount(key: string, keyword: string, operation: Operation): number {
    const { shared, again, againHere } = discounts;
    const all = this.#asked.get(keyword) ?? 0;
    const here = this.#asked.get(`${keyword} ${operation.id}`) ?? 0;
    return (this.#first.get(key) === operation ? 1 : shared) / (1 + again * all + againHere * here);
  }
}

export function planNegative(contract: Contract, operations: readonly Operation[]): readonly OperationProbes[] {
  const met = new Met();
  const probes: More['probes'] = (context, accepted) => probesOf(context, accepted, met);
  const more = { probes, mostWorth: worths.required };
  // A token endpoint compares the secrets of clients, and locks no account.
  const isAsked = (one: Operation): boolean => !isLogIn(contract, one) || isTokenEndpoint(contract, one);
  return operations
    .filter((operation) => mayProbe(contract, operation) && isAsked(operation))
    .map((operation) => ({ operation, probes: [], more }));
}

function* probesOf(context: RunContext, accepted: Draft, met: Met): Generator<Probe> {
  const tools = toolsFor(context, accepted.operation, 'negative', 0);
  const names = new Set<string>();
  const { writes } = context.permissions;
  const kind = kindOf(context.contract, accepted.operation);
  const taken = { count: 0 };
  for (const fault of faultsOf(tools, accepted)) {
    const faulty = fault.apply(accepted);
    const isFree = writes === 'all' || (writes === 'restore' && isPutBack(context, fault, accepted, faulty));
    // No request puts back what was deleted. Access that is taken from others may be that of the run.
    const needsOwn = kind === 'remove' || isOfAccess(accepted.operation) || !isFree;
    const probe = probeOf(tools, fault, {
      operation: accepted.operation,
      met,
      needsOwn,
      number: names.size,
      accepted: taken,
    });
    // An authorization server treats an empty parameter as omitted (RFC 6749, 3.1 and 3.2).
    if (names.has(probe.name) || (fault.isEmpty && accepted.operation.target === 'auth')) continue;
    if (validityOf(context.judge, faulty, context.contract) !== 'invalid') continue;
    // A careless server may read an unknown value as one that has an effect.
    if (refuseValues(accepted.operation, seenOf(faulty), context.permissions) !== undefined) continue;
    names.add(probe.name);
    yield probe;
  }
}

/** Whether the accepted request, sent again, puts back all that a careless server changes because of a fault. */
function isPutBack({ judge }: RunContext, { part }: Fault, { body }: Draft, faulty: Draft): boolean {
  if (!part.startsWith('body')) return true;
  if (faulty.body !== undefined) return coversAll(body?.value, faulty.body.value);
  // A careless server may take no content for none of the members.
  const form = judge.forms.request;
  const schema = body?.content.schema;
  if (schema === undefined || !isObject(body?.value)) return false;
  const { value } = body;
  const names = [...form.common(form.at(schema)).properties.keys()];
  return names.length > 0 && names.every((name) => Object.hasOwn(value, name));
}

/** Whether accepted content has each member that other content has. */
function coversAll(accepted: unknown, other: unknown): boolean {
  if (Array.isArray(accepted) && Array.isArray(other))
    return other.length <= accepted.length && other.every((item, index) => coversAll(accepted[index], item));
  if (!isObject(accepted)) return true;
  if (!isObject(other)) return false;
  const isMember = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(accepted, name) && (typeof value !== 'object' || value === null || coversAll(accepted[name], value));
  return Object.entries(other).every(isMember);
}

/** Chance of a defect times its severity, by keyword. */
const worths: Readonly<Record<string, number>> & { readonly required: number; readonly others: number } = {
  ...{ required: 7.5, type: 6.9, enum: 6.6, const: 6.6, minimum: 6.3, maximum: 6.3, exclusiveMinimum: 6.3 },
  ...{ exclusiveMaximum: 6.3, minLength: 6, maxLength: 6, pattern: 5.7, minItems: 5.4, maxItems: 5.4, format: 5.1 },
  others: 4.5,
};

/** Later ways to break a keyword, and those that many servers accept; places of a component that another operation has too; requests with the same keyword before. */
const discounts = { later: 0.2, likely: 0.5, shared: 0.6, again: 0.02, againHere: 0.3 } as const;

interface Asking extends Pick<Probe, 'needsOwn'> {
  readonly operation: Operation;
  readonly met: Met;
  /** Gives the objects that a careless server creates names of their own. */
  readonly number: number;
  /** Accepted requests of the operation whose effect stays. */
  readonly accepted: { count: number };
}

/** A careless server keeps at most so many effects of one operation: objects that the run cannot delete, or opened doors. */
const mostAccepted = { objects: 20, effects: 3 } as const;

/** The question whether the operation rejects a request with this fault. */
export function probeOf(tools: DataTools, fault: Fault, asking: Asking): Probe {
  const { operation, met, needsOwn } = asking;
  const { pointer, keyword, part, at, how, turn, isLikely } = fault;
  const key = `${pointer} ${how}`;
  const discount = turn === 0 ? 1 : isLikely ? discounts.likely : discounts.later;
  const worth = (worths[keyword] ?? worths.others) * discount;
  met.plan(key, operation);
  return {
    ...{ name: `${part}${at === '' ? '' : ` ${at}`}: ${how}`, pointer, keyword },
    checks: [keyword === 'required' ? inputCheck.required : inputCheck.invalid],
    worth,
    // A getter would take four times the memory, and thousands of probes wait.
    discount: () => met.discount(key, keyword, operation),
    mostRequests: 2 * mostAsked,
    needsOwn,
    ask: (bench) => {
      met.add(keyword, operation);
      return askInvalid(tools, bench, fault, asking);
    },
  };
}

/** Whether an accepted invalid request may be sent again: an effect that nobody can take back may not occur twice. */
export function mayAskTwice(contract: Contract, operation: Operation, permissions: Permissions): boolean {
  const isIdempotent = kindOf(contract, operation) !== 'create' && mayRepeat(operation, operation.method);
  return isIdempotent || mayCallOften(contract, operation, permissions);
}

/** A fact for later probes: the state of objects rejects the request, and that of other objects too. */
const isOfState = 'rejected by state';

/** Sends the invalid request. If it is accepted, its effect is undone, and it is sent again. */
async function askInvalid(tools: DataTools, bench: Bench, fault: Fault, asking: Asking): Promise<string | undefined> {
  const { number, needsOwn, accepted } = asking;
  const { context, operation, draft, send, facts, undo } = bench;
  const { pointer, keyword, part, apply } = fault;
  const kind = kindOf(context.contract, operation);
  if (kind === 'change' && needsOwn && !bench.isOwn) return 'the run has no object of its own there';
  const isOften = mayCallOften(context.contract, operation, context.permissions);
  const mayAgain = mayAskTwice(context.contract, operation, context.permissions);
  if (accepted.count >= (isOften ? mostAccepted.objects : mostAccepted.effects))
    return 'the server has accepted invalid requests of the operation whose effects stay';
  // Until a value of the part, or for the keyword, has been rejected, all that is accepted there has one cause.
  const groups = [part, `${part} ${keyword}`];
  const aim = {
    ...({ polarity: 'invalid', place: { pointer, keyword } } as const),
    groups: groups.filter((group) => !facts.has(group)),
  };
  let serial = 0;
  const ask = async (role: string, valid: Draft): Promise<Result | undefined> => {
    serial += 1;
    const named = kind === 'create' ? withNewNames(tools, valid, 1_000 + mostAsked * number + serial) : valid;
    const sent = await send(apply(named), role, aim);
    if (sent === undefined) return undefined;
    const isIn = isAccepted(sent) && !redirectsWithError(sent);
    if (isIn && (kind !== 'create' || !(await undo(sent)))) accepted.count += kind === 'create' || !isOften ? 1 : 0;
    // An id that is no value of a path names no object.
    const isHidden = isOften && isRejectedByState(sent) && !part.startsWith('path ');
    return isIn ? 'accepted' : isHidden ? 'hidden' : 'rejected';
  };
  const others = otherDrafts(bench, kind);
  /** Where the state of the objects rejects the request, whatever its values are, it is sent about others. */
  const askOpen = async (role: string, from: Draft): Promise<{ result: Result | undefined; valid: Draft }> => {
    let valid = from;
    let result = await ask(role, valid);
    while (result === 'hidden' && !facts.has(isOfState) && serial < mostAsked) {
      const next = await others.next();
      if (next.done === true) break;
      valid = next.value;
      result = await ask(role, valid);
    }
    if (result === 'hidden') facts.add(isOfState);
    return { result, valid };
  };
  const { result, valid } = await askOpen('case', draft);
  if (result === undefined) return 'the budget was spent';
  if (result === 'rejected') for (const group of groups) facts.add(group);
  if (result !== 'accepted') return undefined;
  // A careless server has deleted the object, if the request named it.
  const isGone = kind === 'remove' && !part.startsWith('path ');
  const next = isGone ? await bench.another() : valid;
  if (next !== undefined && mayAgain) await askOpen('repeat', next);
  // The valid request puts back the object that the invalid ones have changed.
  if (kind === 'change') await send(draft, 'control');
  return undefined;
}

type Result = 'accepted' | 'rejected' | 'hidden';

/** Times that one invalid request is sent. */
const mostAsked = 6;

/** The valid request about other objects: a copy that is not lent yet, a loan that was not returned. */
async function* otherDrafts({ context, draft, another }: Bench, kind: OperationKind): AsyncGenerator<Draft> {
  if (kind === 'create') yield* withOtherReferences(context, draft);
  else if (kind !== 'read') for (let next = await another(); next !== undefined; next = await another()) yield next;
}

/** Every fault that a request may have, the first way to break each keyword before all others. */
export function* faultsOf(tools: DataTools, accepted: Draft): Generator<Fault> {
  const { operation, body } = accepted;
  const isCreate = kindOf(tools.contract, operation) === 'create';
  const sources = [
    ...operation.parameters.filter(isTestable).map((parameter) => faultsOfParameter(tools, parameter, accepted)),
    ...(operation.body === undefined || body === undefined
      ? []
      : [faultsOfBody(tools, operation.body, body, isCreate)]),
    ...furtherContents(accepted).map((content) => faultsOfFurther(tools, content, body?.value, isCreate)),
  ];
  const waiting = sources.flatMap((source) => {
    const first = source.next();
    return first.done === true ? [] : [{ source, fault: first.value }];
  });
  while (waiting.length > 0) {
    const next = waiting.reduce((best, one) => (one.fault.turn < best.fault.turn ? one : best));
    yield next.fault;
    waiting.splice(waiting.indexOf(next), 1);
    const following = next.source.next();
    // Parts take turns.
    if (following.done !== true) waiting.push({ source: next.source, fault: following.value });
  }
}

/** Headers that HTTP or the credentials determine (OpenAPI 3.1, 4.8.12.1). */
const ofHttp = /^(accept(-.*)?|content-.*|authorization|te|expect|user-agent|cookie)$/i;

/** Headers whose unknown values a server ignores by their RFC. A contract may require one: `If-Match`, so that no change is lost. */
const ofAnyValue = /^(prefer|range|if-.*|cache-control)$/i;

function isTestable({ in: where, name }: Parameter): boolean {
  return where !== 'header' || !ofHttp.test(name);
}

function* faultsOfParameter(tools: DataTools, parameter: Parameter, accepted: Draft): Generator<Fault> {
  const part = `${parameter.in} ${parameter.name}`;
  const withValue = (draft: Draft, value: unknown): Draft =>
    applyChange(draft, { part: { kind: 'parameter', parameter }, value });
  if (parameter.required && parameter.in !== 'path')
    yield omissionOf(part, parameter.pointer, (draft) => withValue(draft, undefined));
  if (parameter.schema === undefined || (parameter.in === 'header' && ofAnyValue.test(parameter.name))) return;
  const known = accepted.parameters.find((one) => one.parameter === parameter)?.value;
  const wire = parameter.mediaType === undefined ? 'text' : 'json';
  for (const violating of violationsOf(tools, parameter.schema, known, wire))
    yield faultOf(part, violating, (draft) => withValue(draft, violating.value));
}

function faultOf(part: string, { value, ...violating }: Violating, apply: Fault['apply']): Fault {
  return { ...violating, part, isEmpty: readPointer(value, violating.at) === '', apply };
}

/** A part of a request that is left out. */
function omissionOf(part: string, pointer: Pointer, apply: Fault['apply']): Fault {
  const keyword = 'required';
  return {
    pointer: joinPointer(pointer, keyword),
    keyword,
    part,
    at: '',
    how: 'left out',
    turn: 0,
    isLikely: false,
    isEmpty: false,
    apply,
  };
}

function* faultsOfBody(
  tools: DataTools,
  { pointer, required }: NonNullable<Operation['body']>,
  { content, value }: NonNullable<Draft['body']>,
  isCreate: boolean,
): Generator<Fault> {
  const part = 'body';
  if (required) yield omissionOf(part, pointer, (draft) => ({ ...draft, body: undefined }));
  yield* faultsOfContent(tools, { part, content, value, isCreate });
}

/** The media types that the accepted request does not have. A range is no type that can be sent. */
function furtherContents({ operation, body }: Draft): readonly MediaContent[] {
  return (body === undefined ? [] : (operation.body?.contents ?? [])).filter(
    (content) => content !== body?.content && hasValues(content) && !content.mediaType.includes('*'),
  );
}

/** The first way to break each keyword, after those of the accepted media type: a server may validate that one alone. */
function* faultsOfFurther(
  tools: DataTools,
  content: MediaContent,
  value: unknown,
  isCreate: boolean,
): Generator<Fault> {
  for (const fault of faultsOfContent(tools, { part: `body as ${content.mediaType}`, content, value, isCreate })) {
    if (fault.turn > 0) return;
    yield { ...fault, turn: 1, isLikely: true };
  }
}

interface ContentOfPart {
  readonly part: string;
  readonly content: MediaContent;
  /** The accepted value. */
  readonly value: unknown;
  readonly isCreate: boolean;
}

function* faultsOfContent(tools: DataTools, { part, content, value, isCreate }: ContentOfPart): Generator<Fault> {
  if (content.schema === undefined) return;
  // A careless server may read `true` as the id 1, and replace the object of others that has it.
  for (const violating of violationsOf(tools, content.schema, value, wireOf(content)))
    if (!isCreate || violating.at !== '/id')
      yield faultOf(part, violating, (draft) => withContent(draft, content, value, violating.value));
}

function wireOf({ mediaType }: MediaContent): 'json' | 'text' {
  return isJson(mediaType) ? 'json' : 'text';
}

/** The request with another body, whose unchanged members are those of the request. */
function withContent(draft: Draft, content: MediaContent, accepted: unknown, value: unknown): Draft {
  // The request may be another than the accepted one, and without its optional body.
  const own = draft.body?.value;
  if (!isObject(value) || !isObject(accepted) || !isObject(own)) return { ...draft, body: { content, value } };
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const isKept = Object.hasOwn(accepted, name) && Object.hasOwn(own, name) && isSame(member, accepted[name]);
    return [name, isKept ? own[name] : member];
  });
  return { ...draft, body: { content, value: Object.fromEntries(entries) } };
}
