import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parsePointer, valueAt } from '@lockstep/json/json-pointer';
import { ContractError, problemsOf } from '../contract/contract-error.ts';
import { listReferences, pathOf, readContractFiles, readSource } from '../contract/contract-files.ts';
import { isSwagger } from '../contract/convert-swagger.ts';
import { refuseTooLargeText, refuseTooLargeValue } from '../contract/depth-limit.ts';
import { displayPath } from '../contract/display-path.ts';
import { type ContractOptions, createFileRule, type FileRule } from '../contract/file-rule.ts';
import { jsonPositions } from '../contract/json-positions.ts';
import { hideNetworkExamples, type LocalCopy, withCopy, withLocalCopy } from '../contract/local-copy.ts';
import { nearestReference } from '../contract/nearest-reference.ts';
import { nameBothOperations } from '../contract/operation-id-twice.ts';
import { readContract } from '../contract/read-contract.ts';
import { readQuickly } from '../contract/read-quickly.ts';
import { isWebAddress } from '../contract/read-text.ts';
import { refuseSyntax } from '../contract/syntax-problems.ts';
import { findUnsupported } from '../contract/unsupported.ts';
import { readYaml } from '../contract/yaml-source.ts';
import { compareProblems, foldSame, type Problem } from '../problem.ts';
import { explainRefusal } from './explain-refusal.ts';
import { fixes, versionFixes } from './fixes.ts';
import { foldFollowers } from './fold-followers.ts';
import { foldUnresolved } from './fold-unresolved.ts';
import { type LintProfile, type RedoclyProblem, type RunLinter, runRedocly } from './run-redocly.ts';

export type { LintProfile } from './run-redocly.ts';

/**
 * Checks a contract against all rules of a profile, Redocly's and our own.
 *
 * @param contract path of an OpenAPI 3.0 or 3.1 document in YAML or JSON, relative to the working directory or absolute; or its http or https
 *   address: nothing else is fetched
 * @param profile `valid`: what OpenAPI and our parts require, first of all what `readContract` refuses; equal problems at several places are one
 *   problem. `house`: the `redocly.yaml` of the working directory, or ours if there is none
 * @param options.run the linter that both profiles configure
 * @returns all problems at once: errors before warnings, unresolved references first, then in the order of reading; empty if there is none
 * @throws ContractError if no rule could check it: there is no such file, it isn't YAML, it refers to the network
 *   or to a file that `createFileRule` refuses, or the linter can't read it
 */
export async function lintContract(
  contract: string,
  profile: LintProfile,
  { run = runRedocly, ...options }: ContractOptions & { readonly run?: RunLinter | undefined } = {},
): Promise<readonly Problem[]> {
  const text = await readSource(contract);
  refuseTooLargeText(contract, text);
  const value = readQuickly(text);
  refuseTooLargeValue(contract, text, value);
  if (value === undefined) refuseSyntax(contract, text);
  refuseUnlintable(contract, text, value);
  const shown = hideNetworkExamples(text);
  const isOneFile = (): boolean =>
    Array.from(listReferences(value)).every(({ target, at }) => at.at(-1) === 'externalValue' || pathOf(target) === '');
  // Redocly would fetch an example of the network.
  const use = shown !== text && !isWebAddress(contract) && isOneFile() ? withCopy : withLocalCopy;
  // Redocly would fetch the contract again, with all files that it refers to.
  return use(contract, use === withCopy ? shown : text, (copy) =>
    lintFile(copy, contract, text, { profile, run, options }),
  );
}

/** Limits for versions that our rules do not know, and for chains of references that would occupy the linter for minutes. */
const notLinted: ReadonlySet<string> = new Set(['unsupported/openapi-version', 'unsupported/reference-chain']);

function refuseUnlintable(contract: string, text: string, value: unknown): void {
  // Redocly has rules for Swagger 2.0 too.
  const found = isSwagger(value) ? [] : findUnsupported(value, 'root').filter(({ rule }) => notLinted.has(rule));
  if (found.length === 0) return;
  const positionOf = jsonPositions(text) ?? readYaml(text).positionOf;
  const file = displayPath(contract);
  throw new ContractError(foldSame(found.map((one) => ({ ...one, file, ...positionOf(parsePointer(one.pointer)) }))));
}

async function lintFile(
  { path: name, rename }: LocalCopy,
  contract: string,
  text: string,
  {
    profile,
    run,
    options,
  }: { readonly profile: LintProfile; readonly run: RunLinter; readonly options: ContractOptions },
): Promise<readonly Problem[]> {
  const path = resolve(name);
  const file = displayPath(path);
  const files = await readContractFiles(path, options);
  const [problems, refused] = await Promise.all([
    run(path, profile),
    // These problems prevent the derivation, independent of the rules.
    profile === 'valid'
      ? readContract(contract, { ...options, text, strict: !isSwagger(readQuickly(text)) }).then(() => [], problemsOf)
      : [],
  ]);
  if (typeof problems === 'string') throw new ContractError(explainRefusal(problems, file, readYaml(text)));
  const found = (await describeProblems(problems, path, createFileRule(path, options))).sort(compareProblems);
  // Redocly reports a shared example once for each place that uses it.
  const once = found.filter((problem, index) => !isDeepStrictEqual(problem, found[index - 1]));
  if (profile === 'house') return renameFiles(foldFollowers(foldUnresolved(once, files)), rename);
  const ofCopy = refused.map((one) => (one.file === displayPath(contract) ? { ...one, file } : one));
  const folded = foldFollowers(foldUnresolved(joinRefused(once, ofCopy), files));
  const sorted = foldSame(folded).toSorted((a, b) => Number(isWarning(a)) - Number(isWarning(b)));
  return renameFiles(sorted, rename);
}

