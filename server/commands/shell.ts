import type { Readable, Writable } from 'node:stream';
import { type CommandResult, printResult } from '@lockstep/shell/command-result';
import { exitCodeOf } from '@lockstep/shell/program';
import { type Config, readConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { useTimezoneData } from '../timezone-data.ts';
import { describeFailure, withFixes } from './describe-failure.ts';

/** The part of `process` that a command uses, so that tests can run commands in their own process. */
export interface CommandProcess extends Pick<NodeJS.Process, 'env' | 'cwd' | 'execPath'> {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  exitCode?: NodeJS.Process['exitCode'];
}

/** Signals that stop a long command cleanly. */
export const signals = ['SIGINT', 'SIGTERM'] as const;

/** Connects a command with the process: environment, output and exit code. */
export interface Shell {
  readonly own: CommandProcess;
  /**
   * Reads the environment, and uses the timezone rules that it names.
   *
   * @throws ConfigError, TimezoneDataFault
   */
  prepare(): Config;
  /** Creates the action of a command: reads the environment, runs the command, prints its result, sets the exit code. */
  run<Args extends unknown[]>(
    command: (config: Config, ...args: Args) => Promise<CommandResult>,
  ): (...args: Args) => Promise<void>;
  /** The same for a command on an existing database. */
  runOnStore<Args extends unknown[]>(
    command: (store: Store, ...args: Args) => Promise<CommandResult>,
  ): (...args: Args) => Promise<void>;
  /** Prints the failure of a command. Exit code 2, or 0 after commander's help. */
  fail(error: unknown): void;
}

/**
 * A reader that stops reading, such as `head`, is no fault. An answer that can't be written is: the command has changed the data, and a
 * secret in the answer is lost.
 */
function hearOutputFaults(own: CommandProcess): void {
  own.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    own.exitCode = 2;
    own.stderr.write(
      `The answer could not be written (${code}). The command has done its work; a secret in the answer is lost, create another.\n`,
    );
  });
}

/** @param wantsJson each command prints one JSON value to stdout; otherwise text, a refusal to stderr */
export function createShell(wantsJson: boolean, own: CommandProcess): Shell {
  hearOutputFaults(own);
  // `cwd` is read only for a fix: it throws in a deleted folder, and `--help` doesn't need it.
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
      // Commander has already printed its own message.
      if (ended === undefined || wantsJson) print(describeFailure(error, surroundings));
      else own.exitCode = ended;
    },
  };
}

/**
 * Opens the database for one command, and closes it in any case.
 *
 * @param mayCreate whether to create a missing database; most commands would only create an empty one
 */
export async function withStore(
  config: Config,
  use: (store: Store) => Promise<CommandResult>,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<CommandResult> {
  const { openStore } = await import('../store/open-store.ts');
  const store = await openStore(config.database, { mayCreate, patienceMs: 10_000 });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
