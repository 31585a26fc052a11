import { readFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { createStore } from '../create-store.ts';
import type { Tables } from '../schema.ts';
import { ImmediateDialect } from '../sqlite/immediate-dialect.ts';
import { sqliteSpelling } from '../sqlite/sqlite-spelling.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';
import { migrations } from './migrations.ts';

const breakpoint = new Error('the process exits here');

test('an interrupted step leaves no change, earlier steps stay, and the next start continues', async () => {
  const { connection, database } = openEmpty();
  const later = { version: migrations.length + 1, name: 'later' };
  const half: Migration = {
    ...later,
    up: async (transaction) => {
      await sql`create table half (id integer)`.execute(transaction);
      throw breakpoint;
    },
  };
  await expect(migrate(database, sqliteSpelling, () => 1, [...migrations, half])).rejects.toBe(breakpoint);
  expect(readTables(connection)).toContain('device');
  expect(readTables(connection)).not.toContain('half');
  const whole: Migration = {
    ...later,
    up: async (transaction) => void (await sql`create table half (id integer)`.execute(transaction)),
  };
  await migrate(database, sqliteSpelling, () => 2, [...migrations, whole]);
  expect(readTables(connection)).toContain('half');
  const read = connection.prepare('select version, applied_at from schema_version order by version');
  const applied = [
    ...migrations.map(({ version }) => ({ version, applied_at: 1 })),
    { version: later.version, applied_at: 2 },
  ];
  expect(read.all()).toEqual(applied);
  await migrate(database, sqliteSpelling, () => 3, [...migrations, whole]);
  expect(read.all()).toEqual(applied);
  await expect(migrate(database, sqliteSpelling, () => 4)).rejects.toMatchObject({ reason: 'newer' });
  await database.destroy();
});

test('retention of the log changes from the age of entries to their arrival, and no entry is lost', async () => {
  const { connection, database } = openEmpty();
  await migrate(database, sqliteSpelling, () => 1, migrations.slice(0, 4));
  const columns = 'device_id, at, id, received_at, type, method, details';
  connection.exec(`insert into activity (${columns}) values ('LK1', 0, 'a', 9, 'LOCK', 'key', '{}')`);
  const indexes = connection.prepare("select name from pragma_index_list('activity') where origin = 'c' order by name");
  expect(indexes.pluck().all()).toEqual(['activity_by_age', 'activity_once']);
  await migrate(database, sqliteSpelling, () => 2);
  expect(indexes.all()).toEqual(['activity_by_arrival', 'activity_once']);
  expect(connection.prepare('select at, received_at from activity').all()).toEqual([{ at: 0, received_at: 9 }]);
  await database.destroy();
});

test('owners are added to an earlier database, and no row of it is lost or changed', async () => {
  const { connection, database } = openEmpty();
  await migrate(database, sqliteSpelling, () => 1, migrations.slice(0, 6));
  connection.exec(readFileSync(new URL('fixtures/schema-6.sql', import.meta.url), 'utf8'));
  const tables = readTables(connection).filter((name) => name !== 'schema_version');
  const read = () =>
    new Map(tables.map((name) => [`${name}`, connection.prepare(`select * from ${name}`).all() as object[]]));
  const before = read();
  expect([...before].filter(([, rows]) => rows.length === 0)).toEqual([]);
  await migrate(database, sqliteSpelling, () => 2);
  const holders = new Map([
    ['code-hash', { account_id: null, owner_id: null, client_id: 'acme-app' }],
    ['grant-hash', { account_id: 'acme', owner_id: null, client_id: 'acme-app' }],
    ['token-hash', { account_id: 'acme', owner_id: null, client_id: 'acme-app' }],
    ['session-hash', { account_id: 'acme', owner_id: null, client_id: null }],
    ['broken-hash', { account_id: null, owner_id: null, client_id: null }],
  ]);
  const added = (name: string, row: object) => {
    if (name === 'audit_entry') return { owner_id: null };
    return name === 'oidc_artifact' && 'id_hash' in row ? holders.get(String(row.id_hash)) : {};
  };
  const want = [...before].map(([name, rows]) => [name, rows.map((row) => ({ ...row, ...added(name, row) }))] as const);
  expect(read()).toEqual(new Map(want));
  const { owners, oidc } = createStore(database, sqliteSpelling, () => database.destroy());
  expect(await owners.list({ limit: 9 })).toEqual([]);
  // Its owner is unknown, so no list shows it; the client's access can still be revoked.
  expect(await oidc.listGrants({ nowSeconds: 1, limit: 9 })).toEqual([]);
  expect(await oidc.revokeGrants({ clientId: 'acme-app' }, 1, 2)).toBe(0);
  expect(await oidc.isGrantRevoked('grant')).toBe(true);
  const left = connection.prepare('select id_hash from oidc_artifact order by id_hash').pluck().all();
  expect(left).toEqual(['broken-hash', 'grant-hash', 'session-hash']);
  await database.destroy();
});

test('steps are numbered without a gap', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

function openEmpty() {
  const connection = new BetterSqlite3(':memory:');
  return { connection, database: new Kysely<Tables>({ dialect: new ImmediateDialect(connection) }) };
}

function readTables(connection: BetterSqlite3.Database): unknown[] {
  return connection.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
}
