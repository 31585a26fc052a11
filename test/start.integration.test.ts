import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// If these fail, the first minute of a newcomer does: what the README tells to type does not work as printed.

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

describe('npm start', () => {
  let child: ChildProcess;
  let printed = '';
  let docs: string;
  let mock: string;

  beforeAll(async () => {
    child = startDemo('--port', '0', '--mock-port', '0');
    for await (const text of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
      printed += text;
      if (printed.includes('Ctrl-C stops both.')) break;
    }
    docs = /Reference {2}(http:\/\/localhost:\d+)\/docs/.exec(printed)?.[1] ?? '';
    mock = / on (http:\/\/localhost:\d+)/.exec(printed)?.[1] ?? '';
  }, 90_000);

  afterAll(() => {
    child.kill('SIGKILL');
  });

  test('says that credentials are not checked yet', () => {
    expect(printed).toMatch(/any bearer token passes/i);
  });

  test('every call in the README answers as it says', async () => {
    const readme = await readFile(`${root}README.md`, 'utf8');
    const calls = [...readme.matchAll(/```sh\n(curl [^`]+)```/g)].map((match) => match[1] ?? '');
    expect(calls).toHaveLength(3);
    const statuses = await Promise.all(calls.map(async (call) => (await paste(call)).slice(0, 12)));
    expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 418', 'HTTP/1.1 400']);
    expect(await paste(calls[2] ?? '')).toContain('limit');
  });

  test('every line that it prints to paste works', async () => {
    const calls = printed.split('\n').filter((line) => line.startsWith('curl '));
    expect(calls.length).toBeGreaterThan(3);
    for (const call of calls) expect(await paste(call), call).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
  });

  test('every address in the README answers', async () => {
    const readme = await readFile(`${root}README.md`, 'utf8');
    const addresses = [...readme.matchAll(/^\| (http:\/\/\S+) \|/gm)].map((match) => match[1] ?? '');
    expect(addresses).toHaveLength(4);
    for (const address of addresses) {
      const { status } = await fetch(here(address));
      expect(status, address).toBe(address.includes('/docs') ? 200 : 404);
    }
  });

  test('a port in use is said plainly, and nothing is left behind', async () => {
    const port = new URL(mock).port;
    const second = startDemo('--port', '0', '--mock-port', port);
    const stderr = collect(second);
    const [exitCode] = await once(second, 'exit');
    expect(exitCode).toBe(2);
    expect(await stderr).toMatch(new RegExp(`^Port ${port} is in use by another process\\.`));
  });

  test('Ctrl-C stops it cleanly, open connections or not', async () => {
    await fetch(`${mock}/v1/devices`); // leaves a connection open for the next call
    child.kill('SIGINT');
    const [exitCode, signal] = await once(child, 'exit');
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
    await expect(isFree(Number(new URL(mock).port))).resolves.toBe(true);
    await expect(isFree(Number(new URL(docs).port))).resolves.toBe(true);
  });

  function here(text: string): string {
    return text.replaceAll('http://localhost:8080', docs).replaceAll('http://localhost:8090', mock);
  }

  async function paste(call: string): Promise<string> {
    return (await run('sh', ['-c', here(call).replace('curl', 'curl -s')])).stdout;
  }
});

test.each([
  { args: ['--help'], exitCode: 0, says: /^Usage: npm start/ },
  { args: ['--port', 'eighty'], exitCode: 2, says: /^--port is eighty: a port is a number from 0 to 65535\.$/m },
  { args: ['--prot', '1'], exitCode: 2, says: /Unknown option '--prot'.*Usage: npm start/s },
])('npm start -- $args ends with $exitCode', async ({ args, exitCode, says }) => {
  const child = startDemo(...args);
  const text = collect(child);
  const [code] = await once(child, 'exit');
  expect(code).toBe(exitCode);
  expect(await text).toMatch(says);
});

function startDemo(...args: string[]): ChildProcess {
  return spawn(process.execPath, [`${root}start.ts`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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
