import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import type { StateResponse } from './contract-tools.ts';
import type { ListShape } from './list-shape.ts';
import { isSameIds as isSamePlace } from './owners.ts';
import {
  type Part,
  type Place,
  replaceAtPlace,
  type SchemaReader,
  valueAtPlace,
  withoutPlace,
} from './read-schemas.ts';
import type { Listing, StoredItem } from './store.ts';
import { plainName, readIds } from './template.ts';

/** The address of a request. */
export interface Target {
  /** `http://localhost:8090` */
  readonly origin: string;
  /** Path and query as sent. */
  readonly url: string;
}

/** One page of a list. */
export interface Page {
  readonly total: number;
  /** Index of its first item. */
  readonly start: number;
  readonly length: number;
  /** Most items of a page; the number of all items if the list has no pages. */
  readonly size: number;
  /** Id of its last item, if it is a cursor: in a list of several owners, an id may name several items. */
  readonly lastKey: string | undefined;
}

/** Values for a member, the best first; `absent` leaves an optional member out. */
type Wishes = readonly unknown[];

const absent = Symbol('absent');

interface Facts {
  readonly page: Page;
  readonly shape: ListShape;
  readonly hasTotal: boolean;
  readonly urlOf: (start: number) => string;
  readonly originUrl: (url: string) => string;
  readonly cursorOf: (start: number) => Wishes;
}

const total =
  /^(?:total(?:count|items|results|elements|records|hits|size|number)?|resultcount|recordcount|totalnumberof\w+)$/;
const cursorName =
  /^(?:next(?:page)?(?:cursor|token|marker)|endcursor|cursor|continu(?:e|ation)(?:token)?|pagetoken|paginationtoken|marker)$/;
const nextName = /^(?:next(?:page|link|url|href|uri|pageurl|pageuri)?|odatanextlink|after)$/;
const previousName =
  /^(?:prev(?:ious)?(?:page|link|url|href|uri|pageurl|cursor|token|pagetoken|marker)?|before|startcursor)$/;

/** Values of the members around the items of a list, by their names and types. */
const rows: readonly {
  readonly names: RegExp;
  readonly type: 'number' | 'boolean';
  readonly wish: (facts: Facts) => Wishes;
}[] = [
  { names: total, type: 'number', wish: ({ page }) => [page.total] },
  {
    names: /^(?:count|itemcount|itemscount|resultscount)$/,
    type: 'number',
    wish: ({ page, hasTotal }) => [hasTotal ? page.length : page.total],
  },
  { names: /^(?:numberofelements|returned|length|resultsonpage)$/, type: 'number', wish: ({ page }) => [page.length] },
  {
    names: /^remaining(?:items?)?(?:count)?$/,
    type: 'number',
    wish: ({ page }) => [Math.max(0, page.total - page.start - page.length)],
  },
  {
    names: /^(?:totalpages|pages|pagecount|lastpage|numpages|pagetotal|pagestotal)$/,
    type: 'number',
    wish: ({ page }) => [pagesOf(page), 1],
  },
  {
    names: /^(?:page|pagenumber|pageno|pagenum|pageindex|currentpage|number)$/,
    type: 'number',
    wish: (facts) => [pageAt(facts, facts.page.start)],
  },
  {
    names: /^(?:limit|pagesize|perpage|size|pagelimit|pagelength|itemsperpage|maxresults|maxitems)$/,
    type: 'number',
    wish: ({ page }) => [page.size],
  },
  {
    names: /^(?:offset|skip|startindex|start)$/,
    type: 'number',
    wish: ({ page, shape }) => [page.start + (shape.offset?.first ?? 0)],
  },
  { names: nextName, type: 'number', wish: (facts) => ends(facts, 'next', (start) => numbersAt(facts, start)) },
  { names: cursorName, type: 'number', wish: (facts) => ends(facts, 'next', (start) => numbersAt(facts, start)) },
  {
    names: previousName,
    type: 'number',
    // A number is a cursor of the next page only.
    wish: (facts) => ends(facts, 'previous', (start) => (hasCursor(facts) ? [null, absent] : [pageAt(facts, start)])),
  },
  {
    names: /^(?:has(?:more|next)(?:page|items|results|data)?|more|truncated|istruncated)$/,
    type: 'boolean',
    wish: ({ page }) => [hasNext(page)],
  },
  { names: /^(?:is)?last(?:page)?$|^complete$/, type: 'boolean', wish: ({ page }) => [!hasNext(page)] },
  { names: /^(?:is)?first(?:page)?$/, type: 'boolean', wish: ({ page }) => [page.start === 0] },
  { names: /^has(?:prev|previous)(?:page)?$/, type: 'boolean', wish: ({ page }) => [page.start > 0] },
  { names: /^empty$/, type: 'boolean', wish: ({ page }) => [page.length === 0] },
];

