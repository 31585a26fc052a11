import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve } from '../seeded/serve.ts';

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const rejected = { 400: json(), 404: json(), 422: json() };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^k[0-9]+$' } };
const kettle = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 30 },
    litres: { type: 'number', minimum: 1, exclusiveMaximum: 5 },
    parts: { type: 'array', maxItems: 3, items: { type: 'string', enum: ['lid', 'spout'] } },
  },
};
const schema = { $ref: '#/components/schemas/Kettle' };
const body = { required: true, content: { 'application/json': { schema } } };

const shop = {
  '/kettles': {
    get: {
      operationId: 'list',
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } }],
      responses: { 200: json(), ...rejected },
    },
    post: { operationId: 'create', requestBody: body, responses: { 201: json(), ...rejected } },
  },
  '/kettles/{id}': {
    get: { operationId: 'read', parameters: [id], responses: { 200: json(), ...rejected } },
    put: { operationId: 'change', parameters: [id], requestBody: body, responses: { 200: json(), ...rejected } },
    delete: { operationId: 'remove', parameters: [id], responses: { 204: { description: '' }, ...rejected } },
  },
};

type Kettle = Readonly<Record<string, unknown>>;

interface Given {
  /** Whether a query or a body is rejected; undefined: nothing is. */
  readonly rejects?: (given: unknown, isQuery: boolean) => boolean;
  readonly before?: readonly Kettle[];
}

/** A server of kettles, which a test may make careless. */
function createShop({ rejects = () => false, before = [] }: Given) {
  const kettles = new Map<string, Kettle>(before.map((one) => [String(one.id), one]));
  let last = 0;
  const handle: Handler = ({ method, path, query, body: sent }) => {
    const own = path.split('/')[2];
    const isQuery = method === 'GET' && own === undefined;
    if (own !== undefined && !kettles.has(own)) return { status: 404, body: {} };
    if (isQuery)
      return rejects(Object.fromEntries(query), true)
        ? { status: 400, body: {} }
        : { status: 200, body: [...kettles.values()] };
    if (method === 'GET' || method === 'HEAD') return { status: 200, body: kettles.get(own ?? '') };
    if (method === 'DELETE') {
      kettles.delete(own ?? '');
      return { status: 204 };
    }
    if (method !== (own === undefined ? 'POST' : 'PUT')) return { status: 405, headers: { allow: 'GET' }, body: {} };
    const given = parse(sent);
    if (given === undefined || rejects(given, false)) return { status: 400, body: {} };
    last += 1;
    const made = { ...given, id: own ?? `k${last}` };
    kettles.set(made.id, made);
    return { status: own === undefined ? 201 : 200, body: made };
  };
  return { kettles, handle };
}

function parse(text: string): Kettle | undefined {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return undefined;
  }
}

const ajv = new Ajv2020({ strict: false });

/** Rejects by the schemas of the contract, but for some keywords. */
function rejectBut(...ignored: readonly string[]): (given: unknown, isQuery: boolean) => boolean {
  const schema = JSON.parse(JSON.stringify(kettle), (name, value) => (ignored.includes(name) ? undefined : value));
  const validate = ajv.compile(schema);
  return (given, isQuery) => {
    const limit = isQuery ? (given as Kettle).limit : undefined;
    if (isQuery) return limit !== undefined && !/^([1-9]|[1-4]\d|50)$/.test(String(limit));
    return !validate(given);
  };
}

async function run(given: Given, change: Partial<RunOptions> = {}, paths: object = shop) {
  const { kettles, handle } = createShop(given);
  const served = await serve(handle);
  const log: string[] = [];
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const options = testOptions('library', served.origin, {
    ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
    ...change,
  });
  try {
    const { findings, obligations } = await runConformance(
      contractOf(paths, { schemas: { Kettle: kettle } }),
      options,
      {
        onRequest: (line) => log.push(line),
      },
    );
    const found = findings.map(({ severity, check, keyword, count }) => ({ severity, check, keyword, count }));
    return { found, obligations, log, requests: served.requests, kettles: [...kettles.values()] };
  } finally {
    await served.close();
  }
}

test('a server that validates has no finding, and is left as it was', async () => {
  const { found, kettles, obligations } = await run({ rejects: rejectBut() });
  expect(found).toEqual([]);
  expect(kettles).toEqual([]);
  const invalid = obligations.filter(({ check }) => check === 'invalid-accepted');
  expect(new Set(invalid.map(({ state }) => state))).toEqual(new Set(['met']));
});

test.each(['required', 'minLength', 'maxLength', 'minimum', 'exclusiveMaximum', 'maxItems', 'enum'])(
  'a server that ignores %s is found by it',
  async (keyword) => {
    const { found, kettles } = await run({ rejects: rejectBut(keyword) });
    const check = keyword === 'required' ? 'required-ignored' : 'invalid-accepted';
    expect(found.map((one) => `${one.severity} ${one.check} ${one.keyword}`)).toEqual([`defect ${check} ${keyword}`]);
    expect(kettles).toEqual([]);
  },
);

