import { parsePointer } from '@lockstep/json/json-pointer';
import { countMore, type Problem, takeWithFollowers } from '../problem.ts';

/**
 * Takes from the findings what only follows from another one, and says there how many that were. One place is mended, and all are gone.
 *
 * A pattern that does not compile keeps its schema from compiling, so Redocly says of each example that validates against it that it can't.
 * A member that stands too far left or right is unexpected where it is, and so are those after it.
 *
 * @param problems in the order of reading
 */
export function foldFollowers(problems: readonly Problem[]): readonly Problem[] {
  return foldMembers(foldPatterns(problems));
}

function foldPatterns(problems: readonly Problem[]): readonly Problem[] {
  const broken = problems.filter(({ rule }) => rule === 'lockstep/pattern-compiles');
  const followers = new Map(broken.map((root) => [root, [] as Problem[]]));
  for (const problem of problems) {
    if (!problem.says.startsWith('Example validation errored: Invalid regular expression: ')) continue;
    const root = broken.find(({ says }) => problem.says.includes(`: /${patternIn(says)}/`));
    if (root !== undefined) followers.get(root)?.push(problem);
  }
  const folded = new Set([...followers.values()].flat());
  return problems
    .filter((problem) => !folded.has(problem))
    .map((problem) => ({ ...problem, ...countMore(followers.get(problem)?.length ?? 0) }));
}

/** The sentence is `pattern-compiles`'s own. */
function patternIn(says: string): string {
  return says.slice('The pattern '.length, says.lastIndexOf(' does not compile: '));
}

function foldMembers(problems: readonly Problem[]): readonly Problem[] {
  const unexpected = problems.filter(({ rule, says }) => rule === 'struct' && says.endsWith(' is not expected here.'));
  const byObject = Map.groupBy(unexpected, ({ file, pointer }) =>
    JSON.stringify([file, ...parsePointer(pointer).slice(0, -1)]),
  );
  const listed = new Map(
    [...byObject.values()].flatMap((members) =>
      takeWithFollowers(members).map((told, index) => [members[index], told]),
    ),
  );
  return problems.flatMap((problem) => (unexpected.includes(problem) ? (listed.get(problem) ?? []) : problem));
}
