import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deployment, prepareDeployment, root } from './prepare-deployment.ts';
import { untilPrinted } from './until-printed.ts';

// If these fail, a deployment that is rolled, or a Ctrl-C, breaks the request that is being answered, or a start half done.

const stopper = pathToFileURL(join(root, 'test/fixtures/stop-when.mjs')).href;
const signals = ['SIGINT', 'SIGTERM'] as const;

let deployment: Deployment;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  deployment = await prepareDeployment();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await deployment[Symbol.asyncDispose]();
});

const serve = ['server/main.ts', 'serve'];
const mock = ['mock/main.ts', '--json', '--key-file', 'FOLDER/mock-keys.json'];
const demo = ['start.ts', '--mock-port', '0', '--json'];

const moments = [
  { moment: 'serve reads its keys', args: serve, word: 'keys.json' },
  { moment: 'serve opens its database', args: serve, word: 'service.sqlite' },
  { moment: 'serve listens', args: serve, word: '127.0.0.1' },
  { moment: 'serve reports that it is ready', args: serve, word: '"ready"' },
  { moment: 'the mock reads its keys', args: mock, word: 'mock-keys.json' },
  { moment: 'the mock listens', args: mock, word: '127.0.0.1' },
  { moment: 'the mock reports that it is ready', args: mock, word: '"baseUrl"' },
  { moment: 'npm start reads its keys', args: demo, word: '.lockstep/keys.json' },
  { moment: 'npm start opens its database', args: demo, word: 'demo.sqlite' },
  { moment: 'npm start listens', args: demo, word: '127.0.0.1' },
  { moment: 'npm start reports that it is ready', args: demo, word: '"baseUrl"' },
].flatMap((row) => signals.map((signal) => ({ ...row, signal })));

/** A start of each kind early and late, by either signal: each row starts a process, a second of processor time. */
const handful = [
  'SIGTERM serve reads its keys',
  'SIGINT serve listens',
  'SIGTERM serve reports that it is ready',
  'SIGINT the mock reads its keys',
  'SIGTERM npm start opens its database',
  'SIGINT npm start reports that it is ready',
];
const isInHandful = ({ signal, moment }: (typeof moments)[number]) => handful.includes(`${signal} ${moment}`);

const name = '$signal stops it cleanly when $moment';
test.each(moments.filter(isInHandful))(name, endsInOrder);
test.each(moments.filter((row) => !isInHandful(row)))(name, { tags: ['full'] }, endsInOrder);

test('each moment of the handful is one of them', () => {
  expect(moments.filter(isInHandful)).toHaveLength(handful.length);
});

async function endsInOrder({ args, word, signal }: (typeof moments)[number]): Promise<void> {
  const child = start(['--import', stopper, ...args], { STOP_WHEN: word, STOP_BY: signal });
  const [log, exit] = await Promise.all([readLog(child), once(child, 'exit')]);
  expect(exit).toEqual([0, null]);
  expect(log.slice(-2)).toMatchObject([
    { msg: 'stopping', signal },
    { msg: 'stopped', connectionsCut: 0 },
  ]);
  expect(log.filter(({ msg }) => msg === 'ready')).toHaveLength(word === '"ready"' ? 1 : 0);
  databaseIsClosed();
}

test('SIGTERM at any time of a start stops serve cleanly, or before it has begun anything', {
  tags: ['full'],
}, async () => {
  const first = start(serve);
  const startedAt = performance.now();
  await untilPrinted(first, '"ready"');
  const readyMs = performance.now() - startedAt;
  first.kill('SIGTERM');
  await once(first, 'exit');
  const starts = 10;
  for (let index = 0; index < starts; index++) {
    const child = start(serve);
    const reading = readLog(child);
    const ended = once(child, 'exit');
    await delay((readyMs * index) / (starts - 1));
    child.kill('SIGTERM');
    const [exit, log] = await Promise.all([ended, reading]);
    if (log.length === 0)
      expect([
        [0, null],
        [null, 'SIGTERM'],
      ]).toContainEqual(exit);
    else {
      expect(exit).toEqual([0, null]);
      const said = log.map(({ msg }) => msg).join();
      expect(said).toMatch(/^(?:ready,)?stopping,stopped$/);
    }
    databaseIsClosed();
  }
});

