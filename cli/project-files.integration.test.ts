import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { explainStored } from '@lockstep/runtime/stateful/answer-from-state';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formProject } from './project-files.ts';

/** Runs the given test files in one process and prints the outcomes by folder. */
const countOutcomes = `
import { basename, dirname } from 'node:path';
import { run } from 'node:test';
const files = process.argv.slice(2);
const outcomes = Object.fromEntries(files.map((file) => [basename(dirname(file)), { pass: 0, fail: 0 }]));
for await (const { type, data } of run({ files, isolation: 'none' })) {
  const isCounted = (type === 'test:pass' || type === 'test:fail') && data.details.type !== 'suite' && data.skip === undefined;
  if (isCounted) outcomes[basename(dirname(data.file))][type.slice('test:'.length)] += 1;
}
console.log(JSON.stringify(outcomes));
`;

// If these fail, an unusual contract gives a project that does not compile, does not start, or fails its tests before the first edit.

const root = join(import.meta.dirname, '..');

const answered = { responses: { 200: { description: 'Fine' } } };
const token = { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } };
const guarded = { security: [{ token: [] }], ...answered };
const body = { content: { 'application/json': { schema: { type: 'object', required: ['a'] } } }, required: true };

const shapes: readonly { readonly name: string; readonly tests: number; readonly members: object }[] = [
  {
    name: 'operations whose names are no identifiers',
    tests: 5,
    members: {
      components: token,
      paths: Object.fromEntries(
        ['a-b', "it's", 'x/y z', 'await'].map((operationId, index) => [
          `/p${index}`,
          { get: { operationId, ...guarded } },
        ]),
      ),
    },
  },
  {
    name: '800 operations',
    tests: 801,
    members: {
      components: token,
      paths: Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [
          `/things${index}/{id}`,
          {
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
            get: { operationId: `read${index}`, ...answered },
            put: { operationId: `write${index}`, requestBody: body, ...guarded },
          },
        ]),
      ),
    },
  },
  {
    name: 'OpenAPI 3.0, without a name for its operation',
    tests: 2,
    members: {
      openapi: '3.0.3',
      paths: {
        '/a/{b}': {
          parameters: [{ name: 'b', in: 'path', required: true, schema: { type: 'integer', nullable: true } }],
          get: answered,
        },
      },
    },
  },
  { name: 'webhooks alone', tests: 1, members: { webhooks: { told: { post: { operationId: 'told', ...answered } } } } },
  {
    name: 'no security',
    tests: 2,
    members: { paths: { '/a': { post: { operationId: 'a', requestBody: body, ...answered } } } },
  },
  {
    name: 'an empty requirement',
    tests: 2,
    members: { security: [{}], paths: { '/a': { get: { operationId: 'a', ...answered } } } },
  },
  {
    name: 'an empty requirement next to another',
    tests: 2,
    members: {
      components: token,
      paths: { '/a': { get: { operationId: 'a', ...guarded, security: [{ token: [] }, {}] } } },
    },
  },
  {
    name: 'a scheme that no request shows, alone and next to another',
    tests: 3,
    members: {
      components: { securitySchemes: { ...token.securitySchemes, cert: { type: 'mutualTLS' } } },
      paths: {
        '/a': { get: { operationId: 'a', ...guarded, security: [{ cert: [] }, { token: [] }] } },
        '/b': { get: { operationId: 'b', ...guarded, security: [{ cert: [] }] } },
      },
    },
  },
  {
    name: 'a scheme that no request shows, and no other',
    tests: 2,
    members: {
      components: { securitySchemes: { cert: { type: 'mutualTLS' } } },
      paths: { '/a': { get: { operationId: 'a', ...guarded, security: [{ cert: [] }] } } },
    },
  },
  {
    name: 'a value at the place of /healthz',
    tests: 1,
    members: {
      paths: {
        '/{x}': {
          parameters: [{ name: 'x', in: 'path', required: true, schema: { type: 'string' } }],
          get: { operationId: 'a', ...answered },
        },
      },
    },
  },
  {
    name: 'an operation of its own at /healthz',
    tests: 1,
    members: { paths: { '/healthz': { get: { operationId: 'health', ...answered } } } },
  },
  {
    name: 'methods that browsers do not send, and characters that addresses do not have',
    tests: 4,
    members: {
      paths: {
        '/a b/ü': { trace: { operationId: 'trace', ...answered }, head: { operationId: 'head', ...answered } },
        '/a+b;c/{x}.{y}': {
          parameters: ['x', 'y'].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
          options: { operationId: 'options', ...answered },
        },
      },
    },
  },
];

