import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

export function addKeysCommands(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('the key file');
  addCommand(keys, 'create [path]', 'make the key file, once').action(
    shell.run(async (config, path: string | undefined) =>
      (await import('../commands/keys.ts')).createKeys(path === undefined ? config.keyFile : resolve(path)),
    ),
  );
}
