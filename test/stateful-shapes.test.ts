// If these fail, `lockstep mock` forgets items of contracts whose requests and answers have different shapes.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { createCaller } from './fixtures/stateful-caller.ts';

const text = { type: 'string' };
const unknown = { 404: { description: 'Unknown' } };

const object = (properties: JsonObject, required: readonly string[] = []) => ({ type: 'object', properties, required });

const answers = (schema: JsonObject, mediaType = 'application/json', example?: unknown) => ({
  200: { description: 'Success', content: { [mediaType]: { schema, ...(example !== undefined && { example }) } } },
  ...unknown,
});

const inPath = (name: string, schema: JsonObject = text) => ({ name, in: 'path', required: true, schema });

const inQuery = (name: string, schema: JsonObject = text) => ({ name, in: 'query', schema });

const sends = (schema: JsonObject, mediaType = 'application/json') => ({
  requestBody: { content: { [mediaType]: { schema } } },
});

type Limits = Parameters<typeof createCaller>[2];

function openPaths(paths: JsonObject, limits?: Limits) {
  return createCaller({ openapi: '3.1.0', info: { title: 'Shapes', version: '1' }, paths }, undefined, limits);
}

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

test('a replacement keeps a member that its body cannot have', async () => {
  const group = object({ id: text, logs: text, colour: text });
  const { call } = openPaths({
    '/groups': { post: { operationId: 'create', ...sends(group), responses: answers(group) } },
    '/groups/{id}': {
      parameters: [inPath('id')],
      put: { operationId: 'replace', ...sends(object({ colour: text })), responses: answers(group) },
    },
  });
  await call('create', { body: { id: 'a', logs: 'all', colour: 'red' } });
  const { body } = await call('replace', { path: { id: 'a' }, body: { colour: 'blue' } });
  expect(body).toEqual({ id: 'a', logs: 'all', colour: 'blue' });
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
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, ...unknown } },
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
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, ...unknown } },
    },
  });
  const { id: fileId } = (await call('create', { body: { name: 'a' } })).body as JsonObject;
  expect((await call('download', { path: { fileId } })).status).toBe(200);
  await call('remove', { path: { fileId } });
  expect((await call('download', { path: { fileId } })).status).toBe(404);
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

test('a mock remembers only as many deleted ids as it can have items', async () => {
  const thing = object({ id: text });
  const one = {
    get: { operationId: 'read', responses: answers(thing) },
    delete: { operationId: 'remove', responses: answers(thing) },
  };
  const paths = { '/things/{id}': { parameters: [inPath('id')], ...one } };
  const contract = { openapi: '3.1.0', info: { title: 'Shapes', version: '1' }, paths };
  const { call } = createCaller(contract, undefined, { items: 2, bytes: 10_000 });
  const ids = ['a', 'b', 'c'];
  for (const id of ids) expect((await call('remove', { path: { id } })).status).toBe(200);
  const statuses = await Promise.all(ids.map(async (id) => (await call('read', { path: { id } })).status));
  expect(statuses).toEqual([200, 404, 404]);
});

test('an action with the name of a member of every JavaScript object answers with its item', async () => {
  const build = object({ id: text, state: { type: 'string', enum: ['open', 'built'] } });
  const { call } = openPaths({
    '/builds': { post: { operationId: 'create', ...sends(build), responses: answers(build) } },
    '/builds/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(build) } },
    '/builds/{id}/constructor': {
      parameters: [inPath('id')],
      post: { operationId: 'act', responses: answers(build) },
    },
  });
  const { body } = await call('create', { body: { id: 'a', state: 'open' } });
  expect((await call('act', { path: { id: 'a' } })).body).toEqual(body);
});

