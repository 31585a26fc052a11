// Valid requests about an object that is there, about one of the run, or about one that exists nowhere.
import type { RunContext } from '../checks/check.ts';
import { objectIn } from '../checks/compare-objects.ts';
import { readOf } from '../checks/read-only.ts';
import type { Operation } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { scramble } from '../execute/change-credentials.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { kindOf, type OperationKind } from '../plan/operation-kinds.ts';
import { noConstraints } from '../rejections/constraints.ts';
import { alongSchema } from '../rejections/find-place.ts';
import { pathValues } from '../resources/addresses.ts';
import { referencesFor, spell, type Target } from '../resources/find-targets.ts';
import { isScalar, type Scalar } from '../resources/read-items.ts';
import { namesItemAt, slotsOf } from '../resources/slots.ts';
import { plainVariant } from '../search/attempt.ts';
import { createRequestBuilder, namesOther } from '../search/build-request.ts';
import { allTargets, bodyAsRead, prepare } from '../search/choose-targets.ts';

interface Found {
  readonly draft: Draft;
  readonly isOwn: boolean;
}

/** @returns the accepted request with a present object, or why there is none */
export function findDraft(
  context: RunContext,
  operation: Operation,
  kind: OperationKind,
  asksOwn: boolean,
): Found | string {
  const { accepted, resources } = context;
  const known = accepted.get(operation)?.draft;
  const needsOwn = asksOwn && (kind === 'change' || kind === 'remove');
  const isKnown = (target: Target): boolean =>
    known?.parameters.every(({ parameter, value }) => allows(target, parameter.name, value)) === true;
  const targets = allTargets(context, operation, kind);
  // A write never moves to an object of others: the accepted request shows only that its own object may be written.
  const isKept = kind !== 'read';
  const present = targets.filter(
    (target) => target.sure && (target.owned || !needsOwn) && (!isKept || target.owned || isKnown(target)),
  );
  const isCurrent = slotsOf(operation.path).length === 0 || present.some(isKnown);
  if (known !== undefined && isCurrent) {
    const isOwn = resources.isOwned(operation, seenOf(known));
    if (!needsOwn || isOwn || (kind === 'change' && slotsOf(operation.path).length === 0))
      return { draft: known, isOwn };
  }
  const [target] = present;
  if (target === undefined) return needsOwn ? 'the run has no object of its own there' : 'no object is left to ask for';
  if (known !== undefined) return { draft: withPath(known, target.values), isOwn: target.owned };
  const prepared = buildDraft(context, operation, kind, target);
  return typeof prepared === 'string' ? prepared : { draft: prepared, isOwn: target.owned };
}

/** @returns a first request of an operation that was never accepted, or why there is none */
function buildDraft(context: RunContext, operation: Operation, kind: OperationKind, target: Target): Draft | string {
  const tools = toolsFor(context, operation, 'baseline', 0);
  const draft = createRequestBuilder(tools, operation).build(target, plainVariant, context.resources, noConstraints);
  return draft === undefined
    ? 'no valid request could be built'
    : prepare({ context, tools, operation, kind }, draft, target);
}

/**
 * A valid request of another operation about an object of this run: the accepted one if there is one.
 *
 * @param values of the parameters of its path, in their order
 */
export function draftAbout(context: RunContext, operation: Operation, values: readonly Scalar[]): Draft | undefined {
  const known = context.accepted.get(operation)?.draft;
  if (known !== undefined) return moveTo(known, values);
  const target = { label: 'recorded', values: namedValues(operation, values), owned: true, sure: true } as const;
  const built = buildDraft(context, operation, kindOf(context.contract, operation), target);
  return typeof built === 'string' ? undefined : built;
}

/**
 * An accepted change with the values that its object has at present: other clients may have written it since.
 *
 * @param ask sends a read
 * @returns why the run could not put back the values
 */
export async function withPresentValues(
  context: RunContext,
  tools: DataTools,
  draft: Draft,
  ask: (read: Draft) => Promise<Exchange | undefined>,
): Promise<Draft | string> {
  const read = readOf(context.contract, draft.operation);
  const asked = read && draftAbout(context, read, pathValues(draft.operation, seenOf(draft)));
  const shown = asked && (await ask(asked));
  if (shown === undefined || !isAccepted(shown)) return 'the server accepted no read of the present values';
  const body = bodyAsRead(objectIn(shown.seen.responseBody), tools, draft);
  return body === undefined ? 'the run could not put back the present values' : { ...draft, body };
}

