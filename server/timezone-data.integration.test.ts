import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main, runHere } from './commands/fixtures/run-command.ts';
import {
  changeTroll,
  readOwnTimezoneFiles,
  renameEdition,
  type TimezoneFiles,
  writeTimezoneFiles,
} from './fixtures/timezone-files.ts';
import { readEdition, timezoneFiles } from './timezone-files.ts';

// If these fail, the server silently uses old time zone rules, or none.

const station = { id: '65a000000000000000000001', name: 'Station', timezone: 'Antarctica/Troll' };
const capabilities = { algoPin: true };
const file = {
  account: { id: 'acme', name: 'Acme' },
  properties: [station],
  devices: [{ deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [station.id], capabilities }],
};

let own: TimezoneFiles;
let folder: string;
let secret: string;
const folders: string[] = [];

beforeAll(async () => {
  own = await readOwnTimezoneFiles();
  folder = await mkdtemp(join(tmpdir(), 'zones-'));
  folders.push(folder);
  await writeFile(join(folder, 'acme.json'), JSON.stringify(file));
  const setting = { env: environmentOf({}) };
  await runHere(['keys', 'create'], setting);
  await runHere(['import', join(folder, 'acme.json')], setting);
  const create = ['client', 'create', 'own', '--name', 'Own', '--account', 'acme', '--json'];
  secret = String((await runHere(create, setting)).json.secret);
});
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))));

async function keep(files: Partial<TimezoneFiles>): Promise<string> {
  const path = await writeTimezoneFiles(files);
  folders.push(path);
  return path;
}

/** The year of the next 10 March that is at least a day away. */
const year = new Date(Date.now() + 298 * 86_400_000).getUTCFullYear();

/** The environment of a server, without the time zone variables of the test process. */
function environmentOf(more: Readonly<Record<string, string>>) {
  const { TIMEZONE_DATA: _, ICU_TIMEZONE_FILES_DIR: __, ...rest } = process.env;
  const [keys, database] = [join(folder, 'keys.json'), join(folder, 'service.sqlite')];
  return { ...rest, PORT: '0', LOG_LEVEL: 'info', LOCKSTEP_KEYS: keys, DATABASE_URL: `sqlite:${database}`, ...more };
}

function run(more: Readonly<Record<string, string>>, ...args: string[]) {
  return runNode(more, main, ...args);
}

function runNode(more: Readonly<Record<string, string>>, ...args: string[]) {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number | string; stdout: string; stderr: string }>();
  // A server that starts although it should not is killed after the timeout, which its signal shows.
  const options = { env: environmentOf(more), cwd: folder, timeout: 20_000 };
  execFile(process.execPath, args, options, (error, stdout, stderr) =>
    resolve({ exitCode: error === null ? 0 : (error.signal ?? Number(error.code)), stdout, stderr }),
  );
  return promise;
}