describe('a PATCH of the name that addresses an item', () => {
  const role = object({ name: text, level: text });
  const right = object({ id: text, role: text });
  const paths = {
    '/roles': { post: { operationId: 'create', ...sends(role), responses: answers(role) } },
    '/roles/{name}': {
      parameters: [inPath('name')],
      get: { operationId: 'read', responses: answers(role) },
      patch: {
        operationId: 'change',
        ...sends(role),
        responses: { ...answers(role), 409: { description: 'Taken' }, 507: { description: 'Full' } },
      },
    },
    '/roles/{name}/rights': {
      parameters: [inPath('name')],
      get: { operationId: 'list', responses: answers({ type: 'array', items: right }) },
      post: { operationId: 'add', ...sends(right), responses: answers(right) },
    },
    '/roles/{name}/rights/{id}': {
      parameters: [inPath('name'), inPath('id')],
      get: { operationId: 'readRight', responses: answers(right) },
    },
  };

  test('moves it, with the items below it', async () => {
    const { call } = openPaths(paths);
    for (const name of ['old', 'other']) await call('create', { body: { name, level: '1' } });
    await call('add', { path: { name: 'old' }, body: { id: 'r' } });
    const moved = await call('change', { path: { name: 'old' }, body: { name: 'new' } });
    expect(moved.body).toEqual({ name: 'new', level: '1' });
    expect((await call('read', { path: { name: 'old' } })).status).toBe(404);
    expect((await call('read', { path: { name: 'new' } })).body).toEqual(moved.body);
    expect((await call('readRight', { path: { name: 'new', id: 'r' } })).body).toEqual({
      id: 'r',
      role: 'new',
    });
    expect((await call('change', { path: { name: 'new' }, body: { name: 'other' } })).status).toBe(409);
  });

  test('changes nothing if the store has no room for the items below it', async () => {
    const fill = async (limits?: Limits) => {
      const caller = openPaths(paths, limits);
      await caller.call('create', { body: { name: 'old', level: '1' } });
      for (const id of ['r', 's']) await caller.call('add', { path: { name: 'old' }, body: { id } });
      return caller;
    };
    const { bytes } = (await fill()).size();
    // A longer name is in the role twice, and once in each of its rights.
    const { call, size } = await fill({ items: 10, bytes: bytes + 3 * 50 });
    const name = 'n'.repeat('old'.length + 50);
    expect((await call('change', { path: { name: 'old' }, body: { name } })).status).toBe(507);
    expect((await call('read', { path: { name: 'old' } })).status).toBe(200);
    expect((await call('list', { path: { name: 'old' } })).body).toEqual([
      { id: 'r', role: 'old' },
      { id: 's', role: 'old' },
    ]);
    expect((await call('read', { path: { name } })).status).toBe(404);
    expect(size().bytes).toBe(bytes);
  });
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

describe('pages of a list', () => {
  const paged = [inQuery('count', { type: 'integer' }), inQuery('page', { type: 'integer', minimum: 1 })];
  const texts = { type: 'array', items: text };

  test('without items of its own are cut from the documented answer', async () => {
    const { call } = openPaths({
      '/blocks/latest/hashes': {
        get: { operationId: 'list', parameters: paged, responses: answers(texts, 'application/json', ['a', 'b', 'c']) },
      },
    });
    expect((await call('list')).body).toEqual(['a', 'b', 'c']);
    expect((await call('list', { query: { count: 2, page: 2 } })).body).toEqual(['c']);
  });

  test('that no parameter selects have no address of another page', async () => {
    const item = object({ id: text });
    const next = { type: 'object', properties: { next: text } };
    const list = object({ data: { type: 'array', items: item }, links: next }, ['data']);
    const example = { data: [{ id: 'a' }, { id: 'b' }], links: { next: '?limit=2' } };
    const path = (parameters: readonly JsonObject[]) => ({
      get: { operationId: 'list', parameters, responses: answers(list, 'application/json', example) },
    });
    const limit = inQuery('limit', { type: 'integer' });
    const [bare, paged] = [[limit], [limit, inQuery('lastId')]].map((one) => openPaths({ '/things': path(one) }));
    expect((await bare?.call('list', { query: { limit: 1 } }))?.body).toEqual({ data: [{ id: 'a' }], links: {} });
    const first = (await paged?.call('list', { query: { limit: 1 } }))?.body as { links: { next: string } };
    const lastId = new URL(first.links.next, 'http://localhost').searchParams.get('lastId');
    expect((await paged?.call('list', { query: { limit: 1, lastId } }))?.body).toMatchObject({ data: [{ id: 'b' }] });
  });
});

test('a read-only member inside an object is not stored', async () => {
  const base = object({ kind: text, version: { type: 'string', readOnly: true } });
  const model = object({ id: text, base, parts: { type: 'array', items: base } });
  const { call } = openPaths({
    '/models': { post: { operationId: 'create', ...sends(model), responses: answers(model) } },
    '/models/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: answers(model) },
      patch: { operationId: 'change', ...sends(model), responses: answers(model) },
    },
  });
  const sent = { kind: 'a', version: '9' };
  const path = { id: 'm' };
  await call('create', { body: { id: 'm', base: sent, parts: [sent] } });
  expect((await call('read', { path })).body).toEqual({ id: 'm', base: { kind: 'a' }, parts: [{ kind: 'a' }] });
  await call('change', { path, body: { base: { kind: 'b', version: '8' } } });
  expect((await call('read', { path })).body).toMatchObject({ base: { kind: 'b' } });
  expect((await call('read', { path })).body).not.toHaveProperty('base.version');
});
