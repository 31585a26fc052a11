import type { Command } from 'commander';
import { readConfig } from '../config.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'tell as JSON too what keeps it from starting')
    .addHelpText(
      'after',
      "\nA log that can't be written stops nothing: lines are dropped beyond 1 MiB, and counted in the log as soon as it can be.",
    )
    .action(async () => {
      await (await import('../commands/serve.ts')).serve(readConfig(process.env));
      process.exit(0);
    });
}
