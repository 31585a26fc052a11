import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { readEdition, TimezoneFilesFault } from './timezone-files.ts';

// Node carries the rules of all time zones in its program file, and ICU takes newer ones from a folder that the environment names when
// the process starts. What `Intl` and `Temporal` say follows (the polyfill asks Intl, the Temporal of Node 26 reads the same file).

type Environment = Readonly<Record<string, string | undefined>>;

/** Ours, and the one that ICU reads in each Node that is started with it, npm's too. */
const names = ['TIMEZONE_DATA', 'ICU_TIMEZONE_FILES_DIR'] as const;
const [ownName, icuName] = names;

/** A folder as the environment names it. */
export interface TimezoneFolder {
  readonly name: (typeof names)[number];
  readonly text: string;
  /** Absolute. */
  readonly path: string;
}

/** Says what is wrong with the folder, and what would do. */
export class TimezoneDataFault extends WrongUse {
  override readonly name = 'TimezoneDataFault';
}

/** @returns undefined where the rules are those of Node */
export function findTimezoneFolder(env: Environment): TimezoneFolder | undefined {
  const name = names.find((one) => (env[one] ?? '') !== '');
  const text = name && env[name];
  return name && text ? { name, text, path: resolve(text) } : undefined;
}

/**
 * Makes the process go by the rules in a folder. ICU looks at its variable once, before any JavaScript runs: where it does not name the
 * folder yet, this program takes the place of itself in the same process (execve), with the variable set. Call it before anything else.
 *
 * @throws TimezoneDataFault where a file is missing, damaged or for other processors, or Node does not go by it in the end
 */
export function useTimezoneData(folder: TimezoneFolder | undefined): void {
  if (folder === undefined) return;
  try {
    goBy(folder);
  } catch (error) {
    if (!(error instanceof TimezoneFilesFault)) throw error;
    throw new TimezoneDataFault(`${folder.name} is ${JSON.stringify(folder.text)}: ${error.message}`, { cause: error });
  }
}

function goBy({ name, path }: TimezoneFolder): void {
  const edition = readEdition(path);
  const isNamed = process.env[icuName] === path;
  // Files carry no checksum. Whether Node survives them is found out by one that may die; it takes 75 ms.
  if (!isNamed || name === icuName) tryOut(path);
  if (!isNamed) startAnew(path);
  // ICU falls back on its own without a word, and a variable that is set once Node runs comes too late for it.
  if (process.versions.tz !== edition)
    throw new TimezoneFilesFault(
      `it holds ${edition}, but Node goes by ${process.versions.tz}. Name it in ${ownName}, not in ${icuName}`,
    );
}

/** Asks for every zone in summer and winter of years past and to come, also for its name. */
const trial = `for (const timeZone of Intl.supportedValuesOf('timeZone')) {
  const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', timeZoneName: 'long' });
  for (let year = 1970; year <= 2060; year += 15) for (const month of [0, 6]) format.format(Date.UTC(year, month));
}`;

function tryOut(path: string): void {
  const env = { ...process.env, [icuName]: path };
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', trial], { env, encoding: 'utf8' });
  if (status === 0) return;
  const why = signal ?? /^\w*Error: .*/m.exec(stderr)?.[0] ?? `exit code ${status}`;
  throw new TimezoneFilesFault(`Node does not get through the zones in it (${why}). Fetch the files again`);
}

function startAnew(path: string): void {
  if (process.execve === undefined || process.platform === 'win32')
    throw new TimezoneFilesFault(`here Node has to be started with it: set ${icuName} to the same folder, as ${path}`);
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...process.env, [icuName]: path });
}
