import { describe, expect, test } from 'vitest';
import { ContractError, responseFor } from './contract.ts';
import { readPointer } from './document.ts';
import { readContract } from './read-contract.ts';

const head = 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\n';

describe('a contract that cannot be tested is rejected with every reason', () => {
  const broken = [
    { name: 'not YAML', given: 'a: [', want: /api.yaml:1 #\n.*flow collection/ },
    { name: 'a list', given: '- a', want: /not an object/ },
    {
      name: 'Swagger 1.2',
      given: 'swagger: "1.2"',
      want: /The document is OpenAPI 1.2 \(Swagger\).\n.*OpenAPI 3.0 or 3.1/,
    },
    { name: 'GraphQL', given: '"""Doc"""\ntype Query {\n  hello: String\n}\n', want: /GraphQL schema/ },
    { name: 'GraphQL, introspected', given: '{"data": {"__schema": {}}}', want: /GraphQL schema/ },
    { name: 'neither', given: 'a: 1', want: /no openapi member/ },
    { name: 'another version', given: 'openapi: 4.0.0', want: /openapi "4.0.0"/ },
    { name: 'no paths', given: head, want: /no readable operation/ },
    {
      name: 'a reference to another file',
      given: `${head}paths: {/a: {$ref: other.yaml}}`,
      want: /another document[\s\S]*no readable operation/,
    },
    {
      name: 'a circular reference',
      given: `${head}paths: {/a: {$ref: '#/paths/~1b'}, /b: {$ref: '#/paths/~1a'}}`,
      want: /leads back to itself/,
    },
  ];
  test.each(broken)('$name', ({ given, want }) => {
    expect(() => readContract('api.yaml', given)).toThrow(ContractError);
    expect(() => readContract('api.yaml', given)).toThrow(want);
  });
});

describe('an unreadable part is reported with line and pointer, and the rest is kept', () => {
  const parts = [
    {
      name: 'a dangling response',
      given: 'get: {responses: {"200": {$ref: "#/x"}}}',
      want: ['#/paths/~1a~1{id}/get/responses/200', /has no target/],
    },
    {
      name: 'a dangling request body',
      given: 'get: {requestBody: {$ref: "#/x"}, responses: {}}',
      want: ['#/paths/~1a~1{id}/get/requestBody', /has no target/],
    },
    {
      name: 'a dangling parameter',
      given: 'get: {parameters: [{$ref: "#/x"}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/0', /has no target/],
    },
    {
      name: 'an undeclared path parameter',
      given: 'get: {responses: {}}',
      want: ['#/paths/~1a~1{id}/get', /path parameter \{id\} is not declared/],
    },
    {
      name: 'a parameter without a place',
      given: 'get: {parameters: [{name: x}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/0', /no valid value of `in`/],
    },
    {
      name: 'a path parameter that is not in the path',
      given: 'get: {parameters: [{name: x, in: path, required: true, schema: {}}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/0', /has no parameter x/],
    },
    {
      name: 'a parameter without a schema',
      given: 'get: {parameters: [{name: x, in: query}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/0', /neither schema nor content/],
    },
    {
      name: 'a parameter that is declared twice',
      given: 'get: {parameters: [{name: x, in: query, schema: {}}, {name: x, in: query, schema: {}}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/1', /declared twice/],
    },
    {
      name: 'an optional path parameter',
      given: 'get: {parameters: [{name: id, in: path, schema: {}}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/parameters/0', /not required/],
    },
    {
      name: 'an invalid status',
      given: 'get: {responses: {OK: {}}}',
      want: ['#/paths/~1a~1{id}/get/responses/OK', /not a status/],
    },
    {
      name: 'no response',
      given: 'get: {responses: {}}',
      want: ['#/paths/~1a~1{id}/get/responses', /No response/],
    },
    {
      name: 'a body without a media type',
      given: 'get: {requestBody: {}, responses: {}}',
      want: ['#/paths/~1a~1{id}/get/requestBody', /no media type/],
    },
    {
      name: 'an undeclared security scheme',
      given: 'get: {security: [{key: []}], responses: {}}',
      want: ['#/paths/~1a~1{id}/get/security', /Security scheme key is not declared/],
    },
  ] as const;
  test.each(parts)('$name', ({ given, want: [pointer, message] }) => {
    const contract = readContract('api.yaml', `${head}paths:\n  /a/{id}:\n    ${given}\n`);
    expect(contract.operations.map(({ id }) => id)).toEqual(['GET /a/{id}']);
    const found = contract.problems.find((problem) => problem.pointer === pointer);
    expect(found?.message).toMatch(message);
    expect(found?.line).toBe(5);
    expect(JSON.parse(JSON.stringify(found)).line).toBe(5);
  });
});

