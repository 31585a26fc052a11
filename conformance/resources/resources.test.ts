import { describe, expect, test } from 'vitest';
import type { Contract } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { idsAmong } from './collections.ts';
import { findTargets, referencesFor } from './find-targets.ts';
import { createResources, type Resources } from './resources.ts';
import { slotsOf } from './slots.ts';

interface Answered {
  /** The sent path, `GET /books/b1`. */
  readonly call: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly sent?: unknown;
  readonly location?: string;
}

/** Operations such as `GET /books/{bookId}`, with an optional schema for parameters. */
function contractOf(operations: readonly string[], schemas: Readonly<Record<string, object>> = {}): Contract {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const line of operations) {
    const [method = '', path = ''] = line.split(' ');
    const parameters = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: schemas[name] ?? {},
    }));
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId: line, parameters, responses: {} } };
  }
  return readContract('a.json', JSON.stringify({ openapi: '3.1.0', info: {}, paths }));
}

function observe(
  contract: Contract,
  resources: Resources,
  { call, body, status = 200, sent, location }: Answered,
): void {
  const [method = '', address = ''] = call.split(' ');
  const match = contract.operations
    .filter((operation) => operation.method === method.toLowerCase())
    .map((operation) => {
      const pattern = new RegExp(`^${operation.path.replaceAll(/\{([^}]+)\}/g, '(?<$1>[^/]+)')}$`);
      return { operation, groups: pattern.exec(address)?.groups, isMatch: pattern.test(address) };
    })
    .find(({ isMatch }) => isMatch);
  if (match === undefined) throw new Error(`no operation for ${call}`);
  const headers = location === undefined ? {} : { location };
  const seen = { path: { ...match.groups }, query: {}, requestHeaders: {}, requestBody: sent };
  resources.observe({
    operation: match.operation,
    seen: { ...seen, status, responseHeaders: headers, responseBody: body },
  });
}

function after(
  operations: readonly string[],
  answers: readonly Answered[],
  schemas?: Readonly<Record<string, object>>,
) {
  const contract = contractOf(operations, schemas);
  const resources = createResources(contract);
  for (const answer of answers) observe(contract, resources, answer);
  const tools = { contract, judge: createJudge(contract) };
  const operation = (id: string) => {
    const found = contract.operations.find((candidate) => candidate.id === id);
    if (found === undefined) throw new Error(`no ${id}`);
    return found;
  };
  return {
    resources,
    targets: (id: string) => findTargets(tools, resources, operation(id)),
    references: (name: string) => referencesFor(tools, resources, name, undefined),
    observe: (answer: Answered) => observe(contract, resources, answer),
  };
}

const machines = [
  { machineId: 'm1', kind: 'Printer', hubId: 'h1' },
  { machineId: 'h1', kind: 'Hub', hubId: null },
];

