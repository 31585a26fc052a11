import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { displayPath } from '../contract/display-path.ts';
import { extendPointer, parsePointer, valueAt } from '../contract/json-pointer.ts';
import { readYaml } from '../contract/yaml-source.ts';
import { compareProblems, type Problem } from '../problem.ts';
import { cures } from './cures.ts';
import { type RedoclyProblem, runRedocly } from './run-redocly.ts';

/**
 * Checks a contract against everything that `redocly.yaml` asks for, stock rules and our own.
 *
 * @param contractPath of an OpenAPI 3.1 document in YAML or JSON, relative to the working directory or absolute
 * @returns all problems at once, warnings too, in the order a reader meets them; empty if there is none. A text that
 * isn't YAML gives its faults alone, since nothing else can be said about it.
 * @throws the error of `readFile` when there is no such file
 */
export async function lintContract(contractPath: string): Promise<readonly Problem[]> {
  const path = resolve(contractPath);
  const file = displayPath(path);
  const { faults, value } = readYaml(await readFile(path, 'utf8'));
  if (faults.length > 0) {
    const cure = 'Correct the YAML here; indentation, quotes and brackets are the usual causes.';
    return faults.map((fault) => ({ file, pointer: '#', rule: 'yaml', cure, ...fault })).sort(compareProblems);
  }
  const problems = await runRedocly(path);
  if (typeof problems === 'string') {
    const cure = 'Write an OpenAPI 3.1 document: an object that starts with openapi: 3.1.1.';
    return [{ file, line: 1, column: 1, pointer: '#', rule: 'document', says: problems, cure }];
  }
  const found = problems.map((problem) => toProblem(problem, file, value)).sort(compareProblems);
  // Redocly says the same of a shared example once for each place that uses it.
  return found.filter((problem, index) => !isDeepStrictEqual(problem, found[index - 1]));
}

function toProblem(problem: RedoclyProblem, contract: string, value: unknown): Problem {
  const [{ source, pointer, start }] = problem.location;
  const says = problem.message.replaceAll(/\s+/g, ' ');
  const target =
    source.ref === contract && pointer !== undefined
      ? valueAt(value, parsePointer(extendPointer(pointer, '$ref')))
      : undefined;
  return {
    file: source.ref,
    line: start.line,
    column: start.col,
    // Redocly writes the whole document as `#/`, which is the member with the empty name (RFC 6901, 5).
    pointer: pointer === undefined || pointer === '#/' ? '#' : pointer,
    rule: problem.ruleId,
    // Redocly does not say which reference it could not resolve.
    says: problem.ruleId === 'no-unresolved-refs' && target !== undefined ? `${says}: ${String(target)}.` : says,
    cure: findCure(problem),
  };
}

/** A rule of ours brings its cure; Redocly's suggestions are names that come near. */
function findCure({ ruleId, suggest = [], reference }: RedoclyProblem): string {
  if (/^(lockstep|rule)\//.test(ruleId)) return suggest.join(' ');
  const cure = cures[ruleId] ?? `Read ${reference ?? `what Redocly says about ${ruleId}`}.`;
  return suggest.length === 0 ? cure : `${cure} Did you mean ${suggest.join(' or ')}?`;
}
