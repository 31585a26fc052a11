// How a list is divided into pages, filtered and ordered: as `x-pagination` declares it, otherwise by usual names with fitting types.
import type { Shape } from '@lockstep/values/shape';
import { type Contract, isJson, type Operation, type Parameter, responseFor } from '../contract/contract.ts';
import { joinPointer, type Pointer } from '../contract/document.ts';
import type { Pagination } from '../contract/extensions.ts';
import { schemasOf } from '../schema/canonical.ts';
import { normal, nounOf, singular } from './slots.ts';

/** The means to ask for the next page. Places are JSON pointers in the answer. */
export type Step =
  | {
      readonly kind: 'cursor';
      readonly send: Parameter;
      readonly read: string;
      readonly end: string | null | undefined;
    }
  /** Pages are counted. `first` is undefined if the contract does not show whether from 0 or from 1. */
  | { readonly kind: 'page'; readonly send: Parameter; readonly first: 0 | 1 | undefined }
  /** Items are counted, from 0. */
  | { readonly kind: 'offset'; readonly send: Parameter }
  /** The answer has the address of the next page: at this place, or in `Link` if there is none. */
  | { readonly kind: 'link'; readonly read: string | undefined };

/** The parameter for the length of a page, with its bounds. */
export interface Limit {
  readonly parameter: Parameter;
  readonly least: number;
  readonly most: number;
}

/** A parameter that selects items by one of their members. */
export interface Filter {
  readonly parameter: Parameter;
  /** Whether its value is a list of values. */
  readonly isList: boolean;
  /** The member, as a JSON pointer in an item. */
  readonly field: string;
  /** `least`: items from this value on; `most`: items up to it. */
  readonly is: 'equal' | 'least' | 'most';
  /** Whether an item with the very value of a bound is selected; undefined if the contract does not state it. */
  readonly isBoundIn: boolean | undefined;
  readonly isDeclared: boolean;
  /** Whether parameter and member have the values of one enum. */
  readonly isClosed: boolean;
}

/** A value of a parameter that orders the items by one of their members. */
export interface Order {
  readonly parameter: Parameter;
  readonly value: unknown;
  /** A second parameter for the direction. */
  readonly direction?: { readonly parameter: Parameter; readonly value: unknown };
  readonly field: string;
  /** `either`: one of the two, and the contract does not state which. */
  readonly goes: 'ascending' | 'descending' | 'either';
  readonly isDeclared: boolean;
}

export interface ListShape {
  readonly operation: Operation;
  readonly isDeclared: boolean;
  readonly step: Step | undefined;
  readonly limit: Limit | undefined;
  /** Place of the items in the answer; undefined if the contract does not describe the answer. */
  readonly items: string | undefined;
  /** Place of the id in an item, if it is declared. */
  readonly key: string | undefined;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** Where the answer has the number of all items: a place in its body, or the name of a header. */
  readonly total:
    | (({ readonly body: string } | { readonly header: string }) & { readonly pointer: Pointer })
    | undefined;
  /** The members of an item that the contract declares, by name. */
  readonly members: ReadonlyMap<string, Pointer>;
}

/** Names in lower case and without separators: `per_page`, `page[size]` and `$top` are `perpage`, `pagesize` and `top`. */
const usual = {
  limit: 'limit pagesize perpage maxresults maxitems pagelimit itemsperpage resultsperpage numresults',
  /** Lengths of pages only where another parameter selects the page. */
  limitOfPage: 'size count take top rows first max',
  page: 'page pagenumber pageno pagenum pageindex currentpage',
  offset: 'offset skip startindex startat',
  cursor:
    'cursor pagetoken nexttoken nextcursor continuationtoken continuation continue pagecursor nextpagetoken after marker',
  next: 'nextcursor nextpagetoken nexttoken endcursor nextpagecursor cursor continuationtoken continuation continue pagetoken next after nextmarker',
  link: 'next nextpage nextlink nexturl nexthref odatanextlink',
  items: 'items data results result values records rows entries list content elements objects hits value resources',
  total: 'total totalcount totalitems totalresults totalelements totalrecords',
  totalHeader: 'xtotalcount xtotal totalcount',
  sort: 'sort sortby orderby ordering order sortfield orderfield sortkey',
  direction: 'order direction dir sortdir sortorder orderdir sortdirection orderdirection',
  /** They change how items are shown, not which. */
  view: 'fields include expand embed view format lang locale language q query search version apiversion v',
} as const;

