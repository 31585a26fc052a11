// If these fail, `lockstep mock` takes an item for a list, or reads an item by no id.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, inPath, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

test('a path with the answer of an item is no list, whatever lists the item has', () => {
  const person = object({
    messages: { type: 'array', items: object({ id: text }) },
    content: object({ id: text, name: text }),
  });
  const { roles } = openPaths({
    '/person': { get: { operationId: 'readOwn', responses: answers(person) } },
    '/person/{personId}': {
      parameters: [inPath('personId')],
      get: { operationId: 'read', responses: answers(person) },
      put: { operationId: 'replace', ...sends(object({ name: text })), responses: answers(person) },
    },
  });
  expect(roles.map(({ operationId, role }) => [operationId, role])).toEqual([
    ['readOwn', 'none'],
    ['read', 'read'],
    ['replace', 'replace'],
  ]);
});

test('an operation without a role answers as documented while the items exist that own its path', async () => {
  const shop = object({ id: text, name: text });
  const { roles, call } = openPaths({
    '/shops': { post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(shop) } },
    '/shops/{shopId}': {
      parameters: [inPath('shopId')],
      get: { operationId: 'read', responses: answers(shop) },
      delete: {
        operationId: 'remove',
        responses: { 204: { description: 'Removed' }, 404: { description: 'Unknown' } },
      },
    },
    '/shops/{shopId}/colours': {
      parameters: [inPath('shopId')],
      get: { operationId: 'colours', responses: answers({ type: 'array', items: text }, undefined, ['red']) },
    },
  });
  expect(roles.find(({ operationId }) => operationId === 'colours')).toMatchObject({
    role: 'below',
    resource: '/shops',
  });
  const path = { shopId: ((await call('create', { body: { name: 'A' } })).body as JsonObject).id };
  expect((await call('colours', { path })).body).toEqual(['red']);
  expect((await call('colours', { path: { shopId: 'other' } })).status).toBe(404);
  await call('remove', { path });
  expect((await call('colours', { path })).status).toBe(404);
});

test('the only id that the service sets may be a level deeper', async () => {
  const kind = object({ id: { type: 'string', format: 'uuid', readOnly: true }, title: text });
  const template = object({ kind, owner: object({ id: text }), subject: text });
  const { call } = openPaths({
    '/templates': { get: { operationId: 'list', responses: answers({ type: 'array', items: template }) } },
    '/templates/{templateId}': {
      parameters: [inPath('templateId')],
      get: { operationId: 'read', responses: answers(template) },
      patch: { operationId: 'change', ...sends(template), responses: answers(template) },
    },
  });
  const [first] = (await call('list')).body as readonly { readonly kind: JsonObject }[];
  const path = { templateId: first?.kind.id };
  expect((await call('read', { path })).body).toEqual(first);
  const changed = await call('change', { path, body: { subject: 'New', kind: { title: 'Letter' } } });
  expect(changed.body).toMatchObject({ subject: 'New', kind: { id: first?.kind.id, title: 'Letter' } });
});

test('an item stays one if a longer path has a second parameter after it', () => {
  const file = object({ id: text, name: text });
  const { roles } = openPaths({
    '/files': { post: { operationId: 'create', ...sends(object({ name: text })), responses: answers(file) } },
    '/files/{fileId}': {
      parameters: [inPath('fileId')],
      get: { operationId: 'read', responses: answers(file) },
      put: { operationId: 'replace', ...sends(object({ name: text })), responses: answers(file) },
    },
    '/files/{type}/{number}': {
      parameters: [inPath('type'), inPath('number')],
      get: { operationId: 'find', responses: answers(object({ files: { type: 'array', items: file } })) },
    },
  });
  expect(roles.map(({ operationId, role }) => `${operationId} ${role}`)).toEqual([
    'create create',
    'read read',
    'replace replace',
    'find none',
  ]);
});

test('a client chooses the id that the body of a create declares, although answers mark it as read-only', async () => {
  const answered = object({ id: { type: 'string', readOnly: true }, name: text });
  const { call } = openPaths({
    '/carts': {
      post: { operationId: 'create', ...sends(object({ id: text, name: text })), responses: answers(answered) },
    },
    '/carts/{cartId}': { parameters: [inPath('cartId')], get: { operationId: 'read', responses: answers(answered) } },
  });
  await call('create', { body: { id: 'c-1', name: 'A' } });
  expect((await call('read', { path: { cartId: 'c-1' } })).body).toEqual({ id: 'c-1', name: 'A' });
});

test('a list with the cursor `continue` shows how many items remain', async () => {
  const shelf = object({ metadata: object({ name: text }) });
  const around = object({ continue: text, remainingItemCount: { type: 'integer' } });
  const query = [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'continue', in: 'query', schema: text },
  ];
  const { call } = openPaths({
    '/shelves': {
      get: {
        operationId: 'list',
        parameters: query,
        responses: answers(object({ metadata: around, items: { type: 'array', items: shelf } })),
      },
      post: { operationId: 'create', ...sends(shelf), responses: answers(shelf) },
    },
  });
  for (const name of ['a', 'b']) await call('create', { body: { metadata: { name } } });
  type Listed = { readonly metadata: JsonObject; readonly items: readonly unknown[] };
  const first = (await call('list', { query: { limit: 2 } })).body as Listed;
  expect(first.metadata).toMatchObject({ continue: expect.stringMatching(/./), remainingItemCount: 1 });
  const { body: last } = await call('list', { query: { limit: 2, continue: first.metadata.continue } });
  expect((last as Listed).items).toHaveLength(1);
  expect((last as Listed).metadata).toEqual({ remainingItemCount: 0 });
});

test.each([
  [['401', '403'], 403],
  [['401', '409', '403'], 409],
])('where %j are documented, an unknown item is answered %i', async (documented, status) => {
  const others = Object.fromEntries(documented.map((one) => [one, { description: 'No' }]));
  const thing = object({ id: text });
  const { call } = openPaths({
    '/things': { post: { operationId: 'create', ...sends(thing), responses: answers(thing) } },
    '/things/{thingId}': {
      parameters: [inPath('thingId')],
      get: { operationId: 'read', responses: { 200: answers(thing)[200], ...others } },
    },
  });
  expect((await call('read', { path: { thingId: 'other' } })).status).toBe(status);
});

test.each([
  ['that an operation creates', true, 'below'],
  ['that no operation creates', false, 'none'],
])('content below an item %s', (_, isCreated, role) => {
  const file = object({ id: text, name: text });
  const { roles } = openPaths({
    '/files': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: file }) },
      ...(isCreated && { post: { operationId: 'create', ...sends(file), responses: answers(file) } }),
    },
    '/files/{fileId}': { parameters: [inPath('fileId')], get: { operationId: 'read', responses: answers(file) } },
    '/files/{fileId}/tags': {
      parameters: [inPath('fileId')],
      get: { operationId: 'tags', responses: answers({ type: 'array', items: text }) },
    },
  });
  expect(roles.find(({ operationId }) => operationId === 'tags')?.role).toBe(role);
});
