import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { type CopyRun, copyStore } from './copy-store.ts';
import { fillStore, readStore } from './fixtures/fill-store.ts';
import { createTestDatabase, type TestDatabase } from './fixtures/test-database.ts';
import { createDatabase, patienceMs } from './postgres/fixtures/create-database.ts';
import { TcpProxy } from './postgres/fixtures/tcp-proxy.ts';
import { openPostgresStore } from './postgres/open-store.ts';
import { openSqliteStore } from './sqlite/open-store.ts';
import { makeJob, proxied, start } from './suite/job-records.ts';

// If these fail, an operator who moves to PostgreSQL loses data and notices it weeks later.

const unwatched: CopyRun = { signal: new AbortController().signal, onProgress: () => undefined };
const sqlite = (file: string) => ({ kind: 'sqlite', file }) as const;
const postgres = (url: string) => ({ kind: 'postgres', url }) as const;

/** The same database through a network. */
const over = ({ port }: TcpProxy, url: string) => Object.assign(new URL(url), { port }).href;
const full = { tags: ['full'] };

/** In the last transaction of a copy. */
const endOfCopy = 'drop table "unfinished_copy"';

const main = join(import.meta.dirname, '../main.ts');

const databases: TestDatabase[] = [];
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(databases.map(({ remove }) => remove()));
});

/** A closed SQLite database with rows in all tables. @returns its path */
async function createSource(texts: readonly string[]): Promise<string> {
  const database = await createTestDatabase('sqlite');
  databases.push(database);
  const store = await database.open();
  await fillStore(store, texts);
  await store.close();
  const file = join(database.place, 'data.sqlite');
  // Only processes that share a database write leases.
  write(file, "insert into job_lease select device_id, 'holder', 9007199254740991 from device");
  return file;
}

function write(file: string, change: string): void {
  const connection = new BetterSqlite3(file);
  connection.exec(change);
  connection.close();
}

/** The rows of all tables but that of the migrations, in no order. */
function readFile(file: string): ReadonlyMap<string, readonly string[]> {
  const connection = new BetterSqlite3(file, { readonly: true });
  const names = connection
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and name <> 'schema_version'")
    .pluck()
    .all();
  const rows = names.map((name) => [name, connection.prepare(`select * from ${name}`).all()] as const);
  connection.close();
  return new Map(rows.map(([name, found]) => [name, format(found)]));
}

async function readCopy(url: string, names: Iterable<string>): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const name of names) found.set(name, format((await query(url, `select * from ${name}`)).rows));
  return found;
}

/** 64-bit numbers come as text, so that none is rounded. */
function format(rows: readonly unknown[]): readonly string[] {
  const plain = (_: string, value: unknown) => (typeof value === 'number' ? `${value}` : value);
  return rows.map((row) => JSON.stringify(row, plain)).toSorted();
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

/** Stops at the first batch of copying. @returns whether there was one */
async function copyOneBatch(file: string, url: string): Promise<boolean> {
  const stop = new AbortController();
  const onProgress: CopyRun['onProgress'] = (step) => {
    if (step === 'copying') stop.abort();
  };
  const outcome = copyStore(sqlite(file), postgres(url), { signal: stop.signal, onProgress });
  return outcome.then(
    () => false,
    (error) => {
      if (error !== stop.signal.reason) throw error;
      return true;
    },
  );
}

/** Keys of any script, long and short, whose order by code points differs from that by UTF-16. */
const textsOf = fc.uniqueArray(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
  { minLength: 3, maxLength: 3, selector: (text) => text.normalize('NFKC').toLowerCase() },
);

testLaw(
  'a copy has all rows of all tables, and every read has the same answer',
  { few: 1, many: 6 },
  async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(textsOf, async (texts) => {
        const file = await createSource(texts);
        const bytes = readFileSync(file);
        const rows = readFile(file);
        expect([...rows].filter(([, found]) => found.length === 0)).toEqual([]); // a new table needs rows in `fillStore`
        const url = await createDatabase();
        const { tables, changedRows } = await copyStore(sqlite(file), postgres(url), unwatched);
        expect(new Map(Object.entries(tables))).toEqual(
          new Map([...rows].map(([name, found]) => [name, found.length])),
        );
        expect(changedRows).toBe(0);
        expect(await readCopy(url, rows.keys())).toEqual(rows);
        expect(readFileSync(file).equals(bytes)).toBe(true);
        const [source, copy] = [await openSqliteStore(file), await openPostgresStore(url, { patienceMs })];
        try {
          expect(await readStore(copy, texts)).toEqual(await readStore(source, texts));
          await goOn(copy, texts);
        } finally {
          await Promise.all([source.close(), copy.close()]);
        }
      }),
      { numRuns },
    );
  },
);

