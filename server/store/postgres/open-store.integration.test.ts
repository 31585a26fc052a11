import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../migrations/migrate.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations } from '../migrations/migrations.ts';
import { asRequest } from '../patience.ts';
import type { Tables } from '../schema.ts';
import { StoreUnavailable } from '../store.ts';
import { addSite, makeJob, makeKey, proxied } from '../suite/job-records.ts';
import { makeDevice } from '../suite/records.ts';
import { createPool, preparing } from './create-pool.ts';
import { createDatabase, patienceMs } from './fixtures/create-database.ts';
import { TcpProxy } from './fixtures/tcp-proxy.ts';
import { openPostgresStore } from './open-store.ts';
import { postgresSpelling } from './postgres-spelling.ts';

let url: string;
beforeAll(async () => {
  url = await createDatabase();
});

/** The URL with another part. */
function change(part: Partial<Pick<URL, 'host' | 'pathname' | 'username' | 'password' | 'search'>>): string {
  return Object.assign(new URL(url), part).href;
}

async function run(database: string, ...statements: readonly string[]): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  let rows: readonly object[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
}

describe('a database is refused with a reason, and without its password', () => {
  test.each([
    ['missing', 'of an unknown name', () => change({ pathname: '/unknown' })],
    ['denied', 'with a wrong password', () => change({ password: 'wrong' })],
    ['denied', 'with an unknown user', () => change({ username: 'nobody' })],
    ['unreachable', 'of a server that does not listen', () => change({ host: '127.0.0.1:1' })],
    ['unreachable', 'of a host without an address', () => change({ host: 'db.invalid' })],
    ['unreachable', 'of a server without TLS, if TLS is asked for', () => change({ search: '?sslmode=verify-full' })],
  ] as const)('%s: %s', async (reason, _name, address) => {
    const opening = openPostgresStore(address());
    await expect(opening).rejects.toMatchObject({ reason, message: expect.not.stringContaining('not-a-secret') });
  });

  test('unreachable: of a server that accepts and then is silent', { tags: ['full'] }, async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    const { port } = await new Promise<{ port: number }>((resolve) =>
      silent.once('listening', () => resolve(silent.address() as { port: number })),
    );
    await expect(openPostgresStore(change({ host: `127.0.0.1:${port}` }))).rejects.toMatchObject({
      reason: 'unreachable',
    });
    silent.close();
  });

  test('foreign: of another program, and it stays as it is', async () => {
    const foreign = await createDatabase();
    await run(foreign, 'create table schema_version (version text)');
    await expect(openPostgresStore(foreign)).rejects.toMatchObject({
      reason: 'foreign',
      message: expect.stringContaining('schema_version'),
    });
    expect(await run(foreign, "select relname from pg_class where relname = 'device'")).toEqual([]);
  });

  test('empty: unless it may be filled', async () => {
    const empty = await createDatabase();
    await expect(openPostgresStore(empty, { mayCreate: false })).rejects.toMatchObject({ reason: 'empty' });
    await (await openPostgresStore(empty)).close();
    await (await openPostgresStore(empty, { mayCreate: false })).close();
  });

  test('newer: written by a later version', async () => {
    const newer = await createDatabase();
    await (await openPostgresStore(newer)).close();
    await run(newer, `insert into schema_version values (${migrations.length + 1}, 'later', 0)`);
    await expect(openPostgresStore(newer)).rejects.toMatchObject({ reason: 'newer' });
  });

  test.each([
    ['synchronous_commit', 'off'],
    ['default_transaction_isolation', 'serializable'],
  ])('unsafe: with %s = %s', async (name, value) => {
    const unsafe = await createDatabase();
    await run(unsafe, `alter database ${new URL(unsafe).pathname.slice(1)} set ${name} = '${value}'`);
    await expect(openPostgresStore(unsafe)).rejects.toMatchObject({
      reason: 'unsafe',
      message: expect.stringContaining(`${name} = ${value}`),
    });
  });

  test('read_only: on a standby, or with transactions that only read', async () => {
    const standby = await createDatabase();
    await run(standby, `alter database ${new URL(standby).pathname.slice(1)} set default_transaction_read_only = on`);
    await expect(openPostgresStore(standby)).rejects.toMatchObject({ reason: 'read_only' });
  });
});

test('five processes that start at once on an empty database make one schema', async () => {
  const database = await createDatabase();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(database)));
  for (const store of stores) await store.ping();
  for (const store of stores) await store.close();
  const versions = await run(database, 'select version from schema_version order by version');
  expect(versions).toEqual(migrations.map(({ version }) => ({ version })));
});