test('a server that reads only the digits at the start of a number is found', async () => {
  const validate = rejectBut();
  const digits = (value: unknown): number => Number.parseInt(String(value), 10);
  const rejects = (given: unknown, isQuery: boolean): boolean => {
    const { limit = 1, litres } = (given ?? {}) as Kettle;
    if (isQuery) return !(digits(limit) >= 1 && digits(limit) <= 50);
    return validate(typeof litres === 'string' ? { ...Object(given), litres: digits(litres) } : given, false);
  };
  const { found } = await run({ rejects });
  const finding = { severity: 'defect', check: 'invalid-accepted', keyword: 'type', count: 2 };
  // In the query also a fraction, and the body of both operations.
  expect(found).toEqual([finding, finding]);
});

test('a server that validates nothing has one finding for each part of a request', async () => {
  const { found, kettles } = await run({});
  // Both operations with a body have the same schema.
  expect(found.map(({ check }) => check).sort()).toEqual(['invalid-accepted', 'invalid-accepted', 'required-ignored']);
  expect(kettles).toEqual([]);
});

describe('an object of others', () => {
  const other = { id: 'k0', name: 'copper', litres: 2, parts: ['lid'] };
  const withoutCreate = { selection: { only: [], exclude: ['create', 'remove'] } };

  test('is as before, although it took invalid content', async () => {
    const { found, kettles } = await run({ before: [other] }, withoutCreate);
    const checks = found.map(({ check }) => check);
    expect(checks).toContain('invalid-accepted');
    // Content without a required member is put back too.
    expect(checks).toContain('required-ignored');
    expect(kettles).toEqual([other]);
  });

  test('gets no request without content, unless the accepted content has all members', async () => {
    const withoutContent = async (before: Kettle): Promise<number> => {
      const { kettles, log } = await run({ before: [before] }, withoutCreate);
      expect(kettles).toEqual([before]);
      return log.filter((line) => line.includes('body: left out')).length;
    };
    expect(await withoutContent(other)).toBeGreaterThan(0);
    expect(await withoutContent({ id: 'k0', name: 'copper' })).toBe(0);
  });

  test('gets no invalid content with --writes owned', async () => {
    const permissions = { effects: [], readOnly: false, writes: 'owned' } as const;
    const { requests } = await run({ before: [other] }, { ...withoutCreate, permissions });
    expect(requests.filter((one) => one.startsWith('PUT'))).toEqual([]);
  });

  test('is not deleted by a deletion with an invalid query', async () => {
    const depth = { name: 'depth', in: 'query', schema: { type: 'integer', maximum: 5 } };
    const item = shop['/kettles/{id}'];
    const paths = { ...shop, '/kettles/{id}': { ...item, delete: { ...item.delete, parameters: [id, depth] } } };
    const { kettles, requests, found } = await run({ before: [other], rejects: rejectBut() }, {}, paths);
    // The repeat deletes another object.
    const deleted = requests.filter((one) => /^DELETE .*depth/.test(one)).map((one) => one.split('?')[0]);
    expect(new Set(deleted).size).toBe(deleted.length);
    expect(new Set(found.map(({ severity, check }) => `${severity} ${check}`))).toEqual(
      new Set(['defect invalid-accepted']),
    );
    expect(kettles).toEqual([other]);
  });

  test('the settings get no invalid content that nothing puts back', async () => {
    const { put } = shop['/kettles/{id}'];
    const settings = { get: { responses: { 200: json() } }, put: { ...put, operationId: 'configure', parameters: [] } };
    const { requests } = await run({}, { selection: { only: ['configure'], exclude: [] } }, { '/kettles': settings });
    expect(requests.filter((one) => one.startsWith('PUT')).length).toBeLessThan(2);
  });
});

test.each([
  { effect: 'physical', isIdempotent: false, want: 'suspect' },
  { effect: 'physical', isIdempotent: true, want: 'defect' },
  { effect: 'none', isIdempotent: false, want: 'defect' },
])('an invalid request whose effect is $effect, idempotent: $isIdempotent, is a $want', async (row) => {
  const action = {
    ...{ operationId: 'pour', 'x-effect': row.effect, responses: { 200: json(), ...rejected } },
    ...(row.isIdempotent && { 'x-idempotency': 'natural' }),
    parameters: [{ name: 'cups', in: 'query', required: true, schema: { type: 'integer', minimum: 1, maximum: 4 } }],
  };
  const served = await serve(() => ({ status: 200, body: {} }));
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const { findings } = await runConformance(
    contractOf({ '/pour': { post: action } }),
    testOptions('library', served.origin, {
      ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
      permissions: { effects: ['physical'], readOnly: false, writes: 'restore' },
    }),
  );
  await served.close();
  const severities = findings.filter(({ check }) => /^(invalid|required)-/.test(check)).map(({ severity }) => severity);
  expect(new Set(severities)).toEqual(new Set([row.want]));
});

