import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { readContract } from './contract/read-contract.ts';
import { derive } from './derive.ts';
import { readOutput } from './output-folder.ts';

// Contracts that have nothing in common with locks. Their derived files are committed next to them and type-checked
// with everything else, so that a construct the service does not use is still known to compile.
const fixtures = ['greenhouse', 'museum', 'parcels', 'payments'];
describe.each(fixtures)('%s', (name) => {
  const folder = fileURLToPath(new URL(`fixtures/${name}/`, import.meta.url));

  test('derives to the committed bytes', async () => {
    const derived = await derive(await readContract(`${folder}contract.yaml`), `${folder}generated`);
    const committed = await readOutput(`${folder}generated`);
    expect([...derived]).toEqual([...committed].map(([name, bytes]) => [name, bytes.toString('utf8')]));
  });

  test('every derived file names its source, the hash of its contract and its tools', async () => {
    const contract = await readContract(`${folder}contract.yaml`);
    for (const text of (await derive(contract, `${folder}generated`)).values()) {
      expect(text).toContain('../contract.yaml');
      expect(text).toContain(`sha256:${contract.hash}`);
      expect(text).toMatch(/openapi-typescript\W+7\.\d+\.\d+/);
      expect(text).not.toContain(folder);
    }
  });
});

test.each([
  { name: 'of strings', schema: 'type: string, enum: [on, off]', want: 'State: string;' },
  { name: 'of numbers', schema: 'type: integer, enum: [1, 2]', want: 'State: number;' },
  { name: 'that may be null', schema: "type: [string, 'null'], enum: [on, null]", want: 'State: string | null;' },
  { name: 'without a type', schema: 'enum: [on, off]', want: 'State: string;' },
])('an enum $name under x-open-enum takes other values, and one without stays closed', async ({ schema, want }) => {
  const derived = await deriveSource(`
    State: {${schema}, x-open-enum: true}
    States: {type: array, items: {${schema}, x-open-enum: true}}
    Closed: {type: string, enum: [a, b]}`);
  const types = derived.get('types.gen.ts');
  expect(types).toContain(want);
  expect(types).toMatch(/@description Known values: `\w+`, `\w+`\. /);
  expect(types).toMatch(/States: \(?(string|number)( \| null\))?\[\];/);
  expect(types).toMatch(/Closed: "a" \| "b"/);
});

test('a discriminator over schemas that are no objects is derived without a word on the console', async () => {
  const told = vi.spyOn(console, 'warn');
  try {
    await deriveSource(`
    Name: {type: string}
    Named: {oneOf: [{$ref: '#/components/schemas/Name'}], discriminator: {propertyName: kind}}`);
    expect(told.mock.calls).toEqual([]);
  } finally {
    told.mockRestore();
  }
});

test('what is on the wire belongs to its reader, and is read-only for handlers', async () => {
  const derived = await deriveText(
    `paths:\n  /a: {post: {operationId: postA, requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Rows'}}}}, responses: {'200': {description: OK}}}}\ncomponents:\n  schemas: {Rows: {type: array, items: {type: object, properties: {id: {type: string, readOnly: true}, tags: {type: array, items: {type: string}}}}}}\n`,
  );
  expect(derived.get('types.gen.ts')).toContain('id?: string;');
  expect(derived.get('types.gen.ts')).toContain('tags?: string[];');
  expect(derived.get('types.gen.ts')).not.toContain('readonly');
  expect(derived.get('handlers.gen.ts')).toContain(
    `ReadonlyDeep<NonNullable<operations["postA"]['requestBody']>['content']["application/json"]>`,
  );
});

test('a parameter of JSON is typed by the schema of the JSON, any other content is text', async () => {
  const content = (type: string) => `content: {${type}: {schema: {type: array, items: {type: integer}}}}`;
  const derived = await deriveText(
    `paths:\n  /a: {get: {operationId: readA, parameters: [{name: ids, in: query, ${content('application/json')}}, {name: rows, in: query, ${content('text/csv')}}], responses: {'200': {description: OK}}}}\n`,
  );
  expect(derived.get('types.gen.ts')).toContain('ids?: number[];');
  expect(derived.get('types.gen.ts')).toContain('rows?: string;');
});

