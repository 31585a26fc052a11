import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { serve, type TestRequest } from '../seeded/serve.ts';

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const order = {
  type: 'object',
  required: ['count'],
  properties: { id: { type: 'integer' }, count: { type: 'integer', minimum: 1 } },
};
const content = { 'application/json': { schema: order } };
const responses = { 200: json(order), 400: json(), 401: json(), 404: json(), 415: json(), 422: json() };

/** A contract of orders with an order of checks. */
function contractWith(precedence: readonly number[] | undefined) {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, 'x-invalid-status': 422 };
  const list = { 200: json({ type: 'array', items: order }), 401: json() };
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    ...(precedence && { 'x-precedence': precedence }),
    security: [{ Key: [] }],
    components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'key' } } },
    paths: {
      '/orders': {
        get: { operationId: 'list', responses: list },
        post: {
          operationId: 'add',
          requestBody: { required: true, content },
          responses: { ...responses, 201: json(order) },
        },
      },
      '/orders/{id}': {
        parameters: [id],
        get: { operationId: 'read', responses },
        put: { operationId: 'put', requestBody: { required: true, content }, responses },
        delete: { operationId: 'remove', responses: { ...responses, 204: { description: '' } } },
      },
    },
  };
  return readContract('api.json', JSON.stringify(document));
}

type Orders = Map<number, unknown>;

const isWrite = (method: string): boolean => method === 'POST' || method === 'PUT';
const idOf = (path: string): string | undefined => path.split('/')[2];

/** Each check of the server by its status: whether a request fails it. */
const checks: Readonly<Record<number, (request: TestRequest, orders: Orders) => boolean>> = {
  401: ({ headers }) => headers.key !== 'k1',
  415: ({ method, headers }) => isWrite(method) && headers['content-type'] !== 'application/json',
  422: ({ path }) => !/^(\d+)?$/.test(idOf(path) ?? ''),
  400: ({ method, body }) => isWrite(method) && !(countOf(body) >= 1),
  404: ({ path }, orders) => idOf(path) !== undefined && !orders.has(Number(idOf(path))),
};

function countOf(body: string): number {
  try {
    return Number(JSON.parse(body).count);
  } catch {
    return Number.NaN;
  }
}

/** Serves orders with its checks in an order, and runs the check against them. @returns changes, and the orders that are left */
async function run(ofServer: readonly number[], precedence: readonly number[] | undefined) {
  const orders: Orders = new Map([[1, { id: 1, count: 1 }]]);
  const changed: string[] = [];
  const served = await serve((request) => {
    const { method, path, body } = request;
    const failed = ofServer.find((status) => checks[status]?.(request, orders));
    if (failed !== undefined) return { status: failed, headers: { 'www-authenticate': 'Key' }, body: {} };
    const id = Number(idOf(path) ?? orders.size + 1);
    if (method === 'GET')
      return { status: 200, body: idOf(path) === undefined ? [...orders.values()] : orders.get(id) };
    if (method === 'DELETE') return { status: orders.delete(id) ? 204 : 404 };
    orders.set(id, { ...JSON.parse(body), id });
    changed.push(`${method} ${id}`);
    return { status: method === 'POST' ? 201 : 200, body: orders.get(id) };
  });
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, second: undefined, phases: ['negative'], checks: ['refusal-wrong'] },
    ...{ credentials: { token: 'k1', clientId: undefined, clientSecret: undefined } },
  });
  try {
    const { findings, obligations } = await runConformance(contractWith(precedence), options);
    return { findings, obligations, changed, left: [...orders.keys()] };
  } finally {
    await served.close();
  }
}

const all = [401, 415, 422, 400, 404];

describe('a server that checks in the order', () => {
  test.each<{ ofServer: readonly number[]; precedence?: readonly number[]; want: readonly string[] }>([
    { ofServer: all, precedence: all, want: [] },
    { ofServer: all, want: [] },
    // Statuses that the contract does not order may come at any place.
    { ofServer: [400, 401, 415, 422, 404], precedence: [401, 415], want: [] },
    {
      ofServer: [415, 401, 422, 400, 404],
      precedence: all,
      want: ['no credentials and an unlisted media type: 401, 415'],
    },
    { ofServer: [401, 415, 422, 404, 400], precedence: all, want: ['an invalid body and an unknown id: 400, 404'] },
  ])('$ofServer, where the contract has $precedence', async ({ ofServer, precedence, want }) => {
    const { findings, changed, left } = await run(ofServer, precedence);
    const found = findings.map(({ message }) => {
      const [, pair, later, earlier] = /^(.*) together were answered (\d+);.*answered (\d+),/.exec(message) ?? [];
      return `${pair}: ${earlier}, ${later}`;
    });
    expect(found).toEqual(want);
    expect(findings.filter(({ severity, keyword }) => severity !== 'defect' || keyword !== 'precedence')).toEqual([]);
    expect([changed.includes('PUT 1'), left]).toEqual([false, [1]]);
  });
});

test('each two statuses are compared on some operation, and each operation has a comparison', async () => {
  const { obligations } = await run(all, all);
  const sent = obligations.filter(({ keyword, state }) => keyword === 'precedence' && state === 'met');
  expect(sent.map(({ operation, place }) => `${operation}: ${place}`).toSorted()).toEqual([
    'add: an unlisted media type and an invalid body',
    'add: no credentials and an unlisted media type',
    'put: an invalid body and an invalid id',
    'put: an invalid body and an unknown id',
    'put: an unlisted media type and an invalid id',
    'put: an unlisted media type and an unknown id',
    'put: no credentials and an invalid body',
    'read: no credentials and an invalid id',
    'remove: no credentials and an invalid id',
  ]);
});
