import type { Command } from 'commander';
import type { ListOptions } from '../commands/listing.ts';
import { addListCommand } from './add-command.ts';
import type { Shell } from './shell.ts';

export function addJobsCommands(program: Command, shell: Shell): void {
  const jobs = program.command('jobs').description('what bridges were asked to do');
  addListCommand(jobs, 'jobs, newest first')
    .option('--bridge <id>', 'of this bridge alone')
    .action(
      shell.runOnStore(async (store, options: ListOptions & { readonly bridge?: string }) =>
        (await import('../commands/jobs.ts')).listJobs(store, { ...options, now: Date.now() }),
      ),
    );
}