const names = Object.fromEntries(
  Object.entries(usual).map(([kind, text]) => [kind, new Set(text.split(' '))]),
) as unknown as Readonly<Record<keyof typeof usual, ReadonlySet<string>>>;

/** Whether a parameter of this name can only have a value of an earlier answer: `after` and `marker` may be a date or a text. */
export function isCursorName(name: string): boolean {
  return names.cursor.has(normal(name)) && !/^(after|marker)$/i.test(name);
}

const known = new WeakMap<Operation, ListShape | null>();

/** @returns undefined if the operation reads no list */
export function listShapeOf(contract: Contract, operation: Operation): ListShape | undefined {
  const found = known.get(operation);
  if (found !== undefined) return found ?? undefined;
  const shape = readShape(contract, operation);
  known.set(operation, shape ?? null);
  return shape;
}

function readShape(contract: Contract, operation: Operation): ListShape | undefined {
  if (operation.method !== 'get') return undefined;
  const answer = responseFor(operation, 200);
  const schema = answer?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  if (answer === undefined || (answer.contents.length > 0 && !answer.contents.some((one) => isJson(one.mediaType))))
    return undefined;
  const reader = createReader(contract);
  const places = schema === undefined ? [] : reader.placesIn(schema);
  const { pagination } = operation.extensions;
  const list = listAmong(places, operation, pagination);
  const isDescribed = places.some(({ shape }) => shape.types.size < allTypes);
  const limit = limitOf(reader, operation, pagination);
  const step = stepOf(reader, operation, pagination, places);
  // The answer to a path with an id may contain several lists: only its paging shows that one of them is meant.
  const isOfOne = operation.path.endsWith('}') && limit === undefined && step === undefined;
  if (isOfOne || (list === undefined && (isDescribed || (limit === undefined && step === undefined)))) return undefined;
  const item = list && reader.itemOf(list);
  const members = item === undefined ? new Map<string, Pointer>() : reader.membersOf(item);
  const shape = { operation, isDeclared: pagination !== undefined, step, limit, members };
  const totals = places.filter(({ at, shape: own }) => isNamed(at, 'total') && own.isInteger);
  const header = answer.headers.find(({ name }) => names.totalHeader.has(normal(name)));
  const paging = [limit?.parameter, step !== undefined && 'send' in step ? step.send : undefined];
  return {
    ...shape,
    items: list?.at,
    key: pagination?.key,
    total:
      totals[0] === undefined
        ? header && { header: header.name, pointer: header.pointer }
        : { body: totals[0].at, pointer: totals[0].pointer ?? answer.pointer },
    orders: ordersOf(reader, operation, pagination, members),
    filters: filtersOf(
      reader,
      operation.parameters.filter((one) => !paging.includes(one)),
      pagination,
      members,
    ),
  };
}

/** Types of JSON: a schema with all of them describes nothing. */
const allTypes = 6;

/** A part of an answer with its merged schema. */
interface Part {
  readonly at: string;
  readonly shape: Shape;
  readonly pointer: Pointer | undefined;
}

type Reader = ReturnType<typeof createReader>;

