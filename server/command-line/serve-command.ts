import type { Command } from 'commander';
import { readConfig } from '../config.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'tell as JSON too what keeps it from starting')
    .action(async () => {
      await (await import('../commands/serve.ts')).serve(readConfig(process.env));
      process.exit(0);
    });
}
