import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandResult, done } from '@lockstep/shell/command-result';
import { oneLine, quoteWord } from '@lockstep/shell/printable';
import { type CheckResult, check as compare, type Drift } from '@lockstep/toolkit/check';
import { ContractError, problemsOf } from '@lockstep/toolkit/contract/contract-error';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { isWebAddress } from '@lockstep/toolkit/contract/read-text';
import { derive } from '@lockstep/toolkit/derive';
import { isWarning, type LintProfile, lintContract } from '@lockstep/toolkit/lint/lint-contract';
import type { RunLinter } from '@lockstep/toolkit/lint/run-redocly';
import type { Problem } from '@lockstep/toolkit/problem';
import { defaults, type Target } from './command.ts';

/** Limit of lines of one difference on screen: the first lines show the place, `--json` has all. */
const diffLines = 40;

/**
 * `lockstep check`: derives again in memory and lists every file that differs, the lines of the contract that caused it, and the fix. If the contract
 * has problems, the fix is to correct it first: files that are derived from a fault would be wrong.
 */
export async function check(
  target: Target & { readonly profile?: LintProfile },
  linter?: RunLinter,
): Promise<CommandResult> {
  const contract = await readContract(target.contract, target).catch((error: unknown) => {
    if (error instanceof ContractError) return error;
    throw error;
  });
  if (contract instanceof ContractError) {
    const text = `${target.contract} has problems, and nothing was compared. Fix it first:\n\n${contract.message}`;
    return { kind: 'refused', text, json: contract.json };
  }
  const derived = await derive(contract, target.out);
  const result = await compare(contract, derived, target.out);
  if (result.drifts.length === 0) {
    const text = `${target.out}: ${derived.size} files match ${target.contract}`;
    return { ...done(text, { drifts: [], changes: [], fix: null }), notices: contract.notices };
  }
  const { profile = 'valid' } = target;
  const found = await lintContract(target.contract, profile, { ...target, run: linter }).catch(problemsOf);
  const problems = found.filter((problem) => !isWarning(problem));
  const fix = formatFix(target, problems, await readScripts());
  const text = [formatResult(result, target), ...formatProblems(target, problems), `Fix: ${fix}`].join('\n');
  return {
    kind: 'failed',
    text: addUnexpected(text, result),
    json: { ...result, problems, fix },
    notices: contract.notices,
  };
}

function formatResult({ drifts, changes }: CheckResult, { contract }: Target): string {
  const reason =
    changes.length > 0
      ? [
          'Changed lines of the contract:',
          ...changes.map(
            ({ file, line, pointer, message }) => `  ${file}:${line} ${oneLine(pointer)}\n    ${oneLine(message)}`,
          ),
        ]
      : drifts.some(({ kind }) => kind === 'changed')
        ? [`${contract} did not change: the files were edited by hand, or a tool has another version.`]
        : [];
  return [...drifts.map(formatDrift), ...(reason.length === 0 ? [] : ['', ...reason]), ''].join('\n');
}

/** Prints only the first problem: `lint` lists all of them. */
function formatProblems({ contract }: Target, problems: readonly Problem[]): string[] {
  const [first] = problems;
  if (first === undefined) return [];
  const { file, line, column, rule, message } = first;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems, the first`;
  return [
    `${contract} has lint problems: ${count}`,
    `  ${file}:${line}:${column} ${rule}`,
    `    ${oneLine(message)}`,
    '',
  ];
}

function addUnexpected(text: string, { drifts }: CheckResult): string {
  if (drifts.every(({ kind }) => kind !== 'unexpected')) return text;
  return `${text}\n      and move the unexpected files out of that folder: nothing in it is written by hand.`;
}

const headlines: Readonly<Record<Drift['kind'], string>> = {
  changed: 'differs from the contract',
  missing: 'is missing',
  unexpected: 'is not a derived file',
};

function formatDrift({ file, kind, diff }: Drift): string {
  const lines = diff === '' ? [] : diff.split('\n');
  const more = lines.length - diffLines;
  return [
    `${file} ${headlines[kind]}`,
    ...lines.slice(0, diffLines),
    ...(more > 0 ? [`... ${more} more lines`] : []),
  ].join('\n');
}

function formatFix({ contract, out, allowFiles = [] }: Target, problems: readonly Problem[], scripts: Scripts): string {
  const named = [
    ...(contract === defaults.contract ? [] : ['--contract', contract]),
    ...allowFiles.flatMap((folder) => ['--allow-files', folder]),
  ];
  const options = [...named, ...(out === defaults.out ? [] : ['--out', out])];
  // The default contract has these commands, also without a package.json.
  const usual: Scripts =
    contract === defaults.contract ? { generate: 'lockstep generate', 'lint:contract': 'lockstep lint' } : {};
  const known = { ...usual, ...scripts };
  const generate = spellCommand('generate', options, known);
  const lint = spellCommand('lint', named, known);
  return problems.length === 0 ? generate : `fix the problems of ${lint}, then run ${generate}`;
}

/** Scripts of the package in the working directory. */
type Scripts = Readonly<Record<string, string>>;

async function readScripts(): Promise<Scripts> {
  try {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
    return Object.fromEntries(
      Object.entries<unknown>(scripts ?? {}).flatMap(([name, text]) =>
        typeof text === 'string' ? [[name, text]] : [],
      ),
    );
  } catch {
    // The folder may have no package.json.
    return {};
  }
}

/** A line for a shell: the package's script for this command, or the command of the nearest installation, which may not be on the path. */
function spellCommand(command: string, options: readonly string[], scripts: Scripts): string {
  const wanted = fillIn(command, options);
  const script = Object.keys(scripts).find((name) => {
    const [, found, rest = ''] =
      /^(?:lockstep|node cli\/main\.ts) (\S+)((?: [^;&|<>]*)?)$/.exec(scripts[name] ?? '') ?? [];
    return found === command && fillIn(command, rest.split(' ').filter(Boolean)) === wanted;
  });
  return script === undefined
    ? ['npx --no-install lockstep', command, ...options.map(quoteWord)].join(' ')
    : `npm run ${quoteWord(script)}`;
}

/** The files that a command works on, with defaults filled in. The profile does not change them. */
function fillIn(command: string, options: readonly string[]): string {
  const findOption = (name: string): string | undefined => {
    const at = options.indexOf(name);
    return at === -1 ? undefined : options[at + 1];
  };
  const contract = findOption('--contract') ?? defaults.contract;
  return [
    isWebAddress(contract) ? contract : resolve(contract),
    ...(command === 'lint' ? [] : [resolve(findOption('--out') ?? defaults.out)]),
  ].join('\n');
}
