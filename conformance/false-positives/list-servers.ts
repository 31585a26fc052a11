import { isObject, type JsonObject } from '../contract/document.ts';
import { asking, type Instead } from '../seeded/faults.ts';
import type { TestAnswer } from '../seeded/serve.ts';
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

/** Lists with allowed properties that a walk from page to page has to tell from faults. */
export const listServers: readonly FalsePositiveServer[] = [
  { name: 'gets a new first item between two reads', api: 'market', at: sellers, instead: withRows(createGrowing()) },
  { name: 'has no order', api: 'market', at: sellers, instead: withRows(createShuffled(5)) },
  { name: 'has no order of two items', api: 'market', at: sellers, instead: withRows(createShuffled(2)) },
  {
    ...{ name: 'has items with one id', api: 'market', at: sellers },
    instead: withRows(() => rowsOf(4).map((row) => ({ ...row, id: 1 }))),
  },
  {
    ...{ name: 'keeps pages shorter than asked for', api: 'market', at: sellers },
    instead: asking((query) => query.set('limit', String(Math.min(2, Number(query.get('limit') ?? 2))))),
  },
  {
    ...{ name: 'keeps numbered pages shorter than asked for', api: 'market', at: /^GET \/offers(\?|$)/ },
    instead: asking((query) => query.set('per_page', String(Math.min(2, Number(query.get('per_page') ?? 2))))),
  },
  {
    ...{ name: 'answers with its last page beyond the end', api: 'market', at: sellers },
    instead: asking((query) => query.set('offset', String(Math.min(4, Number(query.get('offset') ?? 0))))),
  },
  {
    ...{ name: 'has short pages in the middle', api: 'market', at: notices },
    instead: asking((query) => query.set('page_size', String(Math.max(1, Number(query.get('page_size') ?? 9) - 1)))),
  },
  {
    ...{ name: 'has an empty first page', api: 'market', at: notices },
    instead: async (request, handle) => {
      if (request.query.has('page_token')) return handle(request);
      const answer = await handle(request);
      const first = Buffer.from(JSON.stringify({ at: 0 })).toString('base64url');
      return answer.status === 200 ? { ...answer, body: { notices: [], next_page_token: first } } : answer;
    },
  },
  {
    ...{ name: 'counts the reads of an item', api: 'market', at: notices },
    change: (answer, _, count) => withNotices((items) => items.map((item) => ({ ...item, reads: count })))(answer),
  },
  {
    ...{ name: 'adds what a flag includes', api: 'market', at: notices },
    instead: asking((query) => (query.get('urgent') === 'true' ? query.delete('urgent') : undefined)),
  },
  {
    ...{ name: 'reads a state as that or a later one', api: 'market', at: /^GET \/offers(\?|$)/ },
    instead: asking((query) => (query.get('state') === 'open' ? query.delete('state') : undefined)),
    inconclusive: ['filter-ignored'],
  },
  {
    ...{ name: 'has a bound that excludes the value itself', api: 'market', at: /^GET \/offers(\?|$)/ },
    instead: asking((query) => {
      const price = query.get('min_price');
      if (price !== null) query.set('min_price', String(Number(price) + 1));
    }),
  },
  {
    ...{ name: 'has no filter for one member', api: 'market', at: /^GET \/offers(\?|$)/ },
    contract: [{ at: '#/paths/~1offers/get/parameters/4/name', to: 'stalls' }],
  },
  {
    ...{ name: 'rejects a filter together with a cursor', api: 'archive', at: /^GET \/v1\/records/ },
    instead: (request, handle) =>
      request.query.has('cursor') && request.query.has('kind')
        ? { status: 400, body: { error: 'no' } }
        : handle(request),
  },
  {
    ...{ name: 'orders text without regard to case', api: 'archive', at: /^GET \/v1\/records/ },
    contract: [
      {
        at: '#/paths/~1records/get/x-pagination/sort/values',
        to: { no: ['/no', 'ascending'], title: ['/title', 'ascending'] },
      },
      { at: '#/paths/~1records/get/parameters/5/schema/enum', to: ['no', 'title'] },
    ],
    change: (answer) => {
      const { body } = answer;
      if (!isObject(body)) return answer;
      const small = (row: JsonObject): JsonObject =>
        /^r-[267]$/.test(String(row.no)) ? { ...row, title: String(row.title).toLowerCase() } : row;
      return {
        ...answer,
        body: Array.isArray(body.records) ? { ...body, records: body.records.map(small) } : small(body),
      };
    },
  },
  {
    ...{ name: 'has the largest first where no direction is declared', api: 'market', at: /^GET \/offers(\?|$)/ },
    contract: [{ at: '#/paths/~1offers/get/parameters/6/name', to: 'unused' }],
    instead: asking((query) => query.set('order', 'desc')),
  },
  {
    ...{ name: 'cuts texts in lists', api: 'archive', at: /^GET \/v1\/records(\?|$)/ },
    change: (answer, { path }) => {
      const { body } = answer;
      if (!path.endsWith('/records') || !isObject(body) || !Array.isArray(body.records)) return answer;
      const short = body.records.map((row: JsonObject) => ({ ...row, title: `${String(row.title).slice(0, 5)}…` }));
      return { ...answer, body: { ...body, records: short } };
    },
  },
  {
    ...{ name: 'counts the reads of an object', api: 'market', at: /^GET \/offers/ },
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
