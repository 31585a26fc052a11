import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The rules for a contract. `valid`: what OpenAPI and our parts require of any contract. `house`: the `redocly.yaml` of the working directory, or
 * ours if there is none.
 */
export type LintProfile = 'valid' | 'house';

/** A problem that Redocly reports: an entry of `problems` in its JSON format, with the members that we read. */
export interface RedoclyProblem {
  readonly ruleId: string;
  readonly message: string;
  readonly severity: 'error' | 'warn';
  readonly suggest?: readonly string[];
  readonly reference?: string;
  readonly location: readonly [RedoclyLocation, ...RedoclyLocation[]];
}

export interface RedoclyLocation {
  /** Relative to the working directory. */
  readonly source: { readonly ref: string };
  /** Missing if the document could not be parsed. */
  readonly pointer?: string;
  /** Both 1-based. */
  readonly start: { readonly line: number; readonly col: number };
}

const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
const profiles: Readonly<Record<LintProfile, string>> = {
  valid: fileURLToPath(new URL('./valid.yaml', import.meta.url)),
  house: fileURLToPath(new URL('./house.yaml', import.meta.url)),
};

/** Redocly prints 100 problems by default. No document written by a person has a million. */
const maxProblems = 1_000_000;
const maxOutputBytes = 512 * 1024 * 1024;

/** Ten times as long as the largest published documents take. The linter matches examples against patterns, and one can take exponential time. */
const patienceMs = 300_000;

/** Lints one document. Returns its problems, or the reason why the linter could not check it. */
export type RunLinter = (path: string, profile: LintProfile) => Promise<readonly RedoclyProblem[] | string>;

/** The configuration behind a profile, an absolute path. */
export function findConfig(profile: LintProfile): string {
  const own = resolve('redocly.yaml');
  return profile === 'house' && existsSync(own) ? own : profiles[profile];
}

/**
 * Lints one document by Redocly's command in a separate process, since the package has no programming interface. The command sends no telemetry,
 * but fetches every http reference of the document: `readContractFiles` refuses those before.
 *
 * @param path absolute
 * @param limitMs milliseconds after which the process is killed
 * @returns its problems, or the reason why the linter could not check it
 * @throws Error when the fault is ours and not the document's: a configuration or plugin that does not load
 */
export function runRedocly(
  path: string,
  profile: LintProfile,
  limitMs: number = patienceMs,
): Promise<readonly RedoclyProblem[] | string> {
  const options = {
    timeout: limitMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: maxOutputBytes,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
  };
  const args = [cli, 'lint', path, `--config=${findConfig(profile)}`, '--format=json', `--max-problems=${maxProblems}`];
  return new Promise((done, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error?.killed === true)
        done(`it took more than ${limitMs / 1000} seconds, as an example of a pattern of exponential time can`);
      else if (stdout.trim() !== '') done((JSON.parse(stdout) as { problems: readonly RedoclyProblem[] }).problems);
      else if (stderr.startsWith('validating ')) done(refusalIn(stderr));
      else reject(new Error(`Redocly could not start: ${stderr.trim()}`, { cause: error }));
    });
  });
}

/** The last sentence of Redocly's output, after "validating …" and a line per step. */
function refusalIn(stderr: string): string {
  const sentences = stderr.split('\n').map((line) => line.trim().replace(/^- /, ''));
  return sentences.filter((line) => line !== '').at(-1) ?? 'Redocly gave no reason';
}