function hasNext({ start, length, total: all }: Page): boolean {
  return length > 0 && start + length < all;
}

function pagesOf({ total: all, size }: Page): number {
  return size === 0 ? 0 : Math.ceil(all / size);
}

function pageAt({ page, shape }: Facts, start: number): number {
  return (page.size === 0 ? 0 : Math.floor(start / page.size)) + (shape.page?.first ?? 1);
}

function hasCursor({ shape }: Facts): boolean {
  return shape.cursor !== undefined && shape.page === undefined;
}

/** The number by which a request asks for the page that starts there. */
function numbersAt(facts: Facts, start: number): Wishes {
  return hasCursor(facts) ? facts.cursorOf(start).map(Number).filter(Number.isFinite) : [pageAt(facts, start)];
}

/** The value for the next or the previous page, or the values that show that there is none. */
function ends({ page, shape }: Facts, which: 'next' | 'previous', wish: (start: number) => Wishes): Wishes {
  // Without such a parameter, no request reads another page.
  const isPaged = shape.page !== undefined || shape.offset !== undefined || shape.cursor !== undefined;
  if (which === 'next' && isPaged && hasNext(page)) return wish(page.start + page.length);
  if (which === 'previous' && isPaged && page.start > 0) return wish(Math.max(0, page.start - page.size));
  return [null, absent, ''];
}

/**
 * Values of a member with a text: a cursor, or an address.
 *
 * @param kind `whole`: an address with its origin; undefined if the name decides
 */
function textFor(facts: Facts, name: string, kind: 'address' | 'whole' | undefined): Wishes | undefined {
  const { shape, urlOf, originUrl, cursorOf } = facts;
  const addresses = (start: number): Wishes =>
    kind === 'whole' ? [originUrl(urlOf(start)), urlOf(start)] : [urlOf(start), originUrl(urlOf(start))];
  const isAddress = kind !== undefined || /link|url|uri|href/.test(name) || shape.cursor === undefined;
  // A cursor that no parameter takes leads nowhere.
  if (cursorName.test(name)) return shape.cursor === undefined ? [null, absent, ''] : ends(facts, 'next', cursorOf);
  if (nextName.test(name)) return ends(facts, 'next', isAddress ? addresses : cursorOf);
  if (previousName.test(name)) return ends(facts, 'previous', isAddress ? addresses : cursorOf);
  const { page } = facts;
  if (/^self$/.test(name)) return addresses(page.start);
  if (/^first(?:page|url|link)?$/.test(name)) return addresses(0);
  if (/^last(?:page|url|link)?$/.test(name)) return addresses(Math.max(0, pagesOf(page) - 1) * page.size);
  return undefined;
}

export type ShowPage = ReturnType<typeof createShowPage>;

