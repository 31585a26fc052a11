// If these fail, `lockstep mock` forgets items of contracts that describe answers by examples alone.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { inPath, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

test.each([
  ['no schema', undefined],
  ['a schema without members', { type: 'object' }],
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
