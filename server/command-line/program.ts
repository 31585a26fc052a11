import { createProgram } from '@lockstep/shell/program';
import { environment } from '../config.ts';
import { addAccountCommands, addGrantCommands, addOwnerCommands } from './account-commands.ts';
import { addClientCommands } from './client-commands.ts';
import { addBackupCommands, addImportCommand, addKeysCommands } from './database-commands.ts';
import {
  addBridgeCommands,
  addDeviceCommands,
  addJobsCommands,
  addPropertyCommands,
  addTimezoneCommand,
} from './device-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { type CommandProcess, createShell } from './shell.ts';

const width = Math.max(...Object.keys(environment).map(({ length }) => length));
const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`);

/** What follows the commands in `--help`. */
const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;

// In the order of --help.
const topics = [
  addServeCommand,
  addKeysCommands,
  addClientCommands,
  addImportCommand,
  addPropertyCommands,
  addTimezoneCommand,
  addAccountCommands,
  addOwnerCommands,
  addGrantCommands,
  addDeviceCommands,
  addBridgeCommands,
  addJobsCommands,
  addBackupCommands,
];

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
  for (const addCommands of topics) addCommands(program, shell);
  await program.parseAsync(args, { from: 'user' }).catch(shell.fail);
}