/** Whether a target has no other value for a parameter. */
function allows({ values }: Target, name: string, value: unknown): boolean {
  const wanted = values[name];
  return wanted === undefined || String(wanted) === String(value);
}

/** The same request about another object. @param values of the parameters of its path, in their order */
export function moveTo(draft: Draft, values: readonly Scalar[]): Draft {
  return withPath(draft, namedValues(draft.operation, values));
}

function namedValues({ path }: Operation, values: readonly Scalar[]): Target['values'] {
  return Object.fromEntries(
    slotsOf(path).flatMap(({ parameter }, index): [string, Scalar][] => {
      const value = values[index];
      return value === undefined ? [] : [[parameter, value]];
    }),
  );
}

/** The same request with other values in its path, and in the content that names the item of the path. */
export function withPath(draft: Draft, values: Readonly<Record<string, unknown>>): Draft {
  const { operation, body } = draft;
  const parameters = draft.parameters.map(({ parameter, value }) => {
    const other = parameter.in === 'path' ? values[parameter.name] : undefined;
    return { parameter, value: other ?? value };
  });
  if (body === undefined || !isObject(body.value)) return { ...draft, parameters };
  const own = values[slotsOf(operation.path).at(-1)?.parameter ?? ''];
  const entries = Object.entries(body.value).map(([name, value]): [string, unknown] => [
    name,
    namesItemAt(operation.path, name) && typeof value === typeof own ? own : value,
  ]);
  return { ...draft, parameters, body: { ...body, value: Object.fromEntries(entries) } };
}

export function draftOfOther({ accepted }: RunContext, draft: Draft, other: Operation): Draft | undefined {
  const known = accepted.get(other)?.draft;
  if (known === undefined) return undefined;
  const own = slotsOf(draft.operation.path);
  const theirs = slotsOf(other.path);
  const values = Object.fromEntries(
    theirs.flatMap(({ key, parameter }): [string, Scalar][] => {
      const same = own.find((slot) => slot.key === key);
      const value = draft.parameters.find(({ parameter: { name } }) => name === same?.parameter)?.value;
      return isScalar(value) ? [[parameter, value]] : [];
    }),
  );
  return withPath(known, values);
}

/** Other objects that a member may name, for one that the server rejects. */
const mostReferences = 2;

/** The same request with other known objects in one member each, the newest first. */
export function withOtherReferences({ contract, judge, resources }: RunContext, draft: Draft): readonly Draft[] {
  const { body, operation } = draft;
  const schema = body?.content.schema;
  if (body === undefined || schema === undefined || !isObject(body.value)) return [];
  const { value: whole } = body;
  return Object.entries(whole).flatMap(([name, value]) => {
    const place = namesOther(operation, name) ? alongSchema(contract, schema, [name])?.schema : undefined;
    if (place === undefined) return [];
    const known = referencesFor({ contract, judge }, resources, name, place).filter((other) => other !== value);
    return known
      .toReversed()
      .slice(0, mostReferences)
      .map((other) => ({ ...draft, body: { ...body, value: { ...whole, [name]: other } } }));
  });
}

/**
 * The same request with an id that exists nowhere.
 *
 * @param parameter name of the path parameter, by default the last
 * @returns undefined if no other text is valid there
 */
export function withUnknownId({ judge }: RunContext, draft: Draft, parameter?: string): Draft | undefined {
  const name = parameter ?? slotsOf(draft.operation.path).at(-1)?.parameter;
  const own = draft.parameters.find((one) => one.parameter.in === 'path' && one.parameter.name === name);
  if (own === undefined || !isScalar(own.value)) return undefined;
  const { value } = own;
  const other = unlike(String(value))
    .filter((text) => text !== String(value))
    .flatMap((text) => spell({ judge }, own.parameter.schema, text) ?? [])[0];
  if (other === undefined) return undefined;
  return { ...draft, parameters: draft.parameters.map((one) => (one === own ? { ...one, value: other } : one)) };
}

/** Ids of the same form, those first that hardly exist: a much larger number, other digits, other letters. */
export function unlike(id: string): readonly string[] {
  const larger = /^\d{1,9}$/.test(id) ? [String(Number(id) + 987_654_321), String(Number(id) + 98_765)] : [];
  // A short id with other digits is probably that of another object: `item-67` for `item-12`.
  const isShort = id.replaceAll(/[^A-Za-z0-9]/g, '').length < 8;
  const longer = isShort ? [id.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 987_654_321))] : [];
  return [...larger, ...longer, id.replaceAll(/\d+/g, scramble), scramble(id)];
}
