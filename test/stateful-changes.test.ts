// If these fail, `lockstep mock` changes or deletes an item in another way than its contract describes.
import { describe, expect, test } from 'vitest';
import { answers, inPath, type Limits, object, openPaths, sends, text } from './fixtures/stateful-caller.ts';

test('a replacement keeps a member that its body cannot have', async () => {
  const group = object({ id: text, logs: text, colour: text });
  const { call } = openPaths({
    '/groups': { post: { operationId: 'create', ...sends(group), responses: answers(group) } },
    '/groups/{id}': {
      parameters: [inPath('id')],
      put: { operationId: 'replace', ...sends(object({ colour: text })), responses: answers(group) },
    },
  });
  await call('create', { body: { id: 'a', logs: 'all', colour: 'red' } });
  const { body } = await call('replace', { path: { id: 'a' }, body: { colour: 'blue' } });
  expect(body).toEqual({ id: 'a', logs: 'all', colour: 'blue' });
});

test('a list of changes of a collection names no unknown item, even if it is empty', async () => {
  const thing = object({ id: text, name: text });
  const { call } = openPaths({
    '/things': {
      get: { operationId: 'list', responses: answers({ type: 'array', items: thing }) },
      patch: { operationId: 'change', ...sends({ type: 'array', items: thing }), responses: answers(object({})) },
    },
    '/things/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(thing) } },
  });
  for (const body of [[], [{ id: 'a', name: 'n' }]]) expect((await call('change', { body })).status).toBe(200);
});

test('a mock remembers only as many deleted ids as it can have items', async () => {
  const thing = object({ id: text });
  const one = {
    get: { operationId: 'read', responses: answers(thing) },
    delete: { operationId: 'remove', responses: answers(thing) },
  };
  const paths = { '/things/{id}': { parameters: [inPath('id')], ...one } };
  const { call } = openPaths(paths, { items: 2, bytes: 10_000 });
  const ids = ['a', 'b', 'c'];
  for (const id of ids) expect((await call('remove', { path: { id } })).status).toBe(200);
  const statuses = await Promise.all(ids.map(async (id) => (await call('read', { path: { id } })).status));
  expect(statuses).toEqual([200, 404, 404]);
});

test('an action with the name of a member of every JavaScript object answers with its item', async () => {
  const build = object({ id: text, state: { type: 'string', enum: ['open', 'built'] } });
  const { call } = openPaths({
    '/builds': { post: { operationId: 'create', ...sends(build), responses: answers(build) } },
    '/builds/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(build) } },
    '/builds/{id}/constructor': {
      parameters: [inPath('id')],
      post: { operationId: 'act', responses: answers(build) },
    },
  });
  const { body } = await call('create', { body: { id: 'a', state: 'open' } });
  expect((await call('act', { path: { id: 'a' } })).body).toEqual(body);
});

test('a 201 to an action has the address of the item in its body, and not that of the example', async () => {
  const thing = object({ id: text, name: text });
  const Location = { schema: text, example: '/things/other' };
  const { call } = openPaths({
    '/things': { post: { operationId: 'create', ...sends(thing), responses: answers(thing) } },
    '/things/{id}': { parameters: [inPath('id')], get: { operationId: 'read', responses: answers(thing) } },
    '/things/{id}/publish': {
      parameters: [inPath('id')],
      post: { operationId: 'publish', responses: { 201: { ...answers(thing)[200], headers: { Location } } } },
    },
  });
  await call('create', { body: { id: 'a', name: 'n' } });
  const { body, headers } = await call('publish', { path: { id: 'a' } });
  expect([body, headers]).toEqual([{ id: 'a', name: 'n' }, { Location: '/things/a' }]);
});

test.each(['patch', 'delete'])(
  'a 202 to a %s keeps the documented address, which may be that of a job',
  async (method) => {
    const thing = object({ id: text, name: text });
    const accepted = { description: 'Accepted', headers: { Location: { schema: text, example: '/jobs/7' } } };
    const { call } = openPaths({
      '/things': { post: { operationId: 'create', ...sends(thing), responses: answers(thing) } },
      '/things/{id}': {
        parameters: [inPath('id')],
        get: { operationId: 'read', responses: answers(thing) },
        [method]: { operationId: 'act', ...(method === 'patch' && sends(thing)), responses: { 202: accepted } },
      },
    });
    await call('create', { body: { id: 'a', name: 'n' } });
    const { headers } = await call('act', { path: { id: 'a' }, ...(method === 'patch' && { body: { name: 'm' } }) });
    expect(headers).toEqual({ Location: '/jobs/7' });
  },
);

