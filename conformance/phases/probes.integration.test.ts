import { describe, expect, test } from 'vitest';
import type { Credentials } from '../execute/authorize.ts';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve, type TestRequest } from '../seeded/serve.ts';
import { probeScenario } from './probe.ts';
import { planProtocol } from './protocol.ts';

const json = (schema: object = {}) => ({ description: '', content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const accountOf = (given: Partial<Credentials>): Credentials => ({
  ...{ token: undefined, clientId: undefined, clientSecret: undefined },
  ...given,
});

/** Runs the phases of credentials and of HTTP. @returns the result, and each request as `GET /books` */
async function run(paths: object, handle: Handler, change: Partial<RunOptions> = {}, components: object = {}) {
  // Every server answers HEAD as GET without content.
  const served = await serve((request) => handle(request.method === 'HEAD' ? { ...request, method: 'GET' } : request));
  const options = testOptions('library', served.origin, {
    ...{
      baseUrl: served.origin,
      credentials: accountOf({}),
      second: undefined,
      phases: ['baseline', 'auth', 'protocol'],
    },
    ...change,
  });
  try {
    return { result: await runConformance(contractOf(paths, components), options), requests: served.requests };
  } finally {
    await served.close();
  }
}

const books = {
  '/books': { get: { operationId: 'list', responses: { 200: json() } } },
  '/books/{id}': { get: { operationId: 'read', parameters: [id], responses: { 200: json(), 404: json() } } },
};

const shelf =
  (...ids: readonly string[]): Handler =>
  ({ method, path }) => {
    const own = path.split('/')[2];
    if (method !== 'GET') return { status: 405, headers: { allow: 'GET' }, body: {} };
    if (own === undefined) return { status: 200, body: ids.slice(0, 1).map((one) => ({ id: one })) };
    return ids.includes(own) ? { status: 200, body: { id: own } } : { status: 404, body: {} };
  };

const writes = /^(POST|PUT|PATCH|DELETE) /;

test('undeclared writes go to an id that exists nowhere, and with --read-only to none', async () => {
  const all = await run(books, shelf('b1'));
  expect(all.requests.filter((one) => writes.test(one)).map((one) => one.split(' ')[0])).toEqual([
    ...['PATCH', 'PUT', 'POST', 'DELETE'],
  ]);
  const readOnly = await run(books, shelf('b1'), { permissions: { effects: [], readOnly: true, writes: 'restore' } });
  expect(readOnly.requests.filter((one) => writes.test(one))).toEqual([]);
});

test('an undeclared write excludes other requests of its path', () => {
  const contract = contractOf(books);
  const kinds = planProtocol(contract, contract.operations, { effects: [], readOnly: false, writes: 'restore' }).map(
    ({ operation, probes }) => {
      const { domain } = probeScenario(contract, { operation, probes }, 'protocol', {
        isWanted: () => true,
        isSent: () => true,
      });
      return `${operation.id}: ${domain.kind}`;
    },
  );
  expect(kinds).toEqual(['list: reads', 'read: writes']);
});

test.each(['b1', '7', 'item-12', 'alpha', '1000000001', 'c2b4e6a8-0d2f-4a6c-8e0f-1a3c5e7a9b0d'])(
  'no undeclared write goes to an object of others: %s',
  async (first) => {
    const every = await run(books, shelf(first));
    const sent = every.requests.filter((one) => writes.test(one)).map((one) => one.split('/')[2] ?? '');
    expect(new Set(sent).size).toBe(1);
    // The id that the runner takes for unknown is one of others here.
    const taken = await run(books, shelf(first, ...sent));
    expect(taken.requests.filter((one) => writes.test(one))).toEqual([]);
  },
);

test.each([
  ['7', '987654328'],
  ['b1', 'b987654322'],
  ['item-12', 'item-987654333'],
])('the unknown id for %s hardly exists: %s', async (first, unknown) => {
  const { requests } = await run(books, shelf(first));
  expect(requests).toContain(`DELETE /books/${unknown}`);
});

test('content that a server may take for empty replaces no object of others', async () => {
  const states = new Set<string>();
  const content = { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } };
  const settings = {
    '/settings': {
      get: { operationId: 'read', responses: { 200: json() } },
      put: { operationId: 'write', requestBody: { required: true, content }, responses: { 204: { description: '' } } },
    },
  };
  const { requests } = await run(settings, ({ method, headers, body }) => {
    if (method === 'GET') return { status: 200, body: { name: 'valuable' } };
    const isJson = /^application\/json/.test(headers['content-type'] ?? '');
    if (method === 'PUT') states.add(JSON.stringify(isJson ? readOr(body, {}) : {}));
    return { status: 204 };
  });
  expect(requests).toContain('PUT /settings');
  expect([...states]).toEqual(['{"name":"valuable"}']);
});

const bearer = { securitySchemes: { Token: { type: 'http', scheme: 'bearer' } } };
const asFirst = { credentials: accountOf({ token: 'first-token-abcdef' }) };
const closed = { security: [{ Token: [] }] };

/** Name of the account whose token a request has. */
function nameOf({ headers }: TestRequest): string | undefined {
  return /^[Bb]earer (first|second)-token-abcdef$/.exec(headers.authorization ?? '')?.[1];
}

const bothAccounts = { ...asFirst, second: accountOf({ token: 'second-token-abcdef' }) };

const note = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
const content = { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } } };

