// If these fail, `lockstep mock` loses items of contracts whose ids have other names than the parameters of their paths.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, inPath, inQuery, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

const number = { type: 'integer' };

interface Case {
  readonly parameter: string;
  readonly shape?: JsonObject;
  readonly description?: string;
  readonly made?: JsonObject;
  readonly item: JsonObject;
  readonly id: string;
}

const hash = 'The MD5 hash of the lowercase e-mail address.';

test.each<readonly [string, Case]>([
  ['is a number of its own', { parameter: 'thing_number', shape: number, item: { id: number, number }, id: 'number' }],
  [
    'has a name without the last word',
    { parameter: 'domain_name', item: { domain: text, size: number }, id: 'domain' },
  ],
  ['has the name of a hash', { parameter: 'ref', item: { node_id: text, sha: text }, id: 'sha' }],
  [
    'has the description of the parameter',
    {
      parameter: 'subscriber',
      description: hash,
      item: { list_id: text, email_id: { ...text, description: hash } },
      id: 'email_id',
    },
  ],
  [
    'has a longer name in the answer to a create',
    { parameter: 'tn-number', made: { thingNumber: text }, item: { number: text, size: number }, id: 'thingNumber' },
  ],
  ['has an adjective', { parameter: 'thing', item: { generated_uuid: text, public_key: text }, id: 'generated_uuid' }],
  ['is an index', { parameter: 'step', shape: number, item: { index: number, size: number }, id: 'index' }],
  [
    'has an adjective, and is outside a member that has the name of the item',
    { parameter: 'key', item: { extId: text, thing: object({ note: text }), size: number }, id: 'extId' },
  ],
  [
    'is outside a member that has the name of the item',
    {
      parameter: 'ref',
      item: { sha: text, thing: object({ note: text }), author: object({}), stats: object({}), files: object({}) },
      id: 'sha',
    },
  ],
])('an id that %s is found', async (_, { parameter, shape = text, description, made, item, id }) => {
  const { call } = openPaths({
    '/things': {
      post: { operationId: 'create', ...sends(object({ note: text })), responses: answers(object(made ?? item)) },
    },
    [`/things/{${parameter}}`]: {
      parameters: [{ name: parameter, in: 'path', required: true, schema: shape, ...(description && { description }) }],
      get: { operationId: 'read', responses: answers(object({ ...item, note: text })) },
    },
  });
  for (const note of ['first', 'second']) {
    const { body } = await call('create', { body: { note } });
    const key = (body as JsonObject)[id];
    const { status, body: shown } = await call('read', { path: { [parameter]: key } });
    expect([status, (shown as JsonObject).note]).toEqual([200, note]);
  }
});

test('each item has another id, also if its UUID is written in capitals', async () => {
  const id = { ...text, format: 'uuid', pattern: '^[{(]?[0-9A-F]{8}[-]?([0-9A-F]{4}[-]?){3}[0-9A-F]{12}[)}]?$' };
  const { call } = openPaths({
    '/things': {
      post: { operationId: 'create', ...sends(object({ note: text })), responses: answers(object({ id })) },
    },
    '/things/{thingId}': {
      parameters: [inPath('thingId', { ...text, format: 'uuid' })],
      get: { operationId: 'read', responses: answers(object({ id, note: text })) },
    },
  });
  const made = new Set<unknown>();
  for (let count = 0; count < 40; count += 1) made.add(((await call('create', { body: {} })).body as JsonObject).id);
  expect(made.size).toBe(40);
});

test('an id is a number in a text where a longer path has a number', async () => {
  const list = { type: 'array', items: object({ note: text }) };
  const { call } = openPaths({
    '/things': {
      post: { operationId: 'create', ...sends(object({ note: text })), responses: answers(object({ id: text })) },
    },
    '/things/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: answers(object({ id: text })) },
    },
    '/things/{id}/parts': {
      parameters: [inPath('id', number)],
      get: { operationId: 'parts', responses: answers(list) },
    },
  });
  const { id } = (await call('create', { body: {} })).body as JsonObject;
  expect(id).toMatch(/^\d+$/);
  expect((await call('parts', { path: { id: Number(id) } })).status).toBe(200);
});

