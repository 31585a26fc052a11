import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDemo } from '../operations/fixtures/serve-demo.ts';
import { holdLock } from '../store/sqlite/fixtures/hold-lock.ts';
import { main, runHere } from './fixtures/run-command.ts';

// If these fail, an import of many devices keeps a server from writing for its whole time, or leaves data behind that no second import corrects.

const devicesEach = 10;
/** 3,000 devices show an interrupted import in a seventh of the time of 20,000. */
const [someHouses, manyHouses] = [300, 2000];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-large-'));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * `leastWrites` shows that the server wrote at all: an import of 3,000 devices takes less than a second, in which a machine under load may
 * answer few writes. The status of an answer shows whether the write failed or waited too long.
 */
test('devices are imported while a server writes, and none of its writes fails', async () =>
  importBesideWriter(await placeFile(someHouses), { devices: 3000, leastWrites: 2 }));
test('so are 20,000', { tags: ['full'] }, async () =>
  importBesideWriter(await placeFile(manyHouses), { devices: 20_000, leastWrites: 20 }),
);

async function importBesideWriter(
  file: string,
  { devices, leastWrites }: { readonly devices: number; readonly leastWrites: number },
): Promise<void> {
  const demo = await serveDemo(Date.parse('2026-11-20T17:25:00.000Z'));
  const put = (batteryLevel: number) =>
    demo.call({ method: 'PUT', path: '/devices/LK2A00000001', body: { batteryLevel } });
  expect((await put(1)).status).toBe(200);
  const devicesBefore = (await demo.database.readRows('device')).length;
  const running = startImport(join(demo.database.place, 'data.sqlite'), file);
  const ended = once(running.child, 'exit');
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  const statuses = new Map<number, number>();
  let writes = 0;
  while (isRunning) {
    const { status } = await put(writes % 100);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    writes += 1;
  }
  expect(await ended).toEqual([0, null]);
  expect([...statuses.keys()]).toEqual([200]);
  expect(writes).toBeGreaterThan(leastWrites);
  expect(await demo.database.readRows('device')).toHaveLength(devicesBefore + devices);
  await demo.close();
}

// The kill follows the first of some 30 batches of the shorter import, so it can't finish between the check and the kill.
const whole = 'an import that is killed leaves whole devices and links that lead somewhere, and once more completes it';
test(whole, async () => survivesKills(await placeFile(someHouses), { devices: 3000, first: 1, kills: 1 }));
test(`${whole}, however often`, { tags: ['full'] }, async () =>
  survivesKills(await placeFile(manyHouses), { devices: 20_000, first: 2000, kills: 9 }),
);

async function survivesKills(
  file: string,
  { devices, first: firstDevices, kills }: { readonly devices: number; readonly first: number; readonly kills: number },
): Promise<void> {
  const [undisturbed, disturbed] = ['undisturbed', 'disturbed'].map((name) =>
    join(folder, `${name}-${devices}.sqlite`),
  ) as [string, string];
  const began = performance.now();
  expect(await startImport(undisturbed, file).exit).toBe(0);
  const wholeMs = performance.now() - began;

  const first = startImport(disturbed, file);
  await untilDevices(disturbed, firstDevices);
  first.child.kill('SIGKILL');
  await first.exit;
  expect(expectWhole(disturbed)).toBeLessThan(devices);

  for (const part of fc.sample(fc.integer({ min: 10, max: 100 }), kills)) {
    const { child, exit } = startImport(disturbed, file);
    await Promise.race([exit, setTimeout((wholeMs * part) / 100)]);
    child.kill('SIGKILL');
    await exit;
    expectWhole(disturbed);
  }
  expect(await startImport(disturbed, file).exit).toBe(0);
  expect(readAll(disturbed)).toEqual(readAll(undisturbed));
}

test('Ctrl-C stops it after the current batch, and it prints its progress', async () => {
  const database = join(folder, 'interrupted.sqlite');
  // So many devices that the import is unfinished when the signal comes, also on a busy machine.
  const { child, exit, output } = startImport(database, await placeFile(1000));
  await untilDevices(database, 1);
  child.kill('SIGINT');
  expect(await exit).toBe(1);
  const { stderr, stdout } = await output;
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /Interrupted\. Imported so far: 1000 of 1000 properties, \d+ of 10000 devices, links of \d+ of \d+\.\nRun the same/,
  );
  expectWhole(database);
});