const notes = {
  '/notes': {
    get: { ...closed, operationId: 'list', responses: { 200: json({ type: 'array', items: note }), 403: json() } },
    post: { ...closed, operationId: 'add', requestBody: { content }, responses: { 201: json(note), 415: json() } },
  },
  '/notes/{id}': {
    parameters: [id],
    get: { ...closed, operationId: 'read', responses: { 200: json(note), 404: json() } },
    put: {
      ...closed,
      operationId: 'put',
      requestBody: { content },
      responses: { 200: json(), 201: json(), 415: json() },
    },
    delete: { ...closed, operationId: 'remove', responses: { 204: { description: '' }, 404: json() } },
  },
};

/** Serves the notes of each account apart from those of others: a name may occur in both, and deleting no note is no failure. */
function serveNotes(): Handler {
  const all = new Map<string, Map<string, object>>();
  let added = 0;
  return (request) => {
    const { method, path, body, headers } = request;
    const own = path.split('/')[2];
    const account = nameOf(request);
    if (account === undefined) return rejected;
    const mine = all.get(account) ?? new Map<string, object>();
    all.set(account, mine);
    if (method === 'GET' && own === undefined) return { status: 200, body: [...mine.values()] };
    const found = mine.get(own ?? '');
    if (method === 'GET') return found === undefined ? { status: 404, body: {} } : { status: 200, body: found };
    if (method === 'DELETE' && own !== undefined) {
      mine.delete(own);
      return { status: 204 };
    }
    const isWrite = method === (own === undefined ? 'POST' : 'PUT');
    if (!isWrite) return { status: 405, headers: { allow: own === undefined ? 'GET, POST' : 'GET, PUT, DELETE' } };
    const sent = readOr(body, undefined);
    if (sent === undefined) return { status: 400 };
    if (!/^application\/json/.test(headers['content-type'] ?? '')) return { status: 415, body: {} };
    if (own === undefined) added += 1;
    const key = own ?? `note-${added}-of-${account}`;
    const status = mine.has(key) ? 200 : 201;
    mine.set(key, { ...Object(sent), id: key });
    return { status, body: mine.get(key) };
  };
}

const rejected = { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: {} };

