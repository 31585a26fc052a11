// If these fail, a client of `lockstep mock` keeps an old state, or overwrites a newer one.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, inPath, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

/** Answers with an ETag. */
const tagged = (schema: JsonObject, status = 200) => {
  const { 200: success, 404: unknown } = answers(schema);
  return { [status]: { ...success, headers: { ETag: { schema: text } } }, 404: unknown };
};

const note = object({ id: text, name: text });
const changed = { 412: { description: 'Changed' } };

const openNotes = () =>
  openPaths({
    '/notes': { get: { operationId: 'list', responses: tagged({ type: 'array', items: note }) } },
    '/notes/{noteId}': {
      parameters: [inPath('noteId')],
      get: { operationId: 'read', responses: tagged(note) },
      put: { operationId: 'put', ...sends(note), responses: { ...tagged(note), ...tagged(note, 201), ...changed } },
      delete: {
        operationId: 'remove',
        responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' }, ...changed },
      },
    },
  });

const path = { noteId: 'a' };

/** A note; `fill` writes its first tag in place of OWN. */
async function openOne() {
  const { call } = openNotes();
  await call('put', { path, body: { name: 'first' } });
  const tag = async (id = 'read'): Promise<string> => String((await call(id, { path })).headers?.ETag);
  const own = await tag();
  return { call, tag, fill: (condition: string): string => condition.replace('OWN', own) };
}

test.each([
  ['"7"', 412],
  ['"7", OWN', 204],
  ['W/OWN', 412],
  ['*', 204],
])('a deletion with If-Match %s is answered %i', async (condition, status) => {
  const { call, fill } = await openOne();
  expect((await call('remove', { path, headers: { 'if-match': fill(condition) } })).status).toBe(status);
  expect((await call('read', { path })).status).toBe(status === 412 ? 200 : 404);
});

test.each([
  { header: 'if-none-match', condition: '*', isThere: true, status: 412 },
  { header: 'if-none-match', condition: '*', isThere: false, status: 201 },
  { header: 'if-none-match', condition: '"7"', isThere: true, status: 200 },
  { header: 'if-none-match', condition: 'OWN', isThere: true, status: 412 },
  { header: 'if-none-match', condition: 'W/OWN', isThere: true, status: 412 },
  { header: 'if-match', condition: '*', isThere: true, status: 200 },
  { header: 'if-match', condition: '*', isThere: false, status: 412 },
])('a PUT with $header $condition is answered $status if its item exists: $isThere', async (row) => {
  const { call, fill } = await openOne();
  if (!row.isThere) await call('remove', { path });
  const headers = { [row.header]: fill(row.condition) };
  expect((await call('put', { path, body: { name: 'second' }, headers })).status).toBe(row.status);
  const kept = row.isThere ? { status: 200, body: { name: 'first' } } : { status: 404 };
  const written = { status: 200, body: { name: 'second' } };
  expect(await call('read', { path })).toMatchObject(row.status === 412 ? kept : written);
});

