import { isObject, type JsonObject } from '../contract/document.ts';
import type { Clock } from '../execute/clock.ts';
import { createTestClock } from '../seeded/apis.ts';
import { asking, type Instead } from '../seeded/faults.ts';
import type { TestAnswer } from '../seeded/serve.ts';
import { withOffers } from './filter-servers.ts';
import type { FalsePositiveServer } from './servers.ts';

const sellers = /^GET \/sellers/;
const notices = /^GET \/notices/;

/** Answers with pages of other rows. @param read called for each request */
const withRows =
  (read: () => readonly JsonObject[]): Instead =>
  async (request, handle) => {
    const answer = await handle(request);
    if (answer.status !== 200) return answer;
    const [start, size] = [Number(request.query.get('offset') ?? 0), Number(request.query.get('limit') ?? 50)];
    const rows = read();
    return { ...answer, body: { data: rows.slice(start, start + size), total: rows.length } };
  };

const withNotices =
  (change: (items: readonly JsonObject[]) => readonly JsonObject[]) =>
  (answer: TestAnswer): TestAnswer => {
    const { body } = answer;
    if (!isObject(body) || !Array.isArray(body.notices)) return answer;
    return { ...answer, body: { ...body, notices: change(body.notices) } };
  };

const rowsOf = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `seller ${id}` }));

/** Pseudo-random numbers (Park and Miller): the order of a list without one. */
function createDice(): () => number {
  let state = 20_26;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}

function createGrowing(): () => readonly JsonObject[] {
  let count = 5;
  return () => {
    count += 1;
    return rowsOf(count).reverse();
  };
}

function createShuffled(count: number): () => readonly JsonObject[] {
  const dice = createDice();
  return () =>
    rowsOf(count)
      .map((row) => ({ row, at: dice() }))
      .sort((a, b) => a.at - b.at)
      .map(({ row }) => row);
}

/** A cursor is the name of a walk, whose place the server keeps. */
const walking = (): Instead => {
  const places = new Map<string, string | null>();
  let count = 0;
  return async (request, handle) => {
    const name = request.query.get('page_token');
    const query = new URLSearchParams(request.query);
    const place = name === null ? undefined : places.get(name);
    if (typeof place === 'string') query.set('page_token', place);
    const answer = await handle({ ...request, query });
    const { next_page_token: next } = Object(answer.body);
    if (answer.status !== 200 || next === undefined) return answer;
    if (name === null) count += 1;
    const own = name ?? `walk-${count}`;
    places.set(own, next);
    return { ...answer, body: { ...Object(answer.body), next_page_token: next === null ? null : own } };
  };
};

/** Rows of sellers in the order of their relevance, which depends on the length of the page. */
const byRelevance: Instead = async (request, handle) => {
  const answer = await handle(request);
  const size = Number(request.query.get('limit') ?? 50);
  const rows = size < 5 ? rowsOf(5).reverse() : rowsOf(5);
  const start = Number(request.query.get('offset') ?? 0);
  return answer.status === 200 ? { ...answer, body: { data: rows.slice(start, start + size), total: 5 } } : answer;
};

const ofOffers = /^GET \/offers/;

/** An item is read from a replica that has its last name 700 ms later. */
const replicating = (clock: Clock): Instead => {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return async (request, handle) => {
    const answer = await handle(request);
    if (request.method !== 'GET' && answer.status < 300) writtenAt = clock.now();
    const isBehind = request.method === 'GET' && request.path !== '/offers' && clock.now() < writtenAt + 700;
    return answer.status === 200 && isBehind
      ? { ...answer, body: { ...Object(answer.body), name: 'Name of before' } }
      : answer;
  };
};
const replicaClock = createTestClock();

