import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../store/postgres/fixtures/create-database.ts';
import { runHere } from './fixtures/run-command.ts';

const site = {
  account: { id: 'acme', name: 'Acme' },
  properties: [{ id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' }],
  devices: [{ deviceId: 'LK1', deviceName: 'Tür', type: 'Lock', properties: ['65a000000000000000000001'] }],
};

let folder: string;
let file: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'copy-'));
  file = join(folder, 'data.sqlite');
  env = { ...process.env, LOCKSTEP_KEYS: join(folder, 'keys.json'), DATABASE_URL: `sqlite:${file}` };
  writeFileSync(join(folder, 'acme.json'), JSON.stringify(site));
  await runHere(['keys', 'create'], { env });
  await runHere(['import', join(folder, 'acme.json')], { env });
});
afterAll(() => rm(folder, { recursive: true }));

const copy = (from: string, to: string, ...more: string[]) =>
  runHere(['copy', '--from', from, '--to', to, ...more], { env });

test('copy prints the rows of each table, and that the key file stays the same', async () => {
  const url = await createDatabase();
  const { exitCode, json } = await copy(`sqlite:${file}`, url, '--json');
  expect([exitCode, json]).toEqual([
    0,
    expect.objectContaining({
      from: file,
      to: url.replace(':not-a-secret', ''),
      tables: expect.objectContaining({ account: 1, device: 1, owner: 0 }),
      rows: 5,
      changedRows: 0,
      resumed: false,
    }),
  ]);
  const { stdout } = await copy(`sqlite:${file}`, await createDatabase());
  expect(stdout).toMatch(
    /^1 account\n[\s\S]*\nCopied .*data\.sqlite to postgres:.*: 5 rows, .* s\. Each row was read back and is equal\.\nNow set DATABASE_URL to the copy, and serve with the same key file .*keys\.json\. .*\n$/,
  );
  const devices = await runHere(['device', 'list', '--json'], { env: { ...env, DATABASE_URL: url } });
  expect(devices.json).toMatchObject({ devices: [{ deviceId: 'LK1', deviceName: 'Tür' }] });
});

test.each([
  [
    'from a file that does not exist',
    'sqlite:/nowhere/x',
    'postgres://127.0.0.1:1/x',
    'the database /nowhere/x does not exist. Check --from.',
  ],
  ['from a folder', 'sqlite:/tmp', 'postgres://127.0.0.1:1/x', '/tmp is not a file. Check --from.'],
  [
    'from PostgreSQL',
    'postgres://h/x',
    'sqlite:/tmp/x',
    'copies from SQLite to PostgreSQL: --from sqlite:FILE --to postgres:',
  ],
  ['to SQLite', 'sqlite:/tmp/x', 'sqlite:/tmp/y', 'use backup and restore, or pg_dump and pg_restore'],
  ['from a bare path', '/tmp/x', 'postgres://h/x', '--from /tmp/x: a database is sqlite:FILE or postgres:'],
  [
    'to an address with a fault',
    'sqlite:/tmp/x',
    'postgres://u:hunter2@h/x?sslmod=1',
    '--to postgres:…@h/x?…: it has the parameter sslmod',
  ],
])('copy %s is wrong use, with its reason', async (_name, from, to, message) => {
  const { exitCode, stderr } = await copy(from, to);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).not.toContain('hunter2');
});

test('copy into a server that does not answer is wrong use, without the password', async () => {
  const { exitCode, stderr } = await copy(`sqlite:${file}`, 'postgres://u:hunter2@127.0.0.1:1/x');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("postgres://u@127.0.0.1:1/x can't be reached")]);
});
