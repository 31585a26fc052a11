// If these fail, the mock keeps half of a request, forgets a key or a version, or fills its store by reads.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { createStatefulHandlers } from '@lockstep/runtime/stateful/answer-from-state';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import { expect, test } from 'vitest';
import { createCaller } from './fixtures/stateful-caller.ts';

const text = { type: 'string' };
const answer = (schema: object, more: object = {}) => ({
  description: 'Fine',
  content: { 'application/json': { schema, ...more } },
});
const body = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const listOf = (items: object) => ({ type: 'array', items });
const unknown = { description: 'Unknown' };
const key = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'integer', example: 1 } });
const thing = (more: object = {}) => ({
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', readOnly: true }, name: text, ...more },
});

function describePaths(paths: object) {
  return { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths };
}

/** Meters that nothing lists or creates, with readings that nothing creates. */
const meters = describePaths({
  '/meters/{meterId}': {
    parameters: [key('meterId')],
    get: { operationId: 'readMeter', responses: { 200: answer(thing()), 404: unknown } },
    put: { operationId: 'putMeter', requestBody: body(thing()), responses: { 200: answer(thing()), 404: unknown } },
    delete: { operationId: 'deleteMeter', responses: { 204: { description: 'Gone' }, 404: unknown } },
  },
  '/meters/{meterId}/readings': {
    parameters: [key('meterId')],
    get: {
      operationId: 'listReadings',
      responses: {
        200: answer(listOf(thing({ meterId: { type: 'integer' } })), {
          example: [
            { id: 5, name: 'May', meterId: 1 },
            { id: 6, name: 'June', meterId: 1 },
          ],
        }),
        404: unknown,
      },
    },
  },
  '/meters/{meterId}/readings/{readingId}': {
    parameters: [key('meterId'), key('readingId')],
    get: {
      operationId: 'readReading',
      responses: { 200: answer(thing({ meterId: { type: 'integer' } })), 404: unknown },
    },
    patch: {
      operationId: 'patchReading',
      requestBody: body({ type: 'object', properties: { name: text } }),
      responses: { 200: answer(thing({ meterId: { type: 'integer' } })), 404: unknown },
    },
  },
});

test('reads of an open resource need no room, and a write keeps its item', async () => {
  const { call, size } = createCaller(meters, undefined, { items: 10, bytes: 100_000 });
  await call('listReadings', { path: { meterId: 1 } });
  const before = size().items;
  for (let meterId = 1; meterId <= 8; meterId += 1) {
    expect((await call('readMeter', { path: { meterId } })).body).toMatchObject({ id: meterId });
    expect((await call('listReadings', { path: { meterId } })).body).toMatchObject([
      { id: 5, name: 'May', meterId },
      { id: 6, name: 'June', meterId },
    ]);
  }
  expect(size().items).toBe(before);
  const path = { meterId: 7 };
  await call('putMeter', { path, body: { name: 'Hall' } });
  expect((await call('readMeter', { path })).body).toMatchObject({ id: 7, name: 'Hall' });
  expect(size().items).toBe(before + 1);
  await call('deleteMeter', { path });
  expect((await call('readMeter', { path })).status).toBe(404);
  expect((await call('listReadings', { path })).status).toBe(404);
});

test('an example below another owner is changed for this owner alone', async () => {
  const { call } = createCaller(meters);
  const path = { meterId: 3, readingId: 6 };
  const changed = await call('patchReading', { path, body: { name: 'Summer' } });
  expect(changed.body).toEqual({ id: 6, name: 'Summer', meterId: 3 });
  expect((await call('listReadings', { path })).body).toEqual([{ id: 5, name: 'May', meterId: 3 }, changed.body]);
  expect((await call('readReading', { path: { ...path, meterId: 4 } })).body).toMatchObject({ name: 'June' });
  expect((await call('readReading', { path: { ...path, readingId: 9 } })).status).toBe(404);
});

test('a created owner has the examples of a list that nothing fills', async () => {
  const paths = {
    '/meters': {
      post: { operationId: 'createMeter', requestBody: body(thing()), responses: { 201: answer(thing()) } },
    },
    ...meters.paths,
  };
  const { call } = createCaller(describePaths(paths));
  const { id: meterId } = (await call('createMeter', { body: { name: 'Cellar' } })).body as JsonObject;
  const { body: listed } = await call('listReadings', { path: { meterId } });
  expect(listed).toMatchObject([
    { id: 5, meterId },
    { id: 6, meterId },
  ]);
  expect((await call('listReadings', { path: { meterId: 999 } })).status).toBe(404);
});

const tags = describePaths({
  '/tags': {
    get: { operationId: 'listTags', responses: { 200: answer(listOf(thing())) } },
    post: {
      operationId: 'createTags',
      requestBody: body(listOf({ type: 'object', properties: { name: text, email: text } })),
      responses: {
        201: answer(listOf(thing({ email: text }))),
        409: answer({ type: 'object', properties: { message: text } }),
      },
    },
  },
});