test('it waits for another holder of the lock, and shows its progress on stderr only', async () => {
  const database = join(folder, 'waiting.sqlite');
  const house = await placeFile(1);
  const env = { ...process.env, DATABASE_URL: `sqlite:${database}` };
  expect(await runHere(['import', house], { env })).toMatchObject({ exitCode: 0 });
  const release = await holdLock(database);
  const { child, exit, output } = startImport(database, house, '--json');
  for await (const text of child.stderr?.iterator({ destroyOnReturn: false }) ?? [])
    if (`${text}`.includes('importing: ')) break;
  await release();
  expect(await exit).toBe(0);
  expect(JSON.parse((await output).stdout)).toMatchObject({ properties: 1, devices: 10 });
});

async function placeFile(houses: number): Promise<string> {
  const path = join(folder, `${houses}.json`);
  await writeFile(path, JSON.stringify(makeFile(houses)));
  return path;
}

/** Houses with a bridge, its locks and a keypad, and some locks without one: every kind of reference. */
function makeFile(houses: number) {
  const id = (number: number) => `65e${String(number).padStart(21, '0')}`;
  const common = { pairedAt: '2026-01-01T00:00:00Z' };
  return {
    account: { id: 'large', name: 'Large' },
    properties: Array.from({ length: houses }, (_, house) => ({
      id: id(house),
      name: `House ${house}`,
      timezone: 'UTC',
    })),
    devices: Array.from({ length: houses }, (_, house) => {
      const [lock, pad] = [(number: number) => `LK${house}-${number}`, `KP${house}`];
      const place = { ...common, properties: [id(house)] };
      return [
        {
          deviceId: `BR${house}`,
          deviceName: 'Bridge',
          type: 'Bridge',
          ...place,
          links: [0, 1, 2, 3].map(lock).concat(pad),
        },
        ...Array.from({ length: devicesEach - 2 }, (_, number) => ({
          deviceId: lock(number),
          deviceName: `Door ${number}`,
          type: 'Lock',
          ...place,
          ...(number === 0 ? { links: [pad] } : {}),
        })),
        { deviceId: pad, deviceName: 'Pad', type: 'Keypad', ...place },
      ];
    }).flat(),
  };
}

function startImport(database: string, path: string, ...options: string[]) {
  const child: ChildProcess = spawn(process.execPath, [main, 'import', path, ...options], {
    env: { ...process.env, DATABASE_URL: `sqlite:${database}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    printed.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    printed.stderr += text;
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, exit, output: once(child, 'close').then(() => printed) };
}

/** Reads by another library and connection, between two batches of the import. */
function read<Result>(database: string, use: (all: (sql: string) => Record<string, unknown>[]) => Result): Result {
  const connection = new DatabaseSync(database, { timeout: 5000 });
  try {
    return use((sql) => connection.prepare(sql).all());
  } finally {
    connection.close();
  }
}

async function untilDevices(database: string, count: number): Promise<void> {
  const sql = `select device_id from device limit ${count}`;
  await expect.poll(() => read(database, (all) => all(sql).length), { timeout: 20_000, interval: 5 }).toBe(count);
}

/** @returns the number of devices */
function expectWhole(database: string): number {
  return read(database, (all) => {
    expect(all('pragma foreign_key_check')).toEqual([]);
    expect(all('select linked_id from device_link where by_bridge = 1 group by linked_id having count(*) > 1')).toEqual(
      [],
    );
    const placeless = 'select device_id from device where device_id not in (select device_id from device_property)';
    expect(all(placeless)).toEqual([]);
    expect(all("select at from audit_entry where action = 'import'").length).toBeGreaterThan(0);
    return Number(all('select count(*) as devices from device')[0]?.devices);
  });
}

function readAll(database: string) {
  const tables = ['account', 'property', 'device', 'device_property', 'device_link'];
  return read(database, (all) => tables.map((table) => all(`select * from ${table}`)));
}
