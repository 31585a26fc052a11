import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import type { UnusableReason } from '../store-unusable.ts';
import { makeDevice } from '../suite/records.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { openDatabase } from './open-database.ts';
import { openSqliteStore } from './open-store.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

const folder = mkdtempSync(join(tmpdir(), 'lockstep-open-'));
const good = join(folder, 'good.sqlite');
const device = makeDevice('account-a', 'LK1');

beforeAll(async () => {
  const store = await openSqliteStore(good, { now: () => 1_790_000_000_000 });
  await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
  const rest = Array.from({ length: 500 }, (_, index) => makeDevice('account-a', `LK1-${index}`));
  await store.imports.write({ properties: [], devices: [device, ...rest] });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a database file', () => {
  test('is opened with settings that keep each commit through a power failure, read back from SQLite', () => {
    const database = openDatabase(good);
    const read = (name: string) => database.pragma(name, { simple: true });
    expect(read('journal_mode')).toBe('wal');
    expect(read('synchronous')).toBe(2);
    expect(read('foreign_keys')).toBe(1);
    expect(read('busy_timeout')).toBe(0); // the write queue waits instead
    // The WAL grows during a backup; the next checkpoint truncates it to 64 MiB.
    expect(read('journal_size_limit')).toBe(67_108_864);
    database.close();
  });

  test('is created for its user alone, and so is its WAL', async () => {
    const path = join(folder, 'private.sqlite');
    const store = await openSqliteStore(path);
    await store.accounts.put({ id: 'account-a', name: 'A', trialEndsAt: null });
    const files = readdirSync(folder).filter((name) => name.startsWith('private.sqlite'));
    expect(files).toContain('private.sqlite-wal');
    expect(files.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))).toEqual(
      files.map(() => '600'),
    );
    await store.close();
  });

  test.each([
    { name: 'is deleted', says: /gone\.sqlite was deleted/, change: (path: string) => rmSync(path) },
    {
      name: 'is replaced by a backup',
      says: /gone\.sqlite was replaced/,
      change: (path: string) => renameSync(copyOf('backup.sqlite'), path),
    },
  ])('that $name while it is open fails the ping, though SQLite would go on', async ({ says, change }) => {
    const path = copyOf('gone.sqlite');
    const store = await openSqliteStore(path);
    await store.ping();
    change(path);
    expect(await store.devices.setBatteryLevel('account-a', 'LK1', 50)).toBe(true);
    const failure = await store.ping().catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'StoreUnavailable', message: expect.stringMatching(says) });
    await store.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  });

  test('has a WAL while open, and is one file again when closed', async () => {
    const store = await openSqliteStore(good);
    expect(await store.devices.setBatteryLevel('account-a', 'LK1', 50)).toBe(true);
    expect(existsSync(`${good}-wal`)).toBe(true);
    await store.close();
    expect(existsSync(`${good}-wal`)).toBe(false);
  });

  test('holds everything when it is opened again', async () => {
    const store = await openSqliteStore(good);
    expect(await store.devices.find('account-a', 'LK1')).toEqual(device);
    await store.close();
  });

  test('keeps numbers and text apart, and one row for each step of the schema', () => {
    const database = openDatabase(good);
    expect(() => database.exec("update device set battery_level = 'full'")).toThrow(/TEXT value in INTEGER column/);
    expect(database.prepare('select * from schema_version').all()).toEqual(
      migrations.map(({ version, name }) => ({ version, name, applied_at: 1_790_000_000_000 })),
    );
    const loose = database.prepare(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and strict = 0",
    );
    expect(loose.pluck().all()).toEqual(['sqlite_schema']);
    database.close();
  });

  test('has the mark of the program; an older file without it is accepted and marked', async () => {
    const old = join(folder, 'unmarked.sqlite');
    const connection = openDatabase(old);
    const database = new Kysely<Tables>({ dialect: new ImmediateDialect(connection) });
    await migrate(database, sqliteSpelling, Date.now, migrations.slice(0, 5));
    expect(connection.pragma('application_id', { simple: true })).toBe(0);
    await database.destroy();
    await (await openSqliteStore(old, { mayCreate: false })).close();
    for (const path of [old, good]) {
      const marked = openDatabase(path, { mayCreate: false });
      expect(marked.pragma('application_id', { simple: true })).toBe(0x4c4b5354);
      marked.close();
    }
  });

  test('lets a transaction that is under way finish before it closes', async () => {
    const path = copyOf('closing.sqlite');
    const store = await openSqliteStore(path);
    const devices = Array.from({ length: 1500 }, (_, index) => makeDevice('account-a', `LK2-${index}`));
    const [written] = await Promise.all([store.imports.write({ properties: [], devices }), store.close()]);
    expect(written).toEqual({ properties: 0, devices: 1500 });
    await expect(store.ping()).rejects.toThrow();
  });
});

