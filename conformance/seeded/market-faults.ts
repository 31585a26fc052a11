// Faults of the market's offers: what a server stores, shows and changes.
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import { readContract } from '../contract/read-contract.ts';
import { colliding, contentOf, drifting, listingDeleted, reviving, storing } from './careless-storage.ts';
import { by, type Instead, type SeededFault, withBody } from './faults.ts';
import { type ContractEdit, readEdited } from './validate.ts';

const market = fileURLToPath(new URL('../fixtures/market.yaml', import.meta.url));

const members = '#/components/schemas/NewOffer/properties';
const offer = '#/paths/~1offers~1{offer_id}';
const [add, change] = [/^POST \/offers$/, /^PUT \/offers\/\d+$/];

/** The second of two equal changes creates another offer. */
const repeating = (): Instead => {
  const last = new Map<string, string>();
  return async (request, handle) => {
    const answer = await handle(request);
    const isRepeat = answer.status === 200 && last.get(request.path) === request.body;
    last.set(request.path, request.body);
    if (isRepeat) await handle({ ...request, method: 'POST', path: '/offers' });
    return answer;
  };
};

/** The list shows each offer with its first price. */
const keepingPrices = (): Instead => {
  const first = new Map<unknown, unknown>();
  return async (request, handle) => {
    const answer = await handle(request);
    const items: readonly JsonObject[] = Array.isArray(answer.body) ? answer.body : [Object(answer.body)];
    if (request.method === 'POST' && answer.status === 201) for (const { id, price } of items) first.set(id, price);
    if (request.method !== 'GET' || !Array.isArray(answer.body)) return answer;
    return { ...answer, body: items.map((item) => ({ ...item, price: first.get(item.id) ?? item.price })) };
  };
};

/** A rejected create stores the offer with a price of its own. */
const storingRejected: Instead = async (request, handle) => {
  const answer = await handle(request);
  const content = parseJson(request.body) === undefined ? {} : contentOf(request);
  if (answer.status === 422) await handle({ ...request, body: JSON.stringify(repaired(content)) });
  return answer;
};

function repaired(content: JsonObject): JsonObject {
  const usual = { name: 'Lamp', price: 5, state: 'open', stall: 3 };
  const own = Object.entries(content).filter(([name, value]) => typeof value === typeof Object(usual)[name]);
  return { ...usual, ...Object.fromEntries(own) };
}

const sides = { type: 'integer', minimum: 0, maximum: 500 };

/** The contract of the market with an object in each offer. */
const sizeEdits: readonly ContractEdit[] = [
  { at: `${members}/size`, to: { type: 'object', required: ['width'], properties: { width: sides, height: sides } } },
];

const rows: readonly Omit<SeededFault, 'api'>[] = [
  {
    ...{ name: 'a new offer is answered with another name', at: add },
    change: withBody((body) => ({ ...body, name: 'Lamp' })),
    caughtBy: by('answer-differs', 'add_offer', `${members}/name`, 'answer'),
  },
  {
    ...{ name: 'a PUT keeps the price', at: change },
    instead: storing((content, before) => ({ ...content, price: before.price })),
    caughtBy: by('put-partial', 'put_offer', `${members}/price`, 'kept'),
  },
  {
    ...{ name: 'a PUT keeps the width of an offer', at: change, edits: sizeEdits },
    amend: () => readContract('market.json', JSON.stringify(readEdited(market, sizeEdits))),
    instead: storing((content, before) => {
      const [sent, old] = [content.size, before.size];
      return isObject(sent) && isObject(old) ? { ...content, size: { ...sent, width: old.width } } : content;
    }),
    caughtBy: by('put-partial', 'put_offer', `${members}/size`, 'kept'),
  },
  {
    ...{ name: 'a PUT gives the offer another id', at: change },
    instead: async (request, handle) => {
      const answer = await handle(request);
      if (answer.status !== 200) return answer;
      await handle({ ...request, method: 'DELETE', body: '' });
      const { body } = await handle({ ...request, method: 'POST', path: '/offers' });
      return { ...answer, body };
    },
    caughtBy: by('stored-differs', 'put_offer', '#/paths/~1offers~1{offer_id}/put', 'gone'),
  },
  {
    ...{
      name: 'the list keeps the price of the create',
      at: /^(GET \/offers(\?|$)|POST \/offers)/,
      instead: keepingPrices(),
    },
    caughtBy: by('stored-differs', 'list_offers', '#/components/schemas/OfferChange/properties/price', 'listed'),
  },
  {
    ...{ name: 'a PUT keeps the note that it leaves out', at: change },
    instead: storing((content, { note }) => ({ ...(note !== undefined && { note }), ...content })),
    caughtBy: by('put-merge', 'put_offer', `${members}/note`, 'left out'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a repeated PUT adds an offer', at: change, instead: repeating() },
    caughtBy: by('put-repeat', 'put_offer', '#/paths/~1offers~1{offer_id}/put', 'created'),
  },
  {
    ...{ name: 'a repeated PUT counts the price up', at: change },
    instead: drifting((content) => ({ ...content, price: Number(content.price) + 1 })),
    caughtBy: by('put-repeat', 'put_offer', `${members}/price`, 'repeated'),
  },
  {
    ...{ name: 'a patch ignores a price of 0', at: /^PATCH/ },
    instead: storing((content, { price }) => (content.price === 0 ? { ...content, price } : content)),
    caughtBy: by('stored-differs', 'change_offer', '#/components/schemas/OfferChange/properties/price', 'stored'),
  },
  {
    ...{ name: 'a patch moves the offer to the first stall', at: /^PATCH/ },
    instead: storing((content) => ({ stall: 1, ...content })),
    caughtBy: by('patch-spills', 'change_offer', '#/components/schemas/OfferChange/properties/stall', 'unsent'),
  },
  {
    ...{ name: 'a create replaces the offer that was created first', at: add, instead: colliding() },
    caughtBy: by('id-collides', 'add_offer', '#/paths/~1offers/post', 'id'),
  },
  {
    ...{ name: 'a list with two filters shows deleted offers', at: /^(GET|DELETE) \/offers/ },
    instead: listingDeleted(({ query }, deleted) =>
      deleted.filter((one) => ['state', 'stall'].every((name) => String(one[name]) === query.get(name))),
    ),
    caughtBy: by('delete-kept', 'delete_offer', `${offer}/delete`, 'deleted'),
  },
  {
    ...{ name: 'a PUT brings a deleted offer back', at: /^\w+ \/offers\/\d+$/, instead: reviving() },
    caughtBy: by('use-after-free', 'put_offer', `${offer}/put`, 'revived'),
    options: { permissions: { effects: [], readOnly: false, writes: 'all' } },
  },
  {
    ...{ name: 'a create stores the highest price as one less', at: add },
    instead: (request, handle) => {
      const content = contentOf(request);
      return handle(
        content.price === 100_000 ? { ...request, body: JSON.stringify({ ...content, price: 99_999 }) } : request,
      );
    },
    caughtBy: by('stored-differs', 'add_offer', `${members}/price`, 'stored'),
    options: { phases: ['story', 'boundary'] },
  },
  {
    ...{ name: 'a rejected create stores the offer', at: add, instead: storingRejected },
    caughtBy: by('failed-write-left-trace', 'add_offer', '#/paths/~1offers/post', 'created'),
  },
];

export const marketFaults: readonly SeededFault[] = rows.map((row) => ({ ...row, api: 'market' }));