test('a list of items is stored as a whole or not at all', async () => {
  const { call, size } = createCaller(tags);
  const before = (await call('listTags')).body;
  const many = (emails: readonly string[]) =>
    call('createTags', { body: emails.map((email) => ({ name: 'n', email })) });
  expect((await many(['a', 'b', 'a'])).status).toBe(409);
  expect((await call('listTags')).body).toEqual(before);
  const stored = size().bytes;
  expect((await many(['a', 'b'])).body).toMatchObject([{ email: 'a' }, { email: 'b' }]);
  expect((await many(['c', 'a'])).status).toBe(409);
  expect(size().bytes).toBeGreaterThan(stored);
  expect((await call('listTags')).body).toHaveLength((before as readonly unknown[]).length + 2);
});

const note = { type: 'object', properties: { id: text, name: text } };
test('a patch that cannot be applied is no unknown item, where only unknown items have a documented answer', async () => {
  const patch = {
    content: { 'application/json-patch+json': { schema: { type: 'array', items: { type: 'object' } } } },
  };
  const contract = describePaths({
    '/notes': { post: { operationId: 'add', requestBody: body(note), responses: { 201: answer(note) } } },
    '/notes/{noteId}': {
      parameters: [{ name: 'noteId', in: 'path', required: true, schema: text }],
      patch: {
        operationId: 'patch',
        requestBody: patch,
        responses: { 200: answer(note), 403: unknown, 404: unknown, 410: unknown },
      },
    },
  });
  const operations = describeOperations(contract as never);
  const { handlers } = createStatefulHandlers(contract, operations);
  const call = (id: string, parts: object) =>
    handlers[id]?.({ path: {}, query: {}, headers: {}, requestId: 'r', ...parts } as never, undefined as never);
  await call('add', { body: { id: 'a', name: 'first' } });
  const steps = (noteId: string) => ({ path: { noteId }, body: [{ op: 'remove', path: '/size' }] });
  expect(await call('patch', steps('a'))).toMatchObject({
    status: 409,
    isUndeclared: true,
    body: { detail: 'there is no /size' },
  });
  expect(await call('patch', steps('z'))).toMatchObject({ status: 404 });
});

const shelf = { type: 'object', required: ['id'], properties: { id: text, name: text } };
const library = describePaths({
  '/shelves': {
    post: {
      operationId: 'addShelf',
      requestBody: body(shelf),
      responses: { 201: answer(shelf) },
    },
    delete: { operationId: 'dropShelves', responses: { 204: { description: 'Gone' } } },
  },
  '/shelves/{shelfId}': {
    parameters: [{ name: 'shelfId', in: 'path', required: true, schema: text }],
    get: { operationId: 'readShelf', responses: { 200: answer(shelf), 404: unknown } },
  },
  '/shelves/{shelfId}/books': {
    parameters: [{ name: 'shelfId', in: 'path', required: true, schema: text }],
    get: { operationId: 'listBooks', responses: { 200: answer(listOf(shelf)), 404: unknown } },
    post: { operationId: 'addBook', requestBody: body(shelf), responses: { 201: answer(shelf), 404: unknown } },
  },
});

test('a deletion of all items deletes those that they own', async () => {
  const { call, size } = createCaller(library);
  for (const id of ['a', 'b', 'c']) {
    await call('addShelf', { body: { id } });
    await call('addBook', { path: { shelfId: id }, body: { id: 'book' } });
  }
  const before = size().items;
  await call('dropShelves');
  expect((await call('listBooks', { path: { shelfId: 'b' } })).status).toBe(404);
  expect(before - size().items).toBeGreaterThanOrEqual(6);
});

test('a new item gets no id of an example that can be read', async () => {
  const pet = thing();
  const example = { id: 7, name: 'Rex' };
  const contract = describePaths({
    '/pets': { post: { operationId: 'addPet', requestBody: body(pet), responses: { 201: answer(pet) } } },
    '/pets/{petId}': {
      parameters: [key('petId')],
      get: { operationId: 'readPet', responses: { 200: answer(pet, { example }), 404: unknown } },
    },
  });
  const { call } = createCaller(contract);
  // The example of the parameter addresses the example of the answer.
  const first = await call('readPet', { path: { petId: 1 } });
  expect(first.body).toEqual({ id: 1, name: 'Rex' });
  expect((await call('addPet', { body: { name: 'Tom' } })).body).toMatchObject({ name: 'Tom' });
  expect((await call('readPet', { path: { petId: 1 } })).body).toEqual(first.body);
});