test('a client chooses the id by the name that the path has for it, where the list calls it `id`', async () => {
  const { call } = openPaths({
    '/favourites': {
      get: {
        operationId: 'list',
        responses: answers({ type: 'array', items: object({ href: text, id: { ...number, readOnly: true } }) }),
      },
      post: {
        operationId: 'add',
        ...sends(object({ shopId: number }, ['shopId'])),
        responses: { 204: { description: 'Added' }, 409: { description: 'Known' } },
      },
    },
    '/favourites/{shopId}': {
      parameters: [{ name: 'shopId', in: 'path', required: true, schema: number }],
      delete: {
        operationId: 'remove',
        responses: { 204: { description: 'Removed' }, 404: { description: 'Unknown' } },
      },
    },
  });
  expect((await call('add', { body: { shopId: 71 } })).status).toBe(204);
  expect((await call('list')).body).toContainEqual(expect.objectContaining({ id: 71 }));
  expect((await call('add', { body: { shopId: 71 } })).status).toBe(409);
  expect((await call('remove', { path: { shopId: 71 } })).status).toBe(204);
  expect((await call('remove', { path: { shopId: 71 } })).status).toBe(404);
});

test('the documented request below an item is answered, although its id is a text and ids are numbers', async () => {
  const thing = object({ id: number, name: text }, ['id']);
  const part = object({ id: text, size: text }, ['id']);
  const parameters = [{ ...inPath('thingId'), example: 'abc' }];
  const { call } = openPaths({
    '/things': { post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(thing) } },
    '/things/{thingId}': { parameters, get: { operationId: 'read', responses: answers(thing) } },
    '/things/{thingId}/parts': {
      parameters,
      get: { operationId: 'list', responses: answers({ type: 'array', items: part }) },
      post: { operationId: 'add', ...sends(object({ size: text })), responses: answers(part) },
    },
    '/things/{thingId}/state': { parameters, get: { operationId: 'state', responses: answers(object({ up: text })) } },
  });
  const path = { thingId: 'abc' };
  const { body } = await call('add', { path, body: { size: 'L' } });
  expect((await call('list', { path })).body).toContainEqual(body);
  expect((await call('state', { path })).status).toBe(200);
  for (const id of ['list', 'state']) expect((await call(id, { path: { thingId: 'abd' } })).status).toBe(404);
});

test('the answer of a create is the id where it is a text or a number', async () => {
  for (const shape of [text, number, { ...text, format: 'uuid' }]) {
    const { call } = openPaths({
      '/things': {
        post: {
          operationId: 'create',
          ...sends(object({ note: text })),
          responses: { 201: { description: 'Created', content: { 'application/json': { schema: shape } } } },
        },
      },
      '/things/{thingId}': {
        parameters: [{ name: 'thingId', in: 'path', required: true, schema: shape }],
        get: { operationId: 'read', responses: answers(object({ id: shape, note: text })) },
      },
    });
    const made = [
      (await call('create', { body: { note: 'first' } })).body,
      (await call('create', { body: { note: 'second' } })).body,
    ];
    const read = made.map(async (id) => (await call('read', { path: { thingId: id } })).body);
    expect(await Promise.all(read)).toEqual([
      { id: made[0], note: 'first' },
      { id: made[1], note: 'second' },
    ]);
  }
});

test('a name of any text is no id where paths have a UUID', async () => {
  const uuid = { ...text, format: 'uuid' };
  const { call } = openPaths({
    '/things': { post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(uuid) } },
    '/things/{thingId}': {
      parameters: [inPath('thingId', uuid)],
      get: { operationId: 'read', responses: answers(object({ name: text }, ['name'])) },
    },
  });
  const { body: thingId } = await call('create', { body: { name: 'first' } });
  expect((await call('read', { path: { thingId } })).body).toEqual({ name: 'first' });
});

test.each([
  ['a sentence', text, 'Item was created'],
  ['anything', {}, 'It was created'],
])('a create that answers %s answers as documented', async (_, schema, example) => {
  const { call } = openPaths({
    '/things': {
      post: {
        operationId: 'create',
        ...sends(object({ note: text })),
        responses: answers(schema, 'application/json', example),
      },
    },
    '/things/{thingId}': {
      parameters: [inPath('thingId')],
      get: { operationId: 'read', responses: answers(object({ id: text, note: text })) },
    },
  });
  expect((await call('create', { body: { note: 'first' } })).body).toEqual(example);
});

