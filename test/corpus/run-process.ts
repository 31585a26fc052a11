import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a process ended, and what it took. */
export interface Run {
  /** `null` where it had to be ended. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly error: string;
  readonly seconds: number;
  /** Most memory that one process of it held at once: itself, or one that it started. */
  readonly megabytes: number;
}

/** A process that serves, once it has said where. */
export interface Serving {
  /** The line of JSON that it said when it was ready. */
  readonly told: unknown;
  readonly readyAfterSeconds: number;
  /** Ends it as an operator does, by SIGTERM. */
  readonly stop: () => Promise<Run>;
}

const recorder = join(import.meta.dirname, 'record-peak.ts');

/** Runs Node to its end, or ends it after so many seconds. */
export async function run(args: readonly string[], limitSeconds: number, cwd?: string): Promise<Run> {
  const watched = await watch(args, cwd);
  const timer = setTimeout(() => watched.child.kill('SIGKILL'), limitSeconds * 1000);
  const ended = await watched.ended;
  clearTimeout(timer);
  return ended;
}

/**
 * Starts a server and waits for its first line, which is JSON.
 *
 * @returns how it ended where it never got that far
 */
export async function serve(args: readonly string[], limitSeconds: number): Promise<Serving | Run> {
  const watched = await watch(args);
  const started = performance.now();
  const timer = setTimeout(() => watched.child.kill('SIGKILL'), limitSeconds * 1000);
  const line = await Promise.race([watched.firstLine, watched.ended]);
  clearTimeout(timer);
  // A refusal is JSON too.
  const told = typeof line === 'string' ? JSON.parse(line) : {};
  if (typeof told.origin !== 'string') return watched.ended;
  return {
    told,
    readyAfterSeconds: (performance.now() - started) / 1000,
    stop: () => {
      watched.child.kill('SIGTERM');
      const late = setTimeout(() => watched.child.kill('SIGKILL'), 15_000);
      return watched.ended.finally(() => clearTimeout(late));
    },
  };
}

interface Watched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Run>;
}

async function watch(args: readonly string[], cwd?: string): Promise<Watched> {
  const peaks = await mkdtemp(join(tmpdir(), 'peak-'));
  const file = join(peaks, 'kilobytes');
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, PEAK_FILE: file, NODE_OPTIONS: `--import=${recorder}`, NO_COLOR: '1' },
  });
  let out = '';
  let error = '';
  const first = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    const end = out.indexOf('\n');
    if (end >= 0) first.resolve(out.slice(0, end));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text;
  });
  const ended = new Promise<Run>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', async (exitCode) => {
      const seconds = (performance.now() - started) / 1000;
      const held = await readFile(file, 'utf8').catch(() => '0');
      await rm(peaks, { recursive: true });
      const megabytes = Math.max(...held.trim().split('\n').map(Number)) / 1024;
      resolve({ exitCode, out, error, seconds, megabytes });
    });
  });
  return { child, firstLine: first.promise, ended };
}
