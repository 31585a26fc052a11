// If these fail, `lockstep mock` cuts or filters lists in another way than their parameters state.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, createCaller, inPath, inQuery, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

const item = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    state: { type: 'string', enum: ['open', 'closed'] },
    size: { type: 'integer' },
    note: { type: 'string' },
  },
  required: ['id'],
};

/** @param query schemas of the parameters of the list */
async function listOf(query: JsonObject, items: readonly JsonObject[], sent: JsonObject): Promise<readonly unknown[]> {
  const json = (schema: JsonObject) => ({ description: 'Success', content: { 'application/json': { schema } } });
  const { call } = openPaths({
    '/things': {
      get: {
        operationId: 'list',
        parameters: Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
        responses: { 200: json({ type: 'array', items: item }) },
      },
      post: {
        operationId: 'create',
        requestBody: { content: { 'application/json': { schema: item } } },
        responses: { 201: json(item) },
      },
      delete: { operationId: 'clear', responses: { 204: { description: 'Success' } } },
    },
    '/things/{id}': {
      get: {
        operationId: 'read',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: json(item) },
      },
    },
  });
  await call('clear', {});
  for (const body of items) await call('create', { body });
  const defaults = Object.entries(query).flatMap(([name, schema]) => {
    const value = (schema as JsonObject).default;
    return value === undefined ? [] : [[name, value] as const];
  });
  const { body } = await call('list', { query: { ...Object.fromEntries(defaults), ...sent } });
  return (body as readonly JsonObject[]).map(({ id }) => id);
}

const three = [
  { id: 1, state: 'open', note: 'a' },
  { id: 2, state: 'closed', note: 'none' },
  { id: 3, state: 'open', note: 'c' },
];

