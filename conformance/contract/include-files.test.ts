import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createJudge } from '../schema/create-judge.ts';
import type { Contract } from './contract.ts';
import { readContractFile } from './read-contract.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'include-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const contractOf = (schema: string): string =>
  `openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: D, content: {application/json: {schema: ${schema}}}}}}}}\n`;

/** Pointers and lines of the violations in an answer. */
function judge(contract: Contract, value: unknown): readonly string[] {
  const { pointer = '' } = contract.operations[0]?.responses[0]?.contents[0] ?? {};
  const found = createJudge(contract).judge(`${pointer}/schema`, 'response', value) ?? [];
  return found.map((one) => `${one.pointer} ${contract.lineOf(one.pointer)}`);
}

test('files in the same folder are part of the contract, under their paths', async () => {
  await write({
    'api/openapi.yaml': contractOf("{$ref: 'parts/a b%25.yaml#/Book'}"),
    'api/parts/a b%.yaml':
      'Book:\n  properties:\n    next: {$ref: "#/Book"}\n    id: {$ref: "../id.json"}\n    x: {$ref: "../openapi.yaml#/x-own"}\n',
    'api/id.json': '{\n  "type": "string"\n}',
  });
  const contract = await readContractFile(join(folder, 'api/openapi.yaml'));
  expect(judge(contract, { id: 'a', next: { next: { id: 7 } } })).toEqual(['#/x-files/id.json/type 2']);
  expect(contract.excerptAt('#/x-files/id.json/type')).toMatchObject({ file: 'id.json', line: 2, first: 1 });
  expect(contract.excerptAt('#/openapi')).not.toHaveProperty('file');
  expect(contract.problems).toEqual([]);
});

test('operations, names of a discriminator and anchors are found in other files', async () => {
  const paths = `paths: {/a: {$ref: './a.yaml#/item'}}`;
  await write({
    'openapi.yaml': `openapi: 3.1.0\ninfo: {title: T, version: '1'}\n${paths}\n`,
    'a.yaml': `item:\n  get:\n    responses:\n      '200':\n        description: D\n        content:\n          application/json:\n            schema: {$ref: 'pets.yaml#pet'}\n`,
    'pets.yaml': `Pet: {$anchor: pet, oneOf: [{$ref: '#/Dog'}], discriminator: {propertyName: kind, mapping: {dog: '#/Dog'}}}\nDog: {required: [bark], properties: {kind: {}}}\n`,
  });
  const contract = await readContractFile(join(folder, 'openapi.yaml'));
  expect(contract.operations.map(({ pointer }) => pointer)).toEqual(['#/x-files/a.yaml/item/get']);
  expect(judge(contract, { kind: 'dog' })).toEqual(['#/x-files/pets.yaml/Dog/required 2']);
});

describe('a file outside of the folder is forbidden, and the message names the option that allows it', () => {
  const rows = [
    { name: 'above', reference: '../keys.json', message: 'a file outside the contract' },
    { name: 'by its absolute path', reference: 'FOLDER/keys.json', message: 'a file outside the contract' },
    { name: 'a path that is encoded', reference: '%2e%2e/keys.json#/a', message: 'a file outside the contract' },
    { name: 'by a link', reference: 'link.json', message: 'a file outside the contract' },
    { name: 'by a link of a folder', reference: 'linked/keys.json', message: 'a file outside the contract' },
    { name: 'a hidden file', reference: '.env', message: 'a hidden file' },
    {
      name: 'a folder whose name has the same beginning',
      reference: '../api-keys/keys.json',
      message: 'a file outside the contract',
    },
    { name: 'from a file of its own', reference: 'inner.yaml', message: 'a file outside the contract' },
  ];
  test.each(rows)('$name', async ({ reference, message }) => {
    const keys = '{"a": {"const": "secret"}}';
    await write({
      'api/openapi.yaml': contractOf(`{$ref: '${reference.replace('FOLDER', folder)}'}`),
      'api/inner.yaml': 'x: {$ref: "../keys.json"}',
      'api/.env': keys,
      'keys.json': keys,
      'api-keys/keys.json': keys,
    });
    await symlink('../keys.json', join(folder, 'api/link.json'));
    await symlink('..', join(folder, 'api/linked'));
    const file = join(folder, 'api/openapi.yaml');
    const refused = await readContractFile(file).catch(({ message }: Error) => message);
    expect(refused).toMatch(new RegExp(`"\\S+" leads to ${message}[\\s\\S]* with --allow-files \\S+$`));
    expect(refused).not.toContain('secret');
    const allowed = await readContractFile(file, { allowFiles: [folder] });
    expect([allowed.title, allowed.problems]).toEqual(['T', []]);
  });

  test('a link to a contract resolves next to its target', async () => {
    await write({ 'data/openapi.yaml': contractOf('{$ref: id.json}'), 'data/id.json': '{"type": "string"}' });
    await mkdir(join(folder, 'mount'));
    for (const name of ['openapi.yaml', 'id.json']) await symlink(`../data/${name}`, join(folder, 'mount', name));
    expect(judge(await readContractFile(join(folder, 'mount/openapi.yaml')), 7)).toHaveLength(1);
  });
});

test.each(['https://127.0.0.1:1/a.json', 'file:///etc/hostname', 'absent.yaml', '.'])(
  'an invalid file, %s, is reported, and the rest is read',
  async (reference) => {
    await write({ 'openapi.yaml': contractOf(`{$ref: '${reference}'}`) });
    const contract = await readContractFile(join(folder, 'openapi.yaml'));
    const made = createJudge(contract);
    expect(made.judge('#/paths/~1a/get/responses/200/content/application~1json/schema', 'response', 1)).toBeUndefined();
    expect(made.problems().map(({ message }) => message)).toEqual([
      `$ref ${reference} leads to another document, which does not exist or may not be read.`,
    ]);
  },
);
