import { createProgram } from '@lockstep/shell/program';
import type { Command } from 'commander';
import { environment } from '../config.ts';
import { type CommandProcess, createShell, type Shell } from './shell.ts';

const width = Math.max(...Object.keys(environment).map(({ length }) => length));
const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`);

/** The text after the commands in `--help`. */
const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 done, 1 refused in the present state, 2 wrong usage or failure.`;

/** In the order of --help. Slow imports, such as the database, are loaded by the actions. */
const nouns: Readonly<Record<string, () => Promise<(program: Command, shell: Shell) => void>>> = {
  serve: async () => (await import('./serve.ts')).addServeCommand,
  keys: async () => (await import('./keys.ts')).addKeysCommands,
  client: async () => (await import('./client.ts')).addClientCommands,
  import: async () => (await import('./import.ts')).addImportCommand,
  property: async () => (await import('./property.ts')).addPropertyCommands,
  timezone: async () => (await import('./timezone.ts')).addTimezoneCommand,
  account: async () => (await import('./account.ts')).addAccountCommands,
  owner: async () => (await import('./owner.ts')).addOwnerCommands,
  grant: async () => (await import('./grant.ts')).addGrantCommands,
  device: async () => (await import('./device.ts')).addDeviceCommands,
  bridge: async () => (await import('./bridge.ts')).addBridgeCommands,
  jobs: async () => (await import('./bridge.ts')).addJobsCommands,
  backup: async () => (await import('./database.ts')).addBackupCommand,
  restore: async () => (await import('./database.ts')).addRestoreCommand,
  copy: async () => (await import('./copy.ts')).addCopyCommand,
};

/**
 * Runs one command. `serve` runs until a signal, and then exits the process.
 *
 * @param args arguments after the name of the program
 * @param own receives the exit code; undefined for 0
 */
export async function runProgram(args: readonly string[], own: CommandProcess): Promise<void> {
  /** `--json` at any position, so that parse errors are printed as JSON too. */
  const wantsJson = args.includes('--json');
  const shell = createShell(wantsJson, own);
  const program = createProgram(
    'lockstep-server',
    'Runs the API and its OAuth server on a database, a SQLite file or PostgreSQL, and fills it.',
    { out: own.stdout, error: wantsJson ? { write: () => undefined } : own.stderr },
  )
    .showHelpAfterError()
    .addHelpText('after', environmentHelp);
  // All commands for --help, and for the nearest name to an unknown one.
  const [noun = ''] = args;
  for (const [name, load] of Object.entries(nouns))
    if (name === noun || !Object.hasOwn(nouns, noun)) (await load())(program, shell);
  await program.parseAsync(args, { from: 'user' }).catch(shell.fail);
}