const count = { type: 'integer' };
const states = { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' };

test.each<readonly [string, JsonObject, JsonObject, readonly number[]]>([
  ['`page_length` is the length of a page', { page_length: count }, { page_length: 2 }, [1, 2]],
  ['`count` with a default is the length of a page', { count: { ...count, default: 10 } }, { count: 1 }, [1]],
  ['`count` with a maximum is the length of a page', { count: { ...count, maximum: 10 } }, { count: 1 }, [1]],
  ['`size` with a maximum filters items with a size', { size: { ...count, maximum: 10 } }, { size: 1 }, []],
  ['`start` with the default 1 counts from 1', { start: { ...count, default: 1 } }, { start: 2 }, [2, 3]],
  ['`start` with the default 1 begins with the first item', { start: { ...count, default: 1 } }, {}, [1, 2, 3]],
  ['`start` without a default counts from 0', { start: count }, { start: 2 }, [3]],
  ['a default filters', { state: states }, {}, [1, 3]],
  ['`all` opens a filter', { state: states }, { state: 'all' }, [1, 2, 3]],
  ['the default `none` filters nothing', { note: { type: 'string', default: 'none' } }, {}, [1, 2, 3]],
  ['a text filters', { note: { type: 'string' } }, { note: 'none' }, [2]],
])('%s', async (_, query, sent, ids) => {
  expect(await listOf(query, three, sent)).toEqual(ids);
});

const url = 'https://api.example/things?cursor=x';
const token = /^[\w-]+$/;
const path = /^\/x\?limit=1&cursor=[\w-]+$/;
const address = /^http:\/\/api\.test\/x\?limit=1&cursor=[\w-]+$/;

test.each<readonly [string, JsonObject, readonly string[], RegExp]>([
  ['`next` is a cursor', { next: text }, ['next'], token],
  ['`next` with an address as its example is one', { next: { ...text, examples: [url] } }, ['next'], address],
  ['`next` below `links` is an address', { links: object({ next: text }) }, ['links', 'next'], path],
  ['`next.href` is an address', { _links: object({ next: object({ href: text }) }) }, ['_links', 'next', 'href'], path],
  [
    '`next_cursor` below `links` is a cursor',
    { links: object({ next_cursor: text }) },
    ['links', 'next_cursor'],
    token,
  ],
])('%s', async (_, around, place, expected) => {
  const content = (schema: JsonObject) => ({ description: 'Success', content: { 'application/json': { schema } } });
  const { call } = openPaths({
    '/things': {
      get: {
        operationId: 'list',
        parameters: [
          { name: 'cursor', in: 'query', schema: text },
          { name: 'limit', in: 'query', schema: count },
        ],
        responses: { 200: content(object({ data: { type: 'array', items: item }, ...around })) },
      },
      post: {
        operationId: 'create',
        requestBody: { content: { 'application/json': { schema: item } } },
        responses: { 201: content(item) },
      },
    },
  });
  for (const id of [7, 8, 9]) await call('create', { body: { id } });
  const { body } = await call('list', { query: { limit: 1 } });
  expect(place.reduce<unknown>((part, name) => (part as JsonObject)[name], body)).toMatch(expected);
});

test('a cursor may have a schema without a type', async () => {
  const content = (schema: JsonObject) => ({ description: 'Success', content: { 'application/json': { schema } } });
  const page = object({ items: { type: 'array', items: item }, continuationToken: { type: ['string', 'null'] } });
  const { call } = openPaths({
    '/things': {
      get: {
        operationId: 'list',
        parameters: [inQuery('continuationToken', { oneOf: [{}] }), inQuery('limit', count)],
        responses: { 200: content(page) },
      },
      post: { operationId: 'create', ...sends(item), responses: { 201: content(item) } },
    },
  });
  for (const id of [7, 8]) await call('create', { body: { id } });
  const first = (await call('list', { query: { limit: 1 } })).body as JsonObject;
  const { continuationToken } = first;
  const second = (await call('list', { query: { limit: 100, continuationToken } })).body as JsonObject;
  expect(second.items).not.toEqual(expect.arrayContaining(first.items as unknown[]));
  expect(second.continuationToken).toBeNull();
});

test('a cursor of an id that items of two owners share leads to each item once', async () => {
  const pod = { $ref: '#/components/schemas/Pod' };
  const digits = { type: ['string', 'null'], pattern: '^[0-9]+$' };
  const page = object({ items: { type: 'array', items: pod }, next: digits });
  const { call } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Pods', version: '1' },
    components: { schemas: { Pod: object({ id: count, space: text }, ['id']) } },
    paths: {
      '/pods': {
        get: {
          operationId: 'listAll',
          parameters: [inQuery('after', { ...digits, type: 'string' }), inQuery('limit', count)],
          responses: answers(page),
        },
      },
      '/spaces/{space}/pods': {
        parameters: [inPath('space')],
        post: { operationId: 'create', ...sends(pod), responses: answers(pod) },
      },
      '/spaces/{space}/pods/{id}': {
        parameters: [inPath('space'), inPath('id', count)],
        get: { operationId: 'read', responses: answers(pod) },
        delete: { operationId: 'delete', responses: answers(pod) },
      },
    },
  });
  const { items: examples } = (await call('listAll', { query: { limit: 100 } })).body as { items: JsonObject[] };
  for (const { space, id } of examples) await call('delete', { path: { space, id } });
  for (const space of ['a', 'b'])
    for (const id of [70, 80]) await call('create', { path: { space }, body: { id, space } });
  const found: unknown[] = [];
  let after: unknown;
  do {
    const query = { limit: 1, ...(after !== undefined && { after }) };
    const { items, next } = (await call('listAll', { query })).body as { items: JsonObject[]; next: unknown };
    found.push(...items);
    after = next;
  } while (typeof after === 'string' && found.length < 9);
  expect(found).toEqual(['a', 'b'].flatMap((space) => [70, 80].map((id) => ({ id, space }))));
});

