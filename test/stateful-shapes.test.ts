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

const sends = (schema: JsonObject, mediaType = 'application/json') => ({
  requestBody: { content: { [mediaType]: { schema } } },
});

function openPaths(paths: JsonObject) {
  return createCaller({ openapi: '3.1.0', info: { title: 'Shapes', version: '1' }, paths });
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
    expect(made[one]).toMatchObject({ name: 'Ann' });
    const path = { employerId: made[one]?.id };
    expect((await call('read', { path })).body).toMatchObject({ [one]: made[one] });
    expect((await call('list')).body).toMatchObject({ [many]: expect.arrayContaining([made[one]]) });
  });
});
