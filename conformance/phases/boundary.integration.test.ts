import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve, type TestAnswer, type TestRequest } from '../seeded/serve.ts';

// If these fail, the runner misses a valid value that a server rejects, or reports a rule that no schema can express.

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const item = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 60 },
    size: { type: 'integer', minimum: 1, maximum: 12 },
    kind: { type: 'string', enum: ['plain', 'round', 'square'] },
    note: { type: ['string', 'null'], maxLength: 80, pattern: '^[^<>]*$' },
    place: { type: 'object', required: ['shelf'], properties: { shelf: { type: 'integer', minimum: 0, maximum: 99 } } },
    tags: { type: 'array', maxItems: 6, items: { type: 'string', maxLength: 10 } },
  },
  example: { name: 'box', size: 3, note: 'red' },
};

const paths = {
  '/items': {
    get: {
      operationId: 'list',
      parameters: [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 300 } },
        { name: 'sort', in: 'query', schema: { type: 'string', enum: ['name', 'size', 'age'] } },
        { name: 'size_min', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 50 } },
        { name: 'size_max', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 50 } },
        { name: 'q', in: 'query', schema: { type: 'string', minLength: 2, maxLength: 50 } },
      ],
      responses: { 200: json({ type: 'array' }), 400: json() },
    },
    post: {
      operationId: 'add',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
      },
      responses: {
        201: json({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }),
        422: json(),
      },
    },
  },
  '/items/{id}': {
    parameters: [id],
    get: { operationId: 'read', responses: { 200: json(), 404: json() } },
    put: {
      operationId: 'change',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
      },
      responses: { 200: json(), 404: json(), 422: json() },
    },
    delete: { operationId: 'remove', responses: { 204: { description: '' }, 404: json() } },
  },
};

type Item = Record<string, unknown>;

/** @returns the answer that rejects a request, or undefined for one that passes */
type Reject = (
  request: { readonly query: URLSearchParams; readonly item: Item | undefined; readonly items: readonly Item[] },
  method: string,
) => TestAnswer | undefined;

const rejection = (status: number, error: unknown = 'invalid'): TestAnswer => ({ status, body: { error } });

/** A correct server of the contract but for the requests that `reject` rejects. */
function serverOf(reject: Reject): Handler {
  const items = new Map<string, Item>();
  let count = 0;
  return ({ method, path, query, body }: TestRequest) => {
    const own = path.split('/')[2];
    const sent = method === 'POST' || method === 'PUT' ? (JSON.parse(body) as Item) : undefined;
    const answer = reject({ query, item: sent, items: [...items.values()] }, method);
    if (own !== undefined && !items.has(own)) return rejection(404);
    if (answer !== undefined) return answer;
    if (own === undefined && method === 'GET')
      return { status: 200, body: [...items].map(([key, one]) => ({ id: key, ...one })) };
    if (method === 'POST') {
      count += 1;
      items.set(`i${count}`, sent ?? {});
      return { status: 201, body: { id: `i${count}` } };
    }
    if (own === undefined) return rejection(405);
    if (method === 'DELETE') return { status: items.delete(own) ? 204 : 404 };
    if (sent !== undefined) items.set(own, sent);
    return { status: 200, body: { id: own, ...items.get(own) } };
  };
}

async function run(reject: Reject, change: Partial<RunOptions> = {}) {
  const served = await serve(serverOf((...given) => count(...given)));
  const log: string[] = [];
  let rejections = 0;
  const count: Reject = (...given) => {
    const answer = reject(...given);
    if (answer !== undefined) rejections += 1;
    return answer;
  };
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, phases: ['baseline', 'boundary'], checks: ['valid-refused'] },
    ...change,
  });
  try {
    const result = await runConformance(contractOf(paths, { schemas: { Item: item } }), options, {
      onRequest: (line) => log.push(line),
    });
    const findings = result.findings.map(({ severity, operation, message }) => `${severity} ${operation}: ${message}`);
    return { result, findings, requests: served.requests, log, rejections };
  } finally {
    await served.close();
  }
}

test('a server that accepts every valid request has no finding, and every class is accepted', async () => {
  const { result, findings } = await run(() => undefined);
  expect(findings).toEqual([]);
  const own = result.obligations.filter(({ check }) => check === 'valid-refused');
  expect(own.filter(({ state }) => state !== 'met').map(({ place, reason }) => `${place}: ${reason}`)).toEqual([]);
  expect(own.length).toBeGreaterThan(60);
  expect(result.requests).toBeLessThan(100);
});

const isLong = (value: unknown, length: number): boolean => typeof value === 'string' && value.length > length;

