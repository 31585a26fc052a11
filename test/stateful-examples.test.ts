// If these fail, `lockstep mock` forgets items of contracts that describe answers by examples alone.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, inPath, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

test.each([
  ['no schema', undefined],
  ['a schema without members', { type: 'object' }],
  ['an empty schema', {}],
])('an answer that has an example and %s shows items with the members of the example', async (_, schema) => {
  const shows = (example: unknown) => ({
    200: { description: 'Success', content: { 'application/json': { ...(schema && { schema }), example } } },
    404: { description: 'Unknown' },
  });
  const note = { id: 'qR4fVo', body: 'First', score: 1, author: { name: 'Ann' }, gone: null };
  const { call } = openPaths({
    '/notes': {
      get: { operationId: 'list', responses: shows({ notes: [note] }) },
      post: { operationId: 'create', ...sends(object({ body: text })), responses: shows({ status: 'ok', note }) },
    },
    '/notes/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: shows(note) } },
  });
  const made = (await call('create', { body: { body: 'Second' } })).body as Readonly<Record<string, JsonObject>>;
  expect(made).toMatchObject({ status: 'ok', note: { body: 'Second', author: { name: 'Ann' } } });
  const { id } = made.note ?? {};
  expect(id).not.toBe('qR4fVo');
  expect((await call('read', { path: { id } })).body).toMatchObject({ id, body: 'Second' });
  expect((await call('list')).body).toMatchObject({ notes: [note, { id, body: 'Second' }] });
  expect((await call('read', { path: { id: 'other' } })).status).toBe(404);
});

test('the first items are those of an example in XML', async () => {
  const note = object({ id: { ...text, xml: { attribute: true } }, body: text });
  const list = { type: 'array', items: note };
  const shows = (schema: JsonObject, example: string) => ({
    200: { description: 'Success', content: { 'application/xml': { schema, example } } },
  });
  const { call } = openPaths({
    '/notes': {
      get: {
        operationId: 'list',
        responses: shows(list, '<notes><note id="qR4fVo"><body>First</body></note></notes>'),
      },
    },
    '/notes/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: shows(note, '<note id="qR4fVo"/>') },
    },
  });
  expect((await call('list')).body).toEqual([{ id: 'qR4fVo', body: 'First' }]);
  expect((await call('read', { path: { id: 'qR4fVo' } })).body).toEqual({ id: 'qR4fVo', body: 'First' });
});

test('an empty text is no id of an example', async () => {
  const example = [{ id: '', name: 'Ann' }];
  const content = { 'application/json': { schema: { type: 'array', items: {} }, example } };
  const { call } = openPaths({
    '/members': { get: { operationId: 'list', responses: { 200: { description: 'Success', content } } } },
    '/members/{id}': {
      parameters: [inPath('id')],
      put: { operationId: 'update', ...sends(object({ name: text })), responses: { 200: { description: 'Success' } } },
    },
  });
  const [member] = (await call('list')).body as readonly JsonObject[];
  expect(member).toMatchObject({ id: expect.stringMatching(/./), name: 'Ann' });
  expect((await call('update', { path: { id: member?.id }, body: { name: 'Bob' } })).status).toBe(200);
  expect((await call('list')).body).toEqual([{ ...member, name: 'Bob' }]);
});

test('an item has further members than its example, and lacks those that a client removes', async () => {
  const example = { id: 'a1', name: 'Ann', labels: { env: 'test' } };
  const shown = { 200: { description: 'Success', content: { 'application/json': { example } } } };
  const sent = sends(object({ name: { type: ['string', 'null'] }, note: text, labels: { type: 'object' } }));
  const { call } = openPaths({
    '/members': { post: { operationId: 'create', ...sent, responses: shown } },
    '/members/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: shown },
      patch: { operationId: 'change', ...sent, responses: shown },
    },
  });
  const body = { name: 'Bob', note: 'new', labels: { team: 'red' } };
  const { id } = (await call('create', { body })).body as JsonObject;
  expect((await call('read', { path: { id } })).body).toEqual({ id, ...body });
  await call('change', { path: { id }, body: { name: null, note: 'newer' } });
  expect((await call('read', { path: { id } })).body).not.toMatchObject({ name: 'Ann' });
  expect((await call('read', { path: { id } })).body).toMatchObject({ note: 'newer', labels: { team: 'red' } });
});

test('the text of an object is no example of a list without a type', async () => {
  const list = { properties: { data: { type: 'array', items: object({ id: text }) } }, required: ['data', 'more'] };
  const { call } = openPaths({
    '/files': { get: { operationId: 'list', responses: answers(list, undefined, '{"data": [{"id": "a"}]}') } },
    '/files/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: answers(object({ id: text })) },
    },
  });
  expect((await call('list')).body).toMatchObject({ data: [{ id: expect.any(String) }] });
});
