import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stoppable } from '@lockstep/runtime/run-until-stopped';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { serveSandbox } from './sandbox/command-line.ts';

const main = new URL('./main.ts', import.meta.url).pathname;
const running = new Set<ChildProcess>();
const folder = mkdtempSync(join(tmpdir(), 'lockstep-mock-'));
/** In the format that the control accepts. */
const wrongScenario = join(folder, 'wrong.json');
const wrongDevice = { deviceId: 'A', deviceName: 'A', type: 'Look' };
writeFileSync(
  wrongScenario,
  JSON.stringify({ import: { account: { id: 'acme', name: 'Acme' }, devices: [wrongDevice] } }),
);

afterAll(() => rmSync(folder, { recursive: true }));

/** Servers that several tests share: their output at the start does not change. */
const shared = new Map<string, Promise<Run>>();
afterEach(async () => {
  for (const child of running) if (!kept.has(child)) child.kill('SIGKILL');
  await Promise.all(listening.splice(0).map((one) => one.close()));
  vi.unstubAllEnvs();
});
/** Servers within this process. */
const listening: Stoppable[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});
const kept = new Set<ChildProcess>();

function startShared(...args: string[]): Promise<Run> {
  const known = shared.get(args.join(' '));
  if (known !== undefined) return known;
  const begun = run(args);
  kept.add(begun.child);
  const ready = untilPrinted(begun, args.includes('--json') ? '\n' : 'a documented error, by name').then(() => begun);
  shared.set(args.join(' '), ready);
  return ready;
}

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
}

/** Runs the command in this process until it exits or listens; then until the end of the test. */
async function runHere(args: readonly string[], keyFile = join(folder, 'keys.json'), port = '0') {
  vi.stubEnv('PORT', port);
  vi.stubEnv('LOG_LEVEL', 'silent');
  let [output, errors] = ['', ''];
  const streams = {
    out: { write: (text: string) => (output += text) },
    error: { write: (text: string) => (errors += text) },
  };
  const exit = await serveSandbox(['--key-file', keyFile, ...args], streams, async (_, start) => {
    listening.push(await start(new AbortController().signal));
  });
  return { exit, output, errors };
}

