import { canonical, isObject, joinPointer, readPointer } from '../contract/document.ts';
import { type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { pathBeneath } from './addresses.ts';
import type { ListShape } from './list-shape.ts';
import { isScalar, readList, type Scalar } from './read-items.ts';
import { nounOf, plainPath, rankName, type Slot, slotsOf } from './slots.ts';

/** A page of a list, as an answer shows it. */
export interface Page {
  readonly items: readonly unknown[];
  /** The value of the cursor, or the path and query, that leads to the next page. */
  readonly next: Scalar | undefined;
  /** Whether the answer states that no page follows; undefined if it states nothing about the next page. */
  readonly isLast: boolean | undefined;
  readonly total: number | undefined;
}

/** @returns undefined if the answer is no accepted one with a list */
export function readPage(shape: ListShape, exchange: Exchange): Page | undefined {
  const { outcome, seen } = exchange;
  if (outcome.kind === 'none' || outcome.isCut === true || !isAccepted(exchange)) return undefined;
  const body = seen.responseBody;
  const items =
    shape.items === undefined ? readList(body, nounOf(shape.operation.path)) : readPointer(body, shape.items);
  if (!Array.isArray(items)) return undefined;
  return { items, ...readNext(shape, exchange), total: readTotal(shape, exchange) };
}

/** How an answer leads to the next page. */
export function readNext({ step }: ListShape, exchange: Exchange): Pick<Page, 'next' | 'isLast'> {
  const { outcome, request, seen } = exchange;
  const none = { next: undefined, isLast: undefined };
  if (outcome.kind === 'none' || step === undefined || step.kind === 'page' || step.kind === 'offset') return none;
  if (step.kind === 'cursor') {
    const value = withinAddress(step.send.name, readPointer(seen.responseBody, step.read));
    const isLast = step.end === undefined ? !isScalar(value) : value === step.end;
    return isScalar(value) && !isLast ? { next: value, isLast: false } : { next: undefined, isLast };
  }
  const address =
    step.read === undefined ? nextIn(headerOf(outcome, 'link') ?? '') : readPointer(seen.responseBody, step.read);
  if (typeof address !== 'string' || address === '') return { next: undefined, isLast: true };
  // A single word is a placeholder: resolved as a relative reference, it would lead to another path.
  if (!/[/?]/.test(address)) return none;
  // An address of another origin may be that before a proxy.
  const next = pathBeneath(request, address) ?? pathBeneath(request, address.replace(/^https?:\/\/[^/]+/, ''));
  return { next, isLast: false };
}

/** The cursor in an address of the next page, `/books?cursor=c2`: some servers send it where others send the cursor alone. */
function withinAddress(parameter: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^(https?:\/\/|\/|\?)/.test(value)) return value;
  const query = value.includes('?') ? value.slice(value.indexOf('?')) : '';
  return new URLSearchParams(query.replace(/#.*$/s, '')).get(parameter) ?? value;
}

/** The target of the relation `next` in the field `Link` (RFC 8288, 3). */
function nextIn(link: string): string | undefined {
  for (const [, target, parameters = ''] of link.matchAll(/<([^>]*)>([^<]*)/g))
    if (/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters)) return target;
  return undefined;
}

function readTotal({ total }: ListShape, { outcome, seen }: Exchange): number | undefined {
  if (total === undefined || outcome.kind === 'none') return undefined;
  const value = 'body' in total ? readPointer(seen.responseBody, total.body) : headerOf(outcome, total.header);
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** How the items of a list are distinguished. */
export interface Identity {
  /** The member that is their id, as a JSON pointer; undefined if only the whole item is compared. */
  readonly key: string | undefined;
  readonly of: (item: unknown) => string;
}

/**
 * The identity of items: the declared key, otherwise the member with the best name of an id. It counts if every item has it, and if
 * items that share it are equal.
 *
 * @param slot the place of the id in the path of an item
 */
export function identify(
  { key, operation }: Pick<ListShape, 'key' | 'operation'>,
  items: readonly unknown[],
  slot = slotOfItems(operation.path),
): Identity {
  const by = (own: string | undefined): Identity => ({
    key: own,
    of: (item) => canonical(own === undefined ? item : readPointer(item, own)),
  });
  if (key !== undefined) return by(key);
  const [first] = items;
  const candidates = Object.keys(isObject(first) ? first : {})
    .map((member) => ({ member, rank: rankName(member, slot) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((a, b) => a.rank - b.rank);
  const best = candidates.find(({ member }) => {
    const seen = new Map<unknown, string>();
    return items.every((item) => {
      const value = isObject(item) ? item[member] : undefined;
      const text = canonical(item);
      const isFit = isScalar(value) && (seen.get(value) ?? text) === text;
      seen.set(value, text);
      return isFit;
    });
  });
  return by(best && joinPointer('', best.member));
}

/** The slot of an item beneath the list, whether the contract has such a path or not. */
function slotOfItems(path: string): Slot {
  const [slot] = slotsOf(`${plainPath(path)}/{id}`).slice(-1);
  return slot ?? { parameter: 'id', key: '', collection: '', noun: nounOf(path) };
}
