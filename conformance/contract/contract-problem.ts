/** One thing wrong with a contract. `fatal` ones end the run with exit code 2, the others are told and stepped over. */
export interface ContractProblem {
  readonly pointer: string;
  /** 1-based line of the file; 0 where the file could not be read that far. */
  readonly line: number;
  readonly says: string;
  readonly cure: string;
}

/** The contract cannot be read at all: all reasons at once. */
export class ContractError extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(file: string, problems: readonly ContractProblem[]) {
    super(`${file} is not a contract that can be tested:\n${problems.map((p) => formatProblem(file, p)).join('\n')}`);
    this.name = 'ContractError';
    this.problems = problems;
  }
}

export function formatProblem(file: string, { line, pointer, says, cure }: ContractProblem): string {
  return `${file}${line > 0 ? `:${line}` : ''} ${pointer}\n  ${says}\n  ${cure}`;
}