/** A daily code of the shortest duration from noon of the next 10 March at the station: its end is after clocks there go forward. */
async function createCode(more: Readonly<Record<string, string>>) {
  const service = spawn(process.execPath, [main, 'serve'], { env: environmentOf(more), cwd: folder });
  const lines = createInterface({ input: service.stdout });
  const ready = Promise.withResolvers<{ origin: string; tzdata: string; pid: number }>();
  lines.on('line', (line) => {
    const entry = JSON.parse(line);
    if (entry.msg === 'ready') ready.resolve(entry);
  });
  lines.on('close', () => ready.reject(new Error('it ended before it was ready')));
  const { origin, tzdata, pid } = await ready.promise;
  const token = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`own:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  }).then((response) => response.json() as Promise<{ access_token: string }>);
  const code = await fetch(`${origin}/v1/devices/LK1/algopin/daily`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ accessName: 'Guest', startDate: `${year}-03-10T12:00:00Z` }),
  });
  const body = (await code.json()) as Record<string, unknown>;
  service.kill('SIGTERM');
  const [exitCode] = await once(service, 'exit');
  return { status: code.status, body, tzdata, isSameProcess: pid === service.pid, exitCode };
}

describe('a folder of newer time zone files', () => {
  test('changes the rules for codes', async () => {
    const before = await createCode({});
    expect(before).toMatchObject({ status: 200, tzdata: process.versions.tz, exitCode: 0 });
    expect(before.body).toMatchObject({ endDate: `${year}-04-08T12:00:00+02:00` });

    const changed = await keep(renameEdition(changeTroll(own), '2099z'));
    const after = await createCode({ TIMEZONE_DATA: changed });
    expect(after).toMatchObject({ status: 200, tzdata: '2099z', isSameProcess: true, exitCode: 0 });
    expect(after.body).toMatchObject({ pin: before.body.pin, endDate: `${year}-04-08T12:00:00+01:00` });
  });

  test('changes them by the variable of Node too', { tags: ['full'] }, async () => {
    const changed = await keep(renameEdition(changeTroll(own), '2099z'));
    const after = await createCode({ ICU_TIMEZONE_FILES_DIR: changed });
    expect(after).toMatchObject({ status: 200, tzdata: '2099z', isSameProcess: true, exitCode: 0 });
    expect(after.body).toMatchObject({ endDate: `${year}-04-08T12:00:00+01:00` });
  });

  test('applies to every command, and is shown to the operator', async () => {
    const changed = await keep(renameEdition(changeTroll(own), '2099z'));
    const more = { TIMEZONE_DATA: changed };
    const rules = await run(more, 'timezone', 'Antarctica/Troll');
    expect(rules.stdout).toMatch(new RegExp(`^Timezone rules 2099z, of ${changed}\n`));
    expect(rules.stdout).toMatch(/-03-\d\dT01:00:00Z {2}\+01:00\n/);
    const ownRules = await runHere(['timezone', 'Antarctica/Troll'], { env: environmentOf({}) });
    expect(ownRules.stdout).toMatch(
      new RegExp(`^Timezone rules ${process.versions.tz}, of Node ${process.versions.node}\n`),
    );
    expect(ownRules.stdout).toMatch(/-03-\d\dT01:00:00Z {2}\+02:00\n/);
    const kathmandu = await runHere(['timezone', 'Asia/Kathmandu'], { env: environmentOf({}) });
    expect(kathmandu.stdout).toContain('+05:45 now, without a change');
    expect(await runHere(['timezone', 'Europe/Berln'], { env: environmentOf({}) })).toMatchObject({
      exitCode: 2,
      stderr: 'Europe/Berln is no IANA timezone, nearest: Europe/Berlin\n',
    });
    expect(JSON.parse((await run(more, 'device', 'key', 'LK1', '--json')).stdout)).toMatchObject({ tzdata: '2099z' });
  });

  test('is relative to the folder in which the server is started', async () => {
    const changed = await keep(renameEdition(own, '2099z'));
    const { stdout } = await run({ TIMEZONE_DATA: `../${changed.split('/').at(-1)}` }, 'timezone', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ tzdata: '2099z', folder: changed });
  });
});

const cut = (bytes: Buffer, length: number) => bytes.subarray(0, length);
const patch = (bytes: Buffer, at: number, value: number) => {
  const patched = Buffer.from(bytes);
  patched[at] = value;
  return patched;
};

const damages: readonly {
  readonly name: string;
  readonly damage: (files: TimezoneFiles) => Partial<TimezoneFiles>;
  readonly says: string;
}[] = [
  {
    name: 'a file that is missing',
    damage: ({ 'metaZones.res': _, ...rest }) => rest,
    says: 'it lacks metaZones.res; the four belong to one edition',
  },
  {
    name: 'a folder without any',
    damage: () => ({}),
    says: 'zoneinfo64.res, timezoneTypes.res, metaZones.res and windowsZones.res',
  },
  {
    name: 'a file that was cut short',
    damage: (files) => ({ ...files, 'zoneinfo64.res': cut(files['zoneinfo64.res'], 60_000) }),
    says: 'zoneinfo64.res is cut short: 60000 of',
  },
  {
    name: 'a truncated one that Node reads late',
    damage: (files) => ({ ...files, 'timezoneTypes.res': cut(files['timezoneTypes.res'], 20_000) }),
    says: 'timezoneTypes.res is cut short: 20000 of',
  },
  {
    name: 'an empty file',
    damage: (files) => ({ ...files, 'zoneinfo64.res': Buffer.alloc(0) }),
    says: 'zoneinfo64.res is not a file of ICU',
  },
  {
    name: 'a Git LFS pointer',
    damage: (files) => ({ ...files, 'zoneinfo64.res': Buffer.from('version https://git-lfs.github.com/spec/v1\n') }),
    says: 'zoneinfo64.res is a pointer of Git LFS',
  },
  {
    name: 'files for another kind of processor',
    damage: (files) => ({ ...files, 'zoneinfo64.res': patch(files['zoneinfo64.res'], 8, 1) }),
    says: 'zoneinfo64.res is for big-endian processors, this one is little-endian',
  },
  {
    name: 'a header that points outside its file',
    damage: (files) => ({ ...files, 'zoneinfo64.res': patch(files['zoneinfo64.res'].subarray(0, 1000), 1, 0xff) }),
    says: 'zoneinfo64.res is damaged: its header points outside the file',
  },
  {
    name: 'a wrong offset of a table',
    damage: (files) => ({ ...files, 'zoneinfo64.res': patch(files['zoneinfo64.res'], 34, 0xff) }),
    says: 'zoneinfo64.res names no edition',
  },
  {
    name: 'a later format',
    damage: (files) => ({ ...files, 'zoneinfo64.res': patch(files['zoneinfo64.res'], 16, 9) }),
    says: 'zoneinfo64.res has version 9 of its format',
  },
  {
    name: 'rules that crash Node',
    damage: (files) => ({
      ...files,
      'zoneinfo64.res': Buffer.from(files['zoneinfo64.res']).fill(0xab, 80_000, 140_000),
    }),
    says: 'Node fails to read its zones',
  },
];

test('the page for operators names variables and files', async () => {
  const page = await readFile(new URL('../docs/timezones.md', import.meta.url), 'utf8');
  for (const name of [...timezoneFiles, 'TIMEZONE_DATA', 'ICU_TIMEZONE_FILES_DIR', 'lockstep-server timezone'])
    expect(page).toContain(name);
});

describe('a folder of time zone files is refused, before anything listens, for', () => {
  const isRefused = async ({ damage, says }: (typeof damages)[number], ...command: string[]) => {
    const path = await keep(damage(own));
    const { exitCode, stdout, stderr } = await run({ TIMEZONE_DATA: path }, ...command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`TIMEZONE_DATA is "${path}": `);
    expect(stderr).toContain(says);
  };

  // serve and all other commands read the folder in the same code. Processes test the first fault, which is found in the files, and the
  // last, which only the child process finds.
  const [first, last] = [damages.slice(0, 1), damages.slice(-1)];
  test.each([...first, ...last])('$name', (damaged) => isRefused(damaged, 'device', 'list'));
  test.each(damages.slice(1, -1))('$name', { tags: ['full'] }, (damaged) => isRefused(damaged, 'device', 'list'));
  test.each(damages.slice(1, -1))('$name, as it is read', async ({ damage, says }) => {
    const path = await keep(damage(own));
    expect(() => readEdition(path)).toThrow(says);
  });
  test.each(first)('$name, by serve', (damaged) => isRefused(damaged, 'serve'));
  test.each(damages.slice(1))('$name, by serve', { tags: ['full'] }, (damaged) => isRefused(damaged, 'serve'));

  test('a name that does not exist', async () => {
    const { exitCode, stderr } = await run({ TIMEZONE_DATA: '/nowhere' }, 'serve');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('TIMEZONE_DATA is "/nowhere": there is no such folder');
    const asJson = await run({ TIMEZONE_DATA: '/nowhere' }, 'serve', '--json');
    expect([asJson.exitCode, JSON.parse(asJson.stdout)]).toMatchObject([2, { error: stderr.trim() }]);
  });

  test('a variable that is set too late for Node', async () => {
    const variables = join(folder, 'late.env');
    await writeFile(variables, `ICU_TIMEZONE_FILES_DIR=${await keep(renameEdition(own, '2099z'))}\n`);
    const { exitCode, stderr } = await runNode({}, `--env-file=${variables}`, main, 'timezone');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `it contains 2099z, but Node uses ${process.versions.tz}. Set TIMEZONE_DATA to the folder`,
    );
  });

  test('any command but --help', async () => {
    const { exitCode, stdout } = await run({ TIMEZONE_DATA: '/nowhere' }, '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('TIMEZONE_DATA');
  });

  test('the variable of Node alone, if Node survives its start', async () => {
    for (const [path, says] of [
      ['/nowhere', 'there is no such folder'],
      [await keep({ ...own, 'zoneinfo64.res': Buffer.from('hello') }), 'zoneinfo64.res is not a file of ICU'],
    ] as const) {
      const { exitCode, stderr } = await run({ ICU_TIMEZONE_FILES_DIR: path }, 'serve');
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`ICU_TIMEZONE_FILES_DIR is "${path}": `);
      expect(stderr).toContain(says);
    }
  });
});