describe('a step of a later version', () => {
  const later = (up: Migration['up']): readonly Migration[] => [
    ...migrations,
    { version: migrations.length + 1, name: 'later', up },
  ];
  const addColumn: Migration['up'] = ({ schema }) => schema.alterTable('device').addColumn('later', 'text').execute();

  async function openBoth() {
    const database = await createDatabase();
    const store = await openPostgresStore(database);
    await store.accounts.put({ id: 'acme', name: 'Acme', trialEndsAt: null });
    await store.imports.write({ properties: [], devices: [makeDevice('acme', 'LK1')] });
    const pool = createPool(database);
    const newer = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
    return { database, store, newer };
  }

  test('is added while an earlier version serves, which then does not start again', async () => {
    const { database, store, newer } = await openBoth();
    const find = () => store.devices.find('acme', 'LK1');
    for (let run = 0; run < 10; run += 1) await find(); // prepared on the server by then
    await migrate(newer, postgresSpelling, () => 1, later(addColumn));
    expect(await find()).toEqual(makeDevice('acme', 'LK1'));
    expect(await store.devices.setBatteryLevel('acme', 'LK1', 7)).toBe(true);
    await expect(openPostgresStore(database)).rejects.toMatchObject({ reason: 'newer' });
    await store.close();
    await newer.destroy();
  });

  test('that is interrupted leaves nothing, and the next start completes it', async () => {
    const { database, store, newer } = await openBoth();
    const interrupted = later(async (transaction, spelling) => {
      await addColumn(transaction, spelling);
      throw new Error('the process exits here');
    });
    await expect(migrate(newer, postgresSpelling, () => 1, interrupted)).rejects.toThrow('exits here');
    await (await openPostgresStore(database)).close();
    await migrate(newer, postgresSpelling, () => 1, later(addColumn));
    await store.close();
    await newer.destroy();
  });
});

test('a store that is closed serves earlier requests first, more than it has connections', async () => {
  const store = await openPostgresStore(await createDatabase(), { patienceMs });
  const answers = Promise.all(Array.from({ length: 30 }, () => store.accounts.list()));
  await store.close();
  expect((await answers).flat()).toEqual([]);
  await expect(store.accounts.list()).rejects.toThrow();
});

test('every text is compared by its bytes, whatever the order of the database is', async () => {
  const database = await createDatabase();
  await (await openPostgresStore(database)).close();
  const others = await run(
    database,
    `select table_name, column_name from information_schema.columns
     where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`,
  );
  expect(others).toEqual([]);
});

describe('a pool', () => {
  test('reads a 64-bit integer as a number', async () => {
    const pool = createPool(url);
    expect((await pool.query('select 9007199254740991::bigint as big, count(*) as count')).rows).toEqual([
      { big: Number.MAX_SAFE_INTEGER, count: 1 },
    ]);
    await pool.end();
  });

  test('asks for the settings that docs/operating.md gives to a role behind PgBouncer', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
    const given = [...page.matchAll(/^ *alter role lockstep (set .*);$/gm)].map(([, statement = '']) => statement);
    const ofNetwork = '^(application_name|client_encoding|tcp_keepalives_.*)$';
    const read = (source: string) =>
      `select name, setting from pg_settings where source = '${source}' and name !~ '${ofNetwork}' order by name`;
    const pool = createPool(url);
    expect(await run(url, ...given, read('session'))).toEqual((await pool.query(read('client'))).rows);
    await pool.end();
  });

  test('prepares a text that runs often, and no other', async () => {
    const pool = preparing(createPool(url));
    const client = await pool.connect();
    for (let run = 0; run < 5; run += 1) await client.query('select $1::int as often', [run]);
    await client.query('select $1::int as once', [1]);
    const { rows } = await client.query('select statement from pg_prepared_statements', []);
    expect(rows).toEqual([{ statement: 'select $1::int as often' }]);
    client.release();
    await pool.end();
  });

  test.each([
    ['the connection is lost', 'select pg_terminate_backend(pg_backend_pid())'],
    ['a statement takes too long', 'set statement_timeout = 1; select pg_sleep(9)'],
    ['a lock is held too long', 'set lock_timeout = 1; select pg_advisory_lock(1)'],
  ])('answers that the store is unavailable when %s, and then goes on', async (_name, statement) => {
    const holder = createPool(url);
    const held = await holder.connect();
    await held.query('select pg_advisory_lock(1)');
    const pool = preparing(createPool(url));
    const client = await pool.connect();
    await expect(client.query(statement, [])).rejects.toThrow(StoreUnavailable);
    client.release(true);
    const next = await pool.connect();
    expect(await next.query('select 1 as one', [])).toMatchObject({ rows: [{ one: 1 }] });
    next.release();
    held.release(true);
    await holder.end();
    await pool.end();
  });
});

