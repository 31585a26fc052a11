// Filters of lists: each with two values that items of the list have.
import {
  compare,
  type FilterLaw,
  faultsOf,
  filterRoles,
  isSelected,
  nameOfFilter,
  readFiltered,
} from '../checks/filters.ts';
import { again } from '../checks/paging.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, readPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import type { Permissions } from '../plan/permissions.ts';
import { type Filter, type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { type Page, readPage } from '../resources/read-page.ts';
import { createItems, createWalker, isMock, largestOf, wholeList, withValues } from './list-requests.ts';
import { type Bench, mayProbe, type OperationProbes, type Probe } from './probe.ts';

const most = {
  /** Filters of one list. */
  filters: 6,
  /** Items that are created to have two values. */
  created: 2,
} as const;

export function planFilters(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return operations.flatMap((operation): OperationProbes[] => {
    const shape = mayProbe(contract, operation) ? listShapeOf(contract, operation) : undefined;
    const filters = shape?.filters.slice(0, most.filters) ?? [];
    return shape === undefined
      ? []
      : [{ operation, probes: filters.map((filter) => probeOf(shape, filter, permissions)) }];
  });
}

function probeOf(shape: ListShape, filter: Filter, { readOnly }: Permissions): Probe {
  const laws: readonly FilterLaw[] = [
    ...(filter.is === 'equal' ? (['filter-ignored'] as const) : (['filter-range'] as const)),
    'filter-loses',
    ...(shape.step?.kind === 'cursor' && shape.limit !== undefined ? (['page-cursor'] as const) : []),
  ];
  return {
    ...{ name: nameOfFilter(filter), checks: laws, pointer: filter.parameter.pointer, worth: 4.3 },
    mostRequests: 2 * 7 + 3 + (readOnly ? 0 : 2 * most.created),
    needsOwn: false,
    isWrite: true,
    ask: (bench) => askFilter(bench, shape, filter),
  };
}

async function askFilter(bench: Bench, shape: ListShape, filter: Filter): Promise<string | undefined> {
  const { context, send } = bench;
  const { parameter, isList } = filter;
  const exchanges: Exchange[] = [];
  const size = largestOf(shape);
  const list = wholeList(bench);
  const base = shape.limit === undefined ? list : withValues(list, [[shape.limit.parameter, size]]);
  const read = async (asked: Draft, role: string): Promise<Page | undefined> => {
    const sent = await send(asked, role);
    if (sent === undefined) return undefined;
    exchanges.push(sent);
    return readPage(shape, sent);
  };
  let whole = await read(base, filterRoles.whole);
  if (whole === undefined) return 'the answer has no list';
  const isValid = (value: unknown): boolean =>
    parameter.schema === undefined || context.judge.accepts(parameter.schema, 'request', isList ? [value] : value);
  let values = valuesFor(filter, whole.items, isValid);
  const created: Exchange[] = [];
  if (values.length === 0) {
    const vary = (content: unknown, index: number) => [varied(bench, filter, content, index, isValid)];
    created.push(...(await createItems(bench, most.created, vary)));
    whole = (created.length > 0 ? await read(base, filterRoles.grown) : undefined) ?? whole;
    values = valuesFor(filter, whole.items, isValid);
  }
  const ask = async (toRole: (role: string) => string): Promise<void> => {
    for (const [index, value] of values.entries())
      await read(withValues(base, [[parameter, isList ? [value] : value]]), toRole(filterRoles.value(index)));
    await readPages(bench, shape, filter, { whole: whole?.items ?? [], value: values[0], exchanges, toRole });
    const own = [parameter, isList ? [values[0]] : values[0]] as const;
    for (const { name, parameters } of othersFor(shape, filter, whole?.items ?? [], values[0]))
      await read(withValues(base, [own, ...parameters]), toRole(filterRoles.joined(name)));
  };
  if (values.length > 0) await ask((role) => role);
  const reading = readFiltered(shape, filter, exchanges, false);
  if (
    values.length > 0 &&
    reading !== undefined &&
    faultsOf(shape, filter, reading).length > 0 &&
    !(await isMock(bench))
  ) {
    await ask(again);
    const beyond = boundBeyond(filter, whole.items, isValid);
    if (beyond !== undefined) await read(withValues(base, [[parameter, beyond]]), again(filterRoles.beyond));
    await read(base, again(filterRoles.whole));
  }
  for (const one of created.toReversed()) await bench.undo(one);
  return values.length > 0 ? undefined : `no two items of the list have different values of ${filter.field.slice(1)}`;
}

/** An order, and the next filter with the value of an item that the first value selects. */
function othersFor({ orders, filters }: ListShape, filter: Filter, items: readonly unknown[], value: unknown) {
  const [order] = orders;
  const at = filters.indexOf(filter);
  // Each pair of neighbours is sent: bounds of one member are declared together.
  const next = [...filters.slice(at + 1), ...filters.slice(0, Math.max(0, at))];
  const other = next.find((one) => one.parameter !== filter.parameter);
  const selected = items.filter((item) => isSelected(filter, item, value) === true);
  const known = other ? selected.map((item) => readPointer(item, other.field)).filter((one) => one !== undefined) : [];
  const sorted = known.toSorted((a, b) => compare(a, b) ?? 0);
  // A bound that excludes none of them.
  const wanted = other?.is === 'most' ? sorted.at(-1) : sorted[0];
  const isPlain = ['string', 'number', 'boolean'].includes(typeof wanted);
  const direction = order?.direction ? [[order.direction.parameter, order.direction.value] as const] : [];
  return [
    ...(order
      ? [{ name: order.parameter.name, parameters: [[order.parameter, order.value] as const, ...direction] }]
      : []),
    ...(other && isPlain
      ? [{ name: other.parameter.name, parameters: [[other.parameter, other.isList ? [wanted] : wanted] as const] }]
      : []),
  ];
}

/** Reads two pages of one item each with a value, if several items have it: the second has to keep the filter. */
async function readPages(
  bench: Bench,
  shape: ListShape,
  filter: Filter,
  given: {
    readonly whole: readonly unknown[];
    readonly value: unknown;
    readonly exchanges: Exchange[];
    readonly toRole: (role: string) => string;
  },
): Promise<void> {
  const { limit, step } = shape;
  const sent = filter.isList ? [given.value] : given.value;
  const count = given.whole.filter((item) => isSelected(filter, item, sent) === true).length;
  if (limit === undefined || step?.kind !== 'cursor' || count <= limit.least || count === given.whole.length) return;
  const walker = createWalker(bench, shape, withValues(wholeList(bench), [[filter.parameter, sent]]));
  await walker.walk(given.toRole(filterRoles.pages), limit.least, 2, count);
  given.exchanges.push(...walker.exchanges);
}

/**
 * Values to send: two for a filter of equal values, the most frequent first; for a bound one that has items on both sides, or on the one
 * that it excludes.
 */
function valuesFor(
  filter: Filter,
  items: readonly unknown[],
  isValid: (value: unknown) => boolean,
): readonly unknown[] {
  const counts = new Map<unknown, number>();
  for (const item of items) {
    const value = readPointer(item, filter.field);
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
    if (isPlain) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const distinct = [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value);
  if (distinct.length < 2) return [];
  if (filter.is === 'equal') {
    const valid = distinct.filter(isValid);
    return valid.slice(0, 2);
  }
  const ordered = distinct.filter(isValid).sort((a, b) => compare(a, b) ?? 0);
  const middle = ordered[Math.floor((filter.is === 'most' ? ordered.length - 1 : ordered.length) / 2)];
  const excluded = items.some((item) => isSelected(filter, item, middle) === false);
  return middle === undefined || !excluded ? [] : [middle];
}

/** A number that excludes all items as a bound; undefined if the contract allows none. */
function boundBeyond(
  filter: Filter,
  items: readonly unknown[],
  isValid: (value: unknown) => boolean,
): number | undefined {
  if (filter.is === 'equal') return undefined;
  const numbers = items.map((item) => readPointer(item, filter.field)).filter((value) => typeof value === 'number');
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const beyond = filter.is === 'least' ? [most * 1_000 + 1_000_000, most + 1] : [least - 1_000_000, 0, least - 1];
  return beyond.find((value) => isValid(value) && items.every((item) => isSelected(filter, item, value) === false));
}

/** The content of a create with another value of the member that the filter selects by. */
function varied(
  { context }: Bench,
  { field, parameter }: Filter,
  content: unknown,
  index: number,
  isValid: (value: unknown) => boolean,
): unknown {
  const present = readPointer(content, field);
  if (!isObject(content) || parameter.schema === undefined) return content;
  const form = context.judge.forms.request;
  const { values = [] } = form.common(form.at(parameter.schema));
  const others = [
    ...values,
    ...(typeof present === 'number' ? [present + 1 + index, present - 1 - index] : []),
    !present,
  ];
  const fit = others.filter((value) => value !== present && isValid(value));
  const other = fit[index % Math.max(1, fit.length)];
  return index === 0 || other === undefined ? content : replaceAt(content, field, other);
}
