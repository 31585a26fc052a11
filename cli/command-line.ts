import { statSync } from 'node:fs';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { type CommandResult, printResult, type Streams } from '@lockstep/shell/command-result';
import { createProgram, exitCodeOf, parsePort } from '@lockstep/shell/program';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { RunLinter } from '@lockstep/toolkit/lint/run-redocly';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ContractTarget, defaults, type Surroundings, type Target } from './commands/command.ts';
import { describeBug, refuse } from './commands/refuse.ts';
import type { StoreKind } from './stored-files.ts';

interface JsonOption {
  readonly json?: true | undefined;
}

interface StateOption {
  readonly state?: StoreKind;
}

interface ProfileOption {
  readonly profile: 'valid' | 'house';
}

/**
 * @param args arguments after `lockstep`
 * @param streams for its output; the log goes to stderr of the process
 * @param linter Redocly's own command by default
 * @returns the exit code
 */
export async function lockstep(args: readonly string[], streams: Streams, linter?: RunLinter): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    'lockstep',
    'From one OpenAPI contract to types, server, mock, reference and conformance run.',
    streams,
  )
    .showHelpAfterError('(--help shows every command and option)')
    .enablePositionalOptions();

  program
    .command('new <folder>')
    .description('create a project for a contract: types, server, a handler to write for each operation, tests, CI')
    .requiredOption('--contract <file|url>', 'the OpenAPI document; the project gets a copy')
    .addOption(
      new Option(
        '--state <kind>',
        'handlers that answer from a store, in a file for each resource, until you write your own; memory: until the service stops; sqlite: in one file',
      ).choices(['memory', 'sqlite']),
    )
    .addOption(allowFiles())
    .addOption(strict())
    .option('--json', 'print one JSON value instead of text')
    .addHelpText(
      'after',
      '\nThe project needs Node 24.18 or later. If npm runs on an older one, begin each command with npx -y -p node@24.',
    )
    .action((folder: string, options: ContractTarget & StateOption & JsonOption) =>
      print(options, async () =>
        (await import('./commands/new-project.ts')).newProject({ folder, ...options }, streams),
      ),
    );
  // Each command is loaded when it runs: the compilers of `generate` would slow `--help` down.
  addCommand(program, 'generate', 'derive types, operation table, handler interface and bundled contract')
    .addOption(strict())
    .addOption(out())
    .addOption(
      new Option(
        '--profile <name>',
        'add missing x-default-responses to the contract, lint it, and derive only if it has no problems',
      ).choices(['valid', 'house']),
    )
    .action(async (options: Target & Partial<ProfileOption> & JsonOption) =>
      print(options, async () => (await import('./commands/generate.ts')).generate(options, linter)),
    );
  addCommand(program, 'check', 'derive again in memory, and fail if a derived file differs')
    .addOption(strict())
    .addOption(out())
    .addOption(profile())
    .action(async (options: Target & ProfileOption & JsonOption) =>
      print(options, async () => (await import('./commands/check.ts')).check(options, linter)),
    );
  addCommand(program, 'lint', 'check the contract by the rules of a profile, and report every problem at once')
    .addOption(profile())
    .action(async (options: Target & ProfileOption & JsonOption) =>
      print(options, async () => (await import('./commands/lint.ts')).lint(options, linter)),
    );
  addAddress(addCommand(program, 'serve', 'serve the contract: every operation without a handler answers 501'), 8080)
    .addOption(strict())
    .option('--handlers <file>', 'a module that exports handlers by operationId, and security by name of the scheme')
    .option('--no-check-responses', 'send answers without validating them')
    .addHelpText(
      'after',
      () =>
        `\nAccepts bodies of up to 10 MiB; x-body-limit of an operation in the contract sets another number of bytes.${runningHelp()}`,
    )
    .action(async (options) =>
      run(options, async (around) => (await import('./commands/serve.ts')).serve(options, around)),
    );
  addAddress(addCommand(program, 'mock', 'serve the contract from a store in memory and its examples'), 8090)
    .addOption(strict())
    .option('--stateless', 'store nothing: every answer is the documented one')
    .option(
      '--token <token>',
      'accept only this token or key, or name:password for HTTP Basic; can be given several times; any by default',
      (value: string, before: readonly string[] = []) => {
        if (value === '') throw new InvalidArgumentError('A token has at least one character.');
        return [...before, value];
      },
    )
    .option('--explain', 'print the role of each operation and the reason, without a start')
    .addHelpText(
      'after',
      () =>
        `\n/_sandbox/ controls the mock: a page, and an API to reset the store, fill it, move its clock, cause faults and read the requests.\n/w/NAME before any path selects a world, with a state of its own, for one of several parallel tests. --stateless has neither.\nPrefer: code=404 in a request selects a documented answer.${runningHelp()}`,
    )
    .action(async (options) => {
      if (options.explain) return print(options, async () => (await import('./commands/mock.ts')).explain(options));
      await run(options, async (around) => (await import('./commands/mock.ts')).mock(options, around));
    });
  addCommand(
    program,
    'docs',
    'build a folder with the reference as one offline page, the contract and its types, and serve it',
  )
    .addOption(strict())
    .option('--out <folder>', 'the folder to build', 'reference')
    .option('--build-only', 'build without serving')
    .addOption(port(8080))
    .addHelpText(
      'after',
      '\nExit codes: 0 built, or stopped by Ctrl-C or SIGTERM; 2 wrong usage, port taken, or a contract that cannot be read.',
    )
    .action(async (options) => {
      if (options.buildOnly)
        return print(options, async () => (await import('./commands/docs.ts')).buildOnly(options, streams));
      await run(options, async (around) => (await import('./commands/docs.ts')).docs(options, around));
    });
  program
    .command('conform')
    .description('test a deployment against the contract; --help lists its options')
    .argument('[options...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (args: readonly string[]) => {
      const { conform } = await import('@lockstep/conformance/command-line');
      exitCode = await conform(args, 'lockstep conform', streams);
    });
  program.addHelpText(
    'after',
    '\nExit codes: 0 fine, or stopped by Ctrl-C; 1 found differences, problems or defects; 2 wrong usage, a contract that cannot be read, or a bug of lockstep.',
  );

  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error) ?? printResult(describeBug(error), false, streams);
  }

  /** Runs a command that finishes without a signal. */
  async function print({ json }: JsonOption, work: () => Promise<CommandResult>): Promise<void> {
    exitCode = printResult({ notices: [], ...(await work().catch(refuse)) }, json, streams);
  }

  async function run(options: JsonOption, start: (around: Surroundings) => Promise<Running>): Promise<void> {
    exitCode = await runToEnd(options, streams, start);
  }
}

function addCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--contract <file|url>', 'the OpenAPI document', defaults.contract)
    .addOption(allowFiles())
    .option('--json', 'print one JSON value instead of text');
}

function strict(): Option {
  return new Option('--strict', 'refuse a contract with a fault; by default a fault costs its place, and is a warning');
}

function allowFiles(): Option {
  const description = "a folder outside the contract's own whose files it may refer to; can be given several times";
  return new Option('--allow-files <folder>', description).argParser(
    (folder: string, before: readonly string[] = []) => {
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new InvalidArgumentError('There is no such folder.');
      return [...before, folder];
    },
  );
}

function addAddress(command: Command, defaultPort: number): Command {
  return command.addOption(port(defaultPort)).option('--host <address>', 'interface to listen on', '127.0.0.1');
}

function out(): Option {
  return new Option('--out <folder>', 'the folder of the derived files').default(defaults.out);
}

function profile(): Option {
  const description =
    'valid: the rules of OpenAPI and of the tools; house: the redocly.yaml of this folder, or the rules of this project';
  return new Option('--profile <name>', description).choices(['valid', 'house']).default('valid');
}

function port(defaultPort: number): Option {
  return new Option('--port <number>', 'port to listen on, 0 for any free one')
    .argParser(parsePort)
    .default(defaultPort);
}

function runningHelp(): string {
  return '\nLogs are JSON on stderr. Environment: LOG_LEVEL (default warn).\nExit codes: 0 stopped by Ctrl-C or SIGTERM, also while it starts; 2 wrong usage, port taken, or a contract that cannot be read.';
}

/** Runs a command until it is stopped. The command prints its output itself. Slow modules are loaded after signals are handled. */
async function runToEnd(
  { json }: JsonOption,
  streams: Streams,
  start: (around: Surroundings) => Promise<Running>,
): Promise<number> {
  try {
    const [{ runUntilStopped }, { pino }] = await Promise.all([
      import('@lockstep/runtime/run-until-stopped'),
      import('pino'),
    ]);
    const logger = pino(
      { level: readLogLevel(Object.keys(pino.levels.values)) },
      pino.destination({ dest: 2, sync: true }),
    );
    await runUntilStopped(logger, (stopping) => start({ logger, streams, stopping }));
    return 0;
  } catch (error) {
    return printResult(refuse(error), json, streams);
  }
}

/** @throws WrongUse for an unknown level */
function readLogLevel(known: readonly string[]): string {
  const level = process.env.LOG_LEVEL || 'warn';
  if (level === 'silent' || known.includes(level)) return level;
  throw new WrongUse(`LOG_LEVEL=${level} is not a level. Choose one of ${known.join(', ')} or silent.`);
}
