import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { countFolded, type Report } from './fold-reports.ts';
import type { SecurityScheme } from './operations.ts';
import { type Command, type Login, virtual } from './servers.ts';
import { runToEnd } from './start-foreign.ts';

export type Tool = 'lockstep' | 'schemathesis';

/** The input of a tool. */
export interface Task {
  /** The contract, as a file. */
  readonly contract: string;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly baseUrl: string;
  readonly login: Login;
  readonly seconds: number;
  /** A second bound of the budget, which the peer does not have. */
  readonly requests?: number;
  readonly seed: number;
  /** The file that starts our runner. */
  readonly runner: string;
  /** Where its reports go. */
  readonly folder: string;
}

/** A finished run, by the tool's own report. */
export interface ToolRun {
  readonly exitCode: number | null;
  /** Defects, or unique failures, as the tool counts them. */
  readonly reports: number;
  /** Findings that the tool lists as uncertain. */
  readonly inconclusive: number;
  /** Of both, those that are left when one of a kind counts. */
  readonly folded: number;
  /** Reports by what they are about. */
  readonly kinds: Readonly<Record<string, number>>;
}

export const runTool: Readonly<Record<Tool, (task: Task, signal: AbortSignal) => Promise<ToolRun>>> = {
  lockstep: runLockstep,
  schemathesis: runSchemathesis,
};

/** One report of ours, as its JSON has it. */
export interface Finding {
  readonly id: string;
  readonly check: string;
  readonly severity: 'defect' | 'suspect';
  readonly operation: string;
  readonly operations: readonly string[];
  readonly pointer: string;
  readonly clause?: string;
  readonly message: string;
  readonly sent: string;
  readonly answered: string;
  readonly curl: string;
  readonly detectedAtRequest: number;
  readonly detectedAtMs: number;
  readonly occurrences: readonly {
    /** Equal for the same check, operation and place, in every run. */
    readonly fingerprint: string;
    readonly operation: string;
    readonly place: string;
    readonly pointer: string;
  }[];
}

export async function readFindings(folder: string): Promise<readonly Finding[]> {
  return JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')).findings;
}

async function runLockstep(task: Task, signal: AbortSignal): Promise<ToolRun> {
  const { contract, baseUrl, login, seconds, requests, seed, runner, folder } = task;
  const budget = requests === undefined ? `${seconds}s` : `${requests}req,${seconds}s`;
  const command: Command = {
    file: process.execPath,
    args: [
      runner,
      ...['--contract', contract, '--base-url', baseUrl, '--writes', 'all'],
      ...['--budget', budget, '--seed', String(seed), '--report', 'json,console,har', '--out', folder],
      ...(login.token === undefined ? [] : ['--token', login.token]),
      ...Object.entries(login.credentials ?? {}).flatMap(([name, value]) => ['--credential', `${name}=${value}`]),
      ...(login.secondToken === undefined ? [] : ['--second-token', login.secondToken]),
      ...Object.entries(login.secondCredentials ?? {}).flatMap(([name, value]) => [
        ...['--second-credential', `${name}=${value}`],
      ]),
      ...(login.headers ?? []).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ],
  };
  const exitCode = await runToEnd(command, folder, join(folder, 'tool.log'), signal);
  const findings = await readFindings(folder);
  const defects = findings.filter(({ severity }) => severity === 'defect');
  const kinds = countBy(defects.map(({ check }) => check));
  const folded = countFolded(findings.map(asReport));
  return { exitCode, reports: defects.length, inconclusive: findings.length - defects.length, folded, kinds };
}

function asReport({ check, message, answered }: Finding): Report {
  const [status = '', ...rest] = answered.split(' ');
  return { kind: check, status: Number(status) || 0, message, body: rest.join(' ') };
}

/** The program of the peer, as `install.sh` installs it. */
export const peerProgram = virtual('schemathesis', 'st');

/** As its benchmarking guide has it. */
export const guideOptions: readonly string[] = [
  ...['--continue-on-failure', '--no-shrink', '--suppress-health-check', 'all', '--generation-database', 'none'],
];

