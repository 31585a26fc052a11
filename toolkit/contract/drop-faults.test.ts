import { readFileSync } from 'node:fs';
import { valueAt } from '@lockstep/json/json-pointer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ContractError } from './contract-error.ts';
import { unreadableSecurity } from './drop-faults.ts';
import { listOperations } from './list-operations.ts';
import { readContract } from './read-contract.ts';
import { readValue } from './yaml-source.ts';

const head = "openapi: 3.1.1\ninfo: {title: T, version: '1'}\n";
const found = "responses: {'200': {description: OK}}";
const inSchema = (schema: string): string => `${head}paths: {}\ncomponents: {schemas: {A: ${schema}}}\n`;
const inOperation = (members: string): string => `${head}paths:\n  /a:\n    get: {${members}}\n`;

/** `left` is the value at `at` in the document that was read. */
describe('a fault costs the place that it is at, and is a warning with its line:', () => {
  test.each([
    {
      name: 'an unknown member',
      text: `${head}paths: {}\ncomponents: {mediaTypes: {}}\n`,
      line: 4,
      at: ['components'],
      left: {},
    },
    {
      name: 'null in place of a description',
      text: inOperation(`description: null, ${found}`),
      line: 5,
      at: ['paths', '/a', 'get', 'description'],
      left: undefined,
    },
    {
      name: 'a number in place of text',
      text: 'openapi: 3.1.1\ninfo: {title: T, version: 1.5}\npaths: {}\n',
      line: 2,
      at: ['info', 'version'],
      left: '1.5',
    },
    {
      name: 'an enum without values',
      text: inSchema('{type: string, enum: []}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { type: 'string' },
    },
    {
      name: 'a type that JSON does not have',
      text: inSchema('{type: any}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: {},
    },
    {
      name: 'a bound of 3.0 in 3.1',
      text: inSchema('{minimum: 2, exclusiveMinimum: true}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { exclusiveMinimum: 2 },
    },
    {
      name: 'a list of types in 3.0',
      text: inSchema("{type: [string, 'null']}").replace('3.1.1', '3.0.3'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { type: ['string', 'null'] },
    },
    {
      name: 'the type null in 3.0',
      text: inSchema("{type: 'null'}").replace('3.1.1', '3.0.3'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { enum: [null] },
    },
    {
      name: 'a $ref that is not text',
      text: inSchema('{$ref: {type: string}}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: {},
    },
    {
      name: 'a member that is no schema',
      text: inSchema('{properties: {a: null}}'),
      line: 4,
      at: ['components', 'schemas', 'A', 'properties'],
      left: { a: {} },
    },
    {
      name: 'a schema that is not there',
      text: inSchema("{items: {$ref: '#/components/schemas/B'}}"),
      line: 4,
      at: ['components', 'schemas', 'A', 'items'],
      left: {},
    },
    {
      name: 'a schema of the network, which is not fetched',
      text: inSchema('{items: {$ref: https://x.example/a.json}}'),
      line: 4,
      at: ['components', 'schemas', 'A', 'items'],
      left: {},
    },
    {
      name: 'a reference into itself',
      text: `${head}paths: {}\ncomponents: {$ref: '#/components/none/x'}\n`,
      line: 4,
      at: ['components'],
      left: {},
    },
    {
      name: 'a response that is not there',
      text: inOperation("responses: {'404': {$ref: '#/components/responses/B'}}"),
      line: 5,
      at: ['paths', '/a', 'get', 'responses', '404'],
      left: { description: '' },
    },
    {
      name: 'an example that is not there',
      text: inOperation("responses: {'200': {description: OK, content: {text/plain: {examples: {a: {$ref: '#/b'}}}}}}"),
      line: 5,
      at: ['paths', '/a', 'get', 'responses', '200', 'content', 'text/plain', 'examples'],
      left: {},
    },
    {
      name: 'a parameter that is not there',
      text: inOperation(`parameters: [{$ref: '#/b'}, {name: c, in: query, schema: {}}], ${found}`),
      line: 5,
      at: ['paths', '/a', 'get', 'parameters', '0', 'name'],
      left: 'c',
    },
    {
      name: 'a parameter without a place',
      text: inOperation(`parameters: [{name: b, schema: {}}], ${found}`),
      line: 5,
      at: ['paths', '/a', 'get', 'parameters'],
      left: [],
    },
    {
      name: 'an operation without responses',
      text: inOperation('summary: S'),
      line: 5,
      at: ['paths', '/a', 'get', 'responses'],
      left: { default: { description: '' } },
    },
    {
      name: 'an address that is none',
      text: `${head}servers: [{url: 'https://b c'}, {url: /v1}]\npaths: {}\n`,
      line: 3,
      at: ['servers'],
      left: [{ url: '/v1' }],
    },
    {
      name: 'an operationId twice',
      text: `${head}paths:\n  /a:\n    get: {operationId: x, ${found}}\n    put: {operationId: x, ${found}}\n`,
      line: 6,
      at: ['paths', '/a', 'put', 'operationId'],
      left: 'putA',
    },
    {
      name: 'a part of an allOf that rejects what another part requires',
      text: inSchema(
        '{allOf: [{properties: {a: {}}, additionalProperties: false}, {required: [b], properties: {b: {}}}]}',
      ),
      line: 4,
      at: ['components', 'schemas', 'A', 'allOf', '0'],
      left: { properties: { a: {} } },
    },
    {
      name: 'a closed schema around an allOf with all its members',
      text: inSchema('{additionalProperties: false, allOf: [{properties: {a: {}}}]}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { unevaluatedProperties: false, allOf: [{ properties: { a: {} } }] },
    },
    {
      name: 'one whose parts require a member',
      text: inSchema('{additionalProperties: false, allOf: [{required: [a], properties: {a: {}}}]}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { unevaluatedProperties: false, allOf: [{ required: ['a'], properties: { a: {} } }] },
    },
    {
      name: 'one that is a part itself',
      text: inSchema('{allOf: [{additionalProperties: false, allOf: [{properties: {a: {}}}]}, {properties: {b: {}}}]}'),
      line: 4,
      at: ['components', 'schemas', 'A', 'allOf', '0'],
      left: { allOf: [{ properties: { a: {} } }] },
    },
    {
      name: 'a discriminator without a name',
      text: inSchema('{discriminator: {}, oneOf: [{}]}'),
      line: 4,
      at: ['components', 'schemas', 'A'],
      left: { oneOf: [{}] },
    },
  ])('$name', async ({ text, line, at, left }) => {
    const contract = await readContract('contract.yaml', { text });
    expect(valueAt(contract.document, at)).toEqual(left);
    const [first] = contract.notices;
    expect(first).toMatchObject({ severity: 'warning', file: 'contract.yaml', line, fix: expect.stringMatching(/\w/) });
  });

  test.each([
    {
      name: 'a version as a number',
      text: "openapi: 3.1\ninfo: {title: T, version: '1'}\npaths: {}\n",
      line: 1,
      title: 'T',
    },
    {
      name: 'a key twice',
      text: "openapi: 3.1.1\ninfo:\n  title: S\n  version: '1'\n  title: T\npaths: {}\n",
      line: 5,
      title: 'T',
    },
    {
      name: 'a key as a number and as a text',
      text: "openapi: 3.1.1\ninfo: {title: T, version: '1'}\nx-statuses: {200: A, '200': B}\npaths: {}\n",
      line: 3,
      title: 'T',
    },
  ])('$name', async ({ text, line, title }) => {
    const { document, notices } = await readContract('contract.yaml', { text });
    expect([document.info.title, notices.map((notice) => [notice.severity, notice.line])]).toEqual([
      title,
      [['warning', line]],
    ]);
  });

  test('many places with one cause are one warning with their number', async () => {
    const responses = Array.from(
      { length: 50 },
      (_, index) => `'${400 + index}': {$ref: '#/components/responses/Gone'}`,
    );
    const { notices } = await readContract('contract.yaml', {
      text: inOperation(`operationId: a, responses: {${responses}}`),
    });
    expect(notices).toMatchObject([{ line: 5, pointer: '#/paths/~1a/get/responses/400', places: 50 }]);
  });

  test('a long chain of references is read as references to what it leads to', async () => {
    const links = Array.from(
      { length: 300 },
      (_, index) => `    A${index + 1}: {$ref: '#/components/schemas/A${index}'}\n`,
    );
    const text = `${head}paths: {}\ncomponents:\n  schemas:\n    A0: {type: string}\n${links.join('')}`;
    const { document, notices } = await readContract('contract.yaml', { text });
    expect(notices).toMatchObject([
      {
        severity: 'warning',
        line: 107,
        rule: 'unsupported/reference-chain',
        places: 200,
        fix: expect.stringMatching(/\w/),
      },
    ]);
    const referenceOf = (name: string) => valueAt(document, ['components', 'schemas', name, '$ref']);
    expect(['A100', 'A101', 'A300'].map(referenceOf)).toEqual([
      '#/components/schemas/A99',
      '#/components/schemas/A0',
      '#/components/schemas/A0',
    ]);
  });

  test.each([
    {
      name: 'a parameter twice in a list',
      text: inOperation(`parameters: [{name: a, in: query, required: true}, {name: a, in: query}], ${found}`),
      pointer: '#/paths/~1a/get/parameters/1',
      message: 'the list has two parameters a in: query; the last one counts, and it is required if either is',
    },
    {
      name: 'a parameter of a path item that the path does not have',
      text: `${inOperation(found)}    put: {${found}}\n    parameters: [{name: b, in: path, required: true}]\n`,
      pointer: '#/paths/~1a/parameters/0',
      message: 'the path /a has no {b}; it is left out',
    },
  ])('$name', async ({ text, pointer, message }) => {
    const { notices, isAltered } = await readContract('contract.yaml', {
      text: text.replaceAll(', in:', ', schema: {}, in:'),
    });
    expect(notices.filter(({ severity }) => severity)).toEqual([
      expect.objectContaining({ pointer, message, fix: expect.stringMatching(/\w/) }),
    ]);
    // Only `listOperations` reads the parameters in another way.
    expect(isAltered).toBe(false);
  });

  test('lines stay those of the text after a place before them is left out', async () => {
    const text = `${head}paths:\n  /a:\n    get:\n      ${found}\n      parameters:\n        - {name: a}\n        - {name: b, in: query, schema: {type: any}}\n        - {name: c, in: query, schema: {enum: []}}\n`;
    const contract = await readContract('contract.yaml', { text });
    expect(contract.notices.filter(({ severity }) => severity).map(({ line, pointer }) => [line, pointer])).toEqual([
      [8, '#/paths/~1a/get/parameters/0'],
      [8, '#/paths/~1a/get/parameters/0'],
      [9, '#/paths/~1a/get/parameters/1/schema/type'],
      [10, '#/paths/~1a/get/parameters/2/schema/enum'],
    ]);
    expect(contract.locate('#/paths/~1a/get/parameters/1').line).toBe(10);
  });

  test('a reference of a schema to its own $defs is no fault', async () => {
    const text = inSchema("{$ref: '#/components/schemas/A/$defs/B', $defs: {B: {type: string}}}");
    const { notices, document } = await readContract('contract.yaml', { text });
    expect(notices.filter(({ severity }) => severity)).toEqual([]);
    expect(valueAt(document, ['components', 'schemas', 'A', '$ref'])).toBe('#/components/schemas/A/$defs/B');
  });

  test('a strict reader refuses it', async () => {
    await expect(readContract('contract.yaml', { text: inSchema('{type: any}'), strict: true })).rejects.toThrow(
      ContractError,
    );
  });
});

describe('a fault under security closes its operation:', () => {
  const key = 'components: {securitySchemes: {key: {type: apiKey, in: header, name: K}}}\n';
  test.each([
    ...['null', '{key: []}', 'key', '[null]', '[{key: null}]', '[{key: [1]}, {}]'].map((security) => ({
      name: `security: ${security}`,
      text: `${inOperation(`${found}, security: ${security}`)}${key}`,
    })),
    { name: 'a misspelt security', text: `${inOperation(`${found}, securty: [{key: []}]`)}${key}` },
    { name: 'a security of the path item', text: `${inOperation(found)}    security: [{key: []}]\n${key}` },
    { name: 'a misspelt one of the path item', text: `${inOperation(found)}    securty: [{key: []}]\n${key}` },
    { name: 'a security twice', text: `${inOperation(`${found}, security: [{key: []}], security: []`)}${key}` },
    {
      name: 'the same one twice',
      text: `${inOperation(`${found}, security: [{key: []}], security: [{key: []}]`)}${key}`,
    },
    { name: 'a requirement twice', text: `${inOperation(`${found}, security: [{key: [], key: []}]`)}${key}` },
    {
      name: 'a security of the document twice',
      text: `${inOperation(found)}security: [{key: []}]\nsecurity: []\n${key}`,
    },
    {
      name: 'two operations of one method',
      text: `${inOperation(`${found}, security: [{key: []}]`)}    get: {${found}}\n${key}`,
    },
    {
      name: 'two operations of one method, the last one open',
      text: `${inOperation(found)}    get: {${found}, security: []}\nsecurity: [{key: []}]\n${key}`,
    },
    {
      name: 'a security twice in an anchor',
      text: `${head}x-a: &a {${found}, security: [{key: []}], security: []}\npaths: {/a: {get: *a}}\n${key}`,
    },
    {
      name: 'two paths of one name',
      text: `${inOperation(`${found}, security: [{key: []}]`)}  /a: {get: {${found}}}\n${key}`,
    },
    {
      name: 'a security twice in Swagger 2.0',
      text: `swagger: '2.0'\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {${found}, security: [{key: []}], security: []}}}\n`,
    },
    { name: 'the security of the document', text: `${inOperation(found)}security: {key: []}\n${key}` },
  ])('$name', async ({ text }) => {
    const { document } = await readContract('contract.yaml', { text });
    expect(listOperations(document).map(({ security }) => security)).toEqual([[{ [unreadableSecurity]: [] }]]);
  });

  test('a scheme that can not be read is not declared', async () => {
    const text = `${inOperation(`${found}, security: [{key: []}]`)}components: {securitySchemes: {key: {type: apiKey, in: body, name: K}}}\n`;
    const { document, notices } = await readContract('contract.yaml', { text });
    expect(document.components).toEqual({ securitySchemes: {} });
    expect(notices.map(({ message }) => message)).toContainEqual(expect.stringContaining('nobody is let in by it'));
  });

  test('a repetition is a warning at the second place', async () => {
    const text = `${inOperation(`${found}, security: [{key: []}],\n      security: []`)}${key}`;
    const { notices } = await readContract('contract.yaml', { text });
    expect(notices.filter(({ severity }) => severity)).toEqual([
      expect.objectContaining({
        ...{ line: 6, column: 7, pointer: '#/paths/~1a/get/security', rule: 'yaml' },
        message: 'The key security is here and at contract.yaml:5:50: map keys must be unique; nobody is let in by it',
        fix: expect.stringMatching(/^Keep the key once/),
      }),
    ]);
    await expect(readContract('contract.yaml', { text, strict: true })).rejects.toThrow('The key security is here');
  });

  test('two schemes of one name are none, unless they are the same', async () => {
    const schemes = (second: string): string =>
      `${inOperation(`${found}, security: [{key: []}]`)}components: {securitySchemes: {key: {type: http, scheme: basic}, key: {type: http, scheme: ${second}}}}\n`;
    const read = async (second: string) => (await readContract('contract.yaml', { text: schemes(second) })).document;
    expect((await read('bearer')).components).toEqual({ securitySchemes: {} });
    expect((await read('basic')).components).toEqual({ securitySchemes: { key: { type: 'http', scheme: 'basic' } } });
  });

  test('two lists of schemes have none that differs', async () => {
    const last = '{http: {type: http, scheme: basic}, key: {type: apiKey, in: header, name: K}}';
    const text = `${inOperation(found)}components:\n  securitySchemes: {http: {type: http, scheme: bearer}}\n  securitySchemes: ${last}\n`;
    const { document, notices } = await readContract('contract.yaml', { text });
    expect(document.components).toEqual({ securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'K' } } });
    expect(notices.map(({ message }) => message)).toContainEqual(expect.stringContaining('nobody is let in by it'));
  });

  test('a text with a merge key is refused, as the key may copy a security', async () => {
    const text = `${head}x-a: &a {security: [{key: []}]}\npaths: {/a: {get: {<<: *a, ${found}, summary: a, summary: b}}}\n${key}`;
    await expect(readContract('contract.yaml', { text })).rejects.toThrow('The key summary is here');
  });

  test.each([
    {
      name: 'two operations with the same security',
      members: `${found}, security: [{key: []}]`,
      security: { key: [] },
    },
    { name: 'two operations without one', members: found, security: undefined },
  ])('but $name stay as they are', async ({ members, security }) => {
    const text = `${inOperation(members)}    get: {summary: S, ${members}}\n${key}`;
    const { document, notices } = await readContract('contract.yaml', { text });
    expect(listOperations(document)[0]).toMatchObject({
      operation: { summary: 'S' },
      security: security ? [security] : [],
    });
    expect(notices[0]?.message).toMatch(/; the last one counts$/);
  });

  test('a property called security is no requirement', async () => {
    const text = inSchema('{properties: {security: {type: string}, security: {type: integer}}}');
    const { document } = await readContract('contract.yaml', { text });
    expect(valueAt(document, ['components', 'schemas', 'A'])).toEqual({
      properties: { security: { type: 'integer' } },
    });
  });
});

/** Every place of a document, as a path. */
function placesOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...at, name], ...placesOf(member, [...at, name])]);
}

const wrong = [null, 3, 'x', [], {}, [null], true, { $ref: '#/components/none/x' }, { type: 'x', enum: [] }];
const museum = readValue(readFileSync(new URL('../fixtures/museum/contract.yaml', import.meta.url), 'utf8')) as object;

const faultAtRandom = (runs: number) =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...placesOf(museum).filter(([first]) => first !== 'openapi')),
      fc.constantFrom(...wrong),
      async (at, value) => {
        const faulty = structuredClone(museum);
        Object.assign(valueAt(faulty, at.slice(0, -1)) as object, { [at.at(-1) ?? '']: value });
        const contract = await readContract('contract.json', { text: JSON.stringify(faulty) });
        const left = new Set(listOperations(contract.document).map(({ method, path }) => `${method} ${path}`));
        const lost = all.filter((operation) => !left.has(operation));
        // The place is a path, or everything under `paths`.
        const isWhole = at[0] === 'paths' && at.length <= 2;
        expect(lost.length).toBeLessThanOrEqual(isWhole ? all.length : at[0] === 'paths' && at.length === 3 ? 1 : 0);
        for (const notice of contract.notices) expect(notice.line).toBeGreaterThan(0);
      },
    ),
    { numRuns: runs },
  );
const all = listOperations((await readContract('contract.json', { text: JSON.stringify(museum) })).document).map(
  ({ method, path }) => `${method} ${path}`,
);

describe('a random fault costs at most its operation', () => {
  test('ten faults', () => faultAtRandom(10));
  // Each reads the contract anew, some of them five times.
  test('three hundred faults', { tags: ['full'], timeout: 180_000 }, () => faultAtRandom(300));
});
