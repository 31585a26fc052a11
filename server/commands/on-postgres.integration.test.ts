import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../store/postgres/fixtures/create-database.ts';
import { main, runHere } from './fixtures/run-command.ts';

// An operator's first hour on a PostgreSQL database, in order. `main.integration.test.ts` has all commands, on SQLite.

const file = {
  account: { id: 'acme', name: 'Acme' },
  properties: [{ id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' }],
  devices: [{ deviceId: 'LK1', deviceName: 'Tür', type: 'Lock', properties: ['65a000000000000000000001'] }],
};

let folder: string;
let url: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-'));
  url = await createDatabase();
  env = { ...process.env, PORT: '0', LOCKSTEP_KEYS: join(folder, 'keys.json'), DATABASE_URL: url };
  await writeFile(join(folder, 'acme.json'), JSON.stringify(file));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) => runHere(args, { env });

describe('an operator on PostgreSQL', () => {
  test('learns that the database is empty, and how to fill it', async () => {
    expect(await run('account', 'list')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is empty\. Check DATABASE_URL\.\nOr fill it: .*import FILE/),
    });
  });

  test('fills it, and again, which changes nothing', async () => {
    expect(await run('keys', 'create')).toMatchObject({ exitCode: 0 });
    for (let times = 0; times < 2; times += 1)
      expect(await run('import', join(folder, 'acme.json'))).toMatchObject({ exitCode: 0 });
    expect((await run('device', 'list', '--json')).json).toMatchObject({ devices: [{ deviceId: 'LK1' }] });
  });

  test('serves from it, next to other commands, and stops by SIGTERM', async () => {
    const { json: client } = await run('client', 'create', 'acme-own', '--name', 'A', '--account', 'acme', '--json');
    const service = spawn(process.execPath, [main, 'serve'], { env });
    const ready = Promise.withResolvers<{ readonly origin: string; readonly database: string }>();
    let printed = '';
    createInterface({ input: service.stdout }).on('line', (line) => {
      printed += line;
      if (line.includes('"ready"')) ready.resolve(JSON.parse(line));
    });
    service.once('exit', () => ready.reject(new Error(`the server exits, after: ${printed}`)));
    const { origin, database } = await ready.promise;
    expect(database).toBe(url.replace(':not-a-secret', ''));
    const answer = await fetch(`${origin}/auth/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`acme-own:${client.secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const list = () => fetch(`${origin}/v1/devices`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await list()).json()).toMatchObject({ payload: [{ deviceId: 'LK1', deviceName: 'Tür' }] });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(await run('account', 'disable', 'acme')).toMatchObject({ exitCode: 0 });
    expect((await list()).status).toBe(401);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });

  test('backs it up with the commands of PostgreSQL', async () => {
    for (const [command, program] of [
      ['backup', 'pg_dump'],
      ['restore', 'pg_restore'],
    ] as const)
      expect(await run(command, 'x.dump')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(new RegExp(`PostgreSQL: ${program} .*postgres://postgres@127`)),
      });
  });

  test.each([
    ['of an unknown database', () => url.replace(/[^/]+$/, 'unknown'), 'does not exist'],
    ['with a wrong password', () => url.replace('not-a-secret', 'hunter2'), 'rejects this user or password'],
    ['of a server that does not listen', () => url.replace(/:\d+\//, ':1/'), "can't be reached"],
    ['without a name', () => url.replace(/[^/]+$/, ''), 'the name of the database is missing'],
    ['with a mistyped parameter', () => `${url}?sslmod=verify-full`, 'the parameter sslmod'],
  ])('reads what is wrong with an address %s', async (_name, address, message) => {
    const { exitCode, stderr } = await runHere(['serve'], { env: { ...env, DATABASE_URL: address() } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toMatch(/not-a-secret|hunter2/);
  });
});
