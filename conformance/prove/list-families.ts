// Faults of lists: their pages and filters. The probe `pages` has read the list in several lengths of a page. One page of a walk gets other items, and the
// whole probe is repeated with the same change, as the run would repeat a walk that breaks a law. A page that is merely shorter, with its items
// on the next one, is no fault: a page is shortened by an item that is then on none.
import { filterRoles, nameOfFilter } from '../checks/filters.ts';
import { again, pageRoles } from '../checks/paging.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, joinPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { type Filter, type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { readPage } from '../resources/read-page.ts';
import {
  answeredBy,
  answerWith,
  type Family,
  type Injected,
  type Injecting,
  refuseWrongRequests,
  replaceIn,
} from './family.ts';

/** A page of a walk. */
interface SentPage {
  readonly exchange: NumberedExchange;
  readonly items: readonly unknown[];
}

interface Walk {
  readonly pages: readonly SentPage[];
  readonly shape: ListShape;
  /** The items of the largest pages. */
  readonly all: readonly unknown[];
}

/** A page with other items. */
interface OtherItems {
  readonly page: SentPage;
  readonly items: readonly unknown[];
  readonly how: string;
}

function intoWalk(check: string, change: (walk: Walk) => OtherItems | undefined): Family['inject'] {
  return ({ trace, operation, contract }) => {
    const shape = listShapeOf(contract, operation);
    const isOwn = ({ intent, isPause, isAlone, ...one }: NumberedExchange): boolean =>
      one.operation === operation && intent.probe?.checks.includes(check) === true && !isPause && isAlone !== true;
    const own = trace.filter(isOwn);
    if (shape === undefined || own.length === 0) return undefined;
    const byRole = Map.groupBy(own, ({ intent }) => intent.probe?.role ?? '');
    const pagesOf = (role: string): readonly SentPage[] =>
      (byRole.get(role) ?? []).flatMap((exchange) => {
        const items = readPage(shape, exchange)?.items;
        return items === undefined ? [] : [{ exchange, items }];
      });
    const all = [pageRoles.grown, pageRoles.whole]
      .map((role) => pagesOf(role).flatMap(({ items }) => items))
      .find((items) => items.length > 0);
    const roles = [...byRole.keys()].filter((role) => role.startsWith(pageRoles.of(0).slice(0, -1)));
    for (const role of roles) {
      const made = change({ pages: pagesOf(role), shape, all: all ?? [] });
      const { exchange } = made?.page ?? {};
      const at = exchange && placeOf(exchange.seen.responseBody, made?.page.items);
      if (made === undefined || exchange === undefined || at === undefined) continue;
      const content = replaceAt(exchange.seen.responseBody, at, made.items);
      return {
        what: `${made.how} in ${role}`,
        changed: repeated(replaceIn(trace, new Map([[exchange, answerWith(exchange, { content })]])), isOwn),
        unchanged: replaceIn(trace, new Map([[exchange, answerWith(exchange, {})]])),
      };
    }
    return undefined;
  };
}

/** The exchanges, and those of the probe once more as its repetition. */
function repeated(trace: Trace, isOfProbe: (exchange: NumberedExchange) => boolean): Trace {
  const copies = trace.filter(isOfProbe).flatMap((one): NumberedExchange[] => {
    const { probe } = one.intent;
    return probe === undefined
      ? []
      : [{ ...one, intent: { ...one.intent, probe: { ...probe, role: again(probe.role) } } }];
  });
  return [...trace, ...copies];
}

