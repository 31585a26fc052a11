import { describe, expect, test } from 'vitest';
import { readContract } from '../contract/read-contract.ts';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { type Handler, serve, type TestAnswer } from '../seeded/serve.ts';

type Body = Record<string, unknown>;

interface Api {
  /** `POST /books`: schema of its body, or undefined; a path's parameters are texts. */
  readonly operations: Readonly<Record<string, { readonly body?: object; readonly parameters?: object[] } | undefined>>;
  readonly handle: Handler;
}

/** @param more members of the operations, by their line */
function contractOf(operations: Api['operations'], more: Readonly<Record<string, object>> = {}) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [line, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = line.split(' ');
    const parameters = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const status = method === 'POST' && operation?.body !== undefined ? '201' : '200';
    const requestBody = operation?.body && {
      required: true,
      content: { 'application/json': { schema: operation.body } },
    };
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: line,
        parameters: [...parameters, ...(operation?.parameters ?? [])],
        ...(requestBody && { requestBody }),
        responses: { [status]: { description: 'ok' }, '204': { description: 'ok' }, '4XX': { description: 'no' } },
        ...more[line],
      },
    };
  }
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths };
  return readContract('t.json', JSON.stringify(document));
}

async function run(
  { operations, handle }: Api,
  change: Partial<RunOptions> = {},
  more: Readonly<Record<string, object>> = {},
) {
  const contract = contractOf(operations, more);
  const served = await serve(handle);
  try {
    const options = testOptions('library', served.origin, { baseUrl: served.origin, ...change });
    const result = await runConformance(contract, options);
    const unreached = result.coverage.operations.filter(({ isReached }) => !isReached);
    return { result, requests: served.requests, unreached: unreached.map(({ operation }) => operation) };
  } finally {
    await served.close();
  }
}

const no: TestAnswer = { status: 404, body: { error: 'nothing here' } };

