import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Deployment, findFreePort, prepareDeployment, root } from './prepare-deployment.ts';
import { untilPrinted } from './until-printed.ts';

// If these fail, a full disk or a log reader that hangs takes the service with it: it no longer answers, or can't be stopped.

/** Named in each line of the log: the longest that is taken makes a line of 190 bytes. */
const requestId = 'x'.repeat(64);
/** More lines than the log keeps back (1 MiB) together with what a pipe or a socket holds. */
const many = 7500;
/** More lines than a socket holds. */
const unread = 2000;

let deployment: Deployment;
let folder: string;
const children = new Set<ChildProcess>();
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

beforeAll(async () => {
  deployment = await prepareDeployment();
  folder = await mkdtemp(join(tmpdir(), 'log-'));
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

afterAll(async () => {
  agent.destroy();
  await deployment[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const full = { tags: ['full'] };
const processes = [
  { name: 'serve', args: () => ['server/main.ts', 'serve'], logsOn: 1, options: { tags: [] } },
  {
    name: 'mock',
    args: () => ['mock/main.ts', '--key-file', join(folder, 'mock-keys.json')],
    logsOn: 2,
    options: full,
  },
  { name: 'npm start', args: () => ['start.ts', '--mock-port', '0'], logsOn: 2, options: full },
];

describe.each(processes)('a disk without space under the log of $name', ({ args, logsOn, options }) => {
  test('neither keeps it from answering, nor from ending', options, async () => {
    const port = await findFreePort();
    const full = openSync('/dev/full', 'w');
    const child = start(args(), port, logsOn === 1 ? ['ignore', full, 'inherit'] : ['ignore', 'ignore', full]);
    closeSync(full);
    await untilAnswers(child, port);
    expect(await ask(port, 20)).toBe(20);
    await endsInOrder(child);
  });
});

describe.each(['pipe', 'socket'] as const)('a reader of the log that stops reading its %s', (kind) => {
  test('neither keeps serve from answering, nor from ending', full, async () => {
    const { child, port } = await startUnread(kind);
    expect(await ask(port, many)).toBe(many);
    await endsInOrder(child);
  });

  const isQuick = kind === 'pipe';
  test('gets the number of lost lines once it reads again, and misses no others', isQuick ? {} : full, async () => {
    const { child, port, read } = await startUnread(kind);
    expect(await ask(port, many)).toBe(many);
    const log = read();
    await expect.poll(() => log.text, { timeout: 15_000 }).toContain('"log lines were lost"');
    expect(await ask(port, 5)).toBe(5);
    await endsInOrder(child);
    const lines = log.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const told = lines.filter(({ msg }) => msg === 'log lines were lost');
    expect(told).toEqual([
      expect.objectContaining({ level: 40, lines: expect.any(Number), since: expect.any(String), reason: 'EAGAIN' }),
    ]);
    expect(Date.parse(told[0].since)).toBeLessThanOrEqual(told[0].time);
    // `untilAnswers` may have asked more than once.
    const requests = lines.filter(({ msg }) => msg === 'request').length;
    expect(requests + told[0].lines).toBeGreaterThanOrEqual(many + 5);
    expect(requests + told[0].lines).toBeLessThan(many + 50);
    expect(lines.findLastIndex(({ msg }) => msg === 'request')).toBeGreaterThan(lines.indexOf(told[0]));
  });
});

test('a reader of the log that goes away neither keeps serve from answering, nor from ending', async () => {
  const port = await findFreePort();
  const child = start(['server/main.ts', 'serve'], port, ['ignore', 'pipe', 'inherit']);
  await untilPrinted(child, '"ready"');
  child.stdout?.destroy();
  expect(await ask(port, 20)).toBe(20);
  await endsInOrder(child);
});

test(
  'a disk that has space again gets the number of lost lines, and goes on with whole lines',
  full,
  async ({ skip }) => {
    const disk = join(folder, 'disk');
    try {
      execFileSync('mkdir', ['-p', disk]);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'pipe' });
    } catch (error) {
      skip(`A small disk needs the right to mount one: ${error instanceof Error ? error.message : error}`);
    }
    try {
      const [file, filler] = [join(disk, 'log'), join(disk, 'filler')];
      await writeFile(filler, Buffer.alloc(52 * 1024));
      const port = await findFreePort();
      const log = openSync(file, 'a');
      const child = start(['server/main.ts', 'serve'], port, ['ignore', log, 'inherit']);
      closeSync(log);
      await untilAnswers(child, port);
      expect(await ask(port, many)).toBe(many);
      execFileSync('mount', ['-o', 'remount,size=8m', disk]);
      await truncate(filler, 0);
      const read = () => readFileSync(file, 'utf8');
      await expect.poll(read, { timeout: 15_000 }).toContain('"log lines were lost"');
      await endsInOrder(child);
      const lines = read()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.find(({ msg }) => msg === 'log lines were lost')).toMatchObject({ level: 40, reason: 'ENOSPC' });
    } finally {
      execFileSync('umount', [disk]);
    }
  },
);

test('an exception that nobody catches is seen on stderr, also when nobody reads the log', async () => {
  const { child, port } = await startUnread('socket', [
    '--import',
    'data:text/javascript,process.on("SIGUSR2",()=>{throw new Error("of a fault")})',
  ]);
  const printed = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  expect(await ask(port, unread)).toBe(unread);
  child.kill('SIGUSR2');
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(await printed).toContain('Error: of a fault');
});

test.each([
  { name: 'mock', args: () => ['mock/main.ts', '--key-file', join(folder, 'mock-keys.json')] },
  { name: 'npm start', args: () => ['start.ts', '--mock-port', '0'] },
])('$name whose first lines nobody reads any more goes on', full, async ({ args }) => {
  const port = await findFreePort();
  const child = start(args(), port, ['ignore', 'pipe', 'pipe']);
  child.stdout?.destroy();
  const printed = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  await untilAnswers(child, port, args()[0] === 'start.ts' ? '/docs' : '/');
  await endsInOrder(child);
  expect(await printed).not.toContain('EPIPE');
});

/** `serve`, whose log nobody reads until `read` is called. */
async function startUnread(kind: 'pipe' | 'socket', imports: readonly string[] = []) {
  const port = await findFreePort();
  const args = [...imports, 'server/main.ts', 'serve'];
  if (kind === 'socket') {
    // `spawn` creates one for 'pipe'; the journal of a service manager is one too.
    const child = start(args, port, ['ignore', 'pipe', imports.length > 0 ? 'pipe' : 'inherit']);
    await untilAnswers(child, port);
    return { child, port, read: () => collect((take) => child.stdout?.setEncoding('utf8').on('data', take)) };
  }
  const path = join(folder, `pipe-${port}`);
  execFileSync('mkfifo', [path]);
  // For both ways, since to open one for reading alone waits for a writer.
  const end = openSync(path, constants.O_RDWR);
  const child = start(args, port, ['ignore', end, 'inherit']);
  await untilAnswers(child, port);
  const read = () => {
    const cat = spawn('cat', [path]);
    children.add(cat);
    return collect((take) => cat.stdout.setEncoding('utf8').on('data', take));
  };
  return { child, port, read };
}

function collect(listen: (take: (text: string) => void) => void): { readonly text: string } {
  const collected = { text: '' };
  listen((text) => {
    collected.text += text;
  });
  return collected;
}

function start(
  args: readonly string[],
  port: number,
  stdio: readonly [stdin: 'ignore', stdout: 'ignore' | 'pipe' | number, stderr: 'inherit' | 'pipe' | number],
): ChildProcess {
  const env = { ...deployment.env, PORT: String(port) };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: [...stdio] });
  children.add(child);
  return child;
}

