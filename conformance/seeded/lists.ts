// Two servers of lists: an archive, which declares its paging, and a market, whose paging shows in the names of its parameters.
import { isObject, type JsonObject } from '../contract/document.ts';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';
import type { Validate } from './validate.ts';

export const archivePass = 'not-a-real-pass-20c7';

type Query = URLSearchParams;

const records: readonly JsonObject[] = [
  ['r-1', 'Letter to the mayor', 'letter', '1871-03-02T00:00:00Z'],
  ['r-2', 'Plan of the harbour', 'map', '1902-07-15T00:00:00Z'],
  ['r-3', 'Opening of the bridge', 'photo', '1898-05-30T00:00:00Z'],
  ['r-4', 'Thanks of the guild', 'letter', '1866-11-09T00:00:00Z'],
  ['r-5', 'Borders of the parish', 'map', '1881-01-20T00:00:00Z'],
  ['r-6', 'Market in winter', 'photo', '1911-12-03T00:00:00Z'],
  ['r-7', 'Last letter of the clerk', 'letter', '1920-04-18T00:00:00Z'],
].map(([no, title, kind, taken]) => ({ no, title, kind, taken }));

const sellers: readonly JsonObject[] = ['Ida', 'Joost', 'Kim', 'Lea', 'Mo'].map((name, id) => ({ id: id + 1, name }));

const notices: readonly JsonObject[] = [
  ['Gate closed', true],
  ['Lost gloves', false],
  ['Music at six', false],
  ['Storm warning', true],
].map(([text, urgent], index) => ({ notice_id: 70 + index, text, urgent }));

/** The rows from one index on, and the index of the next page; undefined for none. */
function pageOf(rows: readonly JsonObject[], start: number, size: number) {
  return { rows: rows.slice(start, start + size), next: start + size < rows.length ? start + size : undefined };
}

function numberIn(query: Query, name: string, otherwise: number): number {
  return Number(query.get(name) ?? otherwise);
}

/** In order of a member; rows with equal values keep their order. */
function sorted(rows: readonly JsonObject[], name: string, isDescending: boolean): readonly JsonObject[] {
  const order = (a: JsonObject, b: JsonObject): number =>
    (a[name] as string) < (b[name] as string) ? -1 : a[name] === b[name] ? 0 : 1;
  return rows.toSorted((a, b) => (isDescending ? order(b, a) : order(a, b)));
}

/** A cursor contains the query that it continues. */
const encode = (state: object): string => Buffer.from(JSON.stringify(state)).toString('base64url');

function decode(text: string): JsonObject | undefined {
  try {
    const state: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return isObject(state) && typeof state.at === 'number' ? state : undefined;
  } catch {
    return undefined;
  }
}

function listRecords(query: Query): TestAnswer {
  const state = query.has('cursor') ? decode(query.get('cursor') ?? '') : { at: 0 };
  const of = (name: string): string | undefined => query.get(name) ?? (state?.[name] as string | undefined);
  const filters = Object.fromEntries(['kind', 'since', 'until', 'sort'].map((name) => [name, of(name)]));
  const isOther = query.has('cursor') && Object.keys(filters).some((name) => filters[name] !== state?.[name]);
  if (state === undefined || isOther) return { status: 400, body: { error: 'no cursor of this query' } };
  const { kind, since = '', until = '9', sort = 'no' } = filters;
  const isAsked = ({ kind: own, taken }: JsonObject): boolean =>
    (kind === undefined || own === kind) && String(taken) >= since && String(taken) < until;
  const found = sorted(records.filter(isAsked), sort.replace('-', ''), sort.startsWith('-'));
  const { rows, next } = pageOf(found, Number(state.at), numberIn(query, 'limit', 20));
  const cursor = next === undefined ? '' : encode({ ...filters, at: next });
  return { status: 200, body: { records: rows, next: cursor, found: { total: found.length } } };
}

/** A server that conforms to `fixtures/archive.yaml`. */
export function createArchive(validate: Validate): Handler {
  const refuse = (status: number, error: string): TestAnswer => ({ status, body: { error } });
  return (request) => {
    const path = request.path.replace(/^\/v1/, '');
    const [, no] = /^\/records(?:\/([^/]+))?$/.exec(path) ?? [];
    if (no === undefined && path !== '/records') return refuse(404, 'no such place');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return { ...refuse(405, 'read only'), headers: { allow: 'GET, HEAD' } };
    if (request.headers['x-pass'] !== archivePass)
      return { ...refuse(401, 'no pass'), headers: { 'www-authenticate': 'Pass realm="archive"' } };
    const validated = validate({ ...request, path });
    if ('fault' in validated) return refuse(400, validated.reason);
    if (no === undefined) return listRecords(request.query);
    const found = records.find((record) => record.no === no);
    return found === undefined ? refuse(404, 'no such record') : { status: 200, body: found };
  };
}

