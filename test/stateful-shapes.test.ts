// If these fail, `lockstep mock` forgets items of contracts whose requests and answers have different shapes.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { answers, createCaller, inPath, inQuery, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

describe('members whose names differ in case or separators', () => {
  const shown = object({ service_sid: text, unique_name: text, friendly_name: text, push: object({ apn_key: text }) });
  const sent = object({ UniqueName: text, FriendlyName: text, Push: object({ ApnKey: text }) });
  const form = 'application/x-www-form-urlencoded';
  const { call } = openPaths({
    '/Services': { post: { operationId: 'create', ...sends(sent, form), responses: answers(shown) } },
    '/Services/{UniqueName}': {
      parameters: [inPath('UniqueName')],
      get: { operationId: 'read', responses: answers(shown) },
      put: { operationId: 'replace', ...sends(sent, form), responses: answers(shown) },
      post: { operationId: 'change', ...sends(sent, form), responses: answers(shown) },
    },
  });

  test('are one member, and a sent id is the id', async () => {
    const body = { UniqueName: 'first', FriendlyName: 'A', Push: { ApnKey: 'k' } };
    const made = await call('create', { body });
    const item = { unique_name: 'first', friendly_name: 'A', push: { apn_key: 'k' } };
    expect(made.body).toMatchObject(item);
    const path = { UniqueName: 'first' };
    expect((await call('read', { path })).body).toEqual(made.body);
    const changed = { ...item, friendly_name: 'B' };
    expect((await call('change', { path, body: { FriendlyName: 'B' } })).body).toMatchObject(changed);
    const replaced = await call('replace', { path, body: { FriendlyName: 'C' } });
    expect(replaced.body).toMatchObject({ unique_name: 'first', friendly_name: 'C' });
    expect(replaced.body).not.toHaveProperty('push');
  });
});

describe('an envelope around items', () => {
  const mediaType = 'application/json;version=2018-01-01';
  const messages = { type: 'array', items: object({ code: { type: 'integer' }, description: text }) };
  const item = object({ id: { type: 'string', format: 'uuid', readOnly: true }, name: text });

  test.each([
    ['content', '_embedded'],
    ['data', 'items'],
    ['result', 'records'],
  ])('called %s and %s, with messages, keeps what was sent', async (one, many) => {
    const about = { code: { type: 'integer' }, version: object({ resource: text }), messages };
    const list = object({ ...about, [many]: { type: 'array', items: item } }, [many]);
    const shown = answers(object({ ...about, [one]: item }), mediaType);
    const { call } = openPaths({
      '/employers': {
        get: { operationId: 'list', responses: answers(list, mediaType) },
        post: { operationId: 'create', ...sends(item, mediaType), responses: shown },
      },
      '/employers/{employerId}': {
        parameters: [inPath('employerId', { type: 'string', format: 'uuid' })],
        get: { operationId: 'read', responses: shown },
      },
    });
    const made = (await call('create', { body: { name: 'Ann' } })).body as Readonly<Record<string, JsonObject>>;
    expect(made).toMatchObject({ messages: [], [one]: { name: 'Ann' } });
    const path = { employerId: made[one]?.id };
    expect((await call('read', { path })).body).toMatchObject({ [one]: made[one] });
    expect((await call('list')).body).toMatchObject({ [many]: expect.arrayContaining([made[one]]) });
  });
});

test.each([
  ['text', 'a number', { type: 'string' }, { type: 'number', format: 'integer' }],
  ['a number', 'text', { type: 'integer' }, { type: 'string', pattern: '^\\d+$' }],
  ['text', 'text with a pattern', text, { type: 'string', pattern: '^pay-\\d{4}$' }],
])('an id that a create answers as %s is read by a path with %s', async (_, __, made, parameter) => {
  const { call } = openPaths({
    '/payments': {
      post: {
        operationId: 'create',
        ...sends(object({ amount: { type: 'number' } })),
        responses: answers(object({ id: made }, ['id'])),
      },
    },
    '/payments/{transId}': {
      parameters: [inPath('transId', parameter)],
      get: { operationId: 'read', responses: answers(object({ id: parameter, amount: { type: 'number' } }, ['id'])) },
    },
  });
  const { id } = (await call('create', { body: { amount: 5 } })).body as JsonObject;
  const path = { transId: parameter.type === 'number' ? Number(id) : String(id) };
  const { body } = await call('read', { path });
  expect(body).toMatchObject({ amount: 5 });
  expect(String((body as JsonObject).id)).toBe(String(id));
});

