import { escapeControls } from '@lockstep/json/escape-controls';

/** A location in a file. */
export interface Place {
  /** Path of the file as the user named it, relative to the working directory. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** JSON pointer (RFC 6901) as a URI fragment, `#/paths/~1devices/get`. */
  readonly pointer: string;
}

/** A problem of a contract, with its location and fix. */
export interface Problem extends Place {
  /** Missing for an error. With a warning everything works, but the contract does not describe what its author means. */
  readonly severity?: 'warning';
  /** Name of the rule that found it, `struct`, `lockstep/pattern-compiles`. */
  readonly rule: string;
  /** The fault, with the value found and the value expected. */
  readonly message: string;
  /** How to correct it, in one sentence. */
  readonly fix: string;
  /** Further places with the same problem. */
  readonly also?: readonly Place[];
  /** A sentence with the number of further findings that follow from the fault and are not listed. */
  readonly more?: string;
}

/** By file, then line, then column, then rule: the order of reading. */
export function compareProblems(a: Problem, b: Problem): number {
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.rule, b.rule) ||
    compareText(a.message, b.message)
  );
}

/** `file:line:column` first, so that editors and terminals make a link of it. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, pointer, rule, severity, message, fix, also = [], more } = problem;
  const kind = severity === undefined ? '' : ` (${severity})`;
  const rest = [formatPlaces(also, file), more].flatMap((text) => (text === undefined ? [] : `  ${text}`));
  const place = `${file}:${line}:${column} ${rule}${kind}`;
  const lines = [place, `  at      ${pointer}`, `  message ${message}`, `  fix     ${fix}`, ...rest];
  return lines.map((text) => `${escapeControls(text)}\n`).join('');
}

/** Formats a list: of each rule the first `ofEachRule` problems, then the number of the others. */
export function formatProblems(problems: readonly Problem[], ofEachRule: number): readonly string[] {
  const byRule = Map.groupBy(problems, ({ severity, rule }) => JSON.stringify([severity, rule]));
  const formatted = new Map<Problem, string>();
  for (const group of byRule.values()) {
    const rest = group.length - ofEachRule;
    for (const problem of group.slice(0, ofEachRule)) formatted.set(problem, formatProblem(problem));
    const last = group[ofEachRule - 1];
    if (rest > 0 && last !== undefined)
      formatted.set(last, `${formatProblem(last)}  and ${rest} more by this rule, which --json lists\n`);
  }
  return problems.flatMap((problem) => formatted.get(problem) ?? []);
}

/** Joins problems with the same text at several places to one problem, at the first place. */
export function foldSame(problems: readonly Problem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, ({ severity, rule, message, fix }) =>
    JSON.stringify([severity, rule, message, fix]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    const { more = others.find((problem) => problem.more !== undefined)?.more } = first;
    return [{ ...first, also: others.map(toPlace), ...(more !== undefined && { more }) }];
  });
}

function toPlace({ file, line, column, pointer }: Problem): Place {
  return { file, line, column, pointer };
}

/** Lists the first few places as a sample for the reader; `--json` has all. */
function formatPlaces(also: readonly Place[], here: string): string | undefined {
  if (also.length === 0) return undefined;
  const first = also
    .slice(0, listedFollowers)
    .map(({ file, line, column }) => `${file === here ? '' : `${file}:`}${line}:${column}`);
  const rest = also.length - first.length;
  return `and the same at ${first.join(', ')}${rest === 0 ? '' : ` and ${rest} more ${rest === 1 ? 'place' : 'places'}`}`;
}

/** Limit of listed findings that follow from another one: they disappear when the first is fixed. */
const listedFollowers = 3;

/** Lists the first of these problems, three that follow from it, and the number of further ones. */
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
