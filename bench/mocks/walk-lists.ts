import type { Operation, Parameter } from '../../conformance/contract/contract.ts';
import { canonical, isObject } from '../../conformance/contract/document.ts';
import type { Judge } from '../../conformance/schema/create-judge.ts';
import { type FoundId, hasId, idsIn, itemsIn, type ListPlace, successSchema } from './find-items.ts';
import type { Pair } from './find-pairs.ts';
import { isSuccess, nameOf } from './laws.ts';
import { type Maker, normal } from './make-values.ts';
import type { Asked, Reply } from './send-requests.ts';
import { declaredNames, isSame, type Path, scalarsIn, spell, valueAt } from './shared-members.ts';

/** The parts of a walk that reading a list needs. */
export interface ListReader {
  readonly judge: Judge;
  readonly maker: Maker;
  readonly send: (operation: Operation, asked: Asked) => Promise<Reply>;
}

/** How the contract pages a list, by the names of its parameters. */
export interface Paging {
  readonly limit: Parameter | undefined;
  readonly step: { readonly kind: 'page' | 'offset' | 'cursor'; readonly parameter: Parameter } | undefined;
}

const limits =
  /^(limit|perpage|pagesize|pagelimit|maxresults|maxitems|maxrecords|count|size|top|take|rows|itemsperpage|resultsperpage|pagelength)$/;
const steps = {
  page: /^(page|pagenumber|pageno|pagenum|currentpage|pageindex)$/,
  offset: /^(offset|start|skip|startat|startindex|pageoffset)$/,
  cursor:
    /^(cursor|pagetoken|nexttoken|nextpagetoken|nextcursor|continue|continuationtoken|marker|after|startingafter|pagecursor|pageafter|paginationtoken)$/,
} as const;

export function pagingOf({ maker }: Pick<ListReader, 'maker'>, { parameters }: Operation): Paging {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const find = (names: RegExp): Parameter | undefined => query.find(({ name }) => names.test(normal(name)));
  const kinds = Object.keys(steps) as (keyof typeof steps)[];
  const found = kinds.flatMap((kind) => {
    const parameter = find(steps[kind]);
    if (parameter === undefined) return [];
    // A text called `offset` is a token.
    const isToken = kind === 'offset' && !maker.accepts(parameter.schema, 1);
    return [{ kind: isToken ? ('cursor' as const) : kind, parameter }];
  });
  return { limit: find(limits), step: found[0] };
}

/** Requests for the pages of one list. */
const mostPages = 40;

interface Pages {
  readonly pages: readonly (readonly unknown[])[];
  readonly faults: readonly string[];
}

/** Reads the pages of a list, each with at most `size` items, until one is empty or has no successor. */
async function readPages(
  walk: ListReader,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace,
  {
    size,
    first,
    query = {},
  }: { readonly size: unknown; readonly first: number; readonly query?: Readonly<Record<string, unknown>> },
): Promise<Pages> {
  const list = pair.list as Operation;
  const { limit, step } = pagingOf(walk, list);
  const pages: (readonly unknown[])[] = [];
  let next: unknown;
  for (let number = 0; number < mostPages; number += 1) {
    const asked = {
      ...wholeOf(walk, list),
      ...query,
      ...(limit !== undefined && size !== undefined && { [limit.name]: size }),
      ...(step !== undefined && next !== undefined && { [step.parameter.name]: next }),
    };
    const reply = await walk.send(list, { slots, query: asked });
    if (!isSuccess(reply)) return { pages, faults: [`${nameOf(reply)}, page ${number + 1} of the list`] };
    const items = itemsIn(reply.body, place);
    if (items === undefined) return { pages, faults: [`page ${number + 1} has no list at /${place.path.join('/')}`] };
    if (items.length > 0) pages.push(items);
    const taken = pages.flat().length;
    const isLast = items.length === 0 || step === undefined;
    if (isLast) break;
    next = {
      page: first + number + 1,
      offset: first + taken,
      cursor: step.kind === 'cursor' ? nextCursor(walk, reply, step.parameter) : '',
    }[step.kind];
    if (next === undefined) break;
  }
  return { pages, faults: pages.length >= mostPages ? [`the list goes on after ${mostPages} pages`] : [] };
}

/** Values that open the filters which a list has by default: `state=all` where the default is `open`. */
function wholeOf({ judge }: ListReader, { parameters }: Operation): Readonly<Record<string, unknown>> {
  const form = judge.forms.request;
  const found = parameters.flatMap(({ name, schema, in: place }): readonly (readonly [string, unknown])[] => {
    if (place !== 'query' || schema === undefined) return [];
    const node = form.at(schema);
    const hasDefault = node.schemas.some(
      (part) => isObject(part) && part.default !== undefined && part.default !== 'all',
    );
    return hasDefault && form.branch(node).values?.includes('all') === true ? [[name, 'all']] : [];
  });
  return Object.fromEntries(found);
}

