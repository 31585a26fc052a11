// The parameters of a list: as `x-pagination` declares them, otherwise by usual names with fitting types.
import { isObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import type { StateOperation, StateParameter } from './contract-tools.ts';
import { type Place, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import { plainName, singular } from './template.ts';

export type Filter = { readonly parameter: string } & (
  | {
      readonly place: Place;
      /** `least`: this value and greater ones; `below`: smaller ones only. */
      readonly is: 'equal' | 'least' | 'most' | 'below';
      /** Whether a text has several values: `?ids=4,7`. */
      readonly isMany?: boolean;
      /** Values that select every item: `state=all`, where no item has the state `all`. */
      readonly open?: ReadonlySet<string>;
    }
  /** One of these members contains the text, in whatever case. */
  | { readonly is: 'text'; readonly members: readonly string[] }
);

export interface Sort {
  readonly parameter: string;
  readonly direction: string | undefined;
  /** The declared orders by value of the parameter; otherwise the value names a member. */
  readonly declared: ReadonlyMap<string, Order> | undefined;
}

export interface Order {
  readonly place: Place;
  readonly isDescending: boolean;
}

export interface ListShape {
  readonly limit: string | undefined;
  /** Items of a page without a limit; undefined if the list has no pages. */
  readonly pageSize: number | undefined;
  readonly cursor: string | undefined;
  /** The place of the next cursor, and its value on the last page, if `x-pagination` declares them. */
  readonly next: { readonly place: Place; readonly end: unknown } | undefined;
  readonly cursorNode: SchemaNode | undefined;
  readonly page: { readonly parameter: string; readonly first: 0 | 1 } | undefined;
  /** `first` is the number of the first item. */
  readonly offset: { readonly parameter: string; readonly first: 0 | 1 } | undefined;
  readonly filters: readonly Filter[];
  readonly sort: Sort | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const names = {
  limit: words(
    'limit pagesize perpage maxresults maxitems pagelimit pagelength itemsperpage resultsperpage numresults',
  ),
  /** Lengths of pages only where another parameter selects the page, or the contract bounds them. */
  limitOfPage: words('size count take top rows first max'),
  page: words('page pagenumber pageno pagenum pageindex currentpage'),
  offset: words('offset skip startindex startat start'),
  cursor: words(
    'cursor pagetoken nexttoken nextcursor continuationtoken continuation continue pagecursor nextpagetoken paginationtoken after startingafter afterid lastid lastkey marker',
  ),
  sort: words('sort sortby orderby ordering order sortfield orderfield sortkey'),
  search: words('q query search searchtext searchterm searchquery keyword keywords term fulltext'),
  direction: words('direction dir sortdir sortorder orderdir sortdirection orderdirection'),
} as const;

/** Beginnings and endings of names that bound a member: `min_price`, `price[gte]`, `created_before`. */
const bounds = {
  least: words('min from after since gte start'),
  most: words('max to until lte end'),
  below: words('before lt'),
} as const;

/** Items of a page where the contract has no default. */
const usualPage = 20;

/** Reads the parameters of a list whose items have these members. */
export function readListShape(
  reader: SchemaReader,
  operation: StateOperation,
  members: ReadonlyMap<string, SchemaNode>,
): ListShape {
  const query = operation.parameters.filter((one) => one.in === 'query');
  const nodeOf = ({ schema }: StateParameter): SchemaNode => reader.nodeAt(schema);
  const isInteger = (one: StateParameter): boolean => reader.isOnly(nodeOf(one), 'number');
  const isScalar = (one: StateParameter): boolean => isInteger(one) || reader.isOnly(nodeOf(one), 'string');
  const named = (kind: keyof typeof names, isFit: (one: StateParameter) => boolean): StateParameter | undefined =>
    query.find((one) => names[kind].has(plainName(one.name)) && isFit(one));
  const { 'x-pagination': declared } = operation.extensions;
  const pagination = isObject(declared) ? declared : undefined;
  const cursor = isObject(pagination?.cursor) ? pagination.cursor : undefined;
  const page = pagination === undefined ? named('page', isInteger) : undefined;
  const offset = pagination === undefined ? named('offset', isInteger) : undefined;
  // A schema without a type, such as that of a token, allows a text too.
  const isCursor = (one: StateParameter): boolean =>
    isScalar(one) || reader.form.branch(nodeOf(one)).types.has('string');
  const send = cursor === undefined ? named('cursor', isCursor) : query.find(({ name }) => name === cursor.send);
  const isPaged = page !== undefined || offset !== undefined || send !== undefined;
  const limit =
    query.find(({ name }) => name === pagination?.limit) ??
    named('limit', isInteger) ??
    named('limitOfPage', (one) => isInteger(one) && (isPaged || isBounded(one)));
  const paging = new Set([page, offset, send, limit].map((one) => one?.name));
  const others = query.filter(({ name }) => !paging.has(name));
  const sort = readSort(pagination, others);
  const pageSize = typeof pagination?.pageSize === 'number' ? pagination.pageSize : undefined;
  return {
    limit: limit?.name,
    pageSize: pageSize ?? (isPaged || limit !== undefined ? lengthOf(limit) : undefined),
    cursor: send?.name,
    next: typeof cursor?.read === 'string' ? { place: cursor.read.split('/').slice(1), end: cursor.end } : undefined,
    cursorNode: send && nodeOf(send),
    page: page && { parameter: page.name, first: firstPage(page) },
    offset: offset && { parameter: offset.name, first: firstOffset(offset) },
    filters: others
      .filter(({ name }) => name !== sort?.parameter && name !== sort?.direction)
      .flatMap((one) => filterOf(one, pagination) ?? []),
    sort,
  };

  function lengthOf(limit: StateParameter | undefined): number {
    if (limit === undefined) return usualPage;
    const { minimum, maximum } = reader.form.branch(nodeOf(limit));
    const wish = Number(reader.defaultOf(nodeOf(limit)) ?? usualPage);
    return Math.max(1, minimum, Math.min(maximum, wish < 0 ? usualPage : wish));
  }

  /** `count` without a default or a maximum may be a filter, and so may `size` where the items have one. */
  function isBounded(limit: StateParameter): boolean {
    if ([...members.keys()].some((name) => plainName(name) === plainName(limit.name))) return false;
    return reader.defaultOf(nodeOf(limit)) !== undefined || Number.isFinite(reader.form.branch(nodeOf(limit)).maximum);
  }

  /** OpenSearch, 1.5.3: a `startIndex` may count from 1. */
  function firstOffset(offset: StateParameter): 0 | 1 {
    const wish = reader.defaultOf(nodeOf(offset));
    return wish === 1 || (wish === undefined && reader.form.branch(nodeOf(offset)).minimum === 1) ? 1 : 0;
  }

  function firstPage(page: StateParameter): 0 | 1 {
    const { minimum, examples } = reader.form.branch(nodeOf(page));
    const shown = [reader.defaultOf(nodeOf(page)), ...examples].find((value) => value === 0 || value === 1);
    if (minimum === 1) return 1;
    if (shown === 0 || shown === 1) return shown;
    return minimum === 0 ? 0 : 1;
  }

  function readSort(declaredList: typeof pagination, parameters: readonly StateParameter[]): Sort | undefined {
    const own = isObject(declaredList?.sort) ? declaredList.sort : undefined;
    if (own !== undefined && typeof own.send === 'string') {
      const orders = Object.entries(isObject(own.values) ? own.values : {}).flatMap(([value, order]) => {
        const [place, goes] = Array.isArray(order) ? order : [];
        if (typeof place !== 'string') return [];
        return [[value, { place: place.split('/').slice(1), isDescending: goes === 'descending' }] as const];
      });
      return { parameter: own.send, direction: undefined, declared: new Map(orders) };
    }
    const isText = (one: StateParameter): boolean =>
      reader.isOnly(nodeOf(one), 'string') || reader.isOnly(nodeOf(one), 'array');
    const isDirection = (one: StateParameter): boolean =>
      (reader.form.branch(nodeOf(one)).values ?? []).some((value) => /^(?:asc|desc)/i.test(String(value)));
    const fitting = parameters.filter((one) => names.sort.has(plainName(one.name)) && isText(one));
    const parameter = fitting.find((one) => !isDirection(one));
    if (parameter === undefined) return undefined;
    const direction = parameters.find(
      (one) =>
        one !== parameter && (names.direction.has(plainName(one.name)) || (fitting.includes(one) && isDirection(one))),
    );
    return { parameter: parameter.name, direction: direction?.name, declared: undefined };
  }

  function filterOf(parameter: StateParameter, declaredList: typeof pagination): Filter | undefined {
    const own = isObject(declaredList?.filters) ? declaredList.filters[parameter.name] : undefined;
    if (isObject(own) && typeof own.field === 'string') {
      const is = own.is === 'from' ? 'least' : own.is === 'before' ? 'below' : 'equal';
      return { parameter: parameter.name, place: own.field.split('/').slice(1), is };
    }
    const node = nodeOf(parameter);
    const value = reader.isOnly(node, 'array') ? reader.itemOf(node) : node;
    const plain = plainName(parameter.name).replace(/^filter(?=.)/, '');
    const memberFor = (name: string): string | undefined =>
      [...members].find(([own, member]) => isSameName(plainName(own), name) && isSameType(value, member))?.[0];
    const equal = memberFor(plain);
    if (equal !== undefined)
      return {
        parameter: parameter.name,
        place: [equal],
        is: 'equal',
        isMany: reader.isOnly(node, 'string') && plainName(equal) === singular(plain) && plainName(equal) !== plain,
        open: openValues(parameter, members.get(equal)),
      };
    if (names.search.has(plain) && reader.isOnly(node, 'string')) {
      const texts = [...members].flatMap(([name, member]) => (holdsText(member) ? [name] : []));
      return { parameter: parameter.name, is: 'text', members: texts };
    }
    const pieces = parameter.name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter(Boolean);
    for (const [is, kinds] of Object.entries(bounds) as readonly ['least' | 'most' | 'below', ReadonlySet<string>][]) {
      const rest = kinds.has(pieces[0] ?? '')
        ? pieces.slice(1)
        : kinds.has(pieces.at(-1) ?? '')
          ? pieces.slice(0, -1)
          : [];
      const name = rest.join('');
      if (name === '') continue;
      const member = memberFor(name) ?? memberFor(`${name}at`) ?? memberFor(`${name}date`);
      if (member !== undefined) return { parameter: parameter.name, place: [member], is };
    }
    return undefined;
  }

  function openValues(parameter: StateParameter, member: SchemaNode | undefined): ReadonlySet<string> {
    const wish = reader.defaultOf(nodeOf(parameter));
    const own = member && reader.form.branch(member).values;
    const allowed = reader.form.branch(nodeOf(parameter)).values ?? [];
    const found = [...(allowed.includes('all') || allowed.includes('any') ? ['all', 'any'] : []), wish];
    return new Set(
      found.map(String).filter((word) => /^(?:all|any|none|\*)$/.test(word) && own?.includes(word) !== true),
    );
  }

  function holdsText(member: SchemaNode): boolean {
    return reader.isOnly(reader.isOnly(member, 'array') ? reader.itemOf(member) : member, 'string');
  }

  function isSameName(member: string, parameter: string): boolean {
    return member === parameter || singular(member) === parameter || member === singular(parameter);
  }

  /** Both texts, both numbers or both true or false; an enum of both shares a value. */
  function isSameType(parameter: SchemaNode, member: SchemaNode): boolean {
    const own = reader.isOnly(member, 'array') ? reader.itemOf(member) : member;
    const types = (['string', 'number', 'boolean'] as const).filter((type) => reader.isOnly(parameter, type));
    // `customer` may be an id, or the customer with it.
    const isIdOrObject =
      reader.isOnly(parameter, 'string') &&
      reader.membersOf(own).has('id') &&
      reader.form.shapes(own).some((shape) => shape.types.has('string'));
    if (isIdOrObject) return true;
    if (reader.isObjectNode(own)) return reader.isOnly(member, 'array') && reader.membersOf(own).has('name');
    if (!types.some((type) => reader.isOnly(own, type))) return false;
    const [asked, shown] = [parameter, own].map((node) => reader.form.branch(node).values);
    return asked === undefined || shown === undefined || asked.some((value) => shown.includes(value));
  }
}

/** The items that the filters of a request select, in its order. */
export function selectItems<Item extends { readonly value: unknown }>(
  all: readonly Item[],
  query: Readonly<Record<string, unknown>>,
  filters: readonly Filter[],
  order?: Order,
): readonly Item[] {
  const found = all.filter(({ value }) => filters.every((one) => isSelected(value, one, query[one.parameter])));
  return order === undefined
    ? found
    : found.sort((a, b) => {
        const difference = compareValues(valueAtPlace(a.value, order.place), valueAtPlace(b.value, order.place));
        return order.isDescending ? -difference : difference;
      });
}

/** Whether a filter selects an item. */
function isSelected(item: unknown, filter: Filter, wanted: unknown): boolean {
  if (filter.is === 'text') {
    const text = String(wanted).toLowerCase();
    const values = filter.members.flatMap((name) => valueAtPlace(item, [name]));
    return values.some((value) => typeof value === 'string' && value.toLowerCase().includes(text));
  }
  const { place, is } = filter;
  const value = valueAtPlace(item, place);
  const asked = [wanted].flat().flatMap((one) => (filter.isMany ? String(one).split(',') : String(one)));
  if (asked.some((one) => filter.open?.has(one))) return true;
  if (is === 'equal') {
    const own = [value].flat().flatMap((one) => (isObject(one) ? [one.id, one.name] : [one]));
    return own.some((one) => asked.includes(String(one)));
  }
  if (value === undefined || value === null) return false;
  const order = compareValues(value, wanted);
  return is === 'least' ? order >= 0 : is === 'most' ? order <= 0 : order < 0;
}

/** Numbers by size, times by instant, other values as text; missing ones last. */
function compareValues(one: unknown, other: unknown): number {
  if (one === undefined || one === null) return other === undefined || other === null ? 0 : 1;
  if (other === undefined || other === null) return -1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [a, b] = [String(one), String(other)];
  const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text);
  if (isTime(a) && isTime(b)) {
    const difference = Date.parse(a) - Date.parse(b);
    if (Number.isFinite(difference)) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The order that the value of a sort parameter names: `-name`, `name:desc`, `name_desc`. */
export function readOrder(
  sort: Sort,
  query: Readonly<Record<string, unknown>>,
  members: ReadonlyMap<string, unknown>,
): Order | undefined {
  const [sent] = [query[sort.parameter]].flat();
  if (sort.declared !== undefined) {
    const [first] = sort.declared.values();
    return sent === undefined ? first : sort.declared.get(String(sent));
  }
  if (typeof sent !== 'string') return undefined;
  const [text = ''] = sent.split(',');
  const direction = sort.direction === undefined ? '' : String(query[sort.direction] ?? '');
  const isDescending = /^-|[\s:._]desc(?:ending)?$/i.test(text) || /^desc/i.test(direction);
  // One separator is enough, as `plainName` drops the others: `+` would take a time quadratic in their number.
  const name = plainName(text.replace(/[\s:._](?:asc|desc)(?:ending)?$/i, ''));
  const member = [...members.keys()].find((own) => plainName(own) === name);
  return member === undefined ? undefined : { place: [member], isDescending };
}
