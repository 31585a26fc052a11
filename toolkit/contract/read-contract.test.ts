import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContractError } from './contract-error.ts';
import { unreadableSecurity } from './drop-faults.ts';
import { listOperations } from './list-operations.ts';
import { readContract } from './read-contract.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contract-'));
});
afterAll(() => rm(folder, { recursive: true }));

const head = "openapi: 3.1.1\ninfo: {title: T, version: '1'}\n";
const operation = "{operationId: a, responses: {'200': {description: OK}}}";

/** A document with the schemas L0, L1, …, each by its number. */
const withLevels = (count: number, schema: (level: number) => object): string => {
  const schemas = Object.fromEntries(Array.from({ length: count }, (_, level) => [`L${level}`, schema(level)]));
  return `${head}paths: {}\ncomponents: {schemas: ${JSON.stringify(schemas)}}\n`;
};

const supported = 'supported versions are openapi 3.0.x and 3.1.x, and swagger 2.0 unless strict';

describe('a broken contract is refused with place, reason and fix:', () => {
  test.each([
    {
      name: 'YAML',
      text: `${head}paths: [\n`,
      want: [{ rule: 'yaml', line: 3, pointer: '#' }],
    },
    {
      name: 'OpenAPI 3.2',
      text: "openapi: 3.2.0\ninfo: {title: T, version: '1'}\npaths: {}\n",
      want: [
        {
          rule: 'unsupported/openapi-version',
          line: 1,
          pointer: '#/openapi',
          message: 'OpenAPI 3.2 is not supported, 3.0.x and 3.1.x are',
          fix: expect.stringMatching(/3\.1\.1, and remove/),
        },
      ],
    },
    ...['4.0', '"4.0.0"', '10'].map((version) => ({
      name: `OpenAPI ${version}`,
      text: `openapi: ${version}\ninfo: {title: T, version: '1'}\npaths: {}\n`,
      want: [
        { line: 1, message: expect.stringMatching(/^OpenAPI (4|10)\.0 is not supported, 3\.0\.x and 3\.1\.x are$/) },
      ],
    })),
    {
      name: 'a version that YAML takes for a number',
      text: "openapi: 3.1\ninfo: {title: T, version: '1'}\npaths: {}\n",
      want: [
        {
          message: `openapi is 3.1, ${supported}`,
          fix: expect.stringMatching(/^Write .* as text/),
        },
      ],
    },
    {
      name: 'an alias of nothing',
      text: 'openapi: 3.1.1\ninfo: *none\npaths: {}\n',
      want: [{ rule: 'yaml', line: 2, message: '*none has no &none before it' }],
    },
    {
      name: 'OpenAPI 2.0, with the name of a converter',
      text: "info: {title: T, version: '1'}\nswagger: '2.0'\npaths: {}\n",
      want: [
        {
          rule: 'unsupported/openapi-version',
          line: 2,
          pointer: '#/swagger',
          message: `swagger is "2.0", ${supported}`,
          fix: expect.stringContaining('swagger2openapi'),
        },
      ],
    },
    {
      name: 'Swagger 1.2, with the name of another converter',
      text: "swagger: '1.2'\n",
      want: [{ message: `swagger is "1.2", ${supported}`, fix: expect.stringContaining('api-spec-converter') }],
    },
    {
      name: 'what 3.1 takes and 3.0 does not',
      text: "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents: {schemas: {A: {type: [string, integer]}}}\n",
      want: [{ rule: 'struct', line: 4, pointer: '#/components/schemas/A/type' }],
    },
    {
      name: 'a bound of 3.0 in 3.1',
      text: `${head}paths: {}\ncomponents: {schemas: {A: {type: integer, minimum: 3, exclusiveMinimum: true}}}\n`,
      want: [
        {
          rule: 'struct',
          line: 4,
          pointer: '#/components/schemas/A/exclusiveMinimum',
          message: 'exclusiveMinimum is a boolean, as in OpenAPI 3.0; in 3.1 it is the bound itself',
          fix: 'Write exclusiveMinimum: 3, and delete minimum.',
        },
      ],
    },
    {
      name: 'an enum without values, by the line of the 3.0 document',
      text: "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    A:\n      nullable: true\n      allOf:\n        - {type: object, properties: {a: {enum: []}}}\n",
      want: [{ rule: 'unsupported/empty-enum', line: 9 }],
    },
    {
      name: 'an empty file',
      text: '',
      want: [{ rule: 'unsupported/openapi-version', line: 1, pointer: '#', message: 'the document is empty' }],
    },
    ...[
      ['a list', '[]', 'it is a list, not an OpenAPI document'],
      ['null', 'null', 'the document is empty'],
      ['words', 'Rooms', 'it is text, not an OpenAPI document'],
      ['no openapi member', '{}', `openapi is missing, ${supported}`],
    ].map(([name = '', text = '', message]) => ({
      name,
      text,
      want: [{ rule: 'unsupported/openapi-version', line: 1, message, fix: expect.stringMatching(/^Name an OpenAPI/) }],
    })),
    {
      name: 'a misspelt member and a reference into nothing, both at once',
      text: `${head}paths:\n  /a:\n    get:\n      operationId: a\n      respnses: {}\n      responses:\n        '200': {$ref: '#/components/responses/No'}\n`,
      want: [
        { rule: 'struct', line: 7, pointer: '#/paths/~1a/get/respnses' },
        {
          rule: 'no-unresolved-refs',
          line: 9,
          message: `$ref "#/components/responses/No" can't be resolved: there is nothing at that pointer`,
        },
      ],
    },
    {
      name: 'a reference to a file that is not there',
      text: `${head}paths:\n  /a: {$ref: './missing.yaml'}\n`,
      want: [
        {
          rule: 'no-unresolved-refs',
          line: 4,
          message: `$ref "./missing.yaml" can't be resolved: that file does not exist`,
        },
      ],
    },
    {
      name: 'a request body that leads nowhere, with the nearest that is there',
      text: `${head}paths:\n  /a: {post: {operationId: a, requestBody: {$ref: '#/components/requestBodies/Roms'}, responses: {'200': {description: OK}}}}\ncomponents: {requestBodies: {Rooms: {content: {}}}}\n`,
      want: [
        {
          rule: 'no-unresolved-refs',
          line: 4,
          pointer: '#/paths/~1a/post/requestBody',
          message: `$ref "#/components/requestBodies/Roms" can't be resolved: there is nothing at that pointer`,
          fix: 'Did you mean #/components/requestBodies/Rooms?',
        },
      ],
    },
    {
      name: 'an operationId twice',
      text: `${head}paths:\n  /a: {get: ${operation}}\n  /b: {get: ${operation}}\n`,
      want: [
        {
          rule: 'operation-operationId-unique',
          line: 5,
          pointer: '#/paths/~1b/get/operationId',
          message: expect.stringMatching(/^The operationId a is used here and at .*contract\.yaml:4:14\.$/),
        },
      ],
    },
    {
      name: 'dynamic references that lead to two schemas for each of 40 names',
      text: withLevels(41, (level) =>
        level === 40
          ? { allOf: Array.from({ length: 40 }, (_, number) => ({ $dynamicRef: `#a${number}` })) }
          : {
              prefixItems: ['string', 'null'].map((type) => ({
                $ref: `#/components/schemas/L${level + 1}`,
                $defs: { a: { $dynamicAnchor: `a${level}`, type } },
              })),
            },
      ),
      want: [{ rule: 'unsupported/composition', message: expect.stringMatching(/more than 10,000 schemas$/) }],
    },
    {
      name: 'a dynamic reference to its own schema',
      text: `${head}paths: {}\ncomponents: {schemas: {A: {$dynamicAnchor: a, $dynamicRef: '#a'}}}\n`,
      want: [{ rule: 'unsupported/reference-loop', line: 4 }],
    },
    {
      name: 'dynamic references that lead to too many schemas for one value',
      text: withLevels(20, (level) => {
        const next = { $dynamicRef: `#a${level + 1}` };
        return { $dynamicAnchor: `a${level}`, allOf: level === 19 ? [{}] : [next, next] };
      }),
      want: [{ rule: 'unsupported/composition', line: 4 }],
    },
    {
      name: 'a dynamic reference to a name that no schema has',
      text: `${head}paths:\n  /a:\n    get:\n      parameters:\n        - {name: q, in: query, content: {application/json: {schema: {$dynamicRef: '#node'}}}}\n      responses: {'200': {description: OK}}\n`,
      want: [{ rule: 'unsupported/dynamic-reference', line: 7, message: '$dynamicRef "#node" leads nowhere' }],
    },
    {
      name: 'a dynamic reference that does not begin with #',
      text: `${head}paths:\n  /a:\n    get:\n      parameters:\n        - {name: q, in: query, content: {application/json: {schema: {$dynamicRef: Xnode, $defs: {a: {$dynamicAnchor: node}}}}}}\n      responses: {'200': {description: OK}}\n`,
      want: [{ rule: 'unsupported/dynamic-reference', line: 7, message: '$dynamicRef "Xnode" leads nowhere' }],
    },
    {
      name: 'an alias inside its own anchor',
      text: `${head}paths: &a\n  /a: *a\n`,
      want: [{ rule: 'unsupported/not-json', line: 4, pointer: '#/paths/~1a' }],
    },
    {
      name: 'references into the network, to an anchor and to themselves',
      text: `${head}paths: {}\ncomponents:\n  schemas:\n    A: {$ref: 'https://contracts.example/a.yaml'}\n    B: {$ref: '#b'}\n    C: {$ref: '#/components/schemas/D'}\n    D: {$ref: '#/components/schemas/C'}\n`,
      want: [
        { rule: 'unsupported/network-reference', line: 6 },
        { rule: 'unsupported/anchor-reference', line: 7 },
        { rule: 'unsupported/reference-loop', line: 8 },
        { rule: 'unsupported/reference-loop', line: 9 },
      ],
    },
    {
      name: 'a member name that the linter stumbles over',
      text: `${head}paths: {}\ncomponents: {schemas: {A: {properties: {hasOwnProperty: {type: string}}}}}\n`,
      want: [{ rule: 'unsupported/member-name', line: 4, pointer: '#/components/schemas/A/properties/hasOwnProperty' }],
    },
    {
      name: 'an address that is none, one with the default of its variable, and one of a file that it refers to',
      text: `${head}servers: [{url: 'https://{a}', variables: {a: {default: 'b c'}}}, {url: 'https://[bad'}, {url: 'https://{a}', variables: {a: {default: <host>}}}]\npaths: {/a: {$ref: item.yaml}}\n`,
      want: [
        { rule: 'unsupported/server-url', line: 3, message: '"https://b c" is not a URL', pointer: '#/servers/0/url' },
        { rule: 'unsupported/server-url', pointer: '#/servers/1/url' },
        { rule: 'unsupported/server-url', line: 4 },
      ],
    },
    {
      name: 'an operationId that is a number, and an operation without responses',
      text: `${head}paths:\n  /a: {get: {operationId: '1'}}\n`,
      want: [{ rule: 'unsupported/operation-without-responses' }, { rule: 'unsupported/operation-id' }],
    },
  ])('$name', async ({ text, want }) => {
    const file = join(folder, 'contract.yaml');
    await writeFile(file, text);
    await writeFile(join(folder, 'item.yaml'), 'servers: [{url: https://d e}]\n');
    const error = await readContract(file, { strict: true }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ContractError);
    const { problems } = error as ContractError;
    expect(problems).toMatchObject(want);
    for (const problem of problems) expect(problem).toMatchObject({ file, fix: expect.stringMatching(/\w/) });
  });

  test('nothing is fetched for a reference of a file that it refers to', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('type: string');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await writeFile(join(folder, 'far.yaml'), `$ref: http://127.0.0.1:${port}/far.yaml\n`);
    const file = join(folder, 'near.yaml');
    await writeFile(file, `${head}paths: {}\ncomponents: {schemas: {A: {$ref: ./far.yaml}}}\n`);
    await expect(readContract(file, { strict: true })).rejects.toThrow('$ref "./far.yaml" can\'t be resolved');
    expect(asked).toEqual([]);
    server.close();
  });

  test('a repeated key in a file that it refers to is a warning with the line there, and closes its operation', async () => {
    const item = join(folder, 'repeated.yaml');
    await writeFile(item, "get:\n  security: []\n  security: []\n  responses: {'200': {description: OK}}\n");
    const file = join(folder, 'whole.yaml');
    await writeFile(file, `${head}paths: {/a: {$ref: repeated.yaml}}\n`);
    const { document, notices } = await readContract(file);
    expect(notices[0]).toMatchObject({ severity: 'warning', file: item, line: 3, pointer: '#/get/security' });
    expect(listOperations(document)[0]?.security).toEqual([{ [unreadableSecurity]: [] }]);
    await expect(readContract(file, { strict: true })).rejects.toThrow('The key security is here');
  });

  test('an https address of a server without TLS is reported as such', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/a.yaml`;
    await expect(readContract(address)).rejects.toThrow('the server speaks no TLS: try http://');
    server.close();
  });

  test('no file outside its folder is read, but one of a folder that was allowed', async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    await writeFile(join(folder, 'keys.json'), '{"type": "string", "title": "Secret"}');
    await writeFile(join(own, 'parts.yaml'), 'A: {$ref: "a#b/../../keys.json"}\n');
    const file = join(own, 'contract.yaml');
    const schemas = '{A: {$ref: ../keys.json}, B: {$ref: "parts.yaml#/A"}, C: {$ref: ../kes.json}}';
    await writeFile(file, `${head}paths: {}\ncomponents: {schemas: ${schemas}}\n`);
    const reading = readContract(file);
    await expect(reading).rejects.toThrow('$ref "../keys.json" leads to a file outside the contract\'s folder');
    await expect(reading).rejects.toThrow(/\$ref "parts\.yaml#\/A" leads on to \S+keys\.json, which leads to/);
    // Nothing is looked up there to find a nearer name either.
    await expect(reading).rejects.toThrow('$ref "../kes.json" leads to');
    await writeFile(file, `${head}paths: {}\ncomponents: {schemas: {A: {$ref: ../keys.json}}}\n`);
    const { document } = await readContract(file, { allowFiles: [folder] });
    expect(JSON.stringify(document)).toContain('Secret');
  });

  test('a file that the contract refers to, which is no YAML, is named once', async () => {
    const file = join(folder, 'spread.yaml');
    const broken = join(folder, 'broken.yaml');
    await writeFile(broken, 'A:\n  type: string\n   title: A\n');
    const schemas = "{A: {$ref: './broken.yaml#/A'}, B: {$ref: './broken.yaml#/B'}}";
    await writeFile(file, `${head}paths: {}\ncomponents: {schemas: ${schemas}}\n`);
    const { problems } = await readContract(file).catch((error) => error);
    expect(problems).toMatchObject([{ file: broken, line: 2, column: 9, rule: 'yaml' }]);
  });

  test('a folder is no contract', async () => {
    await expect(readContract(folder)).rejects.toThrow('it is a folder, not a file');
  });

  test('no such file', async () => {
    await expect(readContract(join(folder, 'none.yaml'))).rejects.toThrow('the file does not exist');
  });
});

test("what extensions refer to is nobody's but their owners'", async () => {
  const file = join(folder, 'extended.yaml');
  await writeFile(
    join(folder, 'part.yaml'),
    'type: string\nx-b: {a: 1, $ref: ./nowhere.md, b: [{$ref: https://none.example/}]}\n',
  );
  await writeFile(
    file,
    `${head}x-a: {$ref: ./missing.md}\npaths: {}\ncomponents: {schemas: {A: {$ref: ./part.yaml}, x-c: {properties: {x-d: {$ref: '#/components/schemas/A'}}}}}\n`,
  );
  const { document } = await readContract(file);
  expect(document).toMatchObject({
    'x-a': { $ref: './missing.md' },
    components: {
      schemas: { part: { 'x-b': { a: 1, $ref: './nowhere.md', b: [{ $ref: 'https://none.example/' }] } } },
    },
  });
  expect(JSON.stringify(document.components?.schemas?.part)).toContain('{"a":1,"$ref":"./nowhere.md","b":');
});

test('a dynamic reference becomes ordinary ones, and keeps its line', async () => {
  const file = join(folder, 'dynamic.yaml');
  const page = "{items: {$dynamicRef: '#item'}, $defs: {item: {$dynamicAnchor: item}}}";
  const pageOfNames = "{$ref: '#/components/schemas/Page', $defs: {item: {$dynamicAnchor: item, type: string}}}";
  await writeFile(file, `${head}paths: {}\ncomponents:\n  schemas:\n    Page: ${page}\n    Names: ${pageOfNames}\n`);
  const { document, plain, notices, locate } = await readContract(file, { strict: true });
  expect(document.components?.schemas).toMatchObject({
    Names: { $ref: '#/components/schemas/Page-Names' },
    'Page-Names': { items: { $ref: '#/components/schemas/Names/$defs/item' } },
  });
  expect(plain).toEqual(document);
  expect(notices).toEqual([]);
  expect(locate('#/components/schemas/Page-Names/items')).toMatchObject({ line: 6, column: 12 });
});

test('operations without a name are reported once, at the first', async () => {
  const file = join(folder, 'nameless.yaml');
  const nameless = "{responses: {'200': {description: OK}}}";
  await writeFile(
    file,
    `${head}paths:\n  /a: {get: ${operation}}\n  /b:\n    get: ${nameless}\n    put: ${nameless}\n`,
  );
  const { document, notices } = await readContract(file);
  expect(document.paths).toMatchObject({ '/b': { get: { operationId: 'getB' }, put: { operationId: 'putB' } } });
  expect(notices).toEqual([
    {
      file,
      line: 6,
      column: 5,
      pointer: '#/paths/~1b/get',
      message: '2 operations have no operationId and are named after method and path, the first of them getB',
    },
  ]);
});

test('a contract is bundled, frozen and hashed by its meaning', async () => {
  const file = join(folder, 'whole.yaml');
  await writeFile(join(folder, 'name.yaml'), 'type: string\n');
  const text = `${head}paths:\n  /a: {get: ${operation}}\ncomponents:\n  schemas:\n    Name: {$ref: ./name.yaml}\n`;
  await writeFile(file, text);
  const contract = await readContract(file);
  await writeFile(file, `# a comment\n${text}`);
  const commented = await readContract(file);
  await writeFile(join(folder, 'name.yaml'), 'type: integer\n');
  const changed = await readContract(file);

  expect(contract.document.components?.schemas).toMatchObject({ name: { type: 'string' } });
  expect(() => Object.assign(contract.document.info, { title: 'changed' })).toThrow(TypeError);
  expect(commented.hash).toBe(contract.hash);
  expect(changed.hash).not.toBe(contract.hash);
  expect(commented.locate('#/paths/~1a/get')).toMatchObject({ line: 5 });
});

test.each([
  ['ftp://127.0.0.1/a.yaml', 'addresses that begin with ftp:// are not supported'],
  ['http://127.0.0.1:9/a.yaml', 'its port belongs to another protocol'],
])('%s is reported', async (address, message) => {
  await expect(readContract(address)).rejects.toThrow(message);
});
