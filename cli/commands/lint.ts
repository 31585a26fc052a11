import type { CommandResult } from '@lockstep/shell/command-result';
import { isWarning, type LintProfile, lintContract } from '@lockstep/toolkit/lint/lint-contract';
import type { RunLinter } from '@lockstep/toolkit/lint/run-redocly';
import { formatProblems, type Problem } from '@lockstep/toolkit/problem';
import type { ContractTarget } from './command.ts';

/** Limit of listed problems of one rule: in a foreign contract, further ones add nothing. `--json` has all. */
const listedOfRule = 5;

/** `lockstep lint`: every problem of the contract at once. Warnings alone are no failure. */
export async function lint(
  { contract, profile = 'valid', ...options }: ContractTarget & { readonly profile?: LintProfile },
  linter?: RunLinter,
): Promise<CommandResult> {
  const problems = await lintContract(contract, profile, { ...options, run: linter });
  const text = problems.length === 0 ? `${contract}: no problems` : formatFindings(problems, profile);
  return { kind: problems.every(isWarning) ? 'done' : 'failed', text, json: { problems } };
}

/** All problems, and their number by severity. */
export function formatFindings(problems: readonly Problem[], profile: LintProfile): string {
  const warnings = problems.filter(isWarning).length;
  const count = [countOf(problems.length - warnings, 'problem'), countOf(warnings, 'warning')]
    .filter(Boolean)
    .join(', ');
  return [...formatProblems(problems, profile === 'valid' ? listedOfRule : problems.length), count].join('\n');
}

function countOf(count: number, name: string): string {
  return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;
}
