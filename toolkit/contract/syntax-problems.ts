import { formatPointer } from '@lockstep/json/json-pointer';
import { countMore, type Problem } from '../problem.ts';
import { ContractError } from './contract-error.ts';
import { displayPath } from './display-path.ts';
import { readYaml, type SyntaxFault, type YamlSource } from './yaml-source.ts';

const fix = 'Correct the YAML here; indentation, quotes and brackets are the usual causes.';

/** @throws ContractError for a text that is no YAML */
export function refuseSyntax(source: string, text: string): void {
  const problems = findSyntaxProblems(displayPath(source), readYaml(text));
  if (problems.length > 0) throw new ContractError(problems);
}

/**
 * Lists the syntax faults of a text, in the order of its lines.
 *
 * The parser reports many faults for one mistake: one wrong indent caused dozens. The first fault is reported, with the number of the others.
 * Each duplicate key is a separate fault.
 *
 * @param file as it is displayed
 */
export function findSyntaxProblems(file: string, { faults }: Pick<YamlSource, 'faults'>): readonly Problem[] {
  const sorted = faults
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    // Of several messages about one position the first is the most precise.
    .filter(({ line, column }, index, all) => line !== all[index - 1]?.line || column !== all[index - 1]?.column);
  const twice = sorted.filter(({ first }) => first !== undefined).map((fault) => toProblem(file, fault));
  const broken = sorted.filter(({ first }) => first === undefined).map((fault) => toProblem(file, fault));
  const [first, ...followers] = broken;
  return [...twice, ...(first === undefined ? [] : [{ ...first, ...countMore(followers.length) }])];
}

function toProblem(file: string, { line, column, message, first, path = [] }: SyntaxFault): Problem {
  const place = { file, line, column, pointer: formatPointer(path), rule: 'yaml' };
  if (first === undefined) return { ...place, message, fix };
  return {
    ...place,
    message: `The key ${first.key} is here and at ${file}:${first.line}:${first.column}: map keys must be unique.`,
    fix: 'Keep the key once, or correct the indentation if it belongs to another YAML map.',
  };
}