test.each([
  ['rejected', { 400: { description: 'Wrong' } }, 400],
  ['a page without items, where no answer for it is documented', {}, 200],
])('a cursor of no page is %s', async (_, more, status) => {
  const page = object({ items: { type: 'array', items: item }, nextCursor: { type: ['string', 'null'] } });
  const { call } = openPaths({
    '/things': {
      get: {
        operationId: 'list',
        parameters: [inQuery('cursor'), inQuery('limit', count)],
        responses: { ...answers(page), ...more },
      },
      post: { operationId: 'create', ...sends(item), responses: answers(item) },
    },
  });
  await call('create', { body: { id: 7 } });
  const answer = await call('list', { query: { cursor: 'of another list' } });
  expect(answer).toMatchObject({ status, ...(status === 200 && { body: { items: [] } }) });
});

test.each([
  ['q', 'ROSE', ['Rose garden', 'Old wall']],
  ['search', 'wall', ['Old wall']],
  ['query', 'tulip', []],
])('the parameter %s searches all texts for %s', async (name, value, want) => {
  const place = object({
    id: { type: 'integer' },
    title: text,
    tags: { type: 'array', items: text },
    size: { type: 'integer' },
  });
  const { call } = openPaths({
    '/places': {
      get: { operationId: 'list', parameters: [inQuery(name)], responses: answers({ type: 'array', items: place }) },
      post: { operationId: 'create', ...sends(place), responses: answers(place) },
    },
  });
  await call('create', { body: { title: 'Rose garden', tags: [], size: 5 } });
  await call('create', { body: { title: 'Old wall', tags: ['with roses'], size: 6 } });
  const found = (await call('list', { query: { [name]: value } })).body as readonly JsonObject[];
  expect(found.map(({ title }) => title)).toEqual(want);
});

test("a list of one's own is none of all owners", async () => {
  const order = { $ref: '#/components/schemas/Order' };
  const lists = (operationId: string) => ({ operationId, responses: answers({ type: 'array', items: order }) });
  const { roles } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    components: { schemas: { Order: object({ id: text, note: text }) } },
    paths: {
      '/me/orders': { get: lists('listOwn') },
      '/users/{userId}/orders': {
        parameters: [inPath('userId')],
        get: lists('list'),
        post: { operationId: 'create', ...sends(order), responses: answers(order) },
      },
      '/users/{userId}/orders/{orderId}': {
        parameters: [inPath('userId'), inPath('orderId')],
        get: { operationId: 'read', responses: answers(order) },
      },
    },
  });
  const resourceOf = (id: string) => roles.find(({ operationId }) => operationId === id)?.resource;
  expect([resourceOf('listOwn'), resourceOf('list')]).toEqual(['/me/orders', '/users/{}/orders']);
});

test('a list without owners in its path has the items of all owners, and creates none', async () => {
  const pod = object({ name: text, host: text }, ['name']);
  const ref = { $ref: '#/components/schemas/Pod' };
  const lists = (operationId: string) => ({ operationId, responses: answers({ type: 'array', items: ref }) });
  const { call } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Pods', version: '1' },
    components: { schemas: { Pod: pod } },
    paths: {
      '/pods': { get: lists('listAll') },
      '/spaces/{space}/pods': {
        parameters: [inPath('space')],
        get: lists('list'),
        post: { operationId: 'create', ...sends(ref), responses: answers(ref) },
      },
      '/spaces/{space}/pods/{name}': {
        parameters: [inPath('space'), inPath('name')],
        get: { operationId: 'read', responses: answers(ref) },
        delete: { operationId: 'delete', responses: answers(ref) },
      },
    },
  });
  const namesOf = async (operationId: string, space?: string): Promise<unknown> => {
    const { body } = await call(operationId, space === undefined ? {} : { path: { space } });
    return (body as readonly JsonObject[]).map(({ name }) => name);
  };
  for (const [space, name] of [
    ['a', 'one'],
    ['b', 'two'],
  ])
    await call('create', { path: { space }, body: { name } });
  expect(await namesOf('listAll')).toEqual(expect.arrayContaining(['one', 'two']));
  expect(await namesOf('list', 'b')).toEqual(['two']);
  await call('delete', { path: { space: 'b', name: 'two' } });
  expect(await namesOf('listAll')).not.toContain('two');
});

