import type { Command } from 'commander';
import { addCommand } from './add-command.ts';
import { importHelp } from './import-help.ts';
import { createImportProgress } from './import-progress.ts';
import type { Shell } from './shell.ts';
import { withStore } from './with-store.ts';

export function addImportCommand(program: Command, shell: Shell): void {
  addCommand(program, 'import <file>', 'create or change an account, its properties and devices from a JSON file')
    .addHelpText('after', importHelp)
    .action(
      shell.run(async (config, file: string) => {
        const { importFile } = await import('../commands/import.ts');
        const began = performance.now();
        const progress = createImportProgress(process.stderr, () => performance.now() - began);
        const interruption = new AbortController();
        // The same signal again ends it at once; what is written then is whole all the same.
        for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());
        try {
          return await importFile((use, options) => withStore(config, use, options), file, Date.now(), {
            signal: interruption.signal,
            onProgress: progress.show,
          });
        } finally {
          progress.end();
        }
      }),
    );
}