test.each([
  { at: '#/paths/~1a/get/security', own: 'security: [{key: []}], security: [], ', all: '', tested: ['b'] },
  { at: '#/paths/~1a/get/security/0/key', own: 'security: [{key: [], key: [write]}], ', all: '', tested: ['b'] },
  { at: '#/security', own: 'security: [], ', all: 'security: [{key: []}]\nsecurity: []\n', tested: ['a'] },
])('an operation is not tested if its security is repeated: $at', ({ at, own, all, tested }) => {
  const { operations, problems } = readContract(
    'api.yaml',
    `${head}components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
${all}paths:
  /a: {get: {operationId: a, ${own}responses: {'200': {}}}}
  /b: {get: {operationId: b, responses: {'200': {}}}}`,
  );
  expect(operations.map(({ id }) => id)).toEqual(tested);
  expect(problems.map(({ pointer, message }) => [pointer, message])).toEqual([
    [at, 'The member is repeated; operations with this security are not tested.'],
  ]);
});

test('an operation with a repeated id gets its method and path as its id', () => {
  const { operations, problems } = readContract(
    'api.yaml',
    `${head}paths:
  /a:
    get: {operationId: one, responses: {'200': {}}}
    put: {operationId: one, responses: {'200': {}}}
  /b: {get: {operationId: GET /a, responses: {'200': {}}}}
  /c: {get: {operationId: PUT /a, responses: {'200': {}}}}`,
  );
  expect(operations.map(({ id }) => id)).toEqual(['one', 'PUT /a', 'GET /a', 'GET /c']);
  expect(problems.map(({ pointer, line, breaks }) => [pointer, line, /MUST be unique/.test(breaks ?? '')])).toEqual([
    ['#/paths/~1a/put/operationId', 6, true],
    ['#/paths/~1c/get/operationId', 8, true],
  ]);
});

test('paths that differ only in parameter names are reported, a path without a slash is skipped, and the rest is kept', () => {
  const { operations, problems } = readContract(
    'api.yaml',
    `${head}paths:
  /a/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {}}], responses: {'200': {}}}}
  /a/{x}: {put: {parameters: [{name: x, in: path, required: true, schema: {}}], responses: {'200': {}}}}
  b: {get: {responses: {'200': {}}}}
  x-note: 1`,
  );
  expect(operations.map(({ id }) => id)).toEqual(['GET /a/{id}', 'PUT /a/{x}']);
  expect(problems.map(({ pointer, breaks }) => [pointer, /MUST/.test(breaks ?? '')])).toEqual([
    ['#/paths/~1a~1{x}', true],
    ['#/paths/b', true],
  ]);
});

test('names of query parameters are case-sensitive, names of headers are not', () => {
  const parameters = [
    { name: 'a', in: 'query', schema: {} },
    { name: 'A', in: 'query', schema: {} },
    { name: 'X-A', in: 'header', schema: {} },
    { name: 'x-a', in: 'header', schema: {} },
  ];
  const paths = { '/a': { get: { deprecated: true, parameters, responses: { 200: {} } } } };
  const { operations, problems } = readContract('api.json', JSON.stringify({ openapi: '3.1.0', paths }));
  expect(operations.map(({ isDeprecated, parameters: read }) => [isDeprecated, read.map(({ name }) => name)])).toEqual([
    [true, ['a', 'A', 'x-a']],
  ]);
  expect(problems.map(({ pointer }) => pointer)).toEqual(['#/paths/~1a/get/parameters/3']);
});

