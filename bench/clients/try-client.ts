import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fillPlainServers } from '../../docs/reference/fill-servers.ts';
import type { Command, Row } from './rows.ts';

/** The service that the programs call, and what they send. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  /** Whole hours as `Date.toISOString` writes them, the end after the start. */
  readonly start: string;
  readonly end: string;
  /** Absolute path of the contract, as `writeSpec` writes it. */
  readonly spec: string;
}

/** How far a client came. */
export interface Trial {
  readonly name: string;
  readonly generated: boolean;
  /** Undefined where nothing here compiles it; so is `calls` where nothing runs it. */
  readonly compiled?: boolean;
  /** The calls whose answers were read as they are. */
  readonly calls?: readonly string[];
  /** The output of the first command that failed. */
  readonly fault?: string;
}

/** The calls of each program, in this order; one line for each. */
export const calls = ['devices', 'device', 'bridge', 'code', 'job', 'activity', 'error'] as const;

/** A first run of Maven fetches compilers. */
const longestStepMs = 600_000;

/** Generates, compiles and runs one client in a folder of its own, which is emptied before. */
export async function tryClient(row: Row, target: Target, expected: readonly string[]): Promise<Trial> {
  const folder = join(import.meta.dirname, 'dist', row.name);
  const { baseUrl: BASE_URL, token: TOKEN, start: START, end: END, spec: SPEC } = target;
  const env = { ...process.env, BASE_URL, TOKEN, START, END, SPEC };
  const { name } = row;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // This folder is CommonJS: generated code names its own files without an ending.
  await writeFile(join(folder, 'package.json'), '{}');
  const step = async ([program, ...args]: Command): Promise<string> => {
    const given = args.map((arg) => (arg === '$SPEC' ? SPEC : arg));
    const options = { cwd: folder, env, timeout: longestStepMs, maxBuffer: 64 * 2 ** 20 };
    return (await promisify(execFile)(program, given, options)).stdout;
  };
  let trial: Trial = { name, generated: false };
  try {
    for (const [file, program] of Object.entries(row.files ?? {})) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await cp(join(import.meta.dirname, 'programs', program), join(folder, file));
    }
    for (const command of row.generate) await step(command);
    trial = { name, generated: true };
    if (row.compile === undefined) return trial;
    trial = { ...trial, compiled: false };
    for (const command of row.compile) await step(command);
    trial = { ...trial, compiled: true };
    if (row.run === undefined) return trial;
    const lines = (await step(row.run)).trim().split('\n');
    const right = calls.filter((_, index) => lines.includes(expected[index] ?? ''));
    const wrong = lines.filter((line) => !expected.includes(line));
    return { ...trial, calls: right, ...(wrong.length > 0 && { fault: wrong.join('\n') }) };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const lines = stdout.trim().split('\n');
    const right = calls.filter((_, index) => lines.includes(expected[index] ?? ''));
    const said = `${stderr}${stdout}`.trim().slice(0, 2000) || message;
    return { ...trial, ...(trial.compiled && { calls: right }), fault: said };
  }
}

/** The expected output of a program that reads every answer as it is, made of answers that were read without a generator. */
export async function readExpected({ baseUrl, token, start, end }: Target): Promise<readonly string[]> {
  const ask = async (path: string, body?: unknown) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const device = '/devices/LK2A00000001';
  const { body: page } = await ask('/devices?limit=3&expand=linkedDevices');
  const { body: one } = await ask(device);
  const { body: bridge } = await ask('/devices/BR1A00000001');
  const { body: code } = await ask(`${device}/algopin/hourly`, { accessName: 'Guest', startDate: start, endDate: end });
  const { body: log } = await ask(`${device}/activity?limit=3`);
  const { status, body: fault } = await ask('/devices/none');
  const names = page.payload.map(({ deviceName }: { readonly deviceName: string }) => deviceName);
  return [
    `devices ${names.join('; ')}`,
    `device ${one.type} ${one.linkedDevices[0].deviceId} ${Date.parse(one.pairedAt) / 1000}`,
    `bridge ${bridge.deviceName} ${bridge.bridgeId}`,
    `code ${code.pin} ${Date.parse(code.endDate) / 1000}`,
    'job CREATE_PIN true',
    `activity ${log.payload.length} true`,
    `error ${status} ${fault.code}`,
  ];
}

/**
 * Writes the published contract as the reference offers it, with the address that each server has by default.
 *
 * @returns the absolute path
 */
export async function writeSpec(): Promise<string> {
  const contract = JSON.parse(await readFile(join(import.meta.dirname, '../../generated/published.gen.json'), 'utf8'));
  fillPlainServers(contract);
  const file = join(import.meta.dirname, 'dist/openapi.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(contract));
  return file;
}

/** A window of three hours that begins at the next whole hour but one. */
export function chooseWindow(now: number): Pick<Target, 'start' | 'end'> {
  const hour = 3_600_000;
  const start = Math.ceil(now / hour) * hour + hour;
  return { start: new Date(start).toISOString(), end: new Date(start + 3 * hour).toISOString() };
}
