import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { untilAnswered } from './first-answer.ts';

/** A server that runs as a process of its own. */
export interface Child {
  readonly pid: number;
  readonly close: () => Promise<void>;
}

/** Starts Node, and waits until it has printed a line. Later output, a log, is read and dropped. @throws Error when it exits before */
export async function startChild(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Child & { readonly firstLine: string }> {
  const child = spawnNode(args, env, 'pipe');
  const stdout = child.stdout as Readable;
  const lines = createInterface({ input: stdout });
  try {
    const [firstLine] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}`))),
    ])) as [string];
    lines.close();
    stdout.resume();
    return { firstLine, pid: child.pid ?? 0, close: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Starts Node, and waits until each of the addresses answers. @throws Error when it exits before, or when one takes more than a minute */
export async function startAnswering(
  args: readonly string[],
  urls: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Child> {
  const child = spawnNode(args, env, 'ignore');
  try {
    for (const url of urls)
      await untilAnswered(url, () => (isOver(child) ? `${args[0]} ended with ${child.exitCode}` : undefined));
    return { pid: child.pid ?? 0, close: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function spawnNode(args: readonly string[], env: NodeJS.ProcessEnv, stdout: 'pipe' | 'ignore'): ChildProcess {
  return spawn(process.execPath, args, { env, stdio: ['ignore', stdout, 'inherit'] });
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  if (!isOver(child)) await once(child, 'exit');
}
