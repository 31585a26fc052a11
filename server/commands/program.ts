import { createProgram } from '@lockstep/shell/program';
import type { Command } from 'commander';
import { environment } from '../config.ts';
import { type CommandProcess, createShell, type Shell } from './shell.ts';

const width = Math.max(...Object.keys(environment).map(({ length }) => length));
const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`);

/** What follows the commands in `--help`. */
const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;

/** In the order of --help. What takes time to load, as a database does, is loaded by the action. */
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
};

/**
 * Runs one command to its end. `serve` alone goes on until a signal, and then exits.
 *
 * @param args what stands behind the name of the program
 * @param own takes the exit code, 0 where it stays undefined
 */
export async function runProgram(args: readonly string[], own: CommandProcess): Promise<void> {
  /** Asked for anywhere, so that what can't be parsed is told as JSON too. */
  const wantsJson = args.includes('--json');
  const shell = createShell(wantsJson, own);
  const program = createProgram(
    'lockstep-server',
    'Runs the API and its OAuth server on one SQLite file, and fills that file.',
    { out: own.stdout, error: wantsJson ? { write: () => undefined } : own.stderr },
  )
    .showHelpAfterError()
    .addHelpText('after', environmentHelp);
  // All of them for --help, and for what comes near to a name that is none.
  const [noun = ''] = args;
  for (const [name, load] of Object.entries(nouns))
    if (name === noun || !Object.hasOwn(nouns, noun)) (await load())(program, shell);
  await program.parseAsync(args, { from: 'user' }).catch(shell.fail);
}