/** Lists with allowed properties that a walk from page to page has to tell from faults. */
export const listServers: readonly FalsePositiveServer[] = [
  {
    ...{ name: 'rounds and hides values in lists', api: 'market', at: ofOffers, tempts: ['list-detail'] },
    contract: [
      { at: '#/components/schemas/Offer/allOf/1/properties/rating', to: { type: 'number' } },
      { at: '#/components/schemas/Offer/allOf/1/properties/mail', to: { type: 'string' } },
    ],
    change: (answer, { path }) =>
      withOffers((offer) => ({
        ...offer,
        ...(path === '/offers'
          ? { rating: 4.3, mail: 'ida***@example.com' }
          : { rating: 4.26, mail: 'ida@example.com' }),
      }))(answer),
  },
  {
    ...{ name: 'reads an item from a replica of its list', api: 'market', at: / \/offers/, tempts: ['list-detail'] },
    fresh: () => replicating(replicaClock),
    options: { clock: replicaClock },
  },
  {
    ...{ name: 'estimates the number of items', api: 'market', at: sellers, tempts: ['page-total'] },
    change: (answer) =>
      answer.status === 200 ? { ...answer, body: { ...Object(answer.body), total: 1_000 } } : answer,
    inconclusive: ['page-total'],
  },
  {
    ...{ name: 'keeps the place of each walk', api: 'market', at: notices, tempts: ['page-cursor', 'page-ends'] },
    fresh: walking,
    inconclusive: ['page-cursor'],
  },
  {
    ...{ name: 'orders short pages by relevance', api: 'market', at: sellers, tempts: ['limit-neutral'] },
    instead: byRelevance,
    inconclusive: ['limit-neutral'],
  },
  {
    ...{ name: 'sends related items next to those of the page', api: 'market', at: sellers, tempts: ['page-size'] },
    contract: [
      {
        at: '#/paths/~1sellers/get/responses/200/content/application~1json/schema/properties/also',
        to: { type: 'array', items: { $ref: '#/components/schemas/Seller' } },
      },
    ],
    change: (answer) =>
      answer.status === 200 ? { ...answer, body: { also: rowsOf(5), ...Object(answer.body) } } : answer,
  },
  {
    ...{ name: 'shows texts without markup in lists', api: 'market', at: ofOffers, tempts: ['list-detail'] },
    contract: [{ at: '#/components/schemas/Offer/allOf/1/properties/blurb', to: { type: 'string' } }],
    change: (answer, { path }) =>
      withOffers((offer) => ({
        ...offer,
        blurb: path === '/offers' ? `Lamp & shade ${offer.id}` : `<p>Lamp &amp; <b>shade</b> ${offer.id}</p>`,
      }))(answer),
  },
  {
    name: 'gets a new first item between two reads',
    tempts: ['page-duplicate', 'page-total'],
    api: 'market',
    at: sellers,
    instead: withRows(createGrowing()),
  },
  {
    name: 'has no order',
    tempts: ['limit-neutral', 'page-gap', 'page-duplicate'],
    api: 'market',
    at: sellers,
    instead: withRows(createShuffled(5)),
  },
  {
    name: 'has no order of two items',
    tempts: ['limit-neutral'],
    api: 'market',
    at: sellers,
    instead: withRows(createShuffled(2)),
  },
  {
    ...{ name: 'has items with one id', tempts: ['page-duplicate'], api: 'market', at: sellers },
    instead: withRows(() => rowsOf(4).map((row) => ({ ...row, id: 1 }))),
  },
  {
    ...{ name: 'keeps pages shorter than asked for', tempts: ['page-gap'], api: 'market', at: sellers },
    instead: asking((query) => query.set('limit', String(Math.min(2, Number(query.get('limit') ?? 2))))),
  },
  {
    ...{
      name: 'keeps numbered pages shorter than asked for',
      tempts: ['page-gap'],
      api: 'market',
      at: /^GET \/offers(\?|$)/,
    },
    instead: asking((query) => query.set('per_page', String(Math.min(2, Number(query.get('per_page') ?? 2))))),
  },
  {
    ...{ name: 'answers with its last page beyond the end', tempts: ['page-duplicate'], api: 'market', at: sellers },
    instead: asking((query) => query.set('offset', String(Math.min(4, Number(query.get('offset') ?? 0))))),
  },
  {
    ...{ name: 'has short pages in the middle', tempts: ['page-ends', 'page-gap'], api: 'market', at: notices },
    instead: asking((query) => query.set('page_size', String(Math.max(1, Number(query.get('page_size') ?? 9) - 1)))),
  },
  {
    ...{ name: 'has an empty first page', tempts: ['page-ends', 'page-gap'], api: 'market', at: notices },
    instead: async (request, handle) => {
      if (request.query.has('page_token')) return handle(request);
      const answer = await handle(request);
      const first = Buffer.from(JSON.stringify({ at: 0 })).toString('base64url');
      return answer.status === 200 ? { ...answer, body: { notices: [], next_page_token: first } } : answer;
    },
  },
  {
    ...{ name: 'counts the reads of an item', tempts: ['page-cursor'], api: 'market', at: notices },
    change: (answer, _, count) => withNotices((items) => items.map((item) => ({ ...item, reads: count })))(answer),
  },
  {
    ...{
      name: 'rejects a filter together with a cursor',
      tempts: ['page-cursor'],
      api: 'archive',
      at: /^GET \/v1\/records/,
    },
    instead: (request, handle) =>
      request.query.has('cursor') && request.query.has('kind')
        ? { status: 400, body: { error: 'no' } }
        : handle(request),
  },
  {
    ...{ name: 'cuts texts in lists', tempts: ['list-detail'], api: 'archive', at: /^GET \/v1\/records(\?|$)/ },
    change: (answer, { path }) => {
      const { body } = answer;
      if (!path.endsWith('/records') || !isObject(body) || !Array.isArray(body.records)) return answer;
      const short = body.records.map((row: JsonObject) => ({ ...row, title: `${String(row.title).slice(0, 5)}…` }));
      return { ...answer, body: { ...body, records: short } };
    },
  },
  {
    ...{ name: 'counts the reads of an object', tempts: ['list-detail'], api: 'market', at: /^GET \/offers/ },
    change: (answer, { path }, count) => {
      if (answer.status !== 200 || !path.startsWith('/offers')) return answer;
      const counted = (row: unknown): unknown => ({ ...(row as JsonObject), views: count });
      return { ...answer, body: Array.isArray(answer.body) ? answer.body.map(counted) : counted(answer.body) };
    },
  },
  {
    ...{ name: 'shows one example of a list to every query', api: 'archive', at: /^GET \/v1\/records/ },
    instead: async (request, handle) => {
      const path = request.path.replace(/r-\d+$/, 'r-1');
      const answer = await handle({ ...request, path });
      return answer.status === 200 ? handle({ ...request, path, query: new URLSearchParams() }) : answer;
    },
  },
];