test('SIGTERM lets serve finish what is under way, and take nothing more', () => finishesWhatIsUnderWay('SIGTERM'));
test('SIGINT lets serve finish what is under way, and take nothing more', { tags: ['full'] }, () =>
  finishesWhatIsUnderWay('SIGINT'),
);

async function finishesWhatIsUnderWay(signal: (typeof signals)[number]): Promise<void> {
  const { child, origin, socket, answer } = await startAsking();
  const reading = readLog(child);
  child.kill(signal);
  await expect.poll(() => isRefused(origin), { timeout: 15_000 }).toBe(true);
  expect(child.exitCode).toBeNull();
  const ended = once(child, 'exit');
  socket.write('grant_type=client_credentials');
  await once(socket, 'close');
  expect(answer()).toMatch(/\r\nHTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*Connection: close\r\n/);
  expect(await ended).toEqual([0, null]);
  const log = await reading;
  expect(log.find(({ msg }) => msg === 'stopping')).toMatchObject({ level: 30, signal, requests: 1 });
  expect(log.at(-1)).toMatchObject({ level: 30, msg: 'stopped', ms: expect.any(Number), connectionsCut: 0 });
  expect(log.at(-1)?.ms).toBeGreaterThan(0);
}

test('SIGINT a second time stops serve at once', () => endsAtOnce('SIGINT'));
test('SIGTERM a second time stops serve at once', { tags: ['full'] }, () => endsAtOnce('SIGTERM'));

async function endsAtOnce(signal: (typeof signals)[number]): Promise<void> {
  const { child, origin } = await startAsking();
  child.stdout?.resume();
  child.kill(signal);
  await expect.poll(() => isRefused(origin), { timeout: 15_000 }).toBe(true);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
}

/** `serve` with a request whose body it waits for. */
async function startAsking() {
  const child = start(serve);
  const origin = /"origin":"([^"]+)"/.exec(await untilPrinted(child, '"ready"'))?.[1] ?? '';
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => undefined);
  const head = ['POST /auth/oauth2/token HTTP/1.1', `Host: localhost:${port}`, 'Expect: 100-continue'];
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 29'];
  socket.write(`${[...head, ...form].join('\r\n')}\r\n\r\n`);
  await expect.poll(() => answer, { timeout: 15_000 }).toContain('100 Continue');
  return { child, origin, socket, answer: () => answer };
}

function isRefused(origin: string): Promise<boolean> {
  return fetch(`${origin}/healthz`).then(
    () => false,
    () => true,
  );
}

/** Its write-ahead log is gone only when the last connection was closed, which has written everything into the file. */
function databaseIsClosed(): void {
  const file = join(deployment.folder, 'service.sqlite');
  expect(existsSync(`${file}-wal`)).toBe(false);
  const database = new DatabaseSync(file);
  expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' });
  database.close();
}

type Line = Record<string, unknown> & { readonly ms?: number };

/** The lines of the log up to its end; on stdout for serve, else on stderr, between lines of another kind. */
async function readLog(child: ChildProcess): Promise<readonly Line[]> {
  const printed = await Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
  const lines = printed.join('').split('\n');
  return lines.filter((line) => /^\{"level"/.test(line)).map((line) => JSON.parse(line));
}

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(
    process.execPath,
    args.map((arg) => arg.replace('FOLDER', deployment.folder)),
    {
      cwd: root,
      env: { ...deployment.env, NODE_NO_WARNINGS: '1', ...more },
      stdio: ['ignore', 'pipe', args.includes('serve') ? 'inherit' : 'pipe'],
    },
  );
  children.add(child);
  return child;
}
