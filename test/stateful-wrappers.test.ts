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

test('a member with the name of the parameter has the item', async () => {
  const layout = object({ id: number, colour: text });
  const responses = answers(object({ revision: text, page: layout }));
  const { call } = openPaths({
    '/layouts': { post: { operationId: 'create', ...sends(object({ colour: text })), responses } },
    '/layouts/{pageId}': { parameters: [inPath('pageId', number)], get: { operationId: 'read', responses } },
  });
  const made = (await call('create', { body: { colour: 'red' } })).body as Readonly<Record<string, JsonObject>>;
  const { body } = await call('read', { path: { pageId: made.page?.id } });
  expect(body).toMatchObject({ page: { colour: 'red' } });
});

test.each<readonly [string, (list: JsonObject) => JsonObject, (items: readonly JsonObject[]) => unknown]>([
  ['a list', (list) => list, (items) => items],
  ['an object with a list', (data) => object({ data }), (data) => ({ data })],
])('a read that answers %s has the item alone in it', async (_, shown, wrap) => {
  const items = { type: 'array', items: { $ref: '#/components/schemas/Layout' } };
  const { call } = createCaller({
    openapi: '3.1.0',
    info: { title: 'Layouts', version: '1' },
    paths: {
      '/layouts': {
        get: { operationId: 'list', responses: answers(items) },
        post: { operationId: 'create', ...sends(object({ colour: text })), responses: answers(items) },
      },
      '/layouts/{layoutId}': {
        parameters: [inPath('layoutId', number)],
        get: { operationId: 'read', responses: answers(shown(items)) },
      },
    },
    components: { schemas: { Layout: object({ id: number, colour: text }) } },
  });
  await call('create', { body: { colour: 'blue' } });
  const [made] = (await call('create', { body: { colour: 'red' } })).body as readonly JsonObject[];
  const { body } = await call('read', { path: { layoutId: made?.id } });
  expect(body).toEqual(wrap([{ id: made?.id, colour: 'red' }]));
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
