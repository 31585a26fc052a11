import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parsePointer, valueAt } from '@lockstep/json/json-pointer';
import { ContractError } from '../contract/contract-error.ts';
import { displayPath } from '../contract/display-path.ts';
import { nearestReference } from '../contract/nearest-reference.ts';
import { nameBothOperations } from '../contract/operation-id-twice.ts';
import { findSyntaxProblems } from '../contract/syntax-problems.ts';
import { readYaml } from '../contract/yaml-source.ts';
import { compareProblems, type Problem } from '../problem.ts';
import { cures } from './cures.ts';
import { explainRefusal } from './explain-refusal.ts';
import { findNetworkReferences } from './find-network-references.ts';
import { foldFollowers } from './fold-followers.ts';
import { foldUnresolved } from './fold-unresolved.ts';
import { type RedoclyProblem, runRedocly } from './run-redocly.ts';

/**
 * Checks a contract against everything that `redocly.yaml` asks for, stock rules and our own. Reads files alone.
 *
 * @param contractPath of an OpenAPI 3.1 document in YAML or JSON, relative to the working directory or absolute
 * @returns all problems at once, warnings too, in the order a reader meets them but references into nothing first; empty if there is none
 * @throws ContractError when no rule could look at it: there is no such file, it isn't YAML, it refers to the network,
 *   or the linter itself can't read it
 */
export async function lintContract(contractPath: string): Promise<readonly Problem[]> {
  const path = resolve(contractPath);
  const file = displayPath(path);
  const top = { file, line: 1, column: 1, pointer: '#' };
  const text = await readFile(path, 'utf8').catch(({ code, message }: NodeJS.ErrnoException) => {
    const cure = 'Name an OpenAPI file with --contract.';
    throw new ContractError([{ ...top, rule: 'readable', says: reasons[code ?? ''] ?? message, cure }]);
  });
  const source = readYaml(text);
  if (source.faults.length > 0) throw new ContractError(findSyntaxProblems(file, source));
  const network = await findNetworkReferences(path);
  if (network.length > 0) throw new ContractError(network);

  const problems = await runRedocly(path);
  if (typeof problems === 'string') throw new ContractError(explainRefusal(problems, file, source));
  const named = problems.map(async (problem) => nameBothOperations(await toProblem(problem), path));
  const found = (await Promise.all(named)).sort(compareProblems);
  // Redocly says the same of a shared example once for each place that uses it.
  const once = found.filter((problem, index) => !isDeepStrictEqual(problem, found[index - 1]));
  return foldFollowers(await foldUnresolved(once, path));
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not read it',
};

async function toProblem(problem: RedoclyProblem): Promise<Problem> {
  const [{ source, pointer, start }] = problem.location;
  const says = problem.message.replaceAll(/\s+/g, ' ');
  const target = problem.ruleId === 'no-unresolved-refs' ? await referenceAt(source.ref, pointer) : undefined;
  const nearest = target === undefined ? undefined : await nearestReference(target, resolve(source.ref));
  return {
    file: displayPath(source.ref),
    line: start.line,
    column: start.col,
    // Redocly writes the whole document as `#/`, which is the member with the empty name (RFC 6901, 5).
    pointer: pointer === undefined || pointer === '#/' ? '#' : pointer,
    rule: problem.ruleId,
    says: target === undefined ? says : `${says}: ${target}.`,
    cure: nearest === undefined ? findCure(problem) : `Did you mean ${nearest}?`,
  };
}

/** Redocly does not say which reference it could not resolve. In the mapping of a discriminator it has no `$ref` around it. */
async function referenceAt(file: string, pointer = '#'): Promise<string | undefined> {
  const node = valueAt(readYaml(await readFile(file, 'utf8')).value, parsePointer(pointer));
  const target = typeof node === 'string' ? node : valueAt(node, ['$ref']);
  return typeof target === 'string' ? target : undefined;
}

/** A rule of ours brings its cure; Redocly's suggestions are names that come near. */
function findCure({ ruleId, suggest = [], reference }: RedoclyProblem): string {
  if (/^(lockstep|rule)\//.test(ruleId)) return suggest.join(' ');
  const cure = cures[ruleId] ?? `Read ${reference ?? `what Redocly says about ${ruleId}`}.`;
  return suggest.length === 0 ? cure : `${cure} Did you mean ${suggest.join(' or ')}?`;
}
