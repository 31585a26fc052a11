import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Shell } from './shell.ts';

export function addServeCommand(program: Command, { fail }: Shell): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'tell as JSON too what keeps it from starting')
    .action(async () => {
      const service = await (await import('../commands/serve.ts')).serve(readConfig(process.env));
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => void service.close().then(() => process.exit(0), fail));
      }
    });
}
