import type { Command } from 'commander';
import { addCommand } from './add-command.ts';
import { importHelp } from './import-help.ts';
import type { Shell } from './shell.ts';
import { withStore } from './with-store.ts';

export function addImportCommand(program: Command, shell: Shell): void {
  addCommand(program, 'import <file>', 'create or change an account, its properties and devices from a JSON file')
    .addHelpText('after', importHelp)
    .action(
      shell.run(async (config, file: string) => {
        const { importFile } = await import('../commands/import.ts');
        return importFile((use) => withStore(config, use, { mayCreate: true }), file, Date.now());
      }),
    );
}
