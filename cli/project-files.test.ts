import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainStored } from '@lockstep/runtime/stateful/answer-from-state';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formProject } from './project-files.ts';
import type { StoreKind } from './stored-files.ts';

// If these fail, a new project differs from the checked and linted `project/`, or does not compile.

const project = join(import.meta.dirname, 'project');
const options = {
  name: 'reading-room',
  contractFile: 'contract.yaml',
  vendor: {
    '@lockstep/cli': 'lockstep-cli-0.1.0.tgz',
    '@lockstep/runtime': 'lockstep-runtime-0.1.0.tgz',
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The project of a document with these members and the required ones. */
async function form(
  members: object,
  state?: StoreKind,
  contractFile = 'contract.yaml',
): Promise<ReadonlyMap<string, string>> {
  const file = join(folder, 'contract.yaml');
  await writeFile(file, JSON.stringify({ openapi: '3.1.1', info: { title: 'T', version: '1' }, ...members }));
  const contract = await readContract(file);
  const { document } = contract;
  const stored = state && { kind: state, roles: explainStored(document as never, describeOperations(document)) };
  return formProject(contract, { ...options, contractFile, stored });
}

const answered = { responses: { 200: { description: 'Fine' } } };
const secured = (scheme: object, operation: object = {}) => ({
  components: { securitySchemes: { it: scheme } },
  paths: { '/a': { get: { operationId: 'a', security: [{ it: [] }], ...operation, ...answered } } },
});

test('no file of a project but the contract holds what a terminal takes for orders, or turns text', async () => {
  const hostile = 'a\u001b[31m\u009b\r\nb\u2028\u202e\u007f*/';
  const operation = { operationId: hostile, summary: hostile, description: hostile, security: [{ [hostile]: [] }] };
  const members = {
    info: { title: hostile, version: hostile, description: hostile },
    components: {
      securitySchemes: { [hostile]: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      schemas: { A: { description: hostile, properties: { [hostile]: { enum: [hostile] } } } },
    },
    paths: { [`/a${hostile}`]: { get: { ...operation, ...answered } } },
  };
  const made = await form(members);
  const derived = await derive(await readContract(join(folder, 'contract.yaml')), join(folder, 'generated'));
  for (const [name, text] of [...made, ...derived])
    expect([name, text.match(/[[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\n\t]]/gv)]).toEqual([name, null]);
});

test('the title of a contract is a text in the README, no link and no picture', async () => {
  const made = await form({ info: { title: 'A <img src=//b> [c](//d) `e`', version: '1' }, paths: {} });
  expect(made.get('README.md')?.split('\n')[0]).toBe('# A \\<img src=//b> \\[c](//d) \\`e\\`');
});

test.each([
  { title: 'APP STORE API', state: 'memory' },
  { title: 'Store of contract.yaml', state: undefined },
] as const)('the title $title stays as it is', async ({ title, state }) => {
  // A JSON contract replaces the name `contract.yaml` in the text.
  const made = await form({ info: { title, version: '1' }, paths: {} }, state, 'contract.json');
  expect(made.get('README.md')?.split('\n')[0]).toBe(`# ${title}`);
});

test('the project of the contract in `project/` is the project in `project/`', async () => {
  const contract = await readContract(join(project, 'contract.yaml'));
  const made = new Map([...formProject(contract, options)]);
  for (const [name, text] of await derive(contract, join(project, 'generated'))) made.set(`generated/${name}`, text);
  const stored: Readonly<Record<string, string>> = { '.github/workflows/ci.yml': 'ci.yml' };
  for (const [name, text] of made) {
    const file = stored[name] ?? name.replace(/^\./, '');
    // The header does not depend on the folder.
    expect(text, file).toBe(await readFile(join(project, file), 'utf8'));
  }
  expect(made.size).toBe(16);
});

test('a project is checked by the versions that this repository is checked by', async () => {
  const root = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  const { devDependencies, engines } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  for (const name of ['typescript', '@types/node'])
    expect(devDependencies[name], name).toBe(root.devDependencies[name]);
  expect(engines).toEqual(root.engines);
});

describe('handlers.ts', () => {
  test.each([
    { operationId: 'getThing', want: '  getThing: notImplemented,' },
    { operationId: 'get-thing', want: "  'get-thing': notImplemented," },
    { operationId: "it's", want: '  "it\'s": notImplemented,' },
    { operationId: '/a/{b}/get', want: "  '/a/{b}/get': notImplemented," },
    { operationId: 'a "b" \\', want: '  \'a "b" \\\\\': notImplemented,' },
    { operationId: 'über', want: "  'über': notImplemented," },
    { operationId: 'delete', want: '  delete: notImplemented,' },
  ])('has a row for $operationId', async ({ operationId, want }) => {
    const files = await form({ paths: { '/a': { get: { operationId, ...answered } } } });
    expect(files.get('handlers.ts')).toContain(`  // GET /a\n${want}\n`);
  });

  test.each([
    { name: 'line breaks of any kind', summary: 'One\ntwo\u2028three\r\n', want: '// GET /a: One two three\n' },
    { name: 'the end of a comment', summary: '*/ end', want: '// GET /a: */ end\n' },
    { name: 'more than a line', summary: 'word '.repeat(99), want: /\/\/ GET \/a: [ word]+…\n/ },
  ])('keeps a summary with $name within its comment', async ({ summary, want }) => {
    const files = await form({ paths: { '/a': { get: { operationId: 'a', summary, ...answered } } } });
    expect(files.get('handlers.ts')).toMatch(typeof want === 'string' ? new RegExp(RegExp.escape(want)) : want);
  });

  test('imports nothing that a contract of webhooks alone has no use for', async () => {
    const files = await form({ webhooks: { told: { post: { operationId: 'told', ...answered } } } });
    expect(files.get('handlers.ts')).toMatch(/defineHandlers<Principal>\(\)\(\{\}\);\n$/);
    expect(files.get('handlers.ts')).not.toContain('import { notImplemented');
  });
});

describe('security.ts', () => {
  test.each([
    {
      scheme: { type: 'oauth2', flows: {} },
      imported: 'bearer',
      want: '  // oauth2: called with the token\n  it: bearer(refuse),\n',
    },
    {
      scheme: { type: 'openIdConnect', openIdConnectUrl: 'https://a.example' },
      imported: 'bearer',
      want: '  // openIdConnect: called with the token\n  it: bearer(refuse),\n',
    },
    {
      scheme: { type: 'http', scheme: 'Digest' },
      imported: 'credentials',
      want: '  // http, Digest: called with the text after the name of the scheme\n  it: credentials(refuse),\n',
    },
    {
      scheme: { type: 'apiKey', in: 'cookie', name: 'sid\n*/' },
      imported: 'apiKey',
      want: '  // apiKey in the cookie sid */: called with the key\n  it: apiKey(refuse),\n',
    },
  ])('refuses by $imported: $scheme.type', async ({ scheme, imported, want }) => {
    const text = (await form(secured(scheme))).get('security.ts') ?? '';
    expect(text).toContain(`export const security = {\n${want}} satisfies`);
    expect(text).toContain(`import { ${imported}, type Scheme, type Verdict } from`);
  });

  test.each([
    { name: 'none asked for', operation: { security: [] } },
    { name: 'an empty one asked for', operation: { security: [{}] } },
  ])('has no check where there is $name', async ({ operation }) => {
    const text = (await form(secured({ type: 'http', scheme: 'bearer' }, operation))).get('security.ts') ?? '';
    expect(text).toContain('export const security = {} satisfies');
    expect(text).not.toContain('refuse');
    expect(text).toContain('export interface Principal {');
  });

  test('lets nobody in by a scheme that no request shows', async () => {
    const text = (await form(secured({ type: 'mutualTLS' }))).get('security.ts') ?? '';
    expect(text).toContain('  // mutualTLS: no request contains it, so it gives nobody access\n  it: unshown(),\n}');
    expect(text).toContain("import { unshown, type Scheme } from '@lockstep/runtime/security/scheme';");
    expect(text).not.toContain('refuse');
  });
});

describe('package.json', () => {
  test('derives before it starts, so that no start serves what the contract said before', async () => {
    const files = await form({ paths: {} });
    const { scripts } = JSON.parse(files.get('package.json') ?? '');
    expect(scripts).toMatchObject({ prestart: 'npm run -s generate', start: 'node server.ts' });
    expect(scripts.generate).toBe('lockstep generate --strict --contract contract.yaml --out generated');
  });

  test.each([
    { url: 'https://api.example/v2', want: 'http://localhost:8080/v2' },
    { url: 'https://api.example', want: 'http://localhost:8080' },
    { url: "https://api.example/a;b$(c)'d", want: 'http://localhost:8080/a%3Bb%24%28c%29%27d' },
  ])('holds the service at $url to the contract under its own path', async ({ url, want }) => {
    const files = await form({ servers: [{ url }], paths: { '/a': { get: { operationId: 'a', ...answered } } } });
    const { scripts } = JSON.parse(files.get('package.json') ?? '');
    expect(scripts.conform).toBe(`lockstep conform --contract contract.yaml --base-url ${want}`);
  });
});

describe('a project with a store', () => {
  const thing = { type: 'object', properties: { id: { type: 'string' } } };
  const shown = { responses: { 200: { description: 'One', content: { 'application/json': { schema: thing } } } } };
  const key = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const stores = (...paths: readonly string[]) =>
    Object.fromEntries(
      paths.flatMap((path, index) => [
        [path, { post: { operationId: `add-${index}`, ...shown } }],
        [`${path}/{id}`, { get: { operationId: `read${index}`, parameters: [key], ...shown } }],
      ]),
    );

  test('has a file of handlers for each resource, and one for the operations without', async () => {
    const files = await form(
      { paths: { ...stores('/things'), '/ping': { get: { operationId: 'ping', ...answered } } } },
      'memory',
    );
    expect(files.get('handlers/things.ts')).toContain(
      "definePart<Principal>()({\n  // POST /things\n  'add-0': stored['add-0'],\n\n  // GET /things/{id}\n  read0: stored.read0,\n});\n",
    );
    expect(files.get('handlers/other.ts')).toContain('  // GET /ping\n  ping: notImplemented,\n});\n');
    expect(files.get('handlers.ts')).toMatch(/\(\{\n {2}\.\.\.otherHandlers,\n {2}\.\.\.thingsHandlers,\n\}\);\n$/);
    expect(files.get('state.ts')).toContain('createStoredHandlers<Handlers<Principal>>({ contract, operations })');
    expect(files.get('README.md')).not.toMatch(/Every operation answers 501|\[handlers\.ts\]|Until then every caller/);
  });

  test.each([
    { kind: 'memory', created: '{ contract, operations }', about: 'until the service stops', ignored: false },
    {
      kind: 'sqlite',
      created: '{ contract, operations, store }',
      about: '`state.sqlite` or `STATE_FILE`',
      ignored: true,
    },
  ] as const)('has a store of the kind $kind', async ({ kind, created, about, ignored }) => {
    const files = await form({ paths: stores('/things') }, kind);
    expect(files.get('state.ts')).toContain(`createStoredHandlers<Handlers<Principal>>(${created})`);
    expect(files.get('README.md')).toContain(about);
    expect(files.get('.gitignore')?.includes('state.sqlite*\n')).toBe(ignored);
  });

  test.each([
    { path: '/v1/userGroups', want: 'v1-user-groups', name: 'v1UserGroups' },
    { path: '/other', want: 'other-2', name: 'other2' },
    { path: '/2fa', want: '2fa', name: '_2fa' },
    { path: '/delete', want: 'delete', name: 'delete' },
    { path: '/\u5bc6', want: 'root', name: 'root' },
    { path: "/a/it's", want: 'a-it-s', name: 'aItS' },
  ])('names the file of $path', async ({ path, want, name }) => {
    const files = await form({ paths: stores(path) }, 'memory');
    expect(files.get(`handlers/${want}.ts`)).toContain(`export const ${name}Handlers = `);
  });

  test.each([
    { name: 'one path but for its separators', paths: ['/a-b', '/a/b', '/A_b'], want: ['a-b', 'a-b-2', 'a-b-3'] },
    { name: 'a number after a word', paths: ['/api/2fa', '/api2fa'], want: ['api-2fa', 'api2fa-2'] },
    { name: 'the number of a second one', paths: ['/a-b', '/a/b', '/aB2'], want: ['a-b', 'a-b-2', 'a-b2-2'] },
    { name: 'the name of an imported function', paths: ['/define'], want: ['define-2'] },
    { name: 'a cut in front of a word', paths: [`/${'a'.repeat(79)}/b`], want: ['a'.repeat(79)] },
  ])('gives each resource a file and a valid name of its own: $name', async ({ paths, want }) => {
    const files = await form({ paths: stores(...paths) }, 'memory');
    expect([...files.keys()].filter((file) => file.startsWith('handlers/'))).toEqual(
      want.map((name) => `handlers/${name}.ts`),
    );
    const imported = [...(files.get('handlers.ts') ?? '').matchAll(/^import \{ (.*) \} from/gm)].map(([, one]) => one);
    expect(imported.filter((name) => !/^\w+$/.test(name ?? ''))).toEqual([]);
    expect(new Set(imported).size).toBe(imported.length);
  });

  test.each([
    { scheme: { type: 'http', scheme: 'bearer' }, want: '  it: bearer(demo),\n' },
    { scheme: { type: 'http', scheme: 'basic' }, want: '  it: basic(({ password }) => demo(password)),\n' },
    { scheme: { type: 'mutualTLS' }, want: '  it: unshown(),\n' },
  ])('accepts one secret of the environment: $scheme', async ({ scheme, want }) => {
    const text = (await form(secured(scheme), 'memory')).get('security.ts') ?? '';
    expect(text).toContain(want);
    expect(text).not.toContain('refuse');
    expect(text.includes("from 'node:crypto'")).toBe(want.includes('demo'));
  });
});