const isAsked = (query: Query, name: string, value: unknown): boolean =>
  !query.has(name) || query.get(name) === String(value);

function listOffers(query: Query, offers: readonly JsonObject[]): TestAnswer {
  const found = offers.filter(
    ({ state, stall, price }) =>
      isAsked(query, 'state', state) &&
      isAsked(query, 'stall', stall) &&
      Number(price) >= numberIn(query, 'min_price', 0),
  );
  const size = numberIn(query, 'per_page', 10);
  const all = sorted(found, query.get('sort_by') ?? 'id', query.get('order') === 'desc');
  const { rows } = pageOf(all, (numberIn(query, 'page', 1) - 1) * size, size);
  return { status: 200, headers: { 'x-total-count': String(found.length) }, body: rows };
}

function listSellers(query: Query): TestAnswer {
  const { rows } = pageOf(sellers, numberIn(query, 'offset', 0), numberIn(query, 'limit', 50));
  return { status: 200, body: { data: rows, total: sellers.length } };
}

function listNotices(query: Query): TestAnswer {
  const token = query.get('page_token');
  const state = token === null ? { at: 0 } : decode(token);
  if (state === undefined) return { status: 400, body: { detail: 'no token of this list' } };
  const found = notices.filter(({ urgent }) => isAsked(query, 'urgent', urgent));
  const { rows, next } = pageOf(found, Number(state.at), numberIn(query, 'page_size', 50));
  return { status: 200, body: { notices: rows, next_page_token: next === undefined ? null : encode({ at: next }) } };
}

/** A server that conforms to `fixtures/market.yaml`. It has no offer at first. */
export function createMarket(validate: Validate): Handler {
  const offers = new Map<string, JsonObject>();
  let count = 0;
  const unknown: TestAnswer = { status: 404, body: { detail: 'not here' } };
  const routes: readonly (readonly [
    RegExp,
    Readonly<Record<string, (request: TestRequest, id: string) => TestAnswer>>,
  ])[] = [
    [/^\/sellers$/, { GET: ({ query }) => listSellers(query) }],
    [/^\/notices$/, { GET: ({ query }) => listNotices(query) }],
    [
      /^\/offers$/,
      {
        GET: ({ query }) => listOffers(query, [...offers.values()]),
        POST: ({ body }) => {
          count += 1;
          const offer = { ...JSON.parse(body), id: count };
          offers.set(String(count), offer);
          return { status: 201, body: offer };
        },
      },
    ],
    [
      /^\/offers\/([^/]+)$/,
      {
        GET: (_, id) => (offers.has(id) ? { status: 200, body: offers.get(id) } : unknown),
        PUT: ({ body }, id) => {
          if (!offers.has(id)) return unknown;
          offers.set(id, { ...JSON.parse(body), id: Number(id) });
          return { status: 200, body: offers.get(id) };
        },
        PATCH: ({ body }, id) => {
          if (!offers.has(id)) return unknown;
          offers.set(id, { ...offers.get(id), ...JSON.parse(body), id: Number(id) });
          return { status: 200, body: offers.get(id) };
        },
        DELETE: (_, id) => (offers.delete(id) ? { status: 204 } : unknown),
      },
    ],
  ];
  return (request) => {
    const { path, method } = request;
    const [matcher, methods] = routes.find(([pattern]) => pattern.test(path)) ?? [];
    if (matcher === undefined || methods === undefined) return unknown;
    const handle = methods[method === 'HEAD' ? 'GET' : method];
    if (handle === undefined)
      return { status: 405, headers: { allow: Object.keys(methods).join(', ') }, body: { detail: 'no such method' } };
    const validated = validate(request);
    if ('fault' in validated)
      return { status: validated.fault === 'syntax' ? 400 : 422, body: { detail: validated.reason } };
    const body = JSON.stringify(validated.content ?? {});
    return handle({ ...request, body }, matcher.exec(path)?.[1] ?? '');
  };
}
