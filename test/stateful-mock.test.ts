// If these fail, `lockstep mock` forgets what a client has just sent, or sends what the contract does not allow.
import { isObject, type JsonObject, valueAt } from '@lockstep/json/json-pointer';
import type { Answer } from '@lockstep/runtime/exchange';
import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { createStatefulHandlers, explainRoles } from '@lockstep/runtime/stateful/answer-from-state';
import { createValueMaker } from '@lockstep/runtime/stateful/make-value';
import { createJudge } from '@lockstep/runtime/validation/judge-value';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeResource, type ResourcePlan } from './fixtures/resource-contract.ts';
import { shop } from './fixtures/shop.ts';
import { createCaller, type Sent } from './fixtures/stateful-caller.ts';

const texts = { type: 'string', minLength: 1, maxLength: 20 };
const memberSchemas = [
  texts,
  { type: 'integer', minimum: 0, maximum: 500 },
  { type: 'boolean' },
  { type: 'string', enum: ['draft', 'ready', 'done'] },
  { type: ['string', 'null'], maxLength: 9 },
  { type: 'array', maxItems: 3, items: texts },
  { type: 'object', required: ['street'], properties: { street: texts, floor: { type: 'integer' } } },
  { type: 'string', format: 'date-time' },
  { type: 'number', exclusiveMinimum: 0, maximum: 10 },
];

const plans: fc.Arbitrary<ResourcePlan> = fc
  .record({
    noun: fc.constantFrom('book', 'pet', 'invoice', 'lens'),
    basePath: fc.constantFrom('', '/v1', '/api/v2'),
    id: fc.constantFrom('uuid', 'integer', 'pattern', 'prefix', 'plain'),
    idMember: fc.constantFrom('id', 'own'),
    idParameter: fc.constantFrom('id', 'own'),
    wrapper: fc.constantFrom('', 'data', 'own'),
    listWrapper: fc.constantFrom('', 'items', 'data', 'own'),
    paging: fc.constantFrom('none', 'page', 'offset', 'cursor'),
    hasTotal: fc.boolean(),
    isNested: fc.boolean(),
    isShared: fc.boolean(),
    isClosed: fc.boolean(),
    members: fc
      .uniqueArray(fc.constantFrom('colour', 'weight', 'grade', 'remark', 'place', 'width'), {
        minLength: 1,
        maxLength: 5,
      })
      .chain((names) =>
        fc.tuple(
          ...names.map((name) =>
            fc.record({ name: fc.constant(name), schema: fc.constantFrom(...memberSchemas), isRequired: fc.boolean() }),
          ),
        ),
      ),
  })
  .map((plan) => ({
    ...plan,
    idMember: plan.idMember === 'own' ? `${plan.noun}Id` : 'id',
    idParameter: plan.idParameter === 'own' ? `${plan.noun}Id` : 'id',
    wrapper: plan.wrapper === 'own' ? plan.noun : plan.wrapper,
    // A cursor needs a member that shows it.
    listWrapper:
      plan.listWrapper === '' && plan.paging === 'cursor'
        ? 'items'
        : plan.listWrapper === 'own'
          ? `${plan.noun}s`
          : plan.listWrapper,
  }));

/** One collection with the ids of its owner, as a client sees it. */
async function openCollection(plan: ResourcePlan) {
  const contract = describeResource(plan);
  const caller = createCaller(contract);
  const makeValue = createValueMaker(contract, createJudge(contract), 'request');
  const schema = {
    type: 'object',
    required: [],
    properties: Object.fromEntries(plan.members.map((one) => [one.name, one.schema])),
  };
  const owner: JsonObject = {};
  if (plan.isNested) {
    const { body } = await caller.call('createShelf', { body: { label: 'new' } });
    Object.assign(owner, { shelfId: (body as JsonObject).id });
  }
  const inside = (answer: Answer): JsonObject =>
    valueAt(answer.body, plan.wrapper === '' ? [] : [plan.wrapper]) as JsonObject;
  return {
    ...caller,
    owner,
    draft: (seed: number): JsonObject => {
      const made = makeValue({ ...schema, required: plan.members.map(({ name }) => name) }, seed);
      return made.kind === 'value' ? (made.value as JsonObject) : {};
    },
    create: async (body: JsonObject): Promise<JsonObject> => inside(await caller.call('create', { path: owner, body })),
    at: (item: JsonObject): JsonObject => ({ ...owner, [plan.idParameter]: item[plan.idMember] }),
    item: inside,
    itemsOf: (answer: Answer): readonly JsonObject[] =>
      valueAt(answer.body, plan.listWrapper === '' ? [] : [plan.listWrapper]) as readonly JsonObject[],
    idOf: (item: JsonObject): unknown => item[plan.idMember],
  };
}