const cursorNames =
  /^(next|nextcursor|cursor|nextpage|nextpagetoken|pagetoken|nexttoken|continue|continuation|continuationtoken|nextmarker|marker|after|endcursor|nextlink|nextpageuri|nextpageurl|paginationtoken|lastevaluatedkey)$/;

/** The cursor of the next page in an answer: a member, or the parameter of an address. */
function nextCursor(walk: ListReader, { body, headers }: Reply, parameter: Parameter): unknown {
  const link = /<([^>]*)>\s*;[^,]*rel="?next"?/i.exec(headers.get('link') ?? '')?.[1];
  const members = [...scalarsIn(body, 3)]
    .filter(({ path }) => cursorNames.test(normal(path.at(-1) ?? '')))
    .map(({ value }) => String(value));
  for (const text of link === undefined ? members : [link, ...members]) {
    const asked = /[?&]/.test(text) ? new URL(text, 'http://localhost').searchParams.get(parameter.name) : text;
    if (asked !== null && asked !== '' && walk.maker.accepts(parameter.schema, asked)) return asked;
  }
  return undefined;
}

/** Whether the contract describes where the cursor of the next page is. */
function documentsCursor(walk: ListReader, list: Operation): boolean {
  if (list.responses.some(({ headers }) => headers.some(({ name }) => normal(name) === 'link'))) return true;
  const schema = successSchema(list);
  if (schema === undefined) return false;
  const form = walk.judge.forms.response;
  const names = (node: ReturnType<typeof form.at>, depth: number): readonly string[] =>
    declaredNames(form, node).flatMap((name) => {
      if (depth === 0) return [name];
      const shape = form.shapes(node).find(({ properties }) => properties.has(name));
      return shape === undefined ? [name] : [name, ...names(form.property(shape, name), depth - 1)];
    });
  return names(form.at(schema), 2).some((name) => cursorNames.test(normal(name)));
}

/** The largest page that the contract allows, up to 100 items. */
function largestSize(walk: ListReader, limit: Parameter | undefined): number | undefined {
  if (limit === undefined) return undefined;
  return [100, 50, 25, 20, 10, 5, 200, 500, 1000].find((size) => walk.maker.accepts(limit.schema, size));
}

/** All items of a list, over its pages. */
export async function readAll(
  walk: ListReader,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace,
  query: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly items: readonly unknown[]; readonly faults: readonly string[] }> {
  const list = pair.list as Operation;
  const { limit, step } = pagingOf(walk, list);
  const size = largestSize(walk, limit);
  const [first = 1] = step === undefined ? [] : firstsOf(walk, step);
  const { pages, faults } = await readPages(walk, pair, slots, place, { size, first, query });
  const seen = new Map(pages.flat().map((item) => [canonical(item), item]));
  return { items: [...seen.values()], faults: faults.filter((fault) => !/goes on after/.test(fault)) };
}

/** Numbers that the first page may have, or the first item: 0, unless the default or the minimum of the offset is 1. */
function firstsOf(walk: ListReader, { kind, parameter }: NonNullable<Paging['step']>): readonly number[] {
  if (kind === 'page') return firstPages(walk, parameter);
  if (kind === 'cursor' || parameter.schema === undefined) return [0];
  const form = walk.judge.forms.request;
  const node = form.at(parameter.schema);
  const isFromOne = node.schemas.some((schema) => isObject(schema) && schema.default === 1);
  return isFromOne || form.branch(node).minimum === 1 ? [1] : [0];
}

/** Numbers that the first page may have: as its schema states, else 1 or 0. */
function firstPages({ judge, maker }: ListReader, { schema }: Parameter): readonly number[] {
  if (schema === undefined) return [1, 0];
  const node = judge.forms.request.at(schema);
  const { examples, preferred, minimum } = judge.forms.request.branch(node);
  const defaults = node.schemas.map((part) => (isObject(part) ? part.default : undefined));
  const named = [...defaults, ...preferred, ...examples].find((value) => value === 0 || value === 1);
  if (named !== undefined && minimum !== 1) return [named];
  if (minimum === 0 || minimum === 1) return [minimum];
  return [1, 0].filter((number) => maker.accepts(schema, number));
}

/**
 * Whether the pages of a list partition it.
 *
 * @param made items that have to be on exactly one page
 * @returns undefined if the contract documents no pages
 */
