import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isObject } from '@lockstep/json/json-pointer';
import { explainListen } from '@lockstep/runtime/explain-listen';
import { describeUnknown } from '@lockstep/runtime/form/sentence';
import { runUntilStopped } from '@lockstep/runtime/run-until-stopped';
import { describeFailure } from '@lockstep/server/command-line/describe-failure';
import { type DemoAccess, describeAccess, writeAccessFile } from '@lockstep/server/demo/access-file';
import { formatClients, formatOwners } from '@lockstep/server/demo/format-access';
import { isLoopbackCallback } from '@lockstep/server/oauth/is-callback-url';
import { openLog } from '@lockstep/server/open-log';
import { OperatorError } from '@lockstep/server/operator-error';
import { findTimezoneFolder, useTimezoneData } from '@lockstep/server/timezone-data';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatDescription } from '../format-description.ts';
import { clockYears, readClockTime } from './clock.ts';
import { describeSandbox } from './describe-sandbox.ts';
import { type ScenarioChoice, ScenarioFault, scenarioNames } from './sandbox.ts';

/** Beside those of the demo, wherever it is started from. */
const defaultKeyFile = relative(process.cwd(), join(import.meta.dirname, '../../.lockstep/mock-keys.json'));

const callbackWarning = 'The service refuses it: there only https callbacks can be registered.';

const exitCodes = { fine: 0, wrongUse: 2 } as const;

const program = new Command('lockstep-mock')
  .description(
    'The sandbox: the service on a store in memory, with simulated bridges and locks. It remembers until it is reset or stopped, and gives every documented answer on demand.',
  )
  .addOption(
    new Option('-p, --port <number>', 'port to listen on, 0 for any free one')
      .env('PORT')
      .argParser(readPort)
      .default(8090),
  )
  .option('--host <address>', 'interface to listen on', '127.0.0.1')
  .addOption(
    new Option('--public-origin <origin>', 'address that clients use (default: http://localhost and the port)')
      .env('PUBLIC_ORIGIN')
      .argParser(readOrigin),
  )
  .option('--key-file <path>', 'keys that sign tokens, made where there is no such file', defaultKeyFile)
  .option(
    '--loopback-callback <url...>',
    'let partners be called back at an http address of this machine; the service itself takes https alone',
    readLoopbackCallback,
    [],
  )
  .option(
    '--scenario <name or file>',
    `what it begins with: ${scenarioNames.join(', ')}, or a JSON file as lockstep-server import reads it`,
    'demo',
  )
  .option(
    '--clock <time>',
    `what its clock says at the start, ${clockYears}, as 2026-06-01T12:00:00Z (default: the present)`,
    readTime,
  )
  .option(
    '--open-control',
    'let other machines drive it under /_sandbox, too: whoever reaches it can read its secrets and reset it',
    false,
  )
  .option('--json', 'print addresses, clients, owners and sample calls as one line of JSON, once ready', false)
  .addHelpText(
    'after',
    '\nLeft beside the key file: mock-access.json, secrets and passwords in clear, for this user alone (0600) and npm run -s token.\nEnvironment: LOG_LEVEL (default warn; info logs every request, never bodies).\nExit codes: 0 stopped, also while it starts; 2 wrong usage, port taken, unusable key file, scenario or contract.',
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse));

program.parse();
const { port, host, publicOrigin, json, keyFile, loopbackCallback, scenario, clock, openControl } = program.opts<{
  port: number;
  host: string;
  publicOrigin?: string;
  json: boolean;
  keyFile: string;
  loopbackCallback: readonly string[];
  scenario: string;
  clock?: number;
  openControl: boolean;
}>();

// Lines that nobody reads any more, as of `npm run mock | head -1`, are no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  useTimezoneData(findTimezoneFolder(process.env));
  const { logger, end } = openLog(process.env.LOG_LEVEL ?? 'warn', 2);
  await runUntilStopped(logger, async (stopping) => {
    // Most of what has to be loaded; a signal is heard already. Prism is loaded when an answer is first asked for.
    const { startSandbox } = await import('./start-sandbox.ts');
    const mock = await startSandbox({
      port,
      host,
      publicOrigin,
      logger,
      keyFile,
      loopbackCallbacks: loopbackCallback,
      scenario: readScenarioChoice(scenario),
      startAt: clock,
      isControlOpen: openControl,
      stopping,
    });
    const access = describeAccess(mock);
    await leaveAccess(join(dirname(keyFile), 'mock-access.json'), access);
    const description = describeSandbox(mock.origin, access);
    for (const url of loopbackCallback)
      process.stderr.write(`Partners can be called back at ${url}. ${callbackWarning}\n`);
    const text = json
      ? JSON.stringify({ ...access, ...description })
      : formatDescription(description, formatAccess(access)).join('\n');
    process.stdout.write(`${text}\n`);
    return mock;
  });
  await end();
  process.exit(exitCodes.fine);
} catch (error) {
  const reason =
    explainListen(error, { host, port }) ??
    `The mock did not start: ${explainScenario(error) ?? describeFailure(error).text}`;
  process.stderr.write(`${reason}\n`);
  process.exit(exitCodes.wrongUse);
}

function readPort(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return value;
}

function readTime(text: string): number {
  const at = readClockTime(text);
  if (at === undefined)
    throw new InvalidArgumentError(`a time is one ${clockYears} with its offset, written as 2026-06-01T12:00:00Z.`);
  return at;
}

/** Its faults with the file that they are in. */
function explainScenario(error: unknown): string | undefined {
  if (!(error instanceof ScenarioFault)) return undefined;
  return error.faults.map((fault) => `${scenario}: ${fault}`).join('\n');
}

/** A name where there is one, else a file; what the file says is judged with the scenario. */
function readScenarioChoice(text: string): ScenarioChoice {
  const name = scenarioNames.find((one) => one === text);
  if (name !== undefined) return { name };
  try {
    const file = JSON.parse(readFileSync(text, 'utf8'));
    // As the control takes it, too.
    return { import: isObject(file) && Object.keys(file).join() === 'import' ? file.import : file };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says =
      code === 'ENOENT'
        ? `--scenario ${text}: there is no such file, and of scenarios ${describeUnknown(text, text, scenarioNames).says}`
        : `--scenario ${text} cannot be read: ${message}`;
    throw new OperatorError(says, { cause: error });
  }
}

function readLoopbackCallback(text: string, before: readonly string[]): readonly string[] {
  if (!isLoopbackCallback(text))
    throw new InvalidArgumentError(
      'a callback of this machine is http://localhost[:port]/…, 127.0.0.1 or [::1], static.',
    );
  return [...before, text];
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, ''))
    throw new InvalidArgumentError('an origin is http(s)://host[:port] without a path.');
  return url.origin;
}

function formatAccess({ clients, owners }: DemoAccess): string[] {
  return [
    ...(clients.length === 0 ? [] : ['', 'Clients, with secret and account', ...formatClients({ clients })]),
    ...(owners.length === 0 ? [] : ['', ...formatOwners({ owners })]),
  ];
}

/** Nothing but a help for programs beside the mock, which does without where its folder is read-only. */
async function leaveAccess(path: string, access: DemoAccess): Promise<void> {
  try {
    await writeAccessFile(path, access);
  } catch (error) {
    process.stderr.write(
      `${path} cannot be written, so npm run -s token -- --mock does not know this mock: ${error}\n`,
    );
  }
}