type Collection = Awaited<ReturnType<typeof openCollection>>;

async function readPages(
  plan: ResourcePlan,
  { call, owner, itemsOf }: Collection,
): Promise<readonly (readonly JsonObject[])[]> {
  const pages: (readonly JsonObject[])[] = [];
  const limit = plan.paging === 'page' ? 'per_page' : 'limit';
  let cursor: unknown;
  for (let number = 0; number < 20; number += 1) {
    const place = {
      page: { page: number + 1 },
      offset: { offset: number * 2 },
      cursor: cursor === undefined ? {} : { cursor },
      none: {},
    };
    const answer = await call('list', {
      path: owner,
      query: plan.paging === 'none' ? {} : { ...place[plan.paging], [limit]: 2 },
    });
    pages.push(itemsOf(answer));
    if (plan.hasTotal && plan.listWrapper !== '')
      expect(valueAt(answer.body, ['total'])).toBeGreaterThanOrEqual(itemsOf(answer).length);
    cursor = isObject(answer.body) ? answer.body.nextCursor : undefined;
    const isLast = plan.paging === 'cursor' ? cursor === null || cursor === undefined : itemsOf(answer).length < 2;
    if (plan.paging === 'none' || isLast) break;
  }
  return pages;
}

const laws: Readonly<Record<string, (plan: ResourcePlan, collection: Collection) => Promise<void>>> = {
  'an item is read as it was created': async (_, { create, draft, call, at, item }) => {
    const body = draft(7);
    const made = await create(body);
    expect(made).toMatchObject(body);
    expect(item(await call('read', { path: at(made) }))).toEqual(made);
  },
  'a list has each item that was created, once': async (plan, collection) => {
    const { create, draft, idOf } = collection;
    const made = [await create(draft(1)), await create(draft(2)), await create(draft(3))];
    const pages = await readPages(plan, collection);
    const ids = pages.flat().map(idOf);
    for (const one of made) expect(pages.flat()).toContainEqual(one);
    expect(new Set(ids).size).toBe(ids.length);
    if (plan.paging !== 'none') for (const page of pages) expect(page.length).toBeLessThanOrEqual(2);
  },
  'a change keeps all other members': async (plan, { create, draft, call, at, item }) => {
    const made = await create(draft(1));
    const [{ name } = { name: '' }] = plan.members;
    const value = draft(5)[name];
    const changed = item(await call('change', { path: at(made), body: { [name]: value } }));
    expect(changed).toEqual({ ...made, [name]: value });
    expect(item(await call('read', { path: at(made) }))).toEqual(changed);
  },
  'a replacement keeps what only the service sets': async (plan, { create, draft, call, at, item }) => {
    const made = await create(draft(1));
    const replaced = item(await call('replace', { path: at(made), body: draft(4) }));
    expect(replaced).toEqual({ ...made, ...draft(4), [plan.idMember]: made[plan.idMember] });
  },
  'a deleted item is unknown to every operation': async (_, { create, draft, call, at, owner, itemsOf }) => {
    const made = await create(draft(1));
    expect((await call('delete', { path: at(made) })).status).toBe(204);
    for (const operation of ['read', 'delete', 'replace', 'change'])
      expect((await call(operation, { path: at(made), body: draft(1) })).status, operation).toBe(404);
    expect(itemsOf(await call('list', { path: owner }))).not.toContainEqual(made);
  },
  'an owner that does not exist has no collection': async (plan, { call, draft }) => {
    if (!plan.isNested) return;
    const path = { shelfId: 987_654 };
    expect((await call('list', { path })).status).toBe(404);
    expect((await call('create', { path, body: draft(1) })).status).toBe(404);
  },
  'the items of an owner are deleted with it': async (plan, { create, draft, call, owner, at }) => {
    if (!plan.isNested) return;
    const made = await create(draft(1));
    await call('deleteShelf', { path: owner });
    expect((await call('read', { path: at(made) })).status).toBe(404);
  },
  'a reset restores the first items': async (plan, { create, draft, call, reset, itemsOf }) => {
    const path = { shelfId: 1 };
    const first = itemsOf(await call('list', { path }));
    expect(first.length).toBeGreaterThan(0);
    await create(draft(1));
    for (const item of first) await call('delete', { path: { ...path, [plan.idParameter]: item[plan.idMember] } });
    reset();
    expect(itemsOf(await call('list', { path }))).toEqual(first);
  },
};

