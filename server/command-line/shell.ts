import { CommanderError } from 'commander';
import type { CommandResult } from '../commands/command.ts';
import { type Config, readConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { useTimezoneData } from '../timezone-data.ts';
import { describeFailure, withCures } from './describe-failure.ts';

/** What stands between a command and the process: environment, output and exit code. */
export interface Shell {
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
function hearOutputFaults(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.exitCode = 2;
    process.stderr.write(
      `The answer could not be written (${code}). What the command did stays done; a secret in it is lost, make another.\n`,
    );
  });
  process.stderr.on('error', () => undefined);
}

const exitCodes: Readonly<Record<CommandResult['kind'], number>> = { done: 0, declined: 1, refused: 2 };

/** @param wantsJson each command prints one JSON value on stdout, whatever comes of it; else text, on stderr where it is refused */
export function createShell(wantsJson: boolean): Shell {
  hearOutputFaults();
  const prepare: Shell['prepare'] = () => {
    const config = readConfig(process.env);
    useTimezoneData(config.timezoneFolder);
    return config;
  };
  const run: Shell['run'] =
    (command) =>
    async (...args) => {
      const result = await command(prepare(), ...args);
      const { text, json } = withCures(result, result.cures);
      process.exitCode = exitCodes[result.kind];
      if (wantsJson) printJson(json);
      else (result.kind === 'done' ? process.stdout : process.stderr).write(`${text}\n`);
    };
  return {
    prepare,
    run,
    runOnStore: (command) => run((config, ...args) => withStore(config, (store) => command(store, ...args))),
    fail: (error) => {
      if (error instanceof CommanderError && error.exitCode === 0) return;
      process.exitCode = 2;
      const { text, json } = describeFailure(error);
      if (wantsJson) printJson(json);
      // Commander has written its own by now.
      else if (!(error instanceof CommanderError)) process.stderr.write(`${text}\n`);
    },
  };
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
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
