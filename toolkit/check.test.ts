import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { check } from './check.ts';
import { readContract } from './contract/read-contract.ts';
import { derive } from './derive.ts';
import { readOutput, writeOutput } from './output-folder.ts';

const source = `openapi: 3.1.1
info: {title: T, version: '1'}
servers: [{url: /v1}]
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 300}}
      responses: {'200': {description: OK}}
`;

let folder: string;
let file: string;
let out: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-'));
  file = join(folder, 'contract.yaml');
  out = join(folder, 'out');
  await writeFile(file, source);
  await writeOutput(out, await deriveNow());
});
afterEach(() => rm(folder, { recursive: true }));

test('what was just derived has not drifted', async () => {
  expect(await checkNow()).toEqual({ drifts: [], changes: [] });
});

test('a changed field is named with its file, its contract line and the difference', async () => {
  await writeFile(file, source.replace('maximum: 300', 'maximum: 500'));
  const { drifts, changes } = await checkNow();
  expect(drifts.map((drift) => [drift.file, drift.kind])).toEqual([
    [`${out}/contract.gen.json`, 'changed'],
    [`${out}/handlers.gen.ts`, 'changed'], // by the hash in the header alone
    [`${out}/operations.gen.ts`, 'changed'],
    [`${out}/published.gen.json`, 'changed'],
    [`${out}/types.gen.ts`, 'changed'],
  ]);
  expect(drifts[0]?.diff).toMatch(/^-\s+"maximum": 300\n\+\s+"maximum": 500$/m);
  expect(changes).toEqual([
    { file, line: 9, pointer: '#/paths/~1things/get/parameters/0/schema/maximum', message: 'was 300, is 500' },
  ]);
});

test.each([
  { name: 'added', change: ['maximum: 300', 'maximum: 300, minimum: 1'], message: 'added: 1', line: 9 },
  { name: 'removed', change: [', maximum: 300', ''], message: 'removed: 300', line: 9 },
  {
    name: 'reordered',
    change: ['name: limit, in: query', 'in: query, name: limit'],
    message: 'the order of the members changed',
    line: 9,
  },
])('a member that was $name is named as such', async ({ change: [from = '', to = ''], message, line }) => {
  await writeFile(file, source.replace(from, to));
  expect((await checkNow()).changes).toMatchObject([{ message, line }]);
});

test('a file edited by hand differs, and no contract line is behind it', async () => {
  await writeFile(join(out, 'types.gen.ts'), '// mine\n');
  const { drifts, changes } = await checkNow();
  expect(drifts).toMatchObject([{ file: `${out}/types.gen.ts`, kind: 'changed' }]);
  expect(changes).toEqual([]);
});

test('a bundle edited by hand is not blamed on the contract', async () => {
  const bundle = join(out, 'contract.gen.json');
  await writeFile(bundle, (await readFile(bundle, 'utf8')).replace('300', '500'));
  expect(await checkNow()).toMatchObject({ drifts: [{ file: bundle, kind: 'changed' }], changes: [] });
});

test('bytes that are no text and links that lead nowhere are seen', async () => {
  const types = join(out, 'types.gen.ts');
  await writeFile(types, Buffer.concat([await readFile(types), Buffer.from([0xff])]));
  await symlink(join(folder, 'nowhere'), join(out, 'link'));
  expect((await checkNow()).drifts).toMatchObject([
    { file: `${out}/link`, kind: 'unexpected' },
    { file: types, kind: 'changed' },
  ]);
});

test.each([
  { name: 'a file', make: (path: string) => writeFile(path, ''), message: "can't be the output folder: it is a file." },
  {
    name: 'a folder where a file belongs',
    make: (path: string) => mkdir(join(path, 'types.gen.ts', 'below'), { recursive: true }),
    message: "can't be the output folder: a folder has the name of a derived file.",
  },
])('an output folder that is $name is refused, and nothing half written stays', async ({ make, message }) => {
  const path = join(folder, 'odd');
  await make(path);
  await expect(writeOutput(path, await deriveNow())).rejects.toThrow(message);
  const left = await readdir(path, { recursive: true }).catch(() => []);
  expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a missing file and one that nothing derives are both named, the folder manifest is not', async () => {
  await rm(join(out, 'handlers.gen.ts'));
  await writeFile(join(out, 'notes.txt'), 'left behind');
  await writeFile(join(out, 'package.json'), '{}');
  expect((await checkNow()).drifts).toEqual([
    { file: `${out}/handlers.gen.ts`, kind: 'missing', diff: '' },
    { file: `${out}/notes.txt`, kind: 'unexpected', diff: '' },
  ]);
});

test('generating again restores the folder, removes what is no longer derived and leaves the rest alone', async () => {
  await writeFile(join(out, 'types.gen.ts'), '// mine\n');
  await writeFile(join(out, 'old.gen.ts'), '// Generated by `lockstep generate` from ../contract.yaml.\n');
  await writeFile(join(out, 'mine.gen.ts'), '// generated by something else\n');
  await writeFile(join(out, 'package.json'), '{}');
  expect(await writeOutput(out, await deriveNow())).toEqual({
    written: ['types.gen.ts'],
    unchanged: ['contract.gen.json', 'handlers.gen.ts', 'operations.gen.ts', 'published.gen.json'],
    removed: ['old.gen.ts'],
  });
  expect((await checkNow()).drifts).toEqual([{ file: `${out}/mine.gen.ts`, kind: 'unexpected', diff: '' }]);
});

test('the same contract in another place gives the same bytes', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
  await cp(folder, elsewhere, { recursive: true });
  const again = await derive(await readContract(join(elsewhere, 'contract.yaml')), join(elsewhere, 'out'));
  expect([...again]).toEqual([...(await readOutput(out))].map(([name, bytes]) => [name, bytes.toString('utf8')]));
  await rm(elsewhere, { recursive: true });
});

async function deriveNow() {
  return derive(await readContract(file), out);
}

async function checkNow() {
  return check(await readContract(file), await deriveNow(), out);
}
