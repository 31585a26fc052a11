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
  /** How many further findings follow from the fault and are not listed, as a sentence. */
  readonly more?: string;
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
  const { file, line, column, pointer, rule, says, cure, more } = problem;
  const rest = more === undefined ? '' : `  ${more}\n`;
  return `${file}:${line}:${column} ${rule}\n  at   ${pointer}\n  says ${says}\n  cure ${cure}\n${rest}`;
}

/** More of them tell a reader nothing: they go when the first is mended. */
const listedFollowers = 3;

/** The first of these problems, three that follow from it, and how many more do. */
export function takeWithFollowers([first, ...followers]: readonly Problem[]): readonly Problem[] {
  if (first === undefined) return [];
  return [{ ...first, ...countMore(followers.length - listedFollowers) }, ...followers.slice(0, listedFollowers)];
}

/** @param count of findings that are not listed */
export function countMore(count: number): Pick<Problem, 'more'> {
  return count > 0 ? { more: `and ${count} more that ${count === 1 ? 'follows' : 'follow'} from it` } : {};
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
