import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main, runHere, runProcess } from './commands/fixtures/run-command.ts';
import { openDatabase } from './store/sqlite/open-database.ts';

// If these fail, a backup turns out to be unusable when it is needed.

const house = { id: '65a000000000000000000001', name: 'House', timezone: 'Europe/Berlin' };
const site = {
  account: { id: 'acme', name: 'Acme' },
  properties: [house],
  devices: [
    { deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [house.id], capabilities: { algoPin: true } },
    { deviceId: 'BR1', deviceName: 'Bridge', type: 'Bridge', properties: [house.id], links: ['LK1'] },
  ],
};

const stopper = new URL('../test/fixtures/stop-when.mjs', import.meta.url).href;

let folder: string;
let keys: string;
let database: string;
let secret: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  keys = join(folder, 'keys.json');
  database = join(folder, 'service.sqlite');
  writeFileSync(join(folder, 'acme.json'), JSON.stringify(site));
  for (const args of [
    ['keys', 'create'],
    ['import', join(folder, 'acme.json')],
  ])
    expect((await run(args)).exitCode).toBe(0);
  const { json } = await run(['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme']);
  secret = String(json.secret);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('a backup of a server that is being written to', () => {
  let backup: string;
  let token: string;
  let pin: string;
  /** The server on the restored database. */
  let restored: { readonly database: string } & Pick<Awaited<ReturnType<typeof serve>>, 'origin' | 'stop'>;
  /** Requests that were answered with success before the backup began. */
  let acknowledged: { readonly entries: readonly number[]; readonly jobId: string };

  test('is complete, and contains everything that was acknowledged before it began', async () => {
    const service = await serve();
    token = await service.askToken();
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const send = async (path: string, body: object) => {
      const response = await fetch(`${service.origin}/v1/devices/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect([path, response.status]).toEqual([path, 200]);
      return (await response.json()) as Record<string, string>;
    };
    pin = (await send('LK1/algopin/permanent', { accessName: 'Owner', variance: 1 })).pin ?? '';
    const { jobId = '' } = await send('LK1/jobs/bridges/BR1', { jobType: 'UNLOCK' });

    // Each entry has its own time, by which it is found again.
    const entries: number[] = [];
    const latest = Date.now() - 1000;
    let writing = true;
    const write = async (writer: number) => {
      for (let number = 0; writing; number += 1) {
        const at = latest - 4 * number - writer;
        const log = JSON.stringify({ logType: 51, entryDate: at });
        const item = JSON.stringify({ id: `${at}`, user: 'owner', ts: Date.now(), payload: { lockName: 'Door', log } });
        await send('LK1/activity', { logsPayload: [item] });
        entries.push(at);
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    await expect.poll(() => entries.length, { timeout: 20_000 }).toBeGreaterThan(100);

    acknowledged = { entries: [...entries], jobId };
    backup = join(folder, 'night.sqlite');
    const result = await runProcess(['backup', backup, '--json'], { env: environment({}) });
    const during = entries.length - acknowledged.entries.length;
    writing = false;
    await Promise.all(writers);
    expect(await service.stop()).toEqual([0, null]);

    expect(result.exitCode).toBe(0);
    expect(result.json).toMatchObject({ file: backup, database, bytes: statSync(backup).size });
    expect(during).toBeGreaterThan(0);
    expect((statSync(backup).mode & 0o777).toString(8)).toBe('600');
    const kept = new Set(read(backup, 'select at from activity').flat());
    expect(acknowledged.entries.filter((at) => !kept.has(at))).toEqual([]);
    // All other tables equal the database; these may have fewer rows, since the server continued to write.
    for (const table of tables(database)) {
      const [before, after] = [backup, database].map((file) => read(file, `select * from "${table}"`));
      if (/^(activity|job|device|lock_memory)$/.test(table))
        expect(before?.length).toBeLessThanOrEqual(after?.length ?? 0);
      else expect([table, before]).toEqual([table, after]);
    }
  });

  test('is restored elsewhere, equal in every table, and is served with the earlier tokens and codes', async () => {
    const elsewhere = join(folder, 'elsewhere', 'service.sqlite');
    const env = { DATABASE_URL: `sqlite:${elsewhere}` };
    const result = await runProcess(['restore', backup, '--json'], { env: environment(env) });
    expect(result).toMatchObject({ exitCode: 0, json: { database: elsewhere, replaced: false } });
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['service.sqlite']);
    expect((statSync(elsewhere).mode & 0o777).toString(8)).toBe('600');
    expect(tables(elsewhere)).toEqual(tables(backup));
    expect(tables(elsewhere).length).toBeGreaterThan(12);
    for (const table of tables(backup))
      expect([table, read(elsewhere, `select * from "${table}"`)]).toEqual([
        table,
        read(backup, `select * from "${table}"`),
      ]);

    const { port, ...service } = await serve(env);
    restored = { database: elsewhere, ...service };
    // Issuer and audience contain the port: the same deployment has the same origin on any machine.
    expect(port).toBe(firstPort);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const get = async (path: string) =>
      (await fetch(`${service.origin}/v1/${path}`, { headers })).json() as Promise<object>;
    expect(await get('devices/LK1')).toMatchObject({ deviceName: 'Door', timezone: 'Europe/Berlin' });
    expect(await get(`jobs/${acknowledged.jobId}`)).toMatchObject({ jobId: acknowledged.jobId });
    // A log entry of a lock gets the name of its code: both ids derive from the key file.
    const log = JSON.stringify({ logType: 50, entryDate: Date.now(), pin });
    const item = JSON.stringify({ id: 'used', user: 'owner', ts: Date.now(), payload: { lockName: 'Door', log } });
    const pushed = await fetch(`${service.origin}/v1/devices/LK1/activity`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ logsPayload: [item] }),
    });
    expect(await pushed.json()).toMatchObject({ accepted: 1 });
    // It may not be the newest: the bridge may run the earlier job at any moment, which the lock logs too.
    expect(await get('devices/LK1/activity?limit=5')).toMatchObject({
      payload: expect.arrayContaining([expect.objectContaining({ accessName: 'Owner' })]),
    });
    expect(await service.askToken()).toMatch(/^ey/);
  });

  test('is not restored while a server has the database open', async () => {
    const env = { DATABASE_URL: `sqlite:${restored.database}` };
    const open = await run(['restore', backup, '--force'], env);
    expect([open.exitCode, open.json.error]).toEqual([
      2,
      `${restored.database} is open in another process. Stop the server first.`,
    ]);
    expect((await fetch(`${restored.origin}/healthz`)).status).toBe(200);
    expect(await restored.stop()).toEqual([0, null]);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['service.sqlite']);
  });

  test('is not restored over an existing database, or under other keys', async () => {
    const before = readFileSync(database);
    const refusals = [
      { args: [], exitCode: 1, says: `${database} exists, and its data would be lost.\nBack it up: ` },
      {
        args: ['--force'],
        env: { LOCKSTEP_KEYS: join(folder, 'other.json') },
        exitCode: 2,
        says: /other\.json does not exist\. First restore the key file that belongs to .*night\.sqlite \(LOCKSTEP_KEYS/,
      },
    ];
    for (const { args, env, exitCode, says } of refusals) {
      const result = await run(['restore', backup, ...args], env);
      expect(result.exitCode).toBe(exitCode);
      expect(result.json.error).toMatch(says);
    }
    const other = { LOCKSTEP_KEYS: join(folder, 'other.json') };
    await run(['keys', 'create'], other);
    const foreign = await run(['restore', backup, '--force'], other);
    expect([foreign.exitCode, foreign.json.error]).toEqual([2, expect.stringContaining('belongs to another key file')]);
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('replaces a damaged database, whose WAL is not applied to it', async () => {
    for (const end of ['-wal', '-shm']) writeFileSync(database + end, 'of the old one');
    writeFileSync(database, 'damaged');
    const refused = await run(['account', 'list']);
    expect(refused.json.error).toMatch(/service\.sqlite is damaged .*\nRestore it: .* restore BACKUP --force$/);
    expect((await run(['restore', backup, '--force'])).json).toMatchObject({ database, replaced: true });
    expect(read(database, 'select count(*) from activity')).toEqual(read(backup, 'select count(*) from activity'));
    expect(readdirSync(folder).filter((name) => name.startsWith('service.sqlite'))).toEqual(['service.sqlite']);
  });

  test.each([
    {
      name: 'of a later version',
      change: "insert into schema_version values (9999, 'later', 0)",
      says: /schema 9999, this version of the server knows/,
    },
    {
      name: 'of another program',
      change: 'drop table schema_version; pragma application_id = 7',
      says: /changed\.sqlite is a database of another/,
    },
    {
      name: 'without its versions',
      change: 'drop table schema_version',
      says: /changed\.sqlite is damaged: its table schema_version is missing/,
    },
    {
      name: 'with a foreign trigger',
      change: `create trigger "grab\u001b[2J" after update on owner begin select 1; end`,
      says: /changed\.sqlite does not have the schema that the server creates: trigger "grab\\u001b\[2J" is not part of the schema\./,
    },
  ])('$name is not restored, and the existing database stays', async ({ change, says }) => {
    const changed = join(folder, 'changed.sqlite');
    copyFileSync(backup, changed);
    const connection = openDatabase(changed);
    connection.exec(change);
    connection.close();
    const before = readFileSync(database);
    const { exitCode, json } = await run(['restore', changed, '--force']);
    expect(exitCode).toBe(2);
    expect(json.error).toMatch(says);
    expect(readFileSync(database).equals(before)).toBe(true);
  });
});

test('a backup overwrites a file only with --force, and never the database', async () => {
  const taken = join(folder, 'taken');
  writeFileSync(taken, 'precious');
  expect(await run(['backup', taken])).toMatchObject({ exitCode: 1, json: { error: /exists already and stays/ } });
  expect(readFileSync(taken, 'utf8')).toBe('precious');
  expect((await run(['backup', taken, '--force'])).exitCode).toBe(0);
  expect(read(taken, 'select count(*) from account')).toEqual([[1]]);
  for (const [file, says] of [
    [database, 'is the database itself'],
    [folder, 'is a folder'],
    [join(folder, 'none', 'x'), 'none does not exist'],
  ] as const) {
    const { exitCode, json } = await run(['backup', file, '--force']);
    expect([exitCode, json.error]).toEqual([2, expect.stringContaining(says)]);
  }
  const missing = await run(['backup', join(folder, 'x')], { DATABASE_URL: `sqlite:${join(folder, 'none.sqlite')}` });
  expect([missing.exitCode, missing.json.error]).toEqual([2, expect.stringContaining('none.sqlite does not exist')]);
});

test('Ctrl-C in the middle of either stops it with a message, and leaves no incomplete file', async () => {
  const large = join(folder, 'large.sqlite');
  copyFileSync(database, large);
  const connection = openDatabase(large);
  connection.exec('create table filling (bytes blob) strict');
  const insert = connection.prepare('insert into filling values (zeroblob(1000000))');
  connection.transaction(() => {
    for (let megabytes = 0; megabytes < 24; megabytes += 1) insert.run(); // three steps of a copy
  })();
  connection.close();
  const target = join(folder, 'interrupted.sqlite');
  for (const [args, env] of [
    [['backup', target], { DATABASE_URL: `sqlite:${large}` }],
    [['restore', large], { DATABASE_URL: `sqlite:${target}` }],
  ] as const) {
    // The signal is sent when the file of the copy exists.
    const stop = { STOP_WHEN: '.part', STOP_BY: 'SIGINT' };
    const child = spawn(process.execPath, ['--import', stopper, main, ...args], {
      env: environment({ ...env, ...stop }),
    });
    children.add(child);
    const ended = once(child, 'exit');
    const said = child.stderr.setEncoding('utf8').toArray();
    expect([...(await ended), (await said).join('')]).toEqual([1, null, 'Stopped. Nothing was written.\n']);
    expect(readdirSync(folder).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  }
});

test('a backup that restore would refuse is reported', async () => {
  const altered = join(folder, 'altered.sqlite');
  copyFileSync(database, altered);
  const connection = openDatabase(altered);
  connection.exec('create index mine on owner (name)');
  connection.close();
  const { exitCode, json } = await run(['backup', join(folder, 'of-altered')], { DATABASE_URL: `sqlite:${altered}` });
  expect([exitCode, json.differences]).toEqual([0, ['index "mine" is not part of the schema']]);
});

test('a backup needs no key file', async () => {
  const file = join(folder, 'keyless');
  expect((await run(['backup', file], { LOCKSTEP_KEYS: join(folder, 'nowhere.json') })).exitCode).toBe(0);
  expect(existsSync(file)).toBe(true);
});

let firstPort: number;

/** Starts a server process on the port of the first one, so that all have one origin. */
async function serve(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environment({ PORT: String(firstPort ?? 0), LOG_LEVEL: 'info', ACCOUNT_QUOTA: '0', ...env }),
  });
  children.add(child);
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { msg, origin: at } = JSON.parse(line);
      if (msg === 'ready') resolve(at);
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
  const port = Number(new URL(origin).port);
  firstPort ??= port;
  const askToken = async () => {
    const response = await fetch(`${origin}/auth/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`acme-own:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const stop = () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    return ended;
  };
  return { origin, port, askToken, stop };
}

function run(args: readonly string[], env: Record<string, string> = {}) {
  return runHere([...args, '--json'], { env: environment(env) });
}

function environment(more: Record<string, string>) {
  return { ...process.env, LOCKSTEP_KEYS: keys, DATABASE_URL: `sqlite:${database}`, ...more };
}

/** Rows in stored order, as another program reads them. */
function read(file: string, query: string): unknown[][] {
  const connection = openDatabase(file, { mayCreate: false });
  try {
    return connection.prepare(query).raw().all() as unknown[][];
  } finally {
    connection.close();
  }
}

function tables(file: string): string[] {
  return read(
    file,
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
  ).map(([name]) => String(name));
}
