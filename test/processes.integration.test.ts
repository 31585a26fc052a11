import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../server/store/postgres/fixtures/create-database.ts';
import { type Deployment, findFreePort, prepareDeployment, root } from './prepare-deployment.ts';

// If these fail, a machine with more processors answers no more requests, or a restart of the service loses some.

const full = { tags: ['full'] };

let deployment: Deployment;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  deployment = await prepareDeployment({ DATABASE_URL: await createDatabase() });
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(() => deployment[Symbol.asyncDispose]());

type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly pid: number };

/** `serve --processes`, with its log. */
class Service {
  readonly child: ChildProcess;
  readonly log: Line[] = [];
  errors = '';
  readonly exited: Promise<unknown>;
  readonly #waiting = new Set<() => void>();

  constructor(processes: number, more: NodeJS.ProcessEnv = {}, args: readonly string[] = []) {
    this.child = spawn(process.execPath, ['server/main.ts', 'serve', '--processes', String(processes), ...args], {
      cwd: root,
      env: { ...deployment.env, NODE_NO_WARNINGS: '1', ...more },
    });
    children.add(this.child);
    this.exited = once(this.child, 'close');
    createInterface({ input: this.child.stdout ?? process.stdin }).on('line', (line) => {
      this.log.push(JSON.parse(line));
      for (const look of this.#waiting) look();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
  }

  lines(msg: string): readonly Line[] {
    return this.log.filter((line) => line.msg === msg);
  }

  /** Waits for a number of lines; fails when the service exits before. */
  async until(msg: string, count = 1): Promise<readonly Line[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => this.lines(msg).length >= count && resolve();
    this.#waiting.add(look);
    look();
    const early = this.exited.then(() => Promise.reject(new Error(`no ${count} × ${msg}: ${this.#printed()}`)));
    await Promise.race([promise, early]);
    this.#waiting.delete(look);
    return this.lines(msg);
  }

  async origin(): Promise<string> {
    return String((await this.until('ready'))[0]?.origin);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.child.kill(signal);
    expect(await this.exited).toEqual([0, null]);
    expect(this.lines('stopped')).toMatchObject([{ connectionsCut: 0 }]);
    expect(this.errors).toBe('');
  }

  #printed(): string {
    return `${this.log.map((line) => JSON.stringify(line)).join('\n')}\n${this.errors}`;
  }
}

/** Asks on a connection of its own until it has asked each of these processes, whose log names them. */
async function findProcesses(service: Service, count: number): Promise<readonly number[]> {
  const origin = await service.origin();
  const before = service.lines('request').length;
  for (let asked = 0; asked < count; asked += 1)
    await fetch(`${origin}/healthz`, { headers: { Connection: 'close' } }).then((answer) => answer.text());
  const lines = await service.until('request', before + count);
  return [...new Set(lines.slice(before).map(({ pid }) => pid))];
}

/** Four clients, each on a connection that it keeps, until `stop`. Each answer that is missing is a fault. `/` asks no database. */
function load(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const faults: unknown[] = [];
  let answers = 0;
  let isStopped = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      const failed = (error: unknown) => {
        faults.push(error);
        resolve();
      };
      request(origin, { agent }, (answer) => {
        if (answer.statusCode !== 200) faults.push(answer.statusCode);
        answers += 1;
        answer.resume().on('error', failed).on('end', resolve);
      })
        .on('error', failed)
        .end();
    });
  const client = async () => {
    while (!isStopped) await ask();
  };
  const clients = Array.from({ length: 4 }, client);
  return {
    answers: () => answers,
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
      agent.destroy();
      return { answers, faults };
    },
  };
}

