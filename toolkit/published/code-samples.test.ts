import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { addCodeSamples, type CodeSample } from './code-samples.ts';

interface Given {
  readonly method?: string;
  readonly operation?: object;
  readonly security?: object;
  readonly server?: string;
  readonly path?: string;
}

/** The samples of the one operation of a contract, by label. */
function sampleOf({
  method = 'get',
  operation,
  security = {},
  server = 'https://api.example/v2',
  path = '/doors',
}: Given) {
  const secured = Object.keys(security).length > 0 ? { security: [{ scheme: [] }] } : {};
  const document = {
    openapi: '3.1.0',
    info: { title: 'Doors', version: '1' },
    servers: [{ url: server }],
    components: {
      securitySchemes: { scheme: security, second: { type: 'apiKey', in: 'header', name: 'X-Second' } },
      schemas: {
        Node: {
          type: 'object',
          required: ['up', 'of'],
          properties: {
            up: { $ref: '#/components/schemas/Node' },
            of: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'string' }] },
          },
        },
      },
    },
    paths: {
      [path]: {
        [method]: { operationId: 'door', responses: { 200: { description: 'OK' } }, ...secured, ...operation },
      },
    },
  } as unknown as OpenApiDocument;
  const published = addCodeSamples(document) as unknown as {
    paths: Record<string, Record<string, { 'x-codeSamples': readonly CodeSample[] }>>;
  };
  const samples = published.paths[path]?.[method]?.['x-codeSamples'] ?? [];
  return Object.fromEntries(samples.map(({ label, source }) => [label, source]));
}

const json = { 200: { description: 'OK', content: { 'application/json': {} } } };
const bodyOf = (type: string, media: object) => ({ requestBody: { content: { [type]: media } } });