test('a job whose commit was not answered is created once, if its client repeats the request', async () => {
  const database = await createDatabase();
  await using network = await TcpProxy.create(Number(new URL(database).port));
  const store = await openPostgresStore(Object.assign(new URL(database), { port: network.port }).href, { patienceMs });
  const site = await addSite(store);
  for (let times = 0; times < 10; times += 1) {
    const [job, key] = [makeJob(site), makeKey(site, `lost-${times}`)];
    network.losesCommitOf = job.jobId;
    await expect(store.jobs.create(job, proxied, key)).rejects.toMatchObject({
      reason: 'unreachable',
      isUndone: false,
    });
    expect(await store.jobs.create(makeJob(site), proxied, key)).toMatchObject({ kind: 'replayed' });
  }
  await store.close();
  expect(await run(database, 'select count(*)::int as jobs from job')).toEqual([{ jobs: 10 }]);
});

describe('a request', () => {
  const wait = 'select pg_sleep(0.15)';
  const open = (database: string) => preparing(createPool(database, patienceMs), 600);
  const until = async (act: () => Promise<void>) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = asRequest(() => void act().then(resolve, reject));
    await promise;
    return end;
  };

  test('waits for all its statements together no longer than its patience; a task waits for each', async () => {
    const pool = open(url);
    let statements = 0;
    const work = async () => {
      const client = await pool.connect();
      try {
        for (statements = 0; statements < 5; statements += 1) await client.query(wait, []);
      } finally {
        client.release();
      }
    };
    await work();
    expect(statements).toBe(5);
    await until(() => expect(work()).rejects.toThrow(StoreUnavailable));
    expect(statements).toBeLessThan(5);
    // A task that the request has started, and that goes on after its answer, is no part of the request.
    let later = Promise.resolve();
    const over = Promise.withResolvers<void>();
    const end = await until(async () => {
      later = over.promise.then(work);
    });
    end();
    over.resolve();
    await later;
    await pool.end();
  });

  test('that has waited before, and then for a lock, finds the database busy, and other connections stay', async () => {
    const holder = createPool(url);
    const held = await holder.connect();
    await held.query('select pg_advisory_lock(2)');
    const pool = preparing(createPool(url, 600), 600);
    const [client, other] = await Promise.all([pool.connect(), pool.connect()]);
    const pid = async (of = other) => (await of.query('select pg_backend_pid() as pid', [])) as { rows: unknown[] };
    const before = await pid();
    other.release();
    const lock = 'select pg_advisory_lock(2)';
    let fault: unknown;
    await until(async () => {
      await client.query(wait, []);
      fault = await (client.query(lock, []) as Promise<unknown>).catch((error) => error);
    });
    expect(fault).toMatchObject({ reason: 'busy' });
    await expect(client.query('rollback', [])).rejects.toBe(fault);
    client.release();
    const next = await pool.connect();
    expect((await pid(next)).rows).toEqual(before.rows);
    // A caller that waits longer than the server gets the server's reason.
    await expect(next.query(lock, [])).rejects.toMatchObject({
      reason: 'busy',
      message: 'the database is unavailable: canceling statement due to lock timeout (SQLSTATE 55P03)',
    });
    next.release();
    held.release(true);
    await holder.end();
    await pool.end();
  });

  test('goes on when its database is silent, and no connection from before is used again', async () => {
    await using network = await TcpProxy.create(Number(new URL(url).port));
    const pool = open(change({ host: `127.0.0.1:${network.port}` }));
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    for (const client of clients) await client.query('select 1', []);
    clients[1]?.release();
    network.isSilent = true;
    await expect(clients[0]?.query('select 1', [])).rejects.toMatchObject({ reason: 'unreachable' });
    clients[0]?.release();
    network.isSilent = false;
    const next = await pool.connect();
    expect(await next.query('select 2 as two', [])).toMatchObject({ rows: [{ two: 2 }] });
    next.release();
    await pool.end();
  });
});
