import { ContractError } from '@lockstep/toolkit/contract/contract-error';
import { OutputError } from '@lockstep/toolkit/output-folder';
import { Command, CommanderError, Option } from 'commander';
import { type CommandResult, defaults, type Target } from './commands/command.ts';

type Options = Target & { readonly json?: boolean };
type Run = (options: Options) => Promise<CommandResult>;

const program = new Command('lockstep')
  .description('Derives everything from one OpenAPI 3.1 contract and proves that it still matches.')
  .showHelpAfterError()
  .exitOverride();

// Each command is loaded when it is asked for: the compilers behind `generate` cost more time than `--help` should.
addCommand('generate', 'derive types, operation table, handler interface and bundled contract', () =>
  import('./commands/generate.ts').then(({ generate }) => generate),
).option(...out());
addCommand('check', 'derive again in memory and fail where a derived file differs', () =>
  import('./commands/check.ts').then(({ check }) => check),
)
  .option(...out())
  .addOption(profile());
addCommand('lint', 'check the contract by the rules of a profile and report every problem at once', () =>
  import('./commands/lint.ts').then(({ lint }) => lint),
).addOption(profile());
program.addHelpText(
  'after',
  "\nExit codes: 0 fine, 1 found differences or problems, 2 wrong usage or a contract that can't be read.",
);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}

function addCommand(name: string, description: string, load: () => Promise<Run>): Command {
  return program
    .command(name)
    .description(description)
    .option('--contract <file>', 'the OpenAPI 3.1 document', defaults.contract)
    .option('--json', 'print one JSON value instead of text')
    .action(async (options: Options) => {
      const run = await load();
      const result = await run(options).catch(refuseContract);
      const text = options.json ? JSON.stringify(result.json) : result.text;
      const stream = result.exitCode === 2 && !options.json ? process.stderr : process.stdout;
      process.exitCode = result.exitCode;
      stream.write(`${text}\n`);
    });
}

function out(): [string, string, string] {
  return ['--out <folder>', 'the folder of the derived files', defaults.out];
}

function profile(): Option {
  const says =
    'valid: what OpenAPI asks and every tool needs; house: the redocly.yaml of this folder, or our own rules';
  return new Option('--profile <name>', says).choices(['valid', 'house']).default('valid');
}

/** A contract or folder that can't be read is the user's to mend, not a crash: all its problems, exit 2. */
function refuseContract(error: unknown): CommandResult {
  if (error instanceof OutputError) return { exitCode: 2, text: error.message, json: { error: error.message } };
  if (!(error instanceof ContractError)) throw error;
  return { exitCode: 2, text: error.message, json: { problems: error.problems } };
}
