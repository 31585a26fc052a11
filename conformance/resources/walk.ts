// Laws about the pages of a list: each walk from page to page is compared with the list in one large page.

import type { ListShape } from './list-shape.ts';
import { type Identity, identify, type Page } from './read-page.ts';

/** The pages of one walk, in their order. */
export interface Walk {
  readonly pages: readonly Page[];
  /** The length of a page that was asked for; undefined if the list has no parameter for it. */
  readonly size: number | undefined;
}

/** Laws of pages, in the order in which a walk is judged: a page that is too long moves all items behind it. */
export type PageLaw =
  | 'page-size'
  | 'page-ends'
  | 'page-duplicate'
  | 'page-gap'
  | 'limit-neutral'
  | 'page-total'
  | 'page-cursor';

export interface Deviation {
  readonly law: PageLaw;
  /** Index of the page that shows it. */
  readonly page: number;
  readonly message: string;
}

export function itemsOf({ pages }: Walk): readonly unknown[] {
  return pages.flatMap(({ items }) => items);
}

/** Whether no further page can follow: the last one states it, or is shorter than asked for. */
export function isComplete({ step }: Pick<ListShape, 'step'>, { pages, size }: Walk): boolean {
  const last = pages.at(-1);
  if (last === undefined) return false;
  if (last.isLast !== undefined) return last.isLast;
  if (last.items.length === 0 || size === undefined) return step === undefined || last.items.length === 0;
  return last.items.length < size && (last.total === undefined || last.total <= itemsOf({ pages, size }).length);
}

/**
 * The list that a walk in large pages shows, without the pages that repeat it.
 *
 * @returns the page with which the walk begins again; undefined if it does not
 */
export function withoutRestart(shape: ListShape, walk: Walk): { readonly list: Walk; readonly restart?: number } {
  const identity = identify(shape, itemsOf(walk));
  const seen = new Set<string>();
  const restart = walk.pages.findIndex(({ items }) => {
    const ids = items.map(identity.of);
    const isKnown = ids.length > 0 && ids.every((id) => seen.has(id));
    for (const id of ids) seen.add(id);
    return isKnown;
  });
  if (restart < 0) return { list: walk };
  const pages = walk.pages.slice(0, restart);
  return { list: { ...walk, pages: pages.with(-1, { ...(pages.at(-1) as Page), isLast: true }) }, restart };
}

/** Whether two walks show the same items in the same order. */
export function isSameList(shape: ListShape, a: Walk, b: Walk): boolean {
  const identity = identify(shape, [...itemsOf(a), ...itemsOf(b)]);
  const [first, second] = [a, b].map((walk) => itemsOf(walk).map(identity.of));
  return first?.length === second?.length && first?.every((id, index) => id === second?.[index]) === true;
}

/** Number of empty pages after which a walk is endless. */
export const mostEmpty = 2;

/**
 * The first law that a walk breaks, compared with the same list in pages as large as possible.
 *
 * @returns undefined if it breaks none, or if the list may have grown meanwhile
 */
export function deviationOf(shape: ListShape, whole: Walk, walk: Walk): Deviation | undefined {
  const { size, pages } = walk;
  const long = pages.findIndex(({ items }) => size !== undefined && items.length > size);
  if (long >= 0) {
    const items = pages[long]?.items.length;
    const message = `the page has ${items} items; ${nameLimit(shape)}=${size} was sent`;
    return { law: 'page-size', page: long, message };
  }
  const all = itemsOf(whole);
  const identity = identify(shape, [...all, ...itemsOf(walk)]);
  const end = endDeviation(shape, walk);
  return (
    end ??
    repeatedItem(shape, { whole, walk, identity }) ??
    missingItem(shape, { whole, walk, identity }) ??
    otherOrder({ whole, walk, identity })
  );
}

interface Compared {
  readonly whole: Walk;
  readonly walk: Walk;
  readonly identity: Identity;
}

function nameLimit({ limit }: ListShape): string {
  return limit?.parameter.name ?? 'limit';
}

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** The last page does not have the declared end, or empty pages never end. */
function endDeviation(shape: ListShape, { pages }: Walk): Deviation | undefined {
  const { step, isDeclared } = shape;
  if (!isDeclared || step?.kind !== 'cursor') return undefined;
  const open = pages.findIndex(({ next, isLast }) => next === undefined && isLast === false);
  const end = JSON.stringify(step.end);
  if (open >= 0)
    return { law: 'page-ends', page: open, message: `${step.read} is neither a cursor nor ${end}, the declared end` };
  const empty = pages.slice(-mostEmpty);
  const isEndless =
    pages.length > mostEmpty && empty.every(({ items, next }) => items.length === 0 && next !== undefined);
  return isEndless
    ? { law: 'page-ends', page: pages.length - 1, message: `empty pages follow the last item, none with ${end}` }
    : undefined;
}

