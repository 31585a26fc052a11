import type { Command } from 'commander';
import type { Shell } from './shell.ts';

export function addServeCommand(program: Command, shell: Shell): void {
  program
    .command('serve')
    .description('serve until Ctrl-C or SIGTERM; logs are JSON on stdout')
    .option('--json', 'tell as JSON too what keeps it from starting')
    .addHelpText(
      'after',
      "\nSIGINT or SIGTERM ends it in order, with 0, also while it starts: what is under way has 10 seconds. The same signal again ends it at once.\nA log that can't be written doesn't stop it: lines are dropped beyond 1 MiB, and counted in the log as soon as it can be.",
    )
    .action(async () => {
      const config = shell.prepare();
      // Small and first: all that takes time to load is loaded under way, when signals are heard already.
      const { openLog } = await import('../open-log.ts');
      const { runUntilStopped } = await import('@lockstep/runtime/run-until-stopped');
      const { logger, end } = openLog(config.logLevel, 1);
      await runUntilStopped(logger, async (stopping) => {
        const { serve } = await import('../commands/serve.ts');
        return serve(config, logger, stopping);
      });
      await end();
      process.exit(0);
    });
}