function renameFiles(problems: readonly Problem[], rename: LocalCopy['rename']): readonly Problem[] {
  return problems.map((problem) => ({
    ...problem,
    ...{ file: rename(problem.file), message: rename(problem.message) },
    ...(problem.also && { also: problem.also.map((place) => ({ ...place, file: rename(place.file) })) }),
  }));
}

export function isWarning({ severity }: Problem): boolean {
  return severity === 'warning';
}

/**
 * Puts problems of `readContract` first, replaced by the finding of a rule at the same place. A fault of structure that `readContract` accepts, such
 * as an unknown keyword, does not stop the derivation: it is a warning.
 */
function joinRefused(found: readonly Problem[], refused: readonly Problem[]): readonly Problem[] {
  const places = new Set(found.map(placeKey));
  const isFound = (problem: Problem): boolean =>
    places.has(placeKey(problem)) && !problem.rule.startsWith('unsupported/');
  const alone = refused.filter((problem) => !isFound(problem));
  const hard = new Set(refused.filter(isFound).map(placeKey));
  // Limits are checked before the structure: if only limits failed, the structure is unknown.
  const isStructureRead = refused.length === 0 || refused.some(({ rule }) => !rule.startsWith('unsupported/'));
  const judged = found.map((problem): Problem => {
    const { severity: _, ...rest } = problem;
    if (hard.has(placeKey(problem))) return rest;
    return problem.rule === 'struct' && isStructureRead ? { ...rest, severity: 'warning' } : problem;
  });
  return [...alone, ...judged];
}

function placeKey({ file, line, column }: Problem): string {
  return `${file}:${line}:${column}`;
}

/** Limit of problems that get a second location, since each search reads all files again. */
const namedBoth = 20;

async function describeProblems(
  problems: readonly RedoclyProblem[],
  root: string,
  refuses: FileRule,
): Promise<Problem[]> {
  const files = new Map<string, Promise<unknown>>();
  const read = (file: string): Promise<unknown> => {
    const value = files.get(file) ?? readFile(file, 'utf8').then(readQuickly);
    files.set(file, value);
    return value;
  };
  const nearest = new Map<string, Promise<string | undefined>>();
  const findNearest = (target: string, from: string): Promise<string | undefined> => {
    const key = JSON.stringify([target, from]);
    const found = nearest.get(key) ?? nearestReference(target, from, refuses);
    nearest.set(key, found);
    return found;
  };
  const described: Problem[] = [];
  let named = 0;
  for (const problem of problems) {
    const one = await toProblem(problem, read, findNearest);
    const isTwice = one.rule === 'operation-operationId-unique';
    if (isTwice) named += 1;
    described.push(isTwice && named <= namedBoth ? await nameBothOperations(one, root, refuses) : one);
  }
  return described;
}

async function toProblem(
  problem: RedoclyProblem,
  read: (file: string) => Promise<unknown>,
  findNearest: (target: string, from: string) => Promise<string | undefined>,
): Promise<Problem> {
  const [{ source, pointer, start }] = problem.location;
  const message = problem.message.replaceAll(/\s+/g, ' ');
  const isUnresolved = problem.ruleId === 'no-unresolved-refs';
  const target = isUnresolved ? referenceAt(await read(resolve(source.ref)), pointer) : undefined;
  const nearest = target === undefined ? undefined : await findNearest(target, resolve(source.ref));
  return {
    file: displayPath(source.ref),
    line: start.line,
    column: start.col,
    // Redocly writes the whole document as `#/`, which is the member with the empty name (RFC 6901, 5).
    pointer: pointer === undefined || pointer === '#/' ? '#' : pointer,
    rule: problem.ruleId,
    ...(problem.severity === 'warn' && { severity: 'warning' }),
    message: target === undefined ? message : `${message}: ${target}.`,
    fix: nearest === undefined ? findFix(problem) : `Did you mean ${nearest}?`,
  };
}

/** Redocly does not name the reference that it could not resolve. In the mapping of a discriminator it has no `$ref` around it. */
function referenceAt(document: unknown, pointer = '#'): string | undefined {
  const node = valueAt(document, parsePointer(pointer));
  const target = typeof node === 'string' ? node : valueAt(node, ['$ref']);
  return typeof target === 'string' ? target : undefined;
}

/** Problems of our rules contain their fix; Redocly's suggestions are near names. */
function findFix({ ruleId, message, suggest = [], reference, location }: RedoclyProblem): string {
  if (/^(lockstep|rule)\//.test(ruleId)) return suggest.join(' ');
  const { pointer = '#' } = location[0];
  const ofVersion = versionFixes.find(
    ({ at, message: asked }) => ruleId === 'struct' && at.test(pointer) && asked.test(message),
  );
  if (ofVersion !== undefined) return ofVersion.fix;
  const fix = fixes[ruleId] ?? `Read ${reference ?? `the documentation of Redocly's rule ${ruleId}`}.`;
  return suggest.length === 0 ? fix : `${fix} Did you mean ${suggest.join(' or ')}?`;
}
