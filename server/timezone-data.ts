import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { readEdition, TimezoneFilesFault } from './timezone-files.ts';

// Node contains the rules of all time zones, and ICU reads newer ones from a folder that the environment names when the process starts. They
// apply to `Intl` and `Temporal` (the polyfill uses Intl, the Temporal of Node 26 reads the same file).

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of this server, and the one that ICU reads in each Node process with it, also npm's. */
const names = ['TIMEZONE_DATA', 'ICU_TIMEZONE_FILES_DIR'] as const;
const [ownName, icuName] = names;

/** A folder from the environment. */
export interface TimezoneFolder {
  readonly name: (typeof names)[number];
  readonly text: string;
  /** Absolute. */
  readonly path: string;
}

/** A fault of the folder. The message states how to fix it. */
export class TimezoneDataFault extends WrongUse {
  override readonly name = 'TimezoneDataFault';
}

/** @returns undefined for Node's own rules */
export function findTimezoneFolder(env: Environment): TimezoneFolder | undefined {
  const name = names.find((one) => (env[one] ?? '') !== '');
  const text = name && env[name];
  return name && text ? { name, text, path: resolve(text) } : undefined;
}

/**
 * Makes the process use the rules in a folder. ICU reads its variable once, before any JavaScript runs: if it does not name the folder yet,
 * this program replaces itself in the same process (execve) with the variable set. Call it before anything else.
 *
 * @throws TimezoneDataFault when a file is missing, damaged or for other processors, or Node does not use the rules in the end
 */
export function useTimezoneData(folder: TimezoneFolder | undefined): void {
  if (folder === undefined) return;
  try {
    applyRules(folder);
  } catch (error) {
    if (!(error instanceof TimezoneFilesFault)) throw error;
    throw new TimezoneDataFault(`${folder.name} is ${JSON.stringify(folder.text)}: ${error.message}`, { cause: error });
  }
}

function applyRules({ name, path }: TimezoneFolder): void {
  const edition = readEdition(path);
  const isNamed = process.env[icuName] === path;
  // The files have no checksum. A child process tests whether Node survives them, which takes 75 ms.
  if (!isNamed || name === icuName) tryOut(path);
  if (!isNamed) restart(path);
  // ICU silently falls back to its own rules, also if the variable is set after Node has started.
  if (process.versions.tz !== edition)
    throw new TimezoneFilesFault(
      `it contains ${edition}, but Node uses ${process.versions.tz}. Set ${ownName} to the folder, not ${icuName}`,
    );
}

/** Formats every zone in summer and winter of past and future years, with its name. */
const trial = `for (const timeZone of Intl.supportedValuesOf('timeZone')) {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', timeZoneName: 'long' });
  for (let year = 1970; year <= 2060; year += 15) for (const month of [0, 6]) format.format(Date.UTC(year, month));
}`;

function tryOut(path: string): void {
  const env = { ...process.env, [icuName]: path };
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', trial], { env, encoding: 'utf8' });
  if (status === 0) return;
  const why = signal ?? /^\w*Error: .*/m.exec(stderr)?.[0] ?? `exit code ${status}`;
  throw new TimezoneFilesFault(`Node fails to read its zones (${why}). Fetch the files again`);
}

function restart(path: string): void {
  if (process.execve === undefined || process.platform === 'win32')
    throw new TimezoneFilesFault(`on this system, set ${icuName} to the same folder, ${path}, before Node starts`);
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...process.env, [icuName]: path });
}