/** Name of the folder to contract. */
const contracts: ReadonlyMap<string, string> = new Map([
  ...shapes.map(({ members }, index): [string, string] => {
    const document = { openapi: '3.1.1', info: { title: 'T', version: '1' }, ...members };
    return [`shape-${index}`, JSON.stringify(document)];
  }),
  ...['museum', 'parcels'].map((name): [string, string] => [
    name,
    readFileSync(join(root, `toolkit/fixtures/${name}/contract.yaml`), 'utf8'),
  ]),
  ['stored-museum', readFileSync(join(root, 'toolkit/fixtures/museum/contract.yaml'), 'utf8')],
]);

let folder: string;
/** Undeclared statuses in answers of each kind. */
const undeclared = `
import { definePart } from './museum/generated/handlers.gen.ts';
declare const isKnown: boolean;
definePart()({ removeArtefact: () => ({ status: 418 }) });
definePart()({ removeArtefact: () => (isKnown ? { status: 204 } : { status: 409 }) });
definePart()({ removeArtefact: async () => ({ status: 418 }) });
definePart()({
  removeArtefact: async () => {
    if (isKnown) return { status: 204 };
    return { status: 409 };
  },
});
`;

/** The messages of the compiler. */
let faults: readonly string[];
/** By name of the folder. */
let outcomes: Readonly<Record<string, { readonly pass: number; readonly fail: number }>>;

// One compiler and one runner for all of them: each loads the same libraries for 15 seconds of processor time in all.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  // In place of an install: the sources of this repository.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of contracts) await make(name, text);
  await copyFile(join(folder, 'museum/tsconfig.json'), join(folder, 'tsconfig.json'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'undeclared.ts'), undeclared);
  await writeFile(join(folder, 'wrong.ts'), "export const wrong: number = '';\n");
  const compiled = await execute([join(root, 'node_modules/typescript/bin/tsc')], folder);
  faults = compiled.out.trim().split(/\n(?! )/);
  const files = [...contracts.keys()].map((name) => join(folder, name, 'server.test.ts'));
  await writeFile(join(folder, 'count-outcomes.js'), countOutcomes);
  const tested = await execute(['count-outcomes.js', ...files], folder);
  outcomes = JSON.parse(tested.out);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the compiler looks into every folder below it', () => {
  expect(faults.filter((line) => line.startsWith('wrong.ts'))).toEqual([
    expect.stringMatching(/^wrong\.ts\(1,14\): error TS2322/),
  ]);
});

test('the compiler names the declared statuses last where one is answered that is not declared', () => {
  const said = faults.filter((line) => line.startsWith('undeclared.ts')).map((line) => line.split('\n').at(-1)?.trim());
  expect(said).toEqual([418, 409, 418, 409].map((status) => `Type '${status}' is not assignable to type '204 | 404'.`));
});

test.each(shapes.map((shape, index) => ({ ...shape, index })))(
  '$name: compiles, starts, and its tests pass',
  ({ index, tests }) => {
    expect(faults.filter((line) => line.startsWith(`shape-${index}/`))).toEqual([]);
    expect(outcomes[`shape-${index}`]).toEqual({ pass: tests, fail: 0 });
  },
);

test.each(['museum', 'parcels', 'stored-museum'])('the fixture %s: compiles, starts, and its tests pass', (name) => {
  expect(faults.filter((line) => line.startsWith(`${name}/`))).toEqual([]);
  expect(outcomes[name]).toEqual({ pass: expect.toSatisfy((count: number) => count > 1), fail: 0 });
});

test('a project compiles and is tested by itself, as its own scripts do it', { tags: ['full'] }, async () => {
  const project = join(folder, 'museum');
  const { scripts } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  expect(scripts).toMatchObject({ types: 'tsc', test: expect.stringMatching(/ && npm run -s types && node --test$/) });
  expect(await execute([join(root, 'node_modules/typescript/bin/tsc')], project)).toEqual({ code: 0, out: '' });
  const { code, out } = await execute(['--test', '--test-reporter=tap'], project);
  expect([code, out]).toEqual([0, expect.stringContaining(`\n# pass ${outcomes.museum?.pass}\n# fail 0\n`)]);
});

async function make(name: string, contractText: string): Promise<void> {
  const project = join(folder, name);
  await mkdir(project);
  await writeFile(join(project, 'contract.yaml'), contractText);
  const contract = await readContract(join(project, 'contract.yaml'));
  const { document } = contract;
  const isStored = name.startsWith('stored-');
  const roles = explainStored(document as never, describeOperations(document));
  const stored = isStored ? { kind: 'sqlite' as const, roles } : undefined;
  const files = new Map([...formProject(contract, { name: 'it', contractFile: 'contract.yaml', vendor: {}, stored })]);
  for (const [file, text] of await derive(contract, join(project, 'generated'))) files.set(`generated/${file}`, text);
  for (const [file, text] of files) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), text);
  }
}

async function execute(args: readonly string[], cwd: string): Promise<{ readonly code: number; readonly out: string }> {
  // With this variable of an outer test run, Node's runner prints for another program.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  const { code = 0, stdout } = await promisify(execFile)(process.execPath, [...args], options).catch((error) => error);
  return { code, out: stdout };
}
