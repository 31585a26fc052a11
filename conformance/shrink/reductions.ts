// Changes that make a recorded chain smaller: fewer requests, fewer parts of a request, shorter values.
import { roleName } from '../checks/story.ts';
import { isObject, isSame, joinPointer, readPointer, splitPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { type Chain, type RecordedRequest, symbolsIn } from '../failures/failure-file.ts';

/** A smaller chain; the same one if the part is gone already. */
export type Reduction = (chain: Chain) => Chain;

/** A part of a request: a parameter, the body (`''`), or a place in it. */
type Part = { readonly in: string; readonly name: string } | { readonly at: string };

/** Parts of one group of requests that are tried: a body may have thousands. */
const mostParts = 200;

/** The chain without requests that are not needed, and without those whose objects and answers no other request uses. */
export function keepRequests(chain: Chain, needed: ReadonlySet<number>): Chain {
  const kept = new Set<number>();
  const keep = (index: number): void => {
    if (kept.has(index)) return;
    kept.add(index);
    for (const name of symbolsIn(chain.requests[index])) {
      const source = chain.symbols[name];
      if (source !== undefined) keep(source.request);
    }
  };
  for (const index of needed) keep(index);
  if (kept.size === chain.requests.length) return chain;
  const order = [...kept].sort((a, b) => a - b);
  const symbols = Object.entries(chain.symbols)
    .filter(([, { request }]) => kept.has(request))
    .map(([name, { request, member }]) => [name, { request: order.indexOf(request), member }] as const);
  return {
    requests: order.flatMap((index) => chain.requests[index] ?? []),
    judged: order.filter((index) => index < chain.judged).length,
    symbols: Object.fromEntries(symbols),
  };
}

/** The chain without creates whose objects no other request names. */
export function withoutUnused(chain: Chain): Chain {
  return keepRequests(chain, new Set([...chain.requests.keys()].filter((index) => index >= chain.judged)));
}

/**
 * Leaves out parameters, members and items: the outer ones first, and of a list all items, all but the first, or half of them. A part in
 * which the requests of a probe differ is the question that the probe asks, so it stays.
 */
export function droppingReductions(chain: Chain): readonly Reduction[] {
  return groupsOf(chain).flatMap((group) => {
    const free = partsOf(group).filter(({ part }) => isShared(group, part));
    return free.flatMap(({ part, value, isItem }) => [
      // An item that is missing would move the others.
      ...(isItem ? [] : [changing(group, part, () => undefined)]),
      ...(Array.isArray(value) ? lengths.map((of) => changing(group, part, shortened(of))) : []),
    ]);
  });
}

/** The number of items that a list keeps. They are the first ones, so that the places of all others stay. */
const lengths: readonly ((count: number) => number)[] = [() => 0, () => 1, (count) => Math.ceil(count / 2)];

function shortened(lengthOf: (count: number) => number) {
  return (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, lengthOf(value.length)) : value);
}

/** Whether a member keeps its value: it refers to an object, or was made to be unique. */
export type IsFixed = (name: string, value: unknown) => boolean;

/** Makes numbers and long texts simpler, where all requests have the same. The first of several that apply to one place holds. */
export function simplifyingReductions(chain: Chain, isFixed: IsFixed): readonly Reduction[] {
  return groupsOf(chain).flatMap((group) =>
    partsOf(group).flatMap(({ part, value, name }) => {
      const isKept = isFixed(name, value) || symbolsIn(value).length > 0;
      const isEqual = [...group.requests.values()].every((one) => isSame(valueIn(one, part), value));
      if (isKept || !isEqual || !isShared(group, part)) return [];
      return simplerThan(value).map((simpler) => changing(group, part, (now) => (isSame(now, value) ? simpler : now)));
    }),
  );
}

/** A text and a number of this length are easy to read. */
const [shortText, shortNumber] = [12, 3];

function simplerThan(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return String(value).length > shortNumber ? [0, 1, 10] : [];
  const characters = typeof value === 'string' ? [...value] : [];
  if (characters.length <= shortText) return [];
  const lengths = [1, shortText, ...halves(characters.length)];
  return lengths.map((length) => characters.slice(0, length).join(''));
}

/** Half of a length, then three quarters, and so on. */
function halves(length: number): readonly number[] {
  return [1, 2, 3].map((turn) => Math.floor(length * (1 - 2 ** -turn)));
}

/** Requests that a reduction changes in the same way: those of one operation, in whatever role. */
interface Group {
  /** By their index in the chain. */
  readonly requests: ReadonlyMap<number, RecordedRequest>;
  /** One request for each role. */
  readonly roles: readonly RecordedRequest[];
}

