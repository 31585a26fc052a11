import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generate } from './generate.ts';

// If these fail, a contract changes behind its author's back.

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

test('a contract that was completed is told to be, also where it is refused afterwards', async () => {
  await writeFile(contract, bare.replace('3.1.1', '4.0.0'));
  const { exitCode, text, json } = await generate({ contract, out: join(folder, 'out'), profile: 'house' });
  expect(exitCode).toBe(2);
  expect(text).toMatch(/^completed \S+contract\.yaml: get \/rooms by 500\n\S+contract\.yaml:1:1 unsupported\//);
  expect(json).toMatchObject({ completed, problems: [{ line: 1 }] });
  expect(await readFile(contract, 'utf8')).toContain("        '500': {$ref: '#/components/responses/Broken'}\n");
  expect(await readdir(folder)).toEqual(['contract.yaml']);
});