describe('nothing is found on a server that', () => {
  test('answers 400 to credentials in a wrong form', async () => {
    const paths = { '/list': { get: { ...closed, operationId: 'list', responses: { 200: json(), 404: json() } } } };
    const { result } = await run(
      paths,
      (request) => {
        const isForm = /^bearer \S+$/i.test(request.headers.authorization ?? 'bearer none');
        return nameOf(request) !== undefined ? { status: 200, body: {} } : { ...rejected, status: isForm ? 401 : 400 };
      },
      asFirst,
      bearer,
    );
    expect(result.findings).toEqual([]);
  });

  test('answers a write with a stale If-Match if the object already is as asked', async () => {
    let name = 'first';
    const tag = (): Record<string, string> => ({ etag: `"${name}"` });
    const item = { operationId: 'read', parameters: [id], responses: { 200: json(), 404: json() } };
    const put = {
      operationId: 'put',
      parameters: [id],
      requestBody: { content },
      responses: { 200: json(), 201: json() },
    };
    const { result } = await run({ '/flags/{id}': { get: item, put } }, ({ method, headers, body }) => {
      if (method === 'OPTIONS') return { status: 405, headers: { allow: 'GET, PUT' } };
      const sent = method === 'GET' ? undefined : readOr(body, undefined);
      if (method === 'PUT' && !/^application\/json/.test(headers['content-type'] ?? ''))
        return { status: 415, body: {} };
      if (method === 'PUT' && sent === undefined) return { status: 400, body: {} };
      const asked = String(Object(sent).name ?? name);
      const isStale = headers['if-match'] !== undefined && headers['if-match'] !== `"${name}"`;
      if ((isStale && asked !== name) || (method === 'PUT' && headers['if-none-match'] === '*')) return { status: 412 };
      if (method === 'PUT') name = asked;
      if (!['GET', 'PUT'].includes(method)) return { status: 405, headers: { allow: 'GET, PUT' } };
      return headers['if-none-match'] === `"${name}"`
        ? { status: 304, headers: tag() }
        : { status: 200, headers: tag(), body: { name } };
    });
    expect(result.findings.filter(({ check }) => check === 'protocol-law')).toEqual([]);
  });

  test('shows a new object in its second read', async () => {
    const reads = new Map<string, number>();
    const { result } = await run(
      notes,
      (() => {
        const handle = serveNotes();
        return async (request: TestRequest) => {
          const answer = await handle(request);
          if (request.method === 'POST' && answer.status === 201) {
            const location = `/notes/${Object(answer.body).id}`;
            reads.set(location, 0);
            return { ...answer, headers: { location } };
          }
          const count = request.method === 'GET' ? reads.get(request.path) : undefined;
          if (count !== undefined) reads.set(request.path, count + 1);
          return count === 0 ? { status: 404, body: {} } : answer;
        };
      })(),
      { ...asFirst, phases: ['protocol'] },
      bearer,
    );
    expect(result.findings).toEqual([]);
  });

  test('answers OPTIONS without credentials', async () => {
    const list = { ...closed, operationId: 'list', responses: { 200: json() } };
    const preflight = { ...closed, operationId: 'preflight', responses: { 204: { description: '' } } };
    const { result } = await run(
      { '/list': { get: list, options: preflight } },
      (request) => {
        if (request.method === 'OPTIONS') return { status: 204 };
        return nameOf(request) === undefined ? rejected : { status: 200, body: {} };
      },
      asFirst,
      bearer,
    );
    expect(result.findings).toEqual([]);
  });

  test('keeps the objects of each account apart, and confirms deletions of nothing', async () => {
    const { result, requests } = await run(notes, serveNotes(), bothAccounts, bearer);
    expect(result.findings).toEqual([]);
    expect(requests.filter((one) => one.startsWith('DELETE')).length).toBeGreaterThan(2);
  });

  test('answers a list beneath an unknown parent with no items', async () => {
    const item = { ...closed, parameters: [{ ...id, name: 'org' }], responses: { 200: json(), 404: json() } };
    const issues = { ...item, parameters: [...item.parameters, { ...id, name: 'repo' }], operationId: 'issues' };
    const paths = {
      '/orgs': { get: { ...closed, operationId: 'orgs', responses: { 200: json() } } },
      '/orgs/{org}': { get: { ...item, operationId: 'org' } },
      '/orgs/{org}/repos': { get: { ...item, operationId: 'repos' } },
      '/orgs/{org}/repos/{repo}/issues': { get: issues },
    };
    const answers: Readonly<Record<string, unknown>> = {
      ...{ '/orgs': [{ id: 'acme' }], '/orgs/acme': { id: 'acme' }, '/orgs/acme/repos': [{ id: 'web' }] },
      '/orgs/acme/repos/web/issues': [{ id: 'first' }],
    };
    const { result, requests } = await run(
      paths,
      (request) => {
        if (nameOf(request) === undefined) return rejected;
        if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
        const body = answers[request.path] ?? (/issues$/.test(request.path) ? [] : undefined);
        return { status: body === undefined ? 404 : 200, body: body ?? {} };
      },
      asFirst,
      bearer,
    );
    expect(result.findings).toEqual([]);
    expect(requests.filter((one) => /issues$/.test(one) && !one.includes('acme'))).not.toEqual([]);
  });

  test('takes a number as content', async () => {
    const numbers = { 'application/json': { schema: { type: 'integer', example: 42 } } };
    const body = { required: true, content: numbers };
    const level = { operationId: 'level', requestBody: body, responses: { 204: { description: '' }, 400: json() } };
    const { result, requests } = await run(
      { '/level': { put: level } },
      ({ method, headers, body: sent }) => {
        if (method === 'OPTIONS') return { status: 204 };
        if (method !== 'PUT') return { status: 405, headers: { allow: 'PUT' } };
        const isJson = /^application\/json/.test(headers['content-type'] ?? '');
        return Number.isInteger(isJson ? readOr(sent, '') : '') ? { status: 204 } : { status: 400, body: {} };
      },
      { permissions: { effects: [], readOnly: false, writes: 'all' } },
    );
    expect(result.findings).toEqual([]);
    expect(requests).toContain('PUT /level');
  });
});

