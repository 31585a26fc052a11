import { lintContract } from '@lockstep/toolkit/lint/lint-contract';
import { formatProblem } from '@lockstep/toolkit/problem';
import type { CommandResult, Target } from './command.ts';

/** `lockstep lint`: every problem of the contract at once. */
export async function lint({ contract }: Pick<Target, 'contract'>): Promise<CommandResult> {
  const problems = await lintContract(contract);
  if (problems.length === 0) return { exitCode: 0, text: `${contract}: no problems`, json: { problems } };
  const count = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return { exitCode: 1, text: [...problems.map(formatProblem), count].join('\n'), json: { problems } };
}