test('an operation with servers other than the document’s goes to the other address', () => {
  const { operations } = readContract(
    'api.yaml',
    `${head}servers: [{url: 'https://{h}/v1', variables: {h: {default: a.example}}}]
paths:
  /own: {servers: [{url: 'https://auth.example/'}], get: {operationId: other, responses: {}}}
  /same: {servers: [{url: https://a.example/v1/}], get: {operationId: same, responses: {}}}
  /none: {get: {operationId: none, responses: {}}}`,
  );
  expect(operations.map(({ id, target }) => [id, target])).toEqual([
    ['other', 'auth'],
    ['same', 'api'],
    ['none', 'api'],
  ]);
});

test('a status is described by its own response, otherwise by its range or by default', () => {
  const [operation] = readContract(
    'api.yaml',
    `${head}paths: {/a: {get: {responses: {default: {}, 4xx: {}, '404': {}}}}}`,
  ).operations;
  expect([404, 400, 500].map((status) => operation && responseFor(operation, status)?.status)).toEqual([
    '404',
    '4xx',
    'default',
  ]);
});

test('a schema that is simplified for generators is read by x-exact', () => {
  const schema =
    '{type: string, enum: [a], description: D, x-exact: {properties: {x-exact: {type: string, x-exact: {const: 1}}}}}';
  const text = `${head}paths: {/a: {get: {responses: {"200": {description: D}}}}}\ncomponents: {schemas: {A: ${schema}}}`;
  const { root } = readContract('api.yaml', text);
  expect(root.components).toEqual({ schemas: { A: { description: 'D', properties: { 'x-exact': { const: 1 } } } } });
});

test('a reference to another host may declare a parameter, and declares its status', () => {
  const elsewhere = (name: string) => ({ $ref: `https://schemas.example/${name}.json` });
  const operation = { parameters: [elsewhere('id')], responses: { 200: elsewhere('answer') } };
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/a/{id}': { get: operation } } };
  const { operations, problems } = readContract('a.json', JSON.stringify(document));
  expect(problems.filter(({ message }) => message.includes('is not declared'))).toEqual([]);
  const responses = operations[0]?.responses.map(({ status, contents }) => [status, contents[0]?.mediaType]);
  expect(responses).toEqual([['200', '*/*']]);
});

test('a part of an allOf that rejects what another part requires is opened, with a warning', () => {
  const schemas = `components: {schemas: {A: {allOf: [{$ref: '#/components/schemas/B'}, {required: [b]}]}, B: {properties: {a: {}}, additionalProperties: false}, C: {additionalProperties: false}}}`;
  const text = `openapi: 3.1.0\npaths: {/a: {get: {responses: {'200': {description: OK}}}}}\n${schemas}\n`;
  const { root, problems } = readContract('a.yaml', text);
  expect(root.components).toMatchObject({ schemas: { C: { additionalProperties: false } } });
  expect(readPointer(root, '#/components/schemas/B')).toEqual({ properties: { a: {} } });
  expect(problems.map(({ line, pointer, breaks }) => [line, pointer, breaks])).toEqual([
    [3, '#/components/schemas/B/additionalProperties', undefined],
  ]);
});

test('a document of Swagger 2.0 is read as OpenAPI, with its lines', () => {
  const paths = `paths:\n  /a:\n    put:\n      responses: {200: {description: OK, schema: {$ref: '#/definitions/Gone'}}, 404: {$ref: '#/responses/Gone'}}\n`;
  const { operations, servers, problems } = readContract('a.yaml', `swagger: '2.0'\nhost: x.example\n${paths}`);
  expect(operations.map(({ id }) => id)).toEqual(['PUT /a']);
  expect(servers).toEqual(['http://x.example']);
  expect(problems.map(({ line }) => line)).toEqual([6]);
});

test('two security schemes in one header are a problem', () => {
  const schemes =
    'components: {securitySchemes: {key: {type: apiKey, in: header, name: authorization}, tok: {type: http, scheme: bearer}}}';
  const get = "get: {security: [{key: [], tok: []}], responses: {'200': {description: OK}}}";
  const { problems } = readContract('a.yaml', `openapi: 3.1.0\npaths: {/a: {${get}}}\n${schemes}\n`);
  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [2, 'Security schemes key and tok share the header authorization: requests have the credentials of one.'],
  ]);
});
