import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import type { Operation } from '@lockstep/runtime/operation';
import { describe, expect, test } from 'vitest';
import { formatCurl, sampleRequest } from './sample-request.ts';

const pointer = '#/paths/~1plants/post';
const base = {
  operationId: 'addPlant',
  method: 'post',
  basePath: '/v1',
  path: '/plants',
  pointer,
  parameters: [],
} as const;
const rest = { statuses: [], extensions: {} } as const;

/** The sample value of a parameter and of a body, from the examples of the node and its schema. */
function sampleOf(node: object): { query: string; body: unknown } {
  const media = { 'application/json': node };
  const parameter = { name: 'kind', in: 'query', required: true, ...node };
  const document = { paths: { '/plants': { post: { parameters: [parameter], requestBody: { content: media } } } } };
  const operation: Operation = {
    ...base,
    ...rest,
    security: [],
    parameters: [
      {
        name: 'kind',
        in: 'query',
        required: true,
        style: 'form',
        explode: true,
        allowEmptyValue: false,
        schema: `${pointer}/parameters/0/schema`,
      },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': `${pointer}/requestBody/content/application~1json/schema` },
    },
  };
  const { target, body } = sampleRequest(document, operation);
  return { query: new URLSearchParams(target.split('?')[1]).get('kind') ?? '', body: JSON.parse(body ?? 'null') };
}

interface Given {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly explode?: boolean;
    readonly example: unknown;
  }[];
  readonly content?: Readonly<Record<string, object>>;
  readonly security?: Operation['security'];
  readonly securitySchemes?: object;
}

/** A request of required parameters and a body. */
function requestOf({ parameters = [], content, security = [], securitySchemes = {} }: Given) {
  const document = {
    components: { securitySchemes },
    paths: { '/plants': { post: { parameters, requestBody: { content } } } },
  };
  const types = Object.keys(content ?? {});
  return sampleRequest(document, {
    ...base,
    ...rest,
    path: ['/plants', ...parameters.flatMap(({ name, in: place }) => (place === 'path' ? [`{${name}}`] : []))].join(
      '/',
    ),
    security,
    parameters: parameters.map(({ name, in: place, explode = true }, index) => ({
      ...{ name, in: place, explode, required: true, style: 'form', allowEmptyValue: false },
      schema: `${pointer}/parameters/${index}/schema`,
    })),
    requestBody:
      content === undefined ? null : { required: true, content: Object.fromEntries(types.map((type) => [type, ''])) },
  });
}

const objectOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties });

describe('a sample is made of', () => {
  const rows: readonly { name: string; node: object; want: unknown }[] = [
    { name: 'the example', node: { example: 'fern', schema: { type: 'string' } }, want: 'fern' },
    {
      name: 'the first of named examples',
      node: { examples: { a: { value: 'moss' }, b: { value: 'ivy' } } },
      want: 'moss',
    },
    { name: 'the example of the schema', node: { schema: { type: 'string', example: 'fern' } }, want: 'fern' },
    {
      name: 'the first of the examples of the schema',
      node: { schema: { type: 'string', examples: ['oak', 'elm'] } },
      want: 'oak',
    },
    { name: 'the constant', node: { schema: { const: 'ash' } }, want: 'ash' },
    { name: 'the first of a list', node: { schema: { enum: ['fir', 'yew'] } }, want: 'fir' },
    { name: 'the default', node: { schema: { type: 'string', default: 'box' } }, want: 'box' },
    { name: 'the smallest number', node: { schema: { type: 'integer', minimum: 3 } }, want: 3 },
    { name: 'the first branch', node: { schema: { oneOf: [{ const: 'bay' }, { const: 'hop' }] } }, want: 'bay' },
    { name: 'some text', node: { schema: { type: 'string' } }, want: 'x' },
    { name: 'a whole number', node: { schema: { type: 'integer', multipleOf: 7, exclusiveMinimum: 0 } }, want: 7 },
    { name: 'true', node: { schema: { type: 'boolean' } }, want: true },
    { name: 'text of a format', node: { schema: { type: 'string', format: 'date' } }, want: '2026-01-15' },
    { name: 'what fits all', node: { schema: { allOf: [{ minimum: 1 }, { minimum: 4 }], type: 'integer' } }, want: 4 },
    { name: 'no example that is refused', node: { schema: { type: 'integer', minimum: 3, example: 1 } }, want: 3 },
    { name: 'no text that is refused', node: { example: 'many', schema: { type: 'integer', minimum: 3 } }, want: 3 },
    { name: 'an example that is false', node: { example: false, schema: { type: 'boolean' } }, want: false },
    { name: 'the default before the smallest', node: { schema: { type: 'integer', default: 7, minimum: 3 } }, want: 7 },
  ];
  for (const { name, node, want } of rows) {
    test(name, () => expect(sampleOf(node)).toEqual({ query: String(want), body: want }));
  }

  test.each([
    { example: '5', schema: { type: 'integer' } },
    { example: 5, schema: { type: 'string' } },
  ])('a parameter’s example as the text that is sent: $example for $schema.type', (node) => {
    expect(sampleOf(node).query).toBe('5');
  });

  test('text of a pattern', () => {
    expect(sampleOf({ schema: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' } }).body).toMatch(/^[A-Z]{2}-\d{3}$/);
  });

  test('the required members of an object', () => {
    const properties = { name: { example: 'Iris' }, height: { type: 'integer', minimum: 1 } };
    expect(sampleOf({ schema: { type: 'object', required: ['name'], properties } }).body).toEqual({ name: 'Iris' });
  });
});

describe('a request is written with', () => {
  const [a, b] = [{ const: 1 }, { const: 2 }];
  const rows: readonly { name: string; given: Given; want: object }[] = [
    {
      name: 'a pair of its own for each item (OpenAPI 3.1, 4.8.12.3)',
      given: { parameters: [{ name: 'a b', in: 'query', example: ['x,', 'y'] }] },
      want: { target: '/v1/plants?a%20b=x%2C&a%20b=y' },
    },
    {
      name: 'commas between items that do not explode',
      given: { parameters: [{ name: 'a', in: 'query', explode: false, example: ['x,', 'y'] }] },
      want: { target: '/v1/plants?a=x%2C,y' },
    },
    {
      name: 'its path',
      given: { parameters: [{ name: 'id', in: 'path', example: 'a/b' }] },
      want: { target: '/v1/plants/a%2Fb' },
    },
    {
      name: 'its headers',
      given: { parameters: [{ name: 'X-A', in: 'header', example: 'h' }] },
      want: { headers: { 'X-A': 'h' } },
    },
    {
      name: 'the key and the scheme of its alternative, and nothing for a scheme that is not declared',
      given: {
        security: [{ key: [], basic: [], lost: [] }],
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          basic: { type: 'http', scheme: 'Basic' },
        },
      },
      want: { headers: { 'X-Key': 'any-key-will-do', Authorization: expect.stringMatching(/^Basic /) } },
    },
    {
      name: 'nothing for a scheme that is not declared alone',
      given: { security: [{ lost: [] }] },
      want: { headers: {} },
    },
    {
      name: 'a form',
      given: { content: { 'application/x-www-form-urlencoded': { example: { a: 'b c', n: 1 } } } },
      want: { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b+c&n=1' },
    },
    {
      name: 'an example of a form as it stands',
      given: { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' }, example: 'a=b' } } },
      want: { body: 'a=b' },
    },
    {
      name: 'the required members of the first form',
      given: { content: { 'application/json': { schema: { anyOf: [{ ...objectOf({ a, b }), required: ['a'] }] } } } },
      want: { body: '{"a":1}' },
    },
    {
      name: 'no member that answers alone have',
      given: { content: { 'application/json': { schema: objectOf({ a: { ...a, readOnly: true }, b }) } } },
      want: { body: '{"b":2}' },
    },
  ];
  const usual = { method: 'POST', target: '/v1/plants', headers: expect.anything(), body: undefined };
  test.each(rows)('$name', ({ given, want }) => expect(requestOf(given)).toEqual({ ...usual, ...want }));
});

describe('credentials', () => {
  const headersOf = (operation: Operation) => sampleRequest(museumContract, operation, 'T').headers;

  test('stand in the sample of a guarded operation, after its scheme', () => {
    expect(headersOf(museumOperations.listExhibits)).toEqual({ Authorization: 'Bearer T' });
    expect(headersOf(museumOperations.sellTicket).Authorization).toMatch(/^Basic /);
  });

  test('stand in none of an open operation', () => {
    expect(headersOf(museumOperations.getOpeningHours)).toEqual({});
  });
});

test('credentials stand where their schemes have them, and what no request shows is left out', () => {
  const document = {
    components: {
      securitySchemes: {
        query: { type: 'apiKey', in: 'query', name: 'a key' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
        card: { type: 'mutualTLS' },
      },
    },
  };
  const operation: Operation = {
    operationId: 'a',
    method: 'head',
    basePath: '/v1',
    path: '/things',
    pointer: '#/paths/~1things/head',
    parameters: [],
    requestBody: null,
    security: [{ query: [], cookie: [], card: [] }],
    extensions: {},
  };
  const sample = sampleRequest(document, operation);
  expect(sample.target).toBe('/v1/things?a%20key=any-key-will-do');
  expect(formatCurl('http://localhost:1', sample)).toBe(
    "curl -I -H 'Cookie: sid=any-key-will-do' 'http://localhost:1/v1/things?a%20key=any-key-will-do'",
  );
});

describe('a line for a shell', () => {
  const lineOf = (headers: Readonly<Record<string, string>>, body?: string) =>
    formatCurl('http://localhost:1', { method: 'POST', target: '/a', headers, body });

  test.each([
    { value: '$(touch x)$TOKEN', want: "'X-A: $(touch x)$TOKEN'" },
    { value: '`id`', want: "'X-A: `id`'" },
    { value: "a'; id; '", want: `'X-A: a'\\''; id; '\\'''` },
  ])('lets no header run anything: $value', ({ value, want }) => {
    expect(lineOf({ 'X-A': value })).toBe(`curl -i -X POST -H ${want} 'http://localhost:1/a'`);
    expect(lineOf({ Authorization: value })).not.toContain('"');
  });

  test('leaves its own token to the shell', () => {
    expect(lineOf({ Authorization: 'Bearer $TOKEN' })).toContain(`-H 'Authorization: Bearer '"$TOKEN" `);
  });

  test('leaves no other header with that token to it, and names the header as it is', () => {
    expect(lineOf({ 'X-A': 'Bearer $TOKEN' })).toContain("-H 'X-A: Bearer $TOKEN' ");
    expect(lineOf({ authorization: 'Bearer $TOKEN' })).toContain(`-H 'authorization: Bearer '"$TOKEN" `);
  });

  test.each([
    { method: 'GET', body: undefined, want: "curl -i 'http://localhost:1/a'" },
    { method: 'POST', body: '', want: "curl -i -d '' 'http://localhost:1/a'" },
    { method: 'PUT', body: '{}', want: "curl -i -X PUT -d '{}' 'http://localhost:1/a'" },
  ])('names the method that curl would not take itself: $method', ({ method, body, want }) => {
    expect(formatCurl('http://localhost:1', { method, target: '/a', headers: {}, body })).toBe(want);
  });

  test('reads no file for a body', () => {
    expect(lineOf({}, '@/etc/hosts')).toContain("--data-raw '@/etc/hosts'");
  });
});

test('a line break of a template stays within its address', () => {
  const target = '/a\n;\u2028\u001b[31m b';
  expect(formatCurl('http://localhost:1', { method: 'GET', target, headers: {}, body: undefined })).toBe(
    "curl -i 'http://localhost:1/a%0A;%E2%80%A8%1B[31m%20b'",
  );
});

test('half of a surrogate pair is replaced', () => {
  expect(sampleOf({ example: 'a\ud800', schema: { type: 'string' } }).query).toBe('a\ufffd');
});

test('a schema that requires itself has an end', () => {
  const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Node' } } };
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } };
  const document = { components: { schemas: { Node: node } }, paths: { '/a': { post: { requestBody: body } } } };
  const pointer = '#/paths/~1a/post';
  const content = { 'application/json': `${pointer}/requestBody/content/application~1json/schema` };
  const operation: Operation = {
    ...{
      operationId: 'a',
      method: 'post',
      basePath: '',
      path: '/a',
      pointer,
      parameters: [],
      security: [],
      extensions: {},
    },
    requestBody: { required: true, content },
  };
  expect(sampleRequest(document, operation).body).toMatch(/^(\{"next":){5,}/);
});