describe('of a random collection', () => {
  test.each(Object.entries(laws))('%s', async (_, law) => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => law(plan, await openCollection(plan))),
      { numRuns: 15 },
    );
  });
});

/** One story of the museum, in order: the operation, what is sent, and what is answered. */
test('the museum remembers an exhibit until it is removed', async () => {
  const { call } = createCaller(museumContract, museumOperations);
  const { body, headers } = await call('addExhibit', { body: { title: 'Crown', century: 12, secret: '1234' } });
  const { id } = body as JsonObject;
  expect(body).toEqual({ id: expect.stringMatching(/^ex-\d{4}$/), title: 'Crown', century: 12 });
  expect(headers).toMatchObject({ Location: `/museum/v2/exhibits/${id}`, 'X-Museum-Edition': '2.3.0' });
  expect((await call('listExhibits')).body).toEqual({
    items: [{ id: 'ex-0007', title: 'Vase', century: 5 }, { id: 'ex-0008', title: 'Mask', century: 12 }, body],
  });
  expect((await call('listExhibits', { query: { order: '-title', 'page-size': 1 } })).body).toEqual({
    items: [{ id: 'ex-0007', title: 'Vase', century: 5 }],
  });
  const path = { exhibitId: id };
  expect((await call('getExhibit', { path })).body).toEqual(body);
  expect((await call('removeExhibit', { path })).status).toBe(204);
  expect(await call('getExhibit', { path })).toMatchObject({
    status: 404,
    body: { kind: 'not_found', plaint: `no exhibit has the id ${id}` },
  });
});

describe('roles', () => {
  test('of the museum name the reason', () => {
    const roles = explainRoles(museumContract, museumOperations);
    expect(roles.map(({ operationId, role }) => `${operationId} ${role}`)).toEqual([
      'listExhibits list',
      'addExhibit create',
      'getExhibit read',
      'removeExhibit delete',
      'getFeatured none',
      'sellTicket none',
      'getOpeningHours none',
    ]);
    expect(roles.find(({ operationId }) => operationId === 'sellTicket')?.why).toBe(
      'no operation reads what it changes',
    );
  });
});

/** Two customers, and three orders of the first. */
async function openShop(limits?: { readonly items: number; readonly bytes: number }) {
  const caller = createCaller(shop, undefined, limits);
  const create = async (operationId: string, sent: Sent): Promise<JsonObject> =>
    (await caller.call(operationId, sent)).body as JsonObject;
  const ann = await create('createCustomer', { body: { name: 'Ann', email: 'ann@example.com', password: 'secret' } });
  const path = { customerId: ann.id };
  const orders: JsonObject[] = [];
  for (const item of ['book', 'pen', 'cup']) orders.push(await create('createOrder', { path, body: { item } }));
  return { ...caller, ann, path, orders };
}