/** The place of a list in the content. */
function placeOf(value: unknown, items: unknown, at = ''): string | undefined {
  if (value === items) return at;
  if (!isObject(value)) return undefined;
  for (const [name, part] of Object.entries(value)) {
    const found = placeOf(part, items, joinPointer(at, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The answers to a filter get the items of the list without it. */
function intoFilter({ trace, operation, contract }: Injecting): Injected | undefined {
  for (const filter of provable(listShapeOf(contract, operation))) {
    const isOwn = ({ intent: { probe }, isPause, isAlone, ...one }: NumberedExchange): boolean =>
      one.operation === operation && probe?.name === nameOfFilter(filter) && !isPause && isAlone !== true;
    const own = trace.filter((one) => isOwn(one) && isAccepted(one));
    const { whole, grown, value } = filterRoles;
    const of = (...roles: readonly string[]) => own.filter(({ intent }) => roles.includes(intent.probe?.role ?? ''));
    const all = of(grown).at(-1) ?? of(whole).at(-1);
    const filtered = of(value(0), value(1));
    if (all?.outcome.kind !== 'answer' || filtered.length === 0) continue;
    const { outcome } = all;
    return {
      what: `all items as the answer to ${filter.parameter.name}`,
      changed: repeated(replaceIn(trace, new Map(filtered.map((one) => [one, answeredBy(one, outcome)]))), isOwn),
      unchanged: replaceIn(trace, new Map(filtered.map((one) => [one, answerWith(one, {})]))),
    };
  }
  return undefined;
}

/** The filters of a list with a meaning that the contract declares, of one kind: any other one may select by something else. */
function provable(shape: ListShape | undefined): readonly Filter[] {
  const declared = shape?.filters.filter(({ isDeclared, isClosed }) => isDeclared || isClosed) ?? [];
  return declared.filter((filter) => isEqual(filter) === (declared[0] !== undefined && isEqual(declared[0])));
}

const isEqual = ({ is }: Filter): boolean => is === 'equal';

function excludeList(needs: (shape: ListShape) => string | undefined): Family['excludes'] {
  return (operation: Operation, contract: Contract) => {
    const shape = listShapeOf(contract, operation);
    if (shape === undefined) return 'it is no list with pages, filters or orders';
    return refuseWrongRequests(contract, operation) ?? needs(shape);
  };
}

const needsLength = ({ limit }: ListShape): string | undefined =>
  limit === undefined ? 'it has no parameter for the length of a page' : undefined;

const needsPages = (shape: ListShape): string | undefined =>
  needsLength(shape) ?? (shape.step === undefined ? 'it has no further pages' : undefined);

export const listFamilies: readonly Family[] = [
  {
    name: 'long page',
    about: 'a page is longer than the request asked for',
    check: 'page-size',
    excludes: excludeList(needsLength),
    inject: intoWalk('page-size', ({ pages, shape, all }) => {
      const [page] = pages;
      const size = shape.limit && page?.exchange.seen.query[shape.limit.parameter.name];
      const more = [...all, ...(page?.items ?? [])].filter((item) => page?.items.includes(item) === false);
      if (page === undefined || typeof size !== 'number' || page.items.length === 0) return undefined;
      const items = [...page.items, ...more, ...page.items].slice(0, size + 1);
      return items.length > size ? { page, items, how: `${items.length} items` } : undefined;
    }),
  },
  {
    name: 'item twice',
    about: 'an item is on two pages',
    check: 'page-duplicate',
    excludes: excludeList(needsPages),
    inject: intoWalk('page-duplicate', ({ pages: [first, second] }) => {
      const [item] = first?.items ?? [];
      if (item === undefined || second === undefined || second.items.length === 0) return undefined;
      return { page: second, items: [item, ...second.items.slice(1)], how: 'the first item of page 1 on page 2' };
    }),
  },
  {
    name: 'lost item',
    about: 'a page lacks an item, which is on no other page',
    check: 'page-gap',
    excludes: excludeList(needsPages),
    inject: intoWalk('page-gap', ({ pages: [page, second] }) => {
      if (page === undefined || second === undefined || page.items.length === 0) return undefined;
      return { page, items: page.items.slice(0, -1), how: 'page 1 without its last item' };
    }),
  },
  {
    name: 'lost filter',
    about: 'a filter is accepted, and selects nothing',
    check: (operation, contract) =>
      provable(listShapeOf(contract, operation)).every(isEqual) ? 'filter-ignored' : 'filter-range',
    excludes: excludeList((shape) =>
      provable(shape).length === 0 ? 'it has no filter whose meaning the contract declares' : undefined,
    ),
    inject: intoFilter,
  },
];
