import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { untilPrinted } from './until-printed.ts';

// If these fail, the first minute of a newcomer does: the commands of the README do not work as printed.

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

describe('npm start', () => {
  let child: ChildProcess;
  let printed: string;
  let server: string;
  let mock: string;

  beforeAll(async () => {
    child = startDemo('--port', '0', '--mock-port', '0');
    printed = await untilPrinted(child, 'Ctrl-C stops both.');
    server = /Server {3}(http:\/\/localhost:\d+)/.exec(printed)?.[1] ?? '';
    mock = /Sandbox {2}(http:\/\/localhost:\d+)/.exec(printed)?.[1] ?? '';
  });

  afterAll(() => {
    child.kill('SIGKILL');
  });

  test('every call in the README answers as it describes', async () => {
    const calls = await readBlocks('README.md', 'curl ');
    const answers = await Promise.all(calls.map(paste));
    const statuses = ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 418'];
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(statuses);
    expect(answers[1]).toMatch(/"pin":"[1-9]\d{8}"/);
    expect(answers[2]).toContain('did you mean limit?');
  });

  test('every call in docs/commands.md answers as it describes', async () => {
    const calls = await readBlocks('docs/commands.md', 'curl ');
    const answers = await Promise.all(calls.map(paste));
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 403']);
    expect(answers[0]).toMatch(/"jobId":"[0-9a-f]{24}"/);
    expect(answers[1]).toMatch(/"description":"[^"]*(?:riegelt|Code|offen|Batterie|Einbruch|Uhr)/);
    expect(answers[2]).toContain('The token lacks the scope serviceapi/update-device');
  });

  test('the README holds the mock to the contract, and finds nothing', async () => {
    const [call = ''] = await readBlocks('README.md', 'npm run -s conform');
    expect(await paste(call)).toContain('No defect found.');
  });

  test('every line that it prints to paste works', async () => {
    const calls = printed.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line));
    expect(calls).toHaveLength(4);
    for (const [index, token] of calls.entries()) {
      if (index % 2 === 1) continue;
      expect(await pasteAsPrinted(`${token}\n${calls[index + 1]}`)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test.each([
    { name: 'the server', more: '' },
    { name: 'the mock', more: ' --mock' },
  ])('a login of the demo comes to tokens by the line that it prints: $name', async ({ name, more }) => {
    const [line = ''] = /^npm run -s token .*/m.exec(printed) ?? [];
    const origin = name === 'the mock' ? mock : server;
    // Of the mock, that line with its port.
    const call = more === '' ? line : line.replace(new URL(server).port, new URL(mock).port) + more;
    expect(call).toBe(`npm run -s token -- --client demo-partner --json --port ${new URL(origin).port}${more}`);
    const tokens = JSON.parse(await pasteAsPrinted(call));
    expect(tokens).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) });
    const authorization = { Authorization: `Bearer ${tokens.access_token}` };
    expect((await fetch(`${origin}/v1/devices`, { headers: authorization })).status).toBe(200);
  });

  test('the page for owners is at its printed address', async () => {
    const [, page = ''] = /, for owners (\S+)/.exec(printed) ?? [];
    expect(await (await fetch(page, { headers: { Accept: 'text/html' } })).text()).toContain('name="password"');
  });

  test('every address in the README answers', async () => {
    const readme = await readFile(`${root}README.md`, 'utf8');
    const addresses = [...readme.matchAll(/^\| (http:\/\/\S+) \|/gm)].map((match) => match[1] ?? '');
    expect(addresses).toHaveLength(7);
    for (const address of addresses) {
      const { status } = await fetch(here(address));
      expect(status, address).toBe(/\/(docs|_sandbox)/.test(address) ? 200 : 404);
    }
  });

  test('a second start prints the same clients and owners, as one line of JSON', async () => {
    const second = startDemo('--port', '0', '--mock-port', '0', '--json');
    const [line] = (await once(createInterface({ input: second.stdout as Readable }), 'line')) as [string];
    second.kill('SIGTERM');
    await once(second, 'exit');
    const started = JSON.parse(line);
    expect(started.server).toMatchObject({
      baseUrl: `${started.server.origin}/v1`,
      authUrl: `${started.server.origin}/auth`,
    });
    expect(started.server.clients).toHaveLength(5);
    const owners = ['owner@harbour.example', 'owner@meadow.example', 'owner@lapsed.example'];
    for (const side of [started.server, started.mock])
      expect(side.owners.map(({ email }: { email: string }) => email)).toEqual(owners);
    for (const { email, password, account } of started.server.owners)
      expect(printed).toMatch(new RegExp(`^ {2}${email} +${password}  ${account}$`, 'm'));
    expect(printed).not.toContain(started.mock.owners[0].password);
    for (const { secret } of [...started.server.clients, started.mock.clients[0]]) expect(printed).toContain(secret);
  });

  test('a port in use is said plainly, and nothing is left behind', async () => {
    const port = new URL(mock).port;
    const second = startDemo('--port', '0', '--mock-port', port);
    const stderr = collect(second);
    const [exitCode] = await once(second, 'exit');
    expect(exitCode).toBe(2);
    expect(await stderr).toMatch(new RegExp(`^Port ${port} is in use by another process\\.`, 'm'));
  });

  test('Ctrl-C stops it cleanly, open connections or not', async () => {
    await fetch(`${mock}/v1/devices`); // leaves a connection open for the next call
    child.kill('SIGINT');
    const [exitCode, signal] = await once(child, 'exit');
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
    await expect(isFree(Number(new URL(mock).port))).resolves.toBe(true);
    await expect(isFree(Number(new URL(server).port))).resolves.toBe(true);
  });

  async function readBlocks(page: string, start: string): Promise<string[]> {
    const text = await readFile(root + page, 'utf8');
    return [...text.matchAll(/```sh\n([^`]+)```/g)]
      .map((match) => match[1] ?? '')
      .filter((block) => block.startsWith(start));
  }

  /** A call of a page, which names the ports of a plain start. */
  function here(text: string): string {
    return (
      text
        .replaceAll('http://localhost:8080', server)
        .replaceAll('http://localhost:8090', mock)
        // Without npm, which takes half a second each time; the lines that a start prints are run as they stand.
        .replaceAll(/npm run -s token(?: --)?( --mock)?/g, (_, isMock = '') => {
          return `"${process.execPath}" get-token.ts --port ${new URL(isMock === '' ? server : mock).port}${isMock}`;
        })
    );
  }

  function paste(call: string): Promise<string> {
    return pasteAsPrinted(here(call).replace(/^curl|\ncurl/, '$& -s'));
  }

  async function pasteAsPrinted(call: string): Promise<string> {
    return (await run('sh', ['-c', call], { cwd: root })).stdout;
  }
});

describe('a signal to the process alone, while the page is being built', () => {
  let copy: string;

  // Of the sources, so that there is something to build, and others who start it meanwhile find their page.
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'start-'));
    const isSource = (path: string) => !/\/(node_modules|dist|\.[^/]+)$/.test(path);
    await cp(root, copy, { recursive: true, filter: isSource });
    for (const folder of ['.', 'toolkit'])
      await symlink(join(root, folder, 'node_modules'), join(copy, folder, 'node_modules'));
  });
  afterAll(() => rm(copy, { recursive: true }));

  test('SIGINT leaves no process and no draft behind', { tags: ['full'] }, () => endsTheBuild('SIGINT'));
  test('SIGTERM leaves no process and no draft behind', { tags: ['full'] }, () => endsTheBuild('SIGTERM'));

  async function endsTheBuild(signal: NodeJS.Signals): Promise<void> {
    const child = startDemoAt(copy, '--port', '0', '--mock-port', '0');
    try {
      await untilPrinted(child, 'building the reference');
      const builder = await vi.waitUntil(() => findBuilder(child.pid), { timeout: 20_000, interval: 20 });
      child.kill(signal);
      const [exitCode] = await once(child, 'exit');
      expect(exitCode).toBe(0);
      expect(() => process.kill(builder, 0)).toThrow('ESRCH');
      expect(await readdir(join(copy, 'docs/dist'))).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** The process of Redocly below ours, once there is one. */
  async function findBuilder(parent: number | undefined): Promise<number | undefined> {
    const lines = (await run('ps', ['-ewwo', 'pid=,ppid=,args='])).stdout.split('\n');
    const words = lines.map((line) => line.trim().split(/\s+/));
    const found = words.find(([, ppid, ...args]) => Number(ppid) === parent && args.includes('build-docs'));
    return found === undefined ? undefined : Number(found[0]);
  }
});

test.each([
  { args: ['--help'], exitCode: 0, says: /^Usage: npm start -- \[--port NUMBER\] \[--mock-port NUMBER\]/m },
  { args: ['--port', 'eighty'], exitCode: 2, says: /^--port is eighty: a port is a number from 0 to 65535\.$/m },
  { args: ['--mock-port', 'x'], env: { PORT: '' }, exitCode: 2, says: /^--mock-port is x: / },
  { args: ['--prot', '1'], exitCode: 2, says: /Unknown option '--prot'.*Usage: npm start/s },
  { args: [], env: { PORT: 'abc' }, exitCode: 2, says: /^PORT is abc: a port is a number from 0 to 65535\.$/m },
  {
    args: [],
    env: { MOCK_PORT: '65536' },
    exitCode: 2,
    says: /^MOCK_PORT is 65536: a port is a number from 0 to 65535\.$/m,
  },
])('npm start -- $args $env exits with $exitCode', async ({ args, env, exitCode, says }) => {
  const child = spawn(process.execPath, [`${root}start.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const text = collect(child);
  const [code] = await once(child, 'exit');
  expect(code).toBe(exitCode);
  expect(await text).toMatch(says);
});

function startDemo(...args: string[]): ChildProcess {
  return startDemoAt(root, ...args);
}

function startDemoAt(folder: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(folder, 'start.ts'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function collect(child: ChildProcess): Promise<string> {
  const texts = await Promise.all(
    [child.stderr, child.stdout].map(async (stream) => (await stream?.setEncoding('utf8').toArray())?.join('') ?? ''),
  );
  return texts.join('');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