describe('the shop', () => {
  test('sets what only the service knows, and never shows a secret', async () => {
    const { ann, call, path } = await openShop();
    expect(ann).toEqual({
      id: expect.stringMatching(/^cus_[A-Za-z0-9]{14}$/),
      name: 'Ann',
      email: 'ann@example.com',
      age: 18,
      created_at: '2026-06-01T00:00:00.000Z',
      updated_at: '2026-06-01T00:00:00.000Z',
    });
    const put = await call('putCustomer', { path, body: { name: 'Bea', email: 'bea@example.com' } });
    expect(put.body).toEqual({ ...ann, name: 'Bea', email: 'bea@example.com' });
    const cleared = await call('putCustomer', {
      path,
      body: { name: 'Bea', email: 'bea@example.com', nickname: null },
    });
    expect(cleared.body).toMatchObject({ nickname: null });
  });

  test('has the documented example at first, and reads it by its id', async () => {
    const { call } = createCaller(shop);
    const { body } = await call('listCustomers');
    expect((body as JsonObject).data).toMatchObject([{ id: 'cus_NffrFeUfNV2Hib' }]);
    expect((await call('readCustomer', { path: { customerId: 'cus_NffrFeUfNV2Hib' } })).status).toBe(200);
    expect((await call('listOrders', { path: { customerId: 'cus_NffrFeUfNV2Hib' } })).body).toHaveLength(1);
  });

  test('keeps totals, cursors and links of pages true', async () => {
    const { call, ann } = await openShop();
    const first = await call('listCustomers', { query: { limit: 1 } });
    const { next_cursor: cursor, ...page } = first.body as JsonObject & { next_cursor: string };
    expect(page).toMatchObject({
      has_more: true,
      total: 2,
      links: { next: `http://api.test/x?limit=1&cursor=${cursor}` },
    });
    expect(first.headers).toMatchObject({ 'X-Total-Count': '2', Link: expect.stringContaining('rel="next"') });
    const second = (await call('listCustomers', { query: { limit: 1, cursor } })).body;
    expect(second).toMatchObject({ data: [ann], has_more: false, next_cursor: null });
    expect((second as { links: object }).links).not.toHaveProperty('next');
  });

  test.each([
    [{ email: 'ann@example.com' }, ['Ann']],
    [{ email: 'nobody@example.com' }, []],
    [{ sort: 'name' }, ['Ann', 'string']],
    [{ sort: '-name' }, ['string', 'Ann']],
    [{ min_age: 19 }, []],
  ])('selects and orders by %j', async (query, want) => {
    const { call } = await openShop();
    const { data } = (await call('listCustomers', { query })).body as { data: readonly JsonObject[] };
    expect(data.map(({ name }) => name)).toEqual(want);
  });

  test('rejects a second customer with the same address, but accepts that of an example', async () => {
    const { call } = await openShop();
    const again = await call('createCustomer', { body: { name: 'Other', email: 'ann@example.com' } });
    expect(again).toMatchObject({ status: 409, body: { message: 'a customer with this email exists already' } });
    expect((await call('createCustomer', { body: { name: 'string', email: 'string@example.com' } })).status).toBe(201);
  });

  test('reads an order of a customer by its own path too', async () => {
    const { call, ann, path, orders } = await openShop();
    expect(orders[0]).toMatchObject({ customerId: ann.id, item: 'book', quantity: 1, status: 'new' });
    expect((await call('readOrder', { path: { orderId: orders[0]?.id } })).body).toEqual(orders[0]);
    expect((await call('listOrders', { path, query: { page: 2, per_page: 2 } })).body).toEqual([orders[2]]);
    expect((await call('createOrder', { path: { customerId: 'cus_x' }, body: { item: 'cup' } })).status).toBe(400);
  });

  test('sets the documented state by an action', async () => {
    const { call, path, orders } = await openShop();
    const cancelled = await call('cancelOrder', { path: { orderId: orders[1]?.id } });
    expect(cancelled.body).toEqual({ ...orders[1], status: 'cancelled', cancelledAt: '2026-06-01T00:00:00.000Z' });
    expect((await call('listOrders', { path, query: { status: 'cancelled', per_page: 2 } })).body).toEqual([
      cancelled.body,
    ]);
    expect((await call('cancelOrder', { path: { orderId: 999 } })).status).toBe(404);
  });

  test('changes by merge patch and JSON Patch', async () => {
    const { call, path, ann } = await openShop();
    const patch = async (mediaType: string, body: unknown) => call('patchCustomer', { path, body, mediaType });
    const merge = 'application/merge-patch+json';
    expect((await patch(merge, { address: { city: 'Bern', zip: '3000' } })).body).toMatchObject({
      address: { city: 'Bern' },
    });
    expect((await patch(merge, { address: { zip: null }, id: 'cus_other' })).body).toMatchObject({
      id: ann.id,
      address: { city: 'Bern' },
    });
    const steps = [
      { op: 'test', path: '/name', value: 'Ann' },
      { op: 'replace', path: '/name', value: 'Eve' },
    ];
    expect((await patch('application/json-patch+json', steps)).body).toMatchObject({ name: 'Eve' });
    expect((await patch('application/json-patch+json', steps)).status).toBe(422);
    expect((await patch('application/json-patch+json', [{ op: 'remove', path: '/name' }])).status).toBe(422);
  });

  test('rejects a change of an older version, and creates by PUT where 201 is documented', async () => {
    const { call, path } = await openShop();
    const body = { name: 'Ann', email: 'ann@example.com' };
    const { headers } = await call('readCustomer', { path });
    const match = { 'if-match': String(headers?.ETag) };
    expect((await call('putCustomer', { path, body, headers: match })).status).toBe(200);
    expect((await call('putCustomer', { path, body, headers: match })).status).toBe(412);
    const own = { customerId: 'cus_own1' };
    expect((await call('putCustomer', { path: own, body: { name: 'Own', email: 'own@example.com' } })).status).toBe(
      201,
    );
    expect((await call('readCustomer', { path: own })).body).toMatchObject({ id: 'cus_own1', name: 'Own' });
  });

  test('keeps a single object', async () => {
    const { call } = await openShop();
    expect((await call('patchSettings', { body: { theme: 'dark' } })).body).toMatchObject({ theme: 'dark' });
    expect((await call('readSettings')).body).toMatchObject({ theme: 'dark' });
  });

  test('reports that its store is full', async () => {
    const { size, roles, contract } = await openShop();
    expect(size().items).toBeLessThan(10);
    const { handlers } = createStatefulHandlers(contract, describeOperations(contract as never), {
      now: Date.now,
      limits: { items: 1, bytes: 1_000_000 },
    });
    const create = handlers.createCustomer;
    const request = { path: {}, query: {}, headers: {}, cookies: {}, principal: undefined, requestId: 'r' };
    const answer = await create?.({ ...request, body: { name: 'A', email: 'a@example.com' } }, {
      request: { headers: {} },
    } as never);
    expect(answer).toMatchObject({ status: 507, isUndeclared: true });
    // A project of `lockstep new --state` answers so too, and has no control that resets.
    expect(Object(answer?.body).detail).toMatch(/ bytes; delete some items$/);
    expect(roles.filter(({ role }) => role === 'none').map(({ operationId }) => operationId)).toEqual(['readHealth']);
  });
});