describe('the sample for curl', () => {
  test.each([
    { name: 'asks', given: {}, want: 'curl https://api.example/v2/doors' },
    {
      name: 'names a relative server on this machine',
      given: { server: '/v1/' },
      want: 'curl http://localhost:8080/v1/doors',
    },
    {
      name: 'names a method that is not meant anyway',
      given: { method: 'delete' },
      want: 'curl -X DELETE https://api.example/v2/doors',
    },
    { name: 'asks for headers alone', given: { method: 'head' }, want: 'curl -I https://api.example/v2/doors' },
    {
      name: 'shows where an operation without a success leads',
      given: { operation: { responses: { 303: { description: 'On' } } } },
      want: 'curl -i https://api.example/v2/doors',
    },
    {
      name: 'fills in what is required, encoded, and leaves out what is not',
      given: {
        path: '/doors/{id}',
        operation: {
          parameters: [
            { name: 'id', in: 'path', required: true, example: 'a/b' },
            { name: 'of', in: 'query', required: true, schema: { enum: ['x y'] } },
            { name: 'X-Why', in: 'header', required: true, schema: { type: 'string', examples: ["it's"] } },
            { name: 'more', in: 'query', example: 1 },
          ],
        },
      },
      want: "curl 'https://api.example/v2/doors/a%2Fb?of=x+y' \\\n  -H 'X-Why: it'\\''s'",
    },
    {
      name: 'sends the first example of a body',
      given: {
        method: 'post',
        operation: bodyOf('application/json', { examples: { a: { value: { b: [1, "o'c"] } }, z: { value: 0 } } }),
      },
      want: "curl https://api.example/v2/doors \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"b\": [1, \"o'\\''c\"]}'",
    },
    {
      name: 'sends what a body without an example requires',
      given: {
        method: 'put',
        operation: bodyOf('application/json', {
          schema: {
            type: 'object',
            required: ['n', 'f', 's'],
            properties: { n: { type: 'integer' }, f: { type: 'boolean' }, s: { type: 'string' }, o: { example: 1 } },
          },
        }),
      },
      want: 'curl -X PUT https://api.example/v2/doors \\\n  -H \'Content-Type: application/json\' \\\n  -d \'{"n": 1, "f": true, "s": "text"}\'',
    },
    {
      name: 'sends fields of a form encoded',
      given: { method: 'post', operation: bodyOf('application/x-www-form-urlencoded', { example: { a: 'b c&d' } }) },
      want: "curl https://api.example/v2/doors \\\n  --data-urlencode 'a=b c&d'",
    },
    {
      name: 'shows a token',
      given: { security: { type: 'oauth2' } },
      want: 'curl https://api.example/v2/doors \\\n  -H "Authorization: Bearer $TOKEN"',
    },
    {
      name: 'shows a token of another scheme',
      given: { security: { type: 'http', scheme: 'bearer' } },
      want: /Bearer \$TOKEN/,
    },
    {
      name: 'shows a client',
      given: { security: { type: 'http', scheme: 'Basic' } },
      want: /-u "\$CLIENT_ID:\$CLIENT_SECRET"$/,
    },
    {
      name: 'shows a key in a header',
      given: { security: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      want: /-H "X-Key: \$API_KEY"$/,
    },
    {
      name: 'shows a key in the query, next to a body',
      given: {
        method: 'put',
        operation: bodyOf('application/json', { example: {} }),
        security: { type: 'apiKey', in: 'query', name: 'key' },
      },
      want: "curl -X PUT \"https://api.example/v2/doors?key=$API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'",
    },
    {
      name: 'writes lists and objects of the query as OpenAPI does',
      given: {
        operation: {
          parameters: [
            { name: 'tag', in: 'query', required: true, example: ['a b', 'c'] },
            { name: 'of', in: 'query', required: true, explode: false, example: ['x', 'y'] },
            { name: 'by', in: 'query', required: true, style: 'deepObject', example: { name: 'n' } },
          ],
        },
      },
      want: "curl 'https://api.example/v2/doors?tag=a+b&tag=c&of=x%2Cy&by%5Bname%5D=n'",
    },
    {
      name: 'sends a cookie that is required',
      given: { operation: { parameters: [{ name: 'lang', in: 'cookie', required: true, example: 'de' }] } },
      want: 'curl https://api.example/v2/doors \\\n  -b lang=de',
    },
    {
      name: 'sends each item of a list of a form',
      given: { method: 'post', operation: bodyOf('application/x-www-form-urlencoded', { example: { a: ['b', 'c'] } }) },
      want: 'curl https://api.example/v2/doors \\\n  --data-urlencode a=b \\\n  --data-urlencode a=c',
    },
    {
      name: 'sends text as it is',
      given: { method: 'post', operation: bodyOf('text/plain', { example: 'two words' }) },
      want: "curl https://api.example/v2/doors \\\n  -H 'Content-Type: text/plain' \\\n  -d 'two words'",
    },
    {
      name: 'puts together what all parts of a body require',
      given: {
        method: 'post',
        operation: bodyOf('application/json', {
          schema: {
            allOf: [
              { type: 'object', required: ['a'], properties: { a: { example: 1 } } },
              { type: 'object', required: ['b'], properties: { b: { type: ['string', 'null'] } } },
            ],
          },
        }),
      },
      want: 'curl https://api.example/v2/doors \\\n  -H \'Content-Type: application/json\' \\\n  -d \'{"a": 1, "b": "text"}\'',
    },
    {
      name: 'stops where a schema requires itself',
      given: {
        method: 'post',
        operation: bodyOf('application/json', { schema: { $ref: '#/components/schemas/Node' } }),
      },
      want: 'curl https://api.example/v2/doors \\\n  -H \'Content-Type: application/json\' \\\n  -d \'{"up": null, "of": "text"}\'',
    },
    {
      name: 'shows a key in a cookie',
      given: { security: { type: 'apiKey', in: 'cookie', name: 'k' } },
      want: /-b "k=\$API_KEY"$/,
    },
  ])('$name', ({ given, want }) => {
    const { curl } = sampleOf(given);
    if (typeof want === 'string') expect(curl).toBe(want);
    else expect(curl).toMatch(want);
  });
});

test('programs are written where there is a success to read, and what a contract has of its own stays', () => {
  expect(Object.keys(sampleOf({}))).toEqual(['curl', 'TypeScript', 'Python']);
  expect(Object.keys(sampleOf({ operation: { responses: { 303: { description: 'On' } } } }))).toEqual(['curl']);
  expect(sampleOf({ operation: { 'x-codeSamples': [{ lang: 'Go', label: 'Go', source: 'x' }] } })).toEqual({ Go: 'x' });
});

test('the programs read an answer that has content, and only that', () => {
  const { TypeScript, Python } = sampleOf({ operation: { responses: json } });
  expect(TypeScript).toContain("const { data, error } = await client.GET('/doors');");
  expect(Python).toContain('print(json.dumps(json.load(response)))');
  expect(sampleOf({}).TypeScript).toContain("const { error } = await client.GET('/doors');");
  expect(sampleOf({}).Python).toContain('print(response.status)');
});

test('every scheme of an alternative is shown', () => {
  const both = { operation: { security: [{ scheme: [], second: [] }] }, security: { type: 'http', scheme: 'bearer' } };
  const { curl, TypeScript, Python } = sampleOf(both);
  for (const sample of [curl, TypeScript, Python]) {
    expect(sample).toMatch(/TOKEN/);
    expect(sample).toMatch(/X-Second.*API_KEY/);
  }
});

test('a key in the query is encoded', () => {
  const { Python } = sampleOf({ security: { type: 'apiKey', in: 'query', name: 'key' } });
  expect(Python).toContain('"https://api.example/v2/doors?key=" + urllib.parse.quote(os.environ["API_KEY"], safe="")');
  expect(Python).toContain('import urllib.parse');
});

test('a body that takes a file has no sample', () => {
  expect(
    sampleOf({ method: 'post', operation: bodyOf('multipart/form-data', { schema: { type: 'object' } }) }),
  ).toEqual({});
});

test('an example of too many values is cut', () => {
  const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const schema = Array.from({ length: 6 }).reduce<object>(
    (inner) => ({
      type: 'object',
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, inner])),
    }),
    { type: 'string' },
  );
  const { Python = '' } = sampleOf({ method: 'post', operation: bodyOf('application/json', { schema }) });
  expect(Python.match(/"m9"/g)?.length).toBeLessThan(5000);
});

test('each language writes values as its own', () => {
  const value = { yes: true, none: null, 'a-b': "it's", text: 'a "b"\nc' };
  const { TypeScript, Python } = sampleOf({
    method: 'post',
    operation: bodyOf('application/json', { example: value }),
  });
  expect(TypeScript).toContain(`body: { yes: true, none: null, 'a-b': 'it\\'s', text: 'a "b"\\nc' }`);
  expect(Python).toContain(String.raw`{"yes": True, "none": None, "a-b": "it's", "text": "a \"b\"\nc"}`);
});
