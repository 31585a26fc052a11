import { contractOf } from '../seeded/by-hand.ts';
import type { Handler, TestAnswer } from '../seeded/serve.ts';
import { createValidation } from '../seeded/validate.ts';

const named = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 3 } } };
const item = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };
const body = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const answers = (status: number, schema?: object) => ({
  [status]: { description: 'Done', ...(schema && { content: { 'application/json': { schema } } }) },
  '4XX': { description: 'No' },
});
const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

export const shopsDocument = {
  openapi: '3.1.0',
  info: { title: 'Shops', version: '1' },
  paths: {
    // The create comes first: the run has read no list before it.
    '/shops': {
      post: { operationId: 'addShop', requestBody: body(named), responses: answers(201, {}) },
      get: { operationId: 'listShops', responses: answers(200, {}) },
    },
    '/shops/{slug}': {
      parameters: [parameter('slug')],
      get: { operationId: 'readShop', responses: answers(200, {}) },
      patch: { operationId: 'renameShop', requestBody: body(named), responses: answers(200, {}) },
      delete: { operationId: 'removeShop', responses: answers(204) },
    },
    '/shops/{slug}/items': {
      parameters: [parameter('slug')],
      get: { operationId: 'listItems', responses: answers(200, {}) },
      post: { operationId: 'addItem', requestBody: body(item), responses: answers(200, {}) },
    },
    '/shops/{slug}/items/{itemId}': {
      parameters: [parameter('slug'), parameter('itemId')],
      delete: { operationId: 'removeItem', responses: answers(204) },
    },
    '/labels/{label}': {
      parameters: [parameter('label')],
      put: { operationId: 'putLabel', requestBody: body(item), responses: answers(201, {}) },
      delete: { operationId: 'removeLabel', responses: answers(204) },
    },
  },
};

export const shopsContract = contractOf(shopsDocument.paths);

const validate = createValidation(shopsDocument);

interface Shop {
  readonly slug: string;
  name: string;
  readonly items: Map<string, unknown>;
}

/** Shops by name with items by number, and labels: a PUT creates one, and no answer lists them. */
export function createShops(other?: Pick<Shop, 'slug' | 'name'>): {
  readonly handle: Handler;
  readonly dump: () => unknown;
} {
  const shops = new Map<string, Shop>([['mill', { slug: 'mill', name: 'Mill', items: new Map([['1', { size: 3 }]]) }]]);
  if (other !== undefined) shops.set(other.slug, { ...other, items: new Map() });
  const labels = new Map<string, unknown>([['blue', {}]]);
  let count = 1;
  const none: TestAnswer = { status: 404, body: { error: 'no such thing' } };
  const show = ({ slug, name }: Shop): object => ({ number: 1, slug, name });
  const routes: readonly (readonly [RegExp, (ids: string[], body: string) => TestAnswer])[] = [
    [/^GET \/shops$/, () => ({ status: 200, body: { shops: [...shops.values()].map(show) } })],
    [
      /^POST \/shops$/,
      (_, text) => {
        const { name } = JSON.parse(text);
        const slug = String(name).toLowerCase();
        if (shops.has(slug)) return { status: 409, body: { error: 'name is taken' } };
        const shop = { slug, name, items: new Map() };
        shops.set(slug, shop);
        return { status: 201, body: show(shop) };
      },
    ],
    [
      /^GET \/shops\/([^/]+)$/,
      ([slug = '']) => {
        const shop = shops.get(slug);
        return shop === undefined ? none : { status: 200, body: show(shop) };
      },
    ],
    [
      /^PATCH \/shops\/([^/]+)$/,
      ([slug = ''], text) => {
        const shop = shops.get(slug);
        if (shop === undefined) return none;
        shop.name = JSON.parse(text).name;
        return { status: 200, body: show(shop) };
      },
    ],
    [/^DELETE \/shops\/([^/]+)$/, ([slug = '']) => (shops.delete(slug) ? { status: 204 } : none)],
    [
      /^GET \/shops\/([^/]+)\/items$/,
      ([slug = '']) => {
        const items = shops.get(slug)?.items;
        if (items === undefined) return none;
        return { status: 200, body: [...items].map(([id, values]) => ({ id: Number(id), ...Object(values) })) };
      },
    ],
    [
      /^POST \/shops\/([^/]+)\/items$/,
      ([slug = ''], text) => {
        const items = shops.get(slug)?.items;
        if (items === undefined) return none;
        count += 1;
        items.set(String(count), JSON.parse(text));
        return { status: 200, body: { data: { id: count, ...JSON.parse(text) } } };
      },
    ],
    [
      /^DELETE \/shops\/([^/]+)\/items\/([^/]+)$/,
      ([slug = '', id = '']) => (shops.get(slug)?.items.delete(id) === true ? { status: 204 } : none),
    ],
    [
      /^PUT \/labels\/([^/]+)$/,
      ([label = ''], text) => {
        labels.set(label, JSON.parse(text));
        return { status: 201, body: {} };
      },
    ],
    [/^DELETE \/labels\/([^/]+)$/, ([label = '']) => (labels.delete(label) ? { status: 204 } : none)],
  ];
  return {
    handle: (request) => {
      const { method, path } = request;
      const validated = validate(request);
      if ('fault' in validated)
        return { status: validated.fault === 'media type' ? 415 : 400, body: { error: validated.reason } };
      const text = JSON.stringify(validated.content ?? {});
      for (const [pattern, answer] of routes) {
        const match = pattern.exec(`${method} ${decodeURIComponent(path)}`);
        if (match !== null) return answer(match.slice(1), text);
      }
      return none;
    },
    dump: () => [[...shops.values()].map((shop) => [show(shop), [...shop.items]]), [...labels]],
  };
}