describe('the first target of a path is', () => {
  const rows: readonly {
    name: string;
    answers: readonly Answered[];
    path: string;
    want: object | undefined;
    lists?: readonly string[];
    schemas?: Readonly<Record<string, object>>;
  }[] = [
    {
      name: 'the name of the parameter',
      answers: [{ call: 'GET /machines', body: { payload: machines } }],
      path: '/machines/{machineId}',
      want: { machineId: 'm1' },
    },
    {
      name: 'id, of the collection above',
      answers: [{ call: 'GET /pets', body: [{ name: 'Rex', id: 7 }] }],
      path: '/pets/{petId}',
      want: { petId: 7 },
    },
    {
      name: 'id, for a parameter that is called pk',
      answers: [{ call: 'GET /pets', body: [{ name: 'Rex', id: 7 }] }],
      path: '/pets/{pk}',
      want: { pk: 7 },
    },
    {
      name: 'not the id of another collection',
      answers: [{ call: 'GET /shops', body: [{ id: 7 }] }],
      path: '/pets/{petId}',
      want: undefined,
    },
    {
      name: 'two values of one item',
      answers: [{ call: 'GET /machines', body: machines }],
      path: '/machines/{machineId}/via/{hubId}',
      want: { machineId: 'm1', hubId: 'h1' },
    },
    {
      name: 'an item of the kind in the name',
      answers: [{ call: 'GET /machines', body: machines }],
      path: '/machines/{hubId}/jobs',
      want: { hubId: 'h1' },
    },
    {
      name: 'an item of the kind in the name, after items of other kinds',
      answers: [
        {
          call: 'GET /machines',
          body: [
            { id: 'm1', kind: 'Printer' },
            { id: 'h1', kind: 'Hub' },
          ],
        },
      ],
      path: '/machines/{hubId}/jobs',
      want: { hubId: 'h1' },
    },
    {
      name: 'Location',
      answers: [{ call: 'POST /orders', status: 201, location: '/v1/orders/o%2D9/' }],
      path: '/orders/{orderId}',
      want: { orderId: 'o-9' },
    },
    {
      name: 'an absolute Location of a child, with its parent',
      answers: [{ call: 'POST /shops/3/orders', status: 201, location: 'https://host/api/shops/3/orders/9?x=1' }],
      path: '/shops/{shopId}/orders/{orderId}',
      want: { shopId: '3', orderId: '9' },
    },
    {
      name: 'a slug if the parameter is not named as an id',
      answers: [{ call: 'GET /pages', body: { data: { items: [{ id: 4, slug: 'about-us', title: 'About us' }] } } }],
      path: '/pages/{page}',
      want: { page: 'about-us' },
    },
    {
      name: 'an id if the parameter is named as an id',
      answers: [{ call: 'GET /pages', body: { results: [{ slug: 'about-us', id: 4 }] } }],
      path: '/pages/{page_id}',
      want: { page_id: 4 },
    },
    {
      name: 'an id before a name if the parameter is called as the item',
      answers: [{ call: 'GET /pages', body: [{ name: 'About us', id: 'p4' }] }],
      path: '/pages/{page}',
      want: { page: 'p4' },
    },
    {
      name: 'the key of a map',
      answers: [{ call: 'GET /rooms', body: { r1: { size: 3 }, r2: { size: 4 } } }],
      path: '/rooms/{room}',
      want: { room: 'r1' },
    },
    {
      name: 'a plain text of a list',
      answers: [{ call: 'GET /topics', body: { topics: ['alpha', 'beta'] } }],
      path: '/topics/{topic}',
      want: { topic: 'alpha' },
    },
    {
      name: 'the sent name, if the answer to a create has none',
      answers: [{ call: 'POST /topics', status: 204, sent: { name: 'gamma', size: 4 } }],
      path: '/topics/{topicName}',
      want: { topicName: 'gamma' },
    },
    {
      name: 'a child with the parent under which it was read',
      answers: [
        { call: 'GET /shops', body: [{ id: 1 }, { id: 2 }] },
        { call: 'GET /shops/2/orders', body: [{ id: 9 }] },
      ],
      path: '/shops/{shopId}/orders/{orderId}',
      want: { shopId: '2', orderId: 9 },
    },
    {
      name: 'a foreign key of another collection',
      answers: [{ call: 'GET /pets', body: [{ id: 7, owner_id: 31 }] }],
      path: '/owners/{ownerId}',
      want: { ownerId: 31 },
    },
    {
      name: 'the id of an object inside another',
      answers: [{ call: 'GET /pets', body: [{ id: 7, owner: { id: 31 } }] }],
      path: '/owners/{ownerId}',
      want: { ownerId: 31 },
    },
    {
      name: 'items below the collection',
      answers: [{ call: 'GET /pet/findByStatus', body: [{ id: 7 }] }],
      path: '/pet/{petId}',
      want: { petId: 7 },
    },
    {
      name: 'items of a collection of the same name elsewhere',
      answers: [{ call: 'GET /v1/pets', body: [{ id: 7 }] }],
      path: '/admin/pets/{id}',
      want: { id: 7 },
    },
    {
      name: 'no scalar whose name does not suggest an id',
      answers: [{ call: 'GET /boxes', body: [{ mark: 'B-77', content: { id: 7 } }] }],
      path: '/boxes/{boxId}',
      want: undefined,
    },
    {
      name: 'a value that fits the schema of the parameter',
      answers: [{ call: 'GET /boxes', body: [{ id: 'x', uuid: '3f0c3bd2-0b1a-4f5e-9c39-0a8d2f3f9a11' }] }],
      path: '/boxes/{boxId}',
      schemas: { boxId: { type: 'string', format: 'uuid' } },
      want: { boxId: '3f0c3bd2-0b1a-4f5e-9c39-0a8d2f3f9a11' },
    },
    {
      name: 'a number that is declared as text',
      answers: [{ call: 'GET /boxes', body: [{ id: 12 }] }],
      path: '/boxes/{boxId}',
      schemas: { boxId: { type: 'string' } },
      want: { boxId: '12' },
    },
    {
      name: 'a value of the contract itself',
      answers: [{ call: 'GET /reports', body: [{ id: 12 }] }],
      path: '/reports/{kind}',
      schemas: { kind: { enum: ['daily', 'weekly'] } },
      want: { kind: 'daily' },
    },
    {
      name: 'a list inside the object that it belongs to',
      answers: [{ call: 'GET /shops/2', body: { id: 2, orders: [{ id: 9 }] } }],
      path: '/shops/{shopId}/orders/{orderId}',
      want: { shopId: '2', orderId: 9 },
    },
    {
      name: 'the id of the created object, not that of the wrapper',
      answers: [{ call: 'POST /shops', status: 201, body: { request: 'abc', data: { shop: { id: 5 } } } }],
      path: '/shops/{shopId}',
      want: { shopId: 5 },
    },
  ];
  const fixed = [
    'GET /machines',
    'GET /pets',
    'GET /shops',
    'POST /shops',
    'GET /shops/{s}',
    'GET /shops/{s}/orders',
    'POST /shops/{s}/orders',
    'POST /orders',
    'GET /pages',
    'GET /rooms',
    'GET /topics',
    'POST /topics',
    'GET /cats',
    'GET /pet/findByStatus',
    'GET /v1/pets',
    'GET /boxes',
    'GET /reports',
  ];
  test.each(rows)('$name', ({ answers, path, want, schemas }) => {
    const id = `GET ${path}`;
    const operations = [
      ...fixed.filter((line) => line.replaceAll(/\{\w+\}/g, '') !== id.replaceAll(/\{\w+\}/g, '')),
      id,
    ];
    expect(after(operations, answers, schemas).targets(id)[0]?.values).toEqual(want);
  });
});

