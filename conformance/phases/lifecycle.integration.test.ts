import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve } from '../seeded/serve.ts';

// If these fail, a story changes or deletes what the run does not own.

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const text = { type: 'string', maxLength: 60 };
const tag = { type: 'object', required: ['label'], properties: { label: text, note: text } };
const shown = { ...tag, properties: { ...tag.properties, id: { type: 'string' } } };
const body = { required: true, content: { 'application/json': { schema: tag } } };

const tags = {
  '/tags': {
    get: { operationId: 'list', responses: { 200: json({ type: 'array', items: shown }) } },
    post: { operationId: 'create', requestBody: body, responses: { 200: json(shown), 201: json(shown) } },
  },
  '/tags/{id}': {
    get: { operationId: 'read', parameters: [id], responses: { 200: json(shown), 404: json() } },
    put: { operationId: 'change', parameters: [id], requestBody: body, responses: { 200: json(shown), 404: json() } },
    delete: { operationId: 'remove', parameters: [id], responses: { 204: { description: '' }, 404: json() } },
  },
};

async function run(handle: Handler, paths: object, change: Partial<RunOptions> = {}) {
  const served = await serve(handle);
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'story'] },
    ...change,
  });
  try {
    return { result: await runConformance(contractOf(paths), options), requests: served.requests };
  } finally {
    await served.close();
  }
}

describe('a create that answers with an object that was there', () => {
  test.each([
    { shown: 'lists', isListed: true },
    { shown: 'does not list', isListed: false },
  ])('gives the run nothing to change if the server $shown it', async ({ isListed }) => {
    const existing = { id: 't1', label: 'a label of others', note: 'n' };
    const { requests, result } = await run(
      ({ method, path }) => {
        if (path === '/tags') return { status: 200, body: method === 'POST' ? existing : isListed ? [existing] : [] };
        return path === '/tags/t1' ? { status: 200, body: existing } : { status: 404, body: {} };
      },
      tags,
      { permissions: { effects: [], readOnly: false, writes: 'owned' } },
    );
    expect(requests.filter((line) => line.startsWith('POST')).length).toBeGreaterThan(1);
    expect(requests.filter((line) => /^(PUT|DELETE)/.test(line))).toEqual([]);
    expect(result.findings).toEqual([]);
  });
});

test('an object is deleted once: its id may belong to another object afterwards', async () => {
  const kept = new Map<string, object>();
  let last = 0;
  const { requests } = await run(({ method, path, body: sent }) => {
    const own = path.split('/')[2];
    if (method === 'GET' && own === undefined) return { status: 200, body: [...kept.values()] };
    if (method === 'POST') {
      last += 1;
      const made = { ...JSON.parse(sent), id: `t${last}` };
      kept.set(made.id, made);
      return { status: 201, body: made };
    }
    if (own === undefined || !kept.has(own)) return { status: 404, body: {} };
    if (method === 'PUT') kept.set(own, { ...JSON.parse(sent), id: own });
    const answer = { status: 200, body: kept.get(own) };
    if (method !== 'DELETE') return answer;
    kept.delete(own);
    return { status: 204 };
  }, tags);
  const deleted = requests.filter((line) => line.startsWith('DELETE'));
  expect(deleted.length).toBeGreaterThan(0);
  expect(new Set(deleted).size).toBe(deleted.length);
  const late = deleted.flatMap((line) =>
    requests.slice(requests.indexOf(line)).filter((one) => one === line.replace('DELETE', 'PUT')),
  );
  expect(late).toEqual([]);
  expect([...kept.keys()]).toEqual([]);
});

