import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formatPointer } from '@lockstep/json/json-pointer';
import { parseYaml } from '@redocly/openapi-core';
import { displayPath } from '../contract/display-path.ts';
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
    for (const { target, at } of listReferences(readQuickly(text))) {
      if (/^https?:/i.test(target)) {
        const says = `The contract leads to ${target}, and nothing is fetched from the network.`;
        const cure = 'Keep the file beside the contract and refer to it by its path.';
        problems.push({
          ...{ file: displayPath(file), ...readYaml(text).positionOf(at), pointer: formatPointer(at) },
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

export function* listReferences(
  node: unknown,
  at: readonly string[] = [],
  seen: Set<unknown> = new Set(),
): Generator<Reference> {
  // An alias of YAML is the same object again; one inside its own anchor would never end.
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  const isMapping = at.at(-1) === 'mapping' && at.at(-2) === 'discriminator';
  for (const [name, value] of Object.entries(node)) {
    const place = [...at, name];
    if (typeof value === 'string' && (isMapping || name === '$ref' || name === 'externalValue')) {
      yield { target: value, at: place };
    }
    yield* listReferences(value, place, seen);
  }
}
