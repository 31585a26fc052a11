import { existsSync, statSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { checks as allChecks } from '../checks/checks.ts';
import { type Contract, ContractError } from '../contract/contract.ts';
import { counted, messageOf, printable, printableJson, printableParts } from '../contract/printable.ts';
import { readContractFile } from '../contract/read-contract.ts';
import { placeOperations, serversOf, unknownServers } from '../contract/servers.ts';
import { createProxyFetch } from '../execute/proxy.ts';
import { formatFinding } from '../failures/finding.ts';
import { groupLeft, nameLeft } from '../ledger/clean-up.ts';
import { LedgerError, readLedger } from '../ledger/ledger.ts';
import { phases } from '../phases/phase.ts';
import { planPhases } from '../phases/plan-phases.ts';
import { orderOperations, planObligations, selectOperations } from '../plan/plan.ts';
import { formatNotTested } from '../reports/console.ts';
import { showOnGitHub } from '../reports/github-actions.ts';
import { reports } from '../reports/reports.ts';
import { cleanLedger } from '../run/clean-up-run.ts';
import { describeExcluded, describeUnsent } from '../run/not-tested.ts';
import { refuseToSend } from '../run/prepare-run.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { exitCodes, RunnerFailure } from '../run/verdict.ts';
import { readAccounts } from './accounts.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { type OptionValues, type RawOptions, readOptions, suggest } from './options.ts';
import { type Outputs, openOutputs } from './outputs.ts';
import { readClientCertificate, trustAuthorities, waitForTarget } from './target.ts';
import { refuseToUpdate, updateKnown } from './update-known.ts';
import { describeStart, type RunSignals, type Streams, showCleanUp, watchRun } from './watch-run.ts';

export interface Prepared {
  readonly values: OptionValues;
  readonly run: RunOptions;
  readonly contract: Contract;
  readonly config: ConfigFile;
}

export const usageError = 2;

/**
 * Reads options and contract.
 *
 * @param signals undefined for a command that sends nothing
 * @param defaults options that neither the command line nor the config file contains
 * @returns the exit code if anything is wrong, after the faults were printed
 */
export async function prepareRun(
  given: RawOptions,
  streams: Streams,
  signals: RunSignals | undefined,
  defaults: RawOptions = {},
): Promise<Prepared | number> {
  const refuse = (...message: readonly string[]): number => {
    streams.error.write(`${message.join('\n')}\n`);
    return usageError;
  };
  const config = await readConfigFile(
    typeof given.config === 'string' ? given.config : undefined,
    given.updateKnown === true,
  );
  if (config.faults.length > 0) return refuse(...config.faults.map(printable));
  const labelOf = (name: string) => (Object.hasOwn(given, name) ? undefined : config.labelOf(name));
  const { values, faults } = readOptions({ ...defaults, ...config.options, ...given }, signals !== undefined, labelOf);
  if (faults.length > 0)
    return refuse(...faults, ...(values.contract === undefined ? ['(--help shows every option)'] : []));
  const missing = values.allowFiles.filter((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing.length > 0) return refuse(...missing.map((folder) => `--allow-files ${folder} is not a folder.`));
  const unreadable: string[] = [];
  await trustAuthorities(values, unreadable);
  const tls = await readClientCertificate(values, unreadable);
  if (unreadable.length > 0) return refuse(...unreadable);
  // The deployment may serve its own contract, so the wait comes before reading it.
  if (signals !== undefined && isAddress(values.contract)) {
    const exitCode = await waitIfAsked(values, tls, streams, signals);
    if (exitCode !== undefined) return exitCode;
  }
  let contract: Contract;
  try {
    const given = values.contract ?? '';
    contract = {
      ...(await readContractFile(given, {
        ...values,
        request: values.proxy === undefined ? fetch : createProxyFetch(values.proxy),
      })),
      file: displayName(given),
    };
  } catch (error) {
    if (error instanceof ContractError)
      return refuse(error.message.replaceAll(values.contract ?? '', () => displayName(values.contract ?? '')));
    throw error;
  }
  const [unknownServer] = unknownServers(contract, values.server);
  if (unknownServer !== undefined) {
    const known = serversOf(contract);
    const hint = `${suggest(unknownServer, known)} There are: ${known.join(', ') || 'none'}.`;
    return refuse(printable(`--server ${unknownServer}: the contract has no such server.${hint}`));
  }
  contract = placeOperations(contract, values.baseUrl ?? '', values.server);
  const { operations } = contract;
  const deprecated = values.excludeDeprecated ? operations.filter(({ isDeprecated }) => isDeprecated) : [];
  const selection = { only: values.operation, exclude: [...values.exclude, ...deprecated.map(({ id }) => id)] };
  const { unknown, selected } = selectOperations(operations, selection);
  const ids = operations.map(({ id }) => id);
  if (unknown.length > 0) return refuse(printable(describeUnknown(unknown, ids)));
  if (selected.length === 0) return refuse('--operation and --exclude select no operation: exclude fewer.');
  const accounts = await readAccounts(values, contract);
  if (accounts.faults.length > 0) return refuse(...accounts.faults.map(printable));
  const { baseUrl = 'http://localhost', authUrl, proxy, budget, seed, now, workers, readOnly, writes } = values;
  const run: RunOptions = {
    ...{ baseUrl, authUrl, tls, proxy, selection, budget, seed, now, workers },
    credentials: accounts.own,
    second: accounts.second,
    permissions: { effects: values.allowEffects, readOnly, writes },
    checks: values.check,
    phases: values.phase,
    ratePerSecond: values.rate ?? (readOnly ? 5 : undefined),
    timeoutMs: values.timeout,
    maxWaitMs: values.maxWait,
    slowMs: values.slow,
    headers: values.header,
    known: config.known,
  };
  return { values, run, contract, config };
}

/** A message with the nearest names, and all names if they are few. */
function describeUnknown(unknown: readonly string[], names: readonly string[]): string {
  const nearest = new Set(unknown.map((name) => closest(name, [...names])));
  const all = names.length > 20 ? `The plan command lists all ${names.length}.` : `There are: ${names.join(', ')}.`;
  return `No operation is called ${unknown.join(', ')}. Did you mean ${[...nearest].join(', ')}? ${all}`;
}

/** Tests a deployment, prints and writes the reports. @returns the exit code */
export async function runCommand(raw: RawOptions, streams: Streams, signals: RunSignals): Promise<number> {
  const prepared = await prepareRun(raw, streams, signals);
  if (typeof prepared === 'number') return prepared;
  const { values, run, contract, config } = prepared;
  const outputs =
    (values.updateKnown ? await refuseToUpdate(config) : undefined) ?? (await openOutputs(values, streams.out));
  if (typeof outputs === 'string') {
    streams.error.write(`${outputs}\n`);
    return usageError;
  }
  const { file: ledger, fault: ledgerFault } = await chooseLedger(values);
  if (ledgerFault !== undefined) {
    streams.error.write(`${ledgerFault}\n`);
    return usageError;
  }
  streams.error.write(`${describeStart(contract, run, config.text === undefined ? undefined : config.file)}\n`);
  if (!isAddress(values.contract)) {
    const exitCode = await waitIfAsked(values, run.tls, streams, signals);
    if (exitCode !== undefined) return exitCode;
  }
  outputs.start(contract, run);
  const events: RunEvents = {
    ...outputs.events,
    onFinding: (finding) => {
      outputs.events.onFinding?.(finding);
      if (streams.error.isTTY === true) streams.error.write(`${formatFinding(finding).split('\n')[0]}\n`);
    },
  };
  const result = await watchRun({ contract, run: { ...run, ledger }, events, streams, signals });
  return finishRun(result, outputs, prepared, streams, signals);
}

/** Prints a result and writes its reports. @returns the exit code */
export async function finishRun(
  result: RunResult,
  outputs: Outputs,
  { values, config, contract }: Prepared,
  streams: Streams,
  { failed }: RunSignals,
): Promise<number> {
  if (result.failure !== undefined) streams.error.write(`${framesOf(result.failure)}\n`);
  const judged = failed.aborted ? exitCodes.failed : exitCodeOf(result, values);
  const { exitCode, faults } = await outputs.finish(result, { exitCode: judged, contract });
  const console = values.events === '-' ? streams.error : streams.out;
  console.write(reports[values.json ? 'json' : 'console'].format(result));
  for (const fault of faults) streams.error.write(`${fault}\n`);
  await showOnGitHub(result, process.env, streams.error);
  if (!values.updateKnown || failed.aborted || exitCode !== judged) return exitCode;
  if (result.verdict !== 'passed' && result.verdict !== 'defects') {
    streams.error.write(`--update-known: ${config.file} was not written, as this run proves nothing.\n`);
    return exitCode;
  }
  const accepted = result.findings.filter(({ severity }) => severity === 'defect' || values.failOn.includes('suspect'));
  const { isDone, lines } = await updateKnown(config, accepted, result);
  streams.error.write(`${lines.map(printable).join('\n')}\n`);
  return isDone ? exitCodeOf({ ...result, verdict: 'passed', findings: [] }, values) : usageError;
}

/** The file of the ledger, which must not exist; none for a run that writes nothing. */
export async function chooseLedger({
  ledger,
  out,
  readOnly,
}: OptionValues): Promise<{ readonly file?: string; readonly fault?: string }> {
  if (readOnly) return {};
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const file = ledger ?? join(out, `ledger-${time}-${process.pid}.ndjson`);
  if (existsSync(file))
    return {
      fault: `--ledger ${file} exists: undo its writes with clean ${file} and delete it, or name another file.`,
    };
  // The file appears with the first write, so only its nearest folder can be tested now.
  let folder = dirname(resolve(file));
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is no folder`);
    await access(folder, constants.W_OK);
    return { file };
  } catch (error) {
    return { fault: `--ledger ${file} cannot be written: ${messageOf(error)}. Name another file, or add --read-only.` };
  }
}

/** Undoes the writes of a run that was killed, or whose clean-up left some. @returns 0 if nothing is left, 1 if something is */
export async function cleanCommand(
  file: string,
  raw: RawOptions,
  streams: Streams,
  signals: RunSignals,
): Promise<number> {
  const refuse = (message: string): number => {
    streams.error.write(`${printable(message)}\n`);
    return usageError;
  };
  let ledger: Awaited<ReturnType<typeof readLedger>>;
  try {
    ledger = await readLedger(file);
  } catch (error) {
    if (error instanceof LedgerError) return refuse(error.message);
    throw error;
  }
  const prepared = await prepareRun(raw, streams, signals);
  if (typeof prepared === 'number') return prepared;
  const { contract, run, values } = prepared;
  const { title, baseUrl, seed } = ledger.header;
  if (values.readOnly) return refuse('--read-only: a clean-up deletes objects.');
  // The ids of one deployment may name other objects of another one.
  if (baseUrl !== run.baseUrl) return refuse(`${file} is of a run at ${baseUrl}, but --base-url is ${run.baseUrl}.`);
  if (title !== contract.title)
    return refuse(`${file} is of a run with the contract ${title}, but --contract has the title ${contract.title}.`);
  const cleaning = showCleanUp(streams);
  const done = await cleanLedger(
    contract,
    { ...run, ledger: file, seed },
    ledger.lines,
    { onCleanUp: cleaning.show },
    signals.interrupted,
  );
  cleaning.clear();
  const left = nameLeft(groupLeft(done.left)).map(({ text }) => `\n  ${printable(text)}`);
  const text = `${counted(done.undone, 'write')} undone, ${done.left.length} left behind${left.length > 0 ? ':' : '.'}`;
  streams.out.write(values.json ? `${printableJson(done, 2)}\n` : `${text}${left.join('')}\n`);
  if (done.left.length === 0) return 0;
  return signals.interrupted.aborted ? exitCodes.interrupted : exitCodes.defects;
}

/** The contract's file or address for reports, without user and query: these may contain a key. */
function displayName(contract: string): string {
  const address = isAddress(contract) ? URL.parse(contract) : null;
  if (address === null) return contract;
  const user = address.username === '' && address.password === '' ? '' : '…@';
  return `${address.protocol}//${user}${address.host}${address.pathname}${address.search === '' ? '' : '?…'}`;
}

export function isAddress(contract: string | undefined): boolean {
  return /^https?:/i.test(contract ?? '');
}

/** @returns the exit code if the target did not answer, or the wait was interrupted */
export async function waitIfAsked(
  { waitForTarget: withinMs, baseUrl = '', proxy }: OptionValues,
  tls: RunOptions['tls'],
  streams: Streams,
  { interrupted, failed }: RunSignals,
): Promise<number | undefined> {
  if (withinMs === undefined) return undefined;
  const signal = AbortSignal.any([interrupted, failed]);
  const message = await waitForTarget(baseUrl, { withinMs, tls, proxy, stream: streams.error, signal });
  if (interrupted.aborted) return exitCodes.interrupted;
  if (message === undefined) return undefined;
  streams.error.write(`Unreachable: ${baseUrl} did not answer within ${withinMs / 1000} s: ${printable(message)}.\n`);
  return exitCodes.unreachable;
}

/** Stack frames of a failure of the runner, without the message, which may contain data of the deployment. */
export function framesOf(failure: Error): string {
  const cause = failure instanceof RunnerFailure && failure.cause instanceof Error ? failure.cause : failure;
  return (cause.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

function exitCodeOf(result: RunResult, { failOn }: OptionValues): number {
  const isStrict =
    (failOn.includes('suspect') && result.findings.some(({ check }) => check !== 'contract')) ||
    (failOn.includes('warning') && result.warnings.length > 0) ||
    (failOn.includes('unreached') && result.coverage.reached < result.coverage.operations.length);
  return result.verdict === 'passed' && isStrict ? exitCodes.defects : exitCodes[result.verdict];
}

/** Prints the operations in their order with their obligations; sends nothing. */
export async function planCommand(raw: RawOptions, streams: Streams): Promise<number> {
  const prepared = await prepareRun(raw, streams, undefined);
  if (typeof prepared === 'number') return prepared;
  const { contract, run, values } = prepared;
  const { selected } = selectOperations(contract.operations, run.selection);
  const checks = allChecks.filter(({ name }) => run.checks.length === 0 || run.checks.includes(name));
  const expected = planObligations(selected, checks);
  for (const { scenario, probes } of planPhases(contract, selected, () => true, run))
    for (const probe of probes) expected.expect(scenario.operation, probe);
  const planned = expected.close(() => 'nothing was sent');
  const obligations = Map.groupBy(planned, ({ operation }) => operation);
  const rounds = orderOperations(selected).map((round, index) => ({
    round: index + 1,
    operations: round.map((operation) => ({
      operation: operation.id,
      request: `${operation.method.toUpperCase()} ${operation.path}`,
      notSent: refuseToSend(contract, operation, run),
      obligations: (obligations.get(operation.id) ?? []).map(({ check, place }) => `${check}: ${place}`),
    })),
  }));
  const names = { checks: checks.map(({ name }) => name), allChecks: allChecks.map(({ name }) => name) };
  const all = rounds.flatMap(({ operations }) => operations);
  const notTested = [
    ...describeExcluded({ contract, selected, ...names }),
    ...describeUnsent(all.flatMap(({ operation: id, notSent }) => (notSent === undefined ? [] : [{ id, notSent }]))),
  ];
  const summary = `${contract.title}: ${values.phase.map((name) => phases[name].about).join('; ')}: ${counted(all.length, 'operation')} in ${counted(rounds.length, 'round')}, ${counted(planned.length, 'obligation')}. Nothing is sent.`;
  const text = [
    `${printable(summary)}\n\n${formatNotTested(notTested)}\n`,
    ...printableParts(rounds).flatMap(({ round, operations }) => [
      `Round ${round}`,
      ...operations.flatMap(({ operation, request, notSent, obligations: own }) => [
        `  ${operation}   ${request}${notSent === undefined ? '' : `   not sent: ${notSent}`}`,
        ...own.map((one) => `    ${one}`),
      ]),
    ]),
  ];
  streams.out.write(values.json ? `${printableJson({ summary, notTested, rounds })}\n` : `${text.join('\n')}\n`);
  return 0;
}
