import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { explainListen } from '@lockstep/runtime/explain-listen';
import { runUntilStopped } from '@lockstep/runtime/run-until-stopped';
import { describeUnknown } from '@lockstep/runtime/validation/sentence';
import { describeFailure } from '@lockstep/server/commands/describe-failure';
import { type DemoAccess, describeAccess, writeAccessFile } from '@lockstep/server/demo/access-file';
import { formatClients, formatOwners } from '@lockstep/server/demo/format-access';
import { openLog } from '@lockstep/server/open-log';
import { findTimezoneFolder, useTimezoneData } from '@lockstep/server/timezone-data';
import type { Streams } from '@lockstep/shell/command-result';
import { exitCodeOf } from '@lockstep/shell/program';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { formatDescription } from '../format-description.ts';
import { readGiven } from './control/connect.ts';
import { describeSandbox } from './describe-sandbox.ts';
import { type Options, readOptions } from './read-options.ts';
import { type ScenarioChoice, ScenarioFault, scenarioNames } from './sandbox.ts';

const callbackWarning = 'The service itself accepts only https callbacks.';

/**
 * The sandbox as a command.
 *
 * @param args the arguments after the command's name
 * @param streams for its output; its log goes to the streams of the process
 * @param untilStopped by default, runs until a signal of the process
 * @returns the exit code: 0 stopped, also during its start; 2 wrong usage, or a start that failed
 */
export async function serveSandbox(
  args: readonly string[],
  streams: Streams,
  untilStopped: typeof runUntilStopped = runUntilStopped,
): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args, streams);
  } catch (error) {
    const ended = exitCodeOf(error);
    if (ended === undefined) throw error;
    return ended;
  }
  const { port, host, publicOrigin, json, keyFile, loopbackCallback, scenario, clock, openControl } = options;
  try {
    useTimezoneData(findTimezoneFolder(process.env));
    const { logger, end } = openLog(process.env.LOG_LEVEL ?? 'warn', 2);
    await untilStopped(logger, async (stopping) => {
      // The slow import: signals are handled from here on. Prism is loaded with the first answer that needs it.
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
      await leaveAccess(join(dirname(keyFile), 'mock-access.json'), access, streams);
      const description = describeSandbox(mock.origin, access);
      for (const url of loopbackCallback)
        streams.error.write(`Partners may use the callback ${url}. ${callbackWarning}\n`);
      const text = json
        ? JSON.stringify({ ...access, ...description })
        : formatDescription(description, formatAccess(access)).join('\n');
      streams.out.write(`${text}\n`);
      return mock;
    });
    await end();
    return 0;
  } catch (error) {
    const reason =
      explainListen(error, { host, port }) ??
      `The mock did not start: ${explainScenario(error, scenario) ?? describeFailure(error).text}`;
    streams.error.write(`${reason}\n`);
    return 2;
  }
}

/** The faults of a scenario, each with its file. */
function explainScenario(error: unknown, scenario: string): string | undefined {
  if (!(error instanceof ScenarioFault)) return undefined;
  return error.faults.map((fault) => `${scenario}: ${fault}`).join('\n');
}

/** A name of a scenario, or else a file. The content of the file is validated with the scenario. */
function readScenarioChoice(text: string): ScenarioChoice {
  const name = scenarioNames.find((one) => one === text);
  if (name !== undefined) return { name };
  try {
    return readGiven(JSON.parse(readFileSync(text, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? `--scenario ${text}: there is no such file, and as a scenario ${describeUnknown(text, text, scenarioNames).says}`
        : `--scenario ${text} cannot be read: ${message}`;
    throw new WrongUse(reason, { cause: error });
  }
}

function formatAccess({ clients, owners }: DemoAccess): string[] {
  return [
    ...(clients.length === 0 ? [] : ['', 'Clients, with secret and account', ...formatClients({ clients })]),
    ...(owners.length === 0 ? [] : ['', ...formatOwners({ owners })]),
  ];
}

/** Other programs read this file, but the mock also works without it, in a read-only folder. */
async function leaveAccess(path: string, access: DemoAccess, { error: errors }: Streams): Promise<void> {
  try {
    await writeAccessFile(path, access);
  } catch (error) {
    errors.write(`${path} cannot be written, so npm run -s token -- --mock does not know this mock: ${error}\n`);
  }
}