/** New numbers come after the copied ones. */
async function goOn(store: Awaited<ReturnType<typeof openPostgresStore>>, [text]: readonly string[]): Promise<void> {
  const accountId = `account ${text}`;
  const entry = { at: start, accountId, clientId: 'c', action: 'new', deviceId: null, requestId: null };
  await store.audit.add(entry);
  expect((await store.audit.list(accountId)).map(({ action }) => action)).toContain('new');
  const job = makeJob({ accountId, bridgeId: `bridge ${text}`, lockId: `lock ${text}` });
  expect(await store.jobs.create(job, proxied, null)).toEqual({ kind: 'created' });
  expect((await store.jobs.list({ now: start, limit: 1 }))[0]?.jobId).toBe(job.jobId);
}

describe('a copy that is interrupted', () => {
  let file: string;
  let rows: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    file = await createSource(['é', '🐢', '\uFF5E']);
    rows = readFile(file);
  });

  test('at every batch, and called again each time, has each row once', full, async () => {
    const url = await createDatabase();
    let batches = 0;
    while (await copyOneBatch(file, url)) batches += 1;
    expect(batches).toBeGreaterThan(rows.size); // a table has one batch at least, and activity several
    expect(await readCopy(url, rows.keys())).toEqual(rows);
  });

  test('is no database to serve, nor to import into, until it is complete', async () => {
    const url = await createDatabase();
    expect(await copyOneBatch(file, url)).toBe(true);
    for (const mayCreate of [false, true])
      await expect(openPostgresStore(url, { mayCreate, patienceMs })).rejects.toMatchObject({
        reason: 'incomplete',
        message: expect.stringContaining(`has only a part of ${file}`),
      });
    expect(await copyStore(sqlite(file), postgres(url), unwatched)).toMatchObject({ isResumed: true });
    await (await openPostgresStore(url, { mayCreate: false, patienceMs })).close();
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toMatchObject({ reason: 'filled' });
  });

  test('by the loss of the last answer alone is complete, and its caller learns so', async () => {
    const url = await createDatabase();
    await using network = await TcpProxy.create(Number(new URL(url).port));
    network.losesCommitOf = endOfCopy;
    await copyStore(sqlite(file), postgres(over(network, url)), unwatched);
    expect(network.losesCommitOf).toBeUndefined();
    await (await openPostgresStore(url, { mayCreate: false, patienceMs })).close();
  });

  test('so at the end by the loss of the network may be complete, and a further call learns it', async () => {
    const url = await createDatabase();
    await using network = await TcpProxy.create(Number(new URL(url).port));
    network.losesCommitOf = endOfCopy;
    const onProgress: CopyRun['onProgress'] = () => {
      network.target = 1; // the connection that is open goes on
    };
    const outcome = copyStore(sqlite(file), postgres(over(network, url)), { ...unwatched, onProgress });
    await expect(outcome).rejects.toThrow(/^All rows are copied and equal, .* serve from it\.$/);
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toThrow('is not empty');
    await (await openPostgresStore(url, { mayCreate: false, patienceMs })).close();
  });

  test('so at the end by a fault of the server is unfinished, and its caller learns the reason', full, async () => {
    const url = await createDatabase();
    await query(
      url,
      `create function stop_drop() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_dropped_objects() where object_name = 'unfinished_copy') then
          raise 'the disk is full' using errcode = 'disk_full';
        end if;
      end $$;
      create event trigger stop_drop on sql_drop execute function stop_drop()`,
    );
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toThrow(
      /^the database is unavailable: the disk is full/,
    );
    await expect(openPostgresStore(url, { patienceMs })).rejects.toMatchObject({ reason: 'incomplete' });
  });

  test('goes on from the same, unchanged file alone', async () => {
    const url = await createDatabase();
    const other = `${file}.other`;
    copyFileSync(file, other);
    expect(await copyOneBatch(other, url)).toBe(true);
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toThrow(
      `has an unfinished copy of ${other}`,
    );
    const store = await openSqliteStore(other);
    await store.accounts.setDisabled('account é', 1);
    await store.close();
    await expect(copyStore(sqlite(other), postgres(url), unwatched)).rejects.toThrow(`${other} has changed since`);
  });

  test('compares each row in the end, so that a change by somebody else is found', full, async () => {
    for (const [change, message] of [
      ["update property set name = 'x'", /has another row at .* of the table property\./],
      ['delete from audit_entry where id = 1', /has \d+ of \d+ rows of the table audit_entry\./],
    ] as const) {
      const url = await createDatabase();
      const stop = new AbortController();
      const onProgress: CopyRun['onProgress'] = (step) => {
        if (step === 'comparing') stop.abort();
      };
      const stopped = copyStore(sqlite(file), postgres(url), { signal: stop.signal, onProgress });
      await expect(stopped).rejects.toHaveProperty('name', 'AbortError');
      await query(url, change);
      await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toThrow(message);
    }
  });

  test('keeps servers and other copies away until it is complete', full, async () => {
    const url = await createDatabase();
    let outcomes: readonly Promise<unknown>[] | undefined;
    const onProgress: CopyRun['onProgress'] = () => {
      outcomes ??= [
        expect(async () => write(file, 'select count(*) from account')).rejects.toThrow('database is locked'),
        expect(openPostgresStore(url, { patienceMs })).rejects.toMatchObject({ reason: 'incomplete' }),
        expect(copyStore(sqlite(other), postgres(url), unwatched)).rejects.toMatchObject({ reason: 'locked' }),
      ];
    };
    const other = `${file}.second`;
    copyFileSync(file, other);
    await copyStore(sqlite(file), postgres(url), { ...unwatched, onProgress });
    await Promise.all(outcomes ?? []);
    expect(outcomes).toHaveLength(3);
  });
});

