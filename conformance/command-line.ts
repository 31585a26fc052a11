import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { type Ends, framesOf, planCommand, runCommand, type Streams } from './command/commands.ts';
import { addOptions, type RawOptions } from './command/options.ts';
import { memberOf } from './contract/document.ts';
import { printable } from './contract/printable.ts';
import { exitCodes, RunnerFailure } from './run/verdict.ts';

/** The process around a command. */
interface Surroundings {
  /** Called when a run begins. */
  readonly watch: () => Ends;
  /** Called when the runner itself failed: whatever it still waits for, it has nothing more to say. */
  readonly leave: (exitCode: number) => void;
}

const standard: Streams = { out: process.stdout, error: process.stderr };

/**
 * The runner as a command.
 *
 * @param args what stands behind its name
 * @param name by which it was called, for its help
 * @param streams what it prints to; those of the process when left out
 * @param surroundings those of the process when left out: its signals, its failures and its end
 * @returns the exit code: 0 nothing found; 1 defects; 2 wrong usage, or nothing that could be tested; 130 interrupted
 */
export async function conform(
  args: readonly string[],
  name: string,
  streams: Streams = standard,
  { watch, leave }: Surroundings = { watch: watchProcess, leave: leaveProcess },
): Promise<number> {
  let exitCode = 0;
  const program = addOptions(new Command(name))
    .description('Tells where a deployment breaks its OpenAPI contract: each defect once, with one request to paste.')
    .version(versionOf(join(import.meta.dirname, 'package.json')), '-V, --version', 'print the version')
    .addHelpText('after', describeExits(name))
    .showHelpAfterError('(--help shows every option)')
    .configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void streams.error.write(text),
    })
    .exitOverride()
    .action(async (options: RawOptions) => {
      exitCode = await runCommand(options, streams, watch());
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
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = error instanceof RunnerFailure ? error : new RunnerFailure(error);
    streams.error.write(`The runner failed: ${printable(failure.message)}. Please report it.\n${framesOf(failure)}\n`);
    leave(exitCodes.failed);
    return exitCodes.failed;
  }
  return exitCode;
}

function versionOf(file: string): string {
  return String(memberOf(JSON.parse(readFileSync(file, 'utf8')), 'version'));
}

function describeExits(name: string): string {
  return `
Exit codes: 0 nothing found; 1 defects, and what --fail-on names; 2 wrong usage,
broken contract, unreachable target, wrong address (only 404 came), nothing
tested (nobody was let in: 401, 402, 403 or 429 came; or no operation was
accepted, and no defect found), cut short (the target stayed away or let it in
no more), or a failure of the runner itself, with the reports so far; 130
interrupted, with reports written. The last lines name what was not tested.
Nothing is remembered from one run to the next.

  ${name} --contract openapi.yaml \\
    --base-url https://api.example/v1 --token "$TOKEN"
  ${name} --contract openapi.yaml --base-url … --auth-url … \\
    --client-id … --client-secret … --report junit,json
  ${name} --contract http://localhost:8080/openapi.json \\
    --base-url http://localhost:8080 --wait-for-target 30s
  ${name} --contract openapi.yaml plan`;
}

/** The first Ctrl-C ends the run and writes the reports, the second ends the process. A failure of the runner ends the run too. */
function watchProcess(): Ends {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const fail = new AbortController();
  process.on('uncaughtException', (error) => fail.abort(new RunnerFailure(error)));
  return { interrupted: stop.signal, failed: fail.signal };
}

function leaveProcess(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), 1_000).unref();
}
