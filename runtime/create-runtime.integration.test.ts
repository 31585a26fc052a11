import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions, Unservable } from './create-runtime.ts';
import type { Operation } from './operation.ts';
import { notImplemented } from './rejection.ts';
import { apiKey, bearer } from './security/scheme.ts';

const getThing: Operation = {
  operationId: 'getThing',
  method: 'get',
  basePath: '',
  path: '/thing',
  pointer: '#/paths/~1thing/get',
  parameters: [],
  requestBody: null,
  security: [{ token: ['read'] }, { key: [] }],
  extensions: {},
};

const contractOf = (error: object) => ({
  info: { title: 'Things – and "more"' },
  components: {
    securitySchemes: { token: { type: 'oauth2' }, key: { type: 'apiKey', in: 'query', name: 'key' } },
  },
  paths: {
    '/thing': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: {} } } },
          default: { content: { 'application/json': { schema: error } } },
        },
      },
    },
  },
});

/** A contract whose operation declares no errors. */
const withoutDefault = contractOf({});
Reflect.deleteProperty(withoutDefault.paths['/thing'].get.responses, 'default');

const text = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };

const security = {
  token: bearer((sent) => ({ kind: 'good', principal: sent, scopes: new Set<string>() })),
  key: apiKey((sent) => ({ kind: 'good', principal: sent })),
};

type Options = RuntimeOptions<{ getThing: Operation }, Handlers>;
interface Handlers {
  readonly getThing: (request: { readonly principal: string | undefined }) => { status: number; body: unknown };
}

const options: Options = {
  contract: contractOf(text),
  operations: { getThing },
  handlers: { getThing: ({ principal }) => ({ status: 200, body: { for: principal } }) },
  security,
  logger: { error: () => undefined },
};

async function ask(given: Partial<Options>, path: string, headers: Record<string, string> = {}, body?: string) {
  const server = createServer(
    createRuntime<{ getThing: Operation }, Handlers>({ ...options, ...given }).listener,
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    server.close();
  }
}

