import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve('@redocly/cli/package.json');

async function readPackage(): Promise<{ readonly version: string; readonly bin: { readonly redocly: string } }> {
  return JSON.parse(await readFile(packageFile, 'utf8'));
}

/** The installed version of Redocly CLI, which determines that of Redoc. */
export async function redoclyVersion(): Promise<string> {
  return (await readPackage()).version;
}

/**
 * Runs Redocly CLI in a separate process of the same Node, without telemetry and without a check for updates.
 *
 * @param signal stops the process; the promise waits until the process has exited
 * @param more further environment variables
 * @param first modules that are loaded before Redocly, as `file:` addresses
 * @throws Error with the output of Redocly, if it fails
 */
export async function runRedocly(
  commandLine: readonly string[],
  {
    signal,
    more = {},
    first = [],
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly more?: NodeJS.ProcessEnv;
    readonly first?: readonly string[];
  } = {},
): Promise<void> {
  const { bin } = await readPackage();
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const env = { ...process.env, ...quiet, ...more };
  const loaded = first.flatMap((module) => ['--import', module]);
  const child = spawn(process.execPath, [...loaded, join(dirname(packageFile), bin.redocly), ...commandLine], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  let fault: Error | undefined;
  const { promise, resolve } = Promise.withResolvers<number | null>();
  // `execFile` reports an abort immediately, but the process may write until it has exited.
  child.on('error', (error) => (fault = error)).on('close', resolve);
  const status = await promise;
  if (fault !== undefined) throw fault;
  if (status !== 0) throw new Error(`redocly ${commandLine[0]} exited with ${status}:\n${printed.trim()}`);
}
