import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandOutput, main, runHere, runProcess } from './commands/fixtures/run-command.ts';

// An operator's first hour in order: each command works, reports that, and may be repeated.

const house = { id: '65a000000000000000000001', name: 'House', timezone: null };
const file = {
  account: { id: 'acme', name: 'Acme' },
  properties: [house],
  devices: [
    { deviceId: 'LK1', deviceName: 'Door', type: 'Lock', properties: [house.id], capabilities: { algoPin: true } },
    { deviceId: 'BR1', deviceName: 'Bridge', type: 'Bridge', properties: [house.id], links: ['LK1'] },
  ],
};

let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-'));
  env = {
    ...process.env,
    PORT: '0',
    LOCKSTEP_KEYS: join(folder, 'keys.json'),
    DATABASE_URL: `sqlite:${join(folder, 'data/service.sqlite')}`,
  };
  await writeFile(join(folder, 'acme.json'), JSON.stringify(file));
});
afterAll(() => rm(folder, { recursive: true }));

describe('an operator', () => {
  test('gets help in a deleted folder', async () => {
    const cwd = () => {
      throw new Error('ENOENT: no such file or directory, uv_cwd');
    };
    expect(await runHere(['account', '--help'], { env, cwd })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('cannot start without keys, and sees how to create them', async () => {
    const { exitCode, stderr } = await runProcess(['serve'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`The key file ${folder}/keys.json does not exist.\nCreate one: `);
  });

  test('cannot use a missing database: a mistyped path creates no empty one', async () => {
    const none = { DATABASE_URL: `sqlite:${join(folder, 'none.sqlite')}` };
    await runIn({ LOCKSTEP_KEYS: join(folder, 'other-keys.json') }, 'keys', 'create');
    for (const args of [
      ['serve'],
      ['account', 'trial', 'acme'],
      ['client', 'create', 'p', '--name', 'P', '--redirect-uri', 'https://p.example/'],
      ['device', 'list'],
      ['import', join(folder, 'none.json')],
    ]) {
      const { exitCode, stderr } = await runIn({ ...none, LOCKSTEP_KEYS: join(folder, 'other-keys.json') }, ...args);
      expect([args, exitCode]).toEqual([args, 2]);
      expect(stderr).toMatch(/none\.(sqlite|json) .*(does not exist)/);
    }
    expect((await readdir(folder)).filter((name) => name.includes('sqlite'))).toEqual([]);
  });

  test('cannot use a foreign file, but can fill an empty one by an import', async () => {
    const [empty, text] = [join(folder, 'empty-file'), join(folder, 'text-file')];
    await writeFile(empty, '');
    await writeFile(text, 'PORT=8080\n');
    const keys = { LOCKSTEP_KEYS: join(folder, 'other-keys.json') };
    for (const args of [['serve'], ['account', 'subscribe', 'acme'], ['device', 'list'], ['jobs', 'list']]) {
      const onEmpty = await runIn({ ...keys, DATABASE_URL: `sqlite:${empty}` }, ...args);
      expect([args, onEmpty.exitCode]).toEqual([args, 2]);
      expect(onEmpty.stderr).toMatch(/the database .*empty-file is empty\..* import FILE/s);
      const onText = await runIn({ ...keys, DATABASE_URL: `sqlite:${text}` }, ...args);
      expect([args, onText.exitCode]).toEqual([args, 2]);
      expect(onText.stderr).toMatch(/text-file is damaged or not a SQLite database/);
    }
    expect((await stat(empty)).size).toBe(0);
    expect((await runIn({ DATABASE_URL: `sqlite:${text}` }, 'import', join(folder, 'acme.json'))).exitCode).toBe(2);
    expect(await readFile(text, 'utf8')).toBe('PORT=8080\n');
    const onEmpty = { DATABASE_URL: `sqlite:${empty}` };
    expect((await runIn(onEmpty, 'import', join(folder, 'acme.json'))).exitCode).toBe(0);
    expect((await runIn(onEmpty, 'device', 'list')).stdout).toContain('LK1');
  });

  describe('gets a message without a stack if the output of a command has no space:', () => {
    const disk = () => ({ DATABASE_URL: `sqlite:${join(folder, 'data-of-nobody.sqlite')}` });
    beforeAll(() => runIn(disk(), 'import', join(folder, 'acme.json')));

    const commands = [
      { args: 'client create full --name F --account acme', tags: [] },
      { args: 'account list', tags: ['full'] },
      { args: 'account list --json', tags: ['full'] },
    ];
    for (const { args, tags } of commands) {
      test(args, { tags }, async () => {
        const command = `"${process.execPath}" "${main}" ${args} > /dev/full`;
        const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
        execFile('sh', ['-c', command], { env: { ...env, ...disk() } }, (error, _, stderr) =>
          resolve({ code: error?.code ?? 0, stderr }),
        );
        expect(await promise).toEqual({
          code: 2,
          stderr: expect.stringMatching(/^The answer could not be written \(ENOSPC\)\. .*\n$/),
        });
      });
    }
  });

  test('creates keys once, unreadable for others', async () => {
    expect(await run('keys', 'create', '--json')).toMatchObject({ exitCode: 0, json: { created: true } });
    const before = await readFile(join(folder, 'keys.json'));
    expect(await run('keys', 'create', '--json')).toMatchObject({ exitCode: 0, json: { created: false } });
    expect(await readFile(join(folder, 'keys.json'))).toEqual(before);
    expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
  });

  test('imports an account, and again without effect', async () => {
    const first = await run('import', join(folder, 'acme.json'), '--json');
    expect(first).toMatchObject({ exitCode: 0, json: { account: 'acme', properties: 1, devices: 2 } });
    expect(await run('import', join(folder, 'acme.json'), '--json')).toMatchObject({ exitCode: 0, json: first.json });
    const modes = await Promise.all(
      (await readdir(join(folder, 'data'))).map(async (name) => (await stat(join(folder, 'data', name))).mode & 0o777),
    );
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  test('sees every fault of a file, and nothing of it is imported', async () => {
    const wrong = { ...file, devices: [{ ...file.devices[0], deviceId: 'LK9', type: 'Door' }, { deviceId: 'x y' }] };
    await writeFile(join(folder, 'wrong.json'), JSON.stringify(wrong));
    const { exitCode, stderr } = await run('import', join(folder, 'wrong.json'));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'wrong.json: #/devices/0/type must be equal to one of the allowed values: Lock, Keypad, Bridge',
    );
    expect(stderr).toContain("wrong.json: #/devices/1 must have required property 'deviceName'");
    expect(stderr).toContain('Nothing was imported.');
  });

  test.each([
    { args: ['property', 'set-timezone', house.id, 'Europe/Berln'], says: 'nearest: Europe/Berlin' },
    { args: ['property', 'set-timezone', '65a0000000000000000000ff', 'UTC'], says: 'There is no property' },
    { args: ['account', 'subscribe', 'acm'], says: 'There is no account acm; nearest: acme' },
    { args: ['account', 'disable', 'acm'], says: 'There is no account acm; nearest: acme' },
    { args: ['account', 'trial', 'acme', '--until', '2026-12-31'], says: 'a time from 2000 to 2100' },
    {
      args: ['account', 'trial', 'acme', '--until', '2026-12-31T00:00:00Z', '--days', '3'],
      says: "'--until <instant>' cannot be used with option '--days <number>'",
    },
    { args: ['bridge', 'offline', 'BR2'], says: 'There is no bridge BR2; nearest: BR1' },
    { args: ['bridge', 'online', 'LK1'], says: 'There is no bridge LK1' },
    {
      args: ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme', '--require-pkce'],
      says: 'Omit --require-pkce, or give --redirect-uri',
    },
    {
      args: ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme', '--rotate-refresh-token'],
      says: 'Omit --rotate-refresh-token, or give --redirect-uri',
    },
    {
      args: ['client', 'create', 'acme', '--name', 'P', '--redirect-uri', 'https://p.example/'],
      says: 'of an account',
    },
    { args: ['account', 'trial', 'acme', '--days', '0'], says: 'a whole number of days' },
    { args: ['client', 'create', 'acme-own', '--name', 'Acme'], says: 'Give either --account or --redirect-uri' },
    { args: ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acm'], says: 'nearest: acme' },
    { args: ['client', 'create', 'p', '--name', 'P', '--redirect-uri', 'http://p.example/'], says: 'https' },
    { args: ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme', '--scope', 'all'], says: 'all' },
    { args: ['import', 'no.json'], says: "no.json can't be read: it does not exist" },
    { args: ['device', 'key', 'LK2'], says: 'There is no device LK2; nearest: LK1' },
    { args: ['device', 'key', 'BR1'], says: 'BR1 is a Bridge' },
    { args: ['device', 'key', 'LK1'], says: 'property set-timezone' },
    { args: ['device', 're-pair', 'BR1', '--generation', '1'], says: 'BR1 is a Bridge' },
    {
      args: ['device', 're-pair', 'LK1', '--generation', '2'],
      says: 'LK1 is at generation 1, not 2; nothing changed.',
    },
    { args: ['device', 're-pair', 'LK1', '--generation', '0'], says: 'a whole number from 1' },
    { args: ['device', 're-pair', 'LK1'], says: "required option '--generation <number>'" },
    { args: ['device', 'list', '--account', 'acm'], says: 'There is no account acm; nearest: acme' },
    { args: ['jobs', 'list', '--limit', '0'], says: 'a whole number from 1 to 999999' },
    { args: ['client', 'rotate', 'acme-own'], says: 'There is no client acme-own; there is none yet' },
    ...['1', '25', '1w', '91d', '-1', '1.5d', '2161h', ''].map((overlap) => ({
      args: ['client', 'rotate', 'acme-own', '--overlap', overlap],
      says: 'hours or days, as 36h or 7d, at most 90d; or 0.',
    })),
    { args: ['client', 'disable', 'acme-own'], says: 'There is no client acme-own; there is none yet' },
    { args: ['owner', 'add', 'anna@acme.example'], says: "required option '--account <id>'" },
    { args: ['owner', 'add', 'anna', '--account', 'acme'], says: 'The e-mail is "anna": it needs one @' },
    { args: ['owner', 'add', 'anna@acme.example', '--account', 'acm'], says: 'nearest: acme' },
    {
      args: ['owner', 'password', 'anna@acme.example'],
      says: 'There is no owner anna@acme.example; there is none yet',
    },
    {
      args: ['grant', 'revoke'],
      says: 'Name the grants: a grant as grant list prints it, --account, --owner, or --client.',
    },
    { args: ['grant', 'revoke', 'x', '--client', 'p'], says: 'Give either a grant, or any of --account, --owner and' },
    { args: ['grant', 'revoke', 'x', '--account', 'acme'], says: 'Give either a grant, or any of --account' },
    { args: ['grant', 'revoke', '--account', 'acm'], says: 'There is no account acm; nearest: acme' },
    { args: ['grant', 'revoke', 'x'], says: 'There is no grant x' },
    { args: ['grant', 'list', '--client', 'p'], says: 'There is no client p; there is none yet' },
    { args: ['sreve'], says: 'Did you mean serve?' },
    { args: ['serve', '--processes', '2'], says: '--processes needs PostgreSQL, and DATABASE_URL is the SQLite file' },
    ...['0', '65', '-1', '1.5', 'all', ''].map((processes) => ({
      args: ['serve', '--processes', processes],
      says: 'Give a whole number from 1 to 64.',
    })),
  ])('$args is rejected with valid values', async ({ args, says }) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
  });

  test.each([
    ['grant', 'revoke'],
    ['client', 'create', 'p', '--name', 'P'],
  ])('%s %s, wrongly used, prints the help of that command', async (...args) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`Usage: lockstep-server ${args[0]} ${args[1]} [options]`);
    expect(stderr).not.toContain('Usage: lockstep-server [options]');
  });

  test.each([
    { args: ['account', 'subscribe', 'acm'], says: 'There is no account acm' },
    { args: ['account', 'trial', 'acme', '--days', '0'], says: 'a whole number of days' },
    { args: ['client', 'create', 'acme-own', '--name', 'Acme'], says: 'Give either --account' },
    { args: ['client', 'create', 'acme-own'], says: "required option '--name <text>'" },
    { args: ['account'], says: "unknown option '--json'" },
    { args: ['sreve'], says: "unknown command 'sreve'" },
  ])('$args with --json is rejected as JSON', async ({ args, says }) => {
    const { exitCode, stderr, json } = await run(...args, '--json');
    expect([exitCode, stderr]).toEqual([2, '']);
    expect(json).toMatchObject({ error: expect.stringContaining(says) });
  });

  test('sets timezone, trial and subscription, as often as they like', async () => {
    for (let times = 0; times < 2; times += 1) {
      expect((await run('property', 'set-timezone', house.id, 'Europe/Berlin')).exitCode).toBe(0);
      const trial = await run('account', 'trial', 'acme', '--days', '3', '--json');
      expect(trial).toMatchObject({ exitCode: 1, json: { error: expect.stringContaining('acme is subscribed') } });
      const until = ['account', 'trial', 'acme', '--until', '2026-12-31T00:00:00+01:00', '--force', '--json'];
      expect(await run(...until)).toMatchObject({ exitCode: 0, json: { trialEndsAt: Date.UTC(2026, 11, 30, 23) } });
      expect((await run('account', 'subscribe', 'acme')).exitCode).toBe(0);
    }
  });

  test('lists all records', async () => {
    const { stdout } = await run('device', 'list');
    expect(stdout).toMatch(/^DEVICE +ACCOUNT +TYPE .*NAME\nBR1 +acme +Bridge .* Bridge\nLK1 +acme +Lock .* Door\n$/);
    expect((await run('bridge', 'list', '--account', 'acme', '--json')).json).toMatchObject({
      bridges: [{ bridgeId: 'BR1', online: true, linkedDevices: ['LK1'], unfinishedJobs: 0 }],
      more: false,
    });
    expect(await run('jobs', 'list')).toMatchObject({ exitCode: 0, stdout: 'No jobs.\n' });
    expect(await run('client', 'list')).toMatchObject({ exitCode: 0, stdout: 'No clients.\n' });
    expect((await run('account', 'list', '--json')).json).toMatchObject({
      accounts: [{ account: 'acme', state: 'subscribed', devices: 2, properties: 1 }],
    });
    expect((await run('property', 'list', '--account', 'acme', '--json')).json).toMatchObject({
      properties: [{ property: house.id, timezone: 'Europe/Berlin', devices: 2 }],
    });
  });

  test('creates logins of owners, by a generated password or one from stdin, and disables them', async () => {
    const email = 'anna@acme.example';
    const added = await run('owner', 'add', email, '--account', 'acme', '--json');
    expect(added).toMatchObject({ exitCode: 0, json: { email, account: 'acme', created: true } });
    expect(added.json.password).toMatch(/^\w{5}(-\w{5}){3}$/);
    const second = ['owner', 'add', 'ben@acme.example', '--account', 'acme', '--name', 'Ben', '--password-stdin'];
    expect(await runWith('correct horse battery\n', ...second)).toMatchObject({
      exitCode: 0,
      stdout: 'Added the owner ben@acme.example of acme.\n',
    });
    expect(await runWith('one line\nand another\n', 'owner', 'password', email, '--password-stdin')).toMatchObject({
      exitCode: 2,
      stderr: 'stdin has more than one line. Give the password as its only line.\n',
    });
    expect(await runWith('short', 'owner', 'password', email, '--password-stdin', '--json')).toMatchObject({
      exitCode: 2,
      json: { error: 'The password has 5 characters: it needs 12 to 128.' },
    });
    const changed = await run('owner', 'password', email, '--json');
    expect(changed).toMatchObject({ exitCode: 0, json: { email, id: added.json.id } });
    expect(changed.json.password).not.toBe(added.json.password);
    expect((await run('owner', 'disable', email.toUpperCase(), '--json')).json).toMatchObject({ changed: true });
    const { json } = await run('owner', 'list', '--account', 'acme', '--json');
    expect(json).toMatchObject({
      owners: [
        { email, disabled: true, id: added.json.id },
        { email: 'ben@acme.example', name: 'Ben', disabled: false },
      ],
    });
    expect((await run('owner', 'list')).stdout).toMatch(
      /^EMAIL +ACCOUNT .*NAME\nanna@acme.example +acme +yes .*\nben@/,
    );
    expect(await run('grant', 'list')).toMatchObject({ exitCode: 0, stdout: 'No grants.\n' });
    expect(await run('grant', 'revoke', '--owner', email, '--json')).toMatchObject({
      exitCode: 0,
      json: { owner: email, revoked: 0 },
    });
    expect((await run('grant', 'revoke', '--account', 'acme')).stdout).toBe('There is no grant of acme.\n');
    const help = (await run('owner', '--help')).stdout.replaceAll(/\s+/g, ' ');
    for (const verb of ['disable', 'enable']) expect(help).toMatch(new RegExp(`${verb} [^:]*?; audited`));
    expect((await run('owner', 'enable', email, '--json')).json).toMatchObject({ disabled: false, changed: true });
  });

  test('serves what was imported to a client whose secret was shown once', async () => {
    const create = ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme', '--json'];
    const { json: client } = await run(...create);
    expect(client).toMatchObject({ clientId: 'acme-own', created: true });
    expect((await run(...create)).json).toEqual({ clientId: 'acme-own', created: false });

    const service = spawn(process.execPath, [main, 'serve'], { env: { ...env, LOG_LEVEL: 'info' } });
    const log: Record<string, unknown>[] = [];
    const lines = createInterface({ input: service.stdout });
    const ready = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        log.push(JSON.parse(line));
        if (log.at(-1)?.msg === 'ready') resolve(String(log.at(-1)?.origin));
      });
    });
    const origin = await ready;
    const token = await fetch(`${origin}/auth/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`acme-own:${client.secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }).then((response) => response.json() as Promise<{ access_token: string }>);
    const headers = { Authorization: `Bearer ${token.access_token}` };
    const lock = await fetch(`${origin}/v1/devices/LK1`, { headers });
    expect(lock.status).toBe(200);
    expect(lock.headers.get('ratelimit')).toBe('"account";r=3599;t=3600');
    expect(await lock.json()).toMatchObject({ deviceName: 'Door', timezone: 'Europe/Berlin', bridgeId: 'BR1' });

    // The client's operator has a day to switch.
    const ask = async (secret: unknown) => {
      const response = await fetch(`${origin}/auth/oauth2/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`acme-own:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      return response.status;
    };
    const { json: rotated } = await run('client', 'rotate', 'acme-own', '--json');
    expect([await ask(client.secret), await ask(rotated.secret)]).toEqual([200, 200]);
    expect((await run('client', 'list', '--account', 'acme', '--json')).json).toMatchObject({
      clients: [{ clientId: 'acme-own', previousSecretUntil: rotated.previousSecretUntil }],
    });
    expect((await run('client', 'list')).stdout).toContain(String(rotated.previousSecretUntil).slice(0, 19));
    const { json: last } = await run('client', 'rotate', 'acme-own', '--overlap', '0', '--json');
    expect(last).toMatchObject({ previousSecretUntil: null, endedSecretUntil: rotated.previousSecretUntil });
    expect([await ask(client.secret), await ask(rotated.secret), await ask(last.secret)]).toEqual([401, 401, 200]);
    expect((await fetch(`${origin}/v1/devices/LK1`, { headers })).status).toBe(200);

    // The token is valid for a day, but not for a disabled client.
    expect((await run('client', 'disable', 'acme-own', '--json')).json).toMatchObject({ changed: true });
    expect((await fetch(`${origin}/v1/devices/LK1`, { headers })).status).toBe(401);
    expect((await run('client', 'enable', 'acme-own', '--json')).json).toMatchObject({ changed: true });
    expect((await fetch(`${origin}/v1/devices/LK1`, { headers })).status).toBe(200);

    expect((await run('account', 'disable', 'acme', '--json')).json).toMatchObject({ changed: true });
    expect((await fetch(`${origin}/v1/devices/LK1`, { headers })).status).toBe(401);
    expect((await run('account', 'enable', 'acme', '--json')).json).toMatchObject({ changed: true });

    const sendJob = () =>
      fetch(`${origin}/v1/devices/LK1/jobs/bridges/BR1`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: '{"jobType":"UNLOCK"}',
      });
    for (const [verb, status] of [
      ['offline', 406],
      ['online', 200],
    ] as const) {
      expect((await run('bridge', verb, 'BR1', '--json')).json).toMatchObject({
        online: verb === 'online',
        changed: true,
      });
      expect((await sendJob()).status).toBe(status);
    }

    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
    const text = JSON.stringify(log);
    expect(text).toContain('"route":"getDevice"');
    expect(text).not.toContain(String(client.secret));
    expect(text).not.toContain(token.access_token);
  });

  test('provisions a lock with its key, shown once, and pairs it again, once even if repeated', async () => {
    const first = await run('device', 'key', 'LK1', '--json');
    expect(first).toMatchObject({ exitCode: 0, json: { device: 'LK1', generation: 1, timezone: 'Europe/Berlin' } });
    expect(first.json.key).toMatch(/^[0-9a-f]{64}$/);
    const second = await run('device', 'key', 'LK1');
    expect(second).toMatchObject({ exitCode: 1, stdout: '' });
    expect(second.stderr).toMatch(/Show it again, audited: .* device key LK1 --again\n/);
    expect((await run('device', 'key', 'LK1', '--again', '--json')).json).toEqual(first.json);

    const pair = ['device', 're-pair', 'LK1', '--generation', '1', '--json'];
    expect(await run(...pair)).toMatchObject({ exitCode: 0, json: { generation: 2, rePaired: true } });
    expect(await run(...pair)).toMatchObject({ exitCode: 0, json: { generation: 2, rePaired: false } });
    await run('import', join(folder, 'acme.json'));
    await run('property', 'set-timezone', house.id, 'Europe/Berlin');
    const third = await run('device', 'key', 'LK1', '--json');
    expect(third).toMatchObject({ exitCode: 0, json: { generation: 2 } });
    expect(third.json.key).not.toBe(first.json.key);
  });

  test('cannot start with another key file, nor see a key derived from it', async () => {
    const other = { LOCKSTEP_KEYS: join(folder, 'other-keys.json') };
    for (const args of [['serve'], ['device', 'key', 'LK1', '--again']]) {
      const { exitCode, stdout, stderr } = await runIn(other, ...args);
      expect([args, exitCode, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain('belongs to another key file');
    }
    expect((await run('device', 'key', 'LK1', '--again')).exitCode).toBe(0);
  });

  test('cannot start with a key file that others can read', async () => {
    await chmod(join(folder, 'keys.json'), 0o644);
    const { exitCode, stderr } = await runIn({}, 'serve');
    await chmod(join(folder, 'keys.json'), 0o600);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('chmod 600');
  });
});

for (const { name, tags } of [
  { name: 'a command of each exit code, and one with stdin, also works in its own process', tags: [] },
  { name: 'a command of each file also works in its own process', tags: ['full'] },
]) {
  test(name, { tags }, async () => {
    const own = await mkdtemp(join(folder, 'processes-'));
    const database = `sqlite:${join(own, 'service.sqlite')}`;
    const setting = { env: { ...env, LOCKSTEP_KEYS: join(own, 'keys.json'), DATABASE_URL: database } };
    const owner = ['owner', 'add', 'anna@acme.example', '--account', 'acme'];
    const isSubscribed = { error: expect.stringContaining('acme is subscribed') };
    for (const { args, input = '', exitCode = 0, everyRun = false, want } of [
      { args: ['keys', 'create'], everyRun: true, want: { created: true } },
      { args: ['import', join(folder, 'acme.json')], want: { account: 'acme', devices: 2 } },
      { args: ['property', 'set-timezone', house.id, 'Europe/Berlin'], want: { timezone: 'Europe/Berlin' } },
      { args: ['timezone', 'Europe/Berlin'], want: { tzdata: process.versions.tz } },
      { args: ['client', 'create', 'acme-own', '--name', 'Acme', '--account', 'acme'], want: { created: true } },
      { args: ['client', 'rotate', 'acme-own'], want: { clientId: 'acme-own' } },
      { args: ['account', 'trial', 'acme'], exitCode: 1, want: isSubscribed },
      {
        args: [...owner, '--password-stdin'],
        input: 'correct horse battery\n',
        everyRun: true,
        want: { created: true },
      },
      { args: ['grant', 'list'], want: { grants: [] } },
      { args: ['device', 'key', 'LK1'], want: { generation: 1 } },
      { args: ['bridge', 'offline', 'BR1'], want: { online: false } },
      { args: ['jobs', 'list'], want: { jobs: [] } },
      { args: ['sreve'], exitCode: 2, everyRun: true, want: { error: expect.stringContaining('Did you mean serve?') } },
    ]) {
      // `npm test` runs the others in this process.
      const start = everyRun || tags.includes('full') ? runProcess : runHere;
      const { json, ...output } = await start([...args, '--json'], { ...setting, input });
      expect([args, output.exitCode, output.stderr]).toEqual([args, exitCode, '']);
      expect(json).toMatchObject(want);
    }
    const asText = await runProcess(['device', 'key', 'LK1'], setting);
    expect(asText).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('Show it again, audited: '),
    });
  });
}

