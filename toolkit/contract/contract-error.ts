import { compareProblems, formatProblem, type Problem } from '../problem.ts';

/** A contract from which nothing can be derived. Carries every problem found, in reading order; nothing was written. */
export class ContractError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const sorted = [...problems].sort(compareProblems);
    super(sorted.map(formatProblem).join('\n').trimEnd());
    this.name = 'ContractError';
    this.problems = sorted;
  }
}
