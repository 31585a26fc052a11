// Lists with filters and orders that the runner has to tell from faults.
import { isObject, type JsonObject } from '../contract/document.ts';
import { asking } from '../seeded/faults.ts';
import type { TestAnswer } from '../seeded/serve.ts';
import type { ContractEdit } from '../seeded/validate.ts';
import type { FalsePositiveServer } from './servers.ts';

/** Changes the offers of a list, or the one of a read. */
export const withOffers =
  (
    change: (offer: JsonObject) => JsonObject,
    arrange: (offers: readonly JsonObject[]) => readonly JsonObject[] = (offers) => offers,
  ) =>
  (answer: TestAnswer): TestAnswer => {
    const { body, status } = answer;
    if (status !== 200) return answer;
    return { ...answer, body: Array.isArray(body) ? arrange(body.map(change)) : change(Object(body)) };
  };

const ofOffers = /^GET \/offers/;
const offerMembers = (members: Readonly<Record<string, JsonObject>>): ContractEdit[] =>
  Object.entries(members).map(([name, to]) => ({ at: `#/components/schemas/NewOffer/properties/${name}`, to }));
const requiredMembers = ['name', 'price', 'state', 'stall'];

const notices = /^GET \/notices/;

export const filterServers: readonly FalsePositiveServer[] = [
  {
    ...{ name: 'shows pinned offers first', api: 'market', at: ofOffers, tempts: ['sort-wrong'] },
    contract: [{ at: '#/components/schemas/Offer/allOf/1/properties/pinned', to: { type: 'boolean' } }],
    change: withOffers(
      (offer) => ({ ...offer, pinned: Number(offer.price) > 1 }),
      (offers) => offers.toSorted((a, b) => Number(b.pinned) - Number(a.pinned)),
    ),
    inconclusive: ['sort-wrong'],
  },
  {
    ...{ name: 'orders titles without their article', api: 'market', at: ofOffers, tempts: ['sort-wrong'] },
    contract: [
      { at: '#/components/schemas/Offer/allOf/1/properties/title', to: { type: 'string' } },
      { at: '#/paths/~1offers/get/parameters/5/schema/enum', to: ['price', 'title'] },
    ],
    change: (answer, { query }) => {
      const plain = ({ title }: JsonObject): string => String(title).replace('The ', '');
      const way = query.get('order') === 'desc' ? -1 : 1;
      return withOffers(
        (offer) => ({ ...offer, title: Number(offer.id) % 2 === 1 ? 'The Ark' : 'Lamp' }),
        (offers) =>
          query.get('sort_by') === 'title'
            ? offers.toSorted((a, b) => way * plain(a).localeCompare(plain(b), 'en'))
            : offers,
      )(answer);
    },
    inconclusive: ['sort-wrong'],
  },
  {
    ...{ name: 'has a parameter for the version of the API', api: 'market', at: ofOffers, tempts: ['filter-ignored'] },
    contract: [
      { at: '#/paths/~1offers/get/parameters/4/name', to: 'version' },
      ...offerMembers({ version: { type: 'integer', minimum: 1 } }),
      { at: '#/components/schemas/NewOffer/required', to: [...requiredMembers, 'version'] },
    ],
  },
  {
    ...{ name: 'orders offers within each hall', api: 'market', at: ofOffers, tempts: ['sort-wrong'] },
    contract: [{ at: '#/components/schemas/Offer/allOf/1/properties/hall', to: { type: 'string' } }],
    change: withOffers(
      (offer) => ({ ...offer, hall: Number(offer.price) > 1 ? 'A' : 'B' }),
      (offers) => offers.toSorted((a, b) => (String(a.hall) < String(b.hall) ? -1 : a.hall === b.hall ? 0 : 1)),
    ),
    inconclusive: ['sort-wrong'],
  },
  {
    ...{ name: 'has bounds of prices in another unit', api: 'market', at: ofOffers, tempts: ['filter-range'] },
    contract: [{ at: '#/paths/~1offers/get/parameters/3/name', to: 'max_price' }],
    instead: async (request, handle) => {
      const answer = await handle(request);
      const most = request.query.get('max_price');
      return most === null
        ? answer
        : withOffers(
            (offer) => offer,
            (offers) => offers.filter(({ price }) => Number(price) <= 100 * Number(most)),
          )(answer);
    },
    inconclusive: ['filter-range', 'filter-loses'],
  },
  {
    name: 'searches by the words of a text',
    ...{ api: 'market', at: ofOffers, tempts: ['filter-ignored', 'filter-loses'] },
    contract: [
      { at: '#/paths/~1offers/get/parameters/4/name', to: 'name' },
      { at: '#/paths/~1offers/get/parameters/4/schema', to: { type: 'string' } },
    ],
    change: (answer, { query }) => {
      const words = (query.get('name') ?? '').split(/[^a-z]+/);
      const isFound = ({ name }: JsonObject): boolean => words.some((word) => String(name).includes(word));
      return withOffers(
        (offer) => offer,
        (offers) => offers.filter(isFound),
      )(answer);
    },
    inconclusive: ['filter-ignored'],
  },
  {
    name: 'keeps filtered pages shorter, in another order',
    ...{ api: 'market', at: /^GET \/offers\?/, tempts: ['filter-loses', 'page-gap'] },
    instead: async (request, handle) => {
      const isFiltered = request.query.has('state') || request.query.has('stall');
      const answer = await handle(request);
      return isFiltered
        ? withOffers(
            (offer) => offer,
            (offers) => offers.toReversed().slice(0, 1),
          )(answer)
        : answer;
    },
    inconclusive: ['filter-loses'],
  },
  {
    ...{
      name: 'selects what was open at a time',
      api: 'archive',
      at: /^GET \/v1\/records(\?|$)/,
      tempts: ['filter-range'],
    },
    contract: [
      { at: '#/paths/~1records/get/x-pagination' },
      { at: '#/paths/~1records/get/parameters/3/name', to: 'taken_after' },
      { at: '#/paths/~1records/get/parameters/4/name', to: 'unused' },
    ],
    change: (answer, { query }) => {
      const from = query.get('taken_after');
      const { records: rows, ...others } = Object(answer.body);
      if (from === null || !Array.isArray(rows)) return answer;
      const isOpen = ({ taken }: JsonObject): boolean =>
        Number(String(taken).slice(0, 4)) + 30 >= Number(from.slice(0, 4));
      return { ...answer, body: { ...others, records: rows.filter(isOpen) } };
    },
    inconclusive: ['filter-range', 'page-total', 'page-cursor', 'limit-neutral', 'filter-loses'],
  },
  {
    ...{ name: 'adds what a flag includes', tempts: ['filter-ignored'], api: 'market', at: notices },
    instead: asking((query) => (query.get('urgent') === 'true' ? query.delete('urgent') : undefined)),
  },
  {
    ...{
      name: 'reads a state as that or a later one',
      tempts: ['filter-ignored'],
      api: 'market',
      at: /^GET \/offers(\?|$)/,
    },
    instead: asking((query) => (query.get('state') === 'open' ? query.delete('state') : undefined)),
    inconclusive: ['filter-ignored'],
  },
  {
    ...{
      name: 'has a bound that excludes the value itself',
      tempts: ['filter-range', 'filter-loses'],
      api: 'market',
      at: /^GET \/offers(\?|$)/,
    },
    instead: asking((query) => {
      const price = query.get('min_price');
      if (price !== null) query.set('min_price', String(Number(price) + 1));
    }),
  },
  {
    ...{ name: 'has no filter for one member', tempts: ['filter-ignored'], api: 'market', at: /^GET \/offers(\?|$)/ },
    contract: [{ at: '#/paths/~1offers/get/parameters/4/name', to: 'stalls' }],
  },
  {
    ...{ name: 'orders text without regard to case', tempts: ['sort-wrong'], api: 'archive', at: /^GET \/v1\/records/ },
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
    ...{
      name: 'has the largest first where no direction is declared',
      tempts: ['sort-wrong'],
      api: 'market',
      at: /^GET \/offers(\?|$)/,
    },
    contract: [{ at: '#/paths/~1offers/get/parameters/6/name', to: 'unused' }],
    instead: asking((query) => query.set('order', 'desc')),
  },
];
