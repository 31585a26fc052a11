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

const callbackWarning = 'The service refuses it: there only https callbacks can be registered.';

/**
 * The sandbox as a command.
 *
 * @param args what stands behind its name
 * @param streams what it prints to; its log goes to the process's own
 * @param untilStopped by the signals of the process when left out
 * @returns the exit code: 0 stopped, also while it starts; 2 wrong usage, or something that keeps it from starting
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
      await leaveAccess(join(dirname(keyFile), 'mock-access.json'), access, streams);
      const description = describeSandbox(mock.origin, access);
      for (const url of loopbackCallback)
        streams.error.write(`Partners can be called back at ${url}. ${callbackWarning}\n`);
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

/** Its faults with the file that they are in. */
function explainScenario(error: unknown, scenario: string): string | undefined {
  if (!(error instanceof ScenarioFault)) return undefined;
  return error.faults.map((fault) => `${scenario}: ${fault}`).join('\n');
}

/** A name where there is one, else a file; what the file says is judged with the scenario. */
function readScenarioChoice(text: string): ScenarioChoice {
  const name = scenarioNames.find((one) => one === text);
  if (name !== undefined) return { name };
  try {
    return readGiven(JSON.parse(readFileSync(text, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says =
      code === 'ENOENT'
        ? `--scenario ${text}: there is no such file, and of scenarios ${describeUnknown(text, text, scenarioNames).says}`
        : `--scenario ${text} cannot be read: ${message}`;
    throw new WrongUse(says, { cause: error });
  }
}

function formatAccess({ clients, owners }: DemoAccess): string[] {
  return [
    ...(clients.length === 0 ? [] : ['', 'Clients, with secret and account', ...formatClients({ clients })]),
    ...(owners.length === 0 ? [] : ['', ...formatOwners({ owners })]),
  ];
}

/** Nothing but a help for programs beside the mock, which does without where its folder is read-only. */
async function leaveAccess(path: string, access: DemoAccess, { error: errors }: Streams): Promise<void> {
  try {
    await writeAccessFile(path, access);
  } catch (error) {
    errors.write(`${path} cannot be written, so npm run -s token -- --mock does not know this mock: ${error}\n`);
  }
}
