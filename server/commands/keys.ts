import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandResult, done, refused } from '@lockstep/shell/command-result';
import type { Command } from 'commander';
import { addCommand } from './command.ts';
import type { Shell } from './shell.ts';

export function addKeysCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('key file of the server');
  addCommand(keys, 'create [path]', 'create the key file, once').action(
    shell.run((config, path: string | undefined) => createKeys(path === undefined ? config.keyFile : resolve(path))),
  );
}

/** `keys create`: creates the key file once. A second run checks that the existing file can be used. */
export async function createKeys(path: string): Promise<CommandResult> {
  const { createKeyFile, KeyFileFault, readKeyFile } = await import('../key-file.ts');
  try {
    await createKeyFile(path);
    return done(`Created ${path} (mode 0600). Back it up: without it every token is invalid and every code changes.`, {
      keyFile: path,
      created: true,
    });
  } catch (error) {
    if (!(error instanceof KeyFileFault)) throw error;
    if (!existsSync(path)) return refused(error.message, {}, error.fixes);
    return readKeyFile(path).then(
      () => done(`${path} exists already and can be used; nothing changed.`, { keyFile: path, created: false }),
      (unusable) => {
        if (!(unusable instanceof KeyFileFault)) throw unusable;
        return refused(unusable.message, {}, unusable.fixes);
      },
    );
  }
}