test('the only key that a create answers is the id', async () => {
  const profile = object({ code: { type: 'integer' }, customer_code: text, language: text });
  const { call } = openPaths({
    '/profiles': {
      post: {
        operationId: 'create',
        ...sends(object({ language: text })),
        responses: answers(
          object({ code: { type: 'integer' }, customer_code: text, message: text }, ['customer_code']),
        ),
      },
    },
    '/profiles/{profileId}': {
      parameters: [inPath('profileId')],
      get: { operationId: 'read', responses: answers(profile) },
    },
  });
  const { customer_code: profileId } = (await call('create', { body: { language: 'de' } })).body as JsonObject;
  const read = await call('read', { path: { profileId } });
  expect(read.body).toMatchObject({ customer_code: profileId, language: 'de' });
});

test('a collection that nothing creates shows its example below the owner that a list shows', async () => {
  const app = object({ id: text, label: text });
  const company = { id: 'ACME', name: 'Acme' };
  const { call } = openPaths({
    '/companies': {
      get: {
        operationId: 'companies',
        responses: answers({ type: 'array', items: object({ id: text, name: text }) }, undefined, [company]),
      },
    },
    '/companies/{companyId}': {
      parameters: [inPath('companyId')],
      get: { operationId: 'company', responses: answers(object({ id: text, name: text })) },
    },
    '/companies/{companyId}/apps': {
      parameters: [inPath('companyId')],
      get: {
        operationId: 'apps',
        responses: answers({ type: 'array', items: app }, undefined, [{ id: 'A1', label: 'One' }]),
      },
    },
    '/companies/{companyId}/apps/{appId}': {
      parameters: [inPath('companyId'), inPath('appId')],
      get: { operationId: 'app', responses: answers(app) },
    },
  });
  expect((await call('companies')).body).toEqual([company]);
  const path = { companyId: 'ACME' };
  expect((await call('apps', { path })).body).toEqual([{ id: 'A1', label: 'One' }]);
  expect((await call('app', { path: { ...path, appId: 'A1' } })).body).toEqual({ id: 'A1', label: 'One' });
  expect((await call('apps', { path: { companyId: 'other' } })).status).toBe(404);
});

test('a collection that nothing creates shows its example below each owner that nothing lists', async () => {
  const day = { date: '2026-06-01' };
  const { call } = openPaths({
    '/users/{userId}/holidays': {
      parameters: [inPath('userId')],
      get: {
        operationId: 'list',
        responses: answers({ type: 'array', items: object({ date: text }) }, undefined, [day]),
      },
    },
    '/users/{userId}/holidays/{date}': {
      parameters: [inPath('userId'), inPath('date')],
      get: { operationId: 'read', responses: answers(object({ date: text })) },
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' } } },
    },
  });
  for (const userId of ['ann', 'bea']) expect((await call('list', { path: { userId } })).body).toEqual([day]);
  await call('remove', { path: { userId: 'ann', ...day } });
  expect((await call('list', { path: { userId: 'ann' } })).body).toEqual([]);
  expect((await call('read', { path: { userId: 'bea', ...day } })).body).toEqual(day);
});

test('an object that is written with its list is a single object', async () => {
  const cart = object({ items: { type: 'array', items: object({ id: text }) }, note: text });
  const { call } = openPaths({
    '/cart': {
      get: { operationId: 'read', responses: answers(cart) },
      put: { operationId: 'write', ...sends(cart), responses: answers(cart) },
    },
  });
  const body = { items: [{ id: 'pen' }], note: 'soon' };
  expect((await call('write', { body })).body).toEqual(body);
  expect((await call('read')).body).toEqual(body);
});

test('an answer has its schema at one JSON type, and its example at another', async () => {
  const schema = object({ id: text, name: text });
  const example = { id: 'A1', name: 'First' };
  const content = { 'application/json': { example }, 'application/json; charset=utf-8': { schema } };
  const responses = { 200: { description: 'One', content } };
  const { call } = openPaths({
    '/accounts': { post: { operationId: 'create', ...sends(object({ name: text })), responses } },
    '/accounts/{accountId}': { parameters: [inPath('accountId')], get: { operationId: 'read', responses } },
  });
  expect((await call('read', { path: { accountId: 'A1' } })).body).toEqual(example);
  const made = (await call('create', { body: { name: 'Second' } })).body as JsonObject;
  expect((await call('read', { path: { accountId: made.id } })).body).toEqual({ id: made.id, name: 'Second' });
});