function createReader(contract: Contract) {
  const { request, response } = schemasOf(contract).forms;
  return {
    /** The answer as a whole, and the members of it and of the objects in it. */
    placesIn: (schema: Pointer): readonly Part[] => {
      const found: Part[] = [];
      const walk = (node: ReturnType<typeof response.at>, at: string, depth: number): void => {
        const shape = response.branch(node);
        found.push({ at, shape, pointer: response.pointerOf(node) });
        if (depth >= 3 || !shape.types.has('object')) return;
        for (const name of shape.properties.keys())
          walk(response.property(shape, name), joinPointer(at, name), depth + 1);
      };
      walk(response.at(schema), '', 0);
      return found;
    },
    itemOf: ({ shape }: Part): Shape => response.branch(response.item(shape, 0)),
    membersOf: (item: Shape): ReadonlyMap<string, Pointer> => response.declared(item),
    member: (pointer: Pointer): Shape => response.common(response.at(pointer)),
    parameter: ({ schema }: Parameter): Shape | undefined =>
      schema === undefined ? undefined : request.common(request.at(schema)),
    itemOfParameter: ({ schema }: Parameter): Shape | undefined =>
      schema === undefined ? undefined : request.common(request.item(request.common(request.at(schema)), 0)),
  };
}

function isNamed(at: string, kind: keyof typeof usual): boolean {
  return names[kind].has(normal(at.slice(at.lastIndexOf('/') + 1)));
}

/** Whether a schema has one type, apart from null. */
function isOnly(shape: Shape | undefined, type: 'string' | 'number' | 'boolean' | 'array'): boolean {
  const types = [...(shape?.types ?? [])].filter((one) => one !== 'null');
  return types.length === 1 && types[0] === type;
}

function listAmong(
  places: readonly Part[],
  operation: Operation,
  pagination: Pagination | undefined,
): Part | undefined {
  const lists = places.filter(({ at, shape }) =>
    pagination === undefined ? isOnly(shape, 'array') : at === pagination.items,
  );
  const noun = nounOf(operation.path);
  const nameOf = ({ at }: Part): string => normal(at.slice(at.lastIndexOf('/') + 1));
  const named =
    lists.find(({ at }) => at === '') ??
    lists.find((one) => singular(nameOf(one)) === noun) ??
    lists.find((one) => names.items.has(nameOf(one)));
  const ofObjects = lists.filter(({ shape }) => shape.lists.length > 0);
  // Several lists of other names are parts of one object, such as statistics.
  return named ?? (ofObjects.length > 1 ? undefined : (ofObjects[0] ?? lists[0]));
}

function queryOf({ parameters }: Pick<Operation, 'parameters'>): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query');
}

function namedParameter(
  reader: Reader,
  operation: Operation,
  kind: keyof typeof usual,
  isFit: (shape: Shape) => boolean,
): Parameter | undefined {
  return queryOf(operation).find((one) => {
    const shape = reader.parameter(one);
    return names[kind].has(normal(one.name)) && shape !== undefined && isFit(shape);
  });
}

const isInteger = (shape: Shape): boolean => shape.isInteger && isOnly(shape, 'number');

function limitOf(reader: Reader, operation: Operation, pagination: Pagination | undefined): Limit | undefined {
  const isPaged = (['page', 'offset', 'cursor'] as const).some((kind) =>
    queryOf(operation).some(({ name }) => names[kind].has(normal(name))),
  );
  const parameter =
    pagination === undefined
      ? (namedParameter(reader, operation, 'limit', isInteger) ??
        (isPaged ? namedParameter(reader, operation, 'limitOfPage', isInteger) : undefined))
      : queryOf(operation).find(({ name }) => name === pagination.limit);
  const shape = parameter && reader.parameter(parameter);
  if (parameter === undefined || shape === undefined) return undefined;
  const { minimum, maximum, isMinimumOpen, isMaximumOpen, values } = shape;
  const listed = values?.filter((value) => typeof value === 'number') ?? [];
  if (values !== undefined && listed.length === 0) return undefined;
  const least = Math.max(1, Math.ceil(minimum) + (isMinimumOpen ? 1 : 0), ...(values ? [Math.min(...listed)] : []));
  const most = Math.min(Math.floor(maximum) - (isMaximumOpen ? 1 : 0), ...(values ? [Math.max(...listed)] : []));
  // An enum allows only its own lengths.
  return values !== undefined && values.length < most - least + 1 ? undefined : { parameter, least, most };
}