test.each<readonly [string, (list: JsonObject) => JsonObject, unknown]>([
  ['a list', (list) => list, ['main']],
  ['a member', (tags) => object({ tags, more: { type: 'boolean' } }, ['tags']), { tags: ['main'] }],
  ['an only member', (id) => object({ id }), { id: ['main'] }],
])('the ids that %s has are those of its items', async (_, shown, first) => {
  const tag = object({ note: text });
  const { call } = openPaths({
    '/tags': {
      get: { operationId: 'list', responses: answers(shown({ type: 'array', items: text }), undefined, first) },
    },
    '/tags/{tag}': {
      parameters: [inPath('tag')],
      get: { operationId: 'read', responses: answers(tag) },
      put: { operationId: 'add_tag', ...sends(tag), responses: answers(tag) },
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' } } },
    },
  });
  const idsOf = async (): Promise<unknown> => {
    const { body } = await call('list');
    return Array.isArray(body) ? body : ((body as JsonObject).tags ?? (body as JsonObject).id);
  };
  expect((await call('list')).body).toMatchObject(first as JsonObject);
  await call('add_tag', { path: { tag: 'second' }, body: { note: 'B' } });
  expect(await idsOf()).toEqual(['main', 'second']);
  expect((await call('read', { path: { tag: 'second' } })).body).toEqual({ note: 'B' });
  expect((await call('read', { path: { tag: 'third' } })).status).toBe(404);
  await call('remove', { path: { tag: 'main' } });
  expect(await idsOf()).toEqual(['second']);
});

test('a list of the members of an enum has an item for each', async () => {
  const kinds = { type: 'array', items: { type: 'string', enum: ['all', 'os'] } };
  const { call } = openPaths({
    '/kinds': { get: { operationId: 'list', responses: answers(kinds) } },
    '/kinds/{kind}': { parameters: [inPath('kind')], get: { operationId: 'read', responses: answers(object({})) } },
  });
  expect((await call('list')).body).toEqual(['all', 'os']);
  const statuses = ['all', 'os', 'none'].map(async (kind) => (await call('read', { path: { kind } })).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 404]);
});

test('words that complete a text are the ids of no items', async () => {
  const words = answers({ type: 'array', items: text }, undefined, ['rose']);
  const { call } = openPaths({
    '/words': { get: { operationId: 'list', parameters: [inQuery('q')], responses: words } },
    '/words/{word}': { parameters: [inPath('word')], get: { operationId: 'read', responses: answers(object({})) } },
  });
  expect((await call('read', { path: { word: 'wall' } })).status).toBe(200);
});

test.each<readonly [string, string, unknown]>([
  ['several ids in a text', 'ids', 'a,c'],
  ['an id, where the member may be the object with it', 'owner', 'ann'],
])('%s select their items', async (_, name, value) => {
  const owner = { anyOf: [text, object({ id: text })] };
  const thing = object({ id: text, owner }, ['id']);
  const { call } = openPaths({
    '/things': {
      get: {
        operationId: 'list',
        parameters: [inQuery('ids'), inQuery('owner')],
        responses: answers({ type: 'array', items: thing }),
      },
      post: { operationId: 'create', ...sends(thing), responses: answers(thing) },
    },
    '/things/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(thing) } },
  });
  const owners = { a: 'ann', b: 'bob', c: { id: 'ann' } };
  for (const [id, own] of Object.entries(owners)) await call('create', { body: { id, owner: own } });
  const { body } = await call('list', { query: { [name]: value } });
  expect((body as readonly JsonObject[]).map(({ id }) => id)).toEqual(['a', 'c']);
});