export async function judgePages(
  walk: ListReader,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace,
  made: readonly FoundId[],
): Promise<readonly string[] | undefined> {
  const list = pair.list as Operation;
  const { limit, step } = pagingOf(walk, list);
  if (limit === undefined && step === undefined) return undefined;
  if (step?.kind === 'cursor' && !documentsCursor(walk, list)) return undefined;
  const size =
    limit === undefined ? undefined : [2, 1, 3, 5, 10, 20].find((number) => walk.maker.accepts(limit.schema, number));
  if (limit !== undefined && size === undefined) return undefined;
  const all = await readAll(walk, pair, slots, place);
  let faults: readonly string[] = all.faults;
  for (const first of step === undefined ? [1] : firstsOf(walk, step)) {
    const { pages, faults: found } = await readPages(walk, pair, slots, place, { size, first });
    faults = [...found, ...faultsOfPages(walk, pair, pages, step === undefined ? [] : made, size)];
    if (step !== undefined && faults.length === 0 && pages.flat().length < all.items.length)
      faults = [`the pages have ${pages.flat().length} items, the list has ${all.items.length}`];
    if (faults.length === 0) break;
  }
  return faults;
}

function faultsOfPages(
  walk: ListReader,
  pair: Pair,
  pages: readonly (readonly unknown[])[],
  made: readonly FoundId[],
  size: number | undefined,
): readonly string[] {
  const long = size === undefined ? [] : pages.filter((page) => page.length > size);
  const keys = pages.flat().flatMap((item) =>
    idsIn(pair, walk.maker, item)
      .slice(0, 1)
      .map(({ value }) => String(value)),
  );
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  const lost = made.filter((id) => !pages.flat().some((item) => hasId(item, id)));
  return [
    ...long.map((page) => `a page of at most ${size} has ${page.length} items`),
    ...twice.map((key) => `${spell(key)} is on two pages`),
    ...lost.map(({ value }) => `${spell(value)} is on no page`),
  ];
}

const noFilters =
  /^(sort|order|orderby|sortby|fields|expand|include|embed|q|query|search|filter|format|locale|lang|language|pretty)/;

/** Parameters of a list that have name and type of a member of the item. */
export function filtersOf(walk: ListReader, { list }: Pair, place: ListPlace): readonly Parameter[] {
  if (list === undefined) return [];
  const { limit, step } = pagingOf(walk, list);
  const declared = new Set(declaredNames(walk.judge.forms.response, place.item));
  return list.parameters.filter(
    (parameter) =>
      parameter.in === 'query' &&
      // This style has no spelling of a text or a number (OpenAPI 3.1, 4.8.12.3).
      parameter.style !== 'deepObject' &&
      declared.has(parameter.name) &&
      parameter !== limit &&
      parameter !== step?.parameter &&
      !noFilters.test(normal(parameter.name)),
  );
}

/**
 * Whether a filter keeps exactly the items with the value.
 *
 * @param wanted the item whose value is asked for, and another one
 * @returns undefined if the parameter does not allow the value, so that it is no plain filter
 */
export async function judgeFilter(
  walk: ListReader,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace,
  parameter: Parameter,
  [wanted, other]: readonly [FoundId, FoundId | undefined],
): Promise<readonly string[] | undefined> {
  const { items } = await readAll(walk, pair, slots, place);
  const item = items.find((found) => hasId(found, wanted));
  const value = memberAt(item, [parameter.name]);
  if (
    value === undefined ||
    value === null ||
    typeof value === 'object' ||
    !walk.maker.accepts(parameter.schema, value)
  )
    return undefined;
  const filtered = await readAll(walk, pair, slots, place, { [parameter.name]: value });
  if (filtered.faults.length > 0) return filtered.faults;
  const name = `${parameter.name}=${spell(value)}`;
  const wrong = filtered.items.find((found) => !matches(value, memberAt(found, [parameter.name])));
  if (wrong !== undefined) return [`${name} lists ${spell(memberAt(wrong, [parameter.name]))}`];
  if (!filtered.items.some((found) => hasId(found, wanted)))
    return [`${name} does not list the item that has the value`];
  const against = memberAt(
    items.find((found) => other !== undefined && hasId(found, other)),
    [parameter.name],
  );
  if (
    against === undefined ||
    against === value ||
    typeof against === 'object' ||
    !walk.maker.accepts(parameter.schema, against)
  )
    return [];
  const reverse = await readAll(walk, pair, slots, place, { [parameter.name]: against });
  return reverse.items.some((found) => hasId(found, wanted))
    ? [`${parameter.name}=${spell(against)} lists an item with ${spell(value)}`]
    : [];
}

function memberAt(item: unknown, path: Path): unknown {
  return isObject(item) ? valueAt(item, path) : undefined;
}

/** A text may also be searched for: the contract does not distinguish. */
function matches(value: unknown, found: unknown): boolean {
  if (isSame(value, found)) return true;
  return typeof value === 'string' && typeof found === 'string' && found.toLowerCase().includes(value.toLowerCase());
}