describe('a list with a parameter that shows the notes of all accounts', () => {
  const all = { name: 'all', in: 'query', schema: { type: 'boolean' } };
  const list = { ...notes['/notes'].get, parameters: [all] };
  const paths = { ...notes, '/notes': { ...notes['/notes'], get: list } };
  const item = { id: 'n1', name: 'of the first' };
  const serveAll =
    (isReadable: boolean): Handler =>
    (request) => {
      const account = nameOf(request);
      const mayRead = account === 'first' || isReadable;
      if (account === undefined) return rejected;
      if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
      if (request.path === '/notes')
        return { status: 200, body: account === 'first' || request.query.get('all') === 'true' ? [item] : [] };
      return request.path === '/notes/n1' && mayRead ? { status: 200, body: item } : { status: 404, body: {} };
    };
  test.each([
    ['leaks what the second account cannot read', false, ['defect']],
    ['may show what the second account can read', true, []],
  ])('%s', async (_, isReadable, severities) => {
    const { result } = await run(paths, serveAll(isReadable), { ...bothAccounts, phases: ['auth'] }, bearer);
    const leaks = result.findings.filter(({ check, message }) => check === 'tenant-leak' && /all=true/.test(message));
    expect(leaks.map(({ severity }) => severity)).toEqual(severities);
  });
});

test('a token endpoint gets two wrong secrets in its form, and is to accept neither', async () => {
  const member = (text: string) => ({ type: 'string', example: text });
  const properties = { client_id: member('app'), client_secret: member('not-a-secret-1') };
  const form = { type: 'object', required: Object.keys(properties), properties };
  const post = {
    operationId: 'token',
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } },
    responses: { 200: json(), 400: json() },
  };
  const flows = { clientCredentials: { tokenUrl: '/token', scopes: {} } };
  const secrets: (string | null)[] = [];
  const { result } = await run(
    { '/token': { post } },
    ({ body, method }) => {
      if (method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
      const secret = new URLSearchParams(body).get('client_secret');
      secrets.push(secret);
      return secret?.startsWith('not-a-secret-') ? { status: 200, body: {} } : { status: 400, body: {} };
    },
    { phases: ['baseline', 'auth'] },
    { securitySchemes: { Client: { type: 'oauth2', flows } } },
  );
  expect(new Set(secrets)).toEqual(new Set(['not-a-secret-1', '', 'not-a-secret-x']));
  expect(result.findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    'auth-invalid: the request was accepted, but its credential was wrong (altered secret)',
  ]);
});

test('an Allow that omits a method which the server never accepted is inconclusive', async () => {
  const item = notes['/notes/{id}'];
  const open = {
    ...item,
    get: { ...item.get, security: [] },
    delete: { ...item.delete, security: [] },
    put: undefined,
  };
  const { result } = await run({ ...books, '/books/{id}': open }, (request) => {
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: 'GET' } };
    return shelf('b1')(request);
  });
  expect(result.findings).toMatchObject([{ check: 'protocol-law', severity: 'suspect' }]);
});

test('a path with a slash at its end has methods of its own', async () => {
  const add = { operationId: 'add', requestBody: { content }, responses: { 201: json(), 400: json(), 415: json() } };
  const paths = { '/books/': books['/books'], '/books': { post: add } };
  const { result, requests } = await run(paths, ({ method, path }) => {
    if (method === 'OPTIONS') return { status: 204, headers: { allow: path.endsWith('/') ? 'GET' : 'POST' } };
    if (method === 'GET' && path.endsWith('/')) return { status: 200, body: [] };
    return method === 'POST' ? { status: 400, body: {} } : { status: 405, headers: { allow: 'POST' }, body: {} };
  });
  expect(requests).toContain('OPTIONS /books/');
  expect(result.findings).toEqual([]);
});

test.each([
  ['an empty list', [], []],
  ['an item of the first account', [{ id: 'card-1' }], ['tenant-leak']],
])('%s for the second account beneath a parent of the first', async (_, second, checks) => {
  const responses = { 200: json({ type: 'array', items: note }), 404: json() };
  const cards = { ...closed, operationId: 'cards', parameters: [id], responses };
  const paths = { '/notes': { get: notes['/notes'].get }, '/notes/{id}/cards': { get: cards } };
  const { result } = await run(
    paths,
    (request) => {
      const account = nameOf(request);
      if (account === undefined) return rejected;
      if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
      const own = request.path.split('/')[2];
      if (own === undefined) return { status: 200, body: account === 'first' ? [{ id: 'anna' }] : [] };
      if (own !== 'anna') return { status: 404, body: {} };
      return { status: 200, body: account === 'first' ? [{ id: 'card-1' }] : second };
    },
    bothAccounts,
    bearer,
  );
  expect(result.findings.map(({ check }) => check)).toEqual(checks);
});

