// Filters of a list: verdicts on the requests that the probe of a filter sends, one for each of two values.
import { readPointer } from '../contract/document.ts';
import type { Exchange, NumberedExchange, Trace } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { type Filter, type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { identify, type Page, readPage } from '../resources/read-page.ts';
import { isComplete } from '../resources/walk.ts';
import type { RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { exchangesOf, ofRepetition } from './parts.ts';

/** Roles of the requests of a probe; one with `, again` repeats another. */
export const filterRoles = {
  /** The list without the filter. */
  whole: 'without the filter',
  /** The same after the run has added items. */
  grown: 'without the filter, with new items',
  /** The list with one value of the filter, by its index. */
  value: (index: number): string => `with value ${index + 1}`,
  /** The list with a bound that excludes all items. */
  beyond: 'with a bound beyond all items',
  /** The list with the first value in pages of one item. */
  pages: 'pages with value 1',
  /** The list with the first value, and with an order or another filter. */
  joined: (name: string): string => `with value 1 and ${name}`,
} as const;

export type FilterLaw = 'filter-ignored' | 'filter-loses' | 'filter-range' | 'page-cursor';

interface FoundFault<Kind extends Exchange> {
  readonly law: FilterLaw;
  readonly isSure: boolean;
  readonly exchange: Kind;
  readonly message: string;
}

/** The name of the probe of a filter. */
export function nameOfFilter({ parameter }: Filter): string {
  return `filter ${parameter.name}`;
}

/** Whether an item is one that a filter selects; undefined if a server may read the value otherwise. */
export function isSelected(filter: Filter, item: unknown, sent: unknown): boolean | undefined {
  const value = readPointer(item, filter.field);
  const wanted = Array.isArray(sent) ? sent[0] : sent;
  if (!isPlain(value) || !isPlain(wanted)) return undefined;
  const order = compare(value, wanted);
  if (filter.is === 'equal') {
    if (order === 0 || String(value) === String(wanted)) return true;
    const [a, b] = [value, wanted].map((one) => String(one).toLowerCase());
    // Names may be found by their beginning, and in any case.
    const isSimilar = typeof value === 'string' && (a === b || (!isExact(filter) && a?.includes(b ?? '')));
    return isSimilar ? undefined : false;
  }
  if (order === undefined) return undefined;
  if (order === 0) return filter.isBoundIn;
  return filter.is === 'least' ? order > 0 : order < 0;
}

function isExact({ isDeclared, isClosed }: Filter): boolean {
  return isDeclared || isClosed;
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** The order of two numbers, instants or days; undefined for any other values. */
export function compare(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  if (instant.test(a) && instant.test(b)) return Math.sign(Date.parse(a) - Date.parse(b));
  const isDay = [a, b].every((text) => /^\d{4}-\d\d-\d\d$/.test(text));
  return isDay ? Math.sign(Date.parse(a) - Date.parse(b)) : undefined;
}

interface Reading<Kind extends Exchange> {
  readonly whole: Page;
  readonly values: readonly { readonly sent: unknown; readonly page: Page; readonly exchange: Kind }[];
  readonly pages: Reading<Kind>['values'];
  readonly joined: Reading<Kind>['values'];
  readonly beyond: Page | undefined;
}

export function readFiltered<Kind extends Exchange>(
  shape: ListShape,
  { parameter }: Filter,
  trace: readonly Kind[],
  isRepetition: boolean,
): Reading<Kind> | undefined {
  const own = trace.flatMap((exchange) => {
    const { role = '' } = exchange.intent.probe ?? {};
    const page = exchange.operation === shape.operation ? readPage(shape, exchange) : undefined;
    if (page === undefined || role.endsWith(ofRepetition) !== isRepetition) return [];
    return { role: role.replace(ofRepetition, ''), page, exchange, sent: exchange.seen.query[parameter.name] };
  });
  const of = (...roles: readonly string[]) => own.filter(({ role }) => roles.includes(role));
  const whole = (of(filterRoles.grown).at(-1) ?? of(filterRoles.whole).at(-1))?.page;
  const values = of(filterRoles.value(0), filterRoles.value(1));
  const joined = own.filter(({ role }) => role.startsWith(filterRoles.joined('')));
  return whole && { whole, values, joined, pages: of(filterRoles.pages), beyond: of(filterRoles.beyond).at(-1)?.page };
}

/** The laws that the answers of a filter break. */
export function faultsOf<Kind extends Exchange>(
  shape: ListShape,
  filter: Filter,
  { whole, values, pages, joined, beyond }: Reading<Kind>,
): readonly FoundFault<Kind>[] {
  const identity = identify(shape, whole.items);
  const name = `${filter.parameter.name}=`;
  const all = whole.items.map(identity.of);
  const isUnfiltered = ({ items }: Page): boolean => {
    const ids = items.map(identity.of);
    return ids.length === all.length && ids.every((id) => all.includes(id));
  };
  const show = (item: unknown): string =>
    `${identity.key === undefined ? 'an item' : `${identity.key.slice(1)} ${identity.of(item)}`} with ${JSON.stringify(readPointer(item, filter.field))}`;
  const faults = values.flatMap(({ sent, page, exchange }): FoundFault<Kind>[] => {
    const text = `${name}${JSON.stringify(sent)}`;
    const ids = new Set(page.items.map(identity.of));
    const wrong = page.items.find((item) => isSelected(filter, item, sent) === false);
    const lost = isWholeAnswer(shape, page, exchange)
      ? whole.items.find((item) => isSelected(filter, item, sent) === true && !ids.has(identity.of(item)))
      : undefined;
    // A parameter that has no effect at all selects nothing in any reading of its name. A bound may be one in another unit.
    const isIgnored =
      filter.is === 'equal'
        ? values.length > 1 && values.every((one) => isUnfiltered(one.page))
        : isUnfiltered(page) && beyond !== undefined && isUnfiltered(beyond);
    const found: FoundFault<Kind>[] = [];
    if (wrong !== undefined && (isExact(filter) || isIgnored || filter.is !== 'equal')) {
      const law = filter.is === 'equal' ? 'filter-ignored' : 'filter-range';
      found.push({
        law,
        // A text may have another meaning, as in a search, and a period may be one that overlaps.
        isSure: filter.isDeclared || (isIgnored && (filter.isClosed || typeof sent !== 'string')),
        exchange,
        message: `${text} was answered with ${show(wrong)}`,
      });
    }
    if (lost !== undefined) {
      // A text may be compared with an index that is not up to date, or with another member.
      const isText = typeof readPointer(lost, filter.field) === 'string' && !isExact(filter);
      // A server may keep its pages shorter than a request asks.
      const isSure =
        filter.isDeclared && (!isText || page.items.some((item) => isSelected(filter, item, sent) === true));
      found.push({ law: 'filter-loses', isSure, exchange, message: `${text} was answered without ${show(lost)}` });
    }
    return found;
  });
  const [, second] = pages;
  const stray = second?.page.items.find((item) => isSelected(filter, item, second.sent) === false);
  // The filter works without a cursor.
  const isKept = [...pages.slice(0, 1), ...values.slice(0, 1)].every(({ page, sent }) =>
    page.items.every((item) => isSelected(filter, item, sent) === true),
  );
  const hasEffect = values[0] !== undefined && !isUnfiltered(values[0].page);
  const lostInJoin = joined.flatMap(({ sent, page, exchange }): FoundFault<Kind>[] => {
    const item = page.items.find((one) => isSelected(filter, one, sent) === false);
    if (item === undefined || !isKept || !hasEffect) return [];
    const law = filter.is === 'equal' ? 'filter-ignored' : 'filter-range';
    const other = exchange.intent.probe?.role.replace(filterRoles.joined(''), '').replace(ofRepetition, '');
    const message = `${name}${JSON.stringify(sent)} alone selects the items, and with ${other} the answer has ${show(item)}`;
    // Filters may be joined by "or" where the contract does not declare them.
    const isSure = filter.isDeclared || shape.orders.some(({ parameter }) => parameter.name === other);
    return [{ law, isSure, exchange, message }];
  });
  const known = [...faults, ...lostInJoin.slice(0, 1)];
  if (second === undefined || stray === undefined || !isKept) return known;
  const message = `the second page of ${name}${JSON.stringify(second.sent)} has ${show(stray)}`;
  return [...known, { law: 'page-cursor', isSure: true, exchange: second.exchange, message }];
}

/** Whether no further page of an answer can have the item that is missing. */
function isWholeAnswer(shape: ListShape, page: Page, { seen }: Exchange): boolean {
  const size = shape.limit && seen.query[shape.limit.parameter.name];
  return isComplete(shape, { pages: [page], size: typeof size === 'number' ? size : undefined });
}

/** Verdicts of one law on the trace of a probe of a filter. A fault counts if it repeats while the list stays as it is. */
export function judgeFilter(trace: Trace, { contract }: RunContext, law: FilterLaw): readonly TraceVerdict[] {
  const own = exchangesOf(trace, law);
  const { name: place = '', operation: id } = own[0]?.intent.probe ?? {};
  const operation = own.find((one) => one.operation.id === id)?.operation;
  const shape = operation && listShapeOf(contract, operation);
  const filter = shape?.filters.find((one) => nameOfFilter(one) === place);
  if (shape === undefined || filter === undefined) return [];
  const [first, second] = [false, true].map((isRepetition) => readFiltered(shape, filter, own, isRepetition));
  const shown = (law === 'page-cursor' ? first?.pages[1] : first?.values[0])?.exchange;
  if (first === undefined || shown === undefined) return [];
  const found = faultsOf(shape, filter, first).filter((one) => one.law === law);
  if (found.length === 0) return [{ place, failures: [], exchange: shown }];
  const identity = identify(shape, first.whole.items);
  const isStill = second !== undefined && isSameItems(first.whole, second.whole, identity.of);
  const again = isStill ? faultsOf(shape, filter, second).find((one) => one.law === law) : undefined;
  return again === undefined
    ? []
    : [{ place, exchange: again.exchange, failures: [failureOf(filter, again, again.exchange)] }];
}

function isSameItems(a: Page, b: Page, identityOf: (item: unknown) => string): boolean {
  const [first, second] = [a, b].map(({ items }) => items.map(identityOf).sort().join());
  return first === second;
}

function failureOf(
  { parameter, isDeclared, field }: Filter,
  { law, isSure, message }: FoundFault<NumberedExchange>,
  { operation }: NumberedExchange,
): Failure {
  const pointer = isDeclared ? `${operation.pointer}/x-pagination` : parameter.pointer;
  return {
    check: law,
    severity: isSure ? 'defect' : 'suspect',
    place: `query ${parameter.name}`,
    ...{ pointer, keyword: isDeclared ? 'x-pagination' : parameter.name, message },
    clause: isDeclared ? 'x-pagination' : 'OpenAPI, Parameter Object',
    causes: [[law, pointer, field]],
  };
}

type Texts = Pick<TraceCheck, 'about' | 'effect' | 'example' | 'fix' | 'allow'>;

function filterCheck(law: FilterLaw, texts: Texts): TraceCheck {
  return {
    ...{ kind: 'trace', name: law, ...texts, clauses: ['x-pagination', 'OpenAPI, Parameter Object'] },
    plan: () => [],
    needs: () => 'list with two values of the member',
    judge: (trace, context) => judgeFilter(trace, context, law),
  };
}

export const filterIgnored = filterCheck('filter-ignored', {
  about: 'a filter is accepted, and the answer has items that it excludes',
  effect: 'Clients act on items that they did not ask for: they delete, pay or show the wrong ones.',
  example: { sent: 'GET /books?state=out', answered: '200 with {"id":"b1","state":"in"}' },
  fix: 'Apply the parameter to the query that reads the items, or reject the request.',
  allow: 'Remove the parameter, or give it another name if it selects by something else than the member of this name.',
});

export const filterLoses = filterCheck('filter-loses', {
  about: 'the answer to a filter lacks an item that it selects',
  effect: 'Clients conclude that an object does not exist, and create it again.',
  example: { sent: 'GET /books?state=out', answered: '200 without b2; GET /books has {"id":"b2","state":"out"}' },
  fix: 'Compare the value with the member that the list shows, and filter before the page is cut.',
  allow: 'Give the parameter another name if it selects by something else than the member of this name.',
});

export const filterRange = filterCheck('filter-range', {
  about: 'the answer to a bound has items beyond it',
  effect: 'Reports and invoices contain items of another period or price.',
  example: { sent: 'GET /books?min_pages=500', answered: '200 with {"id":"b1","pages":474}' },
  fix: 'Apply the bound to the query that reads the items, with times as instants.',
  allow: 'Remove the parameter, or give it a name without the member that it does not bound.',
});