describe('a list whose elements differ from the item', () => {
  const method = object({ id: text, type: text });

  test.each([
    ['wrap it', object({ PaymentMethod: method }), 'PaymentMethod', 'id'],
    ['name it by another member', object({ methodId: text, type: text }, ['methodId']), undefined, 'methodId'],
  ])('has the ids where they %s', async (_, element, wrapper, name) => {
    const { call } = openPaths({
      '/methods': {
        get: { operationId: 'list', responses: answers(object({ data: { type: 'array', items: element } }, ['data'])) },
        post: { operationId: 'create', ...sends(object({ type: text })), responses: answers(method) },
      },
      '/methods/{methodId}': {
        parameters: [inPath('methodId')],
        get: { operationId: 'read', responses: answers(method) },
      },
    });
    const { id } = (await call('create', { body: { type: 'visa' } })).body as JsonObject;
    const { data } = (await call('list')).body as { data: readonly Readonly<Record<string, JsonObject>>[] };
    const shown = wrapper === undefined ? data : data.map((one) => one[wrapper]);
    expect(shown).toContainEqual({ [name]: id, type: 'visa' });
    expect((await call('read', { path: { methodId: id } })).body).toEqual({ id, type: 'visa' });
  });
});

test('a list with the last word of its path is one, whatever is around it', async () => {
  const song = object({ id: text, title: text }, ['id']);
  const around = {
    id: { type: 'integer' },
    name: text,
    songs: { type: 'array', items: song },
    total: { type: 'integer' },
  };
  const example = { id: 95, name: 'Business', songs: [{ id: 'a', title: 'A' }], total: 325 };
  const { call } = openPaths({
    '/best_songs': {
      get: {
        operationId: 'best',
        parameters: [inQuery('page', { type: 'integer' })],
        responses: answers(object(around, ['songs']), 'application/json', example),
      },
    },
  });
  expect((await call('best', {})).body).toEqual({ ...example, total: 1 });
  expect((await call('best', { query: { page: 2 } })).body).toMatchObject({ songs: [] });
});

test('a list of changes on a collection answers as documented', async () => {
  const memo = object({ id: text, due: text });
  const many = object({ memos: { type: 'array', items: memo } });
  const { roles } = openPaths({
    '/memos': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: memo }) },
      put: { operationId: 'changeMany', ...sends(many), responses: answers(object({})) },
    },
    '/memos/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(memo) } },
  });
  expect(roles.find(({ operationId }) => operationId === 'changeMany')).toMatchObject({ role: 'none' });
});

test.each([
  { reads: { format: 'uuid', minLength: 36, maxLength: 36 }, deletes: { minLength: 64, maxLength: 64 } },
  { reads: { pattern: '^j[0-9]+$' }, deletes: { pattern: '^[0-9]+$' } },
])('an item has an id that the read allows where no id fits all operations: $reads', async ({ reads, deletes }) => {
  const job = object({ id: text, query: text }, ['id']);
  const { call } = openPaths({
    '/jobs': { post: { operationId: 'create', ...sends(object({ query: text })), responses: answers(job) } },
    '/jobs/{id}': {
      get: { operationId: 'read', parameters: [inPath('id', { ...text, ...reads })], responses: answers(job) },
      delete: { operationId: 'delete', parameters: [inPath('id', { ...text, ...deletes })], responses: answers(job) },
    },
  });
  const made = await call('create', { body: { query: 'q' } });
  const { id } = made.body as { readonly id: string };
  expect((await call('read', { path: { id } })).body).toEqual(made.body);
});

test('an item whose id no value can be is created, and shown without it', async () => {
  const job = object({ id: { ...text, format: 'uuid', minLength: 64 }, query: text });
  const { call } = openPaths({
    '/jobs': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: job }) },
      post: { operationId: 'create', ...sends(object({ query: text })), responses: answers(job) },
    },
    '/jobs/{id}': {
      get: { operationId: 'read', parameters: [inPath('id', { ...text, format: 'uuid' })], responses: answers(job) },
    },
  });
  expect(await call('create', { body: { query: 'q' } })).toMatchObject({ status: 200, body: { query: 'q' } });
  expect((await call('list')).body).toContainEqual({ query: 'q' });
});

test('a rejection without an example has the reason and what its schema requires', async () => {
  const problem = object({ detail: text, status: { type: 'integer' }, trace: text }, ['detail', 'status', 'trace']);
  const missing = { description: 'Unknown', content: { 'application/json': { schema: problem } } };
  const shown = answers(object({ id: text }));
  const { call } = openPaths({
    '/notes': { post: { operationId: 'create', ...sends(object({ id: text })), responses: shown } },
    '/notes/{id}': {
      get: { operationId: 'read', parameters: [inPath('id')], responses: { ...shown, 404: missing } },
    },
  });
  expect(await call('read', { path: { id: 'a' } })).toMatchObject({
    status: 404,
    body: { detail: 'no note has the id a', status: 404, trace: expect.any(String) },
  });
});