test('an unknown item gets the rejection that is described as one, whatever its status', async () => {
  const { call } = openPaths({
    '/things': { get: { operationId: 'list', responses: answers({ type: 'array', items: object({ id: text }) }) } },
    '/things/{id}': {
      parameters: [inPath('id')],
      get: {
        operationId: 'read',
        responses: {
          200: { description: 'Success', content: { 'application/json': { schema: object({ id: text }) } } },
          480: { description: 'UnprocessableEntityException' },
          483: { description: 'NotFoundException' },
        },
      },
    },
  });
  expect((await call('read', { path: { id: 'z' } })).status).toBe(483);
});

describe('a PATCH of the name that addresses an item', () => {
  const role = object({ name: text, level: text });
  const right = object({ id: text, role: text });
  const paths = {
    '/roles': { post: { operationId: 'create', ...sends(role), responses: answers(role) } },
    '/roles/{name}': {
      parameters: [inPath('name')],
      get: { operationId: 'read', responses: answers(role) },
      patch: {
        operationId: 'change',
        ...sends(role),
        responses: { ...answers(role), 409: { description: 'Taken' }, 507: { description: 'Full' } },
      },
    },
    '/roles/{name}/rights': {
      parameters: [inPath('name')],
      get: { operationId: 'list', responses: answers({ type: 'array', items: right }) },
      post: { operationId: 'add', ...sends(right), responses: answers(right) },
    },
    '/roles/{name}/rights/{id}': {
      parameters: [inPath('name'), inPath('id')],
      get: { operationId: 'readRight', responses: answers(right) },
    },
  };

  test('moves it, with the items below it', async () => {
    const { call } = openPaths(paths);
    for (const name of ['old', 'other']) await call('create', { body: { name, level: '1' } });
    await call('add', { path: { name: 'old' }, body: { id: 'r' } });
    const moved = await call('change', { path: { name: 'old' }, body: { name: 'new' } });
    expect(moved.body).toEqual({ name: 'new', level: '1' });
    expect((await call('read', { path: { name: 'old' } })).status).toBe(404);
    expect((await call('read', { path: { name: 'new' } })).body).toEqual(moved.body);
    expect((await call('readRight', { path: { name: 'new', id: 'r' } })).body).toEqual({
      id: 'r',
      role: 'new',
    });
    expect((await call('change', { path: { name: 'new' }, body: { name: 'other' } })).status).toBe(409);
  });

  test('moves the items that only another path shows below it', async () => {
    const right = object({ id: text, role: text });
    const list = { type: 'array', items: right };
    const { call } = openPaths({
      ...paths,
      '/roles/{name}/rights': {
        parameters: [inPath('name')],
        get: { operationId: 'list', responses: answers(list) },
        post: { operationId: 'add', ...sends(object({ id: text })), responses: answers(right) },
      },
      '/roles/{name}/rights/{id}': {},
      '/rights': {
        get: { operationId: 'all', responses: answers(list) },
        post: { operationId: 'addRight', ...sends(right), responses: answers(right) },
      },
      '/rights/{id}': { parameters: [inPath('id')], get: { operationId: 'readRight', responses: answers(right) } },
    });
    for (const name of ['old', 'other']) await call('create', { body: { name, level: '1' } });
    await call('add', { path: { name: 'old' }, body: { id: 'r' } });
    await call('addRight', { body: { id: 's', role: 'old' } });
    await call('addRight', { body: { id: 't', role: 'other' } });
    await call('change', { path: { name: 'old' }, body: { name: 'new' } });
    const [r, s] = ['r', 's'].map((id) => ({ id, role: 'new' }));
    expect((await call('list', { path: { name: 'new' } })).body).toEqual([r, s]);
    expect((await call('all')).body).toEqual(expect.arrayContaining([r, s, { id: 't', role: 'other' }]));
    expect((await call('readRight', { path: { id: 'r' } })).body).toEqual(r);
  });

  test('changes nothing if the store has no room for the items below it', async () => {
    const fill = async (limits?: Limits) => {
      const caller = openPaths(paths, limits);
      await caller.call('create', { body: { name: 'old', level: '1' } });
      for (const id of ['r', 's']) await caller.call('add', { path: { name: 'old' }, body: { id } });
      return caller;
    };
    const { bytes } = (await fill()).size();
    // A longer name is in the role twice, and once in each of its rights.
    const { call, size } = await fill({ items: 10, bytes: bytes + 3 * 50 });
    const name = 'n'.repeat('old'.length + 50);
    expect((await call('change', { path: { name: 'old' }, body: { name } })).status).toBe(507);
    expect((await call('read', { path: { name: 'old' } })).status).toBe(200);
    expect((await call('list', { path: { name: 'old' } })).body).toEqual([
      { id: 'r', role: 'old' },
      { id: 's', role: 'old' },
    ]);
    expect((await call('read', { path: { name } })).status).toBe(404);
    expect(size().bytes).toBe(bytes);
  });
});

