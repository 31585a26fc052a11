#!/usr/bin/env node
import { Command } from 'commander';
import { addAccountCommands } from './command-line/account-commands.ts';
import { addBackupCommands } from './command-line/backup-commands.ts';
import { addBridgeCommands } from './command-line/bridge-commands.ts';
import { addClientCommands } from './command-line/client-commands.ts';
import { addDeviceCommands } from './command-line/device-commands.ts';
import { environmentHelp } from './command-line/environment-help.ts';
import { addGrantCommands } from './command-line/grant-commands.ts';
import { addImportCommand } from './command-line/import-command.ts';
import { addJobsCommands } from './command-line/jobs-commands.ts';
import { addKeysCommands } from './command-line/keys-commands.ts';
import { addOwnerCommands } from './command-line/owner-commands.ts';
import { addPropertyCommands } from './command-line/property-commands.ts';
import { addServeCommand } from './command-line/serve-command.ts';
import { createShell } from './command-line/shell.ts';
import { addTimezoneCommand } from './command-line/timezone-command.ts';

// better-sqlite3 13 dies of a segmentation fault, without a word, under an older Node: commands load it when they run.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`lockstep-server needs Node 24.18 or later, this is ${process.versions.node}.\n`);
  process.exit(2);
}

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
