import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDatabase } from './copy-database.ts';
import { openSqliteStore } from './open-store.ts';

// If these fail, a backup is wrong, never finishes, or turns out incomplete when it is needed.

const folder = mkdtempSync(join(tmpdir(), 'lockstep-copy-'));
const good = join(folder, 'good.sqlite');
/** Some 40 MB, so that it takes several steps. */
const rows = 40_000;
const never = new AbortController().signal;

beforeAll(async () => {
  await (await openSqliteStore(good)).close();
  const database = new BetterSqlite3(good);
  database.exec('create table pair (id integer primary key, one integer, other integer, filling text) strict');
  const insert = database.prepare('insert into pair (one, other, filling) values (0, 0, ?)');
  database.transaction(() => {
    for (let row = 0; row < rows; row += 1) insert.run('x'.repeat(1000));
  })();
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a database is copied in one pass, as of one moment, while another process writes without a pause', async () => {
  const path = place('busy');
  copyFileSync(good, path);
  const writer = await startWriter(path);
  const written: number[] = [];
  const acknowledged = await writer.count();
  const copy = await copyDatabase(path, join(folder, 'busy', 'backup'), {
    signal: never,
    onProgress: (pages) => written.push(pages),
  });
  expect(await writer.count()).toBeGreaterThan(acknowledged);
  await writer.end();

  // After a restart the progress would begin again at the first page.
  expect(written).toEqual(written.toSorted((one, other) => one - other));
  expect(written.length).toBeGreaterThan(4);
  const database = new BetterSqlite3(copy.path, { readonly: true });
  const [torn, sum] = database.prepare('select total(one <> other), total(one) from pair').raw().get() as number[];
  expect([torn, database.pragma('integrity_check', { simple: true })]).toEqual([0, 'ok']);
  expect(sum).toBeGreaterThanOrEqual(acknowledged);
  expect(copy).toMatchObject({
    pages: database.pragma('page_count', { simple: true }),
    bytes: statSync(copy.path).size,
  });
  database.close();
  copy.discard();
  expect(readdirSync(join(folder, 'busy')).filter((name) => name.startsWith('backup'))).toEqual([]);
});

test('the source stays as it was, to the byte, and no other file is left', async () => {
  const path = place('still');
  copyFileSync(good, path);
  const before = readFileSync(path);
  const copy = await copyDatabase(path, join(folder, 'still', 'backup'), { signal: never });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect((statSync(copy.path).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(join(folder, 'still')).toSorted()).toEqual([
    expect.stringMatching(/^backup\..*\.part$/),
    'database',
  ]);
});

test('the WAL of a killed process is in the copy, and stays next to the source', async () => {
  const path = place('killed');
  copyFileSync(good, path);
  const writer = await startWriter(path);
  await expect.poll(() => writer.count(), { timeout: 15_000 }).toBeGreaterThan(20);
  await writer.kill();
  const before = [path, `${path}-wal`].map((file) => readFileSync(file));
  const copy = await copyDatabase(path, join(folder, 'killed', 'backup'), { signal: never });
  expect([path, `${path}-wal`].map((file, index) => before[index]?.equals(readFileSync(file)))).toEqual([true, true]);
  const database = new BetterSqlite3(copy.path, { readonly: true });
  expect(database.prepare('select total(one) from pair').pluck().get()).toBeGreaterThan(20);
  database.close();
});

test('a stop in the middle leaves nothing', async () => {
  const stop = new AbortController();
  const copying = copyDatabase(good, join(folder, 'stopped'), {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('enough')),
  });
  await expect(copying).rejects.toThrow('enough');
  expect(readdirSync(folder).filter((name) => name.startsWith('stopped'))).toEqual([]);
});

describe('refused, and nothing left:', () => {
  test.each([
    {
      name: 'a database that is damaged in the middle',
      change: (path: string) => {
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0x5a, 4096 * 60, 4096 * 64));
      },
      reason: 'corrupt',
    },
    { name: 'one that is cut short', change: (path: string) => truncateSync(path, 4096 * 50), reason: 'corrupt' },
    { name: 'text', change: (path: string) => writeFileSync(path, 'some text '.repeat(900)), reason: 'corrupt' },
    {
      name: 'a database of another program',
      change: (path: string) => {
        rmSync(path);
        new BetterSqlite3(path).exec('create table recipes (name)').close();
      },
      reason: 'foreign',
    },
  ])('$name', async ({ name, change, reason }) => {
    const path = place(name);
    copyFileSync(good, path);
    change(path);
    await expect(copyDatabase(path, join(folder, name, 'backup'), { signal: never })).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(path),
    });
    expect(readdirSync(join(folder, name))).toEqual(['database']);
  });
});