test.each([
  ['/login', 'suspect'],
  ['https://storage.example/file?signature=2', 'defect'],
])('a redirect to %s without credentials: %s', async (location, severity) => {
  const file = { ...closed, operationId: 'file', responses: { 302: { description: '' }, 401: json() } };
  const { result } = await run(
    { '/file': { get: file } },
    (request) => {
      if (request.headers.authorization !== undefined && nameOf(request) === undefined) return rejected;
      const usual = 'https://storage.example/file?signature=1';
      return { status: 302, headers: { location: nameOf(request) === undefined ? location : usual } };
    },
    { ...asFirst, phases: ['auth'] },
    bearer,
  );
  expect(result.findings.map((one) => `${one.severity} ${one.check}`)).toEqual([`${severity} auth-missing`]);
});

test('an object of others gets its present values without credentials, and no deletion', async () => {
  let stored: object = { id: 'k1', name: 'copper' };
  let writes = 0;
  const { post: _, ...withoutCreate } = notes['/notes'];
  const { result, requests } = await run(
    { ...notes, '/notes': withoutCreate },
    (request) => {
      if (request.method === 'PUT') {
        writes += 1;
        // Another client renames it after the first write of the run.
        stored = { ...stored, ...Object(readOr(request.body, {})), ...(writes === 1 && { name: 'brass' }) };
      } else if (nameOf(request) === undefined) return rejected;
      if (request.method === 'DELETE') return { status: 204 };
      return { status: 200, body: request.path === '/notes' ? [stored] : stored };
    },
    { ...asFirst, phases: ['auth'] },
    bearer,
  );
  expect(result.findings.map((one) => `${one.severity} ${one.check} ${one.operation}`)).toEqual([
    'defect auth-missing put',
  ]);
  expect([stored, writes > 1]).toEqual([{ id: 'k1', name: 'brass' }, true]);
  expect(requests.filter((one) => one.startsWith('DELETE'))).toEqual([]);
});

test('a role that may read objects but not list them proves no leak', async () => {
  const { result } = await run(
    {
      '/notes': { get: notes['/notes'].get },
      '/notes/{id}': { parameters: [id], get: notes['/notes/{id}'].get },
    },
    (request) => {
      if (nameOf(request) === undefined) return rejected;
      if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } };
      const own = request.path.split('/')[2];
      if (own !== undefined) return { status: own === 'anna' ? 200 : 404, body: { id: own } };
      return nameOf(request) === 'first' ? { status: 200, body: [{ id: 'anna' }] } : { status: 403, body: {} };
    },
    bothAccounts,
    bearer,
  );
  expect(result.findings).toMatchObject([{ check: 'tenant-leak', severity: 'suspect' }]);
});

function readOr(text: string, other: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return other;
  }
}

test('a 200 whose body states a failure is inconclusive', async () => {
  const { result } = await run(
    { '/list': { get: { ...closed, operationId: 'list', responses: { 200: json(), 401: json() } } } },
    (request) => ({
      status: 200,
      body: nameOf(request) === undefined ? { ok: false, error: 'not_authed' } : { ok: true },
    }),
    { ...asFirst, phases: ['auth'] },
    bearer,
  );
  expect(result.findings).toMatchObject([{ severity: 'suspect', check: 'auth-missing' }]);
});

test.each([
  { what: 'of its own', list: (account: string) => [`old-1-of-${account}`, `old-2-of-${account}`], severity: 'defect' },
  { what: 'of both accounts', list: () => ['old-1', 'old-2'], severity: 'suspect' },
])(
  'an object that is not on the first page leaks: $severity if that page has objects $what',
  async ({ list, severity }) => {
    const handle = serveNotes();
    const { result } = await run(
      notes,
      (request) => {
        const account = nameOf(request);
        if (account !== undefined && request.method === 'GET' && request.path === '/notes')
          return { status: 200, body: list(account).map((one) => ({ id: one })) };
        const isForeign = request.method === 'GET' && account === 'second' && request.path.endsWith('-of-first');
        return handle(isForeign ? { ...request, headers: { authorization: 'Bearer first-token-abcdef' } } : request);
      },
      { ...bothAccounts, phases: ['auth'] },
      bearer,
    );
    const leaks = result.findings.filter(({ check }) => check === 'tenant-leak');
    expect(leaks).toMatchObject([{ operation: 'read', severity }]);
  },
);
