import { isObject, type JsonObject } from '../contract/document.ts';
import { asking, by, type Instead, type SeededFault, withBody } from './faults.ts';
import type { TestAnswer } from './serve.ts';

const ofRecords = '#/paths/~1records/get/x-pagination';
const ofOffers = '#/paths/~1offers/get/parameters';
const ofSellers = '#/paths/~1sellers/get/parameters';
const ofNotices = '#/paths/~1notices/get/parameters';

const records = /^GET \/v1\/records(\?|$)/;
const offers = /^GET \/offers(\?|$)/;
const sellers = /^GET \/sellers/;
const notices = /^GET \/notices/;

/** Changes the items of a page. @param member the name of the list; undefined if the answer is the list */
const withList = (
  member: string | undefined,
  change: (items: readonly JsonObject[], query: URLSearchParams) => readonly JsonObject[],
): Required<SeededFault>['change'] => {
  return (answer, { query }): TestAnswer => {
    const { body } = answer;
    if (Array.isArray(body)) return { ...answer, body: change(body, query) };
    if (!isObject(body) || member === undefined) return answer;
    return { ...answer, body: { ...body, [member]: change(body[member] as JsonObject[], query) } };
  };
};

const add = (query: URLSearchParams, name: string, more: number): void =>
  query.has(name) ? query.set(name, String(Number(query.get(name)) + more)) : undefined;

/** Keeps the place of the client: a cursor of an earlier page leads to nothing. @param name its parameter */
const keepingPlace = (path: string, name: string, nothing: JsonObject): Instead => {
  let place = 0;
  return async (request, handle) => {
    const cursor = request.query.get(name);
    const answer = await handle(request);
    if (request.path !== path || answer.status !== 200) return answer;
    const at = cursor === null ? 0 : Number(JSON.parse(Buffer.from(cursor, 'base64url').toString()).at);
    const isPassed = at > 0 && at < place;
    place = at;
    return isPassed ? { ...answer, body: nothing } : answer;
  };
};

/** Reads a cursor without one member of its query. */
const forgetting =
  (name: string): Instead =>
  async (request, handle) => {
    const answer = await handle(request);
    const cursor = request.query.get('cursor');
    if (cursor === null || answer.status !== 200) return answer;
    const state = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const other = Buffer.from(JSON.stringify({ ...state, [name]: undefined })).toString('base64url');
    const query = new URLSearchParams(request.query);
    query.set('cursor', other);
    query.delete(name);
    return handle({ ...request, query });
  };

const firstPage = Buffer.from(JSON.stringify({ at: 0 })).toString('base64url');