describe('results of trials', () => {
  const operations = ['GET /boxes', 'GET /boxes/{boxId}', 'PUT /boxes/{boxId}', 'GET /boxes/{boxId}/lids'];
  const boxes = [
    { id: 1, code: 'A-1' },
    { id: 2, code: 'A-2' },
  ];

  test('the next member comes before the next item, and an accepted one settles it for every path below', () => {
    const run = after(operations, [{ call: 'GET /boxes', body: boxes }]);
    expect(run.targets('GET /boxes/{boxId}').map(({ values }) => values.boxId)).toEqual([1, 'A-1', 2, 'A-2']);
    run.observe({ call: 'GET /boxes/1', status: 404 });
    run.observe({ call: 'GET /boxes/A-1', body: boxes[0] });
    expect(
      run
        .targets('GET /boxes/{boxId}/lids')
        .map(({ values }) => values.boxId)
        .slice(0, 2),
    ).toEqual(['A-1', 'A-2']);
    expect(run.targets('GET /boxes/{boxId}')[0]?.sure).toBe(true);
  });

  test('a deleted object is not tried again, nor are objects below it', () => {
    const lines = ['POST /boxes', 'DELETE /boxes/{boxId}', ...operations];
    const run = after(lines, [
      { call: 'POST /boxes', status: 201, body: { id: 5 } },
      { call: 'GET /boxes/5', body: { id: 5 } },
      { call: 'DELETE /boxes/5', status: 204 },
    ]);
    expect(run.targets('GET /boxes/{boxId}')).toEqual([]);
  });

  test('new values raise the revision of the operations that they may help', () => {
    const run = after([...operations, 'GET /cats', 'GET /cats/{catId}'], []);
    const contract = contractOf([...operations, 'GET /cats/{catId}']);
    const [cat] = contract.operations.filter(({ path }) => path === '/cats/{catId}');
    const [box] = contract.operations.filter(({ id }) => id === 'GET /boxes/{boxId}');
    if (cat === undefined || box === undefined) throw new Error('no operation');
    const before = [run.resources.revisionFor(cat), run.resources.revisionFor(box)];
    run.observe({ call: 'GET /boxes', body: boxes });
    expect(run.resources.revisionFor(cat)).toBe(before[0]);
    expect(run.resources.revisionFor(box)).toBeGreaterThan(before[1] ?? 0);
  });
});

