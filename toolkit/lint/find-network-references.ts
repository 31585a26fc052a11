import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formatPointer } from '@lockstep/json/json-pointer';
import { parseYaml } from '@redocly/openapi-core';
import { refuseTooDeep } from '../contract/depth-limit.ts';
import { displayPath } from '../contract/display-path.ts';
import { jsonPositions } from '../contract/json-positions.ts';
import { readYaml } from '../contract/yaml-source.ts';
import type { Problem } from '../problem.ts';

/** A member that Redocly follows to another file, wherever it stands, in data too; and the way to it. */
interface Reference {
  readonly target: string;
  readonly at: readonly string[];
}

/**
 * Finds what a linter would fetch: a `$ref`, an `externalValue` or the target of a discriminator that leads to http or https,
 * in the contract or in a file that it refers to. A contract from elsewhere could otherwise make this machine ask any address.
 *
 * @param root absolute path of the contract; a file that it refers to and that isn't there or isn't YAML refers to nothing
 */
export async function findNetworkReferences(root: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const files = new Set([root]);
  // A Set goes on to what is added while it is read: each file once, circles end.
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    refuseTooDeep(file, text);
    for (const { target, at } of listReferences(readQuickly(text))) {
      if (/^https?:/i.test(target)) {
        const says = `The contract leads to ${target}, and nothing is fetched from the network.`;
        const cure = 'Keep the file beside the contract and refer to it by its path.';
        problems.push({
          ...{
            file: displayPath(file),
            ...(jsonPositions(text) ?? readYaml(text).positionOf)(at),
            pointer: formatPointer(at),
          },
          ...{ rule: 'no-network', says, cure },
        });
        continue;
      }
      const [path = ''] = target.split('#');
      if (path !== '') files.add(resolve(dirname(file), path));
    }
  }
  return problems;
}

/**
 * What a file holds, without its places; undefined if it isn't YAML. Of 5 MB of JSON the parser that knows places takes ten times as long as
 * the linter's own, and that thirty times as long as the one of the language.
 */
export function readQuickly(text: string): unknown {
  for (const parse of [JSON.parse, parseYaml]) {
    try {
      return parse(text);
    } catch {}
  }
  return undefined;
}

/** In the order of the text. An alias of YAML is the same object again: looked through once. */
export function* listReferences(root: unknown): Generator<Reference> {
  const seen = new Set<unknown>();
  // No recursion: what a contract refers to may be nested deeper than any stack.
  const left: { readonly node: unknown; readonly at: Way | undefined }[] = [{ node: root, at: undefined }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, at } = next;
    if (typeof node === 'string') yield { target: node, at: spell(at) };
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    const isMapping = at?.name === 'mapping' && at.around?.name === 'discriminator';
    for (const [name, value] of Object.entries(node).reverse()) {
      const isFollowed = isMapping || name === '$ref' || name === 'externalValue';
      if (typeof value === 'object' || isFollowed) left.push({ node: value, at: { name, around: at } });
    }
  }
}

/** The way to a place, from its end. */
interface Way {
  readonly name: string;
  readonly around: Way | undefined;
}

function spell(way: Way | undefined): readonly string[] {
  const names: string[] = [];
  for (let at = way; at !== undefined; at = at.around) names.push(at.name);
  return names.reverse();
}