test('a create without a body sets members by its query, and its answer may be a list', async () => {
  const item = object({ id: text, shopId: text, branch: text });
  const inShop = inQuery('shopId');
  const list = answers({ type: 'array', items: item });
  const { call } = openPaths({
    '/runs': {
      get: { operationId: 'list', parameters: [inShop], responses: list },
      post: { operationId: 'create', parameters: [inShop, inQuery('branch')], responses: list },
    },
    '/runs/{runId}': { parameters: [inPath('runId')], get: { operationId: 'read', responses: answers(item) } },
  });
  const { body } = await call('create', { query: { shopId: 's-7', branch: 'main' } });
  expect(body).toMatchObject([{ shopId: 's-7', branch: 'main' }]);
  expect((await call('list', { query: { shopId: 's-7' } })).body).toEqual(body);
  const [made] = body as readonly JsonObject[];
  expect((await call('read', { path: { runId: made?.id } })).body).toEqual(made);
});

test.each([
  { read: [inQuery('version')], name: 'of the API, which reads have too, sets no member', version: undefined },
  { read: [], name: 'that only writes have sets a member', version: '2' },
  { read: [{ ...inQuery('version'), in: 'header' }], name: 'is not that of a header, and sets a member', version: '2' },
])('a `version` in the query $name', async ({ read, version }) => {
  const thing = object({ id: text, name: text, version: text }, ['id']);
  const { call } = openPaths({
    '/things': {
      post: {
        operationId: 'create',
        parameters: [inQuery('name'), inQuery('version')],
        responses: answers(thing),
      },
    },
    '/things/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', parameters: read, responses: answers(thing) },
    },
  });
  const { body } = await call('create', { query: { name: 'a', version: '2' } });
  expect(body).toEqual({ id: expect.anything(), name: 'a', ...(version !== undefined && { version }) });
});

test('an id with an adjective is shown where no path names an item', async () => {
  const event = object({ generated_uuid: text, title: text }, ['title']);
  const { call } = openPaths({
    '/events': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: event }) },
      post: { operationId: 'create', ...sends(object({ title: text })), responses: answers(event) },
    },
  });
  const { body } = await call('create', { body: { title: 'a' } });
  expect(body).toEqual({ generated_uuid: expect.any(String), title: 'a' });
});

test('new items that are found by their number differ in their id too', async () => {
  const item = object({ id: number, number, title: text });
  const { call } = openPaths({
    '/things': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: { ...item, required: ['id'] } }) },
      post: { operationId: 'create', ...sends(object({ title: text })), responses: answers(item) },
    },
    '/things/{thing_number}': {
      parameters: [{ name: 'thing_number', in: 'path', required: true, schema: number }],
      get: { operationId: 'read', responses: answers(item) },
    },
  });
  const made = [await call('create', { body: { title: 'a' } }), await call('create', { body: { title: 'b' } })];
  expect(new Set(made.map(({ body }) => (body as JsonObject).id)).size).toBe(2);
});

test.each([
  ['add-thing', '404', 200],
  ['things/create-or-update', '404', 200],
  ['addPartToThing', '404', 404],
  ['updateThing', '404', 404],
  ['addressThing', '404', 404],
  ['blockThing', '422', 200],
])(
  'a PUT of an unknown item with the name %s and a documented %s is answered by %d',
  async (operationId, other, status) => {
    const item = object({ id: text, note: text });
    const { call } = openPaths({
      '/things': { get: { operationId: 'list', responses: answers({ type: 'array', items: item }) } },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        put: { operationId, responses: { 200: answers(item)[200], [other]: { description: 'Rejected' } } },
      },
    });
    expect((await call(operationId, { path: { id: 'new' } })).status).toBe(status);
    const { body } = await call('list', {});
    expect((body as readonly JsonObject[]).some(({ id }) => id === 'new')).toBe(status === 200);
  },
);

test.each([
  ['putCredit', 200],
  ['exchangeThing', 200],
  ['update-thing', 422],
  ['things.modify', 422],
  ['thingEdit', 422],
])(
  'where nothing else creates, a PUT of an unknown item with a body and the name %s is answered by %d',
  async (operationId, status) => {
    const item = object({ id: text, note: text });
    const { call } = openPaths({
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { operationId: 'read', responses: answers(item) },
        put: { operationId, ...sends(item), responses: { 200: answers(item)[200], 422: { description: 'Rejected' } } },
        delete: { operationId: 'remove', responses: { 204: { description: 'Gone' } } },
      },
    });
    await call('remove', { path: { id: 'new' } });
    expect((await call(operationId, { path: { id: 'new' }, body: { note: 'a' } })).status).toBe(status);
  },
);