describe('a rejected valid value is found by its name', () => {
  test.each<{ readonly name: string; readonly reject: Reject; readonly want: readonly string[] }>([
    {
      name: 'the maximum of a parameter',
      reject: ({ query }) => (Number(query.get('limit')) > 299 ? rejection(400) : undefined),
      want: ['defect list: limit=300 (maximum) was answered 400; without it 200 before and after'],
    },
    {
      name: 'a member of an enum',
      reject: ({ query }) => (query.get('sort') === 'age' ? rejection(422) : undefined),
      want: ['defect list: sort=age (member) was answered 422; with its usual value 200 before and after'],
    },
    {
      name: 'a member of an enum in a body, on both writes once each',
      reject: ({ item: sent }) => (sent?.kind === 'round' ? rejection(422) : undefined),
      want: ['defect add: /kind=round (member) was answered 422; with its usual value 201 before and after'],
    },
    {
      name: 'an optional part left out',
      reject: ({ item: sent }) => (sent !== undefined && sent.note === undefined ? rejection(422) : undefined),
      want: ['defect add: /note (left out) was answered 422; with its usual value 201 before and after'],
    },
    {
      name: 'a length in UTF-16 units',
      reject: ({ item: sent }) => (isLong(sent?.name, 60) ? rejection(400) : undefined),
      want: [
        'defect add: /name=60 characters (longest, of characters outside the BMP) was answered 400; with a similar value 201 before and after',
      ],
    },
    {
      name: 'a length in UTF-16 units, of a text with a pattern',
      reject: ({ item: sent }) => (isLong(sent?.note, 80) ? rejection(400) : undefined),
      want: [
        'defect add: /note=80 characters (longest, of characters outside the BMP) was answered 400; with a similar value 201 before and after',
      ],
    },
    {
      name: 'a nested value, with words that name it',
      reject: ({ item: sent }) =>
        (sent?.place as Item | undefined)?.shelf === 0 ? rejection(422, { shelf: ['is invalid'] }) : undefined,
      want: ['defect add: /place/shelf=0 (minimum) was answered 422; with its usual value 201 before and after'],
    },
    {
      name: 'null',
      reject: ({ item: sent }) => (sent?.note === null ? rejection(422) : undefined),
      want: ['defect add: /note=null (null) was answered 422; with its usual value 201 before and after'],
    },
    {
      name: 'the longest list',
      reject: ({ item: sent }) => (Array.isArray(sent?.tags) && sent.tags.length > 5 ? rejection(413) : undefined),
      want: ['defect add: /tags=6 items (most items) was answered 413; with a similar value 201 before and after'],
    },
  ])('$name', async ({ reject, want }) => {
    const { findings, result } = await run(reject);
    expect(findings).toEqual(want);
    expect(result.requests).toBeLessThan(150);
  });
});

describe('no finding for a rule that no schema expresses', () => {
  const known = new Set<unknown>();
  test.each<{ readonly name: string; readonly reject: Reject }>([
    {
      name: 'one bound may not pass the other',
      reject: ({ query }) => {
        const [min, max] = [query.get('size_min'), query.get('size_max')];
        return min !== null && max !== null && Number(min) > Number(max) ? rejection(400) : undefined;
      },
    },
    {
      name: 'two parts together, without any word',
      reject: ({ query }) => (query.get('q') !== null && query.get('sort') === 'age' ? rejection(400) : undefined),
    },
    {
      name: 'a part that another one needs, named in the answer',
      reject: ({ item: sent }) =>
        sent?.kind === 'round' && sent.place === undefined ? rejection(422, { place: ['is required'] }) : undefined,
    },
    {
      name: 'a part that another one needs, without any word',
      reject: ({ item: sent }) => (sent?.kind === 'round' && sent.place === undefined ? rejection(422) : undefined),
    },
    {
      name: 'a quota',
      reject: ({ items }, method) => (method === 'POST' && items.length > 4 ? rejection(422) : undefined),
    },
    {
      name: 'another 4xx',
      reject: ({ query }) => (query.get('sort') === 'age' ? rejection(409) : undefined),
    },
    {
      name: 'a reason of the server itself',
      reject: ({ query }) => (query.get('sort') === 'age' ? rejection(400, 'the archive is not available') : undefined),
    },
    {
      name: 'texts that must not look made up',
      reject: ({ query }) => (/xx/.test(query.get('q') ?? '') ? rejection(400) : undefined),
    },
    {
      name: 'a rejection that does not repeat',
      reject: ({ query }) => {
        const isFirst = query.get('sort') === 'age' && !known.has('age');
        if (query.get('sort') === 'age') known.add('age');
        return isFirst ? rejection(400) : undefined;
      },
    },
  ])('$name', async ({ reject }) => {
    const { findings, rejections } = await run(reject);
    expect(findings).toEqual([]);
    expect(rejections).toBeGreaterThan(0);
  });
});

test('each object that a row creates has a name of its own', async () => {
  const { rejections, requests } = await run(({ item: sent, items }, method) =>
    method === 'POST' && items.some(({ name }) => name === sent?.name) ? rejection(422) : undefined,
  );
  expect(requests.filter((one) => one.startsWith('POST ')).length).toBeGreaterThan(5);
  expect(rejections).toBe(0);
});

test('the same requests are sent for any number of workers', async () => {
  const logs = [];
  for (const workers of [1, 4, 16]) logs.push((await run(() => undefined, { workers })).log);
  expect(logs[1]).toEqual(logs[0]);
  expect(logs[2]).toEqual(logs[0]);
});

test('no object of others is changed, and none is created with --read-only', async () => {
  const { requests } = await run(() => undefined, { permissions: { effects: [], readOnly: true, writes: 'restore' } });
  expect(requests.filter((one) => !one.startsWith('GET '))).toEqual([]);
});
