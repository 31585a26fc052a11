import { WrongUse } from '@lockstep/shell/wrong-use';
import { compareProblems, formatProblem, type Problem } from '../problem.ts';
import { displayPath } from './display-path.ts';

/** A contract from which nothing can be derived, with every problem in the order of reading. Nothing was written. */
export class ContractError extends WrongUse {
  override readonly name = 'ContractError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const sorted = [...problems].sort(compareProblems);
    super(sorted.map(formatProblem).join('\n').trimEnd());
    this.problems = sorted;
  }

  override get json(): object {
    return { problems: this.problems };
  }
}

/** The problems of a refused contract. Throws any other error again. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof ContractError) return error.problems;
  throw error;
}

/** A problem of the whole document, at its first character. */
export function problemAtTop(file: string, rule: string, message: string, fix: string): Problem {
  return { file: displayPath(file), line: 1, column: 1, pointer: '#', rule, message, fix };
}