describe('serve --processes', () => {
  test('answers by all processes on one port, replaces them without losing a request, and stops', async () => {
    const service = new Service(2);
    const origin = await service.origin();
    expect(service.lines('ready')).toMatchObject([{ processes: 2, pid: service.child.pid }]);
    const first = await findProcesses(service, 4);
    expect(first).toHaveLength(2);
    expect(first).not.toContain(service.child.pid);

    const clients = load(origin);
    await expect.poll(clients.answers, { timeout: 30_000 }).toBeGreaterThan(20);
    service.child.kill('SIGHUP');
    await service.until('a process was replaced', 2);
    const answered = clients.answers();
    await expect.poll(clients.answers, { timeout: 30_000 }).toBeGreaterThan(answered + 20);
    expect(await clients.stop()).toMatchObject({ faults: [] });

    await expect.poll(() => first.filter(isRunning), { timeout: 30_000 }).toEqual([]);
    expect(service.lines('a process exited')).toEqual([]);
    expect(service.lines('ready')).toHaveLength(1);
    const second = await findProcesses(service, 4);
    expect([second.length, second.filter((pid) => first.includes(pid))]).toEqual([2, []]);
    await service.stop();
    expect(second.filter(isRunning)).toEqual([]);
  });

  test('starts a killed process again, while the others answer', full, async () => {
    const service = new Service(2, { PORT: String(await findFreePort()) });
    const [one = 0] = await findProcesses(service, 4);
    process.kill(one, 'SIGKILL');
    const [exit] = await service.until('a process exited');
    expect(exit).toMatchObject({ process: one, signal: 'SIGKILL', pauseMs: 0, level: 50 });
    await expect.poll(() => findProcesses(service, 2).then((found) => found.length), { timeout: 60_000 }).toBe(2);
    await service.stop();
  });

  test(
    'closes a connection that a killed process had not accepted, so that its client can try again',
    full,
    async () => {
      const service = new Service(1, { PORT: String(await findFreePort()) });
      const [one = 0] = await findProcesses(service, 1);
      process.kill(one, 'SIGSTOP');
      const { hostname, port } = new URL(await service.origin());
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      const closed = new Promise((resolve) => void socket.once('close', resolve));
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\n');
      // The parent gives it to the process at its next turn: then a second connection waits in the parent.
      await once(
        connect(Number(port), hostname).on('error', () => undefined),
        'connect',
      );
      process.kill(one, 'SIGKILL');
      await closed;
      await expect.poll(() => findProcesses(service, 1).then((found) => found.length), { timeout: 60_000 }).toBe(1);
      service.child.kill('SIGKILL');
    },
  );

  test('SIGHUP while it still loads its code replaces the processes after the start', full, async () => {
    const hangUp = `import { registerHooks } from 'node:module';
      const load = (url, context, next) => {
        if (url.endsWith('/commands/program.ts')) process.kill(process.pid, 'SIGHUP');
        return next(url, context);
      };
      registerHooks({ load });`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(hangUp)}`;
    const service = new Service(2, { NODE_OPTIONS: preload });
    await service.until('a process was replaced', 2);
    expect(service.lines('replacing all processes')).toMatchObject([{ signal: 'SIGHUP' }]);
    expect(service.lines('ready')).toHaveLength(1);
    expect(service.lines('a process exited')).toEqual([]);
    await service.stop();
  });

  test('does not replace by a process that can not start, and the others go on', full, async () => {
    const keys = join(deployment.folder, 'copy.json');
    await copyFile(String(deployment.env.LOCKSTEP_KEYS), keys);
    const service = new Service(1, { LOCKSTEP_KEYS: keys });
    const before = await findProcesses(service, 1);
    await writeFile(keys, '{}');
    service.child.kill('SIGHUP');
    const [line] = await service.until('a new process did not start, and the others go on');
    expect(line).toMatchObject({ code: 2, reason: expect.stringContaining('copy.json') });
    expect(await findProcesses(service, 1)).toEqual(before);
    await service.stop('SIGINT');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s lets all processes finish their requests', full, async (signal) => {
    const service = new Service(2);
    const pending = await Promise.all([0, 1].map(async () => sendHead(await service.origin())));
    service.child.kill(signal);
    await service.until('stopping');
    for (const { socket, closed, received } of pending) {
      socket.write('grant_type=client_credentials');
      await closed;
      expect(received()).toContain('HTTP/1.1 400 Bad Request\r\n');
    }
    expect(await service.exited).toEqual([0, null]);
  });

  test(
    'a signal to the whole group, as of a terminal, stops it once; a second signal stops it at once',
    full,
    async () => {
      const service = new Service(2);
      const pids = await findProcesses(service, 4);
      const { closed } = await sendHead(await service.origin());
      for (const pid of pids) process.kill(pid, 'SIGINT');
      service.child.kill('SIGINT');
      await service.until('stopping');
      expect(pids.filter(isRunning)).not.toEqual([]);
      service.child.kill('SIGINT');
      expect(await service.exited).toEqual([null, 'SIGINT']);
      await closed;
      await expect.poll(() => pids.filter(isRunning), { timeout: 30_000 }).toEqual([]);
    },
  );
});

describe('serve --processes can not start', () => {
  test('on a port in use: its message is printed once', async () => {
    const port = await findFreePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const service = new Service(3, { PORT: String(port) });
    expect(await service.exited).toEqual([2, null]);
    taken.close();
    expect([service.log, service.errors]).toEqual([[], expect.stringMatching(/^bind EADDRINUSE .*\nStop .*\n$/)]);
  });
});

/** The head of a request whose body the service then waits for. */
async function sendHead(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  const head = ['POST /auth/oauth2/token HTTP/1.1', `Host: localhost:${port}`, 'Expect: 100-continue'];
  const form = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 29'];
  socket.write(`${[...head, ...form].join('\r\n')}\r\n\r\n`);
  await expect.poll(() => received, { timeout: 30_000 }).toContain('100 Continue');
  return { socket, closed, received: () => received };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
