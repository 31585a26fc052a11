import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDevice } from '../contract/records.ts';
import { createStore } from '../create-store.ts';
import { migrate } from '../migrations/migrate.ts';
import type { Tables } from '../schema.ts';
import { StoreUnavailable } from '../store.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { openDatabase } from './open-database.ts';
import { openSqliteStore } from './open-store.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-failure-'));
const path = join(folder, 'service.sqlite');
const busyTimeout = 500;

beforeAll(async () => {
  const store = await openSqliteStore(path);
  await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
  await store.imports.write({ properties: [], devices: [makeDevice('account-a', 'LK1')] });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('while another process holds the lock', () => {
  test('a write ends as StoreUnavailable after the timeout, reads go on, and the same write succeeds afterwards', async () => {
    const store = await openSqliteStore(path);
    const holder = await holdLock();
    const writes = [
      () => store.devices.setBatteryLevel('account-a', 'LK1', 7),
      () => store.oidc.revokeGrant('grant', 'hash', 1, 2),
    ];
    for (const write of writes) {
      const began = performance.now();
      await expect(write()).rejects.toThrow(StoreUnavailable);
      expect(performance.now() - began).toBeGreaterThan(busyTimeout * 0.8);
      expect(performance.now() - began).toBeLessThan(busyTimeout * 50);
      expect(await store.devices.find('account-a', 'LK1')).toMatchObject({ batteryLevel: 50 });
    }
    await release(holder);
    for (const write of writes) await write();
    expect(await store.devices.find('account-a', 'LK1')).toMatchObject({ batteryLevel: 7 });
    expect(await store.oidc.isGrantRevoked('grant')).toBe(true);
    await store.close();
  });

  test('the file is not opened, with the reason', async () => {
    const holder = await holdLock();
    await expect(openSqliteStore(path)).rejects.toMatchObject({ reason: 'locked' });
    await release(holder);
    await (await openSqliteStore(path)).close();
  });
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
      foreign.exec("update account set name = 'A'"); // readers hold up nobody
    });
  foreign.close();
  await database.destroy();
});

test('a failure after which SQLite has rolled back by itself is told, and the next transaction begins', async () => {
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

/** A process of its own that holds the write lock until its standard input ends. */
async function holdLock(): Promise<ChildProcess> {
  const script = `const database = new (require('better-sqlite3'))(${JSON.stringify(path)});
    database.exec('begin immediate');
    process.stdout.write('locked');
    process.stdin.resume().on('end', () => database.close());`;
  const child = spawn(process.execPath, ['-e', script], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

async function release(holder: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => holder.once('exit', resolve));
  holder.stdin?.end();
  await exit;
}