test('content that is not JSON is answered while its item exists', async () => {
  const file = object({ id: { type: 'integer' }, name: text });
  const { call } = openPaths({
    '/files': { post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(file) } },
    '/files/{fileId}': {
      parameters: [inPath('fileId', { type: 'integer' })],
      get: { operationId: 'download', responses: answers({ type: 'string' }, 'text/plain') },
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' } } },
    },
  });
  const { id: fileId } = (await call('create', { body: { name: 'a' } })).body as JsonObject;
  expect((await call('download', { path: { fileId } })).status).toBe(200);
  await call('remove', { path: { fileId } });
  expect((await call('download', { path: { fileId } })).status).toBe(404);
});

test('a body whose member has the name of the item is no wrapper if the item has that member', async () => {
  const nodes = { type: 'object', additionalProperties: text };
  const { call } = openPaths({
    '/graphs': {
      post: {
        operationId: 'create',
        ...sends(object({ title: text, graph: nodes }, ['graph'])),
        responses: { 201: { description: 'Created', headers: { Location: { schema: text } } } },
      },
    },
    '/graphs/{id}': {
      parameters: [inPath('id')],
      get: {
        operationId: 'read',
        responses: answers(object({ id: text, title: text, graph: nodes }, ['id', 'graph'])),
      },
    },
  });
  const { headers } = await call('create', { body: { title: 'A', graph: { a: 'b' } } });
  const id = String(headers?.Location).split('/').at(-1);
  expect((await call('read', { path: { id } })).body).toEqual({ id, title: 'A', graph: { a: 'b' } });
});

test('an item with a list of objects is an item, not a list', async () => {
  const view = { name: text, groups: { type: 'array', items: object({ by: text }) } };
  const shown = object({ data: object({ ...view, id: text }, ['id', 'name']) });
  const { call } = openPaths({
    '/views': { post: { operationId: 'create', ...sends(object(view)), responses: answers(shown) } },
    '/views/{viewId}': {
      parameters: [inPath('viewId')],
      get: { operationId: 'read', responses: answers(shown) },
    },
  });
  const body = { name: 'A', groups: [{ by: 'size' }] };
  const made = (await call('create', { body })).body as { readonly data: { readonly id: string } };
  expect(made.data).toEqual({ ...body, id: expect.stringMatching(/./) });
  expect((await call('read', { path: { viewId: made.data.id } })).body).toEqual(made);
});

test('an item of overlapping alternatives is shown as the one that its discriminator selects', async () => {
  const hook = {
    oneOf: [{ $ref: '#/components/schemas/Chat' }, { $ref: '#/components/schemas/Call' }],
    discriminator: {
      propertyName: 'kind',
      mapping: { chat: '#/components/schemas/Chat', call: '#/components/schemas/Call' },
    },
  };
  const both = { enum: ['chat', 'call'] };
  const time = { ...text, format: 'date-time', readOnly: true };
  const { call } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Hooks', version: '1' },
    paths: {
      '/hooks': {
        post: { operationId: 'create', ...sends(object({ kind: both, url: text })), responses: answers(hook) },
      },
      '/hooks/{hookId}': { parameters: [inPath('hookId')], get: { operationId: 'read', responses: answers(hook) } },
    },
    components: {
      schemas: {
        Chat: object({ id: text, kind: both, url: text, made: time }, ['kind']),
        Call: object({ id: text, kind: both, url: text, made: time }, ['kind']),
      },
    },
  });
  const { id } = (await call('create', { body: { kind: 'chat', url: 'a' } })).body as JsonObject;
  expect((await call('read', { path: { hookId: id } })).body).toMatchObject({ id, kind: 'chat', url: 'a' });
});

test('an item that fits two alternatives is shown as one of them', async () => {
  const id = { type: 'integer' };
  const pet = {
    oneOf: [object({ id, name: text, meow: text }, ['id']), object({ id, name: text, bark: text }, ['id'])],
  };
  const { call } = openPaths({
    '/pets': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: pet }) },
      post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(pet) },
    },
    '/pets/{petId}': { parameters: [inPath('petId', id)], get: { operationId: 'read', responses: answers(pet) } },
  });
  const made = (await call('create', { body: { name: 'Rex' } })).body as JsonObject;
  expect(made).toMatchObject({ name: 'Rex' });
  expect((await call('read', { path: { petId: made.id } })).body).toEqual(made);
  expect((await call('list')).body).toContainEqual(made);
});
