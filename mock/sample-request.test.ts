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

/** What is sent for a parameter, or as the body, by the examples that its holder and schema have. */
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
  ];
  for (const { name, node, want } of rows) {
    test(name, () => expect(sampleOf(node)).toEqual({ query: String(want), body: want }));
  }

  test('text of a pattern', () => {
    expect(sampleOf({ schema: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' } }).body).toMatch(/^[A-Z]{2}-\d{3}$/);
  });

  test('the required members of an object', () => {
    const properties = { name: { example: 'Iris' }, height: { type: 'integer', minimum: 1 } };
    expect(sampleOf({ schema: { type: 'object', required: ['name'], properties } }).body).toEqual({ name: 'Iris' });
  });
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

  test('reads no file for a body', () => {
    expect(lineOf({}, '@/etc/hosts')).toContain("--data-raw '@/etc/hosts'");
  });
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