/** Runs the command as a user types it. */
function run(args: readonly string[]): Run {
  const child = spawn(process.execPath, [main, '--key-file', join(folder, 'keys.json'), ...args], {
    env: { ...process.env, PORT: '0' },
  });
  running.add(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return { child, output: () => output, errors: () => errors, exit };
}

/** Waits for the first complete output. If the process exits earlier, it fails at once. */
async function untilPrinted({ child, output, errors, exit }: Run, last: string): Promise<void> {
  while (!output().includes(last)) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errors()}`);
    await Promise.race([once(child.stdout ?? child, 'data'), exit]);
  }
}

describe('the mock as a command', () => {
  test('prints addresses, what it does not do, and lines to paste', async () => {
    const inText = await startShared();
    const text = inText.output();
    expect(text).toMatch(/^Mock of .+ on http:\/\/localhost:\d+\n/);
    expect(text).toMatch(/^ {2}demo-own {2,}\S{40,} {2}Harbour Stays$/m);
    expect(text).toContain('Tokens and scopes are checked.');
    expect(text).not.toContain('any bearer token passes');
    expect(inText.errors()).toBe('');
  });

  test('prints lines that work as they are, in a shell', async () => {
    const { samples } = JSON.parse((await startShared('--json')).output());
    const [token, reading] = samples.map(({ command }: { command: string }) => command);
    expect(token).toMatch(/^TOKEN=\$\(curl -s -u 'demo-own:/);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${token}\n${reading}`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(stdout).toContain('"deviceId":"LK2A00000001"');
  });

  test('keeps its keys, so that every start has the same clients and owners', async () => {
    const first = JSON.parse((await startShared('--json')).output());
    const second = (await startShared()).output();
    for (const { clientId, secret } of first.clients)
      expect(second).toMatch(new RegExp(`^ +${clientId} +${secret} `, 'm'));
    for (const { email, password } of first.owners)
      expect(second).toMatch(new RegExp(`^ +${email} +${password} `, 'm'));
    expect(first.clients[0]).toEqual({
      clientId: 'demo-own',
      secret: expect.stringMatching(/^[\w-]{40,}$/),
      account: 'Harbour Stays',
      kind: 'own',
      redirectUris: [],
    });
    expect(first.owners[0]).toEqual({
      email: 'owner@harbour.example',
      password: expect.stringMatching(/^\w{5}(-\w{5}){3}$/),
      account: 'Harbour Stays',
    });
  });

  test('explains what is wrong with a key file', async () => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{}', { mode: 0o600 });
    const refused = await runHere([], path);
    expect(refused.exit).toBe(2);
    expect(refused.errors).toContain(`The key file ${path} cannot be used`);
  });

  test('does without mock-access.json if that cannot be written, and reports it', async () => {
    const place = join(folder, 'closed');
    // In its way, which stops every user: a mode would not stop root.
    mkdirSync(join(place, 'mock-access.json/in-the-way'), { recursive: true });
    const started = await runHere(['--json'], join(place, 'keys.json'));
    const path = join(place, 'mock-access.json');
    expect(started.errors).toMatch(
      `${path} cannot be written, so npm run -s token -- --mock does not know this mock: `,
    );
    const { origin } = JSON.parse(started.output);
    expect((await fetch(`${origin}/nowhere`)).status).toBe(404);
    expect(readdirSync(place).sort()).toEqual(['keys.json', 'mock-access.json']);
  });

  test('leaves secrets in clear to this user alone', async () => {
    await startShared('--json');
    expect(statSync(join(folder, 'mock-access.json')).mode & 0o777).toBe(0o600);
  });

  test('prints the same as JSON, answers, and stops cleanly on SIGTERM', async () => {
    const ended = await startShared('--json');
    const { origin, baseUrl, authUrl, addresses, samples } = JSON.parse(ended.output());
    expect({ baseUrl, authUrl }).toEqual({ baseUrl: `${origin}/v1`, authUrl: `${origin}/auth` });
    expect((await fetch(`${authUrl}/.well-known/openid-configuration`)).status).toBe(200);
    expect(addresses.length).toBeGreaterThan(0);
    expect(samples.every(({ command }: { command: string }) => command.includes(origin))).toBe(true);
    expect((await fetch(`${origin}/nowhere`)).status).toBe(404);
    ended.child.kill('SIGTERM');
    expect(await ended.exit).toBe(0);
    shared.delete('--json');
  });

  const elsewhere = ['--json', '--public-origin', 'http://mock.example:8090'];
  test('issues tokens under the address that clients use', async () => {
    const { origin, authUrl } = JSON.parse((await startShared(...elsewhere)).output());
    expect({ origin, authUrl }).toEqual({
      origin: 'http://mock.example:8090',
      authUrl: 'http://mock.example:8090/auth',
    });
  });

  test('stops cleanly on SIGINT', async () => {
    const ended = await startShared(...elsewhere);
    ended.child.kill('SIGINT');
    expect(await ended.exit).toBe(0);
    shared.delete(elsewhere.join(' '));
  });

  test('reports a taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const refused = await runHere(['--port', String(port)]);
    expect(refused.exit).toBe(2);
    expect(refused.errors).toContain(`Port ${port} on 127.0.0.1 is taken.`);
    expect(refused.output).toBe('');
    other.close();
  });

  test('accepts callbacks on this machine with an option, and warns', async () => {
    const loopback = 'http://127.0.0.1:3000/callback';
    const started = await runHere(['--json', '--loopback-callback', loopback]);
    expect(started.errors).toContain(
      `Partners may use the callback ${loopback}. The service itself accepts only https`,
    );
    const { authUrl, clients } = JSON.parse(started.output);
    expect(clients[1].redirectUris).toEqual(['https://partner.example/callback', loopback]);
    const ask = async (redirectUri: string) => {
      const fields = { response_type: 'code', client_id: 'demo-partner', redirect_uri: redirectUri, scope: 'openid' };
      return (await fetch(`${authUrl}/login?${new URLSearchParams(fields)}`, { redirect: 'manual' })).status;
    };
    expect([await ask(loopback), await ask('http://127.0.0.1:3001/callback')]).toEqual([303, 400]);
  });

  const wrongUses = [
    { name: 'a scenario that is none', args: ['--scenario', 'emtpy'], says: 'did you mean empty?' },
    {
      name: 'a file of a scenario with faults, naming file and place',
      args: ['--scenario', wrongScenario],
      says: `${wrongScenario}: #/devices/0/type`,
    },
    {
      name: 'an address of another machine',
      args: ['--host', '192.0.2.1'],
      says: '192.0.2.1 is not an address of this machine',
      // Reported by the same function as a taken port.
      tags: ['full'],
    },
  ];
  for (const { name, args, says, tags = [] } of wrongUses) {
    test(`refuses ${name}`, { tags }, async () => {
      const refused = await runHere(args);
      expect(refused.exit).toBe(2);
      expect(refused.errors).toContain(says);
    });
  }

  test('refuses a PORT that is none', async () => {
    const refused = await runHere([], undefined, 'http');
    expect(refused.exit).toBe(2);
    expect(refused.errors).toContain('PORT');
  });

  test('refuses an option that is unknown, as a process', async () => {
    const refused = run(['--prot', '1']);
    expect(await refused.exit).toBe(2);
    expect([refused.output(), refused.errors()]).toEqual(['', expect.stringContaining('--prot')]);
  });

  test('explains itself', async () => {
    const helped = run(['--help']);
    expect(await helped.exit).toBe(0);
    expect(helped.output()).toContain('--port');
    expect(helped.output()).toContain('Exit codes');
  });
});