/** With all its phases and checks, as its benchmarking guide and its manual of credentials have it. */
async function runSchemathesis(task: Task, signal: AbortSignal): Promise<ToolRun> {
  const { contract, schemes, baseUrl, login, seconds, seed, folder } = task;
  await writeFile(join(folder, 'schemathesis.toml'), credentialsOf(schemes, login));
  // Its config knows no oauth2; its manual gives those a header.
  const isBearer = Object.values(schemes).some(({ type }) => type === 'oauth2' || type === 'openIdConnect');
  const headers = [
    ...(login.headers ?? []),
    ...(login.token !== undefined && isBearer ? [['Authorization', `Bearer ${login.token}`] as const] : []),
  ];
  const command: Command = {
    file: peerProgram,
    args: [
      ...['run', contract, '--url', baseUrl, '--max-time', String(seconds), '--seed', String(seed)],
      ...[...guideOptions, '--workers', 'auto'],
      ...['--report', 'json,ndjson', '--report-dir', folder, '--no-color'],
      ...headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ],
  };
  const exitCode = await runToEnd(command, folder, join(folder, 'tool.log'), signal);
  const file = (await readdir(folder)).find((name) => name.startsWith('json-'));
  if (file === undefined) return { exitCode, reports: 0, inconclusive: 0, folded: 0, kinds: { 'no report': 1 } };
  const { test_cases: cases, failures } = JSON.parse(await readFile(join(folder, file), 'utf8')) as PeerReport;
  const kinds = Object.fromEntries(failures.map(({ code, title, count }) => [`${code} ${title}`, count]));
  const events = (await readdir(folder)).find((name) => name.startsWith('ndjson-'));
  const folded = events === undefined ? 0 : countFolded(await readPeerFailures(join(folder, events)));
  return { exitCode, reports: cases.unique_failures, inconclusive: 0, folded, kinds };
}

async function readPeerFailures(file: string): Promise<Report[]> {
  const failures: Report[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    for (const { name, message, status, body } of listFailedChecks(readRecorder(line)))
      failures.push({ kind: name, status, message, body });
  }
  return failures;
}

/** Requests of the peer in one scenario, with its checks of the answers, both by the id of the request. */
export interface PeerRecorder {
  readonly checks?: Readonly<
    Record<
      string,
      readonly {
        readonly name: string;
        readonly failure_info?: { readonly failure: { readonly type: string; readonly message: string } };
      }[]
    >
  >;
  readonly cases?: Readonly<Record<string, { readonly value: { readonly method: string; readonly path: string } }>>;
  readonly interactions?: Readonly<
    Record<
      string,
      {
        /** Seconds of the epoch. */
        readonly timestamp: number;
        readonly response?: { readonly status_code: number; readonly content?: { readonly $base64: string } };
      }
    >
  >;
}

interface PeerEvent {
  readonly ScenarioFinished: { readonly recorder: PeerRecorder };
}

/** @param line of the NDJSON report. @returns an empty recorder for an event that has none */
export function readRecorder(line: string): PeerRecorder {
  return line.startsWith('{"ScenarioFinished"') ? (JSON.parse(line) as PeerEvent).ScenarioFinished.recorder : {};
}

/** A check of the peer that failed. */
export interface FailedCheck extends Omit<Report, 'kind'> {
  readonly name: string;
  readonly type: string;
  /** The id of the request in its recorder. */
  readonly request: string;
}

export function listFailedChecks({ checks = {}, interactions = {} }: PeerRecorder): FailedCheck[] {
  return Object.entries(checks).flatMap(([request, checked]) => {
    const response = interactions[request]?.response;
    const body = Buffer.from(response?.content?.$base64 ?? '', 'base64').toString();
    return checked.flatMap(({ name, failure_info: info }) =>
      info == null ? [] : [{ name, ...info.failure, request, status: response?.status_code ?? 0, body }],
    );
  });
}

interface PeerReport {
  readonly test_cases: { readonly unique_failures: number };
  readonly failures: readonly { readonly code: string; readonly title: string; readonly count: number }[];
}

function credentialsOf(schemes: Readonly<Record<string, SecurityScheme>>, { token, credentials = {} }: Login): string {
  return Object.entries(schemes)
    .flatMap(([name, { type, scheme }]) => {
      const key = type === 'apiKey' ? 'api_key' : type === 'http' && scheme === 'bearer' ? 'bearer' : undefined;
      const value = credentials[name] ?? token;
      if (key === undefined || value === undefined) return [];
      return [`[auth.openapi.${JSON.stringify(name)}]\n${key} = ${JSON.stringify(value)}\n`];
    })
    .join('\n');
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
