import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../server/store/postgres/fixtures/create-database.ts';
import { untilPrinted } from './until-printed.ts';

// If these fail, an operator types what the pages say, and it does not work as it stands.

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');

let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operating-'));
  for (const name of ['data', 'etc', 'backups/lockstep', 'tls', 'readme', 'bin'])
    mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(root, join(folder, 'lockstep'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('docs/operating.md', { tags: ['full'] }, () => {
  let secret: string;
  let token: string;
  let port: number;
  let tlsPort: number;
  /** The blocks that were run. */
  const run = new Set<string>();

  beforeAll(async () => {
    [port, tlsPort] = [await freePort(), await freePort()];
    const environment = findBlock('PUBLIC_ORIGIN=');
    writeFileSync(
      join(folder, 'etc/environment'),
      `${here(environment).replace('https://api.example', origin())}PORT=${port}\n`,
    );
    writeFileSync(join(folder, 'data/acme.json'), sampleFile());
  });

  const origin = () => `https://localhost:${tlsPort}`;

  /** The only block of commands that contains the text. */
  function findBlock(text: string): string {
    const blocks = readBlocks(page, 'sh').filter((block) => block.includes(text));
    expect([text, blocks.length]).toEqual([text, 1]);
    const [block = ''] = blocks;
    run.add(block);
    return block;
  }

  test('creates keys, data and a client, as described', async () => {
    const { exitCode, text } = await paste(findBlock('keys create'));
    expect([exitCode, text]).toEqual([0, expect.stringContaining('Created the client acme-own')]);
    secret = text.trimEnd().split('\n').at(-1) ?? '';
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual(['acme.json', 'keys.json', 'service.sqlite']);
  });

  test('has a unit that systemd takes', ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) skip('systemd-analyze is not here to read the unit');
    const unit = join(folder, 'lockstep.service');
    const [whole = '', several = ''] = readBlocks(page, 'ini').map(here);
    writeFileSync(unit, whole.replace('User=lockstep', 'User=root'));
    mkdirSync(`${unit}.d`);
    writeFileSync(join(`${unit}.d`, 'processes.conf'), several);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit]);
    const own = String(stderr)
      .split('\n')
      .filter((line) => line.includes('lockstep.service'));
    expect([own, status]).toEqual([[], 0]);
  });

  test('has a unit whose command starts in its folder and stops by its signal, in its time', async () => {
    const service = await startUnit();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    service.kill(readUnit('KillSignal') as NodeJS.Signals);
    expect(await once(service, 'exit')).toEqual([0, null]);
    // The server's own hard stop comes before that of systemd.
    expect(Number(readUnit('TimeoutStopSec'))).toBeGreaterThan(10);
  });

  test('has a configuration with which nginx serves it by TLS, and no caller chooses who they are', async ({
    skip,
  }) => {
    if (spawnSync('nginx', ['-v'], { env: sbin() }).status !== 0) skip('nginx is not here to be put in front');
    const proxy = await startNginx();
    const service = await startUnit();
    try {
      const body = 'grant_type=client_credentials';
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const ask = (password: string, more: Record<string, string> = {}) =>
        call('/auth/oauth2/token', { ...form, Authorization: `Basic ${btoa(`acme-own:${password}`)}`, ...more }, body);
      const spoofed = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' };
      const answer = await ask(secret, spoofed);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('access_token')]);
      token = JSON.parse(answer.text).access_token;
      const shown = findBlock('grant_type').replaceAll('https://api.example', `--insecure --silent ${origin()}`);
      const first = await paste(shown.replace('SECRET', secret).replace('TOKEN', token));
      expect([first.exitCode, first.text]).toEqual([0, expect.stringMatching(/"access_token":.*"deviceId":"LK1"/s)]);
      const headers = { Authorization: `Bearer ${token}` };
      const device = await call('/v1/devices/LK1', headers);
      expect([device.status, device.text]).toEqual([200, expect.stringContaining('"deviceId":"LK1"')]);
      const discovery = await call('/auth/.well-known/openid-configuration', spoofed);
      expect(JSON.parse(discovery.text)).toMatchObject({ issuer: `https://localhost:${tlsPort}/auth` });
      expect((await call('/auth/.well-known/openid-configuration', { Host: 'evil.example' })).status).toBe(400);

      // The server rejects a body that is too large for the contract, with its own error body; nginx does not.
      const large = await call(
        '/v1/devices/LK1/activity',
        { ...headers, 'Content-Type': 'application/json' },
        'x'.repeat(300_000),
      );
      expect([large.status, JSON.parse(large.text)]).toEqual([
        413,
        expect.objectContaining({ code: expect.any(String) }),
      ]);
      expect((await call('/v1/devices', { ...headers, 'X-Long': 'x'.repeat(14_000) })).status).toBe(200);

      // Guesses count for the address that nginx has seen, not for one that a caller claims.
      const guesses = Array.from({ length: 21 }, (_, index) => ask('wrong', { 'X-Forwarded-For': `192.0.2.${index}` }));
      await Promise.all(guesses);
      expect((await ask(secret, { 'X-Forwarded-For': '192.0.2.99' })).text).toContain('too many failed attempts');
    } finally {
      for (const child of [proxy, service]) child.kill('SIGTERM');
      await Promise.all([once(proxy, 'exit'), once(service, 'exit')]);
    }
  });

  test('adds an owner with a created password, and lists everything, as described', async () => {
    const { exitCode, text } = await paste(findBlock('owner add'));
    expect([exitCode, text]).toEqual([
      0,
      expect.stringMatching(
        /^Added the owner owner@acme\.example of acme\.\n.*\n\w{5}(-\w{5}){3}\nEMAIL .*\n.* Acme owner\nNo grants\.\n$/,
      ),
    ]);
  });

  test('rotates a secret, backs up and restores, as described', async () => {
    const [backup, restore] = [findBlock('-- backup'), findBlock('-- restore')];
    const listed = await paste(findBlock('client rotate'));
    expect([listed.exitCode, listed.text]).toEqual([
      0,
      expect.stringMatching(/acme-own[\s\S]*The old one works until /),
    ]);
    const service = await startUnit();
    const kept = await paste(backup);
    expect([kept.exitCode, kept.text]).toEqual([0, expect.stringContaining('Backed up ')]);
    expect((await paste(restore)).text).toContain('is open in another process. Stop the server first.');
    service.kill('SIGTERM');
    await once(service, 'exit');
    const brought = await paste(restore);
    expect([brought.exitCode, brought.text]).toEqual([0, expect.stringContaining('Restored ')]);
  });

  test('moves to PostgreSQL, and serves by three processes from it, which are replaced while requests come', async ({
    skip,
  }) => {
    for (const program of ['createdb', 'pg_dump', 'nginx'])
      if (spawnSync(program, ['--version'], { env: sbin() }).error) skip(`${program} is not here to be run`);
    const server = new URL(await createDatabase({ release: '15' })); // clients dump servers of earlier versions only
    server.pathname = '/lockstep';
    writeStubs();
    const database = {
      PGHOST: server.hostname,
      PGPORT: server.port,
      PGUSER: server.username,
      PGPASSWORD: server.password,
    };
    for (const block of [findBlock('useradd'), findBlock('createdb')])
      expect(await paste(block, database)).toEqual({ exitCode: 0, text: '' });
    expect(readFileSync(join(folder, 'calls'), 'utf8').replaceAll(folder, '').split('\n')).toEqual([
      'apt-get install --yes git nginx npm',
      'useradd --system --home-dir /data --shell /bin/bash lockstep',
      'install -d -m 0700 -o lockstep -g lockstep /data /backups/lockstep',
      'install -d /etc',
      'git clone REPOSITORY /lockstep',
      'npm ci',
      'apt-get install --yes postgresql',
      '',
    ]);
    appendFileSync(join(folder, 'etc/environment'), `DATABASE_URL=${server.href}\n`);

    const copied = await paste(findBlock('-- copy'));
    expect([copied.exitCode, copied.text]).toEqual([0, expect.stringMatching(/\n2 device\n[\s\S]*Copied /)]);
    const proxy = await startNginx();
    const service = await startUnit(2);
    try {
      writeFileSync(join(folder, 'pid'), `${service.pid}`);
      const readDevice = () => call('/v1/devices/LK1', { Authorization: `Bearer ${token}` });
      expect(await readDevice()).toMatchObject({ status: 200, text: expect.stringContaining('"deviceId":"LK1"') });
      expect((await paste(findBlock('pg_dump'))).exitCode).toBe(0);

      const statuses = new Set<number>();
      let replaced = 0;
      service.stdout?.on('data', (text: string) => {
        replaced += text.split('a process was replaced').length - 1;
      });
      const upgraded = await paste(findBlock('systemctl reload'));
      expect([upgraded.exitCode, upgraded.text]).toEqual([0, '']);
      while (replaced < 3) statuses.add((await readDevice()).status);
      expect(statuses).toEqual(new Set([200]));
    } finally {
      for (const child of [proxy, service]) child.kill('SIGTERM');
      await Promise.all([once(proxy, 'exit'), once(service, 'exit')]);
    }
    await paste('npm run -s lockstep-server -- account disable acme');
    expect((await paste(findBlock('pg_restore'))).exitCode).toBe(0);
    const listed = await paste('npm run -s lockstep-server -- account list');
    expect(listed.text).toMatch(/acme +subscribed +- +no /);
    // The last test of the page: it has no command that was left out.
    expect(readBlocks(page, 'sh').filter((block) => !run.has(block))).toEqual([]);
  });

  /** Programs that change the machine, or download something, write down how they were called. */
  function writeStubs(): void {
    const log = `echo "$(basename "$0") $*" >> ${join(folder, 'calls')}`;
    const stubs = {
      'apt-get': log,
      useradd: log,
      install: log,
      // The page has the repository in a folder; here, a link to it is moved.
      git: `${log}; for last; do :; done; [ -e "$last" ] || ln -s ${root} "$last"`,
      npm: `case $1 in ci) ${log};; *) PATH=\${PATH#*:} exec npm "$@";; esac`,
      runuser: 'shift 3; exec "$@"',
      systemctl: `kill -HUP "$(cat ${join(folder, 'pid')})"`,
    };
    for (const [name, lines] of Object.entries(stubs)) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${lines}\n`);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
  }

  async function startUnit(blocks = 1): Promise<ChildProcess> {
    const command = `cd ${readUnit('WorkingDirectory')}; set -a; . ${readUnit('EnvironmentFile')}; set +a; exec ${readUnit('ExecStart', blocks)}`;
    const child = spawn('sh', ['-c', command], { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    await untilPrinted(child, '"ready"');
    return child;
  }

  /** @param blocks 2 for the unit with its drop-in for several processes, whose settings come last */
  function readUnit(name: string, blocks = 1): string {
    const text = here(readBlocks(page, 'ini').slice(0, blocks).join('\n'));
    return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? '';
  }

  async function startNginx(): Promise<ChildProcess> {
    const tls = join(folder, 'tls');
    const names = ['-keyout', join(tls, 'api.example.key'), '-out', join(tls, 'api.example.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...subject]);
    const server = here(readBlocks(page, 'nginx')[0] ?? '')
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${tlsPort} ssl`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${tls}/${name};`,
    );
    // Started by root, its workers would be somebody who may not read this folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const whole = `${user} pid ${tls}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}\n${server} }`;
    writeFileSync(join(tls, 'nginx.conf'), whole);
    const child = spawn('nginx', ['-c', join(tls, 'nginx.conf'), '-p', tls, '-g', 'daemon off;'], {
      env: sbin(),
      stdio: 'inherit',
    });
    children.add(child);
    await expect
      .poll(
        () =>
          call('/healthz').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 15_000 },
      )
      .toBe(502); // nobody stands behind it yet
    return child;
  }

  function call(path: string, headers: Record<string, string> = {}, body?: string) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const sent = request(
      {
        host: '127.0.0.1',
        port: tlsPort,
        servername: 'localhost',
        rejectUnauthorized: false,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { Host: `localhost:${tlsPort}`, ...length, ...headers },
      },
      (response) => {
        response
          .setEncoding('utf8')
          .toArray()
          .then((texts) => resolve({ status: response.statusCode ?? 0, text: texts.join('') }), reject);
      },
    );
    sent.once('error', reject).end(body);
    return promise;
  }
});

test('the commands of the README create what a server needs, from the file that docs/operating.md shows', {
  tags: ['full'],
}, async () => {
  const block =
    readBlocks(readFileSync(join(root, 'README.md'), 'utf8'), 'sh').find((one) => one.includes('keys create')) ?? '';
  const data = join(folder, 'readme');
  writeFileSync(join(data, 'FILE.json'), sampleFile());
  const commands = block.replace('FILE.json', join(data, 'FILE.json')).replace(/^npm run -s serve$/m, 'true');
  expect(commands).toContain('\ntrue\n');
  const { exitCode, text } = await execute(commands, {
    LOCKSTEP_KEYS: join(data, 'keys.json'),
    DATABASE_URL: `sqlite:${join(data, 'service.sqlite')}`,
  });
  expect([exitCode, text]).toEqual([0, expect.stringContaining('Created the client acme-own')]);
});

/** The contents of the fenced blocks of that language, in order. */
function readBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([^\`]+)\`\`\``, 'g'))].map((match) => match[1] ?? '');
}