test.each([
  {
    name: 'a path item behind a reference lends its operations',
    paths: `/a: {$ref: '#/components/pathItems/A'}`,
    components: `pathItems: {A: {get: {operationId: readA, responses: {'200': {description: OK}}}}}`,
    want: { 'operations.gen.ts': `"pointer":"#/components/pathItems/A/get"` },
  },
  {
    name: 'a path may have characters of regular expressions',
    paths: `'/a+b/(c)*/$d/[e].{x}+': {get: {operationId: readA, parameters: [{name: x, in: path, required: true, schema: {type: string}}], responses: {'200': {description: OK}}}}`,
    components: 'schemas: {}',
    want: { 'operations.gen.ts': '"path":"/a+b/(c)*/$d/[e].{x}+","pointer":"#/paths/~1a+b~1(c)*~1$d~1[e].{x}+/get"' },
  },
  {
    name: 'an operation without operationId is named after method and path, what is taken has a number',
    paths: `/a/{b-id}/c: {get: {parameters: [{name: b-id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: OK}}}}\n  /a/b/id/c: {get: {responses: {'200': {description: OK}}}}\n  /z: {get: {operationId: getABIdC2, responses: {'200': {description: OK}}}}`,
    components: 'schemas: {}',
    want: {
      'operations.gen.ts': '"getABIdC": {"operationId":"getABIdC","method":"get","basePath":"","path":"/a/{b-id}/c"',
      'handlers.gen.ts': 'readonly "getABIdC3": {',
    },
  },
  {
    name: 'an operationId may have a separator of references',
    paths: `/a: {get: {operationId: a#read, responses: {'200': {description: OK}}, parameters: [{name: b, in: query, schema: {type: string}}]}}`,
    components: 'schemas: {}',
    want: { 'types.gen.ts': '    "a/read": {', 'handlers.gen.ts': `operations["a/read"]['parameters']` },
  },
  {
    name: 'a reference below a component is named',
    paths: '{}',
    components: `schemas: {A: {allOf: [{properties: {b: {type: array, items: {type: integer}}}}]}, C: {$ref: '#/components/schemas/A/allOf/0/properties/b/items'}}`,
    want: { 'types.gen.ts': 'C: components["schemas"]["A/allOf/0/properties/b/items"];' },
  },
  {
    name: 'a contract of webhooks alone has no operation',
    paths:
      '{}\nwebhooks: {done: {post: {requestBody: {content: {application/json: {schema: {type: string}}}}, responses: {"200": {description: OK}}}}}',
    components: 'schemas: {}',
    want: { 'operations.gen.ts': 'export const operations = {\n}', 'types.gen.ts': 'export interface webhooks {' },
  },
  {
    name: 'a chain of references keeps its type',
    paths: `/a: {get: {operationId: readA, parameters: [{$ref: '#/components/parameters/A'}], responses: {'200': {description: OK}}}}`,
    components: `parameters: {A: {$ref: '#/components/parameters/B'}, B: {name: a, in: query, schema: {type: integer}}}`,
    want: { 'types.gen.ts': 'A: number;' },
  },
  {
    name: 'a reference may be percent-encoded',
    paths: `/{a}: {parameters: [{name: a, in: path, required: true, schema: {type: string}}], get: {operationId: readA, responses: {'200': {description: OK}}}, put: {operationId: putA, parameters: [{$ref: '#/paths/~1%7Ba%7D/parameters/0'}], responses: {'200': {description: OK}}}}`,
    components: 'schemas: {}',
    want: { 'operations.gen.ts': '"operationId":"putA"' },
  },
  {
    name: 'true and false are schemas, defaults count under allOf',
    paths: `/a: {post: {operationId: postA, requestBody: {required: true, content: {application/json: {schema: {allOf: [{properties: {any: true, size: {type: integer, default: 1}}}]}}}}, responses: {'200': {description: OK}}}}`,
    components: 'schemas: {}',
    want: { 'handlers.gen.ts': `['content']["application/json"]>, "size">` },
  },
  {
    name: 'a choice that requires members next to a description keeps them',
    paths: '{}',
    components: `schemas: {A: {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {type: object, required: [b]}]}}`,
    want: { 'types.gen.ts': 'A: {\n            a?: string;\n            b?: string;\n        };' },
  },
  {
    name: 'a choice of objects without a description stays a choice',
    paths: '{}',
    components: `schemas: {A: {oneOf: [{type: object}, {type: string}]}, B: {allOf: [{type: object}]}}`,
    want: { 'types.gen.ts': 'A: Record<string, unknown> | string;\n        B: Record<string, unknown>;' },
  },
  {
    name: 'a property may be called as a keyword is',
    paths: '{}',
    components: `schemas: {A: {type: object, properties: {allOf: {type: string}, oneOf: {type: object}}}}`,
    want: { 'types.gen.ts': 'allOf?: string;\n            oneOf?: Record<string, unknown>;' },
  },
  {
    name: 'default leaves out what is declared more closely',
    paths: `/a: {get: {operationId: readA, responses: {'200': {description: OK}, 4XX: {description: No}, default: {description: Else}}}}`,
    components: 'schemas: {}',
    want: {
      'handlers.gen.ts': `readonly status: Exclude<StatusRange, 200 | StatusRange<'4'>>`,
      'operations.gen.ts': '"statuses":[200,"4XX","default"]',
    },
  },
  {
    name: 'an extension next to paths or statuses is neither',
    paths: `x-note: hello\n  /a: {get: {operationId: readA, responses: {'200': {description: OK}, x-note: hello}}}`,
    components: 'schemas: {}',
    want: { 'operations.gen.ts': '"statuses":[200],' },
  },
  {
    name: 'an open enum stays open in a response by default',
    paths: `/a: {get: {operationId: readA, responses: {default: {description: Any, content: {application/json: {schema: {type: string, enum: [on, off], x-open-enum: true}}}}}}}`,
    components: 'schemas: {}',
    want: { 'types.gen.ts': '"application/json": string;' },
  },
  {
    name: 'a range of media types is answered with one of them',
    paths: `/a: {get: {operationId: readA, responses: {'200': {description: OK, content: {'image/*': {schema: {type: string}}}}}}}`,
    components: 'schemas: {}',
    want: { 'handlers.gen.ts': 'readonly mediaType: `image/$' + '{string}`' },
  },
  {
    name: 'the request id stays out of bodies wherever it is declared',
    paths: `/a: {get: {operationId: readA, responses: {'404': {description: No, content: {application/json: {schema: {allOf: [{$ref: '#/components/schemas/E'}]}}}}}}}`,
    components: `schemas: {E: {type: object, properties: {id: {$ref: '#/components/schemas/Id'}}}, Id: {type: string, x-fault: request-id}}`,
    want: {
      'handlers.gen.ts': `Without<ReadonlyDeep<operations["readA"]['responses'][404]['content']["application/json"]>, "id">`,
    },
  },
])('$name', async ({ paths, components, want }) => {
  const derived = await deriveText(`paths:\n  ${paths}\ncomponents:\n  ${components}\n`);
  for (const [file, text] of Object.entries(want)) expect(derived.get(file)).toContain(text);
});

async function deriveSource(schemas: string) {
  return deriveText(`paths: {}\ncomponents:\n  schemas:${schemas}\n`);
}

async function deriveText(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'derive-'));
  const file = join(folder, 'contract.yaml');
  await writeFile(file, `openapi: 3.1.1\ninfo: {title: T, version: '1'}\n${text}`);
  const derived = await derive(await readContract(file), join(folder, 'out'));
  await rm(folder, { recursive: true });
  return derived;
}

test('the fixtures are not about locks', async () => {
  for (const name of fixtures) {
    expect(await readFile(new URL(`fixtures/${name}/contract.yaml`, import.meta.url), 'utf8')).not.toMatch(
      /device|bridge|algopin/i,
    );
  }
});
