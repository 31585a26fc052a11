import { Command } from 'commander';
import { addAccountCommands } from './account-commands.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addBridgeCommands } from './bridge-commands.ts';
import { addClientCommands } from './client-commands.ts';
import { addDeviceCommands } from './device-commands.ts';
import { environmentHelp } from './environment-help.ts';
import { addGrantCommands } from './grant-commands.ts';
import { addImportCommand } from './import-command.ts';
import { addJobsCommands } from './jobs-commands.ts';
import { addKeysCommands } from './keys-commands.ts';
import { addOwnerCommands } from './owner-commands.ts';
import { addPropertyCommands } from './property-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { createShell } from './shell.ts';
import { addTimezoneCommand } from './timezone-command.ts';

/** Asked for anywhere, so that what can't be parsed is told as JSON too. */
const wantsJson = process.argv.includes('--json');
const shell = createShell(wantsJson);

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
