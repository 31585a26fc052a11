import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilPrinted } from './until-printed.ts';

// If these fail, a deployment that is rolled, or a Ctrl-C, breaks the request that is being answered.

const root = fileURLToPath(new URL('..', import.meta.url));
const stopper = pathToFileURL(join(root, 'test/fixtures/stop-when-printed.mjs')).href;
const signals = ['SIGINT', 'SIGTERM'] as const;

let folder: string;
let env: NodeJS.ProcessEnv;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stop-'));
  env = {
    ...process.env,
    LOG_LEVEL: 'info',
    PORT: '0',
    LOCKSTEP_KEYS: join(folder, 'keys.json'),
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
  };
  await writeFile(join(folder, 'acme.json'), '{"account":{"id":"acme","name":"Acme"}}');
  for (const args of [
    ['keys', 'create'],
    ['import', join(folder, 'acme.json')],
  ])
    await promisify(execFile)(process.execPath, [join(root, 'server/main.ts'), ...args], { env });
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe.each([
  { args: ['server/main.ts', 'serve'], word: '"ready"' },
  { args: ['mock/main.ts', '--json', '--key-file', 'FOLDER/mock-keys.json'], word: '"baseUrl"' },
])('$args.0', ({ args, word }) => {
  test.each(signals)('%s in the moment in which it says that it is ready ends it in order', async (signal) => {
    const child = start(['--import', stopper, ...args], { STOP_WHEN: word, STOP_BY: signal });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

test.each(signals)('%s lets serve finish what is under way, and take nothing more', async (signal) => {
  const child = start(['server/main.ts', 'serve']);
  const { hostname, port } = new URL(/"origin":"([^"]+)"/.exec(await untilPrinted(child, '"ready"'))?.[1] ?? '');
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const head = ['POST /auth/oauth2/token HTTP/1.1', `Host: localhost:${port}`, 'Expect: 100-continue'];
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 29'];
  socket.write(`${[...head, ...form].join('\r\n')}\r\n\r\n`);
  await expect.poll(() => answer, { timeout: 30_000 }).toContain('100 Continue');
  child.kill(signal);
  const refused = () =>
    fetch(`http://${hostname}:${port}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(refused, { timeout: 30_000 }).toBe(true);
  expect(child.exitCode).toBeNull();
  const ended = once(child, 'exit');
  socket.write('grant_type=client_credentials');
  await once(socket, 'close');
  expect(answer).toMatch(/\r\nHTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*Connection: close\r\n/);
  expect(await ended).toEqual([0, null]);
});

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(
    process.execPath,
    args.map((arg) => arg.replace('FOLDER', folder)),
    { cwd: root, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.add(child);
  child.stdout?.resume();
  return child;
}
