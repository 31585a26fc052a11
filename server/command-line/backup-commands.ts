import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupOptions } from '../commands/backup.ts';
import type { CommandResult } from '../commands/command.ts';
import type { Config } from '../config.ts';
import { addCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

type Run = (config: Config, file: string, options: BackupOptions) => Promise<CommandResult>;

/** What is over in less needs no word; after that, one word in as much. */
const quietMs = 2000;

/** @param time milliseconds, counted from anywhere */
export function tellProgress(
  what: string,
  { time, write }: { readonly time: () => number; readonly write: (line: string) => void },
): (written: number, pages: number) => void {
  let said = time();
  return (written, pages) => {
    if (time() - said < quietMs) return;
    said = time();
    write(`${what}: ${Math.floor((100 * written) / pages)} % of ${pages} pages\n`);
  };
}

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
        'step. What was written since the backup is gone. Tokens and codes from before it stay good.',
    )
    .action(stoppable(shell, 'restoring', async (...args) => (await import('../commands/backup.ts')).restore(...args)));
}

/** The action of a command on large files: Ctrl-C and SIGTERM end it in order, and what takes long says how far it is, on stderr. */
function stoppable(shell: Shell, what: string, run: Run) {
  return shell.run(async (config, file: string, { force = false }: { readonly force?: boolean }) => {
    const stop = new AbortController();
    const abort = () => stop.abort();
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.on(signal, abort);
    const time = () => performance.now();
    const onProgress = tellProgress(what, { time, write: (line) => void process.stderr.write(line) });
    try {
      return await run(config, resolve(file), { force, signal: stop.signal, onProgress, time });
    } finally {
      for (const signal of signals) process.off(signal, abort);
    }
  });
}
