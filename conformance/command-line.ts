import { Command, CommanderError } from 'commander';
import { checkCommand } from './command/check.ts';
import { cleanCommand, framesOf, planCommand, runCommand } from './command/commands.ts';
import { explainCommand } from './command/explain.ts';
import { addOptions, type RawOptions } from './command/options.ts';
import { proveCommand } from './command/prove.ts';
import { replayCommand } from './command/replay.ts';
import type { RunSignals, Streams } from './command/watch-run.ts';
import { printable } from './contract/printable.ts';
import { exitCodes, RunnerFailure } from './run/verdict.ts';
import { version } from './version.ts';

interface ProcessHooks {
  /** Called when a run begins. */
  readonly watch: () => RunSignals;
  /** Called when the runner itself failed, to exit though promises may still be pending. */
  readonly leave: (exitCode: number) => void;
}

const standard: Streams = { out: process.stdout, error: process.stderr };

/**
 * The runner as a command.
 *
 * @param args arguments after the command's name
 * @param name the command's name, for its help
 * @param streams streams to print to, by default those of the process
 * @param hooks signals and exit, by default those of the process
 * @returns the exit code: 0 no defects; 1 defects; 2 wrong usage, or nothing tested; 130 interrupted
 */
export async function conform(
  args: readonly string[],
  name: string,
  streams: Streams = standard,
  { watch, leave }: ProcessHooks = { watch: watchProcess, leave: leaveProcess },
): Promise<number> {
  let exitCode = 0;
  const program = addOptions(new Command(name))
    .description('Tests a deployment against its OpenAPI contract: reports each defect once, with a request to paste.')
    .version(version, '-V, --version', 'print the version')
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
    .description('print the operations and checks of a run, in order; sends nothing')
    .action(async () => {
      exitCode = await planCommand(program.opts<RawOptions>(), streams);
    });
  program
    .command('prove')
    .description(
      'run once, then show that the run could have failed: inject faults into the recorded answers, and judge them again without a request; exits with 1 if a fault is not reported',
    )
    .action(async () => {
      exitCode = await proveCommand(program.opts<RawOptions>(), streams, watch());
    });
  program
    .command('check <har>')
    .description(
      'judge recorded traffic, an HTTP Archive (HAR 1.2), by the contract; sends nothing; exits as a run does',
    )
    .action(async (har: string) => {
      exitCode = await checkCommand(har, program.opts<RawOptions>(), streams, watch());
    });
  program
    .command('explain')
    .argument('[check]', 'a check, or a law as in http-law/405-allow')
    .description('print what a check means, its clauses, an example, the fix, and how to silence it; alone, list all')
    .action((check: string | undefined) => {
      exitCode = explainCommand(check, program.opts<RawOptions>().json === true, streams);
    });
  program
    .command('clean <ledger>')
    .description('undo the writes of a run that was killed, or whose clean-up left some; needs the options of that run')
    .action(async (ledger: string) => {
      exitCode = await cleanCommand(ledger, program.opts<RawOptions>(), streams, watch());
    });
  program
    .command('replay <id>')
    .description(
      'send the requests of a finding again: FIXED exits with 0, FAILED and FLAKY with 1; contract and addresses are those of the run',
    )
    .action(async (id: string) => {
      exitCode = await replayCommand(id, program.opts<RawOptions>(), streams, watch());
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

function describeExits(name: string): string {
  return `
Exit codes: 0 no defects, apart from known ones; 1 defects, or anything that
--fail-on names; 2 wrong usage, broken contract, unreachable target, wrong
address (only 404), nothing tested (only 401, 402, 403 or 429; or no operation
accepted and no defect found), cut short (the target stopped, or no longer
accepted the credentials), or a failure of the runner itself, with the reports
so far; 130 interrupted, with reports written. The last lines name the parts
that were not tested, the largest ones last; the JSON report lists the coverage
of every keyword. A run keeps no state for the next one; replay reads the
requests of a finding from failures.json in --out.

  ${name} --contract openapi.yaml \\
    --base-url https://api.example/v1 --token "$TOKEN"
  ${name} --contract openapi.yaml --base-url … --auth-url … \\
    --client-id … --client-secret … --report junit,json
  ${name} --contract http://localhost:8080/openapi.json \\
    --base-url http://localhost:8080 --wait-for-target 30s
  ${name} --contract openapi.yaml plan
  ${name} prove --contract openapi.yaml --base-url … --token "$TOKEN"
  ${name} check traffic.har --contract openapi.yaml
  ${name} explain body-schema
  ${name} replay 7f3a9c12 --token "$TOKEN"
  ${name} clean lockstep-conform-report/ledger-….ndjson \\
    --contract openapi.yaml --base-url … --token "$TOKEN"`;
}

/** The first Ctrl-C stops the run and writes the reports, the second exits. A failure of the runner stops the run too. */
function watchProcess(): RunSignals {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const fail = new AbortController();
  process.on('uncaughtException', (error) => fail.abort(new RunnerFailure(error)));
  return { interrupted: stop.signal, failed: fail.signal };
}

function leaveProcess(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), 1_000).unref();
}