test('all faults of the environment are reported at once', async () => {
  const { exitCode, stderr } = await runIn({ PORT: 'a', LOG_LEVEL: 'b' }, 'serve');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^PORT is "a": .+\nLOG_LEVEL is "b": .+\n$/);
  const asJson = await runIn({ PORT: 'a', LOG_LEVEL: 'b' }, 'serve', '--json');
  expect(asJson).toMatchObject({ exitCode: 2, stderr: '' });
  expect(asJson.json).toMatchObject({
    faults: [/^PORT is/, /^LOG_LEVEL is/].map((says) => expect.stringMatching(says)),
  });
});

test('every command in the pages exists', async () => {
  const pages = ['algopin.md', 'timezones.md'].map((name) =>
    readFile(join(import.meta.dirname, '../docs', name), 'utf8'),
  );
  const named = (await Promise.all(pages))
    .join('\n')
    .matchAll(/lockstep-server (?:-- )?([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)/g);
  const commands = new Set([...named].map(([, command = '']) => command));
  expect(commands).toContain('device re-pair');
  for (const command of commands) {
    const { exitCode, stdout } = await run(...command.split(' '), '--help');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Usage: lockstep-server ${command} `)]);
  }
});

test('--help of every command has a description', async () => {
  for (const command of [
    [],
    ['keys'],
    ['client', 'create'],
    ['client', 'disable'],
    ['client', 'rotate'],
    ['client', 'list'],
    ['account', 'list'],
    ['property', 'list'],
    ['device', 'list'],
    ['bridge', 'list'],
    ['jobs', 'list'],
    ['import'],
    ['property'],
    ['timezone'],
    ['account'],
    ['account', 'trial'],
    ['account', 'disable'],
    ['bridge', 'offline'],
    ['device'],
    ['device', 'key'],
    ['device', 're-pair'],
    ['owner'],
    ['owner', 'add'],
    ['owner', 'password'],
    ['owner', 'disable'],
    ['owner', 'enable'],
    ['owner', 'list'],
    ['grant'],
    ['grant', 'list'],
    ['grant', 'revoke'],
  ]) {
    const { exitCode, stdout } = await run(...command, '--help');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Usage: lockstep-server/);
  }
});

test('compiled files are cached in a folder of the repository', async () => {
  const more = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE', NODE_COMPILE_CACHE: '' };
  const help = () => runProcess(['--help'], { env: { ...env, ...more } });
  await help();
  const { stdout, stderr } = await help();
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => /reading cache .*commands\/program\.ts/.test(line));
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/\/node_modules\/\.cache\/compiled\/.*success/);
});

function run(...args: string[]): Promise<CommandOutput> {
  return runHere(args, { env });
}

function runWith(input: string, ...args: string[]): Promise<CommandOutput> {
  return runHere(args, { env, input });
}

function runIn(more: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandOutput> {
  return runHere(args, { env: { ...env, ...more } });
}
