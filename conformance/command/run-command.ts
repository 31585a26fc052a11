import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { type Contract, ContractError } from '../contract/contract.ts';
import { readContractFile } from '../contract/read-contract.ts';
import { formatFinding } from '../failures/finding.ts';
import { selectOperations } from '../plan/select-operations.ts';
import { createLiveProgress } from '../reports/live-progress.ts';
import { reports } from '../reports/reports.ts';
import { type RunResult, runConformance } from '../run/run-conformance.ts';
import { exitCodes } from '../run/verdict.ts';
import type { RawOptions } from './add-options.ts';
import { type CommandOptions, readOptions } from './read-options.ts';

const wrongUse = 2;

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { readonly isTTY?: boolean; write(text: string): unknown };
}

/** Options and contract, or the exit code after the reasons have been printed. */
export async function prepareRun(
  raw: RawOptions,
  streams: Streams,
  needsTarget: boolean,
): Promise<{ readonly options: CommandOptions; readonly contract: Contract } | number> {
  const { options, faults } = readOptions(raw, needsTarget);
  const refuse = (text: string): number => {
    streams.error.write(`${text}\n`);
    return wrongUse;
  };
  if (faults.length > 0) return refuse(faults.join('\n'));
  try {
    const contract = await readContractFile(options.contract);
    const { unknown, selected } = selectOperations(contract.operations, options.run.selection);
    if (unknown.length > 0)
      return refuse(
        `No operation is called ${unknown.join(', ')}. ${suggest(
          unknown,
          contract.operations.map(({ id }) => id),
        )}`,
      );
    if (selected.length === 0) return refuse('--operation and --exclude leave no operation to test.');
    return { options, contract };
  } catch (error) {
    if (error instanceof ContractError) return refuse(error.message);
    throw error;
  }
}

/** The nearest of the names, and all of them where they are few. */
function suggest(unknown: readonly string[], names: readonly string[]): string {
  const nearest = new Set(unknown.map((name) => closest(name, names)));
  const all = names.length > 20 ? `The plan command lists all ${names.length}.` : `There are: ${names.join(', ')}.`;
  return `Did you mean ${[...nearest].join(', ')}? ${all}`;
}

/** Tests a deployment, prints and writes the reports. @returns the exit code */
export async function runCommand(raw: RawOptions, streams: Streams, signal: AbortSignal): Promise<number> {
  const prepared = await prepareRun(raw, streams, true);
  if (typeof prepared === 'number') return prepared;
  const { options, contract } = prepared;
  const { run } = options;
  const effects = run.permissions.effects.join(', ') || 'none';
  const writes = run.permissions.readOnly ? 'read-only' : run.permissions.writes;
  streams.error.write(
    `${contract.title} at ${run.baseUrl}: writes ${writes}, effects ${effects}, seed ${run.seed}, now ${new Date(run.now).toISOString()}\n`,
  );
  const live = createLiveProgress(streams.error);
  const result = await runConformance(
    contract,
    run,
    {
      onProgress: live.show,
      onFinding: (finding) => {
        live.clear();
        if (streams.error.isTTY === true) streams.error.write(`${formatFinding(finding).split('\n')[0]}\n`);
      },
    },
    signal,
  );
  live.clear();
  await writeReports(options, result);
  streams.out.write(reports[options.json ? 'json' : 'console'].format(result));
  return exitCodeOf(result, options);
}

async function writeReports({ reports: names, out }: CommandOptions, result: RunResult): Promise<void> {
  if (names.length === 0) return;
  await mkdir(out, { recursive: true });
  await Promise.all(names.map((name) => writeFile(join(out, reports[name].file), reports[name].format(result))));
}

function exitCodeOf(result: RunResult, { failOn }: CommandOptions): number {
  const isStrict =
    (failOn.includes('suspect') && result.findings.length > 0) ||
    (failOn.includes('warning') && result.warnings.length > 0) ||
    (failOn.includes('unreached') && result.coverage.reached < result.coverage.operations.length);
  return result.verdict === 'passed' && isStrict ? exitCodes.defects : exitCodes[result.verdict];
}
