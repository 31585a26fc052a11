import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFileRule } from './file-rule.ts';

let around: string;
beforeAll(async () => {
  around = await realpath(await mkdtemp(join(tmpdir(), 'file-rule-')));
  for (const folder of ['api/parts', 'api/.git', 'shared', 'api-2'])
    await mkdir(join(around, folder), { recursive: true });
  for (const file of ['api/a.yaml', 'api/.env', 'shared/b.yaml', 'api-2/c.yaml'])
    await writeFile(join(around, file), '');
  await symlink(join(around, 'shared/b.yaml'), join(around, 'api/link.yaml'));
  await symlink(join(around, 'shared'), join(around, 'api/folder'));
  await symlink(join(around, 'api/.env'), join(around, 'api/env.yaml'));
  await symlink(join(around, 'shared/b.yaml'), join(around, 'api-2/contract.yaml'));
  await symlink(join(around, 'api'), join(around, 'to-api'));
});
afterAll(() => rm(around, { recursive: true }));

/** Paths below the folder around all. */
function judge(file: string, contract = 'api/a.yaml', allowFiles: readonly string[] = []) {
  const rule = createFileRule(contract.startsWith('/') ? contract : join(around, contract), {
    allowFiles: allowFiles.map((folder) => join(around, folder)),
  });
  return rule(file.startsWith('/') ? file : join(around, file));
}

test.each([
  { name: 'a file next to the contract', file: 'api/b.yaml' },
  { name: 'a file below', file: 'api/parts/b.yaml' },
  { name: 'a name that only begins with dots', file: 'api/parts/a..yaml' },
  { name: 'a file of a folder that was allowed', file: 'shared/b.yaml', allow: ['shared'] },
  { name: 'a link into a folder that was allowed', file: 'api/link.yaml', allow: ['shared'] },
  { name: 'a hidden file of a folder that was allowed', file: 'api/.env', allow: ['api'] },
  { name: 'a folder that is named by a link', file: 'to-api/parts/b.yaml', contract: 'to-api/a.yaml' },
  { name: 'a file next to the target of a link to a contract', file: 'shared/d.yaml', contract: 'api-2/contract.yaml' },
])('$name may be referred to', ({ file, contract, allow }) => {
  expect(judge(file, contract, allow)).toBeUndefined();
});

const outside = "leads to a file outside the contract's folder";
test.each([
  { name: 'an absolute path', file: '/etc/hostname', message: outside },
  { name: 'a folder whose name begins as that of the contract', file: 'api-2/c.yaml', message: outside },
  { name: 'a path with dots', file: 'api/parts/../../shared/b.yaml', message: outside },
  { name: 'a link to a file', file: 'api/link.yaml', message: `${outside}, ` },
  { name: 'a link to a folder', file: 'api/folder/none.yaml', message: `${outside}, ` },
  { name: 'a hidden file', file: 'api/.env', message: 'leads to a hidden file' },
  { name: 'a file in a hidden folder', file: 'api/.git/config', message: 'leads to a hidden file' },
  { name: 'a link to a hidden file', file: 'api/env.yaml', message: 'leads to a hidden file, ' },
  { name: 'a file outside of what was allowed', file: 'api-2/c.yaml', allow: ['shared'], message: outside },
  { name: 'any file for a contract in the root', file: '/etc/hostname', contract: '/a.yaml', message: outside },
])('$name is refused', ({ file, contract, allow, message }) => {
  const refusal = judge(file, contract, allow);
  expect(refusal?.message.startsWith(message)).toBe(true);
  expect(refusal?.fix).toMatch(/--allow-files \S+$/);
});

test('a device and a pipe are refused where a file may be referred to', () => {
  expect(judge('/dev/null', '/dev/a.yaml')?.message).toBe('leads to a device or a pipe');
});