describe('an operation that accepts malformed JSON', () => {
  const steep = {
    operationId: 'steep',
    'x-effect': 'none',
    requestBody: body,
    responses: { 200: json(), ...rejected },
  };
  const checksFor = async (isRead: boolean): Promise<readonly string[]> => {
    const validate = rejectBut('maxLength');
    const served = await serve(({ method, body: sent }) => {
      if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
      const given = parse(sent);
      return { status: isRead && given !== undefined && validate(given, false) ? 400 : 200, body: {} };
    });
    const none = { token: undefined, clientId: undefined, clientSecret: undefined };
    const { findings } = await runConformance(
      contractOf({ '/steep': { post: steep } }, { schemas: { Kettle: kettle } }),
      testOptions('library', served.origin, {
        ...{ baseUrl: served.origin, credentials: none, second: undefined },
        phases: ['baseline', 'protocol', 'negative'],
      }),
    );
    await served.close();
    return findings.map(({ check }) => check).sort();
  };

  test('and every other body has one finding', async () => {
    expect(await checksFor(false)).toEqual(['required-ignored']);
  });

  test('but rejects some bodies has one finding for each fault', async () => {
    expect(await checksFor(true)).toEqual(['invalid-accepted', 'protocol-law', 'protocol-law']);
  });
});

test.each([
  { status: 200, want: ['required-ignored'] },
  { status: 428, want: [] },
])('a change without the If-Match that the contract requires is answered $status', async ({ status, want }) => {
  const condition = { name: 'If-Match', in: 'header', required: true, schema: { type: 'string' } };
  const responses = { 200: { description: '' }, '4XX': { description: '' } };
  const paths = {
    '/settings': { put: { operationId: 'set', 'x-effect': 'none', parameters: [condition], responses } },
  };
  const served = await serve(({ headers }) => ({ status: headers['if-match'] === undefined ? status : 200 }));
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const change = {
    baseUrl: served.origin,
    credentials: none,
    second: undefined,
    phases: ['baseline', 'negative'],
  } as const;
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  const { findings } = await runConformance(
    contractOf(paths),
    testOptions('library', served.origin, { ...change, permissions }),
  );
  await served.close();
  expect(findings.map(({ check }) => check)).toEqual(want);
});

describe('a valid request that is rejected the second time, since its copy is lent then,', () => {
  const copy = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
  const loan = {
    type: 'object',
    required: ['copyId', 'days'],
    properties: { copyId: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 30 } },
  };
  const contents = (schema: object) => ({ 'application/json': { schema } });
  const paths = {
    '/copies': {
      get: {
        operationId: 'copies',
        responses: { 200: { description: '', content: contents({ type: 'array', items: copy }) } },
      },
    },
    '/loans': {
      post: {
        ...{ operationId: 'lend', requestBody: { required: true, content: contents(loan) } },
        responses: { 201: { description: '', content: contents({ type: 'object' }) }, '4XX': { description: '' } },
      },
    },
  };
  const lend = async (most: number) => {
    const lent = new Set<unknown>();
    const served = await serve(({ method, path, body: sent }) => {
      if (path === '/copies') return { status: 200, body: ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => ({ id })) };
      const { copyId, days } = (parse(sent) ?? {}) as { copyId?: unknown; days?: unknown };
      if (method !== 'POST' || typeof copyId !== 'string') return { status: 400 };
      if (!Number.isInteger(days) || Number(days) < 1 || Number(days) > most) return { status: 400 };
      if (lent.has(copyId) || !/^c[1-5]$/.test(copyId)) return { status: 409 };
      lent.add(copyId);
      return { status: 201, body: { id: `l${lent.size}`, copyId, days } };
    });
    const none = { token: undefined, clientId: undefined, clientSecret: undefined };
    const { findings, requests } = await runConformance(
      contractOf(paths),
      testOptions('library', served.origin, {
        ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
      }),
    );
    await served.close();
    return { found: findings.map(({ severity, keyword }) => `${severity} ${keyword}`), requests };
  };

  test('does not hide an invalid one: it names other copies', async () => {
    expect((await lend(99)).found).toEqual(['defect maximum']);
  });

  test('costs no request if the server rejects the values first', async () => {
    const { found, requests } = await lend(30);
    expect(found).toEqual([]);
    expect(requests).toBeLessThan(40);
  });
});