function stepOf(
  reader: Reader,
  operation: Operation,
  pagination: Pagination | undefined,
  places: readonly Part[],
): Step | undefined {
  if (pagination !== undefined) {
    const { send: name, read, end } = pagination.cursor;
    const send = queryOf(operation).find((one) => one.name === name);
    return send && { kind: 'cursor', send, read, end };
  }
  const isText = (shape: Shape): boolean => isOnly(shape, 'string') || isInteger(shape);
  const cursor = namedParameter(reader, operation, 'cursor', isText);
  const next = places.find(({ at, shape }) => isNamed(at, 'next') && at !== '' && isText(shape));
  if (cursor !== undefined && next !== undefined)
    return { kind: 'cursor', send: cursor, read: next.at, end: undefined };
  const page = namedParameter(reader, operation, 'page', isInteger);
  if (page !== undefined) return { kind: 'page', send: page, first: firstOf(reader.parameter(page)) };
  const offset = namedParameter(reader, operation, 'offset', isInteger);
  if (offset !== undefined) return { kind: 'offset', send: offset };
  const link = places.find(({ at, shape }) => isNamed(at.replace(/\/href$/, ''), 'link') && isOnly(shape, 'string'));
  if (link !== undefined) return { kind: 'link', read: link.at };
  const hasHeader = responseFor(operation, 200)?.headers.some(({ name }) => name.toLowerCase() === 'link') === true;
  return hasHeader ? { kind: 'link', read: undefined } : undefined;
}

/** The number of the first page: the least that the schema allows, the default, or the smallest example. */
function firstOf(shape: Shape | undefined): 0 | 1 | undefined {
  if (shape === undefined) return undefined;
  const { minimum, isMinimumOpen, preferred, examples } = shape;
  const proposed = [...preferred, ...examples].filter((value) => value === 0 || value === 1);
  if (minimum === 1 || (minimum === 0 && isMinimumOpen)) return 1;
  if (minimum === 0 && proposed.length === 0) return 0;
  return proposed[0];
}

/** Beginnings and endings of names that bound a member: `min_price`, `price[gte]`, `created_before`. */
const bounds = {
  least: { first: 'min from after since gte gt start', last: 'min from after since gte gt start' },
  most: { first: 'max to before until lte lt end', last: 'max to before until lte lt end' },
} as const;

const declaredFilters: Readonly<Record<string, Pick<Filter, 'is' | 'isBoundIn'>>> = {
  equal: { is: 'equal', isBoundIn: undefined },
  from: { is: 'least', isBoundIn: true },
  before: { is: 'most', isBoundIn: false },
};

function filtersOf(
  reader: Reader,
  parameters: readonly Parameter[],
  pagination: Pagination | undefined,
  members: ReadonlyMap<string, Pointer>,
): readonly Filter[] {
  return queryOf({ parameters }).flatMap((parameter): Filter[] => {
    const declared = pagination?.filters[parameter.name];
    const own = reader.parameter(parameter);
    const isList = isOnly(own, 'array');
    const known = declaredFilters[declared?.is ?? ''];
    if (declared !== undefined && known !== undefined)
      return [{ parameter, isList, field: declared.field, ...known, isDeclared: true, isClosed: false }];
    const isOther = (['view', 'sort', 'direction'] as const).some((kind) => names[kind].has(normal(parameter.name)));
    const single = isList ? reader.itemOfParameter(parameter) : own;
    if (isOther || pagination !== undefined || single === undefined) return [];
    for (const [name, pointer] of members) {
      const member = reader.member(pointer);
      const is = relationOf(parameter.name, name, member);
      if (is === undefined || !isSameType(single, member) || (is !== 'equal' && isList)) continue;
      const isClosed = single.values?.every((value) => member.values?.includes(value) === true) === true;
      return [
        { parameter, isList, field: joinPointer('', name), is, isBoundIn: undefined, isDeclared: false, isClosed },
      ];
    }
    return [];
  });
}

