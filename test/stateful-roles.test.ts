// If these fail, `lockstep mock` takes an item for a list, or reads an item by no id.
import type { JsonObject } from '@lockstep/json/json-pointer';
import { expect, test } from 'vitest';
import { createCaller } from './fixtures/stateful-caller.ts';

const text = { type: 'string' };
const object = (properties: JsonObject) => ({ type: 'object', properties });
const answers = (schema: JsonObject) => ({
  200: { description: 'Success', content: { 'application/json': { schema } } },
  404: { description: 'Unknown' },
});
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: text });
const sends = (schema: JsonObject) => ({ requestBody: { content: { 'application/json': { schema } } } });

function openPaths(paths: JsonObject) {
  return createCaller({ openapi: '3.1.0', info: { title: 'Roles', version: '1' }, paths });
}

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