/** Faults of paging, filters and order. */
export const listFaults: readonly SeededFault[] = [
  {
    ...{ name: 'the length of a page is ignored', api: 'archive', at: records },
    instead: asking((query) => query.delete('limit')),
    caughtBy: by('page-size', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'a page has one item more', api: 'market', at: offers },
    instead: asking((query) => (query.get('per_page') === '40' ? undefined : add(query, 'per_page', 1))),
    caughtBy: by('page-size', 'list_offers', `${ofOffers}/1`, 'per_page'),
  },
  {
    ...{ name: 'the last page leads to the first', api: 'archive', at: records },
    change: withBody((body) => ({ ...body, next: body.next === '' ? firstPage : body.next })),
    caughtBy: by('page-ends', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the last page leads to the first', api: 'market', at: notices },
    change: withBody((body) => ({ ...body, next_page_token: body.next_page_token ?? firstPage })),
    caughtBy: by('page-ends', 'list_notices', `${ofNotices}/0`, 'page_token'),
  },
  {
    ...{ name: 'the last page has no declared end', api: 'archive', at: records },
    change: withBody((body) => ({ ...body, next: body.next === '' ? undefined : body.next })),
    caughtBy: by('page-ends', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'a page begins with the last item of the page before', api: 'market', at: sellers },
    instead: asking((query) => (query.get('offset') === '0' ? undefined : add(query, 'offset', -1))),
    caughtBy: by('page-duplicate', 'list_sellers', `${ofSellers}/0`, 'offset'),
  },
  {
    ...{ name: 'the number of the page is ignored', api: 'market', at: offers },
    instead: asking((query) => query.delete('page')),
    caughtBy: by('page-duplicate', 'list_offers', `${ofOffers}/0`, 'page'),
  },
  {
    ...{ name: 'the second page repeats an item', api: 'archive', at: records },
    change: withList('records', (items, query) =>
      query.has('cursor') && items.length > 1 ? [...items.slice(0, 1), ...items.slice(0, -1)] : items,
    ),
    caughtBy: by('page-duplicate', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'pages are counted from 0', api: 'market', at: offers },
    instead: asking((query) => add(query, 'page', 1)),
    caughtBy: by('page-gap', 'list_offers', `${ofOffers}/0`, 'page'),
  },
  {
    ...{ name: 'each page loses its last item', api: 'archive', at: records },
    change: withList('records', (items, query) => (query.get('limit') === '3' ? items.slice(0, -1) : items)),
    caughtBy: by('page-gap', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the total counts the page', api: 'archive', at: records },
    change: withBody((body) => ({ ...body, found: { total: (body.records as unknown[]).length } })),
    caughtBy: by('page-total', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the total counts one item more', api: 'market', at: sellers },
    change: withBody((body) => ({ ...body, total: 6 })),
    caughtBy: by(
      'page-total',
      'list_sellers',
      '#/paths/~1sellers/get/responses/200/content/application~1json/schema/properties/total',
      'total',
    ),
    severity: 'suspect',
  },
  {
    ...{ name: 'short pages have another order', api: 'archive', at: records },
    change: withList('records', (items, query) => (query.get('limit') === '3' ? items.toReversed() : items)),
    caughtBy: by('limit-neutral', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'long pages have another order', api: 'market', at: offers },
    change: withList(undefined, (items, query) =>
      Number(query.get('per_page')) > 2 && query.size === 1 ? items.toReversed() : items,
    ),
    caughtBy: by('limit-neutral', 'list_offers', `${ofOffers}/1`, 'per_page'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a cursor is good until the next page', api: 'archive' },
    instead: keepingPlace('/v1/records', 'cursor', { records: [], next: '', found: { total: 7 } }),
    caughtBy: by('page-cursor', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the server forgets the pages before', api: 'market' },
    instead: keepingPlace('/notices', 'page_token', { notices: [], next_page_token: null }),
    caughtBy: by('page-cursor', 'list_notices', `${ofNotices}/0`, 'page_token'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a declared filter is ignored', api: 'archive', at: records },
    instead: asking((query) => query.delete('kind')),
    caughtBy: by('filter-ignored', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'a filter is ignored', api: 'market', at: offers },
    instead: asking((query) => query.delete('state')),
    caughtBy: by('filter-ignored', 'list_offers', `${ofOffers}/2`, 'state'),
  },
  {
    ...{ name: 'a filter of numbers is ignored', api: 'market', at: offers },
    instead: asking((query) => query.delete('stall')),
    caughtBy: by('filter-ignored', 'list_offers', `${ofOffers}/4`, 'stall'),
  },
  {
    ...{ name: 'a filter of yes and no is ignored', api: 'market', at: notices },
    instead: asking((query) => query.delete('urgent')),
    caughtBy: by('filter-ignored', 'list_notices', `${ofNotices}/2`, 'urgent'),
  },
  {
    ...{ name: 'a filter loses its last item', api: 'archive', at: records },
    change: withList('records', (items, query) => (query.has('kind') ? items.slice(0, -1) : items)),
    caughtBy: by('filter-loses', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'a filter finds nothing', api: 'market', at: notices },
    change: withList('notices', (items, query) => (query.get('urgent') === 'true' ? [] : items)),
    caughtBy: by('filter-loses', 'list_notices', `${ofNotices}/2`, 'urgent'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a bound is ignored', api: 'archive', at: records },
    instead: asking((query) => query.delete('until')),
    caughtBy: by('filter-range', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'a bound is ignored', api: 'market', at: offers },
    instead: asking((query) => query.delete('min_price')),
    caughtBy: by('filter-range', 'list_offers', `${ofOffers}/3`, 'min_price'),
  },
  {
    ...{ name: 'an order forgets the filter', api: 'archive', at: records },
    instead: asking((query) => (query.has('sort') ? query.delete('kind') : undefined)),
    caughtBy: by('filter-ignored', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the last record has no address', api: 'archive', at: /^GET \/v1\/records\/r-7$/ },
    change: () => ({ status: 404, body: { error: 'none' } }),
    caughtBy: by('list-detail', 'readRecord', '#/paths/~1records~1{no}/get', 'missing'),
  },
  {
    ...{ name: 'a cursor forgets the filter', api: 'archive', at: records },
    instead: forgetting('kind'),
    caughtBy: by('page-cursor', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'an order is that of another member', api: 'archive', at: records },
    instead: asking((query) => (query.get('sort') === '-taken' ? query.set('sort', 'no') : undefined)),
    caughtBy: by('sort-wrong', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'without an order the list has another one than the first', api: 'archive', at: records },
    instead: asking((query) => (query.has('sort') || query.has('cursor') ? undefined : query.set('sort', 'taken'))),
    caughtBy: by('sort-wrong', 'listRecords', ofRecords, 'x-pagination'),
  },
  {
    ...{ name: 'the direction is ignored', api: 'market', at: offers },
    instead: asking((query) => query.delete('order')),
    caughtBy: by('sort-wrong', 'list_offers', `${ofOffers}/5`, 'sort_by'),
  },
  {
    ...{ name: 'numbers are ordered as text', api: 'market', at: offers },
    change: withList(undefined, (items, query) =>
      query.get('sort_by') === 'price' && query.get('order') === 'asc'
        ? items.toSorted((a, b) => (String(a.price) < String(b.price) ? 1 : -1))
        : items,
    ),
    caughtBy: by('sort-wrong', 'list_offers', `${ofOffers}/5`, 'sort_by'),
  },
  {
    ...{ name: 'the list has other titles than the records', api: 'archive', at: records },
    change: withList('records', (items) =>
      items.map((item) => ({ ...item, title: String(item.title).replace(/^./, 'Z') })),
    ),
    caughtBy: by('list-detail', 'readRecord', '#/components/schemas/Record/properties/title', 'title'),
  },
  {
    ...{ name: 'the list has older names than the objects', api: 'market', at: offers },
    change: withList(undefined, (items) => items.map((item) => ({ ...item, name: `old ${item.name}` }))),
    caughtBy: by('list-detail', 'get_offer', '#/components/schemas/NewOffer/properties/name', 'name'),
  },
];