const payments = describePaths({
  '/payments': {
    post: {
      operationId: 'createPayment',
      'x-idempotency': { header: 'Idempotency-Key', keep: 'PT1H' },
      parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
      requestBody: body({ type: 'object', properties: { name: text } }),
      responses: {
        201: answer(
          thing({
            status: { enum: ['queued', 'running', 'paid', 'failed'] },
            finished: { type: 'boolean' },
            expiresAt: { type: 'string', format: 'date-time' },
          }),
        ),
        400: answer({ type: 'object', properties: { message: text } }),
      },
    },
  },
  '/payments/{paymentId}': {
    parameters: [key('paymentId')],
    get: {
      operationId: 'readPayment',
      'x-state': {
        field: '/status',
        done: '/finished',
        deadline: '/expiresAt',
        every: 'PT2S',
        next: { queued: ['running', 'paid', 'failed'], running: ['paid', 'failed'] },
      },
      responses: {
        200: answer(
          thing({
            status: { enum: ['queued', 'running', 'paid', 'failed'] },
            finished: { type: 'boolean' },
            expiresAt: { type: 'string', format: 'date-time' },
          }),
        ),
        404: unknown,
      },
    },
    patch: {
      operationId: 'patchPayment',
      requestBody: body({ type: 'object', properties: { name: text, status: text } }),
      responses: { 200: answer(thing({ status: text })), 404: unknown },
    },
  },
});

test('a repeated key gets the same answer until it is forgotten, and no other request', async () => {
  let now = 0;
  const { call, size } = createCaller(payments, undefined, undefined, () => now);
  const pay = (name: string, sent?: string) =>
    call('createPayment', { body: { name }, headers: sent === undefined ? {} : { 'idempotency-key': sent } });
  const first = await pay('Ann', 'k1');
  const stored = size().items;
  expect(await pay('Ann', 'k1')).toEqual(first);
  expect(size().items).toBe(stored);
  expect((await pay('Bea', 'k1')).status).toBe(400);
  expect((await pay('Bea', 'k2')).status).toBe(201);
  expect((await pay('Bea')).status).toBe(201);
  now = 3_600_000;
  expect(((await pay('Bea', 'k1')).body as JsonObject).id).not.toBe((first.body as JsonObject).id);
});

test('a state moves forward on the clock of the mock', async () => {
  let now = Date.UTC(2026, 5, 1);
  const { call } = createCaller(payments, undefined, undefined, () => now);
  const made = (await call('createPayment', { body: { name: 'Ann' } })).body as JsonObject;
  expect(made).toMatchObject({ status: 'queued', finished: false, expiresAt: '2026-06-01T00:00:06.000Z' });
  const path = { paymentId: made.id };
  const read = async (seconds: number) => {
    now = Date.UTC(2026, 5, 1) + seconds * 1000;
    return (await call('readPayment', { path })).body;
  };
  expect(await read(1)).toEqual(made);
  expect(await read(2)).toEqual({ ...made, status: 'running' });
  await call('patchPayment', { path, body: { name: 'Bea' } });
  expect(await read(60)).toEqual({ ...made, name: 'Bea', status: 'paid', finished: true });
  await call('patchPayment', { path, body: { status: 'failed' } });
  expect(await read(90)).toMatchObject({ status: 'failed' });
});

test('an unknown item is no matter of size, and an informational status no answer', async () => {
  const described = (text: string) => ({ description: text });
  const shown = { 100: described('Continue'), 200: answer(thing()) };
  const contract = describePaths({
    '/marks/{markId}': {
      parameters: [key('markId')],
      get: { operationId: 'readMark', responses: { ...shown, 413: described('Too large'), 422: unknown } },
      put: { operationId: 'putMark', requestBody: body(thing()), responses: { ...shown, 201: answer(thing()) } },
    },
  });
  const { call } = createCaller(contract);
  const path = { markId: 7 };
  expect((await call('readMark', { path })).status).toBe(422);
  expect((await call('putMark', { path, body: { name: 'A' } })).status).toBe(201);
  expect((await call('putMark', { path, body: { name: 'B' } })).status).toBe(200);
});

/** A mark that is deleted, with this content of the documented 404. */
async function deleteMark(content: JsonObject) {
  const missing = { description: 'Unknown', content };
  const contract = describePaths({
    '/marks/{markId}': {
      parameters: [key('markId')],
      get: { operationId: 'readMark', responses: { 200: answer(thing()), 404: missing } },
      delete: { operationId: 'deleteMark', responses: { 204: { description: 'Gone' }, 404: missing } },
    },
  });
  const { call } = createCaller(contract);
  const path = { markId: 7 };
  await call('deleteMark', { path });
  return { call, path };
}

test('a rejection has its reason in a header where the documented body has no place for it', async () => {
  const { call, path } = await deleteMark({ 'text/html': { example: '<p>No</p>' } });
  const rejected = await call('readMark', { path });
  const reason = 'no mark has the id 7';
  expect(rejected).toMatchObject({ status: 404, mediaType: 'text/html', headers: { 'X-Rejection': reason } });
  expect(rejected.rejection?.message).toBe(reason);
});

test('an unknown item is no fault of the mock where the documented body has no valid value', async () => {
  const { call, path } = await deleteMark({ 'application/json': { schema: { type: 'integer', enum: ['a'] } } });
  expect(await call('readMark', { path })).toMatchObject({
    status: 404,
    mediaType: 'application/problem+json',
    body: { detail: 'no mark has the id 7' },
  });
});