async function untilAnswers(child: ChildProcess, port: number, path = '/'): Promise<void> {
  const status = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return `It ended with ${child.exitCode}.`;
    return await fetchStatus(port, path).catch(String);
  };
  await expect
    .poll(status, { timeout: 15_000 })
    .toSatisfy((answer) => typeof answer === 'number' || /ended/.test(answer));
  expect(child.exitCode ?? child.signalCode).toBeNull();
}

/** @returns how many of so many requests were answered */
async function ask(port: number, count: number): Promise<number> {
  let left = count;
  let answered = 0;
  const caller = async () => {
    while (left-- > 0) if ((await fetchStatus(port, '/')) > 0) answered++;
  };
  await Promise.all(Array.from({ length: 32 }, caller));
  return answered;
}

function fetchStatus(port: number, path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(
    { host: '127.0.0.1', port, path, agent, timeout: 15_000, headers: { 'X-Request-Id': requestId } },
    (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    },
  )
    .once('timeout', function (this: { destroy(error: Error): void }) {
      this.destroy(new Error('It did not answer within 15 s'));
    })
    .once('error', reject)
    .end();
  return promise;
}

/** After SIGTERM it exits with 0 within the 10 seconds that answers under way may take, doubled for a busy machine. */
async function endsInOrder(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = AbortSignal.timeout(20_000);
  late.addEventListener('abort', () => child.kill('SIGKILL'));
  expect(await ended).toEqual([0, null]);
}