test('a PATCH whose body has only the id moves the item', async () => {
  const file = object({ path: text, size: { type: 'integer' } });
  const { call } = openPaths({
    '/files': { post: { operationId: 'create', ...sends(file), responses: answers(file) } },
    '/files/{path}': {
      parameters: [inPath('path')],
      get: { operationId: 'read', responses: { ...answers(file), 404: { description: 'Unknown' } } },
      patch: { operationId: 'move', ...sends(object({ path: text })), responses: answers(file) },
    },
  });
  await call('create', { body: { path: 'old', size: 5 } });
  const moved = await call('move', { path: { path: 'old' }, body: { path: 'new' } });
  expect(moved.body).toEqual({ path: 'new', size: 5 });
  expect((await call('read', { path: { path: 'new' } })).body).toEqual({ path: 'new', size: 5 });
  expect((await call('read', { path: { path: 'old' } })).status).toBe(404);
});

test('a read-only member inside an object is not stored', async () => {
  const base = object({ kind: text, version: { type: 'string', readOnly: true } });
  const model = object({ id: text, base, parts: { type: 'array', items: base } });
  const { call } = openPaths({
    '/models': { post: { operationId: 'create', ...sends(model), responses: answers(model) } },
    '/models/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'read', responses: answers(model) },
      patch: { operationId: 'change', ...sends(model), responses: answers(model) },
    },
  });
  const sent = { kind: 'a', version: '9' };
  const path = { id: 'm' };
  await call('create', { body: { id: 'm', base: sent, parts: [sent] } });
  expect((await call('read', { path })).body).toEqual({ id: 'm', base: { kind: 'a' }, parts: [{ kind: 'a' }] });
  await call('change', { path, body: { base: { kind: 'b', version: '8' } } });
  expect((await call('read', { path })).body).toMatchObject({ base: { kind: 'b' } });
  expect((await call('read', { path })).body).not.toHaveProperty('base.version');
});

test.each([
  ['Update a user', 410],
  ['Updates the state of a user', 410],
  ['Update an address', 410],
  ['Update or create a user', 200],
  ['Update a user, or create it', 200],
  ['Updates (or creates) a user', 200],
  ['Sets a user', 200],
])('a PUT described as "%s" answers %d for an unknown item', async (summary, status) => {
  const user = object({ id: text, name: text });
  const { 200: success } = answers(user);
  const { call } = openPaths({
    '/users': { get: { operationId: 'list', responses: answers({ type: 'array', items: user }) } },
    '/users/{id}': {
      parameters: [inPath('id')],
      put: {
        operationId: 'put',
        summary,
        ...sends(object({ name: text })),
        responses: { 200: success, 410: { description: 'Gone' } },
      },
    },
  });
  expect((await call('put', { path: { id: 'unknown' }, body: { name: 'Ann' } })).status).toBe(status);
});

test('an item that nothing creates can have any name that no stored item has', async () => {
  const folder = object({ name: text, level: text });
  const done = { description: 'Done' };
  const { call } = openPaths({
    '/folders/{id}': {
      parameters: [inPath('id')],
      patch: { operationId: 'change', ...sends(folder), responses: { 204: done, 409: done } },
    },
  });
  const rename = async (id: string, name: string) =>
    (await call('change', { path: { id }, body: { name, level: '1' } })).status;
  expect(await rename('a', 'b')).toBe(204);
  expect(await rename('c', 'b')).toBe(409);
});
