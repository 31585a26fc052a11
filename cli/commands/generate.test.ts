import { chmod, mkdtemp, open, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generate } from './generate.ts';

// If these fail, a contract changes without its author's knowledge, or is truncated.

const bare = `openapi: 3.1.1
info: {title: Rooms, version: '1', description: Rooms.}
x-default-responses: {'500': {$ref: '#/components/responses/Broken'}}
paths:
  /rooms:
    get:
      operationId: listRooms
      responses:
        '200': {description: All}
components: {responses: {Broken: {description: Broken}}}
`;
const completed = [{ path: '/rooms', method: 'get', statuses: ['500'] }];

let folder: string;
let contract: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-test-'));
  contract = join(folder, 'contract.yaml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a completed contract is reported, also if it is refused afterwards', async () => {
  await writeFile(contract, bare.replace('3.1.1', '4.0.0'));
  const { kind, text, json } = await generate({ contract, out: join(folder, 'out'), profile: 'house' });
  expect(kind).toBe('refused');
  expect(text).toMatch(/^completed \S+contract\.yaml: get \/rooms by 500\n\S+contract\.yaml:1:1 unsupported\//);
  expect(json).toMatchObject({ completed, problems: [{ line: 1 }] });
  expect(await readFile(contract, 'utf8')).toContain("        '500': {$ref: '#/components/responses/Broken'}\n");
  expect(await readdir(folder)).toEqual(['contract.yaml']);
});

test('a contract is completed by a rename: a reader meanwhile reads all of it, mode and link stay', async () => {
  const given = bare.replace('3.1.1', '4.0.0');
  await writeFile(contract, given);
  await chmod(contract, 0o604);
  const link = join(folder, 'link.yaml');
  await symlink('contract.yaml', link);
  const reader = await open(contract);

  await generate({ contract: link, out: join(folder, 'out'), profile: 'house' });
  expect(await reader.readFile('utf8')).toBe(given);
  await reader.close();
  expect(await readFile(contract, 'utf8')).not.toBe(given);
  expect((await stat(contract)).mode & 0o777).toBe(0o604);
  expect(await readlink(link)).toBe('contract.yaml');
  expect(await readdir(folder)).toEqual(['contract.yaml', 'link.yaml']);
});

test('without a profile the contract stays, and the JSON has no list of completed operations or problems', async () => {
  await writeFile(contract, bare);
  const { kind, json } = await generate({ contract, out: join(folder, 'out') });
  expect(kind).toBe('done');
  expect(Object.keys(json)).toEqual(['contract', 'written', 'unchanged', 'removed']);
  expect(await readFile(contract, 'utf8')).toBe(bare);
});
