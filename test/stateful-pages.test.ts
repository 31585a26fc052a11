// If these fail, `lockstep mock` shows other pages of a list than its parameters ask for, or leads to pages that do not exist.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { answers, inPath, inQuery, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

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

  test('have their usual length if a limit is negative', async () => {
    const { call } = openPaths({
      '/hashes': {
        get: { operationId: 'list', parameters: paged, responses: answers(texts, 'application/json', ['a', 'b']) },
      },
    });
    expect((await call('list', { query: { count: -1 } })).body).toEqual(['a', 'b']);
  });

  test('have their usual length if the default of a limit is negative', async () => {
    const limit = inQuery('limit', { type: 'integer', default: -1 });
    const { call } = openPaths({
      '/hashes': {
        get: {
          operationId: 'list',
          parameters: [limit],
          responses: answers(texts, 'application/json', ['a', 'b', 'c']),
        },
      },
    });
    expect((await call('list', { query: { limit: -1 } })).body).toEqual(['a', 'b', 'c']);
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

const thing = object({ id: text, note: text }, ['id']);
const things = { type: 'array', items: thing };
const limit = inQuery('limit', { type: 'integer' });

/** A mock of things with the ids 1, 2 and 3, whose list has this answer. */
async function threeThings(list: JsonObject, parameters: readonly JsonObject[]) {
  const { call } = openPaths({
    '/things': {
      get: { operationId: 'list', parameters, responses: answers(list) },
      post: { operationId: 'create', ...sends(thing), responses: answers(thing) },
      delete: { operationId: 'clear', responses: { 204: { description: 'Gone' } } },
    },
    '/things/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(thing) } },
  });
  await call('clear');
  for (const id of ['1', '2', '3']) await call('create', { body: { id } });
  return async (query: JsonObject = {}): Promise<JsonObject> => (await call('list', { query })).body as JsonObject;
}

test.each([
  ['marker', 'next_marker', { type: 'integer' }],
  ['pagination_token', 'next_token', text],
])('the cursor %s is sent as the member %j of the page before', async (parameter, member, schema) => {
  const list = await threeThings(object({ entries: things, [member]: schema }, ['entries']), [
    limit,
    inQuery(parameter),
  ]);
  const first = await list({ limit: 2 });
  const last = await list({ limit: 2, [parameter]: String(first[member]) });
  expect([first.entries, last.entries]).toMatchObject([[{ id: '1' }, { id: '2' }], [{ id: '3' }]]);
  expect(Object.keys(last)).toEqual(['entries']);
});

test('a page has no cursor that no parameter takes', async () => {
  const list = await threeThings(object({ entries: things, next_token: text }, ['entries']), [limit]);
  expect(Object.keys(await list({ limit: 2 }))).toEqual(['entries']);
});

test('an empty list is left out where it must have an item, and so are errors', async () => {
  const filled = { ...things, minItems: 1 };
  const errors = { type: 'array', minItems: 1, items: object({ title: text }) };
  const list = await threeThings(object({ data: filled, errors }), [inQuery('note')]);
  expect(await list()).toEqual({ data: [{ id: '1' }, { id: '2' }, { id: '3' }] });
  expect(await list({ note: 'none' })).toEqual({});
});