/** Writes the members and headers of an answer that describe a page, and keeps all others of the base. */
export function createShowPage(reader: SchemaReader) {
  return {
    /** @param base a valid body, whose list is replaced */
    body: (
      answer: SchemaNode,
      list: Part,
      base: unknown,
      items: readonly unknown[],
      around: Omit<Around, 'list'>,
    ): unknown => {
      const facts = factsFor({ ...around, list });
      const whole = replaceAtPlace(base, list.place, items);
      if (list.place.length === 0) return whole;
      const page = describe(answer, whole, [], { ...facts, hasTotal: hasTotalIn(answer, 0) }, list.place);
      // An optional list may have to have an item.
      return items.length > 0 || reader.accepts(page, answer) ? page : withoutPlace(page, list.place);
    },
    headers: (response: StateResponse | undefined, around: Omit<Around, 'list'>): Readonly<Record<string, string>> => {
      const facts = factsFor(around);
      const { page } = around;
      const headers: Record<string, string> = {};
      for (const name of Object.keys(response?.headers ?? {})) {
        const plain = plainName(name).replace(/^x/, '');
        if (plain === 'link') headers[name] = linkHeader(facts);
        else if (total.test(plain) || plain === 'paginationtotalcount') headers[name] = String(page.total);
        else if (/^(?:page|currentpage)$/.test(plain)) headers[name] = String(pageAt(facts, page.start));
        else if (/^(?:perpage|limit|pagesize)$/.test(plain)) headers[name] = String(page.size);
        else if (/^(?:totalpages|pagecount)$/.test(plain)) headers[name] = String(pagesOf(page));
        else if (/^(?:nextpage)$/.test(plain) && hasNext(page))
          headers[name] = String(pageAt(facts, page.start + page.length));
        else if (/^next(?:cursor|pagetoken|token)$/.test(plain))
          headers[name] = hasNext(page) ? String(facts.cursorOf(page.start + page.length)[0]) : '';
      }
      return headers;
    },
  };

  function describe(node: SchemaNode, value: unknown, place: Place, facts: Facts, list: Place): unknown {
    if (!isObject(value) || place.length > 3) return value;
    let whole: unknown = value;
    for (const [name, member] of reader.membersOf(node)) {
      const at = [...place, name];
      if (list.length === at.length && list.every((part, index) => at[index] === part)) continue;
      const isInner = reader.isObjectNode(member);
      const isAround = list.every((part, index) => at[index] === undefined || at[index] === part);
      if (isInner && !isAround) {
        // `next: {href: …}` where there is no next page.
        const ending = endingFor(facts, name);
        const end = ending?.find((wish) =>
          wish === absent ? !reader.isRequired(node, name) : reader.accepts(wish, member),
        );
        const own = end === undefined ? describe(member, valueAtPlace(whole, [name]), at, facts, list) : end;
        if (own === absent) whole = withoutPlace(whole, [name]);
        else if (own !== undefined && reader.accepts(own, member)) whole = replaceAtPlace(whole, [name], own);
        continue;
      }
      if (isInner) {
        whole = replaceAtPlace(whole, [name], describe(member, valueAtPlace(whole, [name]), at, facts, list));
        continue;
      }
      const isRequired = reader.isRequired(node, name);
      const isDeclared = facts.shape.next !== undefined && isSamePlace(facts.shape.next.place, at);
      const wishes = isDeclared ? declaredNext(facts) : wishesFor(facts, place, name, member);
      const good = wishes?.find((wish) => (wish === absent ? !isRequired : reader.accepts(wish, member)));
      if (good === absent) whole = withoutPlace(whole, [name]);
      else if (good !== undefined && good !== absent) whole = replaceAtPlace(whole, [name], good);
    }
    return whole;
  }

  function wishesFor(facts: Facts, place: Place, name: string, member: SchemaNode): Wishes | undefined {
    // `next: {href: …}`
    const plain = plainName(name === 'href' || name === 'url' ? (place.at(-1) ?? name) : name);
    const shape = reader.form.branch(member);
    for (const { names, type, wish } of rows) if (names.test(plain) && reader.isOnly(member, type)) return wish(facts);
    if (!reader.isOnly(member, 'string')) return undefined;
    const hasExample = (pattern: RegExp): boolean => shape.examples.some((one) => pattern.test(String(one)));
    const isWhole = /^ur[il]/.test(shape.format ?? '') || hasExample(/^https?:/);
    const isAddress = plain !== plainName(name) || /links?$/i.test(place.at(-1) ?? '') || hasExample(/^\//);
    return textFor(facts, plain, isWhole ? 'whole' : isAddress ? 'address' : undefined);
  }

  function hasTotalIn(node: SchemaNode, depth: number): boolean {
    return [...reader.membersOf(node)].some(
      ([name, member]) =>
        (total.test(plainName(name)) && reader.isOnly(member, 'number')) ||
        (depth < 2 && reader.isObjectNode(member) && hasTotalIn(member, depth + 1)),
    );
  }

  function factsFor({ page, shape, target }: Around): Facts {
    const cursorOf = (start: number): Wishes => {
      const token = Buffer.from(`o:${start}:${page.size}`).toString('base64url');
      const ids = page.lastKey === undefined ? [] : readIds(page.lastKey);
      const all = [token, ...ids, String(start), start];
      const node = shape.cursorNode;
      return node === undefined ? all : all.filter((wish) => reader.accepts(wish, node));
    };
    const urlOf = (start: number): string => {
      const url = new URL(target.url, 'http://localhost');
      const set = (name: string | undefined, value: unknown): void => {
        if (name !== undefined && value !== undefined) url.searchParams.set(name, String(value));
      };
      const parameter = shape.page?.parameter;
      if (parameter !== undefined)
        set(parameter, (page.size === 0 ? 0 : Math.floor(start / page.size)) + (shape.page?.first ?? 1));
      else if (shape.offset !== undefined) set(shape.offset.parameter, start + shape.offset.first);
      else set(shape.cursor, cursorOf(start)[0]);
      return url.pathname + url.search;
    };
    return { page, shape, hasTotal: false, urlOf, cursorOf, originUrl: (url) => target.origin + url };
  }
}

interface Around {
  readonly page: Page;
  readonly shape: ListShape;
  readonly target: Target;
  readonly list?: Part;
}

function declaredNext(facts: Facts): Wishes {
  const { shape, page, cursorOf } = facts;
  return hasNext(page) ? cursorOf(page.start + page.length) : [shape.next?.end, null, absent, ''];
}

/** Values of an object with the address of the next or the previous page, if there is no such page. */
function endingFor(facts: Facts, name: string): Wishes | undefined {
  const plain = plainName(name);
  const isNext = /^next(?:page|link)?$/.test(plain) && !hasNext(facts.page);
  const isPrevious = /^prev(?:ious)?(?:page|link)?$/.test(plain) && facts.page.start === 0;
  return isNext || isPrevious ? [absent, null] : undefined;
}

/** RFC 8288: the other pages by their relation. */
function linkHeader({ page, urlOf, originUrl }: Facts): string {
  const last = Math.max(0, pagesOf(page) - 1) * page.size;
  const links: readonly (readonly [string, number])[] = [
    ...(hasNext(page) ? [['next', page.start + page.length] as const] : []),
    ...(page.start > 0 ? [['prev', Math.max(0, page.start - page.size)] as const] : []),
    ['first', 0],
    ['last', last],
  ];
  return links.map(([rel, start]) => `<${originUrl(urlOf(start))}>; rel="${rel}"`).join(', ');
}

/** The index that a cursor of `createShowPage` names; undefined if it is none. */
function readCursor(
  sent: unknown,
  all: Pick<Listing, 'indexOf'>,
): { readonly start: number; readonly size?: number } | undefined {
  const text = String(sent);
  const [, start, size] = /^o:(\d+):(\d+)$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (start !== undefined) return { start: Number(start), size: Number(size) };
  const index = all.indexOf(text);
  if (index >= 0) return { start: index + 1 };
  return /^\d+$/.test(text) ? { start: Number(text) } : undefined;
}

/** Items in memory as a listing. */
export function listingOf<Item extends Pick<StoredItem, 'key'>>(items: readonly Item[]): Listing<Item> {
  return {
    length: items.length,
    slice: (start, end) => items.slice(start, end),
    indexOf: (wanted) => {
      const index = items.findIndex(({ key }) => key === wanted);
      return index === items.findLastIndex(({ key }) => key === wanted) ? index : -1;
    },
  };
}

/**
 * @param isStrict whether a cursor of no page is rejected: otherwise nothing comes after it
 * @returns the items of the page that a request asks for; undefined if its cursor is rejected
 */
export function cutPage<Item extends Pick<StoredItem, 'key'>>(
  { limit, pageSize, cursor, page, offset }: ListShape,
  query: JsonObject,
  all: Listing<Item>,
  isStrict: boolean,
): { readonly items: readonly Item[]; readonly page: Page } | undefined {
  const sentLimit = limit === undefined ? undefined : query[limit];
  const sentCursor = cursor === undefined ? undefined : query[cursor];
  const from =
    sentCursor === undefined || sentCursor === ''
      ? { start: 0 }
      : (readCursor(sentCursor, all) ?? (isStrict ? undefined : { start: all.length }));
  if (from === undefined) return undefined;
  // A negative limit bounds nothing: an empty page without a next one would hide the items.
  const isBound = typeof sentLimit === 'number' && sentLimit >= 0;
  const size = Math.floor(isBound ? sentLimit : (from.size ?? pageSize ?? all.length));
  const number = page === undefined ? undefined : query[page.parameter];
  const skipped = offset === undefined ? undefined : query[offset.parameter];
  const start =
    typeof number === 'number' && page !== undefined
      ? Math.max(0, number - page.first) * size
      : typeof skipped === 'number' && offset !== undefined
        ? Math.max(0, skipped - offset.first)
        : from.start;
  const items = all.slice(start, start + size);
  const last = items.at(-1)?.key;
  const lastKey = cursor !== undefined && last !== undefined && all.indexOf(last) >= 0 ? last : undefined;
  return { items, page: { total: all.length, start, length: items.length, size, lastKey } };
}