describe('a runtime', () => {
  test.each([
    ['does not compile', { type: 'string', pattern: '(' }],
    ['leads nowhere', { $ref: '#/components/schemas/Gone' }],
  ])('does not start where the schema of an error %s: a refusal would need it', (_, error) => {
    const contract = contractOf(error);
    expect(() => createRuntime<{ getThing: Operation }, Handlers>({ ...options, contract })).toThrow(/^getThing: /);
  });

  test('starts, and reports unchecked parts to a listener', async () => {
    const reported: object[] = [];
    const unchecked = (place: object): void => void reported.push(place);
    const contract = contractOf({ ...text, patternProperties: { '(': {} } });
    const { status, text: body } = await ask({ contract, unchecked }, '/thing');
    expect([status, JSON.parse(body).message]).toEqual([401, 'The query key is missing']);
    const pointer = '#/paths/~1thing/get/responses/default/content/application~1json/schema/patternProperties';
    expect(reported).toEqual([{ pointer, why: expect.stringMatching(/^patternProperties is not usable/) }]);
  });

  test('compiles nothing before it is asked, where it may start so: what does not compile is met by a request', async () => {
    const logged: object[] = [];
    const logger = { error: (context: object) => void logged.push(context) };
    const given = { logger, compilesWhenAsked: true, checkResponses: true };
    expect((await ask(given, '/thing?key=a')).text).toBe('{"for":"a"}');
    const refused = await ask(given, '/thing');
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([401, 'The query key is missing']);
    expect(logged).toEqual([]);

    const schema = '#/paths/~1thing/get/parameters/0/schema';
    const get = { parameters: [{ schema: { pattern: '(' } }] };
    const contract = { ...options.contract, paths: { '/thing': { get } } };
    const parameter = { name: 'n', in: 'query', required: false, style: 'form', explode: true } as const;
    const operations = { getThing: { ...getThing, parameters: [{ ...parameter, allowEmptyValue: false, schema }] } };
    expect(() => createRuntime<{ getThing: Operation }, Handlers>({ ...options, contract, operations })).toThrow();
    expect((await ask({ ...given, contract, operations }, '/thing?key=a&n=1')).status).toBe(500);
    expect(logged).toMatchObject([{ operationId: 'getThing', err: { message: expect.stringContaining('(') } }]);
  });

  describe('of a contract of somebody else', () => {
    const id = { type: 'string', readOnly: true };
    const thing = { type: 'object', required: ['id', 'n'], properties: { id, n: { type: 'integer' } } };
    const content = {
      '*/*': {},
      'text/*': {},
      'application/json;v=2': { schema: thing },
      'application/json': { schema: { type: 'null' } },
    };
    const filter = { name: 'filter', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } };
    const pointer = '#/paths/~1thing/post';
    const contract = {
      paths: { '/thing': { post: { parameters: [filter], requestBody: { content }, responses: {} } } },
    };
    const parameter = {
      name: 'filter',
      in: 'query',
      required: false,
      style: 'form',
      explode: true,
      allowEmptyValue: false,
      schema: `${pointer}/parameters/0/schema`,
    } as const;
    const types = Object.keys(content).map((type) => [
      type,
      `${pointer}/requestBody/content/${type.replaceAll('/', '~1')}/schema`,
    ]);
    const operation: Operation = {
      ...getThing,
      method: 'post',
      pointer,
      parameters: [parameter],
      requestBody: { required: false, content: Object.fromEntries(types) },
      security: [],
    };
    const handlers = { getThing: (request: object) => ({ status: 200, mediaType: 'application/json', body: request }) };
    const send = (path: string, type: string, body: string, bodyLimitBytes?: number) =>
      ask(
        { contract, operations: { getThing: operation }, handlers, bodyLimitBytes },
        path,
        { 'content-type': type },
        body,
      );

    test.each([
      ['application/json; v=2', '{"n":1}', 200],
      ['application/json;v=2', '{}', 400],
      ['application/json', 'null', 200],
      ['application/json', '{"n":1}', 400],
      ['text/html', '<a>', 200],
      ['image/png', 'x', 200],
    ])(
      'finds the narrowest media type, and asks for nothing that is read only: %s %s is %d',
      async (type, body, status) => {
        expect((await send('/thing', type, body)).status).toBe(status);
      },
    );

    test.each([
      ['/thing?filter=%7B%22a%22%3A1%7D', 200],
      ['/thing?filter=%5B%5D', 400],
    ])('reads JSON in a query: %s is %d', async (path, status) => {
      expect((await send(path, 'image/png', 'x')).status).toBe(status);
    });

    test('accepts bodies of another size with an option', async () => {
      expect((await send('/thing', 'image/png', 'x'.repeat(70_000))).status).toBe(413);
      expect((await send('/thing', 'image/png', 'x'.repeat(70_000), 80_000)).status).toBe(200);
    });
  });

  describe('of schemas that hold themselves', () => {
    const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const formOf = (kind: string) => ({ allOf: [refTo('Pet'), { properties: { kind: { const: kind } } }] });
    const pointer = '#/paths/~1thing/post';
    const contract = {
      components: {
        schemas: {
          Pet: { required: ['kind'], oneOf: [refTo('Cat'), refTo('Dog')] },
          Cat: formOf('cat'),
          Dog: formOf('dog'),
        },
      },
      paths: {
        '/thing': {
          post: { requestBody: { content: { 'application/json': { schema: refTo('Pet') } } }, responses: {} },
        },
      },
    };
    const body = {
      required: true,
      content: { 'application/json': `${pointer}/requestBody/content/application~1json/schema` },
    };
    const operation: Operation = { ...getThing, method: 'post', pointer, requestBody: body, security: [] };
    const operations = { getThing: operation };
    const json = { 'content-type': 'application/json' };

    test.each([
      ['{"kind":"cat"}', 200],
      ['{"kind":"eel"}', 400],
      ['{}', 400],
    ])('validates a body if unchecked parts are reported: %s is %d', async (sent, status) => {
      const reported: object[] = [];
      const given = { contract, operations, unchecked: (place: object) => void reported.push(place) };
      expect((await ask(given, '/thing', json, sent)).status).toBe(status);
      expect(reported).toHaveLength(2);
    });

    test('does not start where nobody is', () => {
      expect(() => createRuntime<{ getThing: Operation }, Handlers>({ ...options, contract, operations })).toThrow(
        '#/components/schemas/Cat/allOf/0/$ref: $ref leads back to the schema that it stands in',
      );
    });
  });

  test.each([
    ['undefined', undefined],
    ['a function', () => ({ kind: 'good' })],
    ['an object without judge', { takes: 'bearer' }],
  ])('names a security entry that is no scheme: %s', (_, token) => {
    const given = { ...options, security: { ...security, token } } as unknown as Options;
    expect(() => createRuntime<{ getThing: Operation }, Handlers>(given)).toThrow(/security\.token.* (?:by|of) bearer/);
  });

  test('cuts the connection, and no more, where what answers errors fails itself', async () => {
    const logged: string[] = [];
    const given = {
      logger: { error: (_: object, line: string) => void logged.push(line) },
      answerError: () => {
        throw new Error('a bug');
      },
    };
    await expect(ask(given, '/nowhere')).rejects.toThrow();
    expect(logged).toEqual(['no answer can be written']);
  });

  test('asks once more whether somebody may, where another alternative shows another', async () => {
    const asked: unknown[] = [];
    const authenticated = ({ principal }: { principal?: string }) => void asked.push(principal);
    const { text: body } = await ask({ authenticated }, '/thing?key=bob', { authorization: 'Bearer ann' });
    expect([asked, JSON.parse(body)]).toEqual([['ann', 'bob'], { for: 'bob' }]);
  });

  test.each([
    ['handler', notImplemented, 'not implemented yet: getThing'],
    ['part of a handler', () => notImplemented(), 'not implemented yet'],
  ])('answers 501 to good requests for a %s that is not written yet, and logs nothing', async (_, getThing, says) => {
    const logged: string[] = [];
    const logger = { error: (_: object, line: string) => void logged.push(line) };
    for (const contract of [contractOf(text), withoutDefault]) {
      const given = { contract, logger, handlers: { getThing }, checkResponses: true };
      expect((await ask(given, '/thing')).status).toBe(401);
      expect((await ask(given, '/thing?key=bob&more=1')).status).toBe(400);
      const { status, text: body } = await ask(given, '/thing?key=bob');
      const { message, detail } = JSON.parse(body);
      expect([status, message ?? detail, logged]).toEqual([501, says, []]);
    }
  });

  test('takes a key of another operation for an unknown parameter', async () => {
    const operations = { getThing: { ...getThing, security: [{ token: [] }] } };
    const { status, text: body } = await ask({ operations }, '/thing?key=bob', { authorization: 'Bearer ann' });
    expect([status, JSON.parse(body).message]).toEqual([400, expect.stringContaining('key is not known')]);
  });

  test('challenges under a name that a header can carry', async () => {
    const { status, headers } = await ask({}, '/thing');
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Things  and more", ApiKey realm="Things  and more"',
    ]);
  });

  test('challenges in the realm of the contract’s own example', async () => {
    const contract = contractOf(text);
    const challenge = { example: 'Bearer realm="things", error="invalid_token"' };
    Object.assign(contract.paths['/thing'].get.responses, { 401: { headers: { 'www-authenticate': challenge } } });
    const { headers } = await ask({ contract }, '/thing');
    expect(headers.get('www-authenticate')).toBe('Bearer realm="things", ApiKey realm="things"');
  });

  test('has no handler that every object has', () => {
    const operations = { toString: { ...getThing, operationId: 'toString' } };
    const handlers = {} as unknown as { toString: Handlers['getThing'] };
    expect(() => createRuntime({ ...options, operations, handlers })).toThrow('toString: there is no handler');
  });

  test('names all handlers that are forgotten, or are none, in one line', () => {
    const names = Array.from({ length: 12 }, (_, index) => `getThing${index}`);
    const operations = Object.fromEntries(
      names.map((name) => [name, { ...getThing, operationId: name, path: `/${name}` }]),
    );
    const handlers = { getThing0: 'soon' } as unknown as Record<string, Handlers['getThing']>;
    const start = () => createRuntime({ ...options, operations, handlers });
    expect(start).toThrow(Unservable);
    expect(start).toThrow(
      /^getThing0, getThing1, .*, getThing9, 2 more: there is no handler\. Write one .* notImplemented.*$/,
    );
  });
});
