// Items of a list and the objects that their ids name: the verdict on the reads that the probe `details` sends.
import { isObject, type JsonObject, type Pointer, readPointer } from '../contract/document.ts';
import { type Exchange, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { identify, readPage } from '../resources/read-page.ts';
import { slotsOf } from '../resources/slots.ts';
import type { RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { exchangesOf, ofRepetition, statusOf } from './parts.ts';
import { isSameValue, readMember, schemaOfRead } from './read-only.ts';

export const detailRoles = {
  list: 'list',
  detail: (index: number): string => `detail ${index + 1}`,
} as const;

/** An item of the list, and the object that its id names. */
interface Pair<Kind extends Exchange> {
  readonly item: JsonObject;
  readonly detail: Kind;
}

/** @param key place of the id in an item */
function pairsIn<Kind extends Exchange>(
  shape: ListShape,
  trace: readonly Kind[],
  isRepetition: boolean,
): { readonly key: string | undefined; readonly pairs: readonly Pair<Kind>[] } {
  const own = trace.filter(({ intent }) => intent.probe?.role.endsWith(ofRepetition) === isRepetition);
  const list = own.find(
    ({ intent, operation }) => operation === shape.operation && intent.probe?.role.startsWith(detailRoles.list),
  );
  const items = (list && readPage(shape, list))?.items ?? [];
  const read = own.find(({ operation }) => operation !== shape.operation);
  const { key } = identify(shape, items, read && slotsOf(read.operation.path).at(-1));
  const pairs = own.flatMap((detail): Pair<Kind>[] => {
    if (detail.operation === shape.operation || !isAccepted(detail)) return [];
    const asked = new Set(Object.values(detail.seen.path).map(String));
    const item = items.find((one) => key !== undefined && asked.has(String(readPointer(one, key))));
    return isObject(item) ? [{ item, detail }] : [];
  });
  return { key, pairs };
}

/** Reads of ids of the list that are answered 404, if another one is accepted: a list shows an object, and its address has none. */
export function missingIn<Kind extends Exchange>(
  shape: ListShape,
  trace: readonly Kind[],
  isRepetition: boolean,
): readonly Kind[] {
  const own = trace.filter(({ intent }) => intent.probe?.role.endsWith(ofRepetition) === isRepetition);
  const details = own.filter(({ operation }) => operation !== shape.operation);
  return details.some(isAccepted) ? details.filter((one) => statusOf(one) === 404) : [];
}

function missingVerdict(place: string, detail: NumberedExchange): TraceVerdict {
  const { id, pointer } = detail.operation;
  const failure: Failure = {
    ...{ check: listDetail.name, severity: 'defect', place: 'status', pointer, keyword: 'missing' },
    ...{ clause: 'RFC 9110 15.5.5', causes: [['missing', id]] },
    message: `an item of the list is answered ${statusOf(detail)} at its own address`,
  };
  return { place, exchange: detail, failures: [failure] };
}

export interface Difference<Kind extends Exchange = Exchange> {
  readonly member: string;
  readonly inList: unknown;
  readonly inDetail: unknown;
  readonly detail: Kind;
}

/** Members that both show with different values. The id comes first. */
export function differencesIn<Kind extends Exchange>(
  shape: ListShape,
  trace: readonly Kind[],
  isRepetition: boolean,
): readonly Difference<Kind>[] {
  const { key, pairs } = pairsIn(shape, trace, isRepetition);
  return pairs.flatMap(({ item, detail }) => {
    const members = Object.keys(item).sort((a, b) => Number(`/${b}` === key) - Number(`/${a}` === key));
    return members.flatMap((member): Difference<Kind>[] => {
      const [inList, inDetail] = [item[member], readMember(detail.seen.responseBody, `/${member}`)];
      return isDifferent(inList, inDetail) ? [{ member, inList, inDetail, detail }] : [];
    });
  });
}

/** Whether two values of one type differ in more than their spelling: a list may cut texts, and addresses may be relative. */
function isDifferent(a: unknown, b: unknown): boolean {
  if (typeof a !== typeof b || !['string', 'number', 'boolean'].includes(typeof a)) return false;
  if (typeof a === 'number' && typeof b === 'number') return a !== b && !isRounded(a, b) && !isRounded(b, a);
  if (typeof a !== 'string' || typeof b !== 'string') return a !== b;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const isCut = short.length > 0 && long.startsWith(short.replace(/(\.\.\.|…)$/, ''));
  const isAddress = [a, b].some((text) => /^(https?:\/\/|\/)/.test(text));
  // A list may hide a part of an address or a number.
  if ([a, b].some((text) => /[*•]{2}/.test(text))) return false;
  if (isSameValue(a, b) || isCut || isAddress || a.trim().toLowerCase() === b.trim().toLowerCase()) return false;
  // A list may show the words alone.
  const [own = '', other = ''] = [short, long].map(wordsOf);
  return !isMarkup(a, b) || !other.startsWith(own);
}

/** Whether a number is another one with fewer decimals. */
function isRounded(short: number, long: number): boolean {
  const decimals = (String(short).split('.')[1] ?? '').length;
  return Math.abs(short - long) < 10 ** -decimals && !Number.isInteger(long);
}

const markup = /<[a-z!/][^>]*>|&(#?\w+);/gi;

function wordsOf(text: string): string {
  return (text.replaceAll(markup, ' ').match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').toLowerCase();
}

/** Whether texts with markup differ: one of them may be a summary. */
function isMarkup(...texts: readonly unknown[]): boolean {
  return texts.some((text) => typeof text === 'string' && text.search(markup) >= 0);
}

export const listDetail: TraceCheck = {
  kind: 'trace',
  name: 'list-detail',
  about: 'an object is shown with other values in the list than by its own address, or is not found there',
  effect: 'Clients show or compute with outdated or wrong values, depending on where they read them.',
  clauses: ['OpenAPI, Schema Object', 'RFC 9110'],
  example: {
    sent: 'GET /books, then GET /books/b1',
    answered: '{"id":"b1","pages":474} in the list, {"id":"b1","pages":730} alone',
  },
  fix: 'Read both from one source, and renew copies such as caches and indexes with each write.',
  allow: 'Describe the member by different schemas, or by different names, if list and object mean different values.',
  plan: () => [],
  needs: () => 'list with an item that can be read alone',
  judge: (trace, context) => {
    const own = exchangesOf(trace, listDetail.name);
    const { name: place = '', operation: id } = own[0]?.intent.probe ?? {};
    const operation = own.find((one) => one.operation.id === id)?.operation;
    const shape = operation && listShapeOf(context.contract, operation);
    if (shape === undefined) return [];
    const [exchange] = pairsIn(shape, own, false).pairs.map(({ detail }) => detail);
    if (exchange === undefined) return [];
    const first = differencesIn(shape, own, false);
    const [missing] = missingIn(shape, own, false);
    const stillMissing = missingIn(shape, own, true).find((one) => one.request.path === missing?.request.path);
    // `created-missing` judges the objects of the run.
    const isOwn = missing !== undefined && context.resources.isOwned(missing.operation, missing.seen);
    if (stillMissing !== undefined && !isOwn) return [missingVerdict(place, stillMissing)];
    if (first.length === 0) return [{ place, failures: [], exchange }];
    // A member that differs between two reads varies by itself.
    const still = differencesIn(shape, own, true).find((one) =>
      first.some(
        ({ member, inList, inDetail }) => member === one.member && inList === one.inList && inDetail === one.inDetail,
      ),
    );
    return still === undefined ? [] : [verdictOf(context, shape, place, still)];
  },
};

function verdictOf(
  { judge }: RunContext,
  shape: ListShape,
  place: string,
  { member, inList, inDetail, detail }: Difference<NumberedExchange>,
): TraceVerdict {
  const schema = schemaOfRead(detail.operation);
  const form = judge.forms.response;
  const shown = schema === undefined ? undefined : form.declared(form.branch(form.at(schema))).get(member);
  const pointer: Pointer = shape.members.get(member) ?? shape.operation.pointer;
  const [list, alone] = [inList, inDetail].map((value) => JSON.stringify(value));
  return {
    place,
    exchange: detail,
    failures: [
      {
        check: listDetail.name,
        // Two schemas may describe two values.
        severity: shown === pointer && !isMarkup(inList, inDetail) ? 'defect' : 'suspect',
        place: `response ${member}`,
        ...{ pointer, keyword: member, clause: 'OpenAPI, Schema Object' },
        message: `${member} is ${list} in the list, and ${alone} by the address of the object`,
        causes: [[pointer, member]],
      },
    ],
  };
}
