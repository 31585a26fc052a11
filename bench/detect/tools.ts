import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sentenceOf } from '../foreign/fold-reports.ts';
import {
  guideOptions,
  listFailedChecks,
  type PeerRecorder,
  peerProgram,
  readFindings,
  readRecorder,
} from '../foreign/run-tools.ts';
import { runToEnd } from '../foreign/start-foreign.ts';
import { type Detection, placeKey } from './score.ts';
import { contractOf, type Operations, type Subject } from './subjects.ts';

export type Tool = 'lockstep' | 'schemathesis';

/** A run has so many requests or seconds at most. */
export type Budget = { readonly requests: number } | { readonly seconds: number };

/** One run on a fresh server. */
export interface Task {
  readonly subject: Subject;
  readonly operations: Operations;
  readonly baseUrl: string;
  readonly seed: number;
  readonly budget: Budget;
  readonly profile: Profile;
  /** An empty folder for the reports of the tool. */
  readonly folder: string;
  /** Called now and then with all reports so far; if true, a tool that reports during its run is stopped. */
  readonly isEnough: (detections: readonly Detection[]) => boolean;
  readonly signal: AbortSignal;
}

export interface ToolRun {
  /** `null` if the bench stopped the tool. */
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly detections: readonly Detection[];
}

export const runTool: Readonly<Record<Tool, (task: Task) => Promise<ToolRun>>> = {
  lockstep: runLockstep,
  schemathesis: runSchemathesis,
};

/** Options of the peer. A bound in requests is kept by stopping it; its time only has to suffice. */
export const profiles = {
  /** As it runs without options. */
  default: () => [],
  guide: (seconds) => ['--max-time', String(seconds), ...guideOptions],
  'guide-auto': (seconds) => ['--max-time', String(seconds), ...guideOptions, '--workers', 'auto'],
} as const satisfies Record<string, (seconds: number) => readonly string[]>;

export type Profile = keyof typeof profiles;

const runner = join(import.meta.dirname, '../../conformance/main.ts');
/** Longest run of a tool, in case it hangs. */
const patienceMs = 600_000;
/** Enough for 1,000 requests of the peer: on busy cores it sends as few as 5 a second. */
const peerSeconds = 300;
const pollMs = 250;

let help: string | undefined;

/** @returns the options that give it, none if the runner does not know them */
function expiredTokenOf({ expiredToken }: Subject): readonly string[] {
  help ??= execFileSync(process.execPath, [runner, '--help'], { encoding: 'utf8' });
  return expiredToken === undefined || !help.includes('--expired-token') ? [] : ['--expired-token', expiredToken];
}

async function runLockstep(task: Task): Promise<ToolRun> {
  const { subject, operations, baseUrl, seed, budget, folder } = task;
  const bound = 'requests' in budget ? `${budget.requests}req` : `${budget.seconds}s`;
  const args = [
    ...[runner, '--contract', contractOf(subject), '--base-url', baseUrl, '--writes', 'all'],
    ...[...subject.accounts, ...expiredTokenOf(subject)],
    ...['--budget', bound, '--seed', String(seed), '--report', 'json,console', '--out', folder],
  ];
  const began = performance.now();
  const exitCode = await runBounded({ file: process.execPath, args }, task, new AbortController());
  const seconds = (performance.now() - began) / 1000;
  const report = join(folder, 'report.json');
  if (!existsSync(report)) return { exitCode, seconds, detections: [] };
  const { durationMs } = JSON.parse(readFileSync(report, 'utf8')) as { readonly durationMs: number };
  const startMs = seconds * 1000 - durationMs;
  const detections = (await readFindings(folder)).flatMap((finding) =>
    finding.occurrences.map(({ operation, place, pointer }) => ({
      check: finding.check,
      severity: finding.severity,
      operation: operations.nameOf(operation),
      place: `${place} ${pointer}`,
      atRequest: finding.detectedAtRequest,
      atMs: Math.round(finding.detectedAtMs + startMs),
    })),
  );
  return { exitCode, seconds, detections };
}

