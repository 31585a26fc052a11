// If these fail, `lockstep mock` forgets items of contracts that put other members around them.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { answers, createCaller, inPath, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

const number = { type: 'integer' };

test('a code next to an item that has only a name is about the request', async () => {
  const item = object({ name: text, colour: text });
  const responses = answers(object({ result: item, code: number, message: text }, ['result', 'code']));
  const { call } = openPaths({
    '/layouts': { post: { operationId: 'create', ...sends(item), responses } },
    '/layouts/{layout}': { parameters: [inPath('layout')], get: { operationId: 'read', responses } },
  });
  const result = { name: 'first', colour: 'red' };
  await call('create', { body: result });
  expect((await call('read', { path: { layout: 'first' } })).body).toMatchObject({ result });
});

test.each([
  ['longer', 'shop_layout'],
  ['shorter', 'lay'],
])('an only member of a body with a %s name than the path has the item', async (_, name) => {
  const responses = answers(object({ id: number, colour: text }));
  const { call } = openPaths({
    '/layouts': {
      post: { operationId: 'create', ...sends(object({ [name]: object({ colour: text }) })), responses },
    },
    '/layouts/{layout}': { parameters: [inPath('layout', number)], get: { operationId: 'read', responses } },
  });
  const { id } = (await call('create', { body: { [name]: { colour: 'red' } } })).body as JsonObject;
  expect((await call('read', { path: { layout: id } })).body).toEqual({ id, colour: 'red' });
});

test('a body with the schema of a member of the item is this member', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const { call } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Layouts', version: '1' },
    paths: {
      '/layouts': { post: { operationId: 'create', ...sends(ref('Plan')), responses: answers(ref('Layout')) } },
      '/layouts/{layoutId}': {
        parameters: [inPath('layoutId', number)],
        get: { operationId: 'read', responses: answers(ref('Layout')) },
      },
    },
    components: {
      schemas: {
        Plan: object({ id: text, layouts: { type: 'array', items: object({ colour: text }) } }, ['id']),
        Layout: object({ layoutId: number, plan: ref('Plan') }, ['layoutId', 'plan']),
      },
    },
  });
  const plan = { id: 'p1', layouts: [{ colour: 'red' }] };
  const { layoutId } = (await call('create', { body: plan })).body as JsonObject;
  expect((await call('read', { path: { layoutId } })).body).toEqual({ layoutId, plan });
});

test.each([
  ['a text', { enum: ['red', 'blue'] }, 'application/json'],
  ['a file', { ...text, format: 'binary' }, 'application/octet-stream'],
])('a body that is %s creates an item', async (_, body, mediaType) => {
  const item = object({ layoutId: number, size: number, colour: { enum: ['red', 'blue'] } }, ['layoutId', 'colour']);
  const { call } = openPaths({
    '/layouts': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: item }) },
      post: { operationId: 'create', ...sends(body, mediaType), responses: answers(item) },
    },
    '/layouts/{layoutId}': {
      parameters: [inPath('layoutId', number)],
      delete: { operationId: 'remove', responses: answers(item) },
    },
  });
  const made = [(await call('create', { body: 'blue' })).body, (await call('create', { body: 'blue' })).body];
  const colour = mediaType === 'application/json' ? 'blue' : 'red';
  expect(made).toMatchObject([{ colour }, { colour }]);
  expect((await call('list')).body).toEqual(expect.arrayContaining(made));
  for (const one of made) {
    const path = { layoutId: (one as JsonObject).layoutId };
    expect((await call('remove', { path })).body).toEqual(one);
    expect((await call('remove', { path })).status).toBe(404);
  }
});

test.each([
  ['has no content', {}, 200],
  ['has the address', { headers: { Location: { schema: text } } }, 201],
])('a create has the success that shows the item: next to it, a 201 %s', async (_, more, want) => {
  const item = object({ id: number, colour: text });
  const responses = { ...answers(item), 201: { description: 'Created', ...more } };
  const { call } = openPaths({
    '/layouts': { post: { operationId: 'create', ...sends(object({ colour: text })), responses } },
    '/layouts/{id}': { parameters: [inPath('id', number)], get: { operationId: 'read', responses: answers(item) } },
  });
  expect((await call('create', { body: { colour: 'red' } })).status).toBe(want);
});

test('an item may be in two wrappers', async () => {
  const layout = object({ id: number, colour: text });
  const around = (inner: JsonObject) => object({ _embedded: object({ data: inner }), _links: object({ self: text }) });
  const { call } = openPaths({
    '/layouts': {
      get: { operationId: 'list', responses: answers(around({ type: 'array', items: layout })) },
      post: { operationId: 'create', ...sends(object({ colour: text })), responses: answers(around(layout)) },
    },
    '/layouts/{id}': {
      parameters: [inPath('id', number)],
      get: { operationId: 'read', responses: answers(around(layout)) },
    },
  });
  const body = (await call('create', { body: { colour: 'red' } })).body as { _embedded: { data: JsonObject } };
  const { data } = body._embedded;
  expect(data).toMatchObject({ colour: 'red' });
  expect((await call('read', { path: { id: data.id } })).body).toMatchObject({ _embedded: { data } });
  expect((await call('list')).body).toMatchObject({ _embedded: { data: expect.arrayContaining([data]) } });
});

test('an object of an item is no item, also if the path names its id', async () => {
  const member = object({ role: text, user: object({ id: number, login: text }) });
  const responses = answers(member);
  const { call } = openPaths({
    '/members': { get: { operationId: 'list', responses: answers({ type: 'array', items: member }) } },
    '/members/{userId}': {
      parameters: [inPath('userId', number)],
      get: { operationId: 'read', responses },
      put: { operationId: 'replace', ...sends(object({ role: text })), responses },
    },
  });
  const [first] = (await call('list')).body as readonly { readonly user: { readonly id: number } }[];
  const path = { userId: first?.user.id };
  expect((await call('replace', { path, body: { role: 'owner' } })).body).toMatchObject({ role: 'owner' });
  expect((await call('read', { path })).body).toMatchObject({ role: 'owner' });
});

test('an id that another system made is no sign against an envelope', async () => {
  const payment = object({ id: text, amount: number });
  const responses = answers(object({ publicId: text, payment }));
  const { call } = openPaths({
    '/payments': { post: { operationId: 'create', ...sends(object({ amount: number })), responses } },
    '/payments/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses } },
  });
  const { body } = await call('create', { body: { amount: 42 } });
  expect(body).toMatchObject({ payment: { amount: 42 } });
});