describe('ownership of objects', () => {
  const operations = [
    'GET /pets',
    'POST /pets',
    'DELETE /pets/{petId}',
    'GET /pets/{petId}',
    'POST /pets/{petId}/toys',
  ];

  test('an object in the answer to a POST is owned and comes first, one in a list is not owned', () => {
    const run = after(operations, [
      { call: 'GET /pets', body: [{ id: 1 }] },
      { call: 'POST /pets', status: 201, body: { data: { id: 2 } } },
    ]);
    const found = run.targets('DELETE /pets/{petId}').map(({ values, owned }) => [values.petId, owned]);
    expect(found).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  test('an id that was in the list before is not of a new object', () => {
    const run = after(operations, [
      { call: 'GET /pets', body: [{ id: 1 }] },
      { call: 'POST /pets', status: 200, body: { id: 1, job: 'queued' } },
    ]);
    expect(run.targets('DELETE /pets/{petId}').some(({ owned }) => owned)).toBe(false);
  });

  test('an object with the owner of a listed one is a new object', () => {
    const run = after(operations, [
      { call: 'GET /pets', body: [{ id: 1, owner: { id: 9 } }] },
      { call: 'POST /pets', status: 201, body: { id: 2, owner: { id: 9 } } },
    ]);
    expect(run.targets('DELETE /pets/{petId}')[0]).toMatchObject({ values: { petId: 2 }, owned: true });
  });

  const flat = { timezone: 'Europe/Berlin', title: 'Sunny attic' };
  test.each<{ name: string; answers: readonly Answered[]; owned: readonly unknown[] }>([
    {
      name: 'no item that shares only a property with the sent object',
      answers: [
        { call: 'GET /pets', body: [] },
        { call: 'POST /pets', status: 201, sent: { timezone: 'Europe/Berlin' } },
        { call: 'GET /pets', body: [{ id: 1, timezone: 'Europe/Berlin' }] },
      ],
      owned: [],
    },
    {
      name: 'only the item with the known id',
      answers: [
        { call: 'GET /pets', body: [] },
        { call: 'POST /pets', status: 201, sent: flat, body: { id: 2 } },
        { call: 'GET /pets', body: [{ id: 1, ...flat }] },
      ],
      owned: [2],
    },
    {
      name: 'no item with the given name',
      answers: [
        { call: 'POST /pets', status: 201, sent: flat },
        { call: 'GET /pets', body: [{ id: 1, ...flat }] },
      ],
      owned: [],
    },
  ])('in a list, $name is owned', ({ answers, owned }) => {
    const found = after(operations, answers).targets('DELETE /pets/{petId}');
    expect(
      found.flatMap((target) => (target.owned && target.values.petId !== flat.title ? [target.values.petId] : [])),
    ).toEqual(owned);
  });

  test('the only value of a create that may be an id is owned once the server has accepted it', () => {
    const answer = { code: 1, message: 'created', customer_code: 'cus-9041', request_id: 'r-1' };
    const run = after(operations, [{ call: 'POST /pets', status: 200, sent: { title: 'Rex' }, body: answer }]);
    const found = () => run.targets('DELETE /pets/{petId}').filter(({ values }) => values.petId === 'cus-9041');
    expect(run.targets('GET /pets/{petId}').map(({ values }) => values.petId)).toContain('cus-9041');
    expect(found()).toMatchObject([{ owned: false, sure: false }]);
    run.observe({ call: 'GET /pets/cus-9041', body: { title: 'Rex' } });
    expect(found()).toMatchObject([{ owned: true, sure: true }]);
  });

  test('an object that was listed before is not owned, whatever the name of its id', () => {
    const cart = { customer_code: 'cus-9041' };
    const run = after(operations, [
      { call: 'GET /pets', body: [cart] },
      { call: 'POST /pets', status: 200, sent: { title: 'Rex' }, body: cart },
      { call: 'GET /pets/cus-9041', body: cart },
    ]);
    const found = run.targets('DELETE /pets/{petId}').filter(({ values }) => values.petId === 'cus-9041');
    expect(found.some(({ owned }) => owned)).toBe(false);
  });

  test.each<{ name: string; call: string; sent?: object; body: object }>([
    { name: 'that was sent', call: 'POST /pets', sent: { chip_number: 'cus-9041' }, body: { chip_number: 'cus-9041' } },
    { name: 'of the object above', call: 'POST /pets/pet-4711/toys', body: { owner_code: 'pet-4711' } },
    { name: 'next to an id', call: 'POST /pets', body: { id: 2, chip_number: 'cus-9041' } },
    { name: 'of which there are two', call: 'POST /pets', body: { chip_number: 'cus-9041', batch_number: 'bat-0017' } },
    { name: 'that other objects may have', call: 'POST /pets', body: { chip_number: 17 } },
    { name: 'that may be a secret', call: 'POST /pets', body: { access_code: 'cus-9041' } },
  ])('the answer to a create shows no id of another name in a value $name', ({ call, sent, body }) => {
    const run = after([...operations, 'GET /pets/{petId}/toys/{toyId}'], [{ call, status: 200, sent, body }]);
    const items = [...run.resources.collections.values()].flatMap((one) => one.items);
    expect(items.some(({ scalars }) => scalars.has('@made'))).toBe(false);
    expect(items.length).toBeGreaterThan(0);
  });

  test('an owned object stays owned when it is read, and so do objects below it', () => {
    const run = after(operations, [
      { call: 'POST /pets', status: 201, body: { id: 2 } },
      { call: 'GET /pets/2', body: { id: 2 } },
    ]);
    expect(run.targets('DELETE /pets/{petId}')[0]).toMatchObject({ values: { petId: '2' }, owned: true });
    expect(run.targets('POST /pets/{petId}/toys')[0]).toMatchObject({ owned: true });
  });
});

test('a name outside of a path gets ids of the resource that it contains', () => {
  const run = after(
    ['GET /authors', 'GET /books', 'GET /authors/{id}'],
    [
      { call: 'GET /authors', body: [{ name: 'Ann', id: 4 }] },
      { call: 'GET /books', body: [{ id: 9, editorId: 6 }] },
    ],
  );
  expect(run.references('author_id')[0]).toBe(4);
  expect(run.references('authorId')[0]).toBe(4);
  expect(run.references('authors')[0]).toBe(4);
  expect(run.references('editor_id')[0]).toBe(6);
  expect(run.references('colour')).toEqual([]);
});

test('keeps a bounded number of items, and has room for owned ones', () => {
  const many = Array.from({ length: 500 }, (_, id) => ({ id: id + 1 }));
  const run = after(
    ['GET /pets', 'POST /pets', 'GET /pets/{petId}'],
    [
      { call: 'GET /pets', body: many },
      { call: 'GET /pets', body: many.map(({ id }) => ({ id: id + 1_000 })) },
      { call: 'POST /pets', status: 201, body: { id: 9_000 } },
    ],
  );
  expect(run.resources.collections.get('/pets')?.items.length).toBe(51);
  expect(run.targets('GET /pets/{petId}')[0]?.values).toEqual({ petId: 9_000 });
});

test('gives ids from a server a name that is the same in every run', () => {
  const named = ['a9', 'zz'].map((id) => {
    const { resources } = after(['GET /pets', 'GET /pets/{petId}'], [{ call: 'GET /pets', body: [{ id }] }]);
    return resources.symbolOf('/pets/{petId}', 'petId', id);
  });
  expect(named).toEqual(['pet#1', 'pet#1']);
});

test('deletes a created key by its id and not by its content', () => {
  const answer = { call: 'POST /keys', status: 201, body: { key: 'ssh-rsa AAAA', id: 5 } };
  const run = after(['POST /keys', 'DELETE /keys/{key_id}'], [answer]);
  expect(run.resources.created().map(({ undo }) => undo?.values)).toEqual([{ key_id: 5 }]);
});

test('owns a created object also if another one has the same name', () => {
  const run = after(
    ['GET /users', 'POST /users', 'DELETE /users/{username}'],
    [
      { call: 'GET /users', body: [{ username: 'ann1', name: 'Ann' }] },
      { call: 'POST /users', status: 201, body: { username: 'ann2', name: 'Ann' } },
    ],
  );
  expect(run.resources.created().map(({ undo }) => undo?.values)).toEqual([{ username: 'ann2' }]);
});

test('lists how to delete created objects, the last one first', () => {
  const run = after(
    [
      'POST /shops',
      'POST /shops/{s}/orders',
      'DELETE /shops/{shopId}',
      'DELETE /shops/{s}/orders/{orderId}',
      'POST /notes',
    ],
    [
      { call: 'POST /shops', status: 201, body: { id: 3 } },
      { call: 'POST /shops/3/orders', status: 201, body: { id: 'o' } },
      { call: 'POST /notes', status: 201, body: { id: 'n' } },
    ],
  );
  expect(run.resources.created().map(({ symbol, undo }) => [symbol, undo?.operation.id, undo?.values])).toEqual([
    ['order#1', 'DELETE /shops/{s}/orders/{orderId}', { s: '3', orderId: 'o' }],
    ['shop#1', 'DELETE /shops/{shopId}', { shopId: 3 }],
  ]);
});

test.each([
  { path: '/feeds/{feed_key}', want: ['id', 'key'] },
  { path: '/feeds/{feedKey}', want: ['id', 'key'] },
  { path: '/hosts/{hostname}', want: ['id'] },
  { path: '/hosts/{host_name}', want: ['id', 'name'] },
  { path: '/keys/{key_id}', want: ['id'] },
  { path: '/keys/{key}', want: ['id', 'key'] },
])('the members $want are certainly ids of an item of $path', ({ path, want }) => {
  const item = new Map(Object.entries({ id: 7, key: 'k7', name: 'Seven' }));
  expect([...idsAmong(item, slotsOf(path).at(-1)).keys()]).toEqual(want);
});
