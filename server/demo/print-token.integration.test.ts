import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readOrCreateKeyFile } from '../key-file.ts';

// What stands in for the demo answers anything with one text: the keys of `npm start` are the only thing that is its own.

const script = join(import.meta.dirname, 'print-token.ts');
const folder = join(import.meta.dirname, '../../.lockstep');
let server: Server | undefined;

beforeAll(async () => {
  for (const name of ['keys.json', 'mock-keys.json']) await readOrCreateKeyFile(join(folder, name));
});
afterEach(() => {
  server?.close();
  server = undefined;
});

async function answerWith(text: string): Promise<string> {
  const started = createServer((_, response) => void response.end(text));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return String((started.address() as AddressInfo).port);
}

function printToken(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { env: { ...process.env, ...env } }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
    );
  });
}

describe('npm run token', () => {
  test.each([
    { name: 'PORT', args: [], env: (port: string) => ({ PORT: port, MOCK_PORT: '1' }) },
    { name: 'MOCK_PORT', args: ['--mock'], env: (port: string) => ({ PORT: '1', MOCK_PORT: port }) },
  ])('asks where npm start was told to be by $name', async ({ args, env }) => {
    const port = await answerWith('{"access_token":"abc"}');
    expect(await printToken(args, env(port))).toEqual({ code: 0, out: 'abc\n', error: '' });
  });

  test('asks at --port before all', async () => {
    const port = await answerWith('{"access_token":"abc"}');
    expect((await printToken(['--port', port], { PORT: '1' })).out).toBe('abc\n');
  });

  test('names a port that is none', async () => {
    const error = '--port is eighty: a port is a number from 0 to 65535.\n';
    expect(await printToken(['--port', 'eighty'])).toEqual({ code: 2, out: '', error });
  });

  test('says that nothing answers, and how to start it', async () => {
    const port = await answerWith('');
    await new Promise((resolve) => server?.close(resolve));
    const { code, out, error } = await printToken(['--port', port]);
    expect([code, out, error]).toEqual([1, '', `Nothing answers at http://localhost:${port}. Start it: npm start\n`]);
  });

  test('says why there is no answer', async () => {
    const { code, error } = await printToken(['--port', '1']);
    expect([code, error]).toEqual([1, 'http://localhost:1 gives no answer: bad port\n']);
  });

  test('says that something else answers', async () => {
    const port = await answerWith('<!doctype html>');
    const { code, error } = await printToken(['--port', port]);
    expect([code, error]).toEqual([
      1,
      `What answers at http://localhost:${port} is not the demo. Start it: npm start\n`,
    ]);
  });
});