/** Creates of earlier turns stay as they are: no finding shows them. */
function groupsOf({ requests, judged }: Chain): readonly Group[] {
  const own = [...requests.entries()].filter(([index]) => index >= judged);
  const groups = Map.groupBy(own, ([, { operation }]) => operation);
  return [...groups.values()].map((own) => {
    const roles = Map.groupBy(own, ([, request]) => roleOf(request));
    return {
      requests: new Map(own),
      roles: [...roles.values()].flatMap(([first]) => first?.[1] ?? []),
    };
  });
}

/** A repeat of a step asks the same question as the step. */
function roleOf({ intent: { probe } }: RecordedRequest): string {
  return roleName(probe?.role).replace(/^repeat$/, 'case');
}

interface Found {
  readonly part: Part;
  readonly value: unknown;
  /** The parameter or member; for an item, that of its list. */
  readonly name: string;
  readonly isItem: boolean;
}

/** The parts of the requests, the outer ones first. */
function partsOf({ requests }: Group): readonly Found[] {
  const found: Found[] = [];
  const all = [...requests.values()];
  // An address of an answer has its query already.
  for (const { in: where, name, value } of all.find(({ edits }) => edits?.path === undefined)?.parameters ?? [])
    if (where !== 'path') found.push({ part: { in: where, name }, value, name, isItem: false });
  const body = all.find((one) => one.body !== undefined && one.edits?.content === undefined)?.body;
  if (body === undefined) return found;
  const waiting: (Found & { readonly at: string })[] = [
    { part: { at: '' }, value: body.value, name: '', isItem: false, at: '' },
  ];
  for (const { at, ...own } of waiting) {
    if (found.length >= mostParts) break;
    found.push(own);
    const { value } = own;
    if (!isObject(value) && !Array.isArray(value)) continue;
    const isItem = Array.isArray(value);
    for (const [token, inner] of Object.entries(value)) {
      const place = joinPointer(at, token);
      waiting.push({ part: { at: place }, value: inner, name: isItem ? own.name : token, isItem, at: place });
    }
  }
  return found;
}

/** Whether all roles have the part alike, and it is not the boundary that a request is about: one of many is not. */
function isShared({ requests, roles }: Group, part: Part): boolean {
  const isBoundary = [...requests.values()].some(({ intent: { probe } }) => {
    const [boundary, ...more] = probe?.boundaries ?? [];
    return boundary !== undefined && more.length === 0 && overlaps(boundary.part, part);
  });
  if (isBoundary) return false;
  const [first, ...others] = roles.map((one) => valueIn(one, part));
  return others.every((value) => isSame(value, first));
}

/** Whether a boundary and a part contain one another. @param boundary `query limit`, `body /name` */
function overlaps(boundary: string, part: Part): boolean {
  if ('in' in part) return boundary === `${part.in} ${part.name}`;
  const [, at] = /^body ?(.*)$/s.exec(boundary) ?? [];
  return at !== undefined && (at === part.at || at.startsWith(`${part.at}/`) || part.at.startsWith(`${at}/`));
}

function valueIn({ parameters, body }: RecordedRequest, part: Part): unknown {
  return 'in' in part
    ? parameters.find((one) => one.in === part.in && one.name === part.name)?.value
    : readPointer(body?.value, part.at);
}

/** @param change undefined leaves the part out */
function changing(group: Group, part: Part, change: (value: unknown) => unknown): Reduction {
  return (chain) => {
    let isChanged = false;
    const requests = chain.requests.map((request, index) => {
      const value = group.requests.has(index) ? valueIn(request, part) : undefined;
      const changed = value === undefined ? undefined : change(value);
      if (isSame(changed, value)) return request;
      isChanged = true;
      return withPart(request, part, changed);
    });
    return isChanged ? { ...chain, requests } : chain;
  };
}

function withPart(request: RecordedRequest, part: Part, value: unknown): RecordedRequest {
  const { parameters, body } = request;
  if ('in' in part) {
    const isPart = (one: RecordedRequest['parameters'][number]): boolean =>
      one.in === part.in && one.name === part.name;
    return {
      ...request,
      parameters: parameters.flatMap((one) => (!isPart(one) ? one : value === undefined ? [] : { ...one, value })),
    };
  }
  if (body === undefined) return request;
  if (value !== undefined) return { ...request, body: { ...body, value: replaceAt(body.value, part.at, value) } };
  if (part.at === '') return { ...request, body: undefined };
  const [, holderAt = ''] = /^(.*)\/[^/]*$/s.exec(part.at) ?? [];
  const name = splitPointer(part.at).at(-1);
  const holder = readPointer(body.value, holderAt);
  if (!isObject(holder)) return request;
  const others = Object.fromEntries(Object.entries(holder).filter(([member]) => member !== name));
  return { ...request, body: { ...body, value: replaceAt(body.value, holderAt, others) } };
}
