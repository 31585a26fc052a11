#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { Command, CommanderError } from 'commander';
import { addOptions, type RawOptions } from './command/add-options.ts';
import { planCommand } from './command/plan-command.ts';
import { runCommand, type Streams } from './command/run-command.ts';

enableCompileCache();

const streams: Streams = { out: process.stdout, error: process.stderr };
const exitCodes = `
Exit codes: 0 nothing found; 1 defects, and what --fail-on names; 2 wrong usage, broken contract, unreachable target,
wrong address (only 404 came), or nothing tested (only 401, 402 or 429 came); 130 interrupted, with reports written.

  lockstep-conform --contract openapi.yaml --base-url https://api.example/v1 --token "$TOKEN"
  lockstep-conform --contract openapi.yaml --base-url … --auth-url … --client-id … --client-secret … --report junit,json`;

const program = addOptions(new Command('lockstep-conform'))
  .description('Tells where a deployment breaks its OpenAPI contract: each defect once, with one request to paste.')
  .addHelpText('after', exitCodes)
  .showHelpAfterError('(--help shows every option)')
  .exitOverride()
  .action(async (options: RawOptions) => {
    process.exitCode = await runCommand(options, streams, interruption());
  });

program
  .command('plan')
  .description('prints what would be tested, in its order; sends nothing')
  .action(async () => {
    process.exitCode = await planCommand(program.opts<RawOptions>(), streams);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

/** The first Ctrl-C ends the run and writes the reports, the second ends the process. */
function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