test('an item at a path in the singular is one of the collection in the plural', async () => {
  const item = object({ ref: text, note: text });
  const inPath = [{ name: 'ref', in: 'path', required: true, schema: text }];
  const { call } = openPaths({
    '/refs': { post: { operationId: 'create', ...sends(item), responses: answers(item) } },
    '/refs/{ref}': { delete: { operationId: 'remove', parameters: inPath, responses: answers(item) } },
    '/ref/{ref}': { get: { operationId: 'read', parameters: inPath, responses: answers(item) } },
  });
  await call('create', { body: { ref: 'a', note: 'x' } });
  const path = { ref: 'a' };
  expect((await call('read', { path })).body).toEqual({ ref: 'a', note: 'x' });
  await call('remove', { path });
  expect((await call('read', { path })).status).toBe(404);
});

test.each<readonly [string, JsonObject, JsonObject, unknown]>([
  ['texts', { labels: { type: 'array', items: text } }, object({ id: number, name: text }), ['a', 'b']],
  [
    'objects',
    { labels: { type: 'array', items: object({ name: text }) } },
    object({ name: text }),
    [{ name: 'a' }, { name: 'b' }],
  ],
])('a body with a list of %s creates each', async (_, body, label, labels) => {
  const list = object({ labels: { type: 'array', items: label } });
  const { call } = openPaths({
    '/labels': {
      get: { operationId: 'list', responses: answers(list) },
      post: { operationId: 'create', ...sends(object(body)), responses: answers(list) },
      delete: { operationId: 'clear', responses: answers(list) },
    },
    '/labels/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, schema: text }],
      delete: { operationId: 'remove', responses: answers(list) },
    },
  });
  await call('clear', {});
  const named = (names: readonly string[]) => ({ labels: names.map((name) => expect.objectContaining({ name })) });
  expect((await call('create', { body: { labels } })).body).toEqual(named(['a', 'b']));
  await call('remove', { path: { name: 'a' } });
  expect((await call('list', {})).body).toEqual(named(['b']));
});

test('a sent number is the id also where answers have a text', async () => {
  const { call } = openPaths({
    '/favourites': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: object({ id: text, note: text }) }) },
      post: { operationId: 'create', ...sends(object({ shopId: number })), responses: answers(object({ id: text })) },
    },
    '/favourites/{shopId}': {
      parameters: [inPath('shopId', number)],
      delete: { operationId: 'remove', responses: answers(object({})) },
    },
  });
  expect((await call('create', { body: { shopId: 71 } })).body).toEqual({ id: '71' });
  expect((await call('remove', { path: { shopId: 71 } })).status).toBe(200);
});

test("a create without an id of the contract's list is answered as documented", async () => {
  const favourite = object({ title: text });
  const { call, size } = openPaths({
    '/favourites': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: favourite }) },
      post: { operationId: 'add', ...sends(favourite), responses: answers(favourite, undefined, { title: 'Added' }) },
    },
    '/favourites/{type}': {
      parameters: [inPath('type', { enum: ['tracks', 'clips'] })],
      get: { operationId: 'read', responses: answers(favourite) },
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' } } },
    },
  });
  const before = size().items;
  for (let turn = 0; turn < 4; turn += 1)
    expect(await call('add', { body: { title: 'A' } })).toMatchObject({ status: 200, body: { title: 'Added' } });
  expect(size().items).toBe(before);
});

test('an item of a made list has an id that its path allows, whatever the example of the member', async () => {
  const gif = object({ id: { ...text, example: 'YsTs5ltWtEhnq' } }, ['id']);
  const number = inPath('gifId', { type: 'integer' });
  const { call } = openPaths({
    '/gifs': { get: { operationId: 'list', responses: answers({ type: 'array', items: gif }) } },
    '/gifs/{gifId}': { parameters: [number], get: { operationId: 'read', responses: answers(gif) } },
  });
  const [first] = (await call('list')).body as readonly { readonly id: string }[];
  expect((await call('read', { path: { gifId: Number(first?.id) } })).body).toEqual(first);
});

test('the only id that a list and its items show is that of the items', async () => {
  const listed = object({ entity_id: text, zone_id: text }, ['entity_id']);
  const shown = object({ entity_id: text, proxy_id: text, name: text }, ['entity_id']);
  const { call } = openPaths({
    '/clusters': { get: { operationId: 'list', responses: answers({ type: 'array', items: listed }) } },
    '/clusters/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(shown) } },
  });
  const [{ entity_id } = { entity_id: '' }] = (await call('list')).body as readonly { readonly entity_id: string }[];
  expect((await call('read', { path: { id: entity_id } })).body).toMatchObject({ entity_id });
});