/** The same text, in the folders of this test. */
function here(text: string): string {
  return text
    .replaceAll('/opt/lockstep', join(folder, 'lockstep'))
    .replaceAll('/etc/lockstep', join(folder, 'etc'))
    .replaceAll('/var/lib/lockstep', join(folder, 'data'))
    .replaceAll('/var/backups', join(folder, 'backups'))
    .replaceAll('/etc/ssl', join(folder, 'tls'));
}

/** The file to import that the page shows. */
function sampleFile(): string {
  return readBlocks(page, 'json')[0] ?? '';
}

/** A block in the shell in which the first one was typed. */
function paste(block = '', more: Record<string, string> = {}): Promise<{ exitCode: number; text: string }> {
  const before = `cd ${join(folder, 'lockstep')}; set -a; . ${join(folder, 'etc/environment')}; set +a\n`;
  return execute(before + here(block), { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ...more });
}

function execute(commands: string, more: Record<string, string> = {}): Promise<{ exitCode: number; text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number; text: string }>();
  const options = { cwd: root, env: { ...cleanEnvironment(), ...more } };
  execFile('sh', ['-ec', commands], options, (error, stdout, stderr) =>
    resolve({ exitCode: error === null ? 0 : Number(error.code), text: stdout + stderr }),
  );
  return promise;
}

/** The environment of an operator's shell. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$|LOCKSTEP_|DATABASE_URL$|PORT$|PUBLIC_)/i.test(name),
  );
  return Object.fromEntries(own);
}

/** Where Debian keeps nginx, which is on nobody's path but root's. */
function sbin(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
