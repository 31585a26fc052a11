import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted, printable, printableJson, printableParts } from '../contract/printable.ts';
import { FailureFileError, failureFile, findFailures, readFailures } from '../failures/failure-file.ts';
import { type Replay, type ReplayVerdict, replayFailure } from '../run/replay.ts';
import { exitCodes } from '../run/verdict.ts';
import { chooseLedger, prepareRun, usageError } from './commands.ts';
import { readConfigFile } from './config-file.ts';
import { type RawOptions, readOptions } from './options.ts';
import type { RunSignals, Streams } from './watch-run.ts';

/** The worst verdict of several places is that of the finding. */
const worstFirst: readonly ReplayVerdict[] = ['FAILED', 'FLAKY', 'CANNOT RUN', 'FIXED'];

const codes: Readonly<Record<ReplayVerdict, number>> = { FAILED: 1, FLAKY: 1, 'CANNOT RUN': 2, FIXED: 0 };

/** Sends the requests of a finding again, once for each of its operations. @returns the exit code */
export async function replayCommand(
  id: string,
  raw: RawOptions,
  streams: Streams,
  signals: RunSignals,
): Promise<number> {
  const refuse = (message: string): number => {
    streams.error.write(`${printable(message)}\n`);
    return usageError;
  };
  const file = await chooseFile(raw);
  try {
    const recorded = await readFailures(file);
    const { contract: own, baseUrl, authUrl } = recorded;
    // An address with a secret is not recorded as a whole.
    const defaults = { ...(!/…@|\?…$/.test(own) && { contract: own }), baseUrl, ...(authUrl && { authUrl }) };
    const found = findFailures(recorded, id, file);
    const prepared = await prepareRun(raw, streams, signals, defaults);
    if (typeof prepared === 'number') return prepared;
    const { contract, run, values } = prepared;
    if (contract.title !== recorded.title)
      return refuse(`${file} is of the contract ${recorded.title}, but --contract has the title ${contract.title}.`);
    const { file: ledger, fault } = await chooseLedger(values);
    if (fault !== undefined) return refuse(fault);
    const { interrupted } = signals;
    const options = { ...run, ledger, seed: recorded.seed };
    const isLeft = (): boolean => ledger !== undefined && existsSync(ledger);
    const replays: Replay[] = [];
    try {
      for (const failure of found.failures) {
        if (interrupted.aborted || isLeft()) break;
        const tools = { contract, options, foundAt: Date.parse(recorded.now), interrupted };
        replays.push(await replayFailure(failure, tools));
      }
    } finally {
      if (isLeft())
        streams.error.write(`Some writes are left. Use the same options: clean ${printable(ledger ?? '')}\n`);
    }
    const verdict = worstFirst.find((one) => replays.some((replay) => replay.verdict === one)) ?? 'CANNOT RUN';
    const result = { id: found.id, verdict, baseUrl: run.baseUrl, replays };
    streams.out.write(values.json ? `${printableJson(result, 2)}\n` : formatReplays(printableParts(result)));
    return interrupted.aborted ? exitCodes.interrupted : codes[verdict];
  } catch (error) {
    if (error instanceof FailureFileError) return refuse(error.message);
    throw error;
  }
}

/** The file of `--failures` or `--out`, which the config file may name too. */
async function chooseFile(raw: RawOptions): Promise<string> {
  const config = await readConfigFile(typeof raw.config === 'string' ? raw.config : undefined, false);
  const { failures, out } = readOptions({ ...config.options, ...raw }, false).values;
  return failures ?? join(out, failureFile);
}

interface Result {
  readonly id: string;
  readonly verdict: ReplayVerdict;
  readonly replays: readonly Replay[];
}

function formatReplays({ id, verdict, replays }: Result): string {
  const parts = replays.map(({ check, operation, exchanges, leftBehind, ...own }) =>
    [
      `${check}   ${operation}   ${own.fingerprint}`,
      ...exchanges.flatMap(({ identity, request, answered }, index) => [
        `  ${index + 1}  ${request}${identity === 'own' ? '' : `   (credentials: ${identity})`}`,
        `     ${answered}`,
      ]),
      `  ${own.verdict}: ${own.message}${own.attempts.length > 1 ? `   ${counted(own.attempts.length, 'attempt')}` : ''}`,
      ...leftBehind.map((text) => `  left behind: ${text}`),
    ].join('\n'),
  );
  return `${[...parts, `${verdict}   ${id}`].join('\n\n')}\n`;
}