/** A handler of routes `GET /books/:id`; what no route takes is 404. */
function routes(
  table: Readonly<Record<string, (ids: readonly string[], body: Body, query: URLSearchParams) => TestAnswer>>,
): Handler {
  return ({ method, path, body, query }) => {
    for (const [line, answer] of Object.entries(table)) {
      const [own = '', template = ''] = line.split(' ');
      const match = new RegExp(`^${template.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(path);
      if (own !== method || match === null) continue;
      return answer(match.slice(1).map(decodeURIComponent), body === '' ? {} : JSON.parse(body), query);
    }
    return no;
  };
}

describe('reaches every operation of an API that', () => {
  const title = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } };
  const apis: Readonly<Record<string, { readonly api: () => Api; readonly requests: number }>> = {
    'addresses its items by slug, though they have ids': {
      requests: 3,
      api: () => ({
        operations: { 'GET /pages': undefined, 'GET /pages/{page}': undefined, 'GET /pages/{page}/links': undefined },
        handle: routes({
          'GET /pages': () => ({ status: 200, body: { results: [{ id: 5, slug: 'about-us' }] } }),
          'GET /pages/:page': ([page]) => (page === 'about-us' ? { status: 200, body: { id: 5, slug: page } } : no),
          'GET /pages/:page/links': ([page]) => (page === 'about-us' ? { status: 200, body: [] } : no),
        }),
      }),
    },
    'answers a map by id': {
      requests: 2,
      api: () => ({
        operations: { 'GET /rooms': undefined, 'GET /rooms/{room}': undefined },
        handle: routes({
          'GET /rooms': () => ({ status: 200, body: { data: { r1: { size: 3 }, r2: { size: 4 } } } }),
          'GET /rooms/:room': ([room]) => (/^r[12]$/.test(room ?? '') ? { status: 200, body: {} } : no),
        }),
      }),
    },
    'answers a create without content': {
      requests: 4,
      api: () => {
        const topics = new Set<string>();
        return {
          operations: {
            'POST /topics': { body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
            'GET /topics/{topicName}': undefined,
            'DELETE /topics/{topicName}': undefined,
          },
          handle: routes({
            'POST /topics': (_, { name }) => (topics.add(String(name)) ? { status: 204 } : no),
            'GET /topics/:name': ([name]) => (topics.has(name ?? '') ? { status: 200, body: {} } : no),
            'DELETE /topics/:name': ([name]) => (topics.delete(name ?? '') ? { status: 204 } : no),
          }),
        };
      },
    },
    'nests its resources': {
      requests: 7,
      api: () => ({
        operations: {
          'GET /shops': undefined,
          'GET /shops/{shopId}/orders': undefined,
          'GET /shops/{shopId}/orders/{orderId}': undefined,
          'GET /shops/{shopId}/orders/{orderId}/lines/{line}': undefined,
          'GET /shops/{shopId}/orders/{orderId}/lines': undefined,
        },
        handle: routes({
          'GET /shops': () => ({ status: 200, body: { data: [{ id: 1 }, { id: 2 }] } }),
          'GET /shops/:s/orders': ([shop]) => ({ status: 200, body: { data: shop === '2' ? [{ id: 9 }] : [] } }),
          'GET /shops/:s/orders/:o': ([s, o]) => (s === '2' && o === '9' ? { status: 200, body: {} } : no),
          'GET /shops/:s/orders/:o/lines': ([s, o]) =>
            s === '2' && o === '9' ? { status: 200, body: [{ line: 'a' }] } : no,
          'GET /shops/:s/orders/:o/lines/:l': ([s, o, line]) =>
            s === '2' && o === '9' && line === 'a' ? { status: 200, body: {} } : no,
        }),
      }),
    },
    'wants the id of another resource in a body': {
      requests: 6,
      api: () => ({
        operations: {
          'POST /books': {
            body: {
              type: 'object',
              required: ['title', 'author_id', 'shelf'],
              properties: {
                title: { type: 'string' },
                author_id: { type: 'integer' },
                shelf: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
              },
            },
          },
          'GET /shelves': undefined,
          'POST /authors': { body: title },
          'GET /books/{bookId}': undefined,
        },
        handle: routes({
          'POST /authors': () => ({ status: 201, body: { id: 77 } }),
          'GET /shelves': () => ({ status: 200, body: [{ id: 's-4' }] }),
          'POST /books': (_, body) =>
            body.author_id === 77 && (body.shelf as Body).id === 's-4'
              ? { status: 201, body: { id: 5 } }
              : { status: 422, body: { error: 'author does not exist' } },
          'GET /books/:id': ([id]) => (id === '5' ? { status: 200, body: { id: 5 } } : no),
        }),
      }),
    },
    'asks for an id in the query': {
      requests: 2,
      api: () => ({
        operations: {
          'GET /books': undefined,
          'GET /loans': { parameters: [{ name: 'bookId', in: 'query', required: true, schema: { type: 'string' } }] },
        },
        handle: routes({
          'GET /books': () => ({ status: 200, body: [{ id: 'b-9' }] }),
          'GET /loans': (_, __, query) => (query.get('bookId') === 'b-9' ? { status: 200, body: [] } : no),
        }),
      }),
    },
    'hands out an id in a second turn alone': {
      requests: 8,
      api: () => ({
        operations: {
          'POST /tokens': {
            body: { type: 'object', properties: { label: { type: 'string' }, colour: { type: 'string' } } },
          },
          'GET /tokens/{tokenId}': undefined,
        },
        handle: routes({
          'POST /tokens': (_, { label, colour }) =>
            label !== undefined && colour === 'red'
              ? { status: 201, body: { id: 't-1' } }
              : {
                  status: 400,
                  body: {
                    errors: {
                      [label === undefined ? 'label' : 'colour']: [
                        label === undefined ? 'is required' : 'must be one of: red, green',
                      ],
                    },
                  },
                },
          'GET /tokens/:id': ([id]) => (id === 't-1' ? { status: 200, body: {} } : no),
        }),
      }),
    },
    'takes a name once': {
      requests: 3,
      api: () => {
        const names = new Set<unknown>(['taken conform-1', 'title conform-1']);
        return {
          operations: { 'POST /cats': { body: title } },
          handle: routes({
            'POST /cats': (_, body) => {
              if (names.has(body.title)) return { status: 409, body: { message: 'conflict' } };
              names.add(body.title);
              return { status: 201, body: { id: names.size } };
            },
          }),
        };
      },
    },
    'makes what is put where nothing was': {
      requests: 4,
      api: () => {
        const made = new Map<string, unknown>();
        return {
          operations: { 'PUT /flags/{flag}': { body: title }, 'GET /flags/{flag}': undefined },
          handle: routes({
            'PUT /flags/:flag': ([flag = ''], body) => (made.set(flag, body) ? { status: 200, body } : no),
            'GET /flags/:flag': ([flag = '']) => (made.has(flag) ? { status: 200, body: made.get(flag) } : no),
          }),
        };
      },
    },
  };
  test.each(Object.entries(apis))('%s', async (name, { api, requests }) => {
    const own = api();
    // A PUT that creates answers 201.
    const change = name.startsWith('makes')
      ? { permissions: { effects: [], readOnly: false, writes: 'all' as const } }
      : {};
    const { unreached, requests: sent } = await run(own, change);
    expect(unreached).toEqual([]);
    expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(requests);
  });
});

describe('infers constraints from rejections as written by', () => {
  type Violation = readonly [field: string, message: string];
  const dialects: Readonly<Record<string, (violations: readonly Violation[]) => TestAnswer>> = {
    FastAPI: (found) => ({
      status: 422,
      body: { detail: found.map(([field, msg]) => ({ type: 'value_error', loc: ['body', field], msg, input: null })) },
    }),
    'Django REST framework': (found) => ({
      status: 400,
      body: Object.fromEntries(found.map(([field, message]) => [field, [message]])),
    }),
    Spring: (found) => ({
      status: 400,
      body: {
        status: 400,
        error: 'Bad Request',
        errors: found.map(([field, defaultMessage]) => ({ field, defaultMessage })),
      },
    }),
    Rails: (found) => ({
      status: 422,
      body: { errors: Object.fromEntries(found.map(([field, message]) => [field, [message]])) },
    }),
    'express-validator': (found) => ({
      status: 400,
      body: { errors: found.map(([path, msg]) => ({ type: 'field', msg, path, location: 'body' })) },
    }),
    ajv: (found) => ({
      status: 400,
      body: found.map(([field, message]) => ({ instancePath: `/${field}`, message, params: {} })),
    }),
    'problem details': (found) => ({
      status: 422,
      headers: { 'content-type': 'application/problem+json' },
      body: { title: 'Not valid', status: 422, 'invalid-params': found.map(([name, reason]) => ({ name, reason })) },
    }),
    'hand, one sentence at a time': (found) => ({
      status: 400,
      headers: { 'content-type': 'text/plain' },
      body: found
        .slice(0, 1)
        .map(([field, message]) => `${field} ${message}`)
        .join(''),
    }),
  };
  const anything = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      colour: { type: 'string' },
      size: { type: 'integer' },
      code: { type: 'string' },
    },
  };
  const violationsOf = ({ title, colour, size, code }: Body): Violation[] => {
    const found: Violation[] = [];
    if (title === undefined) found.push(['title', 'is required']);
    if (colour !== 'teal')
      found.push(['colour', colour === undefined ? 'is required' : 'must be one of [teal, ochre]']);
    if (size !== undefined && !(Number(size) >= 40 && Number(size) <= 50))
      found.push(['size', 'must be between 40 and 50']);
    if (code !== undefined && !/^[A-Z]{3}-\d\d$/.test(String(code)))
      found.push(['code', 'must match "^[A-Z]{3}-[0-9]{2}$"']);
    return found;
  };
  test.each(Object.entries(dialects))('%s', async (name, reject) => {
    const { unreached, requests } = await run({
      operations: { 'POST /things': { body: anything } },
      handle: routes({
        'POST /things': (_, body) => {
          const found = violationsOf(body);
          return found.length > 0 ? reject(found) : { status: 201, body: { id: 1 } };
        },
      }),
    });
    expect(unreached, requests.join('\n')).toEqual([]);
    expect(requests.length).toBeLessThanOrEqual(name.startsWith('hand') ? 6 : 4);
  });

  test('a query parameter that the contract calls optional', async () => {
    const { unreached, result } = await run({
      operations: { 'GET /search': { parameters: [{ name: 'term', in: 'query', schema: { type: 'string' } }] } },
      handle: routes({
        'GET /search': (_, __, query) =>
          query.has('term') ? { status: 200, body: [] } : { status: 400, body: { message: 'term is required' } },
      }),
    });
    expect(unreached).toEqual([]);
    expect(result.requests - result.shrinkRequests).toBeLessThanOrEqual(3);
  });

  test('a member that the contract does not know', async () => {
    const { unreached } = await run({
      operations: { 'POST /things': { body: anything } },
      handle: routes({
        'POST /things': (_, body) =>
          'kind' in body
            ? { status: 201 }
            : { status: 400, body: { errors: [{ field: 'kind', message: 'is required' }] } },
      }),
    });
    expect(unreached).toEqual([]);
  });

  test('permanent rejections end the search soon', async () => {
    const { requests } = await run({
      operations: { 'POST /things': { body: anything } },
      handle: () => ({ status: 400, body: { errors: { title: ['is no good'], colour: ['is no good'] } } }),
    });
    expect(requests.length).toBeLessThanOrEqual(12);
  });
});

describe('goes on after a rejection with something left to try:', () => {
  const pets = { id: 7, name: 'rex', code: 'p-1' };

  test('a 501 for one value of a list', async () => {
    const { unreached } = await run({
      operations: {
        'POST /mails': {
          body: { type: 'object', required: ['kind'], properties: { kind: { enum: ['OLD_MAIL', 'NEW_MAIL'] } } },
        },
      },
      handle: routes({
        'POST /mails': (_, { kind }) =>
          kind === 'NEW_MAIL' ? { status: 201, body: { id: 1 } } : { status: 501, body: { message: 'OLD_MAIL' } },
      }),
    });
    expect(unreached).toEqual([]);
  });

  test('a body that may be left out', async () => {
    const { unreached } = await run(
      {
        operations: { 'DELETE /pets': undefined },
        handle: routes({
          'DELETE /pets': (_, body) =>
            Array.isArray(body.keys) ? { status: 204 } : { status: 400, body: { message: 'keys are wanted' } },
        }),
      },
      { permissions: { effects: [], readOnly: false, writes: 'all' } },
      {
        'DELETE /pets': {
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['keys'],
                  properties: { keys: { type: 'array', items: { type: 'string' }, minItems: 1 } },
                },
              },
            },
          },
        },
      },
    );
    expect(unreached).toEqual([]);
  });

  test('a list that shows a new item only after a while', async () => {
    let asked = 0;
    const { unreached, requests } = await run({
      operations: {
        'GET /pets': undefined,
        'POST /pets': { body: { type: 'object' } },
        'GET /pets/{petId}': undefined,
      },
      handle: routes({
        'GET /pets': () => {
          asked += 1;
          return { status: 200, body: { data: asked > 2 ? [pets] : [] } };
        },
        'POST /pets': () => ({ status: 201, body: null }),
        'GET /pets/:pet': ([id]) => (id === '7' ? { status: 200, body: pets } : no),
      }),
    });
    expect(unreached, requests.join('\n')).toEqual([]);
  });

  test('another server of the same host', async () => {
    const { unreached, requests } = await run(
      {
        operations: { 'GET /pets': undefined },
        handle: ({ path }) => (path === '/other/pets' ? { status: 200, body: [] } : no),
      },
      {},
      { 'GET /pets': { servers: [{ url: '/other' }] } },
    );
    expect(unreached).toEqual([]);
    expect(requests).toEqual(['GET /other/pets']);
  });
});

test('deletes one by itself before all of its kind, and both before what they hang on', async () => {
  const { requests } = await run(
    {
      operations: {
        'GET /shops': undefined,
        'DELETE /shops/{shopId}/': undefined,
        'DELETE /shops/{shopId}/pets': undefined,
        'GET /pets': undefined,
        'DELETE /pets/{petId}': undefined,
      },
      handle: routes({
        'GET /shops': () => ({ status: 200, body: [{ id: 1 }] }),
        'GET /pets': () => ({ status: 200, body: [{ id: 2 }] }),
        'DELETE /shops/:shop/': () => ({ status: 204 }),
        'DELETE /shops/:shop/pets': () => ({ status: 204 }),
        'DELETE /pets/:pet': () => ({ status: 204 }),
      }),
    },
    { permissions: { effects: [], readOnly: false, writes: 'all' } },
  );
  expect(requests.filter((line) => line.startsWith('DELETE'))).toEqual([
    'DELETE /pets/2',
    'DELETE /shops/1/pets',
    'DELETE /shops/1/',
  ]);
});

describe('makes up no more than is needed', () => {
  test('a name is one plain word, and an empty change is not sent', async () => {
    const bodies: Body[] = [];
    const body = { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } };
    await run(
      {
        operations: { 'POST /cats': { body: { ...body, required: ['name'] } }, 'PATCH /cats/{catId}': { body } },
        handle: routes({
          'POST /cats': (_, sent) => (bodies.push(sent) ? { status: 201, body: { id: 1 } } : no),
          'PATCH /cats/:id': (_, sent) => (bodies.push(sent) ? { status: 200, body: {} } : no),
        }),
      },
      {},
    );
    expect(bodies.map((sent) => Object.keys(sent))).toEqual([['name'], ['name']]);
    expect(bodies.map(({ name }) => name)).toEqual([expect.stringMatching(/^[a-z][a-z0-9]{2,19}$/), expect.anything()]);
  });

  test('a form has its file', async () => {
    const bodies: string[] = [];
    const contract = contractOf({ 'POST /files': { body: {} } });
    const text = JSON.stringify(contract.root).replaceAll(
      '"application/json":{"schema":{}}',
      '"multipart/form-data":{"schema":{"type":"object","properties":{"photo":{"type":"string","format":"binary"}}}}',
    );
    const served = await serve(({ body }) => (bodies.push(body) ? { status: 201 } : no));
    await runConformance(
      readContract('t.json', text),
      testOptions('library', served.origin, { baseUrl: served.origin }),
    );
    await served.close();
    expect(bodies[0]).toMatch(/name="photo"; filename="[^"]+"/);
  });
});

test('puts operations that may invalidate the credentials last, and those that may stop the server at the very end', async () => {
  const operations = Object.fromEntries(
    [
      'POST /server/shutdown',
      'POST /me/token/reset',
      'GET /logout',
      'DELETE /pets/{petId}',
      'POST /pets',
      'GET /pets',
    ].map((line) => [line, line === 'POST /pets' ? { body: {} } : undefined]),
  );
  const { requests } = await run(
    {
      operations,
      handle: ({ method, path }) =>
        method === 'POST' && path === '/pets' ? { status: 201, body: { id: 4 } } : { status: 200, body: [] },
    },
    { permissions: { effects: [], readOnly: false, writes: 'all' } },
  );
  // The list was empty when it was read first.
  expect(requests.slice(3)).toEqual(['DELETE /pets/4', 'POST /me/token/reset', 'GET /logout', 'POST /server/shutdown']);
});

test('asks again alone where the deployment was too busy for several at once', async () => {
  let underWay = 0;
  const operations = Object.fromEntries(['a', 'b', 'c'].map((name) => [`GET /${name}`, undefined]));
  const { unreached } = await run({
    operations,
    handle: async () => {
      underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      const isAlone = underWay === 1;
      underWay -= 1;
      return isAlone ? { status: 200, body: [] } : { status: 503, headers: { 'retry-after': '0' } };
    },
  });
  expect(unreached).toEqual([]);
});

describe('a server that is overloaded by several requests at once, without Retry-After', () => {
  const all = { effects: ['physical'], readOnly: false, writes: 'all' as const };
  const several = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const busyFor = (isBusy: (line: string, underWay: number) => boolean, answer: TestAnswer = { status: 503 }) => {
    let underWay = 0;
    const sent: string[] = [];
    const handle: Handler = async ({ method, path }) => {
      underWay += 1;
      sent.push(`${method} ${path}`);
      const is = isBusy(`${method} ${path}`, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return is ? answer : { status: method === 'POST' ? 201 : 200 };
    };
    return { handle, sent };
  };

  test.each([{ status: 503 }, { status: 500, body: { error: 'database is locked' } }])(
    'is asked by fewer at a time, and creates are sent again: $status',
    async (answer) => {
      const creates = several.map((name) => [`POST /${name}`, { body: { type: 'object' } }] as const);
      const { handle, sent } = busyFor((_, underWay) => underWay > 1, answer);
      const { unreached, result } = await run(
        { operations: Object.fromEntries(creates), handle },
        { permissions: all },
      );
      expect([unreached, result.findings]).toEqual([[], []]);
      for (const name of several) expect(sent.filter((line) => line.endsWith(`/${name}`)).length).toBeLessThan(4);
    },
  );

  test('is asked at most three times for one create, and once for an action and for what has an effect', async () => {
    const { handle, sent } = busyFor((line) => line.startsWith('POST'));
    const operations = {
      'POST /made': { body: { type: 'object' } },
      'POST /opened': { body: { type: 'object' } },
      'POST /run': undefined,
    };
    const effect = { 'POST /opened': { 'x-effect': 'physical' } };
    await run({ operations, handle }, { permissions: all }, effect);
    expect(sent.toSorted()).toEqual(['POST /made', 'POST /made', 'POST /made', 'POST /opened', 'POST /run']);
  });
});

describe('what belongs to others', () => {
  const operations = {
    'GET /pets': undefined,
    'POST /pets': { body: { type: 'object', properties: { name: { type: 'string' } } } },
    'GET /pets/{petId}': undefined,
    'DELETE /pets/{petId}': undefined,
    'GET /pets/{petId}/toys': undefined,
    'POST /pets/{petId}/reset': undefined,
  };
  const handler = (): Handler => {
    const pets = new Map([['1', { id: 1 }]]);
    return routes({
      'GET /pets': () => ({ status: 200, body: [...pets.values()] }),
      'POST /pets': () => {
        pets.set('2', { id: 2 });
        return { status: 201, body: { id: 2 } };
      },
      'GET /pets/:id': ([id = '']) => (pets.has(id) ? { status: 200, body: pets.get(id) } : no),
      'GET /pets/:id/toys': ([id = '']) => (pets.has(id) ? { status: 200, body: [] } : no),
      'DELETE /pets/:id': ([id = '']) => (pets.delete(id) ? { status: 204 } : no),
      'POST /pets/:id/reset': ([id = '']) => (pets.has(id) ? { status: 204 } : no),
    });
  };
  const all = { effects: [], readOnly: false, writes: 'all' as const };

  test('is not deleted, and no action is sent, unless all writes are allowed', async () => {
    const { requests } = await run({ operations, handle: handler() });
    expect(requests.filter((line) => /^DELETE|reset/.test(line))).toEqual(['DELETE /pets/2']);
  });

  test('comes after owned objects if all writes are allowed, and its deletion after all else', async () => {
    const { requests, unreached } = await run({ operations, handle: handler() }, { permissions: all });
    expect(unreached).toEqual([]);
    expect(requests.at(-1)).toBe('DELETE /pets/2');
    expect(requests.at(-2)).toBe('POST /pets/2/reset');
  });

  test('is deleted before what it hangs on', async () => {
    const made = new Set<string>();
    const body = (properties: object) => ({ body: { type: 'object', required: Object.keys(properties), properties } });
    const { unreached, requests } = await run({
      operations: {
        'DELETE /authors/{authorId}': undefined,
        'DELETE /books/{bookId}': undefined,
        'POST /authors': body({ name: { type: 'string' } }),
        'POST /books': body({ author_id: { type: 'integer' } }),
      },
      handle: routes({
        'POST /authors': () => (made.add('a') ? { status: 201, body: { id: 7 } } : no),
        'POST /books': () => (made.add('b') ? { status: 201, body: { id: 8 } } : no),
        'DELETE /authors/:id': () => (made.delete('a') && made.clear() === undefined ? { status: 204 } : no),
        'DELETE /books/:id': () => (made.delete('b') ? { status: 204 } : no),
      }),
    });
    expect(unreached, requests.join('\n')).toEqual([]);
  });

  test('comes last where it may be what lets the run in', async () => {
    const operations = Object.fromEntries(
      ['GET /users', 'GET /cups', 'DELETE /users/{id}', 'DELETE /cups/{id}'].map((line) => [line, undefined]),
    );
    const answer = ({ method }: { method: string }): TestAnswer =>
      method === 'GET' ? { status: 200, body: [{ id: 'k5' }] } : { status: 204 };
    const { requests } = await run({ operations, handle: answer }, { permissions: all });
    expect(requests.slice(2)).toEqual(['DELETE /cups/k5', 'DELETE /users/k5']);
  });

  test('is not deleted if it is marked as part of the deployment', async () => {
    const items = [
      { id: 'a1', meta: { system: true } },
      { id: 'default', meta: {} },
    ];
    const { requests } = await run(
      {
        operations: { 'GET /tables': undefined, 'DELETE /tables/{id}': undefined },
        handle: routes({ 'GET /tables': () => ({ status: 200, body: items }) }),
      },
      { permissions: all },
    );
    expect(requests.filter((line) => /DELETE .*(a1|default)/.test(line))).toEqual([]);
  });

  test('is not changed on a guess', async () => {
    const { requests } = await run(
      {
        operations: { 'GET /boxes': undefined, 'DELETE /boxes/{boxId}': undefined },
        handle: routes({ 'GET /boxes': () => ({ status: 200, body: [{ mark: 'B-7' }] }) }),
      },
      { permissions: all },
    );
    expect(requests).not.toContain('DELETE /boxes/B-7');
  });
});

test('sends optional parameters once more, and stays accepted when they are rejected', async () => {
  const optional = [
    { name: 'size', in: 'query', schema: { type: 'integer' } },
    { name: 'order', in: 'query', schema: { enum: ['up', 'down'] } },
  ];
  const { requests, unreached } = await run({
    operations: { 'GET /list': { parameters: optional } },
    handle: ({ query }) => (query.size === 0 ? { status: 200, body: [] } : { status: 400, body: { message: 'no' } }),
  });
  expect(unreached).toEqual([]);
  expect(requests).toEqual(['GET /list', 'GET /list?size=1&order=up']);
});

describe('what others have is written back only where nothing of it gets lost', () => {
  const url = { type: 'string' };
  const secret = { type: 'string', writeOnly: true };
  const shown = { type: 'string', format: 'password' };
  test.each([
    { name: 'a member that no read shows', method: 'PUT', properties: { url, secret }, read: { url: 'u' }, sends: 0 },
    {
      name: 'a member that a read hides',
      method: 'PUT',
      properties: { url, shown },
      read: { url: 'u', shown: '***' },
      sends: 0,
    },
    {
      name: 'the same, where what is not sent stays',
      method: 'PATCH',
      properties: { url, secret },
      read: { url: 'u' },
      sends: 1,
    },
    { name: 'nothing of the kind', method: 'PUT', properties: { url }, read: { url: 'u' }, sends: 1 },
  ])('$name, $method', async ({ method, properties, read, sends }) => {
    const body = { type: 'object', properties };
    const { requests } = await run(
      {
        operations: {
          'GET /hooks': undefined,
          'GET /hooks/{hookId}': undefined,
          [`${method} /hooks/{hookId}`]: { body },
        },
        handle: routes({
          'GET /hooks': () => ({ status: 200, body: [{ id: 'h1' }] }),
          'GET /hooks/:id': () => ({ status: 200, body: { id: 'h1', ...read } }),
          [`${method} /hooks/:id`]: () => ({ status: 200 }),
        }),
      },
      { permissions: { effects: [], readOnly: false, writes: 'restore' } },
    );
    expect(requests.filter((request) => request.startsWith(`${method} `))).toHaveLength(sends);
  });
});

test('deletes an object that no other operation has used', async () => {
  const kept = new Map<string, Body>();
  const { requests, unreached } = await run(
    {
      operations: {
        'GET /books/{bookId}': undefined,
        'POST /books': { body: { type: 'object', properties: { title: { type: 'string' } } } },
        'DELETE /books/{bookId}': undefined,
      },
      handle: routes({
        'POST /books': (_, body) => {
          const id = `b${kept.size + 1}`;
          kept.set(id, { ...body, id });
          return { status: 201, body: { id } };
        },
        'GET /books/:id': ([id = '']) => (kept.has(id) ? { status: 200, body: kept.get(id) } : no),
        'DELETE /books/:id': ([id = '']) => (kept.has(id) ? { status: 204 } : no),
      }),
    },
    { phases: ['baseline', 'boundary'] },
  );
  expect(unreached).toEqual([]);
  const used = requests.filter((line) => !line.startsWith('POST'));
  expect(used.slice(0, 2)).toEqual(['GET /books/b1', 'DELETE /books/b2']);
});

describe('a rejection with 409', () => {
  test('for a linked object, whatever its names are: other operations start with another one', async () => {
    const link = (index: number, operationId: string) => ({
      operationId,
      parameters: { lockId: `$response.body#/${index}/serial` },
    });
    const calls = ['GET /locks/{lockId}', 'POST /locks/{lockId}/code', 'POST /locks/{lockId}/name'];
    const links = Object.fromEntries(
      calls.flatMap((call, at) => [0, 1].map((index) => [`${at}${index}`, link(index, call)])),
    );
    const responses = { 200: { description: 'ok', links }, '4XX': { description: 'no' } };
    const body = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    const open = ([serial = '']: readonly string[]): TestAnswer =>
      serial === 'south' ? { status: 201, body: {} } : { status: 409, body: { error: 'the lock is offline' } };
    const { requests, unreached } = await run(
      {
        operations: {
          'GET /locks': undefined,
          [calls[0] ?? '']: undefined,
          [calls[1] ?? '']: { body },
          [calls[2] ?? '']: { body },
        },
        handle: routes({
          'GET /locks': () => ({ status: 200, body: [{ serial: 'north' }, { serial: 'south' }] }),
          'GET /locks/:id': (ids) => ({ ...open(ids), status: open(ids).status === 201 ? 200 : 409 }),
          'POST /locks/:id/code': open,
          'POST /locks/:id/name': open,
        }),
      },
      { permissions: { effects: [], readOnly: false, writes: 'all' } },
      { 'GET /locks': { responses } },
    );
    expect(unreached).toEqual([]);
    expect(requests.filter((line) => line.includes('north'))).toEqual(['GET /locks/north']);
  });

  test('with the same text for other names: the names are not its reason', async () => {
    const body = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    const titles = new Set<string>();
    await run({
      operations: { 'POST /books': { body }, 'GET /books/{bookId}': undefined },
      handle: routes({
        'POST /books': (_, { title }) => {
          titles.add(String(title));
          return { status: 409, body: { error: 'closed' } };
        },
      }),
    });
    expect(titles.size).toBe(2);
  });
});
