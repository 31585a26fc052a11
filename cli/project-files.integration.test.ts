import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formProject } from './project-files.ts';

// If these fail, a contract of some odd shape makes a project that does not compile, does not start, or is red before anybody touched it.

const root = join(import.meta.dirname, '..');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  // In place of an install: the sources of this repository.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

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
    name: 'an empty requirement beside another',
    tests: 2,
    members: {
      components: token,
      paths: { '/a': { get: { operationId: 'a', ...guarded, security: [{ token: [] }, {}] } } },
    },
  },
  {
    name: 'a scheme that no request shows, alone and beside another',
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

test.each(shapes)('$name: compiles, starts, and its tests pass', async ({ members, tests }) => {
  const document = { openapi: '3.1.1', info: { title: 'T', version: '1' }, ...members };
  expect(await run(JSON.stringify(document))).toEqual({ pass: tests, fail: 0 });
});

test.each(['museum', 'parcels'])('the fixture %s: compiles, starts, and its tests pass', async (name) => {
  const { pass, fail } = await run(await readFile(join(root, `toolkit/fixtures/${name}/contract.yaml`), 'utf8'));
  expect(fail).toBe(0);
  expect(pass).toBeGreaterThan(1);
});

/** Makes the project, compiles it and runs its tests. */
async function run(contractText: string): Promise<{ pass: number; fail: number }> {
  const project = await mkdtemp(join(folder, 'project-'));
  await writeFile(join(project, 'contract.yaml'), contractText);
  const contract = await readContract(join(project, 'contract.yaml'));
  const files = new Map([...formProject(contract, { name: 'it', contractFile: 'contract.yaml', vendor: {} })]);
  for (const [name, text] of await derive(contract, join(project, 'generated'))) files.set(`generated/${name}`, text);
  for (const [name, text] of files) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), text);
  }
  await execute([join(root, 'node_modules/typescript/bin/tsc')], project);
  const printed = await execute(['--test', '--test-reporter=tap'], project);
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(printed)?.[1]);
  return { pass: count('pass'), fail: count('fail') };
}

/** @returns what it printed, whether it went well or not */
async function execute(args: readonly string[], cwd: string): Promise<string> {
  // Told that it runs within a test, Node's runner prints for another program.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  const result = await promisify(execFile)(process.execPath, [...args], options).catch((error) => error);
  if (result.code !== undefined)
    throw new Error(`${args.join(' ')} ended with ${result.code}:\n${result.stdout}${result.stderr}`);
  return result.stdout;
}
