import { Command } from 'commander';
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
import { createShell } from './shell.ts';

/** Asked for anywhere, so that what can't be parsed is told as JSON too. */
const wantsJson = process.argv.includes('--json');
const shell = createShell(wantsJson);

const width = Math.max(...Object.keys(environment).map(({ length }) => length));
const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`);

/** What follows the commands in `--help`. */
const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;

const program = new Command('lockstep-server')
  .description('Runs the API and its OAuth server on one SQLite file, and fills that file.')
  .showHelpAfterError()
  .exitOverride()
  .configureOutput(wantsJson ? { writeErr: () => undefined } : {})
  .addHelpText('after', environmentHelp);

// In the order of --help.
for (const addCommands of [
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
])
  addCommands(program, shell);

await program.parseAsync().catch(shell.fail);
