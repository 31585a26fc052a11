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
 * Warnings for the repeated keys of a text, if it has no other fault. A repeated `security` is none of them: one of the two may open an operation.
 */
export function findRepeatedKeys(source: string, text: string): readonly Problem[] {
  const { faults } = readYaml(text);
  if (!faults.every(({ first }) => first !== undefined && first.key !== 'security')) return [];
  return findSyntaxProblems(displayPath(source), { faults }).map((problem) => ({
    ...problem,
    severity: 'warning',
    message: `${problem.message.replace(/\.$/, '')}; the last one counts`,
  }));
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

function toProblem(file: string, { line, column, message, first }: SyntaxFault): Problem {
  const place = { file, line, column, pointer: '#', rule: 'yaml' };
  if (first === undefined) return { ...place, message, fix };
  return {
    ...place,
    message: `The key ${first.key} is here and at ${file}:${first.line}:${first.column}: map keys must be unique.`,
    fix: 'Keep the key once, or correct the indentation if it belongs to another YAML map.',
  };
}
