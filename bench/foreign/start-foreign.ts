import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../first-answer.ts';
import type { Command, ForeignServer, Instance, Login } from './servers.ts';

/** One that runs, fresh: nobody has written to it yet. */
export interface Started {
  readonly instance: Instance;
  readonly login: Login;
  /** Its contract, as it serves or ships it. */
  readonly contract: string;
  readonly startMs: number;
  /** How often it ended by itself, and was started again. */
  readonly stops: () => number;
  /** Stops it with all processes that it started, and removes its folder. */
  readonly close: () => Promise<void>;
}

const patienceMs = 300_000;
const pollMs = 200;

/** Called when a server ended by itself, and when it answers again. */
export interface Watcher {
  readonly onStop: () => Promise<void>;
  readonly onReturn: () => Promise<void>;
}

/** Limit for a server that exits again and again. */
const mostRestarts = 200;
const restartAfterMs = 500;

/**
 * Starts a server on an empty folder and ports of its own, waits until it answers, logs in and reads its contract.
 *
 * A server that exits is started again on the same folder, as under any supervisor: operations that stop it are common.
 *
 * @param log where its output goes
 * @throws Error when it exits before, or does not answer within five minutes
 */
export async function startForeign(
  server: ForeignServer,
  log: string,
  signal: AbortSignal,
  watcher?: Watcher,
): Promise<Started> {
  const began = performance.now();
  const root = await mkdtemp(join(tmpdir(), `foreign-${server.name}-`));
  const folder = join(root, 'data');
  await mkdir(folder);
  const [port = 0, ...otherPorts] = await findFreePorts(3);
  const instance = { folder, port, origin: `http://127.0.0.1:${port}`, otherPorts };
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
  const supervisor = { stops: 0, isClosing: false };
  let child: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    supervisor.isClosing = true;
    if (child !== undefined) await end(child);
    await remove();
  };
  try {
    for (const command of (await server.prepare?.(instance)) ?? []) await runToEnd(command, folder, log, signal);
    await disarm(root);
    const first = launch(await server.start(instance), folder, log);
    child = first;
    await untilReady(`${instance.origin}${server.ready}`, first, signal);
    const login = (await server.logIn?.(instance)) ?? {};
    const contract = await readDocument(server, instance, login);
    const supervise = (running: ChildProcess): void => {
      running.once('exit', async () => {
        if (supervisor.isClosing) return;
        supervisor.stops += 1;
        await watcher?.onStop();
        await delay(restartAfterMs);
        if (supervisor.isClosing || supervisor.stops > mostRestarts) return;
        // A request may have removed its configuration.
        const next = launch(await server.start(instance), folder, log);
        child = next;
        supervise(next);
        // If it exits before it answers, `supervise` starts it again.
        const isUp = await untilReady(`${instance.origin}${server.ready}`, next, signal).then(
          () => true,
          () => false,
        );
        if (isUp && !supervisor.isClosing) await watcher?.onReturn();
      });
    };
    supervise(first);
    return { instance, login, contract, startMs: performance.now() - began, stops: () => supervisor.stops, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Programs that a server may call to turn off its machine. */
const dangerous = [
  'sudo',
  'su',
  'doas',
  'shutdown',
  'reboot',
  'halt',
  'poweroff',
  'systemctl',
  'service',
  'init',
  'kill',
];

/** Puts something harmless of the same names before the real ones. */
async function disarm(root: string): Promise<void> {
  await mkdir(join(root, 'bin'));
  for (const name of dangerous) await writeFile(join(root, 'bin', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
}

/** Runs a program of ours until it exits, or stops it at the signal. @returns its exit code */
export async function runToEnd(
  command: Command,
  folder: string,
  log: string,
  signal: AbortSignal,
): Promise<number | null> {
  const child = launch(command, folder, log);
  const stop = (): void => void end(child);
  signal.addEventListener('abort', stop, { once: true });
  if (!isOver(child)) await once(child, 'exit');
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return child.exitCode;
}

/** In a process group of its own, so that it is stopped with all that it started. */
function launch({ file, args, env = {} }: Command, folder: string, log: string): ChildProcess {
  const output = createWriteStream(log, { flags: 'a' });
  const child = spawn(file, args, {
    cwd: folder,
    detached: true,
    env: { ...plainEnvironment(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  child.on('error', (error) => output.write(`${error.message}\n`));
  child.on('close', () => output.end());
  return child;
}

/** Hides the environment of this process. The home of a server is next to its data, and is removed with it. */
function plainEnvironment(folder: string): Record<string, string> {
  const home = dirname(folder);
  const path = [join(home, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  return { HOME: home, TMPDIR: home, PATH: path, LANG: 'C.UTF-8', PYTHONUNBUFFERED: '1', NO_COLOR: '1', CI: '1' };
}

async function untilReady(url: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const lastTry = performance.now() + patienceMs;
  for (;;) {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined && response.status < 500) return;
    if (isOver(child)) throw new Error(`ended with ${child.exitCode ?? child.signalCode}`);
    if (performance.now() > lastTry) throw new Error(`no answer from ${url}`);
    await delay(pollMs, undefined, { signal });
  }
}

async function readDocument({ document }: ForeignServer, { folder, origin }: Instance, login: Login): Promise<string> {
  if ('shipped' in document) return readFile(join(import.meta.dirname, document.shipped), 'utf8');
  if ('written' in document) return readFile(join(folder, document.written), 'utf8');
  const { token } = login;
  const authorization = token === undefined ? {} : { authorization: token.includes(' ') ? token : `Bearer ${token}` };
  const response = await fetch(`${origin}${document.served}`, {
    headers: { ...authorization, ...Object.fromEntries(login.headers ?? []) },
  });
  if (!response.ok) throw new Error(`${document.served} answered ${response.status}`);
  return response.text();
}

async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}

function isOver({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** First asks, then, after ten seconds, does not. */
async function end(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const gone = isOver(child) ? Promise.resolve() : once(child, 'exit');
  kill(pid, 'SIGTERM');
  await Promise.race([gone, delay(10_000, undefined, { ref: false })]);
  kill(pid, 'SIGKILL');
  await gone;
}

/** The group, with what is left in it after its leader ended. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // None of it is left.
  }
}