const mountOn = 'mount -t tmpfs -o size=4m none';
const mayMount = spawnSync('unshare', ['-rm', 'sh', '-c', `${mountOn} /tmp`]).status === 0;
if (!mayMount) process.stderr.write('Skipped: a full disk, since this user may not mount one (unshare -rm).\n');

describe('a disk without space', () => {
  // The size of the WAL is not checked beforehand: SQLite itself detects the full disk.
  test.skipIf(!mayMount).each([
    { name: 'is reported before the first page', path: () => good, says: /needs 4\d\.\d MB, but its disk has .* free/ },
    {
      name: 'is reported when the disk is full',
      path: makeLogged,
      says: /can't be copied to .*: no space is left there/,
    },
  ])('$name, and nothing is left', ({ path, says }) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk, { recursive: true });
    const mount = `${mountOn} ${disk}`;
    const { stdout } = spawnSync('unshare', [
      '-rm',
      'sh',
      '-c',
      `${mount} && ${copyingTo(join(disk, 'x'), path())}; ls ${disk}`,
    ]);
    expect(String(stdout)).toMatch(says);
    expect(String(stdout).trimEnd().split('\n')).toHaveLength(1);
  });

  test('a disk that fails is reported too', () => {
    const target = join(folder, 'limited');
    const { stdout } = spawnSync('sh', ['-c', `ulimit -f 8000; ${copyingTo(target, good)}`]);
    expect(String(stdout)).toMatch(/can't be copied to .*limited: a disk fails \(SQLITE_IOERR\)/);
    expect(readdirSync(folder).filter((name) => name.startsWith('limited'))).toEqual([]);
  });

  /** A shell command that copies, and prints the error. */
  function copyingTo(wanted: string, path: string): string {
    const script = `const { copyDatabase } = await import('${import.meta.resolve('./copy-database.ts')}');
      const signal = new AbortController().signal;
      await copyDatabase(${JSON.stringify(path)}, ${JSON.stringify(wanted)}, { signal }).catch((error) => console.log(error.message));`;
    return `'${process.execPath}' --input-type=module -e '${script.replaceAll("'", '"')}'`;
  }

  /** A database that is mostly in its WAL. */
  function makeLogged(): string {
    const path = place('logged');
    const script = `const { openSqliteStore } = await import('${import.meta.resolve('./open-store.ts')}');
      await (await openSqliteStore(process.argv[1])).close();
      const database = new (await import('better-sqlite3')).default(process.argv[1]);
      database.pragma('journal_mode = wal');
      database.pragma('wal_autocheckpoint = 0');
      database.exec('create table filling (text text) strict');
      database.transaction(() => {
        for (let row = 0; row < 8000; row += 1) database.prepare('insert into filling values (?)').run('x'.repeat(1000));
      })();
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--input-type=module', '-e', script, path], { cwd: import.meta.dirname });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(8_000_000);
    expect(statSync(path).size).toBeLessThan(1_000_000);
    return path;
  }
});

function place(name: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name, 'database');
}

/** A process that increments two numbers in each transaction, one after the other, and prints the number of transactions. */
async function startWriter(path: string) {
  const script = `const database = new (require('better-sqlite3'))(process.argv[1], { timeout: 5000 });
    database.pragma('journal_mode = wal');
    const one = database.prepare('update pair set one = one + 1 where id = ?');
    const other = database.prepare('update pair set other = other + 1 where id = ?');
    const both = database.transaction((id) => { one.run(id); other.run(id); });
    let done = 0;
    const write = () => {
      for (let times = 0; times < 3; times += 1) { both(1 + Math.floor(Math.random() * ${rows})); done += 1; }
      setImmediate(write);
    };
    process.on('message', () => process.send(done));
    write();`;
  const child = spawn(process.execPath, ['-e', script, path], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const count = async (): Promise<number> => {
    child.send('count');
    return (await once(child, 'message'))[0];
  };
  await expect.poll(count, { timeout: 15_000 }).toBeGreaterThan(0);
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { count, end: kill, kill };
}
