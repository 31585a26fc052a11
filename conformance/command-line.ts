import { Command, CommanderError } from 'commander';
import { addOptions, type RawOptions } from './command/add-options.ts';
import { planCommand } from './command/plan-command.ts';
import { runCommand, type Streams } from './command/run-command.ts';

const streams: Streams = { out: process.stdout, error: process.stderr };

/**
 * The runner as a command.
 *
 * @param args what stands behind its name
 * @param name by which it was called, for its help
 * @returns the exit code: 0 nothing found; 1 defects; 2 wrong usage, or nothing that could be tested; 130 interrupted
 */
export async function conform(args: readonly string[], name: string): Promise<number> {
  let exitCode = 0;
  const program = addOptions(new Command(name))
    .description('Tells where a deployment breaks its OpenAPI contract: each defect once, with one request to paste.')
    .addHelpText('after', describeExits(name))
    .showHelpAfterError('(--help shows every option)')
    .exitOverride()
    .action(async (options: RawOptions) => {
      exitCode = await runCommand(options, streams, interruption());
    });
  program
    .command('plan')
    .description('prints what would be tested, in its order; sends nothing')
    .action(async () => {
      exitCode = await planCommand(program.opts<RawOptions>(), streams);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return exitCode;
}

function describeExits(name: string): string {
  return `
Exit codes: 0 nothing found; 1 defects, and what --fail-on names; 2 wrong usage, broken contract, unreachable target,
wrong address (only 404 came), or nothing tested (only 401, 402 or 429 came); 130 interrupted, with reports written.

  ${name} --contract openapi.yaml --base-url https://api.example/v1 --token "$TOKEN"
  ${name} --contract openapi.yaml --base-url … --auth-url … --client-id … --client-secret … --report junit,json`;
}

/** The first Ctrl-C ends the run and writes the reports, the second ends the process. */
function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