/** How a parameter selects by a member, by their names; undefined if it does not. */
function relationOf(parameter: string, member: string, shape: Shape): Filter['is'] | undefined {
  if (normal(parameter) === normal(member)) return 'equal';
  const isOrdered = isOnly(shape, 'number') || shape.format === 'date-time' || shape.format === 'date';
  if (!isOrdered) return undefined;
  // A time may be `created_at` and its bound `created_after`.
  const stems = [normal(member), normal(member).replace(/(at|date|time|on)$/, '')];
  return (['least', 'most'] as const).find((is) => {
    const { first, last } = bounds[is];
    const isOf = (word: string): boolean =>
      stems.some(
        (stem) => stem !== '' && [`${word}${stem}`, `${stem}${word}`].some((name) => name === normal(parameter)),
      );
    return `${first} ${last}`.split(' ').some(isOf);
  });
}

function isSameType(parameter: Shape, member: Shape): boolean {
  return (['string', 'number', 'boolean'] as const).some((type) => isOnly(parameter, type) && isOnly(member, type));
}

function ordersOf(
  reader: Reader,
  operation: Operation,
  pagination: Pagination | undefined,
  members: ReadonlyMap<string, Pointer>,
): readonly Order[] {
  if (pagination?.sort !== undefined) {
    const { send, values } = pagination.sort;
    const parameter = queryOf(operation).find(({ name }) => name === send);
    if (parameter === undefined) return [];
    return Object.entries(values).map(([value, [field, goes]]) => {
      return { parameter, value, field, goes: goes === 'descending' ? goes : 'ascending', isDeclared: true };
    });
  }
  const parameters = queryOf(operation);
  const sort = parameters.find((one) => names.sort.has(normal(one.name)) && !isDirection(reader, one));
  const direction = parameters.find((one) => names.direction.has(normal(one.name)) && isDirection(reader, one));
  const shape = sort && reader.parameter(sort);
  if (sort === undefined || shape === undefined) return [];
  const isList = isOnly(shape, 'array');
  const values = (isList ? reader.itemOfParameter(sort) : shape)?.values ?? [];
  const texts = values.filter((value) => typeof value === 'string');
  return texts.flatMap((text): Order[] => {
    const [, sign = '', name = '', word = ''] = /^([+-]?)(.*?)(?:[:_ .,-]*(asc|desc)(?:ending)?)?$/is.exec(text) ?? [];
    const field = [...members].find(([member]) => normal(member) === normal(name));
    // The order of words such as low, medium and high is their meaning.
    if (field === undefined || !isOrderable(reader.member(field[1]))) return [];
    const own = { parameter: sort, value: isList ? [text] : text, field: joinPointer('', field[0]), isDeclared: false };
    if (direction !== undefined && sign === '' && word === '') {
      const ways = reader.parameter(direction)?.values ?? [];
      return ways.map((value) => {
        const goes = /desc/i.test(String(value)) ? 'descending' : 'ascending';
        return { ...own, direction: { parameter: direction, value }, goes };
      });
    }
    const isDescending = sign === '-' || /^desc/i.test(word);
    const isPaired = sign === '+' || word !== '' || texts.includes(`-${text}`);
    return [{ ...own, goes: isDescending ? 'descending' : isPaired ? 'ascending' : 'either' }];
  });
}

function isDirection(reader: Reader, parameter: Parameter): boolean {
  const values = reader.parameter(parameter)?.values ?? [];
  return values.length >= 2 && values.every((value) => /^(asc|desc)(ending)?$/i.test(String(value)));
}

function isOrderable(member: Shape): boolean {
  return (isOnly(member, 'number') || isOnly(member, 'string')) && member.values === undefined;
}
