import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formatPointer } from '@lockstep/json/json-pointer';
import type { Problem } from '../problem.ts';
import { ContractError, problemAtTop } from './contract-error.ts';
import { refuseTooLargeText, refuseTooLargeValue } from './depth-limit.ts';
import { displayPath } from './display-path.ts';
import { type ContractOptions, createFileRule } from './file-rule.ts';
import { jsonPositions } from './json-positions.ts';
import { nearestReference } from './nearest-reference.ts';
import { readText } from './read-text.ts';
import { refuseSyntax } from './syntax-problems.ts';
import { readYaml } from './yaml-source.ts';

/** A reference that Redocly follows to another file, also in data, with its path in the document. */
interface Reference {
  readonly target: string;
  readonly at: readonly string[];
}

/** One file of a contract. */
export interface ContractFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** The text of a contract, from a path or an address. @throws ContractError if it can't be read */
export async function readSource(source: string): Promise<string> {
  const reading = await readText(source);
  if (reading.kind === 'text') return reading.text;
  throw new ContractError([problemAtTop(source, 'readable', reading.message, reading.fix)]);
}

/**
 * Reads the contract and every file that it leads to by `$ref`, `externalValue` or the mapping of a discriminator, extensions and data included:
 * Redocly's command follows them all.
 *
 * @param contract a path
 * @returns the contract first, without missing files, which Redocly reports more precisely
 * @throws ContractError if the contract can't be read or a file is no YAML, and for every reference to a file that `createFileRule` refuses, or
 *   to http or https: a contract could make this machine request any address
 */
export async function readContractFiles(contract: string, options?: ContractOptions): Promise<readonly ContractFile[]> {
  const root = resolve(contract);
  const refuses = createFileRule(contract, options);
  const found = new Map([[root, await readSource(contract)]]);
  const problems: Problem[] = [];
  // The loop over a Map includes entries that it adds: each file once, and cycles stop.
  for (const [file, text] of found) {
    refuseTooLargeText(file, text);
    const value = await readValue(text);
    if (value === undefined && isRead(file)) refuseSyntax(file, text);
    refuseTooLargeValue(file, text, value);
    for (const { target, at } of listReferences(value)) {
      const problem = (rule: string, message: string, fix: string): Problem => ({
        ...{ file: displayPath(file), ...(jsonPositions(text) ?? readYaml(text).positionOf)(at) },
        ...{ pointer: formatPointer(at), rule, message, fix },
      });
      if (/^https?:/i.test(target)) {
        const message = `The contract refers to ${target}, but references are not fetched from the network.`;
        const fix = 'Keep the file next to the contract and refer to it by its path.';
        problems.push(problem('no-network', message, fix));
        continue;
      }
      const path = pathOf(target);
      const next = resolve(dirname(file), path);
      if (path === '' || found.has(next)) continue;
      const refusal = refuses(next);
      // `/components/schemas/A` lacks its `#`, which another rule reports.
      if (refusal !== undefined && !existsSync(next) && (await nearestReference(target, file, refuses)) !== undefined)
        continue;
      const name = at.at(-1) === 'externalValue' ? 'externalValue' : '$ref';
      if (refusal !== undefined)
        problems.push(problem(outsideFile, `${name} ${JSON.stringify(target)} ${refusal.message}`, refusal.fix));
      else {
        const content = await readFile(next, 'utf8').catch(() => undefined);
        if (content !== undefined) found.set(next, content);
      }
    }
  }
  if (problems.length > 0) throw new ContractError(problems);
  return Array.from(found, ([file, text]) => ({ file, text }));
}

/** Rule that a reference to a refused file breaks. */
export const outsideFile = 'outside-file';

/** The path in a reference, as Redocly reads it: a pointer begins with `#/`, and `a#b/../c` is a path. */
export function pathOf(reference: string): string {
  return (reference.split('#/')[0] ?? '').replace(/#$/, '');
}

/** Redocly does not parse any other file. */
function isRead(file: string): boolean {
  return /\.(json|ya?ml)$/.test(file);
}

/** Redocly's parser takes a quarter of a second to load. JSON, as derived contracts are, does not need it. */
async function readValue(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { readQuickly } = await import('./read-quickly.ts');
    return readQuickly(text);
  }
}

/** The kind of an object. Each string of a discriminator's mapping is a reference, whatever its name. */
type Holding = 'members' | 'discriminator' | 'mapping';

/** Lists references in the order of the text. A YAML alias is the same object again: each object is searched once per kind. */
export function* listReferences(root: unknown): Generator<Reference> {
  const seen = { members: new Set<unknown>(), discriminator: new Set<unknown>(), mapping: new Set<unknown>() };
  // No recursion: a file that a contract refers to may be nested deeper than any stack.
  const left: { readonly node: unknown; readonly at: PathNode | undefined; readonly holds: Holding }[] = [
    { node: root, at: undefined, holds: 'members' },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, at, holds } = next;
    if (typeof node === 'string') yield { target: node, at: spell(at) };
    if (typeof node !== 'object' || node === null || seen[holds].has(node)) continue;
    seen[holds].add(node);
    for (const [name, value] of Object.entries(node).reverse()) {
      const isFollowed = holds === 'mapping' || name === '$ref' || name === 'externalValue';
      if (typeof value === 'object' || isFollowed)
        left.push({ node: value, at: { name, around: at }, holds: holdingOf(holds, name) });
    }
  }
}

function holdingOf(around: Holding, name: string): Holding {
  if (around === 'discriminator' && name === 'mapping') return 'mapping';
  return name === 'discriminator' ? 'discriminator' : 'members';
}

/** A path in the document, linked from its end. */
interface PathNode {
  readonly name: string;
  readonly around: PathNode | undefined;
}

function spell(path: PathNode | undefined): readonly string[] {
  const names: string[] = [];
  for (let at = path; at !== undefined; at = at.around) names.push(at.name);
  return names.reverse();
}