test('a copy whose process was cut off, killed and stopped by Ctrl-C is completed by the same command', {
  tags: ['full'],
}, async () => {
  const file = await createSource(['long']);
  write(
    file,
    `with recursive number(n) as (select 0 union all select n + 1 from number where n < 59999)
    insert into activity select 'LK', n, printf('%024x', n), n, 'LOCK', 'key', null, null, null, null, printf('%0200d', n) from number`,
  );
  const rows = readFile(file);
  const all = rows.get('activity')?.length ?? 0;
  const url = await createDatabase();
  const outside = new pg.Client({ connectionString: url });
  await outside.connect();
  const count = async (): Promise<number> => {
    const { rows: found } = await outside.query("select to_regclass('activity') is not null as exists");
    return found[0].exists ? Number((await outside.query('select count(*) from activity')).rows[0].count) : 0;
  };
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'lockstep' and datname = current_database()`;
  const again = 'Run the same command again';
  const interruptions = [
    { act: () => outside.query(cut), end: [1, null], prints: new RegExp(`^Interrupted: .* ${again}`, 'm') },
    { act: (child: ChildProcess) => child.kill('SIGKILL'), end: [null, 'SIGKILL'], prints: /^$/ },
    {
      act: (child: ChildProcess) => child.kill('SIGINT'),
      end: [1, null],
      prints: new RegExp(`^Interrupted\\. ${again}`, 'm'),
    },
  ];
  const start = () => {
    const child = spawn(process.execPath, [main, 'copy', '--from', `sqlite:${file}`, '--to', url]);
    children.push(child);
    return { child, ended: once(child, 'exit'), printed: child.stderr.setEncoding('utf8').toArray() };
  };
  for (const { act, end, prints } of interruptions) {
    const before = await count();
    const { child, ended, printed } = start();
    await expect.poll(count, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before);
    await act(child);
    const text = (await printed).join('').replace(/^copying: .*\n/gm, '');
    expect([await ended, text]).toEqual([end, expect.stringMatching(prints)]);
    expect(await count()).toBeLessThan(all);
  }
  expect(await start().ended).toEqual([0, null]);
  expect(await readCopy(url, rows.keys())).toEqual(rows);
  await outside.end();
});

describe('text with NUL', () => {
  test('has U+FFFD in the copy, and the rows are counted', async () => {
    const file = await createSource(['nul']);
    write(file, "update property set name = 'a' || char(0) || 'b'");
    const url = await createDatabase();
    expect(await copyStore(sqlite(file), postgres(url), unwatched)).toMatchObject({ changedRows: 1 });
    expect((await query(url, 'select name from property')).rows).toEqual([{ name: 'a\uFFFDb' }]);
  });

  test('is no key, nor is a number that the server would round copied', full, async () => {
    for (const [change, message] of [
      ["update revoked_grant set grant_id = 'a' || char(0)", /table revoked_grant has NUL in its key grant_id/],
      ['update account set disabled_at = 9007199254740992', /table account has a number in disabled_at beyond 2\^53/],
      ['update job set result = 2147483648', /PostgreSQL rejects a row of the table job: .*2147483648/],
    ] as const) {
      const file = await createSource(['key']);
      write(file, change);
      await expect(copyStore(sqlite(file), postgres(await createDatabase()), unwatched)).rejects.toThrow(message);
    }
  });
});

describe('a copy is not begun', full, () => {
  test.each([
    ['while a server has the file open', '', /is open in another process\. Stop the server first\./],
    [
      'from an earlier schema',
      'delete from schema_version where version > 9',
      /has schema 9, and this version of the server has \d+/,
    ],
    ['from a later schema', "insert into schema_version values (9999, 'later', 0)", /has schema 9999, this version/],
    [
      'from an altered schema',
      'create index mine on owner (name)',
      /the server creates: index "mine" is not part of the schema/,
    ],
    [
      'from a database of another program',
      'pragma application_id = 7; drop table schema_version',
      /is a database of another program/,
    ],
  ])('%s', async (_name, change, message) => {
    const file = await createSource(['whole']);
    write(file, change);
    const open = change === '' ? new BetterSqlite3(file) : undefined;
    open?.pragma('user_version'); // a connection opens its file at its first statement
    const url = await createDatabase();
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toThrow(message);
    open?.close();
    expect((await query(url, "select 1 from pg_class where relnamespace = 'public'::regnamespace")).rows).toEqual([]);
  });

  test.each([
    ['that has data of this server', async (url: string) => (await openPostgresStore(url, { patienceMs })).close()],
    ['of another program', (url: string) => query(url, 'create table other (x int)')],
  ])('into a database %s', async (_name, fill) => {
    const file = await createSource(['whole']);
    const url = await createDatabase();
    await fill(url);
    await expect(copyStore(sqlite(file), postgres(url), unwatched)).rejects.toMatchObject({
      reason: 'filled',
      message: expect.not.stringContaining('not-a-secret'),
    });
  });

  test('into a database in which the user may create no table', async () => {
    const file = await createSource(['whole']);
    const address = new URL(await createDatabase());
    const user = `reader_${address.pathname.slice(1)}`;
    await query(address.href, `create role ${user} login password 'secret'`);
    [address.username, address.password] = [user, 'secret'];
    await expect(copyStore(sqlite(file), postgres(address.href), unwatched)).rejects.toMatchObject({
      reason: 'denied',
    });
  });
});