test.each([
  { effect: 'physical', least: 0, most: 1 },
  { effect: 'none', least: 2, most: 20 },
])('a request with the effect $effect is sent $most times at most with new keys', async ({ effect, least, most }) => {
  const key = { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', minLength: 8 } };
  const pay = {
    ...{ operationId: 'pay', parameters: [key], 'x-effect': effect, responses: { 201: json(shown) } },
    'x-idempotency': { header: 'Idempotency-Key' },
    requestBody: body,
  };
  const keys = new Set<string>();
  await run(
    ({ headers }) => {
      keys.add(String(headers['idempotency-key']));
      return { status: 201, body: { id: `p${keys.size}`, label: 'paid with that key' } };
    },
    { '/payments': { post: pay } },
    { permissions: { effects: ['physical'], readOnly: false, writes: 'all' } },
  );
  expect(keys.size).toBeGreaterThanOrEqual(least);
  expect(keys.size).toBeLessThanOrEqual(most);
});

test('an item for a list has only values that its create allows and that have no effect', async () => {
  const kind = { type: 'string', enum: ['status', 'unlock'] };
  const urgency = { type: 'integer', minimum: 1, maximum: 5 };
  const order = { type: 'object', required: ['kind', 'urgency'], properties: { kind, urgency } };
  const stored = { ...order, properties: { ...order.properties, id: { type: 'string' } } };
  const example = { kind: 'status', urgency: 1 };
  const query = [
    { name: 'kind', in: 'query', schema: kind },
    { name: 'sort', in: 'query', schema: { type: 'string', enum: ['urgency', '-urgency'] } },
  ];
  const create = {
    ...{ operationId: 'create', responses: { 201: json(stored) } },
    requestBody: { required: true, content: { 'application/json': { schema: order, example } } },
    'x-by-value': [
      { at: '$request.body#/kind', cases: [{ values: ['status'] }, { values: ['unlock'], effect: 'physical' }] },
    ],
  };
  const kept = new Map<string, object>();
  const sent: { readonly kind: string; readonly urgency: number }[] = [];
  await run(
    ({ method, path, body: content }) => {
      const own = path.split('/')[2] ?? '';
      if (method === 'DELETE') return { status: kept.delete(own) ? 204 : 404 };
      if (method === 'GET' && own !== '') return { status: kept.has(own) ? 200 : 404, body: kept.get(own) ?? {} };
      if (method === 'GET') return { status: 200, body: [...kept.values()] };
      sent.push(JSON.parse(content));
      const made = { ...JSON.parse(content), id: `o${sent.length}` };
      kept.set(made.id, made);
      return { status: 201, body: made };
    },
    {
      '/orders': {
        get: { operationId: 'list', parameters: query, responses: { 200: json({ type: 'array', items: stored }) } },
        post: create,
      },
      '/orders/{id}': {
        get: { operationId: 'read', parameters: [id], responses: { 200: json(stored), 404: json() } },
        delete: { operationId: 'remove', parameters: [id], responses: { 204: { description: '' }, 404: json() } },
      },
    },
    { checks: ['filter-ignored', 'sort-wrong'] },
  );
  expect(sent.length).toBeGreaterThan(1);
  expect(new Set(sent.map((one) => one.kind))).toEqual(new Set(['status']));
  expect(sent.filter((one) => !(one.urgency >= 1 && one.urgency <= 5))).toEqual([]);
});

test('a PUT to a name sends no other name in its content', async () => {
  const { id: _, ...properties } = shown.properties;
  const named = { ...tag, properties };
  const label = { ...id, name: 'label' };
  const content = { required: true, content: { 'application/json': { schema: named } } };
  const stored = new Map<string, object>();
  const { requests, result } = await run(
    ({ method, path, body: sent }) => {
      const own = path.split('/')[2] ?? '';
      const isThere = stored.has(own);
      if (method === 'PUT') stored.set(own, { ...JSON.parse(sent), label: own });
      if (method === 'PUT') return { status: isThere ? 200 : 201, body: stored.get(own) };
      if (!isThere) return { status: 404, body: {} };
      if (method === 'GET') return { status: 200, body: stored.get(own) };
      stored.delete(own);
      return { status: 204 };
    },
    {
      '/tags/{label}': {
        parameters: [label],
        get: { operationId: 'read', responses: { 200: json(named), 404: json() } },
        put: { operationId: 'write', requestBody: content, responses: { 200: json(named), 201: json(named) } },
        delete: { operationId: 'remove', responses: { 204: { description: '' }, 404: json() } },
      },
    },
  );
  expect(requests.filter((line) => line.startsWith('PUT')).length).toBeGreaterThan(2);
  expect(result.findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([]);
});

describe('a PUT that is always answered 201', () => {
  const { post: _, ...list } = tags['/tags'];
  const item = tags['/tags/{id}'];
  const named = {
    ...tag,
    properties: { ...tag.properties, id: { type: 'string' } },
  };
  const namedBody = { required: true, content: { 'application/json': { schema: named } } };
  const paths = {
    '/tags': list,
    '/tags/{id}': { ...item, put: { ...item.put, requestBody: namedBody, responses: { 201: json(shown) } } },
  };

  test('makes no object of others one of the run, whatever the content names', async () => {
    const others = { id: 'alpha', label: 'a label of others', note: 'n' };
    const stored = new Map<string, object>([['alpha', others]]);
    const { requests } = await run(
      ({ method, path, body: sent }) => {
        const own = path.split('/')[2];
        if (own === undefined) return { status: 200, body: [...stored.values()] };
        if (method === 'PUT') {
          const content = { id: own, ...JSON.parse(sent || '{}') };
          // It stores by the id of the content.
          stored.set(content.id, content);
          return { status: 201, body: content };
        }
        const found = stored.get(own);
        if (method === 'DELETE') stored.delete(own);
        if (found === undefined) return { status: 404, body: {} };
        return method === 'DELETE' ? { status: 204 } : { status: 200, body: found };
      },
      paths,
      { phases: ['baseline', 'story', 'negative', 'boundary', 'text'] },
    );
    expect(requests.filter((line) => line.startsWith('DELETE /tags/alpha'))).toEqual([]);
    expect(stored.get('alpha')).toMatchObject({ label: 'a label of others' });
    expect(requests.filter((line) => line.startsWith('PUT')).length).toBeGreaterThan(0);
  });
});
