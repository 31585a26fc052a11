import { parsePointer } from '@lockstep/json/json-pointer';
import { countMore, type Problem, takeWithFollowers } from '../problem.ts';

/**
 * Removes findings that only follow from another one, and adds their number to that one. One fix removes them all.
 *
 * A pattern that does not compile keeps its schema from compiling, so Redocly reports each example of that schema. A member with wrong indentation
 * is unexpected, and so are those after it. A keyword of another OpenAPI version is unexpected too; if it is `nullable`, no example is checked.
 *
 * @param problems in the order of reading
 */
export function foldFollowers(problems: readonly Problem[]): readonly Problem[] {
  return foldMembers(foldNullable(dropTwice(foldPatterns(problems))));
}

function foldPatterns(problems: readonly Problem[]): readonly Problem[] {
  const broken = problems.filter(({ rule }) => rule === 'lockstep/pattern-compiles');
  const followers = new Map(broken.map((root) => [root, [] as Problem[]]));
  for (const problem of problems) {
    if (!problem.message.startsWith('Example validation errored: Invalid regular expression: ')) continue;
    const root = broken.find(({ message }) => problem.message.includes(`: /${patternIn(message)}/`));
    if (root !== undefined) followers.get(root)?.push(problem);
  }
  const folded = new Set([...followers.values()].flat());
  return problems
    .filter((problem) => !folded.has(problem))
    .map((problem) => ({ ...problem, ...countMore(followers.get(problem)?.length ?? 0) }));
}

/** `pattern-compiles` writes this sentence. */
function patternIn(message: string): string {
  return message.slice('The pattern '.length, message.lastIndexOf(' does not compile: '));
}

const version = 'lockstep/keyword-of-version';

/** Removes findings of `struct` about a keyword if one of our rules describes it better. The finding of our rule gets the severity of `struct`. */
function dropTwice(problems: readonly Problem[]): readonly Problem[] {
  const isKnown = ({ rule }: Problem): boolean => /^lockstep\/keyword-/.test(rule);
  const placeOf = ({ file, pointer }: Problem): string => file + pointer;
  const known = new Set(problems.filter(isKnown).map(placeOf));
  const twice = new Set(problems.filter((problem) => problem.rule === 'struct' && known.has(placeOf(problem))));
  const hard = new Set([...twice].filter(({ severity }) => severity === undefined).map(placeOf));
  return problems
    .filter((problem) => !twice.has(problem))
    .map((problem) => {
      const { severity, ...rest } = problem;
      return isKnown(problem) && hard.has(placeOf(problem)) ? rest : problem;
    });
}

function foldNullable(problems: readonly Problem[]): readonly Problem[] {
  const root = problems.find(({ rule, message }) => rule === version && message.startsWith('nullable '));
  if (root === undefined) return problems;
  const isUnchecked = ({ message }: Problem): boolean => message.startsWith('Example validation errored: "nullable" ');
  const count = problems.filter(isUnchecked).length;
  return problems
    .filter((problem) => !isUnchecked(problem))
    .map((problem) => (problem === root ? { ...root, ...countMore(count) } : problem));
}

function foldMembers(problems: readonly Problem[]): readonly Problem[] {
  const unexpected = problems.filter(
    ({ rule, message }) => rule === 'struct' && message.endsWith(' is not expected here.'),
  );
  const byObject = Map.groupBy(unexpected, ({ file, pointer }) =>
    JSON.stringify([file, ...parsePointer(pointer).slice(0, -1)]),
  );
  const listed = new Map(
    [...byObject.values()].flatMap((members) =>
      takeWithFollowers(members).map((counted, index) => [members[index], counted]),
    ),
  );
  return problems.flatMap((problem) => (unexpected.includes(problem) ? (listed.get(problem) ?? []) : problem));
}
