import { createHash } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { migrate } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { createSchemaComparison } from './compare-schema.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

// If these fail, a foreign backup runs code inside the server, or a valid backup is refused.

const compare = await createSchemaComparison();
const connections: BetterSqlite3.Database[] = [];
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
});

async function open(version = migrations.length, before = ''): Promise<BetterSqlite3.Database> {
  const connection = new BetterSqlite3(':memory:');
  connections.push(connection);
  connection.exec(before);
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(connection) });
  await migrate(database, sqliteSpelling, () => 1, migrations.slice(0, version));
  return connection;
}

const edit = (change: string) => `pragma writable_schema = on; ${change}; pragma writable_schema = reset`;

test.each([
  {
    change: 'create trigger injected after insert on owner begin delete from owner; end',
    found: ['trigger "injected" is not part of the schema'],
  },
  {
    change: 'drop table key_check; create view key_check as select 1 as id, 2 as value',
    found: ['view "key_check" is not part of the schema', 'table "key_check" is missing'],
  },
  { change: 'create table "a\u2028b" (x)', found: ['table "a\\u2028b" is not part of the schema'] },
  { change: 'create index mine on owner (name)', found: ['index "mine" is not part of the schema'] },
  { change: 'drop index owner_by_account', found: ['index "owner_by_account" is missing'] },
  { change: 'alter table owner add column secret text as (password_hash)', found: ['table "owner" differs'] },
  {
    change: "update sqlite_schema set sql = replace(sql, 'references', 'REFERENCES') where name = 'owner'",
    found: ['table "owner" differs'],
  },
  {
    change: 'delete from schema_version where version > 7',
    found: [
      'table "known_browser" is not part of the schema',
      'index "known_browser_by_owner" is not part of the schema',
      'table "use_count" is not part of the schema',
      'index "use_count_by_purge" is not part of the schema',
      'table "job_lease" is not part of the schema',
      'index "access_code_by_device" is not part of the schema',
      'index "audit_by_device" is not part of the schema',
      'index "job_by_account" is not part of the schema',
      'index "job_lease_by_end" is not part of the schema',
    ],
  },
  {
    change: 'analyze',
    found: ['table "sqlite_stat1" is not part of the schema', 'table "sqlite_stat4" is not part of the schema'],
  },
])('$change is reported by name', async ({ change, found }) => {
  const connection = await open();
  connection.unsafeMode(true);
  connection.exec(change.includes('sqlite_schema') ? edit(change) : change);
  expect(compare(connection)).toEqual(found);
});

test('text in another encoding is reported', async () => {
  expect(compare(await open(undefined, "pragma encoding = 'UTF-16le'"))).toEqual(['its encoding is UTF-16le']);
});

test.each(migrations.map(({ version }) => version))(
  'a file of version %i has the schema of the migrations',
  async (version) => {
    expect(compare(await open(version))).toEqual([]);
  },
);

test('a later version is not compared: opening it reports the version', async () => {
  const connection = await open();
  connection.exec("insert into schema_version values (9999, 'later', 0); create table later (x)");
  expect(compare(connection)).toEqual([]);
});

test('the text of each schema stays as it was released, or earlier backups are refused', async () => {
  const digests = await Promise.all(
    migrations.map(async ({ version }) => {
      const texts = (await open(version))
        .prepare('select type, name, sql from sqlite_schema order by type, name')
        .all();
      return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
    }),
  );
  expect(digests).toEqual([
    'f2aa9a0d202e00dd',
    '3e3b258addc689e5',
    '772d3b64aff55b21',
    'd15d05324926496d',
    '14c1dabd88fdc65b',
    '14c1dabd88fdc65b',
    '1da6d300b339e7ca',
    'ca3965cc8ca4e6fa',
    '931943b33deaead5',
    '481694af66a33091',
    '3b93f2f3a12d2341',
  ]);
});