/** An item comes twice. After all items, that is a walk without an end. */
function repeatedItem(shape: ListShape, { whole, walk, identity }: Compared): Deviation | undefined {
  const known = countBy(itemsOf(whole).map(identity.of));
  const left = new Map(known);
  for (const [page, { items }] of walk.pages.entries()) {
    const isOver = isComplete(shape, whole) && [...left.values()].every((count) => count <= 0);
    for (const item of items) {
      const id = identity.of(item);
      const count = left.get(id);
      if (count !== undefined && count <= 0) {
        const isRestart = isOver && shape.step?.kind !== 'page' && shape.step?.kind !== 'offset';
        const shown = `${identity.key === undefined ? 'the item' : identity.key.slice(1)} ${id}`;
        const message = isRestart
          ? `the walk goes on after the last of ${itemsOf(whole).length} items, with ${shown} again`
          : `${shown} is on page ${page + 1} and on an earlier one`;
        return { law: isRestart ? 'page-ends' : 'page-duplicate', page, message };
      }
      if (count !== undefined) left.set(id, count - 1);
    }
  }
  return undefined;
}

/** An item of the list is on no page, although the walk has passed its place. */
function missingItem(shape: ListShape, { whole, walk, identity }: Compared): Deviation | undefined {
  const wanted = itemsOf(whole).map(identity.of);
  const shown = itemsOf(walk).map(identity.of);
  const rest = countBy(shown);
  const missing = wanted.findIndex((id) => {
    const count = rest.get(id) ?? 0;
    rest.set(id, count - 1);
    return count <= 0;
  });
  const id = wanted[missing];
  if (id === undefined || walk.pages.length === 0) return undefined;
  const later = new Set(wanted.slice(missing + 1));
  // Without further pages, a page that is too short keeps its items back.
  const isCut = shape.step === undefined && shown.length < Math.min(walk.size ?? 0, wanted.length);
  const isPassed = shape.step !== undefined && shown.some((one) => later.has(one)) && isRising(wanted, shown);
  if (!isCut && !isPassed && !(shape.step !== undefined && isComplete(shape, walk))) return undefined;
  const name = identity.key === undefined ? 'the item' : identity.key.slice(1);
  const message = `${name} ${id} is on no page of ${walk.size}, and the ${missing + 1}. item of the list in larger pages`;
  return { law: 'page-gap', page: walk.pages.length - 1, message };
}

/** Whether the items that both have come in one order. */
function isRising(wanted: readonly string[], shown: readonly string[]): boolean {
  const places = shown.map((id) => wanted.indexOf(id)).filter((place) => place >= 0);
  return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0));
}

function otherOrder({ whole, walk, identity }: Compared): Deviation | undefined {
  const wanted = itemsOf(whole).map(identity.of);
  let at = 0;
  for (const [page, { items }] of walk.pages.entries()) {
    for (const item of items) {
      const id = identity.of(item);
      // An item that the large page does not have: the list has grown.
      if (!wanted.includes(id)) return undefined;
      if (id !== wanted[at])
        return {
          law: 'limit-neutral',
          page,
          message: `the ${at + 1}. item is ${id} in pages of ${walk.size}, and ${wanted[at]} in larger pages`,
        };
      at += 1;
    }
  }
  return undefined;
}

/** One cursor leads to other items when it is sent once more. */
export function cursorDeviation(shape: ListShape, { pages }: Walk, once: Page): Deviation | undefined {
  const second = pages[1];
  if (second === undefined) return undefined;
  const identity = identify(shape, [...pages.flatMap(({ items }) => items), ...once.items]);
  const [first, other] = [second, once].map(({ items }) => items.map(identity.of).join(', ') || 'no item');
  const message = `one cursor led to ${first}, and then to ${other}`;
  return first === other ? undefined : { law: 'page-cursor', page: 1, message };
}

/** The answer states another number of items than a whole walk has, whose pages are full but for the last. */
export function totalDeviation(shape: ListShape, walk: Walk): Deviation | undefined {
  const count = itemsOf(walk).length;
  const filled = walk.pages.filter(({ items }) => items.length > 0);
  // A page with fewer items may hide some that the total counts.
  const isFull = filled.slice(0, -1).every(({ items }) => items.length === (walk.size ?? items.length));
  const page = walk.pages.findIndex(({ total }) => total !== undefined && total !== count);
  const { total } = walk.pages[page] ?? {};
  if (count === 0 || total === undefined || !isFull || !(isComplete(shape, walk) || total < count)) return undefined;
  return {
    law: 'page-total',
    page,
    message: `the answer states ${total} items; the pages of the walk have ${count}`,
  };
}