test('a list of items creates each, and an operation without a documented success has no role', async () => {
  const thing = { type: 'object', properties: { id: { type: 'integer', example: 10 }, name: { type: 'string' } } };
  const ref = { $ref: '#/components/schemas/Thing' };
  const shown = { description: 'One', content: { 'application/json': { schema: ref } } };
  const key = { name: 'thingId', in: 'path', required: true, schema: { type: 'integer' } };
  const paths = {
    '/thing/many': {
      post: {
        operationId: 'createMany',
        requestBody: { content: { 'application/json': { schema: { type: 'array', items: ref } } } },
        responses: { 200: shown },
      },
    },
    '/thing/{thingId}': {
      parameters: [key],
      get: { operationId: 'read', responses: { 200: shown, 404: { description: 'Unknown' } } },
      delete: { operationId: 'remove', responses: { 400: { description: 'Bad' } } },
    },
  };
  const info = { title: 'Things', version: '1' };
  const contract = { openapi: '3.1.0', info, paths, components: { schemas: { Thing: thing } } };
  const { call, roles } = createCaller(contract);
  const path = { thingId: 10 };
  expect((await call('read', { path })).body).toMatchObject({ id: 10 });
  expect(
    (
      await call('createMany', {
        body: [
          { id: 3, name: 'a' },
          { id: 4, name: 'b' },
        ],
      })
    ).body,
  ).toEqual({ id: 3, name: 'a' });
  expect((await call('read', { path: { thingId: 4 } })).body).toEqual({ id: 4, name: 'b' });
  // A delete that only documents a rejection answers with it, and deletes nothing.
  expect(roles.find(({ operationId }) => operationId === 'remove')).toMatchObject({
    role: 'none',
    why: 'it documents no success',
  });
});