describe('a server that rejects the first way to break a keyword is found by a later one', () => {
  const query = (name: string, schema: object) => ({ name, in: 'query', required: true, schema });
  const parameters = [
    query('code', { type: 'string', pattern: '^[a-z]{2,4}$' }),
    query('kind', { type: 'string', enum: ['round', 'square'] }),
    query('size', { type: 'array', items: { type: 'integer', maximum: 9 } }),
  ];
  const rules = { code: /^[a-z]{2,4}$/, kind: /^(round|square)$/, size: /^\d(,\d)*$/ };
  test.each([
    { name: 'ignores case', change: { code: /^[a-z]{2,4}$/i }, want: 'code: a letter in the other case' },
    { name: 'allows a repetition more', change: { code: /^[a-z]{2,5}$/ }, want: 'code: one repetition too many' },
    { name: 'allows a repetition fewer', change: { code: /^[a-z]{1,4}$/ }, want: 'code: one repetition too few' },
    { name: 'takes an empty text for no value', change: { kind: /^(round|square|)$/ }, want: 'kind: an empty text' },
    {
      name: 'compares the first item alone',
      change: { size: /^\d(,\d+)*$/ },
      want: 'size /1: one step above the maximum',
    },
  ])('$name', async ({ change, want }) => {
    const all = Object.entries({ ...rules, ...change });
    const served = await serve(({ query: given }) => {
      const isValid = all.every(([name, rule]) => given.has(name) && rule.test(given.getAll(name).join(',')));
      return { status: isValid ? 200 : 400, body: [] };
    });
    const none = { token: undefined, clientId: undefined, clientSecret: undefined };
    const { findings } = await runConformance(
      contractOf({ '/kettles': { get: { operationId: 'list', parameters, responses: { 200: json(), ...rejected } } } }),
      testOptions('library', served.origin, {
        ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
      }),
    );
    await served.close();
    expect(findings.filter(({ check }) => check === 'invalid-accepted').map(({ message }) => message)).toEqual([
      expect.stringContaining(want),
    ]);
  });
});

test('a server that validates JSON alone is found by its form', async () => {
  const schema = { type: 'object', required: ['cups'], properties: { cups: { type: 'integer', maximum: 4 } } };
  const form = 'application/x-www-form-urlencoded';
  const content = { 'application/json': { schema }, [form]: { schema } };
  const pour = {
    ...{ operationId: 'pour', 'x-effect': 'none', responses: { 200: json(), ...rejected } },
    requestBody: { required: true, content },
  };
  const served = await serve(({ method, headers, body: sent }) => {
    const { cups } = parse(headers['content-type'] === form ? '{"cups":1}' : sent) ?? {};
    const isValid = method === 'POST' && sent !== '' && Number.isInteger(cups) && Number(cups) <= 4;
    return { status: isValid ? 200 : 400, body: {} };
  });
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const { findings } = await runConformance(
    contractOf({ '/pour': { post: pour } }),
    testOptions('library', served.origin, {
      ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
    }),
  );
  await served.close();
  const found = findings.map(({ severity, check, place }) => `${severity} ${check} ${place}`);
  expect(found).toEqual([`defect invalid-accepted body as ${form} /cups`]);
});

test('any number of workers sends the same requests', async () => {
  const shelves = ['a', 'b', 'c', 'd'].map((name) => [
    [
      `/${name}`,
      {
        get: { ...shop['/kettles'].get, operationId: `list-${name}` },
        post: { ...shop['/kettles'].post, operationId: `create-${name}` },
      },
    ],
  ]);
  const paths = Object.fromEntries(shelves.flat());
  const logs = await Promise.all([1, 4, 16].map(async (workers) => (await run({}, { workers }, paths)).log));
  expect(logs[1]).toEqual(logs[0]);
  expect(logs[2]).toEqual(logs[0]);
  expect(logs[0]?.length).toBeGreaterThan(50);
});

test('a redirect that reports the error to the client is a rejection: nothing is sent twice', async () => {
  const scope = { name: 'scope', in: 'query', required: true, schema: { type: 'string', enum: ['read', 'write'] } };
  const authorize = { operationId: 'authorize', parameters: [scope], responses: { 303: { description: '' } } };
  const served = await serve(({ query }) => {
    const isValid = ['read', 'write'].includes(query.get('scope') ?? '');
    return { status: 303, headers: { location: isValid ? '/log-in' : '/back?error=invalid_scope' } };
  });
  const none = { token: undefined, clientId: undefined, clientSecret: undefined };
  const { findings } = await runConformance(
    contractOf({ '/authorize': { get: authorize } }),
    testOptions('library', served.origin, {
      ...{ baseUrl: served.origin, credentials: none, second: undefined, phases: ['baseline', 'negative'] },
    }),
  );
  await served.close();
  expect(findings).toEqual([]);
  expect(served.requests.length).toBeGreaterThan(3);
  expect(new Set(served.requests).size).toBe(served.requests.length);
});