describe('a database is refused, with a reason and a fix', () => {
  const refusals: readonly { name: string; reason: UnusableReason; says: RegExp; path: () => string }[] = [
    {
      name: 'its folder is missing',
      reason: 'missing',
      says: /folder .* does not exist/,
      path: () => join(folder, 'none', 'x.sqlite'),
    },
    { name: 'it is a folder', reason: 'missing', says: /is not a file/, path: () => folder },
    {
      name: 'it is a line of text',
      reason: 'corrupt',
      says: /not a SQLite database/,
      path: () => write('line.sqlite', 'a'),
    },
    {
      name: 'it is text',
      reason: 'corrupt',
      says: /not a SQLite database/,
      path: () => write('text.sqlite', 'some text '.repeat(500)),
    },
    { name: 'a page of it is overwritten', reason: 'corrupt', says: /backup/, path: () => damage('page.sqlite') },
    { name: 'it is cut short', reason: 'corrupt', says: /backup/, path: () => cut('short.sqlite') },
    {
      name: 'another program made it',
      reason: 'foreign',
      says: /table recipes/,
      path: () => alter('other.sqlite', 'create table recipes (name)', false),
    },
    {
      name: 'another program made it, and there is no table yet',
      reason: 'foreign',
      says: /a view shelf/,
      path: () => alter('view.sqlite', 'create view shelf as select 1', false),
    },
    {
      name: 'another program made it, with a table of our name in it',
      reason: 'foreign',
      says: /table recipes/,
      path: () =>
        alter('flyway.sqlite', 'create table recipes (name); create table schema_version (version, name)', false),
    },
    {
      name: 'it names its program',
      reason: 'foreign',
      says: /application_id 252006673/,
      path: () => alter('fossil.sqlite', 'create table blob (content); pragma application_id = 252006673', false),
    },
    {
      name: 'a later version wrote it',
      reason: 'newer',
      says: /schema 9999, .* knows/,
      path: () => alter('newer.sqlite', "insert into schema_version values (9999, 'later', 0)"),
    },
  ];

  test.each(refusals)('when $name', async ({ reason, says, path }) => {
    const file = path();
    const before = existsSync(file) && file !== folder ? readFileSync(file) : undefined;
    const refusal = await openSqliteStore(file).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'StoreUnusable', reason, message: expect.stringMatching(says) });
    if (before !== undefined) expect(readFileSync(file).equals(before)).toBe(true);
    const again = await openSqliteStore(file).catch((error: unknown) => error);
    expect(again).toMatchObject({ reason }); // and not "open": the first attempt released the file
  });

  test('when it does not exist and must not be created', async () => {
    const path = join(folder, 'mistyped.sqlite');
    const refusal = {
      reason: 'missing',
      message: expect.stringContaining('does not exist'),
      fixes: [{ message: 'Or create it', command: ['lockstep-server', 'import', 'FILE'], database: path }],
    };
    await expect(openSqliteStore(path, { mayCreate: false })).rejects.toMatchObject(refusal);
    expect(existsSync(path)).toBe(false);
    await (await openSqliteStore(good, { mayCreate: false })).close();
  });

  test.each<{ name: string; path: () => string }>([
    { name: 'has no byte', path: () => write('touched.sqlite', '') },
    {
      name: 'has no table',
      path: () => alter('bare.sqlite', 'pragma user_version = 0; pragma journal_mode = wal', false),
    },
    {
      name: 'was left when its first step was to come',
      path: () =>
        alter('begun.sqlite', 'create table schema_version (version integer, name text, applied_at integer)', false),
    },
  ])('when it must not be created and $name, but created otherwise', async ({ path }) => {
    const file = path();
    const before = readFileSync(file);
    const fixes = [{ message: 'Or fill it', command: ['lockstep-server', 'import', 'FILE'], database: file }];
    const refusal = { reason: 'empty', message: expect.stringMatching(/is empty\./), fixes };
    await expect(openSqliteStore(file, { mayCreate: false })).rejects.toMatchObject(refusal);
    expect(readFileSync(file).equals(before)).toBe(true);
    await (await openSqliteStore(file)).close();
    await (await openSqliteStore(file, { mayCreate: false })).close();
  });

  test('when SQLite does not apply a setting: a nameless database has no WAL', () => {
    expect(() => openDatabase('')).toThrow(/did not apply journal_mode = WAL/);
  });

  test('when this process has it open, under this name or another', async () => {
    const other = join(folder, 'link.sqlite');
    symlinkSync(good, other);
    const store = await openSqliteStore(good);
    for (const path of [good, other]) await expect(openSqliteStore(path)).rejects.toMatchObject({ reason: 'open' });
    await store.close();
    await (await openSqliteStore(other)).close();
  });
});

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function copyOf(name: string): string {
  const path = join(folder, name);
  copyFileSync(good, path);
  return path;
}

/** The header stays valid: only reading the pages detects the damage. */
function damage(name: string): string {
  const path = copyOf(name);
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 3, 4096 * 6);
  writeFileSync(path, bytes);
  return path;
}

function cut(name: string): string {
  const path = copyOf(name);
  truncateSync(path, 4096 * 5);
  return path;
}

function alter(name: string, sql: string, fromGood = true): string {
  const path = fromGood ? copyOf(name) : join(folder, name);
  const database = new BetterSqlite3(path);
  database.exec(sql);
  database.close();
  return path;
}
