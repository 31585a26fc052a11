/** One thing wrong with a contract, with everything a reader needs to find and mend it. */
export interface Problem {
  /** Path of the file as the user named it, relative to the working directory. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** JSON pointer (RFC 6901) as a URI fragment, `#/paths/~1devices/get`. */
  readonly pointer: string;
  /** Name of the rule that found it, `struct`, `lockstep/pattern-compiles`. */
  readonly rule: string;
  /** What is wrong, naming what was found and what was expected. */
  readonly says: string;
  /** What to do about it, one sentence. */
  readonly cure: string;
}

/** By file, then line, then column, then rule: the order a reader meets them in. */
export function compareProblems(a: Problem, b: Problem): number {
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.rule, b.rule) ||
    compareText(a.says, b.says)
  );
}

/** `file:line:column` first, so that editors and terminals make a link of it. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, pointer, rule, says, cure } = problem;
  return `${file}:${line}:${column} ${rule}\n  at   ${pointer}\n  says ${says}\n  cure ${cure}\n`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
