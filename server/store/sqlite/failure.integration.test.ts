import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStore } from '../create-store.ts';
import { migrate } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { StoreUnavailable } from '../store.ts';
import { makeDevice } from '../suite/records.ts';
import { holdLock } from './fixtures/hold-lock.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { openDatabase } from './open-database.ts';
import { openSqliteStore } from './open-store.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-failure-'));
const path = join(folder, 'service.sqlite');
const patienceMs = 500;

beforeAll(async () => {
  const store = await openSqliteStore(path);
  await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
  await store.imports.write({ properties: [], devices: [makeDevice('account-a', 'LK1')] });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('while another process holds the lock', () => {
  test('a write fails with StoreUnavailable after some time, reads go on, and the same write succeeds afterwards', async () => {
    const store = await openSqliteStore(path);
    const release = await holdLock(path);
    const writes = [
      () => store.devices.setBatteryLevel('account-a', 'LK1', 7),
      () => store.oidc.revokeGrant('grant', 'hash', 1, 2),
    ];
    for (const write of writes) {
      const began = performance.now();
      const failure = write().catch((error: unknown) => error);
      expect(await store.devices.find('account-a', 'LK1')).toMatchObject({ batteryLevel: 50 });
      expect(await failure).toBeInstanceOf(StoreUnavailable);
      expect(await failure).toHaveProperty('message', expect.stringMatching(/database is locked, for \d+ ms by now$/));
      expect(performance.now() - began).toBeGreaterThan(patienceMs * 0.8);
      expect(performance.now() - began).toBeLessThan(patienceMs * 50);
    }
    await release();
    for (const write of writes) await write();
    expect(await store.devices.find('account-a', 'LK1')).toMatchObject({ batteryLevel: 7 });
    expect(await store.oidc.isGrantRevoked('grant')).toBe(true);
    await store.close();
  });

  test('waiting writers run once the lock is released, and read what they wrote', async () => {
    const store = await openSqliteStore(path);
    const release = await holdLock(path);
    const written = [8, 9].map((level) => store.devices.setBatteryLevel('account-a', 'LK1', level));
    await release();
    expect(await Promise.all(written)).toEqual([true, true]);
    expect(await store.devices.find('account-a', 'LK1')).toMatchObject({ batteryLevel: 9 });
    await store.close();
  });

  test('closing finishes: waiting writers are refused first, and none after them begins', async () => {
    const store = await openSqliteStore(path);
    const release = await holdLock(path);
    const waiting = Array.from({ length: 10 }, (_, index) =>
      store.devices.setBatteryLevel('account-a', 'LK1', index).catch((error: unknown) => error),
    );
    const began = performance.now();
    await store.close();
    expect(performance.now() - began).toBeLessThan(patienceMs * 8); // not ten times as long
    for (const failure of await Promise.all(waiting)) expect(failure).toBeInstanceOf(StoreUnavailable);
    await expect(store.devices.setBatteryLevel('account-a', 'LK1', 1)).rejects.toThrow('destroyed');
    await release();
  });

  test('a file whose schema is up to date is opened, since nothing is written then', async () => {
    const release = await holdLock(path);
    const store = await openSqliteStore(path);
    expect(await store.accounts.list()).toHaveLength(1);
    await store.close();
    await release();
  });

  test('a file whose schema needs a change is not opened, with the reason, and the event loop is not blocked', async () => {
    const old = join(folder, 'old.sqlite');
    const database = new Kysely<Tables>({ dialect: new ImmediateDialect(openDatabase(old)) });
    await migrate(database, sqliteSpelling, Date.now, migrations.slice(0, -1));
    await database.destroy();
    const release = await holdLock(old);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 10);
    await expect(openSqliteStore(old)).rejects.toMatchObject({ reason: 'locked' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
    const opened = openSqliteStore(old);
    await release();
    await (await opened).close();
  });
});

test('a long read transaction of another process blocks no commit, though it blocks the checkpoint', async () => {
  const store = await openSqliteStore(path);
  const release = await holdLock(path, 'begin', 'select count(*) from device');
  const devices = Array.from({ length: 20_000 }, (_, index) => makeDevice('account-a', `LK9-${index}`));
  await store.imports.write({ properties: [], devices }); // more than the 1,000 pages after which SQLite writes back
  expect(await store.devices.setBatteryLevel('account-a', 'LK9-1', 3)).toBe(true);
  await release();
  await store.close();
});

test('a transaction locks when it begins, so that no foreign write comes between its read and its write', async () => {
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(openDatabase(path)) });
  const foreign = new BetterSqlite3(path, { timeout: 0 });
  await database.transaction().execute(async (transaction) => {
    await transaction.selectFrom('account').selectAll().execute();
    expect(() => foreign.exec("update account set name = 'B'")).toThrow(/database is locked/);
    await transaction.updateTable('account').set({ name: 'C' }).execute();
  });
  await database
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      await transaction.selectFrom('account').selectAll().execute();
      foreign.exec("update account set name = 'A'"); // readers block no writer
    });
  foreign.close();
  await database.destroy();
});

test('a failure after which SQLite itself rolled back is reported, and the next transaction begins', async () => {
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(openDatabase(path)) });
  const add = (transaction: Transaction<Tables>) =>
    sql`insert or rollback into account (id, name) values ('account-a', 'again')`.execute(transaction);
  await expect(database.transaction().execute(add)).rejects.toThrow(/UNIQUE constraint failed/);
  await database.transaction().execute((transaction) => sql`select 1`.execute(transaction));
  await database.destroy();
});

test('a full disk is StoreUnavailable: nothing half written, reads go on, and space helps', async () => {
  const connection = openDatabase(join(folder, 'full.sqlite'));
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(connection) });
  await migrate(database, sqliteSpelling, Date.now);
  const store = createStore(database, sqliteSpelling, () => database.destroy());
  await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
  connection.pragma(`max_page_count = ${Number(connection.pragma('page_count', { simple: true })) + 5}`);
  const devices = Array.from({ length: 2000 }, (_, index) => makeDevice('account-a', `LK${index}`));
  await expect(store.imports.write({ properties: [], devices })).rejects.toThrow(StoreUnavailable);
  expect(await store.devices.find('account-a', 'LK0')).toBeUndefined();
  expect(await store.accounts.find('account-a')).toMatchObject({ name: 'A' });
  connection.pragma('max_page_count = 1000000');
  expect(await store.imports.write({ properties: [], devices })).toEqual({ properties: 0, devices: 2000 });
  await store.close();
});

test('a file that the process may not write to is refused as read-only', async () => {
  chmodSync(folder, 0o555);
  chmodSync(path, 0o444);
  const script = `const { openSqliteStore } = await import(${JSON.stringify(import.meta.resolve('./open-store.ts'))});
    await (await openSqliteStore(':memory:')).close(); // loads the library while the process may read it
    if (process.getuid() === 0) process.setuid(65534);
    await openSqliteStore(${JSON.stringify(path)}).catch((error) => console.log(error.reason, error.message));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = (await child.stdout.toArray()).join('');
  chmodSync(folder, 0o755);
  chmodSync(path, 0o644);
  expect(output).toMatch(/^read_only .*service\.sqlite can't be written to/);
});
