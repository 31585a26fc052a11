import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Contract } from '../contract/contract.ts';
import { memberOf } from '../contract/document.ts';
import { messageOf } from '../contract/printable.ts';
import { type FailureFile, failureFile } from '../failures/failure-file.ts';
import { createEventStream } from '../reports/events.ts';
import { type GrowingFile, openGrowingFile } from '../reports/growing-file.ts';
import { createHar } from '../reports/har.ts';
import { harFile, reports } from '../reports/reports.ts';
import type { ReportContext } from '../reports/sarif.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { exitCodes } from '../run/verdict.ts';
import type { OptionValues } from './options.ts';

export interface Outputs {
  /** Called when the run begins. */
  readonly start: (contract: Contract, options: RunOptions) => void;
  /** Writes the files that grow during the run. */
  readonly events: RunEvents;
  /**
   * Writes the reports, and completes the files that grew.
   *
   * @returns the exit code, which is that of a failure if a file could not be written, and the reasons
   */
  readonly finish: (
    result: RunResult,
    context: Pick<ReportContext, 'exitCode' | 'contract'>,
  ) => Promise<{ readonly exitCode: number; readonly faults: readonly string[] }>;
}

/**
 * Opens the outputs before the first request, not after an hour of them.
 *
 * @param standardOutput for `--events -`
 * @returns why writing is not possible
 */
export async function openOutputs(
  { report, out, events, json, failures = join(out, failureFile) }: OptionValues,
  standardOutput: { write(text: string): unknown },
): Promise<Outputs | string> {
  if (events === '-' && json) return '--json and --events - both use the standard output: give --events a file.';
  let option = `--out ${out}`;
  try {
    if (report.length > 0) {
      await mkdir(out, { recursive: true });
      await access(out, constants.W_OK);
    }
    const ofHar = report.includes('har') ? openGrowingFile(join(out, harFile)) : undefined;
    option = `--events ${events}`;
    const ofEvents = events === undefined ? undefined : openEventFile(events, standardOutput);
    const har = ofHar && createHar(ofHar.write, Date.now());
    const stream = ofEvents && createEventStream(ofEvents.write);
    let head: Omit<FailureFile, 'findings'> | undefined;
    let findings: FailureFile['findings'] = [];
    return {
      start: (contract, options) => {
        stream?.start(contract, options);
        head = headOf(contract, options);
      },
      events: {
        ...stream?.events,
        ...(har && { onExchange: har.add }),
        onFailures: (found) => {
          findings = found;
        },
      },
      finish: async (result, { exitCode, contract }) => {
        const faults: string[] = [];
        const complete = (file: GrowingFile | undefined, name: string): void => {
          const fault = file?.close();
          if (fault !== undefined) faults.push(`${name} is incomplete: ${fault}.`);
        };
        const codeNow = (): number => (faults.length > 0 ? exitCodes.failed : exitCode);
        const written = report.filter((name) => name !== 'har').map((name) => reports[name]);
        const context = { exitCode, contract, failures: findings, root: process.env.GITHUB_WORKSPACE ?? process.cwd() };
        await Promise.all(written.map(({ file, format }) => writeFile(join(out, file), format(result, context)))).catch(
          (error: unknown) => faults.push(describeFault(`--out ${out}`, error)),
        );
        if (findings.length > 0)
          await writeFailures(failures, JSON.stringify({ ...head, findings }, undefined, 1)).catch((error: unknown) =>
            faults.push(describeFault(`--failures ${failures}`, error)),
          );
        har?.end();
        complete(ofHar, `${harFile} in --out ${out}`);
        stream?.end(result, codeNow());
        complete(ofEvents, `--events ${events}`);
        return { exitCode: codeNow(), faults };
      },
    };
  } catch (error) {
    return describeFault(option, error);
  }
}

function headOf(contract: Contract, { baseUrl, authUrl, seed, now }: RunOptions): Omit<FailureFile, 'findings'> {
  const { title, file } = contract;
  return { failures: 2, title, contract: file, baseUrl, authUrl, seed, now: new Date(now).toISOString() };
}

/** The requests may have data of the deployment, so only the user may read them. */
async function writeFailures(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // `mode` holds only for a new file.
  await rm(file, { force: true });
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
}

function openEventFile(path: string, standardOutput: { write(text: string): unknown }): GrowingFile {
  if (path !== '-') return openGrowingFile(path);
  return { write: (text) => void standardOutput.write(text), close: () => undefined };
}

function describeFault(option: string, error: unknown): string {
  const code = memberOf(error, 'code');
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file with this name exists' : messageOf(error);
  return `${option} cannot be written: ${why}.`;
}
