import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Rejection } from '@lockstep/runtime/rejection';
import { openSqliteStore, type SqliteStore } from '@lockstep/runtime/stateful/sqlite-store';
import { createStoredHandlers } from '@lockstep/runtime/stateful/stored-handlers';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import { expect, test } from 'vitest';

// If these fail, a project of `lockstep new --state` does not work before its handlers are written, or its own handlers can't call the stored ones.

type OperationId = 'list' | 'add' | 'read' | 'remove' | 'export' | 'listParts' | 'ping';
type Handler = (request: object, exchange?: object) => Promise<{ readonly status: number; readonly body?: unknown }>;

const key = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', default: 2 } };
const cursor = { name: 'cursor', in: 'query', schema: { type: 'string' } };
const once = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
const json = (schema: object) => ({ description: 'Fine', content: { 'application/json': { schema } } });
const csv = { description: 'Fine', content: { 'text/csv': { schema: { type: 'string' } } } };
const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
const fault = { type: 'object', required: ['code', 'message'], properties: { code: {}, message: { type: 'string' } } };
const page = {
  example: { items: [{ id: 'first', name: 'An example' }] },
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', items: thing }, next: { type: ['string', 'null'], format: 'uri' } },
};
/** Nothing creates them, and their example has no id. */
const parts = {
  type: 'array',
  items: { type: 'object', properties: { size: { type: 'integer' } } },
  example: [{ size: 5 }],
};
const contract = {
  openapi: '3.1.1',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://things.example/v1' }],
  paths: {
    '/things': {
      get: { operationId: 'list', parameters: [limit, cursor], responses: { 200: json(page) } },
      post: { operationId: 'add', parameters: [once], requestBody: json(thing), responses: { 201: json(thing) } },
    },
    '/things/{id}': {
      get: { operationId: 'read', parameters: [key], responses: { 200: json(thing), 404: json(fault) } },
      delete: { operationId: 'remove', parameters: [key], responses: { 204: { description: 'Gone' } } },
      put: { operationId: 'export', parameters: [key], requestBody: json(thing), responses: { 200: csv } },
    },
    '/things/{id}/parts': {
      get: { operationId: 'listParts', parameters: [key], responses: { 200: json(parts) } },
    },
    '/ping': { get: { operationId: 'ping', responses: { 200: json({ type: 'string' }) } } },
  },
};

function open(store?: SqliteStore) {
  const operations = describeOperations(contract as never);
  const stored = createStoredHandlers<Readonly<Record<OperationId, Handler>>>({ contract, operations, store });
  const call = (id: keyof typeof stored, parts: object, exchange?: object) =>
    stored[id]({ path: {}, query: {}, headers: {}, cookies: {}, requestId: 'r', ...parts }, exchange);
  return { stored, call };
}

test('the handlers share one store, also if another handler calls them', async () => {
  const { call } = open();
  const made = await call('add', { body: { id: 'a', name: 'one' } });
  expect(made).toMatchObject({ status: 201, body: { id: 'a', name: 'one' } });
  expect(await call('read', { path: { id: 'a' } })).toMatchObject({ status: 200, body: made.body });
});

test('without a request of its own, a page has the address of the operation', async () => {
  const { call } = open();
  for (const id of ['a', 'b', 'c']) await call('add', { body: { id } });
  const { body } = await call('list', { query: { limit: 2 } });
  expect(body).toMatchObject({ next: expect.stringMatching(/^http:\/\/localhost\/v1\/things\?limit=2&cursor=/) });
  const request = { url: '/v1/things?limit=2', headers: { host: 'api.example:81' } };
  const asked = await call('list', { query: { limit: 2 } }, { request });
  expect(asked.body).toMatchObject({ next: expect.stringMatching(/^http:\/\/api\.example:81\/v1\/things\?limit=2&/) });
});

test('an unknown id gets the declared answer, with a value for each required member', async () => {
  const { status, body } = await open().call('read', { path: { id: 'z' } });
  expect([status, body]).toEqual([
    404,
    expect.objectContaining({ code: expect.anything(), message: expect.any(String) }),
  ]);
});

test('an operation without a resource is not implemented yet', async () => {
  await expect(async () => open().call('ping', {})).rejects.toSatisfy(
    (error: Rejection) => error.kind === 'unimplemented',
  );
});

