import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A server that runs as a process of its own. */
export interface Child {
  /** What it printed when it was ready. */
  readonly firstLine: string;
  readonly close: () => Promise<void>;
}

/** Starts Node, and waits until it has printed a line. What it prints further, a log, is read and dropped. @throws Error when it ends before */
export async function startChild(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Child> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const close = async (): Promise<void> => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const lines = createInterface({ input: child.stdout });
  try {
    const [firstLine] = (await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}`))),
    ])) as [string];
    lines.close();
    child.stdout.resume();
    return { firstLine, close };
  } catch (error) {
    await close();
    throw error;
  }
}
