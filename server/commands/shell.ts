import type { Readable, Writable } from 'node:stream';
import { type CommandResult, printResult } from '@lockstep/shell/command-result';
import { exitCodeOf } from '@lockstep/shell/program';
import { type Config, readConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { useTimezoneData } from '../timezone-data.ts';
import { describeFailure, withFixes } from './describe-failure.ts';

/** The part of `process` that a command works with: a test runs one without a process of its own. */
export interface CommandProcess extends Pick<NodeJS.Process, 'env' | 'cwd' | 'execPath'> {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  exitCode?: NodeJS.Process['exitCode'];
}

/** End a command that takes long, in order. */
export const signals = ['SIGINT', 'SIGTERM'] as const;

/** What stands between a command and the process: environment, output and exit code. */
export interface Shell {
  readonly own: CommandProcess;
  /**
   * The environment, with the timezone rules that it names in use.
   *
   * @throws ConfigError, TimezoneDataFault
   */
  prepare(): Config;
  /** The action of a command: reads the environment, runs it, prints what it hands back, sets the exit code. */
  run<Args extends unknown[]>(
    command: (config: Config, ...args: Args) => Promise<CommandResult>,
  ): (...args: Args) => Promise<void>;
  /** The same for a command that works on the database, which has to be there. */
  runOnStore<Args extends unknown[]>(
    command: (store: Store, ...args: Args) => Promise<CommandResult>,
  ): (...args: Args) => Promise<void>;
  /** Says what kept a command from an answer. Exit code 2, save where commander was asked for help. */
  fail(error: unknown): void;
}

/**
 * A program that reads no further, as `head`, is no fault. An answer that can't be written is: what the command did stays done, and a secret
 * that was shown nowhere has to be made anew.
 */
function hearOutputFaults(own: CommandProcess): void {
  own.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    own.exitCode = 2;
    own.stderr.write(
      `The answer could not be written (${code}). What the command did stays done; a secret in it is lost, make another.\n`,
    );
  });
}

/** @param wantsJson each command prints one JSON value on stdout, whatever comes of it; else text, on stderr where it is refused */
export function createShell(wantsJson: boolean, own: CommandProcess): Shell {
  hearOutputFaults(own);
  // Read when a sentence names a command: in a folder that is gone it throws, and `--help` needs none.
  const surroundings = {
    env: own.env,
    node: own.execPath,
    get cwd() {
      return own.cwd();
    },
  };
  const print = (result: CommandResult): void => {
    own.exitCode = printResult(result, wantsJson, { out: own.stdout, error: own.stderr });
  };
  const prepare: Shell['prepare'] = () => {
    const config = readConfig(own.env);
    useTimezoneData(config.timezoneFolder);
    return config;
  };
  const run: Shell['run'] =
    (command) =>
    async (...args) => {
      print(withFixes(await command(prepare(), ...args), surroundings));
    };
  return {
    own,
    prepare,
    run,
    runOnStore: (command) => run((config, ...args) => withStore(config, (store) => command(store, ...args))),
    fail: (error) => {
      const ended = exitCodeOf(error);
      if (ended === 0) return;
      // Commander has written its own by now.
      if (ended === undefined || wantsJson) print(describeFailure(error, surroundings));
      else own.exitCode = ended;
    },
  };
}

/**
 * Opens the database for one command, and closes it whatever comes of it.
 *
 * @param mayCreate whether a database that isn't there is made: a command that finds nothing in it would leave an empty one behind
 */
export async function withStore(
  config: Config,
  use: (store: Store) => Promise<CommandResult>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<CommandResult> {
  const [{ mkdir }, { dirname }, { openSqliteStore }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
    import('../store/sqlite/open-store.ts'),
  ]);
  if (mayCreate) await mkdir(dirname(config.database), { recursive: true, mode: 0o700 });
  const store = await openSqliteStore(config.database, { mayCreate });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
