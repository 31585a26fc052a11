import { checks as allChecks } from '../checks/checks.ts';
import type { Operation } from '../contract/contract.ts';
import { counted, printable, printableJson } from '../contract/printable.ts';
import { planPhases } from '../phases/plan-phases.ts';
import { selectOperations } from '../plan/plan.ts';
import { countCells, formatProof } from '../prove/format-proof.ts';
import { createProof, families, type Proof } from '../prove/proof.ts';
import { refuseToSend } from '../run/prepare-run.ts';
import type { RunResult } from '../run/run.ts';
import { exitCodes } from '../run/verdict.ts';
import { chooseLedger, framesOf, isAddress, prepareRun, usageError, waitIfAsked } from './commands.ts';
import type { RawOptions } from './options.ts';
import { describeStart, type RunSignals, type Streams, watchRun } from './watch-run.ts';

/**
 * Runs the plan once, and proves that the run could have failed: it injects faults into the recorded answers, and judges them again.
 *
 * @returns the exit code: 0 every injected fault is reported; 1 one is not; 2 or 130 as of a run, if the run itself proves nothing
 */
export async function proveCommand(raw: RawOptions, streams: Streams, signals: RunSignals): Promise<number> {
  const prepared = await prepareRun(raw, streams, signals);
  if (typeof prepared === 'number') return prepared;
  const { values, run, contract, config } = prepared;
  const { file: ledger, fault } = await chooseLedger(values);
  if (fault !== undefined) {
    streams.error.write(`${fault}\n`);
    return usageError;
  }
  streams.error.write(`${describeStart(contract, run, config.text === undefined ? undefined : config.file)}\n`);
  if (!isAddress(values.contract)) {
    const exitCode = await waitIfAsked(values, run.tls, streams, signals);
    if (exitCode !== undefined) return exitCode;
  }
  const { selected } = selectOperations(contract.operations, run.selection);
  const sent = selected.filter((operation) => refuseToSend(contract, operation, run) === undefined);
  const checks = allChecks.filter(({ name }) => run.checks.length === 0 || run.checks.includes(name));
  const proof = createProof(contract, checks, run.permissions);
  const events = { onTrace: proof.onTrace };
  const result = await watchRun({ contract, run: { ...run, ledger }, events, streams, signals, plan: planPhases });
  if (result.failure !== undefined) streams.error.write(`${framesOf(result.failure)}\n`);
  const isProof = result.verdict === 'passed' || result.verdict === 'defects';
  const done = isProof ? proof.conclude(sent, explainOpen(result)) : { operations: [], passThrough: [] };
  const notSent = selected.length - sent.length;
  streams.out.write(
    values.json ? `${printableJson(describeProof(done, result), 2)}\n` : formatResult(done, result, notSent),
  );
  if (!isProof) return exitCodes[result.verdict];
  return countCells(done).missed + done.passThrough.length > 0 ? exitCodes.defects : exitCodes.passed;
}

/** Why the run has no answer to the probes of a check. */
function explainOpen({ obligations }: RunResult): (operation: Operation, check: string) => string | undefined {
  return ({ id }, check) =>
    obligations.find((one) => one.operation === id && one.check === check && one.state === 'not reached')?.reason;
}

function describeProof(proof: Proof, { title, baseUrl, seed, now, verdict, message, fix, requests }: RunResult) {
  return {
    ...{ title, baseUrl, seed, now, requests, run: { verdict, message, fix } },
    families: families.map(({ name, about }) => ({ name, about })),
    counts: countCells(proof),
    ...proof,
  };
}

function formatResult(proof: Proof, { verdict, message, fix, requests, findings }: RunResult, notSent: number): string {
  if (verdict !== 'passed' && verdict !== 'defects')
    return `${printable(message)}\n${fix === undefined ? '' : `  ${printable(fix)}\n`}The run proves nothing, so no fault was injected.\n`;
  const defects = findings.filter(({ severity }) => severity === 'defect').length;
  const notes = [
    ...(defects === 0 ? [] : [`The run itself found ${counted(defects, 'defect')}: a run without prove prints them.`]),
    ...(notSent === 0 ? [] : [`Not in the table: ${counted(notSent, 'operation')} that the options exclude.`]),
    `${counted(requests, 'request')} of one run; injected faults need none.`,
  ];
  return `${formatProof(proof)}${notes.join('\n')}\n`;
}
