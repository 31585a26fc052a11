// Order of a list: the verdict on the requests that the probe of a parameter sends, one for each of its values.
import { isObject, readPointer } from '../contract/document.ts';
import type { Exchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type ListShape, listShapeOf, type Order } from '../resources/list-shape.ts';
import { identify, type Page, readPage } from '../resources/read-page.ts';
import type { TraceCheck } from './check.ts';
import { compare } from './filters.ts';
import { exchangesOf, ofRepetition } from './parts.ts';

export const orderRoles = {
  /** The list without the parameter: declared paging has its first order then. */
  usual: 'without an order',
  /** The list in one of its orders, by its index. */
  of: (index: number): string => `in order ${index + 1}`,
} as const;

/** The order of two values; undefined if two usual collations disagree, or if they have no order. */
export function compareInOrder(a: unknown, b: unknown): number | undefined {
  const known = compare(a, b);
  if (known !== undefined || typeof a !== 'string' || typeof b !== 'string') return known;
  const [lower, other] = [a.toLowerCase(), b.toLowerCase()];
  const signs = new Set([
    a < b ? -1 : a > b ? 1 : 0,
    lower < other ? -1 : lower > other ? 1 : 0,
    Math.sign(a.localeCompare(b, 'en')),
    Math.sign(a.localeCompare(b, 'en', { numeric: true })),
  ]);
  const [sign] = signs;
  return signs.size === 1 ? sign : undefined;
}

/** The first two neighbours in the wrong order; undefined if there are none, `unjudged` if no two neighbours have an order. */
export function wrongPair(
  { field, goes }: Pick<Order, 'field' | 'goes'>,
  items: readonly unknown[],
): readonly [unknown, unknown] | 'unjudged' | undefined {
  const pairs = items.slice(1).map((item, index) => [items[index], item] as const);
  const signOf = ([a, b]: readonly [unknown, unknown]): number =>
    compareInOrder(readPointer(a, field), readPointer(b, field)) ?? 0;
  const telling = pairs.filter((pair) => signOf(pair) !== 0);
  const [first] = telling;
  if (first === undefined) return 'unjudged';
  const wanted = goes === 'ascending' ? -1 : goes === 'descending' ? 1 : signOf(first);
  return telling.find((pair) => signOf(pair) !== wanted);
}

/** Whether the items are in order within groups, one after the other, of equal values of a member: a list may show pinned items first. */
export function isInGroups(order: Pick<Order, 'field' | 'goes'>, items: readonly unknown[]): boolean {
  const names = new Set(items.flatMap((item) => (isObject(item) ? Object.keys(item) : [])));
  return [...names].some((name) => {
    const keys = items.map((item) => String(isObject(item) ? (item[name] ?? false) : undefined));
    const starts = keys.flatMap((key, index) => (index > 0 && key === keys[index - 1] ? [] : [index]));
    const isGrouped =
      new Set(keys).size === starts.length && starts.length > 1 && starts.length <= items.length / 2 + 1;
    const found = starts.map((start, index) => wrongPair(order, items.slice(start, starts[index + 1])));
    return isGrouped && found.includes(undefined) && !found.some(Array.isArray);
  });
}

/** The name of the probe of a parameter that orders. */
export function nameOfOrder({ parameter }: Pick<Order, 'parameter'>): string {
  return `order by ${parameter.name}`;
}

interface Ordered<Kind extends Exchange> {
  readonly order: Order;
  readonly page: Page;
  readonly exchange: Kind;
}

/** The answers of a probe with the order that each was asked for. */
export function readOrdered<Kind extends Exchange>(
  shape: ListShape,
  trace: readonly Kind[],
  isRepetition: boolean,
): readonly Ordered<Kind>[] {
  return trace.flatMap((exchange): Ordered<Kind>[] => {
    const { role = '' } = exchange.intent.probe ?? {};
    const page = exchange.operation === shape.operation ? readPage(shape, exchange) : undefined;
    if (page === undefined || role.endsWith(ofRepetition) !== isRepetition) return [];
    const name = role.replace(ofRepetition, '');
    const isUsual = name === orderRoles.usual && shape.isDeclared;
    const order = shape.orders.find((_, index) => (isUsual ? index === 0 : name === orderRoles.of(index)));
    return order === undefined ? [] : [{ order, page, exchange }];
  });
}