test('an operation whose answer is not JSON changes nothing, and is not implemented yet', async () => {
  const { call } = open();
  await call('add', { body: { id: 'a', name: 'one' } });
  await expect(async () => call('export', { path: { id: 'a' }, body: { id: 'a' } })).rejects.toSatisfy(
    (error: Rejection) => error.kind === 'unimplemented',
  );
  expect((await call('read', { path: { id: 'a' } })).body).toEqual({ id: 'a', name: 'one' });
});

test('two sets of handlers share nothing', async () => {
  const [one, other] = [open(), open()];
  await one.call('add', { body: { id: 'a' } });
  expect((await other.call('read', { path: { id: 'a' } })).status).toBe(404);
});

test('a store in a file keeps its items when the service stops, and a deleted example stays deleted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  try {
    const before = openSqliteStore(join(folder, 'state.sqlite'));
    const first = open(before);
    expect((await first.call('list', { query: { limit: 9 } })).body).toMatchObject({ items: [{ id: 'first' }] });
    await first.call('add', { body: { id: 'a', name: 'one' } });
    await first.call('remove', { path: { id: 'first' } });
    const made = await first.call('add', { body: {} });
    const shown = (await first.call('listParts', { path: { id: 'a' } })).body;
    expect(shown).toEqual([{ size: 5 }]);
    before.close();
    const after = openSqliteStore(join(folder, 'state.sqlite'));
    const second = open(after);
    const again = await second.call('add', { body: {} });
    expect(Object(again.body).id).not.toBe(Object(made.body).id);
    const { body } = await second.call('list', { query: { limit: 9 } });
    expect(Object(body).items).toEqual([{ id: 'a', name: 'one' }, made.body, again.body]);
    expect((await second.call('read', { path: { id: 'first' } })).status).toBe(404);
    expect((await second.call('listParts', { path: { id: 'a' } })).body).toEqual(shown);
    after.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a list in a file reads only its page', async () => {
  const store = openSqliteStore(':memory:');
  const { call } = open({ ...store, list: () => expect.fail('the whole list is read') });
  for (const id of ['a', 'b', 'c']) await call('add', { body: { id } });
  const idsAt = async (query: object): Promise<unknown> =>
    Object((await call('list', { query })).body).items.map(({ id }: { readonly id: string }) => id);
  expect(await idsAt({ limit: 2 })).toEqual(['first', 'a']);
  expect(await idsAt({ limit: 2, cursor: 'a' })).toEqual(['b', 'c']);
  store.close();
});

test('a request that the disk rejects has its effect when it is repeated with its key', async () => {
  const store = openSqliteStore(':memory:');
  let isFull = true;
  const change: SqliteStore['change'] = (work) =>
    store.change(() => {
      const result = work();
      if (isFull) throw new Error('database or disk is full');
      return result;
    });
  const { call } = open({ ...store, change });
  const request = { headers: { 'idempotency-key': 'k' }, body: { id: 'a' } };
  await expect(call('add', request)).rejects.toThrow('full');
  isFull = false;
  expect((await call('add', request)).status).toBe(201);
  expect((await call('read', { path: { id: 'a' } })).status).toBe(200);
  store.close();
});

test('a request during the long change of another process is rejected as unavailable, and has its effect later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  try {
    const file = join(folder, 'state.sqlite');
    const store = openSqliteStore(file, { busyMs: 1 });
    const { call } = open(store);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(call('add', { body: { id: 'a' } })).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'Retry-After': '1' },
    });
    other.close();
    expect((await call('add', { body: { id: 'a' } })).status).toBe(201);
    store.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an Idempotency-Key is the key of one account', async () => {
  const { call } = open();
  const add = async (name: string) =>
    Object((await call('add', { headers: { 'idempotency-key': 'k' }, body: {}, principal: { name } })).body).id;
  const ann = await add('ann');
  expect(await add('ann')).toBe(ann);
  expect(await add('bob')).not.toBe(ann);
});

test('a store in a file answers a repeated key after the service has stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  try {
    const request = { headers: { 'idempotency-key': 'k' }, body: { name: 'one' } };
    const before = openSqliteStore(join(folder, 'state.sqlite'));
    const first = await open(before).call('add', request);
    before.close();
    const after = openSqliteStore(join(folder, 'state.sqlite'));
    const { call } = open(after);
    expect(await call('add', request)).toEqual(first);
    expect(Object((await call('list', { query: { limit: 9 } })).body).items).toHaveLength(2);
    after.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