async function runSchemathesis(task: Task): Promise<ToolRun> {
  const { subject, baseUrl, seed, budget, profile, folder } = task;
  await writeFile(join(folder, 'auth.json'), JSON.stringify(usersOf(subject)));
  await writeFile(join(folder, 'schemathesis.toml'), settingsOf(subject, folder));
  const seconds = 'seconds' in budget ? budget.seconds : peerSeconds;
  const report = join(folder, 'events.ndjson');
  const args = [
    ...['run', contractOf(subject), '--url', baseUrl, '--seed', String(seed), ...profiles[profile](seconds)],
    ...['--report', 'ndjson', '--report-ndjson-path', report, '--no-color'],
  ];
  const enough = new AbortController();
  const startedAtMs = Date.now();
  let run: { readonly exitCode: number | null; readonly seconds: number } | undefined;
  const finished = runBounded({ file: peerProgram, args }, task, enough).then((exitCode) => {
    run = { exitCode, seconds: (Date.now() - startedAtMs) / 1000 };
  });
  const recorders: PeerRecorder[] = [];
  const readNew = followLines(report);
  for (;;) {
    await Promise.race([finished, delay(pollMs)]);
    const hasFinished = run;
    recorders.push(...readNew().map(readRecorder));
    const detections = detectionsOf(recorders, startedAtMs).filter(
      ({ atRequest, atMs }) =>
        atRequest <= ('requests' in budget ? budget.requests : Number.POSITIVE_INFINITY) &&
        atMs <= ('seconds' in budget ? budget.seconds * 1000 : Number.POSITIVE_INFINITY),
    );
    if (hasFinished !== undefined) return { ...hasFinished, detections };
    if (isPast(recorders, task, startedAtMs) || task.isEnough(detections)) enough.abort();
  }
}

/** A request is reported with its scenario. So a run is stopped after the scenario that goes beyond its budget. */
function isPast(recorders: readonly PeerRecorder[], { budget, profile }: Task, startedAtMs: number): boolean {
  const times = timesOf(recorders);
  if ('requests' in budget) return times.length >= budget.requests;
  // The other profiles stop by themselves.
  return profile === 'default' && (times.at(-1) ?? 0) * 1000 - startedAtMs > budget.seconds * 1000;
}

/**
 * @param stop aborts this run alone. A signal that combines others can be collected as garbage before it aborts, so there is one.
 * @returns the exit code, `null` if the tool was stopped
 * @throws the reason of the signal of the task
 */
async function runBounded(
  command: { readonly file: string; readonly args: readonly string[] },
  { folder, signal }: Pick<Task, 'folder' | 'signal'>,
  stop: AbortController,
): Promise<number | null> {
  signal.throwIfAborted();
  const abort = (): void => stop.abort();
  const timer = setTimeout(abort, patienceMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await runToEnd(command, folder, join(folder, 'tool.log'), stop.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (stop.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** The peer's format of users: Web Fuzzing Commons. */
function usersOf({ users }: Subject): object {
  const auth = Object.entries(users).map(([name, headers]) => ({
    name,
    fixedHeaders: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
  }));
  return { auth };
}

/** Its setting of objects that users must not see of each other, and a credential of one operation. */
function settingsOf({ users, basic }: Subject, folder: string): string {
  const names = Object.keys(users);
  const lines = ['[auth.wfc]', `path = ${JSON.stringify(join(folder, 'auth.json'))}`];
  lines.push(`user = ${JSON.stringify(names[0])}`, `peers = ${JSON.stringify(names)}`);
  if (basic !== undefined) {
    const { path, username, password } = basic;
    const login = `{ username = ${JSON.stringify(username)}, password = ${JSON.stringify(password)} }`;
    lines.push('[[operations]]', `include-path = ${JSON.stringify(path)}`, `auth.basic = ${login}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Each call returns the lines that were added to the file since the call before. */
function followLines(file: string): () => readonly string[] {
  let read = 0;
  return () => {
    if (!existsSync(file)) return [];
    const text = readFileSync(file).subarray(read);
    const end = text.lastIndexOf('\n') + 1;
    read += end;
    return text.subarray(0, end).toString().split('\n').slice(0, -1);
  };
}

/**
 * The peer's report gives the time of each request, and so its number. Of equal reports the first counts.
 *
 * @param startedAtMs when its process started, in milliseconds of the epoch
 */
export function detectionsOf(recorders: readonly PeerRecorder[], startedAtMs: number): readonly Detection[] {
  const times = timesOf(recorders);
  const detections = new Map<string, Detection>();
  for (const recorder of recorders) {
    for (const { name: check, type, request, status, message } of listFailedChecks(recorder)) {
      const { method, path } = recorder.cases?.[request]?.value ?? { method: '', path: '' };
      const time = recorder.interactions?.[request]?.timestamp ?? 0;
      const operation = `${method} ${path}`.trim();
      const place = `${type} ${status} ${sentenceOf(message)}`;
      const key = placeKey({ check, operation, place });
      const atMs = Math.round(time * 1000 - startedAtMs);
      if ((detections.get(key)?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) continue;
      const atRequest = times.indexOf(time) + 1;
      detections.set(key, { check, severity: 'defect', operation, place, atRequest, atMs });
    }
  }
  return [...detections.values()];
}

/** In seconds of the epoch, the earliest first. */
function timesOf(recorders: readonly PeerRecorder[]): readonly number[] {
  return recorders
    .flatMap(({ interactions = {} }) => Object.values(interactions).map(({ timestamp }) => timestamp))
    .toSorted((a, b) => a - b);
}
