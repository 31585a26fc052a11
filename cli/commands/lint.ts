import { isWarning, type LintProfile, lintContract } from '@lockstep/toolkit/lint/lint-contract';
import { formatProblems } from '@lockstep/toolkit/problem';
import type { CommandResult, Target } from './command.ts';

/** Of a contract from anywhere more sentences of one rule tell nothing new; `--json` has all. */
const listedOfRule = 5;

/** `lockstep lint`: every problem of the contract at once. Warnings alone are no failure. */
export async function lint({
  contract,
  profile = 'valid',
}: Pick<Target, 'contract'> & { readonly profile?: LintProfile }): Promise<CommandResult> {
  const problems = await lintContract(contract, profile);
  if (problems.length === 0) return { exitCode: 0, text: `${contract}: no problems`, json: { problems } };
  const warnings = problems.filter(isWarning).length;
  const count = [countOf(problems.length - warnings, 'problem'), countOf(warnings, 'warning')]
    .filter(Boolean)
    .join(', ');
  const text = [...formatProblems(problems, profile === 'valid' ? listedOfRule : problems.length), count].join('\n');
  return { exitCode: warnings === problems.length ? 0 : 1, text, json: { problems } };
}

function countOf(count: number, name: string): string {
  return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;
}
