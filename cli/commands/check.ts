import { type CheckResult, check as compare, type Drift } from '@lockstep/toolkit/check';
import { ContractError } from '@lockstep/toolkit/contract/contract-error';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { isWarning, type LintProfile, lintContract } from '@lockstep/toolkit/lint/lint-contract';
import type { Problem } from '@lockstep/toolkit/problem';
import { type CommandResult, defaults, type Target } from './command.ts';

/** A difference longer than this is cut on screen: the first lines name the place, `--json` has all. */
const diffLines = 40;

/**
 * `lockstep check`: derives again in memory and names every file that differs, the contract lines behind it, and the cure. That is to
 * generate again only if the contract is sound: from a fault in it something would be derived, but nothing that anybody wants.
 */
export async function check(target: Target & { readonly profile?: LintProfile }): Promise<CommandResult> {
  const contract = await readContract(target.contract).catch((error: unknown) => {
    if (error instanceof ContractError) return error;
    throw error;
  });
  if (contract instanceof ContractError) {
    const text = `${target.contract} can't be derived from, and nothing was compared. Mend it first:\n\n${contract.message}`;
    return { exitCode: 2, text, json: { problems: contract.problems } };
  }
  const derived = await derive(contract, target.out);
  const result = await compare(contract, derived, target.out);
  if (result.drifts.length === 0) {
    const text = `${target.out}: ${derived.size} files match ${target.contract}`;
    return { exitCode: 0, text, json: { drifts: [], changes: [], cure: null }, notices: contract.notices };
  }
  const told = await lintContract(target.contract, target.profile ?? 'valid').catch((error: unknown) => {
    if (error instanceof ContractError) return error.problems;
    throw error;
  });
  const problems = told.filter((problem) => !isWarning(problem));
  const cure = formatCure(target, problems);
  const text = [formatResult(result, target), ...formatProblems(target, problems), `Cure: ${cure}`].join('\n');
  return {
    exitCode: 1,
    text: addUnexpected(text, result),
    json: { ...result, problems, cure },
    notices: contract.notices,
  };
}

function formatResult({ drifts, changes }: CheckResult, { contract }: Target): string {
  const reason =
    changes.length > 0
      ? [
          'Contract lines behind it:',
          ...changes.map(({ file, line, pointer, says }) => `  ${file}:${line} ${pointer}\n    ${says}`),
        ]
      : drifts.some(({ kind }) => kind === 'changed')
        ? [`${contract} is the one they were derived from: they were edited by hand, or a tool has another version.`]
        : [];
  return [...drifts.map(formatDrift), ...(reason.length === 0 ? [] : ['', ...reason]), ''].join('\n');
}

/** The first is enough: `lint` tells all of them. */
function formatProblems({ contract }: Target, problems: readonly Problem[]): string[] {
  const [first] = problems;
  if (first === undefined) return [];
  const { file, line, column, rule, says } = first;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems, the first`;
  return [`${contract} does not lint: ${count}`, `  ${file}:${line}:${column} ${rule}`, `    ${says}`, ''];
}

function addUnexpected(text: string, { drifts }: CheckResult): string {
  if (drifts.every(({ kind }) => kind !== 'unexpected')) return text;
  return `${text}\n      and move what is unexpected out of that folder: nothing in it is written by hand.`;
}

const headlines: Readonly<Record<Drift['kind'], string>> = {
  changed: 'differs from what the contract says',
  missing: 'is missing',
  unexpected: 'is derived from nothing',
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

function formatCure({ contract, out }: Target, problems: readonly Problem[]): string {
  const isOwn = contract === defaults.contract;
  const named = isOwn ? [] : [`--contract ${contract}`];
  const options = [...named, ...(out === defaults.out ? [] : [`--out ${out}`])];
  // Of the contract that is there by default the scripts of package.json are nearer than a command that may not be on the path.
  const say = (script: string, command: string, words: readonly string[]): string =>
    isOwn
      ? ['npm run', script, ...(words.length === 0 ? [] : ['--', ...words])].join(' ')
      : ['lockstep', command, ...words].join(' ');
  const generate = say('generate', 'generate', options);
  const lint = say('lint:contract', 'lint', named);
  return problems.length === 0 ? generate : `mend what ${lint} names, then ${generate}`;
}