export const sortWrong: TraceCheck = {
  kind: 'trace',
  name: 'sort-wrong',
  about: 'items are not in the order that was asked for',
  effect: 'Clients that take the first items as the newest or the cheapest take the wrong ones.',
  clauses: ['x-pagination', 'OpenAPI, Parameter Object'],
  example: { sent: 'GET /books?sort=-pages', answered: '200 with 474 pages before 730' },
  fix: 'Sort the query that reads the items, before the page is cut; compare numbers as numbers and times as instants.',
  allow: 'Remove the value from the enum of the parameter.',
  plan: () => [],
  needs: () => 'list with two values of the member',
  judge: (trace, { contract }) => {
    const own = exchangesOf(trace, sortWrong.name);
    const { name: place = '', operation: id } = own[0]?.intent.probe ?? {};
    const operation = own.find((one) => one.operation.id === id)?.operation;
    const shape = operation && listShapeOf(contract, operation);
    const first = shape === undefined ? [] : readOrdered(shape, own, false);
    const judged = first.filter(({ order, page }) => wrongPair(order, page.items) !== 'unjudged');
    const [some] = judged;
    if (shape === undefined || some === undefined) return [];
    const broken = judged.filter(({ order, page }) => wrongPair(order, page.items) !== undefined);
    if (broken.length === 0) return [{ place, failures: [], exchange: some.exchange }];
    const repeated = readOrdered(shape, own, true).flatMap((one) => {
      const before = broken.find(({ order }) => order === one.order);
      const pair = wrongPair(one.order, one.page.items);
      const isStill = before !== undefined && isSameIn(shape, one.order, before.page, one.page);
      return isStill && pair !== undefined && pair !== 'unjudged' ? [{ ...one, pair }] : [];
    });
    return repeated.slice(0, 1).map(({ order, exchange, page, pair }) => {
      const failure = failureOf(order, exchange, pair);
      const isSplit = !order.isDeclared && isInGroups(order, page.items);
      return { place, exchange, failures: [isSplit ? { ...failure, severity: 'suspect' } : failure] };
    });
  },
};

/** Whether the members that order the items stay as they are: a time of the last use may change while it is read. */
function isSameIn(shape: ListShape, { field }: Order, before: Page, after: Page): boolean {
  const identity = identify(shape, [...before.items, ...after.items]);
  const values = new Map(before.items.map((item) => [identity.of(item), readPointer(item, field)]));
  return after.items.every((item) => values.get(identity.of(item)) === readPointer(item, field));
}

function failureOf(order: Order, { operation, seen }: Exchange, pair: readonly [unknown, unknown]): Failure {
  const { parameter, isDeclared, field, goes } = order;
  const pointer = isDeclared ? `${operation.pointer}/x-pagination` : parameter.pointer;
  const sent = seen.query[parameter.name];
  const [a, b] = pair.map((item) => JSON.stringify(readPointer(item, field)));
  const isText = pair.some(
    (item) =>
      typeof readPointer(item, field) === 'string' && Number.isNaN(Date.parse(String(readPointer(item, field)))),
  );
  const asked = sent === undefined ? `without ${parameter.name}` : `${parameter.name}=${sent}`;
  const wanted = goes === 'either' ? 'in neither direction' : `not ${goes}`;
  return {
    check: sortWrong.name,
    // The order of texts depends on the language of the server.
    severity: isDeclared || !isText ? 'defect' : 'suspect',
    place: `query ${parameter.name}`,
    ...{ pointer, keyword: isDeclared ? 'x-pagination' : parameter.name },
    clause: isDeclared ? 'x-pagination' : 'OpenAPI, Parameter Object',
    message: `${asked}: ${field.slice(1)} ${a} comes before ${b}, which is ${wanted}`,
    causes: [[sortWrong.name, pointer]],
  };
}