test.each(['list', 'read'])('HEAD has the headers of GET: %s', async (id) => {
  const head = (operationId: string) => ({
    head: { operationId, responses: { 200: { description: 'Success', headers: { ETag: { schema: text } } } } },
  });
  const { call } = openPaths({
    '/notes': {
      get: { operationId: 'list', responses: tagged({ type: 'array', items: note }) },
      ...head('headOf-list'),
    },
    '/notes/{noteId}': {
      parameters: [inPath('noteId')],
      get: { operationId: 'read', responses: tagged(note) },
      put: { operationId: 'put', ...sends(note), responses: tagged(note, 201) },
      ...head('headOf-read'),
    },
  });
  await call('put', { path, body: { name: 'first' } });
  const { headers } = await call(id, { path });
  expect(await call(`headOf-${id}`, { path })).toEqual({
    status: 200,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
});

test.each([
  { reads: 'an ETag', responses: tagged(note), status: 412 },
  { reads: 'none', responses: answers(note), status: 204 },
])(
  'without a documented 412, an old If-Match is answered $status if reads have $reads',
  async ({ responses, status }) => {
    const { call } = openPaths({
      '/notes/{noteId}': {
        parameters: [inPath('noteId')],
        get: { operationId: 'read', responses },
        put: { operationId: 'put', ...sends(note), responses: { ...answers(note), 201: { description: 'Created' } } },
        delete: {
          operationId: 'remove',
          responses: { 204: { description: 'Gone' }, 400: { description: 'Wrong' }, 404: { description: 'Unknown' } },
        },
      },
    });
    await call('put', { path, body: { name: 'first' } });
    expect((await call('remove', { path, headers: { 'if-match': '"7"' } })).status).toBe(status);
    expect((await call('read', { path })).status).toBe(status === 412 ? 200 : 404);
  },
);

test('the ETag of a list changes with its items, and not without', async () => {
  const { call, tag } = await openOne();
  const before = await tag('list');
  expect(await tag('list')).toBe(before);
  await call('put', { path: { noteId: 'b' }, body: { name: 'second' } });
  expect(await tag('list')).not.toBe(before);
});

test('an item that was created again has another ETag', async () => {
  const { call, tag, fill } = await openOne();
  await call('remove', { path });
  await call('put', { path, body: { name: 'second' } });
  expect(await tag()).not.toBe(fill('OWN'));
  const late = { path, body: { name: 'late' }, headers: { 'if-match': fill('OWN') } };
  expect((await call('put', late)).status).toBe(412);
});

test('an answer shows the present state of another item, and has another ETag then', async () => {
  const thing = object({ id: text, name: text }, ['id', 'name']);
  const order = object({ id: text, name: text, customerId: text, customer: thing }, ['id', 'name', 'customer']);
  const { call } = openPaths({
    '/customers': { post: { operationId: 'createCustomer', ...sends(thing), responses: answers(thing) } },
    '/customers/{customerId}': {
      parameters: [inPath('customerId')],
      get: { operationId: 'readCustomer', responses: answers(thing) },
      put: { operationId: 'putCustomer', ...sends(thing), responses: answers(thing) },
    },
    '/orders': {
      post: {
        operationId: 'createOrder',
        ...sends(object({ name: text, customerId: text })),
        responses: answers(order),
      },
    },
    '/orders/{orderId}': {
      parameters: [inPath('orderId')],
      get: { operationId: 'readOrder', responses: tagged(order) },
    },
  });
  await call('createCustomer', { body: { id: 'c', name: 'Ann' } });
  const { id: orderId } = (await call('createOrder', { body: { name: 'Book', customerId: 'c' } })).body as JsonObject;
  const before = await call('readOrder', { path: { orderId } });
  expect(before.body).toMatchObject({ customer: { id: 'c', name: 'Ann' } });
  await call('putCustomer', { path: { customerId: 'c' }, body: { id: 'c', name: 'Bea' } });
  const after = await call('readOrder', { path: { orderId } });
  expect(after.body).toMatchObject({ customer: { id: 'c', name: 'Bea' } });
  expect(after.headers?.ETag).not.toBe(before.headers?.ETag);
});

test('a tag of an answer that shows no item is no condition for a write', async () => {
  const bytes = { 'application/octet-stream': { schema: { ...text, format: 'binary' } } };
  const headers = { ETag: { schema: text, example: '"abc"' } };
  const { call } = openPaths({
    '/files': { post: { operationId: 'create', ...sends(note), responses: answers(note) } },
    '/files/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: { 200: { description: 'Success', content: bytes, headers } } },
      delete: { operationId: 'remove', responses: { 204: { description: 'Gone' }, 404: { description: 'Unknown' } } },
    },
  });
  await call('create', { body: { id: 'a', name: 'first' } });
  expect((await call('remove', { path: { id: 'a' }, headers: { 'if-match': '"abc"' } })).status).toBe(204);
});

test('the tag of a list with the item alone is that of the item', async () => {
  const list = { type: 'array', items: note };
  const { call } = openPaths({
    '/notes': {
      get: { operationId: 'list', responses: answers(list) },
      post: { operationId: 'create', ...sends(note), responses: answers(note) },
    },
    '/notes/{noteId}': {
      parameters: [inPath('noteId')],
      get: { operationId: 'read', responses: tagged(list) },
      put: { operationId: 'put', ...sends(note), responses: { ...tagged(note), ...changed } },
    },
  });
  await call('create', { body: { id: 'a', name: 'first' } });
  const { headers } = await call('read', { path });
  const sent = { path, body: { name: 'second' }, headers: { 'if-match': String(headers?.ETag) } };
  expect((await call('put', sent)).status).toBe(200);
});
