import { resolve } from 'node:path';
import type { CommandResult } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import type { BackupOptions } from '../commands/backup.ts';
import type { Config } from '../config.ts';
import { addCommand } from './add-command.ts';
import { type Shell, withStore } from './shell.ts';
import { createImportProgress, tellProgress } from './show-progress.ts';

// What a deployment is made of: the key file, the database that is filled from a file, and its copies.

const signals = ['SIGINT', 'SIGTERM'] as const;

export function addKeysCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('the key file');
  addCommand(keys, 'create [path]', 'make the key file, once').action(
    shell.run(async (config, path: string | undefined) =>
      (await import('../commands/keys.ts')).createKeys(path === undefined ? config.keyFile : resolve(path)),
    ),
  );
}

/** What follows the options in `import --help`: the file, member by member. `commands/read-import-file.ts` says the same to the validator. */
const importHelp = `
{"account": {"id", "name"},
 "properties": [{"id": 24 hexadecimal digits, "name", "timezone": IANA name or null}],
 "devices": [{"deviceId", "deviceName", "type": Lock, Keypad or Bridge, "id": 24 hexadecimal digits,
   "properties": [ids; the first gives the timezone], "links": [deviceIds: of a bridge its locks and keypads, at most 5; of a lock its keypads],
   "capabilities": {"algoPin", "passagePin"}, "batteryLevel": 0 to 100, "online": of a bridge, "pairedAt": RFC 3339}]}

Needed are account, ids, names and type. Whatever else is left out stays as it is stored, so that a file may be imported again and again;
null, [] and false take away. What a file doesn't name stays as it is. A new device has a full battery and was paired now, a new bridge is
online. Properties and links may be of this file, or stored already.

All of the file is checked before anything is written: a file with a fault changes nothing. Then it is written in batches of some
milliseconds, so that a server on the same database goes on. Ended in between (Ctrl-C, a database that others hold for over a minute, a
name that somebody took meanwhile) it says how far it came, with exit code 1. Each device is whole by then or as it was, but for links,
which come last; run again, it completes the rest.

Codes issued before follow the clock of their device; how many of them get another is told.`;

export function addImportCommand(program: Command, shell: Shell): void {
  addCommand(program, 'import <file>', 'create or change an account, its properties and devices from a JSON file')
    .addHelpText('after', importHelp)
    .action(
      shell.run(async (config, file: string) => {
        const { importFile } = await import('../commands/import.ts');
        const began = performance.now();
        const progress = createImportProgress(shell.own.stderr, () => performance.now() - began);
        const interruption = new AbortController();
        const abort = () => interruption.abort();
        // The same signal again ends it at once; what is written then is whole all the same.
        for (const name of signals) process.once(name, abort);
        try {
          return await importFile((use, options) => withStore(config, use, options), file, Date.now(), {
            signal: interruption.signal,
            onProgress: progress.show,
          });
        } finally {
          progress.end();
          for (const name of signals) process.off(name, abort);
        }
      }),
    );
}

type Run = (config: Config, file: string, options: BackupOptions) => Promise<CommandResult>;

export function addBackupCommands(program: Command, shell: Shell): void {
  addCommand(program, 'backup <file>', 'copy the database as it is now; the server may run on')
    .option('--force', 'write over a file of that name')
    .addHelpText(
      'after',
      '\nThe file is written under another name beside it, read back, and renamed: it is whole or not there. It needs and holds no keys. The\n' +
        'key file belongs to it, and neither is worth anything without the other: keep a copy of that too, encrypted, somewhere else.',
    )
    .action(stoppable(shell, 'backing up', async (...args) => (await import('../commands/backup.ts')).backUp(...args)));
  addCommand(program, 'restore <file>', 'bring a backup back; the server must not run')
    .option('--force', 'in place of the database that is there')
    .addHelpText(
      'after',
      '\nThe backup stays as it is. It is read through and held against the key file first; then it takes the place of the database in one\n' +
        'step. One with tables, indexes, triggers or views that the server does not make is refused. What was written since the backup is\n' +
        'gone. Tokens and codes from before it stay good.',
    )
    .action(stoppable(shell, 'restoring', async (...args) => (await import('../commands/backup.ts')).restore(...args)));
}

/** The action of a command on large files: Ctrl-C and SIGTERM end it in order, and what takes long says how far it is, on stderr. */
function stoppable(shell: Shell, what: string, run: Run) {
  return shell.run(async (config, file: string, { force = false }: { readonly force?: boolean }) => {
    const stop = new AbortController();
    const abort = () => stop.abort();
    for (const signal of signals) process.on(signal, abort);
    const time = () => performance.now();
    const onProgress = tellProgress(what, { time, write: (line) => void shell.own.stderr.write(line) });
    try {
      return await run(config, resolve(file), { force, signal: stop.signal, onProgress, time });
    } finally {
      for (const signal of signals) process.off(signal, abort);
    }
  });
}
